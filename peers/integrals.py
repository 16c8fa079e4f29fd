"""Times SciPy's integrators on batches of one-dimensional integrals.

Prints a line of JSON for each kind and peer: integrals per second and the largest error in
units of the tolerance, or why the peer cannot be used. Items differ in one parameter, in an
order in which those next to each other are far apart:

| kind | integrand | range | parameter | tolerance |
| --- | --- | --- | --- | --- |
| smooth | (1 + a x)^-2 | 0..1 | a in 1..10 | relative |
| end_point | x^a ln(1/x) | 0..1 | a in -0.5..1 | relative |
| oscillating | cos(a x) | 0..1 | a in 1..50 | absolute |

`quadscan bench integrals` has the same, in bench-crate/src/workload/integrals/kinds.rs.

Peers on the CPU use all cores, a process each: `quad` (QUADPACK) with the integrand in C, so
that Python is called once an integral and not once an evaluation; `quad_vec` and `tanhsinh`
on NumPy arrays of as many items as fit the cache. On the GPU `tanhsinh` works on CuPy arrays,
as SciPy's array interface allows, of as many items at a time as it is fastest with. A peer
does as many items as it can in the time that it is given; their time is that of the items,
not of starting processes.
"""

import ctypes
import math
import multiprocessing
import os
import subprocess
import tempfile
import time

from lines import list_of, options, reason, say

# SciPy reads it when it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

KINDS = {
    "smooth": {
        "range": (1.0, 10.0),
        "absolute": False,
        "c": "1.0 / ((1.0 + a * x) * (1.0 + a * x))",
        "array": lambda xp, x, a: 1.0 / ((1.0 + a * x) * (1.0 + a * x)),
        "exact": lambda xp, a: 1.0 / (1.0 + a),
    },
    "end_point": {
        "range": (-0.5, 1.0),
        "absolute": False,
        "c": "-pow(x, a) * log(x)",
        "array": lambda xp, x, a: -(x**a) * xp.log(x),
        "exact": lambda xp, a: (1.0 + a) ** -2,
    },
    "oscillating": {
        "range": (1.0, 50.0),
        "absolute": True,
        "c": "cos(a * x)",
        "array": lambda xp, x, a: xp.cos(a * x),
        "exact": lambda xp, a: xp.sin(a) / a,
    },
}
# Items of a call on the CPU, and of calls on the GPU, of which the fastest counts.
CHUNK = 256
GPU_CHUNKS = (1 << 20, 1 << 18, 1 << 16)
# Where the sequence of parameters begins, and its step, in units of 2^-32.
SEED, GOLDEN = 2026, 2654435769


def parameters(xp, kind, first, count):
    low, high = KINDS[kind]["range"]
    index = xp.arange(first, first + count, dtype=xp.uint64)
    place = (index + xp.uint64(SEED)) * xp.uint64(GOLDEN) % xp.uint64(1 << 32)
    return low + (high - low) * ((place.astype(xp.float64) + 0.5) / (1 << 32))


def tolerances(kind, tolerance):
    """The absolute and the relative one; the larger counts."""
    return (tolerance if KINDS[kind]["absolute"] else 0.0), tolerance


def largest_error(xp, kind, a, values, tolerance):
    """In units of the tolerance."""
    exact = KINDS[kind]["exact"](xp, a)
    scale = 1.0 if KINDS[kind]["absolute"] else xp.abs(exact)
    error = float(xp.max(xp.abs(values - exact) / (tolerance * scale)))
    if not math.isfinite(error):
        raise ArithmeticError("a value is no finite number")
    return error


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


def quad(kind, first, count, tolerance, library):
    import numpy
    from scipy import LowLevelCallable, integrate

    function = ctypes.CDLL(library).integrand
    function.restype = ctypes.c_double
    function.argtypes = (ctypes.c_int, ctypes.POINTER(ctypes.c_double))
    function = LowLevelCallable(function)
    values = numpy.empty(count)
    absolute, relative = tolerances(kind, tolerance)
    for i, a in enumerate(parameters(numpy, kind, first, count)):
        result = integrate.quad(
            function,
            0.0,
            1.0,
            args=(a,),
            epsabs=absolute,
            epsrel=relative,
            limit=64,
            full_output=1,
        )
        values[i] = result[0]
    return values


def quad_vec(kind, first, count, tolerance, library):
    import numpy
    from scipy import integrate

    a = parameters(numpy, kind, first, count)
    function = KINDS[kind]["array"]
    absolute, relative = tolerances(kind, tolerance)
    result = integrate.quad_vec(
        lambda x: function(numpy, numpy.maximum(x, 5e-324), a),
        0.0,
        1.0,
        epsabs=max(absolute, 1e-300),
        epsrel=relative,
        norm="max",
        quadrature="gk21",
    )
    return result[0]


def tanhsinh(kind, first, count, tolerance, library, xp=None):
    from scipy import integrate

    if xp is None:
        import numpy as xp
    a = parameters(xp, kind, first, count)
    function = KINDS[kind]["array"]
    absolute, relative = tolerances(kind, tolerance)
    zero, one = xp.zeros_like(a), xp.ones_like(a)
    result = integrate.tanhsinh(
        lambda x, a: function(xp, x, a), zero, one, args=(a,), atol=absolute, rtol=relative
    )
    return result.integral


PEERS = {"quad": quad, "quad_vec": quad_vec, "tanhsinh": tanhsinh}


# All processes begin at the same time.
BARRIER = None
LONGEST_WARM_UP = 120


def begin_at(barrier):
    global BARRIER
    BARRIER = barrier


def processes(cores):
    context = multiprocessing.get_context("spawn")
    return context.Pool(cores, begin_at, (context.Barrier(cores),))


def work(job):
    """One process's share: chunks until the time is over."""
    peer, kind, share, shares, items, tolerance, seconds, library = job
    import numpy

    function = PEERS[peer]
    # Imports and first calls are not timed.
    function(kind, 0, 4, tolerance, library)
    BARRIER.wait(LONGEST_WARM_UP)
    done, error, first = 0, 0.0, share * CHUNK
    elapsed = 0.0
    while elapsed < seconds and first < items:
        count = min(CHUNK, items - first)
        begin = time.perf_counter()
        values = function(kind, first, count, tolerance, library)
        elapsed += time.perf_counter() - begin
        a = parameters(numpy, kind, first, count)
        error = max(error, largest_error(numpy, kind, a, values, tolerance))
        done += count
        first += shares * CHUNK
    return done, elapsed, error


def on_cpu(pool, cores, peer, kind, items, tolerance, seconds, folder):
    import scipy

    library = compiled(kind, folder) if peer == "quad" else ""
    jobs = [
        (peer, kind, share, cores, items, tolerance, seconds, library) for share in range(cores)
    ]
    results = pool.map(work, jobs, chunksize=1)
    return {
        "version": f"SciPy {scipy.__version__}",
        "processes": cores,
        "items": sum(done for done, _, _ in results),
        "per_second": sum(done / elapsed for done, elapsed, _ in results if done),
        "largest_error": max(error for _, _, error in results),
    }


def on_gpu(kind, items, tolerance):
    import cupy
    import scipy

    def once(count):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        values = tanhsinh(kind, 0, count, tolerance, "", cupy)
        cupy.cuda.Device().synchronize()
        return count / (time.perf_counter() - begin), count, values

    found, problem = [], None
    for count in sorted({min(items, chunk) for chunk in GPU_CHUNKS}):
        try:
            once(count)
            found.append(max((once(count) for _ in range(3)), key=lambda run: run[0]))
        except cupy.cuda.memory.OutOfMemoryError as error:
            problem = error
        cupy.get_default_memory_pool().free_all_blocks()
    if not found:
        raise problem
    rate, count, values = max(found, key=lambda run: run[0])
    a = parameters(cupy, kind, 0, count)
    return {
        "version": f"SciPy {scipy.__version__}, CuPy {cupy.__version__}",
        "processes": 1,
        "items": count,
        "per_second": rate,
        "largest_error": largest_error(cupy, kind, a, values, tolerance),
    }


def listed(items):
    """Each kind, how its tolerance is meant, and parameter and integral of the first items."""
    for name, kind in KINDS.items():
        low, high = kind["range"]
        line = [name, "absolute" if kind["absolute"] else "relative"]
        for index in range(items):
            a = low + (high - low) * (((index + SEED) * GOLDEN % 2**32 + 0.5) / 2**32)
            line += [repr(a), repr(kind["exact"](math, a))]
        print(*line)


def main():
    parser = options(__doc__)
    parser.add_argument("--kinds", type=list_of(str), default=list(KINDS))
    parser.add_argument("--peers", type=list_of(str), default=[*PEERS, "tanhsinh_cupy"])
    parser.add_argument("--items", type=int, default=1 << 20)
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--list", action="store_true", help="print the items, time nothing")
    given = parser.parse_args()
    if given.list:
        listed(given.items)
        return
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, processes(cores) as pool:
        for kind in given.kinds:
            for peer in given.peers:
                row = {"kind": kind, "tolerance": given.tolerance, "peer": peer}
                try:
                    if peer == "tanhsinh_cupy":
                        import cupy

                        with cupy.cuda.Device(given.device):
                            row |= on_gpu(kind, given.items, given.tolerance)
                    else:
                        row |= on_cpu(
                            pool,
                            cores,
                            peer,
                            kind,
                            given.items,
                            given.tolerance,
                            given.seconds,
                            folder,
                        )
                except Exception as error:  # A peer that cannot be had is a reason.
                    row["missing"] = reason(error)
                say(row)


if __name__ == "__main__":
    main()
