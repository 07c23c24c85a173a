from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.data.reading import NAN, read

ABC = pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})


@pytest.mark.parametrize("convert", [lambda d: d, pl.from_pandas, pa.Table.from_pandas])
def test_reordered_columns_are_refused_in_scikit_learns_words_with_the_remedy(convert):
    schema = read(ABC).schema
    with pytest.raises(ValueError) as caught:
        read(convert(ABC[["c", "b", "a"]]), schema=schema)
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        "Got 'c', 'b', 'a'; expected 'a', 'b', 'c'. Reorder with X[est.feature_names_in_]."
    )


def test_missing_and_unexpected_names_are_listed_as_in_scikit_learn():
    with pytest.raises(ValueError) as caught:
        read(ABC.rename(columns={"a": "z"}), schema=read(ABC).schema)
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- z\nFeature names seen at fit time, yet now missing:\n- a\n"
    )


@pytest.mark.parametrize("X", [np.ones((1, 3)), np.ones((1, 3), int), [[1, 2, 3]]])
def test_missing_names_are_warned_about_in_scikit_learns_words(X):
    words = "X does not have valid feature names, but CARTClassifier was fitted with feature names"
    with pytest.warns(UserWarning, match=words):
        read(X, schema=read(ABC).schema)


def test_names_that_were_absent_at_fit_are_warned_about():
    with pytest.warns(
        UserWarning, match="X has feature names, but CARTClassifier was fitted without feature names"
    ):
        read(ABC, schema=read(np.ones((1, 3))).schema)


@pytest.mark.parametrize("X", [np.ones((2, 1)), np.ones((2, 1), int), [[1.0]]])
def test_another_number_of_columns_is_refused_in_scikit_learns_words(X):
    schema = read(np.ones((2, 4))).schema
    with pytest.raises(
        ValueError, match="X has 1 features, but CARTClassifier is expecting 4 features as input"
    ):
        read(X, schema=schema)


def test_no_rows_are_refused_at_prediction_too():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read(np.ones((0, 2)), schema=read(np.ones((1, 2))).schema)


def test_column_names_that_are_not_text_count_as_no_names():
    assert read(pd.DataFrame([[1.0, 2.0]])).schema.names is None


def test_names_of_mixed_types_are_refused():
    with pytest.raises(
        TypeError, match="Feature names are only supported if all input features have string names"
    ):
        read(pd.DataFrame([[1.0, 2.0]], columns=["a", 1]))


def test_unseen_categories_get_their_own_code_and_unseen_ordinals_are_missing():
    nominal = pd.Categorical(["a"], categories=["b", "a"])
    ordinal = pd.Categorical(["l"], categories=["l", "h"], ordered=True)
    schema = read(pd.DataFrame({"n": nominal, "o": ordinal})).schema
    given = pd.DataFrame({"n": ["a", "c", None], "o": ["h", "m", None]})
    table = read(given, schema=schema)
    assert [c.tolist() for c in table.columns] == [[2, 3, 0], [2, 0, 0]]
    np.testing.assert_array_equal(table.to_matrix(), [[2, 2], [3, NAN], [NAN, NAN]])


def test_categories_are_matched_by_value_not_by_code():
    schema = read(pd.DataFrame({"c": pd.Categorical(["x", "y"], categories=["x", "y"])})).schema
    given = pd.DataFrame({"c": pd.Categorical(["x", "y", "z"], categories=["z", "y", "x"])})
    assert read(given, schema=schema).columns[0].tolist() == [1, 2, 3]


def test_text_where_numbers_were_is_refused():
    with pytest.raises(ValueError, match="column 'a' held numbers during fit and holds text now"):
        read(ABC.assign(a="word"), schema=read(ABC).schema)


@pytest.mark.parametrize("value", [None, True, 1, Decimal(1), pd.NA])
def test_a_single_row_of_any_number_type_fits_a_numeric_column(value):
    X = ABC.astype(object)
    X["a"] = pd.Series([value], dtype=object)
    expected = NAN if value is None or value is pd.NA else 1.0
    np.testing.assert_array_equal(read(X, schema=read(ABC).schema).to_matrix(), [[expected, 2, 3]])


def test_booleans_match_zero_and_one():
    schema = read(pd.DataFrame({"b": [True, False]})).schema
    with pytest.warns(UserWarning, match="valid feature names"):
        assert read(np.array([[0.0], [1.0], [NAN], [2.0]]), schema=schema).columns[0].tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize("convert", [lambda d: d, lambda d: d.astype(object), pl.from_pandas])
def test_numbers_where_all_categories_were_text_are_refused(convert):
    schema = read(pd.DataFrame({"c": ["1", "2"]})).schema
    with pytest.raises(
        ValueError, match=r"column 'c' held the categories '1', '2' during fit, which are text"
    ):
        read(convert(pd.DataFrame({"c": [1, 2]})), schema=schema)


@pytest.mark.parametrize("convert", [lambda d: d, lambda d: d.astype("category"), pl.from_pandas])
def test_text_where_all_categories_were_numbers_is_refused(convert):
    schema = read(pd.DataFrame({"c": [1, 2]}), categorical_features=["c"]).schema
    with pytest.raises(ValueError, match=r"holds text now \('\d'\)\. Convert it to numbers first"):
        read(convert(pd.DataFrame({"c": ["1", "2"]})), schema=schema)


def test_a_single_value_of_the_fitted_sort_is_enough():
    schema = read(pd.DataFrame({"c": ["1", "2"]})).schema
    given = pd.DataFrame({"c": pd.Series([None, 3, "2"], dtype=object)})
    assert read(given, schema=schema).columns[0].tolist() == [0, 3, 2]


def test_a_column_of_missing_numbers_fits_text():
    schema = read(pd.DataFrame({"c": ["1", "2"]})).schema
    assert read(pd.DataFrame({"c": [NAN, NAN]}), schema=schema).columns[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [(datetime.date(2020, 1, 1), ValueError, "dates or durations"), ([1], TypeError, "type list")],
)
def test_values_that_fit_refuses_are_refused_at_prediction_too(value, error, words):
    schema = read(pd.DataFrame({"c": ["a", "b"]})).schema
    with pytest.raises(error, match=f"column 'c' holds .*{words}"):
        read(pd.DataFrame({"c": pd.Series([value], dtype=object)}), schema=schema)


@pytest.mark.parametrize(
    "dtype", ["Int64", "UInt64", "Int32", "Float64", "int64[pyarrow]", "uint64[pyarrow]"]
)
def test_nullable_numbers_may_all_be_missing(dtype):
    schema = read(pd.DataFrame({"c": pd.array([1, 2, None], dtype=dtype)})).schema
    found = read(pd.DataFrame({"c": pd.array([None, None], dtype=dtype)}), schema=schema).columns[0]
    np.testing.assert_array_equal(found, [NAN, NAN])
