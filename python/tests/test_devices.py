"""Devices, the warning without a GPU, threads, and the documentation's examples."""

import doctest
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import quadscan
from conftest import CUDA


def test_a_device_is_opened_once():
    assert quadscan.open("emulator") is quadscan.open("emulator")
    assert quadscan.open("emulator").name == "emulator" and not quadscan.open("emulator").is_cuda
    assert repr(quadscan.open("emulator")).startswith("<quadscan.Device emulator: ")


def test_an_unknown_device_and_one_that_is_not_there_are_refused():
    with pytest.raises(ValueError, match="unknown device `cuda:x`, allowed are auto, cuda"):
        quadscan.open("cuda:x")
    with pytest.raises(quadscan.Error, match="no device: "):
        quadscan.open("cuda:99")


def ran(program, *options):
    """What a Python program prints, errors among it."""
    command = [sys.executable, *options, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(CUDA is not None, reason="there is a CUDA device")
def test_without_a_gpu_one_warning_says_so():
    twice = "import quadscan\nfor _ in range(2): print(quadscan.reduce([1.0, 2.0]))"
    code, said = ran(twice, "-W", "always")
    assert code == 0 and said.count("quadscan computes on an emulator, which is slow") == 1, said
    assert said.count("3.0") == 2
    code, said = ran("import quadscan; quadscan.open('cuda')")
    assert code == 1 and "quadscan.Error: no device: " in said


def test_threads_share_a_device(device):
    arrays = [np.full(3000, k, np.uint32) for k in range(4)]
    found = [None] * 4

    def work(k):
        found[k] = quadscan.scan(arrays[k], device=device)[-1]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [0, 3000, 6000, 9000]


def test_ctrl_c_ends_integrals_between_launches():
    program = (
        "import os, signal, threading, numpy as np, quadscan\n"
        "quadscan.open('emulator')\n"
        # What a shell starts in the background ignores Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    quadscan.integrate('runge', 0.0, np.ones(1 << 24), device='emulator')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    assert ran(program) == (0, "interrupted\n")


@pytest.mark.filterwarnings("ignore:quadscan computes")
def test_the_examples_of_the_documentation_run():
    outcome = doctest.testmod(quadscan)
    assert outcome.attempted >= 10 and outcome.failed == 0
    page = pathlib.Path(os.environ.get("QUADSCAN_PYTHON_PAGE", ""))
    if page.is_file():
        outcome = doctest.testfile(str(page), module_relative=False)
        assert outcome.attempted >= 10 and outcome.failed == 0


class OfAnotherPackage:
    """An array of the host that is not NumPy's; JAX's are so."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __array_namespace__(self):
        return type("namespace", (), {"asarray": OfAnotherPackage})


def test_arrays_of_the_host_of_another_package_come_back_as_such(device):
    array = OfAnotherPackage(np.array([[3, 1], [4, 1]], np.int32))
    for found, expected in [
        (quadscan.scan(array, device=device), [3, 4, 8, 9]),
        (quadscan.scan(array, axis=0, device=device), [[3, 1], [7, 2]]),
        (quadscan.reduce(array, device=device), 9),
    ]:
        assert isinstance(found, OfAnotherPackage) and found.array.tolist() == expected
