"""Times PAGANI, SciPy's cubature, vegas, m-Cubes and Cuba on integrals over the unit cube.

Prints a line of JSON for each cell and peer: milliseconds, value and claim, or why there is none. A cell
is an integrand, its dimensions and a relative tolerance: `oscillatory:8:1e-3`. The integrands are those
of bench-crate/src/workload/boxes.rs.

PAGANI and m-Cubes (github.com/marcpaterno/gpuintegration) are compiled by nvcc, in `cubature/pagani.cu`
and `cubature/mcubes.cu`, with the checkout that the environment variable GPUINTEGRATION names. Cuba (Hahn)
is compiled by c++, in `cubature/cuba.cpp`, with the Cuba that the package pySecDec brings, that the
environment variable CUBA names, or that the system has. SciPy's `cubature` has Genz and Malik's rule, on NumPy
arrays. vegas has ever more samples in ten iterations until its standard deviation, which
is the claim, is within the tolerance. A peer has --seconds for a cell; the tolerances that follow a
cell that took longer, or did not converge, are left out.
"""

import importlib.metadata
import importlib.util
import math
import multiprocessing
import operator
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from lines import Missing, list_of, options, reason, say

# The environment variables that name folders.
CHECKOUT, CUBA = "GPUINTEGRATION", "CUBA"
PEERS = ("PAGANI", "SciPy cubature", "vegas", "Cuba Cuhre")


class Row(list):
    """An array of one dimension."""

    def _each(operation):
        def of(self, other):
            others = other if isinstance(other, Row) else [other] * len(self)
            return Row(map(operation, self, others))

        return of

    __add__ = __radd__ = _each(operator.add)
    __sub__, __mul__, __pow__ = map(_each, (operator.sub, operator.mul, operator.pow))
    __truediv__, __lt__ = map(_each, (operator.truediv, operator.lt))

    def __matmul__(self, other):
        return sum(self * other)


# What integrands need of NumPy, at one point and by `math` alone.
PLAIN = SimpleNamespace(
    arange=lambda start, stop: Row(range(start, stop)),
    abs=lambda x: Row(map(abs, x)),
    all=lambda x, axis: all(x),
    prod=lambda x, axis: math.prod(x),
    sum=lambda x, axis: sum(x),
    where=lambda condition, one, other: one if condition else other,
    cos=math.cos,
    exp=math.exp,
)


def integrand(name, d, np):
    """Of points in rows, of NumPy; of one point with PLAIN in its place."""
    i = np.arange(1, d + 1)
    return {
        "oscillatory": lambda x: np.cos(x @ i),
        "product_peak": lambda x: 1 / np.prod(1 / 2500 + (x - 0.5) ** 2, axis=-1),
        "corner_peak": lambda x: (1 + x @ i) ** -(d + 1.0),
        "gaussian_peak": lambda x: np.exp(-625 * np.sum((x - 0.5) ** 2, axis=-1)),
        "continuous": lambda x: np.exp(-10 * np.sum(np.abs(x - 0.5), axis=-1)),
        "discontinuous": lambda x: np.where(
            np.all(x < (3 + i) / 10, axis=-1), np.exp(x @ (i + 4.0)), 0.0
        ),
        "power_of_squares": lambda x: np.sum(x * x, axis=-1) ** 11,
        "plane_wave": lambda x: np.cos(math.tau * 0.1 + np.sum(x, axis=-1)),
        "lorentzians": lambda x: 1 / np.prod(1 / 4 + (x - 0.5) ** 2, axis=-1),
        "gaussian": lambda x: np.exp(-25 * np.sum((x - 0.5) ** 2, axis=-1)),
        "kinks": lambda x: np.exp(-2 * np.sum(np.abs(x - 0.5), axis=-1)),
        "steps": lambda x: np.where(np.all(x < 0.9, axis=-1), np.exp(np.sum(x, axis=-1)), 0.0),
    }[name]


def scipy_cubature(name, d, tolerance, _):
    import numpy as np
    import scipy
    from scipy.integrate import cubature

    calls, function = [0], integrand(name, d, np)

    def counted(x):
        calls[0] += len(x)
        return function(x)

    start = time.perf_counter()
    found = cubature(counted, np.zeros(d), np.ones(d), rule="genz-malik", rtol=tolerance, atol=0)
    return {
        "version": f"SciPy {scipy.__version__}",
        "ms": 1e3 * (time.perf_counter() - start),
        "clock": "one call",
        "value": float(found.estimate),
        "claim": float(found.error),
        "evaluations": calls[0],
        "converged": found.status == "converged",
    }


def vegas_samples(name, d, tolerance, seconds):
    import numpy as np
    import vegas

    function = vegas.lbatchintegrand(integrand(name, d, np))
    samples, evaluations, start = 10_000, 0, time.perf_counter()
    integrator = vegas.Integrator([[0, 1]] * d)
    while True:
        found = integrator(function, nitn=10, neval=samples)
        evaluations += found.sum_neval
        spent = time.perf_counter() - start
        is_within = found.sdev <= tolerance * abs(found.mean)
        # The next round takes four times as long as the last.
        if is_within or 5 * spent > seconds:
            break
        samples *= 4
    return {
        "version": f"vegas {vegas.__version__}",
        "ms": 1e3 * spent,
        "clock": "rounds of ten iterations",
        "value": float(found.mean),
        "claim": float(found.sdev),
        "evaluations": int(evaluations) or None,
        "converged": bool(is_within),
    }


def told(connection, function, *arguments):
    try:
        connection.send(function(*arguments))
    except Exception as error:  # A peer that cannot be had is a reason.
        connection.send({"missing": reason(error)})


def in_a_process(function, arguments, seconds):
    """What it returns, or that it took too long."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=told, args=(theirs, function, *arguments))
    process.start()
    theirs.close()
    try:
        if ours.poll(seconds):
            return ours.recv()
        return {"missing": f"it took more than {seconds:g} s"}
    except EOFError:
        return {"missing": "its process ended"}
    finally:
        process.kill()
        process.join()


def on_the_host(peer, function, cells, seconds):
    for (name, d), tolerances in cells.items():
        for tolerance in tolerances:
            row = in_a_process(function, (name, d, float(tolerance), seconds), seconds)
            said(f"{name}:{d}:{tolerance}", peer, row)
            if not row.get("converged"):
                break


def output_of(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def nvcc():
    named = [os.environ[key] for key in ("CUDA_HOME", "CUDA_PATH") if key in os.environ]
    folders = [os.path.join(folder, "bin") for folder in [*named, "/usr/local/cuda"]]
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(folders))


def visible(device):
    """A device as the driver knows it, of those that the caller lets us see."""
    mask = os.environ.get("CUDA_VISIBLE_DEVICES")
    return mask.split(",")[device].strip() if mask else str(device)


def capability(device):
    command = ["nvidia-smi", "-i", device, "--query-gpu=compute_cap", "--format=csv,noheader"]
    found = output_of(command, check=True)
    return found.stdout.strip().replace(".", "")


def gpuintegration(file, device, _):
    """What compiles a file with the checkout, what runs the program, and the version."""
    compiler, checkout = nvcc(), os.environ.get(CHECKOUT)
    if not checkout:
        raise Missing(f"{CHECKOUT} names no checkout of gpuintegration")
    if not os.path.isfile(os.path.join(checkout, "cuda/pagani/quad/quad.h")):
        raise Missing(f"{CHECKOUT}={checkout} has no cuda/pagani/quad/quad.h")
    if compiler is None:
        raise Missing("nvcc is not on the path")
    flags = "-O3 -std=c++17 --extended-lambda --expt-relaxed-constexpr -w".split()
    version = output_of([compiler, "--version"]).stdout
    version = "gpuintegration, nvcc " + version.partition("release ")[2].partition(",")[0]
    device = visible(device)
    target, checkout = f"-arch=sm_{capability(device)}", os.path.abspath(checkout)
    command = [compiler, *flags, target, "-I", checkout, file]
    return command, ["env", f"CUDA_VISIBLE_DEVICES={device}"], [], version


def cuba(routine, _, seconds):
    """The same of a routine of Cuba."""
    package = importlib.util.find_spec("pySecDecContrib")
    folder, version = os.environ.get(CUBA), "Cuba"
    if not folder and package:
        folder = os.path.dirname(package.origin)
        version += " of pySecDec " + importlib.metadata.version("pySecDec")
    folder = folder and os.path.abspath(folder)
    places = ["-I", f"{folder}/include", "-L", f"{folder}/lib"] if folder else []
    command = ["c++", "-O3", "-march=native", "-std=c++17", *places, "cuba.cpp", "-lcuba", "-lm"]
    probe = ["c++", *places, "-include", "cuba.h", "-E", "-x", "c++", os.devnull]
    if not shutil.which("c++"):
        raise Missing("c++ is not on the path")
    if output_of(probe).returncode != 0:
        raise Missing(f"there is no cuba.h: pip install pySecDec, or set {CUBA} to Cuba's folder")
    cores = len(os.sched_getaffinity(0))
    return command, [], [routine, str(cores), f"{max(seconds / 2, 1):.0f}"], version


# Peers that are programs: what is built of what.
COMPILED = {"PAGANI": (gpuintegration, "pagani.cu"), "m-Cubes": (gpuintegration, "mcubes.cu")}
COMPILED |= {f"Cuba {routine}": (cuba, routine) for routine in ("Cuhre", "Vegas", "Suave", "Divonne")}


def compiled(peer, cells, device, seconds):
    made_by, of = COMPILED[peer]
    command, start, arguments, version = made_by(of, device, seconds)
    sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cubature")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:

        def build(cell):
            name, d = cell
            program = os.path.join(folder, f"{name}.{d}")
            given = [f"-DINTEGRAND={name}", f"-DDIMENSIONS={d}", "-o", program]
            return program, output_of([*command, *given], cwd=sources)

        for (cell, tolerances), (program, built) in zip(cells.items(), pool.map(build, cells)):
            name = ":".join(map(str, cell))
            if built.returncode != 0:
                first = (built.stderr.splitlines() or [""])[0]
                said(name, peer, {"missing": f"{command[0]} failed: {first}"})
                continue
            for tolerance in tolerances:
                row = ran([*start, program, *arguments, tolerance], version, 3 * seconds)
                said(f"{name}:{tolerance}", peer, row)
                if not row.get("converged"):
                    break


def ran(command, version, seconds):
    """What a program said, or why it said nothing."""
    try:
        ended = output_of(command, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"missing": f"it took more than {seconds:g} s"}
    lines = [line for line in ended.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        return {"missing": (ended.stderr.splitlines() or [f"status {ended.returncode}"])[-1]}
    _, _, ms, value, claim, evaluations, status, clock = lines[0].split(maxsplit=7)
    return {
        "version": version,
        "ms": float(ms),
        "clock": clock,
        "value": float(value),
        "claim": abs(float(claim)),
        "evaluations": int(evaluations),
        "converged": status == "0",
    }


def said(cell, peer, row):
    numbers = [row[key] for key in ("ms", "value", "claim") if key in row]
    if not all(map(math.isfinite, numbers)):
        row = {"missing": "its time, value or claim is no finite number"}
    say({"cell": cell, "peer": peer} | row)


# Peers that the script calls: what each is imported from.
CALLED = {
    "SciPy cubature": ("scipy.integrate", scipy_cubature),
    "vegas": ("vegas", vegas_samples),
}


def main():
    parser = options(__doc__)
    parser.add_argument("--cells", type=list_of(str), required=True)
    parser.add_argument("--peers", type=list_of(str), default=PEERS)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--values", help="print the integrands at X in all coordinates, time nothing")
    given = parser.parse_args()
    cells = {}
    for cell in given.cells:
        name, d, tolerance = cell.split(":")
        cells.setdefault((name, int(d)), []).append(tolerance)
    if given.values:
        for name, d in cells:
            x = Row([float(given.values)] * d)
            print(name, d, repr(float(integrand(name, d, PLAIN)(x))))
        return
    for peer in given.peers:
        try:
            if peer in COMPILED:
                compiled(peer, cells, given.device, given.seconds)
                continue
            module, function = CALLED[peer]
            importlib.import_module(module)
            on_the_host(peer, function, cells, given.seconds)
        except Exception as error:  # A peer that cannot be had is a reason.
            said("", peer, {"missing": reason(error)})


if __name__ == "__main__":
    sys.exit(main())
