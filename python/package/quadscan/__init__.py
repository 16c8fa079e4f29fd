"""Prefix scans, reductions and integrals on the GPU, with the same bits in every run.

Arrays of NumPy are copied to the device and back. Arrays on a CUDA device, of CuPy, PyTorch, JAX or
of whatever has ``__dlpack__`` or ``__cuda_array_interface__``, are used where they are, in the order
of the stream that they are on; the result is of the kind of the input. Without a GPU an emulator
computes, slowly, and says so once.

>>> import numpy as np, quadscan
>>> quadscan.scan(np.array([3, 1, 4, 1, 5], dtype=np.uint32)).tolist()
[3, 4, 8, 9, 14]
"""

import enum
import math
import operator
import threading
import warnings
from collections import namedtuple

import numpy as np

from . import _arrays, _quadscan
from ._quadscan import Device, DeviceArray, Error

__all__ = [
    "Device", "DeviceArray", "Error", "Integrals", "Status",
    "devices", "integrands", "integrate", "integrate_samples", "open", "operations", "reduce", "scan",
]

Status = enum.IntEnum("Status", _quadscan.STATUS)
Status.__doc__ = "How an integral ended: whether it CONVERGED, or why not."

Integrals = namedtuple("Integrals", "value error status evaluations")
Integrals.__doc__ = """What comes of integrals: arrays of one shape, or numbers.

``value``: the integrals. ``error``: what their errors are at most, as far as the rule can tell.
``status``: a number of ``Status`` each. ``evaluations``: how often the function was evaluated.
"""

_opened = {}
_lock = threading.Lock()


def devices():
    """The names of the devices that ``open`` takes.

    >>> import quadscan
    >>> quadscan.devices()[-1]
    'emulator'
    """
    return [f"cuda:{n}" for n in range(_quadscan.cuda_devices())] + ["emulator"]


def open(name="auto"):
    """Opens a device, or gives the one that is open: ``auto``, ``cuda``, ``cuda:N``, ``emulator``.

    ``auto`` is the first CUDA device, and without one the emulator, with a warning.

    Raises ``ValueError`` for another name, and ``Error`` where there is no such device.

    >>> import quadscan
    >>> quadscan.open("emulator").name
    'emulator'
    """
    key = {"cuda": "cuda:0"}.get(name, name)
    with _lock:
        if key in _opened:
            return _opened[key]
        if key != "auto":
            device = Device(key)
        else:
            try:
                device = _opened.get("cuda:0") or Device("cuda:0")
            except Error as error:
                if not str(error).startswith("no device: "):
                    raise
                device = _opened.get("emulator") or Device("emulator")
                warnings.warn(
                    f"quadscan computes on an emulator, which is slow: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
        # Under its own name too, so that it is opened once.
        return _opened.setdefault(key, _opened.setdefault(device.name, device))


def _table():
    table = {}
    for family, op, element, result in _quadscan.operations():
        op = {"compose": "affine"}.get(op, op)
        table.setdefault(family, {}).setdefault(op, {}).setdefault(element, []).append(result)
    return table


_TABLE = _table()
# Segmented and whole alike, in the words of errors.
_SCAN, _REDUCE = ("scan", "scan_segments"), ("reduce", "reduce_segments")


def operations():
    """What scans and reduces: (function, op, type of the elements, type of the results).

    >>> import quadscan
    >>> ("scan", "sum", "float32", "float32") in quadscan.operations()
    True
    """
    kinds = {"scan": "scan", "scan_segments": "scan by segments"}
    kinds.update({"reduce": "reduce", "reduce_segments": "reduce by segments"})
    return [
        (kinds[family], op, _arrays.name(element), _arrays.name(result))
        for family, ops in _TABLE.items()
        for op, elements in ops.items()
        for element, results in elements.items()
        for result in results
    ]


def _types(family, op, taken, dtype):
    """The types of elements and results, as the native part calls them, and numbers of each."""
    ops, element = _TABLE[family], taken.element
    if op not in ops:
        raise ValueError(f"op is {op!r}, allowed are {', '.join(sorted(ops))}")
    if op == "affine":
        if element != "f64" or len(taken.shape) != 2 or taken.shape[1] != 2:
            raise ValueError("array is not of shape (n, 2) and type float64, as affine needs it")
        return ("Affine", "Affine"), 2
    elements = ops[op]
    # Booleans are bytes, which are counted.
    read = "u8" if element == "bool" else element
    if read not in elements:
        allowed = ", ".join(_arrays.name(element) for element in elements)
        raise TypeError(
            f"array has elements of type {_arrays.name(element)}, allowed are {allowed} "
            f"for {op} of {family.replace('_', ' by ')}"
        )
    results = elements[read]
    if dtype is None:
        is_same = read in results and element != "bool"
        return (read, read if is_same else results[-1]), 1
    wanted = _arrays.code(dtype)
    if wanted not in results:
        allowed = ", ".join(map(_arrays.name, results))
        raise TypeError(f"dtype is {_arrays.name(wanted)}, allowed are {allowed}")
    return (read, wanted), 1


def _written(types, each, shape):
    """Type and shape of an array of so many results."""
    return ("f64", (*shape, 2)) if each == 2 else (types[1], shape)


def _cuda(ordinal):
    return open(f"cuda:{ordinal}")


def _device(device, kind, taken):
    """The device that computes."""
    device = open(device) if isinstance(device, str) else device
    if not kind.is_device:
        return device or open()
    there = _cuda(taken.ordinal)
    if device is not None and device.name != there.name:
        raise ValueError(f"device is {device.name}, and array is on {there.name}")
    return there


def _taken(kind, array, argument):
    """An array in C order, of one dimension for what follows."""
    taken = kind.take(array, argument)
    return taken if taken.is_contiguous else kind.take(kind.in_order(array, -1), argument)


def _beside(kind, array, argument, taken):
    """Keys or offsets, which are where the array is."""
    other, array = _arrays.kind_of(array, argument, _cuda)
    if type(other) is not type(kind) and (kind.is_device or other.is_device):
        raise TypeError(f"{argument} is not of the same package as array")
    beside = _taken(kind, array, argument)
    if beside.ordinal != taken.ordinal:
        raise ValueError(f"{argument} is not on the device that array is on")
    return beside


def _offsets(beside):
    """Segments as the native part takes them."""
    if beside.element not in ("i32", "u32", "i64", "u64"):
        raise TypeError("segments are not of type int32, uint32, int64 or uint64")
    return _arrays.size(beside.element), beside.span


def _checked_out(kind, out, taken, shape, element):
    """The array of results that a caller gives."""
    other, _ = _arrays.kind_of(out, "out", _cuda)
    if type(other) is not type(kind) or isinstance(kind, _arrays.Foreign):
        raise TypeError("out is not an array of the package of array, on a device or NumPy's")
    if not kind.is_device and not (isinstance(out, np.ndarray) and out.flags.writeable):
        raise ValueError("out cannot be written")
    given = kind.take(out, "out")
    if given.ordinal != taken.ordinal:
        raise ValueError("out is not on the device that array is on")
    if given.element != element:
        said = f"out has elements of type {_arrays.name(given.element)}"
        raise TypeError(f"{said}, needed are {_arrays.name(element)}")
    if given.shape != tuple(shape):
        raise ValueError(f"out has the shape {given.shape}, needed is {tuple(shape)}")
    if not given.is_contiguous:
        raise ValueError("out is not in C order")
    size, wide = _arrays.size(taken.element), _arrays.size(given.element)
    apart = given.address - taken.address
    is_same = apart == 0 and size == wide
    if not is_same and -wide * given.len < apart < size * taken.len:
        raise ValueError("out overlaps array, allowed is the same array or another")
    return given


def _run(device, kind, family, op, types, taken, output, each=1, **how):
    """Asks the device for an operation on elements of ``each`` numbers."""
    op = {"affine": "compose"}.get(op, op)
    spans = [(of.address, of.len // each) for of in (taken, output)]
    if not kind.is_device:
        return device.run(family, op, types, *spans, on_host=True, **how)
    stream = kind.stream(taken.ordinal)
    if stream is not None:
        device.follow(stream)
    device.run(family, op, types, *spans, on_host=False, **how)
    # Without a stream nobody but us can say when the input may be changed.
    return device.synchronize() if stream is None else device.lead(stream)


def _normal(axis, op, dimensions):
    """An axis along which rows are; None for all elements."""
    if axis is None:
        return None
    if op == "affine" and axis != 0:
        raise ValueError(f"axis is {axis!r}, allowed is 0 for affine")
    if not isinstance(axis, int) or not -dimensions <= axis < dimensions:
        raise ValueError(f"axis is {axis!r}, allowed are {-dimensions} to {dimensions - 1}")
    return None if op == "affine" or dimensions == 1 else axis % dimensions


def scan(
    array, op="sum", *, exclusive=False, axis=None, out=None, keys=None, segments=None,
    dtype=None, device=None,
):
    """Combines each element with all before it.

    ``op``: ``sum``, ``product``, ``min``, ``max``, or ``affine``, which composes the maps
    x -> a x + b of an array of pairs (a, b). ``exclusive``: with those before it alone; the first
    result is the neutral element. ``axis``: along which; None scans all elements in C order.
    ``out``: where the results go; it may be ``array``. ``keys``: an array as long, of which
    neighbours that are equal are a segment. ``segments``: where segments begin, offsets in
    ascending order. ``dtype``: the type of the results, where there are several. ``device``: for
    arrays of the host, a ``Device`` or its name.

    The result is an array of the kind of ``array``. On a device the function does not wait for it.

    Raises ``ValueError`` and ``TypeError`` with the argument that is wrong, ``Error`` for what the
    device could not do.

    >>> import numpy as np, quadscan
    >>> quadscan.scan(np.array([3, 1, 4, 1, 5], dtype=np.int32), exclusive=True).tolist()
    [0, 3, 4, 8, 9]
    >>> quadscan.scan(np.float32([3, 1, 4, 1, 5]), keys=np.array([7, 7, 9, 9, 9])).tolist()
    [3.0, 4.0, 4.0, 5.0, 10.0]
    >>> quadscan.scan(np.int32([[3, 1, 4], [1, 5, 9]]), "max", axis=1).tolist()
    [[3, 3, 4], [1, 5, 9]]
    """
    kind, array = _arrays.kind_of(array, "array", _cuda)
    axis = _normal(axis, op, len(array.shape))
    if keys is not None and segments is not None:
        raise ValueError("keys and segments are given, allowed is one of them")
    if axis is not None:
        if keys is not None or segments is not None:
            raise ValueError("axis is given beside keys or segments, allowed is one of them")
    taken, how = _taken(kind, array, "array"), {"exclusive": bool(exclusive)}
    family = _SCAN[keys is not None or segments is not None]
    types, each = _types(family, op, taken, dtype)
    n = taken.len // each
    result, shape = _written(types, each, (n,))
    if axis is not None:
        shape = taken.shape
        how["along"] = shape[axis], math.prod(shape[axis + 1 :])
    if keys is not None:
        beside = _beside(kind, keys, "keys", taken)
        if beside.len != n:
            raise ValueError(f"keys has {beside.len} elements, needed are {n}")
        how["keys"] = (_arrays.size(beside.element), beside.span)
    if segments is not None:
        beside = _beside(kind, segments, "segments", taken)
        how["offsets"] = _offsets(beside)
    computes = _device(device, kind, taken)
    if out is None:
        results = kind.empty(shape, result, taken)
        output = kind.take(results, "out")
    else:
        shape = taken.shape if taken.shape == getattr(out, "shape", None) else shape
        results, output = out, _checked_out(kind, out, taken, shape, result)
    _run(computes, kind, family, op, types, taken, output, each, **how)
    return results if out is not None else kind.given(results, False)


def reduce(array, op="sum", *, axis=None, segments=None, dtype=None, device=None):
    """Combines all elements.

    ``op``: ``sum``, ``min``, ``max`` or ``affine``. ``axis``: along which; None combines all elements.
    ``segments``: offsets in ascending order, one more than segments, the last of which is where the
    last segment ends; the result has an element for each segment. The others are as for ``scan``.

    The result is a number of NumPy's for an array of the host, and else an array of no dimensions.

    >>> import numpy as np, quadscan
    >>> quadscan.reduce(np.float32([3, 1, 4, 1, 5])).item()
    14.0
    >>> quadscan.reduce(np.float64([[3, 1, 4], [1, 5, 9]]), "max", axis=1).tolist()
    [4.0, 9.0]
    >>> quadscan.reduce(np.int64([3, 1, 4, 1, 5]), segments=np.uint32([0, 2, 2, 5])).tolist()
    [4, 0, 10]
    """
    kind, array = _arrays.kind_of(array, "array", _cuda)
    axis = _normal(axis, op, len(array.shape))
    if axis is not None and segments is not None:
        raise ValueError("axis is given beside segments, allowed is one of them")
    if axis is not None:
        array = kind.in_order(array, axis)
        taken = kind.take(array, "array")
        shape, how = taken.shape[:-1], {"along": (taken.shape[-1], 1)}
    else:
        taken, shape, how = _taken(kind, array, "array"), (), {}
    family = _REDUCE[segments is not None or axis is not None]
    types, each = _types(family, op, taken, dtype)
    if segments is not None:
        beside = _beside(kind, segments, "segments", taken)
        how["offsets"] = _offsets(beside)
        if beside.len == 0:
            raise ValueError("segments is empty, needed is one offset more than segments")
        shape = shape or (beside.len - 1,)
    result, shape = _written(types, each, shape)
    computes = _device(device, kind, taken)
    results = kind.empty(shape, result, taken)
    output = kind.take(results, "out")
    if output.len > 0:
        _run(computes, kind, family, op, types, taken, output, each, **how)
    return kind.given(results, shape == ())


def integrands():
    """The functions that ``integrate`` knows: their formulas, parameters and limits, by name.

    >>> import quadscan
    >>> quadscan.integrands()["gaussian"]
    ('exp(-x^2 / 2)', [], (-inf, inf))
    """
    return {name: tuple(rest) for name, *rest in _quadscan.integrands()}


def integrate(
    function, a=None, b=None, /, *, over=None, rule=None, rtol=None, atol=0.0, breaks=(), limit=None,
    dtype="float64", device=None, principal_value=None, fourier=None, evaluations=None, seed=None,
    rounding=False, **parameters,
):
    """Integrates a function from ``a`` to ``b``, or a formula over a box.

    ``function``: a name of ``integrands()``, or a formula in ``x`` and parameters such as
    ``"exp(-x^2) * cos(k*x)"``. ``a``, ``b`` and the function's parameters are numbers, which may be
    infinite where they are limits, or arrays, which are broadcast: the result has their shape. A
    name has limits of its own. ``rule``: ``g10k21``, where none is named, or
    ``g7k15``, adaptive rules by Gauss and Kronrod, or ``tanh-sinh``, for functions that are
    infinite or steep at their limits. ``rtol``, ``atol``: the relative tolerance, 1e-10 unless
    ``atol`` is given, and the absolute one; the larger counts. ``breaks``: points where the function
    jumps or peaks. ``limit``: the most intervals, or the last level of ``tanh-sinh``. ``dtype``:
    ``float64`` or ``float32``.

    ``over``: a box in place of ``a`` and ``b``: the variables of a formula, with a lower and
    an upper limit each, which may be infinite; other names in the formula are parameters. The rule is
    ``cubature``, of 2 to 10 variables, ``vegas``, which has random points that adapt, or, for smooth
    functions, ``lattice`` or ``sobol``; these have up to 32. It is in ``float64``, to 1e-6, of ``vegas``
    1e-3, unless a tolerance is given; ``evaluations``, or ``limit``, is the most of them for an integral,
    and there are no ``breaks``. The error of random points, lattices and Sobol points is the standard
    error, and ``seed`` chooses the random numbers.

    ``principal_value``: a number between the limits, or an array, which is broadcast, too: the result is
    the Cauchy principal value of the integral of the formula over ``x - principal_value``.

    ``fourier``: ``("sin", omega)`` or ``("cos", omega, phase)``: the formula is multiplied by
    ``sin(omega*x + phase)``, or by the cosine, and integrated to infinity, also where it falls slowly.
    ``omega`` and ``phase`` are numbers or arrays, which are broadcast; ``limit`` is the last level.

    ``rounding``: whether a bound on the rounding of the formula's own operations is added to each error,
    which no rule sees: not beside ``over``, ``principal_value`` and ``fourier``.

    Several formulas divided by ``;`` are outputs: the results have one more axis, the last one. The
    tolerance ``rtol`` is of the largest of them, and ``evaluations`` are those of each.

    Raises ``ValueError`` and ``TypeError`` with the argument that is wrong. An integral that does
    not converge is no error: its ``status`` says why.

    >>> import numpy as np, quadscan
    >>> found = quadscan.integrate("genz_gaussian", 0.0, [0.5, 1.0], a=2.0, u=0.5)
    >>> found.value.round(10).tolist(), found.status.tolist()
    ([0.3734120664, 0.7468241328], [0, 0])
    >>> quadscan.integrate("exp(-x^2) * cos(k*x)", 0, np.inf, k=[0.0, 1.5]).value.round(10).tolist()
    [0.8862269255, 0.5049568809]
    >>> plane = {"x": (-np.inf, np.inf), "y": (-np.inf, np.inf)}
    >>> quadscan.integrate("exp(-k*(x^2 + y^2))", over=plane, k=[1.0, 2.0]).value.round(5).tolist()
    [3.14159, 1.5708]
    >>> cube = dict.fromkeys(["r1", "r2", "r3"], (0, 1))
    >>> quadscan.integrate("exp(-r1*r2*r3)", over=cube, rule="sobol", rtol=1e-4).value.round(3).item()
    0.891
    >>> quadscan.integrate("1/(x^2 + 1)", -np.inf, np.inf, principal_value=1.0).value.round(10).item()
    -1.5707963268
    >>> quadscan.integrate("x/(1 + x^2)", 0, np.inf, fourier=("sin", [1.0, 2.0])).value.round(10).tolist()
    [0.5778636749, 0.2125841658]
    >>> quadscan.integrate("exp(-x)*cos(3*x); exp(-x)*sin(3*x)", 0, np.inf).value.round(10).tolist()
    [0.1, 0.3]
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"dtype is {dtype}, allowed are float32 and float64")
    if not isinstance(function, str):
        raise TypeError(f"function is a {type(function).__name__}, allowed are a name and a formula")
    breaks = () if breaks is None else [float(point) for point in breaks]
    if over is not None:
        beside = {"rounding": rounding or None, "a": a, "b": b, "breaks": breaks or None, "principal_value": principal_value, "fourier": fourier}
        for name, given in beside.items():
            if given is not None:
                raise TypeError(f"{name} is given beside over, allowed is one of them")
        rule = rule or "cubature"
        if rule not in ("cubature", *_RANDOM):
            raise TypeError(f"rule is {rule!r}, allowed beside over are cubature, {', '.join(_RANDOM)}")
        if seed is not None and rule not in _RANDOM:
            raise TypeError(f"seed is given beside rule {rule}, allowed is it with {', '.join(_RANDOM)}")
        if evaluations is not None and limit is not None:
            raise TypeError("limit is given beside evaluations, allowed is one of them")
        for name, number in (("evaluations", evaluations), ("limit", limit), ("seed", seed)):
            if number is None:
                continue
            try:
                is_allowed = 0 <= operator.index(number) < 2**64
            except TypeError:
                is_allowed = False
            if not is_allowed:
                raise ValueError(f"{name} is {number!r}, allowed are integers from 0 to 2^64 - 1")
        if dtype != np.float64:
            raise TypeError(f"dtype is {dtype}, allowed beside over is float64")
        evaluations = limit if evaluations is None else evaluations
        goal = _BoxGoal(rule, rtol, float(atol), evaluations, 0 if seed is None else seed, 0)
        return _over(function, over, goal, device, parameters)
    for name, given in (("evaluations", evaluations), ("seed", seed)):
        if given is not None:
            raise TypeError(f"{name} is given, allowed is it with over")
    if principal_value is not None and len(breaks) > 0:
        raise TypeError("breaks is given beside principal_value, allowed is one of them")
    for name, given in (("principal_value", principal_value), ("fourier", fourier)):
        if rounding and given is not None:
            raise TypeError(f"rounding is given beside {name}, allowed is one of them")
    wave = () if fourier is None else _wave(fourier, rule, breaks, principal_value, dtype)
    rule = rule or "g10k21"
    names, limits, outputs = _quadscan.integrand(function)
    missing = [name for name, given in (("a", a), ("b", b)) if given is None]
    if limits is None and missing:
        raise TypeError(f"{missing[0]} is not given, and a formula has no limits of its own")
    _expect_parameters(function, parameters, names)
    given = {"a": a if a is not None else limits[0], "b": b if b is not None else limits[1]}
    arrays = [_numbers(value, name, dtype) for name, value in given.items()]
    arrays += [_numbers(parameters[name], name, dtype) for name in names]
    if principal_value is not None:
        arrays.append(_numbers(principal_value, "principal_value", dtype))
    arrays += [_numbers(value, "fourier", dtype) for value in wave[1:]]
    try:
        arrays = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"a, b and parameters do not fit together: shapes {shapes}") from None
    shape, n = arrays[0].shape, arrays[0].size
    lower, upper = (np.require(array, requirements="CA").reshape(-1) for array in arrays[:2])
    columns = [array.reshape(-1) for array in arrays[2:]]
    rows = np.ascontiguousarray(np.stack(columns, -1) if columns else np.empty(0, dtype))
    results = Integrals(*(np.empty((outputs, *shape), of) for of in (dtype, dtype, np.uint32, np.uint32)))
    device = open(device) if isinstance(device, str) else device or open()
    goal = _Goal(rule, rtol, float(atol), list(breaks), limit)
    change = "pole" if principal_value is not None else wave[0] if wave else None

    def compute(results, goal, change):
        for output in range(outputs):
            device.integrate(
                function, goal, dtype == np.float64, (lower.ctypes.data, upper.ctypes.data),
                (rows.ctypes.data, rows.size), n, tuple(result[output:].ctypes.data for result in results),
                output, change,
            )

    compute(results, goal, change)
    default = 1e-10 if dtype == np.float64 else 1e-4
    if rounding:
        bound = Integrals(*(np.empty_like(result) for result in results))
        compute(bound, _Goal(rule, 0.1, 0.0, list(breaks), limit), "rounding")
        _add_rounding(results, bound, goal, default)
    if outputs == 1:
        return Integrals(*(result[0][()] for result in results))
    _converge_by_norm(results, goal, default)
    return Integrals(*(np.moveaxis(result, 0, -1) for result in results))


def _wave(fourier, rule, breaks, principal_value, dtype):
    """The wave's name, omega and phase."""
    allowed = 'allowed are ("sin", omega) and ("sin", omega, phase), and the same with "cos"'
    is_pair = isinstance(fourier, tuple) and len(fourier) in (2, 3) and isinstance(fourier[0], str)
    if not is_pair or fourier[0] not in ("sin", "cos"):
        raise TypeError(f"fourier is {fourier!r}, {allowed}")
    beside = {"rule": rule, "breaks": breaks or None, "principal_value": principal_value}
    for name, given in beside.items():
        if given is not None:
            raise TypeError(f"{name} is given beside fourier, allowed is one of them")
    if dtype != np.float64:
        raise TypeError(f"dtype is {dtype}, allowed beside fourier is float64")
    return fourier if len(fourier) == 3 else (*fourier, 0.0)


def _relative(goal, default):
    """The relative tolerance: who names but the absolute one wants no other."""
    return goal.relative if goal.relative is not None else 0.0 if goal.absolute > 0 else default


def _add_rounding(results, bound, goal, default):
    """Adds to errors what formulas round by themselves, which may be more than the tolerance."""
    total = results.error + np.abs(bound.value) + bound.error
    results.error[...] = np.where(np.isnan(total), np.inf, total)
    tolerance = np.maximum(goal.absolute, _relative(goal, default) * np.abs(results.value))
    results.status[(results.status == Status.CONVERGED) & (results.error > tolerance)] = Status.ROUNDOFF


def _converge_by_norm(results, goal, default):
    """Lets outputs converge whose errors are within the tolerance of an item's largest one."""
    relative = _relative(goal, default)
    left = np.abs(results.value) - results.error
    norm = np.where(np.isfinite(left), np.maximum(left, 0), 0).max(axis=0)
    is_known = np.isin(results.status, (Status.OUT_OF_INTERVALS, Status.OUT_OF_ROOM, Status.ROUNDOFF))
    is_known &= results.error <= np.maximum(goal.absolute, relative * norm)
    results.status[is_known] = Status.CONVERGED


def integrate_samples(y, x=None, dx=None, *, rule="simpson", cumulative=False, device=None):
    """Integrates a table: ``y`` at places ``x``, which rise or fall, or at a distance of ``dx``, which is 1
    unless it is given.

    ``rule``: ``simpson``, ``trapezoid`` or, for a distance, ``gregory``. ``cumulative``: the integral up
    to each sample, in place of the whole. ``y`` and ``x`` are arrays of one dimension of the host, in
    ``float64``; a device sums up.

    Raises ``ValueError`` and ``TypeError`` with the argument that is wrong.

    >>> import quadscan
    >>> quadscan.integrate_samples([0.0, 1.0, 9.0], x=[0.0, 1.0, 3.0]).item()
    9.0
    >>> quadscan.integrate_samples([0.0, 1.0, 4.0], rule="trapezoid", cumulative=True).tolist()
    [0.0, 0.5, 3.0]
    """
    arrays = [np.require(_numbers(y, "y", np.float64), requirements="CA")]
    if x is not None and dx is not None:
        raise TypeError("dx is given beside x, allowed is one of them")
    if x is not None:
        arrays.append(np.require(_numbers(x, "x", np.float64), requirements="CA"))
    for array, name in zip(arrays, "yx"):
        if array.ndim != 1:
            raise ValueError(f"{name} has {array.ndim} dimensions, allowed is one")
    if arrays[0].size != arrays[-1].size:
        raise ValueError(f"x has {arrays[-1].size} elements, allowed are as many as y has: {arrays[0].size}")
    steps = np.empty_like(arrays[0])
    addresses = [array.ctypes.data for array in arrays]
    _quadscan.sample_increments(
        (addresses[0], steps.size), addresses[1] if x is not None else 0, 1.0 if dx is None else float(dx), rule, steps.ctypes.data,
    )
    return scan(steps, device=device) if cumulative else reduce(steps, device=device)


def _over(function, over, goal, device, parameters):
    try:
        sides = [(name, *map(float, limits)) for name, limits in dict(over).items()]
        if not all(isinstance(name, str) and len(limits) == 2 for name, *limits in sides):
            raise TypeError
    except (TypeError, ValueError):
        allowed = 'allowed are variables with two limits each, such as {"x": (0, 1), "y": (0, inf)}'
        raise TypeError(f"over is {over!r}, {allowed}") from None
    names, outputs = _quadscan.box_parameters(function, [name for name, *_ in sides])
    _expect_parameters(function, parameters, names)
    arrays = [_numbers(parameters[name], name, np.float64) for name in names]
    try:
        arrays = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"parameters do not fit together: shapes {shapes}") from None
    shape = arrays[0].shape if arrays else ()
    n = arrays[0].size if arrays else 1
    rows = np.empty(0) if not arrays else np.stack([array.reshape(-1) for array in arrays], -1)
    rows = np.require(rows, requirements="CA")
    kinds = (np.float64, np.float64, np.uint32, np.uint64)
    results = Integrals(*(np.empty((outputs, *shape), of) for of in kinds))
    device = open(device) if isinstance(device, str) else device or open()
    for output in range(outputs):
        device.integrate_over(
            function, sides, goal._replace(output=output), (rows.ctypes.data, rows.size), n,
            tuple(result[output:].ctypes.data for result in results),
        )
    if outputs == 1:
        return Integrals(*(result[0][()] for result in results))
    _converge_by_norm(results, goal, 1e-3 if goal.rule == "vegas" else 1e-6)
    return Integrals(*(np.moveaxis(result, 0, -1) for result in results))


def _expect_parameters(function, given, names):
    wrong = set(given) ^ set(names)
    if wrong:
        allowed = ", ".join(names) or "none"
        raise TypeError(f"{min(wrong)} is {'not ' * (min(wrong) in names)}given, "
                        f"the parameters of {function} are: {allowed}")


_Goal = namedtuple("_Goal", "rule relative absolute breaks limit")
_BoxGoal = namedtuple("_BoxGoal", "rule relative absolute evaluations seed output")
# The rules that have a seed.
_RANDOM = ("vegas", "lattice", "sobol")


def _numbers(value, argument, dtype):
    try:
        return np.asarray(value, dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{argument} is not a number or an array of NumPy: {error}") from None
