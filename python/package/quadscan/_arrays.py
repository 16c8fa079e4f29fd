"""Arrays of other packages, as addresses; and results of the same kind."""

import functools
import math
import sys

import numpy as np

from . import _quadscan

# Types of DLPack's devices.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13


_WORDS = {"i": "int", "u": "uint", "f": "float", "bf": "bfloat", "c": "complex"}
_LETTERS = {word: letter for letter, word in _WORDS.items()}
_WORDS["Affine"] = "pairs of float64"


@functools.lru_cache(maxsize=None)
def code(dtype):
    """The native name of a NumPy type, such as ``f32`` for ``float32``."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return "bool"
    return f"{dtype.kind}{8 * dtype.itemsize}" if dtype.isnative else dtype.str


@functools.lru_cache(maxsize=None)
def name(element):
    """The name of a type as NumPy and others have it, such as ``float32`` for ``f32``."""
    kind = element.rstrip("0123456789")
    return _WORDS.get(kind, kind) + element[len(kind):]


@functools.lru_cache(maxsize=None)
def size(element):
    """Bytes of an element: ``f32`` has 4."""
    return int(element[len(element.rstrip("0123456789")):] or 8) // 8


class Array:
    """Elements that are somewhere: what all kinds of arrays have in common.

    ``owner`` is what keeps the ``len`` elements there. ``ordinal`` is the CUDA device, None on the
    host.
    """

    def __init__(self, kind, owner, address, shape, element, ordinal, is_contiguous):
        self.kind, self.owner, self.address = kind, owner, address
        self.shape, self.element, self.ordinal = tuple(shape), element, ordinal
        self.is_contiguous = is_contiguous
        self.len = math.prod(self.shape)

    @property
    def span(self):
        """Address and number of elements, as the native part takes them."""
        return (self.address, self.len)


def _is_contiguous(shape, strides):
    """Whether strides, counted like the shape in elements, are those of C order."""
    expected = 1
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


class Host:
    """Arrays of NumPy."""

    is_device = False

    def take(self, array, argument):
        element = code(array.dtype)
        is_contiguous = bool(array.flags.c_contiguous and array.flags.aligned)
        return Array(
            self, array, array.ctypes.data, array.shape, element, None, is_contiguous
        )

    def empty(self, shape, element, like):
        return np.empty(shape, name(element))

    def in_order(self, array, axis):
        """The array in C order with ``axis`` as its last one; a copy where it is not so."""
        return np.require(np.moveaxis(array, axis, -1), requirements="CA")

    def given(self, result, scalar):
        """A result as it is returned."""
        return result[()] if scalar else result


class Foreign(Host):
    """Arrays of the host of another package, by way of NumPy and back."""

    def __init__(self, back):
        self._back = back

    def given(self, result, scalar):
        return self._back(result)


class Cupy:
    """Arrays of CuPy."""

    is_device = True

    def __init__(self):
        self.module = sys.modules["cupy"]

    def take(self, array, argument):
        ordinal, is_contiguous = array.device.id, array.flags.c_contiguous
        element = code(array.dtype)
        return Array(self, array, array.data.ptr, array.shape, element, ordinal, is_contiguous)

    def stream(self, ordinal):
        """The stream that the package works on, as the native part takes it."""
        return self.module.cuda.get_current_stream(ordinal).ptr

    def empty(self, shape, element, like):
        with self.module.cuda.Device(like.ordinal):
            return self.module.empty(shape, name(element))

    def in_order(self, array, axis):
        return self.module.ascontiguousarray(self.module.moveaxis(array, axis, -1))

    def given(self, result, scalar):
        return result


class Torch:
    """Tensors of PyTorch on a CUDA device."""

    is_device = True

    def __init__(self):
        self.module = sys.modules["torch"]

    def take(self, array, argument):
        element, ordinal = self._code(array.dtype), array.get_device()
        is_contiguous, shape = array.is_contiguous(), array.shape
        return Array(self, array, array.data_ptr(), shape, element, ordinal, is_contiguous)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def _code(dtype):
        """The native name of a type, such as ``bf16`` for ``torch.bfloat16``."""
        word = str(dtype).partition(".")[2]
        kind = word.rstrip("0123456789")
        return _LETTERS.get(kind, kind) + word[len(kind):]

    def stream(self, ordinal):
        return self.module.cuda.current_stream(ordinal).cuda_stream

    def empty(self, shape, element, like):
        dtype = getattr(self.module, name(element))
        return self.module.empty(shape, dtype=dtype, device=f"cuda:{like.ordinal}")

    def in_order(self, array, axis):
        return self.module.movedim(array, axis, -1).contiguous()

    def given(self, result, scalar):
        return result


class Exchanged:
    """Arrays on a CUDA device of whatever has ``__dlpack__`` or ``__cuda_array_interface__``.

    Which stream they are on is theirs to say when they are taken; results wait for nobody, as a
    consumer names its stream when it takes them.
    """

    is_device = True

    def __init__(self, back, device_of):
        self._back, self._device_of = back, device_of

    def take(self, array, argument):
        if hasattr(array, "__dlpack__"):
            ordinal = array.__dlpack_device__()[1]
            stream = self._device_of(ordinal).stream
            return _of_capsule(self, array, array.__dlpack__(stream=stream), argument)
        described = array.__cuda_array_interface__
        ordinal = _ordinal(array, argument)
        if described.get("stream") is not None:
            self._device_of(ordinal).follow(described["stream"])
        dtype, shape = np.dtype(described["typestr"]), described["shape"]
        strides = described.get("strides")
        is_contiguous = strides is None or _is_contiguous(
            shape, [stride // dtype.itemsize for stride in strides]
        )
        address = described["data"][0]
        return Array(self, array, address, shape, code(dtype), ordinal, is_contiguous)

    def stream(self, ordinal):
        return None

    def empty(self, shape, element, like):
        device = self._device_of(like.ordinal)
        return device.empty(list(shape), element, size(element))

    def in_order(self, array, axis):
        raise ValueError("array is not in C order along its last axis, as one of this package has to be")

    def given(self, result, scalar):
        is_ours = isinstance(result, _quadscan.DeviceArray)
        return self._back(result) if is_ours and self._back else result


def _ordinal(array, argument):
    """The CUDA device of an array that has no ``__dlpack_device__``."""
    device = getattr(array, "device", None)
    ordinal = getattr(device, "id", device)
    if isinstance(ordinal, int):
        return ordinal
    if _quadscan.cuda_devices() > 1:
        raise TypeError(f"{argument} does not say on which CUDA device it is")
    return 0


def _of_capsule(kind, owner, capsule, argument):
    """What a DLPack capsule describes; it lives as long as the array's owner here."""
    address, shape, strides, element, (_, ordinal) = _quadscan.dlpack(capsule)
    is_contiguous = strides is None or _is_contiguous(shape, strides)
    return Array(kind, (owner, capsule), address, shape, element, ordinal, is_contiguous)


def _package(array):
    return type(array).__module__.partition(".")[0]


def _from_dlpack(array):
    """The function of an array's own package that makes one of DLPack, or None."""
    namespace = getattr(array, "__array_namespace__", None)
    return getattr(namespace(), "from_dlpack", None) if namespace else None


def kind_of(array, argument, device_of):
    """The kind of an array, and the array, which is one of NumPy's where it is on the host.

    ``device_of`` gives the device of a number.
    """
    if isinstance(array, (np.ndarray, np.generic, list, tuple, int, float)):
        return Host(), np.asarray(array)
    package = _package(array)
    if package == "cupy" and hasattr(array, "data"):
        return Cupy(), array
    if package == "torch" and getattr(array, "is_cuda", False):
        return Torch(), array
    if hasattr(array, "__dlpack_device__"):
        where = array.__dlpack_device__()[0]
        if where == _CUDA or where == _CUDA_MANAGED:
            return Exchanged(_from_dlpack(array), device_of), array
        if where == _CPU or where == _CUDA_HOST:
            if package == "torch":
                return Foreign(sys.modules["torch"].from_numpy), array.detach().numpy()
            back = getattr(getattr(array, "__array_namespace__", lambda: np)(), "asarray")
            return Foreign(back), np.asarray(array)
        raise TypeError(f"{argument} is on a device that is neither CUDA's nor the host")
    if hasattr(array, "__cuda_array_interface__"):
        return Exchanged(None, device_of), array
    raise TypeError(
        f"{argument} is a {type(array).__name__}, allowed are arrays of NumPy, CuPy, PyTorch "
        "and JAX, and what has __dlpack__ or __cuda_array_interface__"
    )
