"""Reductions of NumPy's arrays, beside NumPy's own."""

import numpy as np
import pytest

import quadscan


@pytest.mark.parametrize("dtype", ["uint32", "uint64", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 1000, 30_000])
def test_sums_are_numpys(device, random, dtype, n):
    array = random.integers(0, 3, n).astype(dtype)
    found = quadscan.reduce(array, device=device)
    assert found == array.sum(dtype=dtype) and found.dtype == array.dtype


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_extremes_are_numpys(device, random, op, dtype):
    array = random.integers(-1000, 1000, 777).astype(dtype)
    assert quadscan.reduce(array, op, device=device) == getattr(array, op)()


def test_bytes_and_booleans_are_summed_in_64_bits(device, random):
    for array in [np.full(1000, 255, np.uint8), random.random(1000) < 0.5]:
        found = quadscan.reduce(array, device=device)
        assert found == array.sum() and found.dtype == np.uint64


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_is_reduced(device, random, axis):
    array = random.integers(0, 9, (4, 5, 6)).astype(np.float64)
    np.testing.assert_array_equal(
        quadscan.reduce(array, axis=axis, device=device), array.sum(axis)
    )
    assert quadscan.reduce(array[:, :0], axis=1, device=device).tolist() == [[0.0] * 6] * 4


def test_segments_have_a_result_each(device):
    values = np.array([3, 1, 4, 1, 5], np.float32)
    offsets = np.array([0, 2, 2, 5], np.int32)
    found = quadscan.reduce(values, segments=offsets, device=device)
    assert found.tolist() == [4.0, 0.0, 10.0]
    with pytest.raises(ValueError, match="segments is empty"):
        quadscan.reduce(values, segments=offsets[:0], device=device)


def test_affine_maps_are_composed(device):
    maps = np.array([[0.5, 1.0], [2.0, -1.0], [0.25, 3.0]])
    assert quadscan.reduce(maps, "affine", device=device).tolist() == [0.25, 3.25]
    found = quadscan.reduce(maps, "affine", segments=[0, 2, 3], device=device)
    assert found.tolist() == [[1.0, 1.0], [0.25, 3.0]]


def test_an_operation_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="op is 'product', allowed are affine, max, min, sum"):
        quadscan.reduce(np.zeros(3), "product", device="emulator")
    with pytest.raises(TypeError, match="float16, allowed are .* for sum of reduce"):
        quadscan.reduce(np.zeros(3, np.float16), device="emulator")
    with pytest.raises(ValueError, match="axis is given beside segments"):
        quadscan.reduce(np.zeros((3, 1)), axis=0, segments=[0, 3], device="emulator")
