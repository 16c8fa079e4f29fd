"""Scans of NumPy's arrays, beside NumPy's own."""

import numpy as np
import pytest

import quadscan

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


def whole(random, n, dtype):
    """Small whole numbers, whose sums floats hold exactly."""
    return random.integers(0, 3, n).astype(dtype)


@pytest.mark.parametrize("dtype", INTEGERS + ["float16", "float32", "float64"])
def test_sums_are_numpys(device, random, dtype):
    array = whole(random, 1000, dtype)
    expected = np.cumsum(array, dtype=dtype)
    found = quadscan.scan(array, device=device)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, expected)
    exclusive = quadscan.scan(array, exclusive=True, device=device)
    np.testing.assert_array_equal(exclusive, np.append(array[:1] * 0, expected[:-1]))


@pytest.mark.parametrize("n", [0, 1, 31, 8192, 40_000])
def test_any_number_of_elements(device, random, n):
    array = whole(random, n, "uint32")
    found = quadscan.scan(array, device=device)
    np.testing.assert_array_equal(found, np.cumsum(array, dtype="uint32"))


@pytest.mark.parametrize("op, by", [("min", np.minimum), ("max", np.maximum)])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_extremes_are_numpys(device, random, op, by, dtype):
    array = random.integers(-1000, 1000, 777).astype(dtype)
    np.testing.assert_array_equal(quadscan.scan(array, op, device=device), by.accumulate(array))


def test_products_wrap(device):
    array = np.full(40, 3, np.uint32)
    np.testing.assert_array_equal(
        quadscan.scan(array, "product", device=device), np.cumprod(array, dtype=np.uint32)
    )


def test_wider_results_are_asked_for_by_their_type(device):
    array = np.full(300, 200, np.uint8)
    wide = quadscan.scan(array, dtype="uint32", device=device)
    np.testing.assert_array_equal(wide, np.cumsum(array, dtype=np.uint32))
    assert quadscan.scan(array, device=device)[1] == 144


def test_booleans_are_counted(device, random):
    array = random.random(500) < 0.5
    found = quadscan.scan(array, device=device)
    np.testing.assert_array_equal(found, np.cumsum(array))
    assert found.dtype == np.uint64


def test_affine_maps_are_a_recurrence(device):
    maps = np.array([[0.5, 1.0], [2.0, -1.0], [0.25, 3.0]])
    found = quadscan.scan(maps, "affine", device=device)
    # x -> 0.5 x + 1, then 2 x - 1, then x / 4 + 3.
    np.testing.assert_array_equal(found, [[0.5, 1.0], [1.0, 1.0], [0.25, 3.25]])
    along = quadscan.scan(maps, "affine", axis=0, keys=[1, 1, 2], device=device)
    np.testing.assert_array_equal(along, [[0.5, 1.0], [1.0, 1.0], [0.25, 3.0]])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_an_axis_is_scanned_in_each_row(device, random, axis):
    array = whole(random, 3 * 4 * 5, "float64").reshape(3, 4, 5)
    found = quadscan.scan(array, axis=axis, device=device)
    np.testing.assert_array_equal(found, np.cumsum(array, axis=axis))


def test_without_an_axis_all_elements_are_scanned_in_order(device, random):
    array = whole(random, 60, "int64").reshape(3, 20)
    np.testing.assert_array_equal(quadscan.scan(array, device=device), np.cumsum(array))
    np.testing.assert_array_equal(quadscan.scan(array.T, device=device), np.cumsum(array.T))
    np.testing.assert_array_equal(quadscan.scan(array[0, ::3], device=device), np.cumsum(array[0, ::3]))


@pytest.mark.parametrize("kind", ["u1", "i2", "u4", "f8", "c16"])
def test_equal_keys_are_a_segment(device, random, kind):
    keys = np.repeat(np.arange(20), random.integers(1, 30, 20)).astype(kind)
    values = whole(random, len(keys), "float32")
    found = quadscan.scan(values, keys=keys, device=device)
    expected = np.concatenate([np.cumsum(values[keys == key]) for key in np.arange(20)])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("offset", ["uint32", "int64"])
def test_segments_begin_at_offsets(device, offset):
    values = np.array([3, 1, 4, 1, 5], np.uint32)
    starts = np.array([0, 2, 2, 3], offset)
    found = quadscan.scan(values, segments=starts, exclusive=True, device=device)
    assert found.tolist() == [0, 3, 0, 0, 1]


def test_results_go_where_they_are_asked_to(device, random):
    array = whole(random, 100, "int32")
    expected = np.cumsum(array, dtype="int32")
    out = np.empty_like(array)
    assert quadscan.scan(array, out=out, device=device) is out
    np.testing.assert_array_equal(out, expected)
    assert quadscan.scan(array, out=array, device=device) is array
    np.testing.assert_array_equal(array, expected)
    rows, there = np.ones((3, 4), np.float32), np.empty((3, 4), np.float32)
    quadscan.scan(rows, axis=0, out=there, device=device)
    np.testing.assert_array_equal(there, np.cumsum(rows, axis=0))


def test_an_array_that_cannot_be_written_is_read(device):
    array = np.arange(5, dtype=np.int32)
    array.flags.writeable = False
    assert quadscan.scan(array, device=device).tolist() == [0, 1, 3, 6, 10]


def test_sums_of_floats_have_the_same_bits_in_every_run(device, random):
    array = random.standard_normal(20_000).astype(np.float32)
    first = quadscan.scan(array, device=device)
    assert first.tobytes() == quadscan.scan(array, device=device).tobytes()
    np.testing.assert_allclose(first, np.cumsum(array, dtype=np.float64), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        (dict(op="mean"), ValueError, "op is 'mean', allowed are affine, max, min, product, sum"),
        (dict(axis=1), ValueError, "axis is 1, allowed are -1 to 0"),
        (dict(dtype="int8"), TypeError, "dtype is int8, allowed are uint32"),
        (dict(keys=[1]), ValueError, "keys has 1 elements, needed are 4"),
        (dict(keys=[1], segments=[0]), ValueError, "keys and segments are given"),
        (dict(segments=[0.5]), TypeError, "segments are not of type int32"),
        (dict(out=np.empty(3, np.uint32)), ValueError, "out has the shape (3,), needed is (4,)"),
        (dict(out=np.empty(4, np.int32)), TypeError, "out has elements of type int32"),
        (dict(out=np.empty(8, np.uint32)[::2]), ValueError, "out is not in C order"),
        (dict(out=[0, 0, 0, 0]), ValueError, "out cannot be written"),
        (dict(op="affine", axis=1), ValueError, "axis is 1, allowed is 0 for affine"),
        (dict(op="affine"), ValueError, "array is not of shape (n, 2)"),
        (dict(device="gpu"), ValueError, "unknown device `gpu`"),
    ],
)
def test_a_wrong_argument_is_named(arguments, error, said):
    array = np.array([3, 1, 4, 1], np.uint32)
    with pytest.raises(error) as raised:
        quadscan.scan(array, **{"device": "emulator", **arguments})
    assert said in str(raised.value)


def test_elements_of_a_wrong_type_are_named():
    for array, said in [
        (np.zeros(3, complex), "array has elements of type complex128, allowed are uint8"),
        (np.zeros(3, ">i4"), "array has elements of type >i4"),
        (object(), "array is a object, allowed are arrays of NumPy"),
    ]:
        with pytest.raises(TypeError, match=said.replace("(", r"\(")):
            quadscan.scan(array, device="emulator")


def test_overlapping_memory_is_refused():
    memory = np.zeros(10, np.uint32)
    with pytest.raises(ValueError, match="out overlaps array"):
        quadscan.scan(memory[:8], out=memory[2:], device="emulator")
