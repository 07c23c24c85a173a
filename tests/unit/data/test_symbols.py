"""Tables as symbols: every distinct number is a category, and prediction finds it again."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix

from treewright.data import Feature, Schema, read_table, to_symbols
from treewright.data import sparse as sparse_module


def symbols_of(X, **options):
    return to_symbols(read_table(X, estimator_name="ID3Classifier", **options))


def read_with(X, schema):
    return read_table(X, estimator_name="ID3Classifier", schema=schema)


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.floats(width=32),
    )
)
def test_codes_are_ranks_and_prediction_finds_them_again(matrix):
    table = symbols_of(matrix)
    for position, feature in enumerate(table.schema.features):
        column = matrix[:, position].astype(np.float64)
        known = np.unique(column[~np.isnan(column)])
        assert feature.kind == "nominal"
        np.testing.assert_array_equal(np.array(feature.categories, dtype=np.float64), known)
        expected = np.where(np.isnan(column), 0, np.searchsorted(known, column) + 1)
        np.testing.assert_array_equal(table.columns[position], expected)
    restored = Schema.from_dict(table.schema.to_dict())
    assert restored == table.schema
    again = read_with(matrix, restored)
    for first, second in zip(table.columns, again.columns, strict=True):
        np.testing.assert_array_equal(first, second)


def test_whole_numbers_are_written_as_integers_others_as_floats():
    table = symbols_of(np.array([[1.0, 0.5, np.inf], [2.0, 1.0, 3.0]]))
    types = [[type(category) for category in feature.categories] for feature in table.schema.features]
    assert types == [[int, int], [float, float], [float, float]]


def test_ordered_categories_become_nominal_and_others_stay():
    frame = pd.DataFrame(
        {
            "o": pd.Categorical(["b", "a"], categories=["b", "a", "c"], ordered=True),
            "t": ["x", None],
            "b": [True, False],
            "n": [3, 1],
        }
    )
    table = symbols_of(frame)
    assert [f.kind for f in table.schema.features] == ["nominal"] * 4
    assert [f.categories for f in table.schema.features] == [("b", "a", "c"), ("x",), (False, True), (1, 3)]
    assert [column.tolist() for column in table.columns] == [[1, 2], [1, 0], [2, 1], [2, 1]]
    assert table.schema.names.tolist() == ["o", "t", "b", "n"]


def test_unseen_numbers_get_the_code_after_the_last():
    schema = symbols_of(np.array([[1.0], [2.0]])).schema
    codes = read_with(np.array([[1.0], [1.5], [0.0], [3.0], [np.nan], [np.inf]]), schema).columns[0]
    assert codes.tolist() == [1, 3, 3, 3, 0, 3]


def test_integers_too_large_for_float64_are_still_told_apart():
    X = np.array([[2**60], [2**60 + 1]])
    table = read_table(X, estimator_name="ID3Classifier", categorical_features=[0])
    assert table.schema.features[0].number_index is None
    again = read_with(np.array([[2**60 + 1], [2**60 + 2]]), table.schema)
    assert again.columns[0].tolist() == [2, 3]


def test_a_search_needs_numbers_only():
    assert Feature("x", "nominal", ("a", 1)).number_index is None
    assert Feature("x", "nominal", ()).number_index is None
    numbers, codes = Feature("x", "nominal", (3, 1.5, True)).number_index
    assert numbers[:-1].tolist() == [1.0, 1.5, 3.0]
    assert np.isnan(numbers[-1])
    assert codes.tolist() == [3, 2, 1, 4]


def test_a_sparse_matrix_becomes_symbols_too(monkeypatch):
    X = np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 2.0]])
    dense, sparse = symbols_of(X), symbols_of(csr_matrix(X))
    assert sparse.schema == dense.schema
    assert [c.tolist() for c in sparse.columns] == [c.tolist() for c in dense.columns]
    assert [c.tolist() for c in read_with(csr_matrix(X), dense.schema).columns] == [
        c.tolist() for c in dense.columns
    ]
    table = read_table(csr_matrix(X), estimator_name="ID3Classifier")
    monkeypatch.setattr(sparse_module, "available_memory", lambda: 20)
    with pytest.raises(MemoryError, match=r"shape \(3, 2\), as symbols, would take 24"):
        to_symbols(table)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"t": ["b", "a", "c", "a"], "n": [1, 2, 3, 4]}),
        np.array([["b", 1], ["a", 2], ["c", 3], ["a", 4]], dtype=object),
    ],
)
def test_rows_that_are_not_read_declare_nothing(table):
    read = read_table(table, estimator_name="E", rows=np.array([1, 3]))
    assert read.n_rows == 2
    assert read.schema.features[0].categories == ("a",)
    assert [column.tolist() for column in read.columns] == [[1, 1], [2, 4]]


@pytest.mark.parametrize("make", [np.asarray, csr_matrix, lambda a: a.astype(int)])
def test_rows_of_a_matrix_can_be_chosen(make):
    X = np.arange(6.0).reshape(3, 2)
    read = read_table(make(X), estimator_name="E", rows=np.array([2, 0]))
    np.testing.assert_array_equal(read.to_matrix(), X[[2, 0]])


def test_declared_categories_and_booleans_stay_declared_without_their_rows():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["z", "b", "a"]), "b": [True, False]})
    read = read_table(frame, estimator_name="E", rows=np.array([0]))
    assert [f.categories for f in read.schema.features] == [("z", "b", "a"), (False, True)]
