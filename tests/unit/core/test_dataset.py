"""The encoded data: codes, values, missing entries and refusals of ``_core.Dataset``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from treewright import _core

FLOATS = (np.float32, np.float64)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


def ranks(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes and distinct values by NumPy's own sort."""
    numbers = column.astype(np.float64)
    missing = np.isnan(numbers)
    values, inverse = np.unique(numbers[~missing], return_inverse=True)
    codes = np.zeros(len(numbers), dtype=np.int64)
    codes[~missing] = inverse + 1
    return codes, values


def numeric(column: np.ndarray, max_bins: int = 0) -> _core.Dataset:
    return _core.Dataset.from_columns([column], [0], [0], max_bins)


def assert_is_ranked(dataset: _core.Dataset, feature: int, column: np.ndarray) -> None:
    codes, values = ranks(column)
    np.testing.assert_array_equal(dataset.codes(feature), codes)
    lower, upper = dataset.values(feature)
    np.testing.assert_array_equal(lower, values)
    np.testing.assert_array_equal(upper, values)
    assert dataset.n_codes(feature) == len(values)


@settings(deadline=None)
@given(npst.arrays(st.sampled_from(FLOATS), npst.array_shapes(min_dims=2, max_dims=2, max_side=40)))
def test_every_float_matrix_is_ranked_as_numpy_ranks_it(matrix: np.ndarray) -> None:
    dataset = _core.Dataset.from_matrix(matrix)
    assert (dataset.n_rows, dataset.n_features) == matrix.shape
    for feature in range(matrix.shape[1]):
        assert_is_ranked(dataset, feature, matrix[:, feature])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_limits_of_every_integer_type_are_ranked(dtype: type) -> None:
    info = np.iinfo(dtype)
    column: np.ndarray = np.array([info.max, info.min, 0, 1, info.max - 1, info.min + 1, 0], dtype=dtype)
    assert_is_ranked(numeric(column), 0, column)


def test_booleans_are_two_values() -> None:
    dataset = numeric(np.array([True, False, True]))
    assert dataset.codes(0).tolist() == [2, 1, 2]
    assert dataset.values(0)[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n_rows", [1, 31, 1000, 1025, 70_000])
@pytest.mark.parametrize("shape", ["fractions", "wide", "one_value_is_frequent", "near_each_other", "whole"])
def test_long_columns_are_ranked_in_any_distribution(dtype: type, n_rows: int, shape: str) -> None:
    rng = np.random.default_rng(n_rows)
    drawn = {
        "fractions": rng.normal(size=n_rows),
        "wide": rng.normal(size=n_rows) * 10.0 ** rng.integers(-30, 30, n_rows),
        "one_value_is_frequent": np.where(rng.random(n_rows) < 0.9, 0.25, rng.random(n_rows)),
        "near_each_other": 1.0 + rng.integers(0, 2 * n_rows, n_rows) * 2.0**-50,
        "whole": rng.integers(-5, 300, n_rows).astype(float),
    }
    column: np.ndarray = drawn[shape].astype(dtype)
    column[rng.random(n_rows) < 0.05] = np.nan
    assert_is_ranked(numeric(column), 0, column)


def test_negative_zero_equals_zero_and_infinities_are_values() -> None:
    column = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 0.5])
    dataset = numeric(column)
    assert dataset.codes(0).tolist() == [2, 2, 4, 1, 0, 3]
    assert not np.signbit(dataset.values(0)[0][1])


def test_a_column_without_a_value_has_no_codes() -> None:
    dataset = numeric(np.full(5, np.nan, dtype=np.float32))
    assert dataset.n_codes(0) == 0
    assert dataset.codes(0).tolist() == [0] * 5
    assert [len(side) for side in dataset.values(0)] == [0, 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_strides_do_not_matter(dtype: type) -> None:
    matrix: np.ndarray = np.random.default_rng(0).normal(size=(900, 26)).astype(dtype)
    views = {
        "rows": matrix,
        "columns": np.asfortranarray(matrix),
        "backwards": np.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1],
        "every second": np.repeat(np.repeat(matrix, 2, axis=0), 2, axis=1)[::2, ::2],
    }
    for view in views.values():
        view.flags.writeable = False
        dataset = _core.Dataset.from_matrix(view, n_threads=2)
        for feature in range(matrix.shape[1]):
            assert_is_ranked(dataset, feature, matrix[:, feature])


@pytest.mark.parametrize("max_bins", [0, 16, 255])
def test_the_number_of_threads_does_not_matter(max_bins: int) -> None:
    matrix = np.random.default_rng(1).normal(size=(5000, 23)).astype(np.float32)
    one, two, eight = (_core.Dataset.from_matrix(matrix, max_bins, n) for n in (1, 2, 8))
    for feature in range(matrix.shape[1]):
        np.testing.assert_array_equal(one.codes(feature), two.codes(feature))
        np.testing.assert_array_equal(one.codes(feature), eight.codes(feature))


@pytest.mark.parametrize(
    ("n_codes", "bytes_per_code"), [(254, 1), (255, 2), (65534, 2), (65535, 4)], ids=lambda value: str(value)
)
def test_categories_leave_room_for_one_unseen_code(n_codes: int, bytes_per_code: int) -> None:
    codes = np.array([0, 1, n_codes], dtype=np.uint32)
    dataset = _core.Dataset.from_columns([codes], [1], [n_codes])
    assert dataset.codes(0).tolist() == codes.tolist()
    assert dataset.codes(0).itemsize == bytes_per_code
    assert dataset.code_bytes == 3 * bytes_per_code


def test_255_bins_take_one_byte_per_row() -> None:
    dataset = numeric(np.random.default_rng(2).normal(size=10_000), max_bins=255)
    assert dataset.n_codes(0) == 255
    assert dataset.code_bytes == 10_000


@settings(deadline=None)
@given(
    npst.arrays(
        np.float64, st.integers(1, 300), elements=st.integers(0, 60).map(lambda i: i / 3) | st.just(np.nan)
    ),
    st.integers(2, 20),
)
def test_bins_join_neighbours_and_never_cut_a_value(column: np.ndarray, max_bins: int) -> None:
    exact, values = ranks(column)
    dataset = numeric(column, max_bins)
    codes = dataset.codes(0).astype(np.int64)
    lower, upper = dataset.values(0)
    assert dataset.n_codes(0) == min(max_bins, len(values)) == len(lower)
    np.testing.assert_array_equal(codes == 0, np.isnan(column))
    for code in range(1, dataset.n_codes(0) + 1):
        members = column[codes == code]
        assert (lower[code - 1], upper[code - 1]) == (members.min(), members.max())
    assert np.all(upper[:-1] < lower[1:])
    if len(values) <= max_bins:
        np.testing.assert_array_equal(codes, exact)


def test_bins_of_distinct_values_hold_equally_many_rows() -> None:
    counts = np.bincount(numeric(np.random.default_rng(3).permutation(1000) / 7, max_bins=10).codes(0))
    assert counts[1:].tolist() == [100] * 10


def test_mixed_columns_keep_their_order() -> None:
    categories = np.array([1, 0, 2], dtype=np.uint32)
    numbers = np.array([0.5, np.nan, -1.0], dtype=np.float32)
    dataset = _core.Dataset.from_columns([categories, numbers, categories], [1, 0, 2], [2, 0, 2])
    assert [dataset.codes(f).tolist() for f in range(3)] == [[1, 0, 2], [2, 0, 1], [1, 0, 2]]


def test_the_codes_outlive_the_dataset_and_cannot_be_written() -> None:
    codes = numeric(np.arange(1000.0)).codes(0)
    assert codes.tolist() == list(range(1, 1001))
    assert not codes.flags.writeable


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty_tables_are_tables(shape: tuple[int, int]) -> None:
    dataset = _core.Dataset.from_matrix(np.empty(shape))
    assert (dataset.n_rows, dataset.n_features) == shape


def test_wrong_input_is_refused_with_a_sentence() -> None:
    codes = np.array([1, 3], dtype=np.uint32)
    with pytest.raises(ValueError, match="Column 0: Row 1 holds category code 3, but the column has only 2"):
        _core.Dataset.from_columns([codes], [1], [2])
    with pytest.raises(TypeError, match="Column 0 holds categories, so it must be of uint8"):
        _core.Dataset.from_columns([codes.astype(np.int64)], [1], [3])
    with pytest.raises(ValueError, match="Column 1 differs in length from column 0"):
        _core.Dataset.from_columns([np.zeros(2), np.zeros(3)], [0, 0], [0, 0])
    with pytest.raises(ValueError, match="must have the same length"):
        _core.Dataset.from_columns([np.zeros(2)], [0, 0], [0])
    with pytest.raises(ValueError, match="the kind must be 0, 1 or 2"):
        _core.Dataset.from_columns([np.zeros(2)], [3], [0])
    with pytest.raises(ValueError, match="max_bins must be 0"):
        _core.Dataset.from_matrix(np.zeros((2, 2)), -1)
    with pytest.raises(ValueError, match="must be 2-D"):
        _core.Dataset.from_matrix(np.zeros(2))
    with pytest.raises(TypeError, match="float32 or float64"):
        _core.Dataset.from_matrix(np.zeros((2, 2), dtype=np.int64))
    with pytest.raises(TypeError, match="Column 0 must hold float32"):
        _core.Dataset.from_columns([np.zeros(2, dtype=np.complex128)], [0], [0])
    for feature in (-1, 1):
        with pytest.raises(IndexError, match="There is no feature"):
            numeric(np.zeros(2)).codes(feature)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_the_encoder(n_threads: int) -> None:
    matrix = np.broadcast_to(np.random.default_rng(4).normal(size=(400_000, 1)), (400_000, 500))
    sent = 0.0

    def press() -> None:
        nonlocal sent
        time.sleep(0.3)
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        _core.Dataset.from_matrix(matrix, n_threads=n_threads)
        time.sleep(1)  # reached only when the encoder did not stop: the signal would end this instead
    waited = time.perf_counter() - sent
    thread.join()
    assert waited < 0.5


def test_a_process_forked_after_a_parallel_call_can_encode() -> None:
    script = (
        "import os, numpy as np\n"
        "from treewright import _core\n"
        "matrix = np.random.default_rng(0).normal(size=(50_000, 8))\n"
        "_core.Dataset.from_matrix(matrix, n_threads=2)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if _core.Dataset.from_matrix(matrix, n_threads=2).n_codes(0) == 50_000 else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    assert subprocess.run([sys.executable, "-c", script], timeout=30, check=False).returncode == 0
