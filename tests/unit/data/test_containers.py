from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.data.containers import EVERYTHING, FRAMES, NAMES
from tests.unit.data.reading import EXPECTED, NAN, read

from treewright.data import Schema


@pytest.mark.parametrize("container", EVERYTHING)
def test_every_container_gives_the_same_table(container):
    table = read(EVERYTHING[container]())
    assert [f.kind for f in table.schema.features] == ["numeric", "nominal", "nominal"]
    assert [f.categories for f in table.schema.features] == [None, ("red", "blue"), (False, True)]
    assert table.n_rows == 4
    np.testing.assert_array_equal(table.to_matrix(), EXPECTED)


@pytest.mark.parametrize("container", FRAMES)
def test_frames_keep_their_names_and_arrays_have_none(container):
    schema = read(FRAMES[container]()).schema
    assert schema.names is not None
    assert schema.names.dtype == object
    assert schema.names.tolist() == NAMES


@pytest.mark.parametrize("fitted", EVERYTHING)
@pytest.mark.parametrize("given", EVERYTHING)
@pytest.mark.filterwarnings("ignore:X (has|does not have)")
def test_the_container_may_change_between_fit_and_prediction(fitted, given):
    schema = read(EVERYTHING[fitted]()).schema
    np.testing.assert_array_equal(read(EVERYTHING[given](), schema=schema).to_matrix(), EXPECTED)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_array_is_used_as_it_is(dtype, order):
    X = np.array([[1, NAN], [np.inf, 2]], dtype=dtype, order=order)
    table = read(X)
    assert table.matrix is X
    assert table.to_matrix() is X
    assert read(X, schema=table.schema).matrix is X
    assert [f.name for f in table.schema.features] == ["x0", "x1"]
    assert table.schema.names is None


def test_a_read_only_memory_map_is_used_without_a_copy(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(read(X).to_matrix(), X)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "uint64", "bool", "float16", "longdouble", ">f8", ">i4"]
)
def test_other_numbers_become_float64(dtype):
    X = np.array([[0, 1], [1, 0]], dtype=dtype)
    table = read(X)
    assert table.matrix.dtype == np.float64
    assert table.matrix.dtype.isnative
    np.testing.assert_array_equal(table.matrix, [[0, 1], [1, 0]])
    assert table.schema.all_numeric


def test_numeric_columns_of_a_frame_are_not_copied():
    X = pl.DataFrame({"a": np.arange(5.0), "b": np.arange(5)})
    table = read(X)
    assert np.shares_memory(table.columns[0], X["a"].to_numpy())
    assert table.columns[1].dtype == np.int64


def test_numbers_beside_text_in_a_list_stay_numbers():
    table = read([[1, "a"], [2, "b"]])
    assert [f.kind for f in table.schema.features] == ["numeric", "nominal"]


def test_a_text_array_is_nominal():
    table = read(np.array([["b", "1"], ["a", "2"]]))
    assert [f.categories for f in table.schema.features] == [("b", "a"), ("1", "2")]


def test_reading_does_not_import_any_frame_library():
    # scikit-learn imports pandas where it finds it; only what comes on top of that is ours.
    code = (
        "import sys, numpy as np, sklearn.utils.multiclass; before = set(sys.modules)\n"
        "import treewright.data as d\n"
        "d.read_table(np.ones((2, 2)), estimator_name='E'); d.read_table([[1, 'a']], estimator_name='E')\n"
        "print(sorted({'pandas', 'polars', 'pyarrow'} & set(sys.modules) - before))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert run.stdout.strip() == "[]", run.stderr


@pytest.mark.parametrize("rows", [np.array([2, 0]), np.array([True, False, True, False])])
@pytest.mark.parametrize("container", EVERYTHING)
def test_take_keeps_the_rows_asked_for(container, rows):
    table = read(EVERYTHING[container]())
    taken = table.take(rows)
    assert taken.n_rows == 2
    np.testing.assert_array_equal(taken.to_matrix(), table.to_matrix()[rows])


def test_take_of_a_matrix_keeps_a_matrix():
    taken = read(np.arange(6.0).reshape(3, 2)).take(np.array([2, 2]))
    assert taken.matrix.tolist() == [[4, 5], [4, 5]]
    assert [c.tolist() for c in taken.columns] == [[4, 4], [5, 5]]


def test_the_prediction_matrix_is_float32_only_when_that_is_exact():
    small = pd.DataFrame({"a": np.ones(2, np.float32), "b": np.array([1, 2], np.int16), "c": ["x", "y"]})
    assert read(small).to_matrix().dtype == np.float32
    assert read(small.assign(b=[1, 2**24 + 1])).to_matrix().dtype == np.float64


def test_the_users_table_is_never_changed():
    X = pd.DataFrame({"a": [1.0, NAN], "c": ["x", None]})
    before = X.copy(deep=True)
    read(X).to_matrix()
    pd.testing.assert_frame_equal(X, before)


def test_a_schema_is_shared_between_tables_of_the_same_width():
    assert read(np.ones((1, 3))).schema is read(np.ones((9, 3))).schema
    assert isinstance(read(np.ones((1, 3))).schema, Schema)


@pytest.mark.parametrize("dtype", [int, float])
def test_masked_entries_are_missing(dtype):
    X = np.ma.masked_array(np.arange(4, dtype=dtype).reshape(2, 2), mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(read(X).to_matrix(), [[0, NAN], [2, 3]])
    text = np.ma.masked_array([["a", "b"], ["c", "d"]], mask=[[False, True], [False, False]])
    assert [f.categories for f in read(text).schema.features] == [("a", "c"), ("d",)]


def test_a_masked_array_without_a_mask_is_an_array():
    np.testing.assert_array_equal(read(np.ma.masked_array([[1, 2]])).to_matrix(), [[1, 2]])
