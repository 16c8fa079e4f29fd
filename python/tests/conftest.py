"""Every device of the machine, and the packages of arrays that may be there."""

import numpy as np
import pytest

import quadscan

CUDA = quadscan.devices()[0] if len(quadscan.devices()) > 1 else None


@pytest.fixture(params=["cuda:0", "emulator"])
def device(request):
    """A device by its name, skipped where there is none."""
    if request.param != "emulator" and CUDA is None:
        pytest.skip("no CUDA device")
    return quadscan.open(request.param)


@pytest.fixture
def random():
    return np.random.default_rng(20261126)


def pytest_terminal_summary(terminalreporter):
    """What came out, in the lines of cargo's tests, which `cargo xtask test` adds up."""
    of = terminalreporter.stats
    failed = len(of.get("failed", [])) + len(of.get("error", []))
    for report in of.get("skipped", []):
        reason = report.longrepr[-1].removeprefix("Skipped: ")
        terminalreporter.write_line(f"test {report.nodeid} ... ignored, {reason}")
    counts = len(of.get("passed", [])), failed, len(of.get("skipped", []))
    result = "FAILED" if failed else "ok"
    terminalreporter.write_line(
        "test result: {}. {} passed; {} failed; {} ignored;".format(result, *counts)
    )
