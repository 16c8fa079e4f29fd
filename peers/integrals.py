"""Times SciPy's integrators on batches of one-dimensional integrals.

Prints a line of JSON for each peer: integrals per second and the largest error, or why the
peer cannot be used. Items differ in one parameter, spread evenly over a range:

| kind | integrand | range | parameter |
| --- | --- | --- | --- |
| smooth | (1 + a x)^-2 | 0..1 | a in 1..10 |
| singular | x^a ln(1/x) | 0..1 | a in -0.5..1 |
| oscillating | cos(a x) | 0..1 | a in 1..50 |

Peers on the CPU use all cores, a process each: `quad` (QUADPACK) with the integrand in C, so
that Python is called once an integral and not once an evaluation; `quad_vec` and `tanhsinh`
on NumPy arrays of as many items as fit the cache. On the GPU `tanhsinh` works on CuPy arrays,
as SciPy's array interface allows. A peer does as many items as it can in the time that it is
given; their time is that of the items, not of starting processes.
"""

import argparse
import ctypes
import json
import multiprocessing
import os
import subprocess
import tempfile
import time

# SciPy reads it when it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

KINDS = {
    "smooth": {
        "range": (1.0, 10.0),
        "c": "1.0 / ((1.0 + a * x) * (1.0 + a * x))",
        "array": lambda xp, x, a: 1.0 / ((1.0 + a * x) * (1.0 + a * x)),
        "exact": lambda xp, a: 1.0 / (1.0 + a),
    },
    "singular": {
        "range": (-0.5, 1.0),
        "c": "-pow(x, a) * log(x)",
        "array": lambda xp, x, a: -(x**a) * xp.log(x),
        "exact": lambda xp, a: (1.0 + a) ** -2,
    },
    "oscillating": {
        "range": (1.0, 50.0),
        "c": "cos(a * x)",
        "array": lambda xp, x, a: xp.cos(a * x),
        "exact": lambda xp, a: xp.sin(a) / a,
    },
}
CHUNK = 256
GPU_ITEMS = 1 << 20


def parameters(xp, kind, first, count, items):
    low, high = KINDS[kind]["range"]
    index = xp.arange(first, first + count, dtype=xp.float64)
    return low + (high - low) * (index + 0.5) / items


def compiled(kind, folder):
    """The integrand in C, as a function that `quad` calls without Python."""
    source = os.path.join(folder, "integrand.c")
    library = os.path.join(folder, f"{kind}.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(
            "#include <math.h>\n"
            "double integrand(int n, double *args) {\n"
            "    const double x = args[0], a = args[1];\n"
            f"    return {KINDS[kind]['c']};\n"
            "}\n"
        )
    command = ["cc", "-O3", "-shared", "-fPIC", "-o", library, source, "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return library


def quad(kind, first, count, items, tolerance, library):
    import numpy
    from scipy import LowLevelCallable, integrate

    function = ctypes.CDLL(library).integrand
    function.restype = ctypes.c_double
    function.argtypes = (ctypes.c_int, ctypes.POINTER(ctypes.c_double))
    function = LowLevelCallable(function)
    values = numpy.empty(count)
    for i, a in enumerate(parameters(numpy, kind, first, count, items)):
        result = integrate.quad(
            function, 0.0, 1.0, args=(a,), epsabs=0.0, epsrel=tolerance, limit=64, full_output=1
        )
        values[i] = result[0]
    return values


def quad_vec(kind, first, count, items, tolerance, library):
    import numpy
    from scipy import integrate

    a = parameters(numpy, kind, first, count, items)
    function = KINDS[kind]["array"]
    result = integrate.quad_vec(
        lambda x: function(numpy, numpy.maximum(x, 5e-324), a),
        0.0,
        1.0,
        epsabs=1e-300,
        epsrel=tolerance,
        norm="max",
        quadrature="gk21",
    )
    return result[0]


def tanhsinh(kind, first, count, items, tolerance, library, xp=None):
    from scipy import integrate

    if xp is None:
        import numpy as xp
    a = parameters(xp, kind, first, count, items)
    function = KINDS[kind]["array"]
    zero, one = xp.zeros_like(a), xp.ones_like(a)
    result = integrate.tanhsinh(
        lambda x, a: function(xp, x, a), zero, one, args=(a,), atol=0.0, rtol=tolerance
    )
    return result.integral


PEERS = {"quad": quad, "quad_vec": quad_vec, "tanhsinh": tanhsinh}


def work(job):
    """One process's share: chunks until the time is over."""
    peer, kind, share, shares, items, tolerance, seconds, library = job
    import numpy

    function = PEERS[peer]
    # Imports and first calls are not timed.
    function(kind, 0, 4, items, tolerance, library)
    done, error, first = 0, 0.0, share * CHUNK
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds and first < items:
        count = min(CHUNK, items - first)
        values = function(kind, first, count, items, tolerance, library)
        elapsed = time.perf_counter() - begin
        exact = KINDS[kind]["exact"](numpy, parameters(numpy, kind, first, count, items))
        error = max(error, float(numpy.max(numpy.abs(values - exact) / numpy.abs(exact))))
        done += count
        first += shares * CHUNK
    return done, elapsed, error


def on_cpu(peer, kind, items, tolerance, seconds, folder):
    import scipy

    library = compiled(kind, folder) if peer == "quad" else ""
    cores = len(os.sched_getaffinity(0))
    jobs = [
        (peer, kind, share, cores, items, tolerance, seconds, library) for share in range(cores)
    ]
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        results = pool.map(work, jobs, chunksize=1)
    return {
        "version": f"SciPy {scipy.__version__}",
        "cores": cores,
        "items": sum(done for done, _, _ in results),
        "per_second": sum(done / elapsed for done, elapsed, _ in results if done),
        "worst_relative_error": max(error for _, _, error in results),
    }


def on_gpu(kind, items, tolerance):
    import cupy
    import scipy

    count = min(items, GPU_ITEMS)

    def once():
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        values = tanhsinh(kind, 0, count, items, tolerance, "", cupy)
        cupy.cuda.Device().synchronize()
        return values, time.perf_counter() - begin

    once()
    values, seconds = min((once() for _ in range(3)), key=lambda run: run[1])
    exact = KINDS[kind]["exact"](cupy, parameters(cupy, kind, 0, count, items))
    return {
        "version": f"SciPy {scipy.__version__}, CuPy {cupy.__version__}",
        "items": count,
        "per_second": count / seconds,
        "worst_relative_error": float(cupy.max(cupy.abs(values - exact) / cupy.abs(exact))),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--peers", default="quad,quad_vec,tanhsinh,tanhsinh_cupy")
    parser.add_argument("--items", type=int, default=1 << 20)
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds.split(","):
            for peer in options.peers.split(","):
                row = {"kind": kind, "peer": peer, "tolerance": options.tolerance}
                try:
                    if peer == "tanhsinh_cupy":
                        row |= on_gpu(kind, options.items, options.tolerance)
                    else:
                        row |= on_cpu(
                            peer, kind, options.items, options.tolerance, options.seconds, folder
                        )
                except Exception as error:  # A peer that cannot be had is a reason.
                    row["missing"] = f"{type(error).__name__}: {str(error).splitlines()[:1]}"
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
