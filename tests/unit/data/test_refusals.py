from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.data.reading import one, read


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}),
        pd.DataFrame({"when": pd.to_timedelta([1], "s")}),
        pd.DataFrame({"when": [datetime.date(2020, 1, 1)]}),
        pd.DataFrame({"when": pd.period_range("2020", periods=1, freq="D")}),
        pl.DataFrame({"when": [datetime.date(2020, 1, 1)]}),
        pl.DataFrame({"when": [datetime.time(1)]}),
        pl.DataFrame({"when": [datetime.timedelta(1)]}),
        pa.table({"when": [datetime.datetime(2020, 1, 1)]}),
    ],
)
def test_dates_are_refused_with_the_column_and_advice(X):
    with pytest.raises(ValueError, match=r"column 'when' holds dates.*days since a reference date"):
        read(X)


def test_date_arrays_are_refused():
    with pytest.raises(ValueError, match="X holds dates"):
        read(np.array([["2020-01-01"]], dtype="datetime64[D]"))


BIG = 2**53 + 1


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"id": [1, BIG]}),
        pd.DataFrame({"id": pd.array([None, BIG], dtype="Int64")}),
        pd.DataFrame({"id": pd.Series([None, BIG], dtype=object)}),
        pl.DataFrame({"id": [None, BIG]}),
        pl.DataFrame({"id": pl.Series([1, BIG], dtype=pl.Int128)}),
        pa.table({"id": pa.array([1, BIG], pa.uint64())}),
    ],
)
def test_integers_beyond_two_to_the_53_are_refused_by_column_and_value(X):
    with pytest.raises(ValueError, match=f"column 'id' holds the integer {BIG}"):
        read(X)


@pytest.mark.parametrize(
    "X", [[[1, BIG]], np.array([[1, BIG]]), np.array([[1, BIG]], np.uint64), [[1, -BIG]], [[1, 10**400]]]
)
def test_large_integers_in_arrays_are_refused_by_position(X):
    with pytest.raises(ValueError, match="column 1 holds the integer"):
        read(X)


def test_two_to_the_53_itself_is_accepted():
    assert read([[2**53, -(2**53)]]).matrix.tolist() == [[2.0**53, -(2.0**53)]]


def test_large_integers_may_be_categories():
    X = pl.DataFrame({"id": [BIG, None, BIG + 1]})
    table = read(X, categorical_features=["id"])
    assert table.schema.features[0].categories == (BIG, BIG + 1)
    assert read(X, schema=table.schema).columns[0].tolist() == [1, 0, 2]


def test_text_mixed_with_numbers_is_refused_with_examples():
    with pytest.raises(ValueError, match=r"column 'c' mixes text \('a'\) with other values \(1\)"):
        one(pd.Series([None, 1, "a"], dtype=object))


@pytest.mark.parametrize("value", [{"foo": "bar"}, [1], object()])
def test_other_objects_raise_what_scikit_learn_raises(value):
    X = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=object)
    X[0, 0] = value
    with pytest.raises(TypeError, match=r"column 0 .*argument must be .* string.* number"):
        read(X)


@pytest.mark.parametrize(
    "X", [pl.DataFrame({"c": [[1], [2]]}), pl.DataFrame({"c": [{"a": 1}]}), pd.DataFrame({"c": [[1]]})]
)
def test_nested_columns_are_refused(X):
    with pytest.raises(TypeError, match="column 'c' holds"):
        read(X)


@pytest.mark.parametrize(
    "X", [np.array([[b"a"]]), pl.DataFrame({"c": [b"a"]}), np.array([[b"a"]], dtype=object)]
)
def test_bytes_are_refused(X):
    with pytest.raises(ValueError, match="holds bytes"):
        read(X)


@pytest.mark.parametrize(
    "X", [[[1j]], np.array([[1j]]), np.array([[1j]], dtype=object), pd.DataFrame({"c": [1j]})]
)
def test_complex_numbers_are_refused_in_scikit_learns_words(X):
    with pytest.raises(ValueError, match="Complex data not supported"):
        read(X)


def test_structured_arrays_are_refused():
    with pytest.raises(ValueError, match="structured array"):
        read(np.zeros(3, dtype=[("a", "f8"), ("b", "f8")]))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones(3), "Expected 2D array, got 1D array instead:.*\n.*\nReshape your data"),
        ([1.0, 2.0], "Reshape your data"),
        (3.0, "Expected 2D array, got scalar array instead"),
        (None, "got scalar array"),
        (np.ones((1, 1, 1)), "Found array with dim 3, while dim <= 2 is required by CARTClassifier."),
        (pd.Series([1.0]), "Expected a 2-dimensional container but got"),
        (pl.Series([1.0]), "Expected a 2-dimensional container but got"),
        (
            np.ones((0, 3)),
            r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required",
        ),
        (
            np.ones((12, 0)),
            r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required by CARTClassifier\.",
        ),
        (np.ones((12, 0), dtype=int), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\)"),
    ],
)
def test_wrong_shapes_are_refused_in_scikit_learns_words(X, words):
    with pytest.raises(ValueError, match=words):
        read(X)


def test_repeated_column_names_are_refused():
    with pytest.raises(ValueError, match="Column names must be unique"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_lazy_frames_are_refused_with_advice():
    with pytest.raises(TypeError, match="collect"):
        read(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("X", [[[1, 2], [1]], [["a", "b"], ["a"]]])
def test_rows_of_different_length_are_named(X):
    with pytest.raises(ValueError, match=r"row 0 has a list of 2, row 1 has a list of 1.*write None"):
        read(X)


@pytest.mark.parametrize("X", [{"a": [1, 2]}, [{"a": 1}, {"a": 2}]])
def test_dictionaries_are_refused_with_the_remedy(X):
    with pytest.raises(ValueError, match=r"X holds dictionaries.*pandas\.DataFrame\(X\)"):
        read(X)


def test_a_signalling_nan_is_refused_by_column():
    with pytest.raises(ValueError, match="column 'c' holds a value that is not a number"):
        read(pd.DataFrame({"c": [Decimal("sNaN"), Decimal(1)]}, dtype=object))
