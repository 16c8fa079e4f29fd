"""Arrays on a CUDA device, of CuPy, PyTorch and others, used where they are."""

import ctypes
import pathlib
import runpy
import threading

import numpy as np
import pytest

import quadscan
from conftest import CUDA

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(CUDA is None, reason="no CUDA device"),
]


class Cupy:
    """CuPy, as a test uses it."""

    def __init__(self):
        self.module = pytest.importorskip("cupy")

    def given(self, array):
        return self.module.asarray(array)

    def host(self, array):
        return self.module.asnumpy(array)

    def is_own(self, array):
        return isinstance(array, self.module.ndarray)

    def other_stream(self):
        return self.module.cuda.Stream(non_blocking=True)

    def address(self, array):
        return array.data.ptr


class Torch(Cupy):
    """PyTorch, as a test uses it."""

    def __init__(self):
        self.module = pytest.importorskip("torch")

    def given(self, array):
        return self.module.from_numpy(array).cuda()

    def host(self, array):
        return array.cpu().numpy()

    def is_own(self, array):
        return self.module.is_tensor(array) and array.is_cuda

    def other_stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())

    def address(self, array):
        return array.data_ptr()


@pytest.fixture(params=[Cupy, Torch], ids=["cupy", "torch"])
def package(request):
    return request.param()


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 1000, 1 << 20])
def test_scans_are_numpys_and_of_the_same_package(package, random, dtype, n):
    array = random.integers(0, 2, n).astype(dtype)
    if dtype == "float16":
        array[1000:] = 0
    found = quadscan.scan(package.given(array))
    assert package.is_own(found)
    np.testing.assert_array_equal(package.host(found), np.cumsum(array, dtype=dtype))


def test_results_in_place_and_beside(package, random):
    array = random.integers(0, 9, 5000).astype(np.int32)
    there = package.given(array)
    out = package.given(np.zeros_like(array))
    assert quadscan.scan(there, out=out) is out
    expected = np.cumsum(array, dtype=np.int32)
    np.testing.assert_array_equal(package.host(out), expected)
    assert quadscan.scan(there, out=there) is there
    np.testing.assert_array_equal(package.host(there), expected)


def test_slices_axes_keys_and_segments(package, random):
    array = random.integers(0, 9, (7, 5, 11)).astype(np.float64)
    there = package.given(array)
    for axis in range(3):
        found = quadscan.scan(there, axis=axis)
        np.testing.assert_array_equal(package.host(found), np.cumsum(array, axis=axis))
        found = quadscan.reduce(there, "max", axis=axis)
        np.testing.assert_array_equal(package.host(found), array.max(axis))
    found = quadscan.scan(there[2, 1, 1:])
    np.testing.assert_array_equal(package.host(found), np.cumsum(array[2, 1, 1:]))
    found = quadscan.scan(there[:, 1, 3])
    np.testing.assert_array_equal(package.host(found), np.cumsum(array[:, 1, 3]))
    values, keys = package.given(np.ones(6, np.float32)), package.given(np.int64([1, 1, 2, 3, 3, 3]))
    found = quadscan.scan(values, keys=keys)
    assert package.host(found).tolist() == [1, 2, 1, 1, 2, 3]
    offsets = package.given(np.int32([0, 2, 6]))
    assert package.host(quadscan.reduce(values, segments=offsets)).tolist() == [2, 4]
    assert package.host(quadscan.reduce(values)).item() == 6
    maps = package.given(np.array([[2.0, 1.0], [3.0, 5.0]]))
    assert package.host(quadscan.scan(maps, "affine")).tolist() == [[2, 1], [6, 8]]


def test_work_is_in_the_order_of_the_stream_that_is_current(package):
    """Values that a stream is still writing are waited for, and results by that stream."""
    n = 1 << 26
    ones = package.given(np.ones(n, np.int32))
    for _ in range(3):
        with package.other_stream():
            written = ones * 0
            for _ in range(10):
                written += 1
            found = quadscan.scan(written)
            last = package.host(found[-1:] - 0)[0]
        assert last == 10 * n


def test_memory_is_used_where_it_is(package, random):
    """A result of 1 GiB appears in `out`, and nothing as large is allocated beside it."""
    cupy = pytest.importorskip("cupy")
    n = 1 << 28
    there = package.given(np.ones(n, np.uint32))
    quadscan.scan(there, out=there)
    free = cupy.cuda.runtime.memGetInfo()[0]
    there = quadscan.scan(there, out=there)
    assert free - cupy.cuda.runtime.memGetInfo()[0] < 1 << 26
    assert int(package.host(there[:3])[-1]) == 6


class Exchanged:
    """What has __dlpack__ alone, and a namespace that takes it back; JAX's arrays are so."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return pytest.importorskip("cupy")


class Described(Exchanged):
    """What has __cuda_array_interface__ alone."""

    __dlpack__ = __dlpack_device__ = __array_namespace__ = property()

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def test_arrays_of_other_packages_are_exchanged_by_dlpack(random):
    cupy = pytest.importorskip("cupy")
    array = random.integers(0, 9, 10_000).astype(np.int64)
    found = quadscan.scan(Exchanged(cupy.asarray(array)))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(found.get(), np.cumsum(array))
    assert quadscan.reduce(Exchanged(cupy.asarray(array))).get() == array.sum()


def test_arrays_with_the_array_interface_give_such_arrays(random):
    cupy = pytest.importorskip("cupy")
    array = random.integers(0, 9, 10_000).astype(np.float32)
    found = quadscan.scan(Described(cupy.asarray(array)))
    assert isinstance(found, quadscan.DeviceArray) and found.shape == [10_000]
    np.testing.assert_array_equal(cupy.asarray(found).get(), np.cumsum(array))
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(torch.from_dlpack(found).cpu().numpy(), np.cumsum(array))


def test_arrays_of_jax_give_arrays_of_jax(random):
    numpy = pytest.importorskip("jax").numpy
    array = random.integers(0, 9, 10_000).astype(np.int32)
    there = numpy.asarray(array)
    if there.__dlpack_device__()[0] == 1:
        pytest.skip("JAX has no CUDA device here")
    found = quadscan.scan(there)
    assert type(found) is type(there) and found.__dlpack_device__()[0] == 2
    np.testing.assert_array_equal(np.asarray(found), np.cumsum(array, dtype=np.int32))
    assert int(quadscan.reduce(there + 1)) == array.sum() + len(array)


def test_arrays_of_numba_give_what_numba_takes(random):
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba has no CUDA device here")
    array = random.integers(0, 9, 10_000).astype(np.float64)
    found = quadscan.scan(cuda.to_device(array))
    np.testing.assert_array_equal(cuda.as_cuda_array(found).copy_to_host(), np.cumsum(array))
    out = cuda.to_device(array)
    assert quadscan.scan(out, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), np.cumsum(array))


def test_the_current_context_of_a_thread_stays():
    """By the context other packages know their device; a new thread has none."""
    driver, found = ctypes.CDLL("libcuda.so.1"), []
    device = quadscan.open("cuda:0")

    def current():
        context = ctypes.c_void_p()
        assert driver.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    def work():
        before = current()
        quadscan.scan([1.0, 2.0], device=device)
        quadscan.integrate("runge", device=device)
        del_me = device.empty([3], "f32", 4)
        del_me.__dlpack__(stream=1)
        del del_me
        found.append((before, current()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(None, None)]


def test_bfloat16_is_scanned_where_numpy_has_none():
    torch = pytest.importorskip("torch")
    found = quadscan.scan(torch.ones(200, dtype=torch.bfloat16, device="cuda"))
    assert found.dtype == torch.bfloat16 and found[-1].item() == 200


def test_a_result_is_the_same_to_the_bit_as_on_the_emulator(package, random):
    array = random.standard_normal(3000).astype(np.float32)
    there = package.host(quadscan.scan(package.given(array)))
    assert there.tobytes() == quadscan.scan(array, device="emulator").tobytes()


def test_the_example_of_the_documentation_runs():
    pytest.importorskip("cupy"), pytest.importorskip("torch")
    runpy.run_path(str(pathlib.Path(__file__).with_name("on_a_gpu.py")))


def test_arrays_of_different_packages_are_not_mixed():
    cupy = pytest.importorskip("cupy")
    with pytest.raises(TypeError, match="keys is not of the same package as array"):
        quadscan.scan(cupy.ones(3, cupy.float32), keys=np.zeros(3, np.int32))
    with pytest.raises(TypeError, match="out is not an array of the package"):
        quadscan.scan(cupy.ones(3, cupy.float32), out=np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="device is emulator, and array is on cuda:0"):
        quadscan.scan(cupy.ones(3, cupy.float32), device="emulator")
