"""Values keep their types on the way through JSON."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.store.manifest import decode_array, decode_value, encode_array, encode_value


def round_trip(value):
    return decode_value(json.loads(json.dumps(encode_value(value), allow_nan=False)))


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(
    st.recursive(
        scalars, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(scalars, inner)
    )
)
def test_plain_values_come_back_equal_and_of_the_same_type(value):
    back = round_trip(value)
    assert back == value
    assert repr(back) == repr(value)


def test_special_numbers_come_back():
    assert math.isnan(round_trip(math.nan))
    assert round_trip([math.inf, -math.inf]) == [math.inf, -math.inf]


@pytest.mark.parametrize(
    "array",
    [
        np.array(["b", "größe"]),
        np.array(["a", "b"], dtype="<U20"),
        np.array([3, 1], dtype=np.int16),
        np.array([2**63], dtype=np.uint64),
        np.array([0.1, np.nan, np.inf], dtype=np.float32),
        np.array([True, False]),
        np.array(["x", 1, None, 2.5, True], dtype=object),
        np.array([[1, 2], [3, 4]], dtype=">i4"),
        np.empty((0, 3)),
    ],
)
def test_arrays_come_back_with_their_type(array):
    back = decode_array(json.loads(json.dumps(encode_array(array))))
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype.newbyteorder("=")


def test_numpy_scalars_become_python_numbers_and_series_become_arrays():
    assert round_trip(np.float64(0.5)) == 0.5
    assert round_trip({np.int64(1): np.bool_(True)}) == {1: True}
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(round_trip(pandas.Series([0.25, 0.75])), [0.25, 0.75])


def test_a_random_state_is_left_out():
    assert round_trip(np.random.RandomState(0)) is None


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"bytes", 1j, np.array([1j]), np.array(["2020"], "M8[D]")]
)
def test_other_types_are_refused(value):
    with pytest.raises(TypeError, match="a model file cannot hold"):
        encode_value(value)


@pytest.mark.parametrize(
    "stored",
    [
        {"type": "unknown"},
        {"no": "type"},
        {"type": "float", "value": "1"},
        {"type": "float", "value": "nan", "more": 1},
        {"type": "tuple", "items": 3},
        {"type": "dict", "items": [[1]]},
        {"type": "dict", "items": [[[1], 2]]},
        {"type": "array", "dtype": "<f8", "shape": [2]},
        {"type": "array", "dtype": "|V8", "shape": [0], "items": []},
        {"type": "array", "dtype": "<f8", "shape": [-1], "items": []},
        {"type": "array", "dtype": "<f8", "shape": [2], "items": [1.0]},
        {"type": "array", "dtype": "<f8", "shape": [True], "items": [1.0]},
        {"type": "array", "dtype": "<f8", "shape": [1], "items": ["1"]},
        {"type": "array", "dtype": "<i8", "shape": [1], "items": [True]},
        {"type": "array", "dtype": "<i2", "shape": [1], "items": [70000]},
        {"type": "array", "dtype": "|u1", "shape": [1], "items": [-1]},
        {"type": "array", "dtype": "<U2", "shape": [1], "items": ["long"]},
        {"type": "array", "dtype": "<U999999999", "shape": [1], "items": ["a"]},
        {"type": "array", "dtype": "|O", "shape": [1], "items": [[]]},
        {"type": "array", "dtype": "|O", "shape": [1], "items": [{"type": "array"}]},
        1e999,
    ],
)
def test_anything_else_in_a_file_is_refused(stored):
    with pytest.raises(ValueError, match=r".+"):
        decode_value(stored)


def test_deep_nesting_is_refused():
    stored = value = []
    for _ in range(200):
        value.append([])
        value = value[0]
    with pytest.raises(ValueError, match="nested too deeply"):
        decode_value(stored)
