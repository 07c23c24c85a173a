from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.data.reading import NAN, one, read

from treewright.data import Feature


def test_declared_categories_keep_their_order_even_when_absent():
    feature, codes = one(pd.Categorical(["x", None, "y"], categories=["z", "y", "x"]))
    assert feature == Feature("c", "nominal", ("z", "y", "x"))
    assert codes.tolist() == [3, 0, 2]
    assert codes.dtype.kind == "u"


def test_an_ordered_categorical_is_ordinal():
    feature, codes = one(pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"], ordered=True))
    assert feature == Feature("c", "ordinal", ("lo", "mid", "hi"))
    assert codes.tolist() == [3, 1]


def test_intervals_as_declared_categories_are_kept_as_text():
    feature, _ = one(pd.cut([1.0, 5.0], bins=[0, 3, 6]))
    assert feature == Feature("c", "ordinal", ("(0, 3]", "(3, 6]"))


def test_a_polars_enum_is_nominal_with_all_declared_values():
    table = read(pl.DataFrame({"c": pl.Series(["x", None], dtype=pl.Enum(["y", "x"]))}))
    assert table.schema.features[0] == Feature("c", "nominal", ("y", "x"))
    assert table.columns[0].tolist() == [2, 0]


def test_a_polars_categorical_has_the_values_that_are_present():
    pl.Series(["other", "words"], dtype=pl.Categorical)  # the library may keep one table for all
    table = read(pl.DataFrame({"c": pl.Series(["x", None, "a"], dtype=pl.Categorical)}))
    assert table.schema.features[0] == Feature("c", "nominal", ("x", "a"))
    assert table.columns[0].tolist() == [1, 0, 2]


@pytest.mark.parametrize("ordered", [False, True])
def test_an_arrow_dictionary_keeps_its_declared_order(ordered):
    array = pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.int8()), ["b", "a", "z"], ordered=ordered
    )
    table = read(pa.table({"c": array}))
    assert table.schema.features[0] == Feature("c", "ordinal" if ordered else "nominal", ("b", "a", "z"))
    assert table.columns[0].tolist() == [2, 0, 1]


def test_arrow_chunks_with_different_dictionaries_are_unified():
    chunks = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    )
    table = read(pa.table({"c": chunks}))
    assert table.schema.features[0].categories == ("a", "b", "c")
    assert table.columns[0].tolist() == [1, 2, 2, 3]


def test_an_arrow_dictionary_may_count_without_signs():
    column = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.uint8()), ["a", "b"])
    table = read(pa.table({"x": column}))
    assert table.schema.features[0].categories == ("a", "b")
    assert table.columns[0].tolist() == [2, 0, 1]


def test_an_arrow_dictionary_may_contain_null():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))
    table = read(pa.table({"c": array}))
    assert table.schema.features[0].categories == ("a", "b")
    assert table.columns[0].tolist() == [1, 0, 2]


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt16", "Float32", "int64[pyarrow]", "double[pyarrow]"])
def test_nullable_numbers_are_numeric_with_nan(dtype):
    feature, values = one(pd.array([1, None, 3], dtype=dtype))
    assert feature.kind == "numeric"
    np.testing.assert_array_equal(values, [1, NAN, 3])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pl.DataFrame({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pa.table({"c": [Decimal("1.5"), None, Decimal(2)]}),
        pa.table({"c": [Decimal("1.5"), None, Decimal(2)]}).to_pandas(types_mapper=pd.ArrowDtype),
    ],
    ids=["objects", "polars", "pyarrow", "pandas arrow"],
)
def test_decimals_become_floats(X):
    np.testing.assert_array_equal(read(X).columns[0], [1.5, NAN, 2.0])


def test_an_object_column_of_numbers_is_numeric():
    feature, values = one(pd.Series([1, 2.5, None, np.int8(3), pd.NA, True], dtype=object))
    assert feature.kind == "numeric"
    np.testing.assert_array_equal(values, [1, 2.5, NAN, 3, NAN, 1])


@pytest.mark.parametrize(
    "X", [pd.DataFrame({"c": [None, None]}, dtype=object), pl.DataFrame({"c": [None, None]})]
)
def test_a_column_without_any_value_accepts_everything_at_prediction(X):
    schema = read(X).schema
    assert schema.features[0] == Feature("c", "nominal", ())
    assert read(pd.DataFrame({"c": ["a", None]}), schema=schema).columns[0].tolist() == [1, 0]
    assert read(pd.DataFrame({"c": [1.0, NAN]}), schema=schema).columns[0].tolist() == [1, 0]


def test_sparse_columns_of_pandas_are_numbers():
    feature, values = one(pd.arrays.SparseArray([0.0, 0.0, 2.0]))
    assert feature.kind == "numeric"
    assert values.tolist() == [0, 0, 2]


def test_infinity_is_a_value():
    _, values = one([np.inf, -np.inf, 0.0])
    assert values.tolist() == [np.inf, -np.inf, 0.0]


MIXED = pd.DataFrame({"n": [3, 1, 3], "city": ["Paris", "Rome", "Paris"], "f": [0.5, NAN, 0.25]})


@pytest.mark.parametrize(
    "chosen", [["n", "city"], [0, 1], [True, True, False], np.array([0, 1]), ("city", "n")]
)
def test_listed_columns_are_nominal_whatever_their_type(chosen):
    table = read(MIXED, categorical_features=chosen)
    assert table.schema.features == (
        Feature("n", "nominal", (1, 3)),
        Feature("city", "nominal", ("Paris", "Rome")),
        Feature("f", "numeric"),
    )
    assert table.columns[0].tolist() == [2, 1, 2]


def test_listed_floats_are_sorted_and_nan_is_missing():
    table = read(MIXED, categorical_features=["f", "city"])
    assert table.schema.features[2].categories == (0.25, 0.5)
    assert table.columns[2].tolist() == [2, 0, 1]


def test_listed_mixtures_are_accepted_by_first_appearance():
    X = pd.DataFrame({"c": pd.Series(["b", 1, None, "a", 1], dtype=object)})
    table = read(X, categorical_features=["c"])
    assert table.schema.features[0].categories == ("b", 1, "a")
    assert table.columns[0].tolist() == [1, 2, 0, 3, 2]


def test_listed_columns_of_a_float_array_are_found_again_by_value():
    X = np.array([[7.0, 1.0], [5.0, 2.0], [NAN, 3.0]])
    table = read(X, categorical_features=[0])
    assert table.schema.features[0] == Feature("x0", "nominal", (5.0, 7.0))
    again = read(np.array([[5, 1], [6, 1], [7, 1]]), schema=table.schema)
    assert again.columns[0].tolist() == [1, 3, 2]


@pytest.mark.parametrize("chosen", [None, ["n"], []])
def test_text_that_is_not_listed_is_refused_with_the_remedy(chosen):
    message = (
        r"column 'city' holds text \('Paris', …\)\. Pass categorical_features=\"from_dtype\" "
        r"or list it in categorical_features\."
    )
    with pytest.raises(ValueError, match=message):
        read(MIXED, categorical_features=chosen)


def test_without_categories_booleans_and_number_categories_are_numbers():
    X = pd.DataFrame({"b": [True, False], "c": pd.Categorical([7, 5])})
    table = read(X, categorical_features=None)
    assert table.schema.all_numeric
    np.testing.assert_array_equal(table.to_matrix(), [[1, 7], [0, 5]])


def test_an_ordered_categorical_stays_ordinal_beside_a_list():
    X = pd.DataFrame({"a": ["x"], "o": pd.Categorical(["l"], categories=["l", "h"], ordered=True)})
    assert [f.kind for f in read(X, categorical_features=["a"]).schema.features] == ["nominal", "ordinal"]
    assert [f.kind for f in read(X, categorical_features=["a", "o"]).schema.features] == [
        "nominal",
        "nominal",
    ]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("dtype", 'must be "from_dtype", None'),
        (["town"], "'town' which is not a valid feature name"),
        ([3], r"must be in \[0, n_features - 1\]"),
        ([-1], r"must be in \[0, n_features - 1\]"),
        ([True], r"boolean mask must have shape \(n_features,\)"),
        ([1.5], "array-like of bool, int or str"),
        ([0, "city", None], "array-like of bool, int or str"),
    ],
)
def test_wrong_choices_are_refused(chosen, words):
    with pytest.raises(ValueError, match=words):
        read(MIXED, categorical_features=chosen)


def test_names_cannot_be_chosen_without_names():
    with pytest.raises(ValueError, match="without feature names"):
        read(np.ones((2, 2)), categorical_features=["a"])


@pytest.mark.parametrize("number", [Decimal, Fraction])
def test_listed_decimals_and_fractions_are_found_again(number):
    X = pd.DataFrame({"c": [number("1.1"), None, number("3"), number("1.1")]}, dtype=object)
    table = read(X, categorical_features=["c"])
    assert table.schema.features[0].categories == (1.1, 3.0)
    assert table.columns[0].tolist() == [1, 0, 2, 1]
    assert read(X, schema=table.schema).columns[0].tolist() == [1, 0, 2, 1]
    assert read(X.astype(float), schema=table.schema).columns[0].tolist() == [1, 0, 2, 1]
