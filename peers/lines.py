"""What the scripts say to `quadscan bench`: lines of JSON, and their common options."""

import argparse
import json


class Missing(Exception):
    """Why a peer cannot be had."""


def first_line(error):
    """What an exception says, on one line."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def reason(error):
    """Why a peer is not timed, on one line."""
    first = first_line(error)
    return first if isinstance(error, Missing) else f"{type(error).__name__}: {first}"


def say(line):
    print(json.dumps(line), flush=True)


def list_of(kind):
    return lambda text: [kind(item) for item in text.split(",") if item]


def options(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--device", type=int, default=0)
    return parser
