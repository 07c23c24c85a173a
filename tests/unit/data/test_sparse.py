from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import treewright.data.sparse as sparse_module
from treewright import CARTClassifier, LeafwiseBoostingClassifier, RandomForestClassifier
from treewright.data import read_table

DENSE = np.array([[0.0, 1.5, 0.0], [2.0, np.nan, 0.0], [0.0, -3.0, 0.0]])
FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]


def read(X, **options):
    return read_table(X, estimator_name="CARTClassifier", **options)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
def test_absent_entries_are_zero_in_every_format(form, container):
    X = container(DENSE).asformat(form)
    table = read(X)
    assert table.schema.all_numeric
    np.testing.assert_array_equal(table.to_matrix(), DENSE)
    np.testing.assert_array_equal(np.column_stack(list(table.columns)), DENSE)
    np.testing.assert_array_equal(read(X, schema=table.schema).to_matrix(), DENSE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, bool])
def test_counts_and_indicators_take_one_byte_per_row(dtype):
    X = sparse.random(50, 3, density=0.3, random_state=0, data_rvs=lambda n: np.ones(n)).astype(dtype)
    table = read(X)
    assert {column.dtype for column in table.columns} == {np.dtype(np.int8)}
    np.testing.assert_array_equal(np.column_stack(list(table.columns)), X.toarray())


@pytest.mark.parametrize(
    "value", [127.0, 128.0, -129.0, 32767.0, 32768.0, 0.5, np.nan, np.inf, 1e300, 2.0**60]
)
def test_columns_hold_every_value_exactly(value):
    X = sparse.csc_matrix(np.array([[0.0], [value], [1.0]]))
    np.testing.assert_array_equal(read(X).columns[0], X.toarray()[:, 0])


def test_repeated_entries_are_added_and_the_users_matrix_is_not_changed():
    X = sparse.csc_matrix((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(2, 1))
    assert read(X).columns[0].tolist() == [3, 0]
    assert X.nnz == 2


def test_listed_columns_are_nominal():
    table = read(sparse.csr_matrix(DENSE), categorical_features=[1])
    assert table.schema.features[1].categories == (-3.0, 1.5)
    assert table.columns[1].tolist() == [2, 0, 1]
    np.testing.assert_array_equal(table.to_matrix(), [[0, 2, 0], [2, np.nan, 0], [0, 1, 0]])
    again = read(sparse.csr_matrix(np.array([[0, 9.0, 0], [0, 1.5, 0]])), schema=table.schema)
    assert again.columns[1].tolist() == [3, 2]


def test_fitting_sparse_and_predicting_dense_agree():
    schema = read(sparse.csr_matrix(DENSE)).schema
    np.testing.assert_array_equal(read(DENSE, schema=schema).to_matrix(), DENSE)


@pytest.mark.parametrize("rows", [np.array([2, 0, 2]), np.array([True, False, True])])
def test_take_keeps_the_rows_asked_for(rows):
    table = read(sparse.csr_matrix(DENSE), categorical_features=[1])
    np.testing.assert_array_equal(table.take(rows).to_matrix(), table.to_matrix()[rows])


def test_too_large_a_matrix_is_refused_before_work_with_the_figure():
    X = sparse.csr_matrix((1_000_000_000, 1_000))
    with pytest.raises(
        MemoryError, match=r"sparse matrix of shape \(1000000000, 1000\) would take 1 TB, but"
    ):
        read(X).to_dataset()


def test_codes_of_every_row_count_unless_columns_stay_sparse(monkeypatch):
    table = read(sparse.csr_matrix(DENSE))
    monkeypatch.setattr(sparse_module, "available_memory", lambda: 8)
    with pytest.raises(MemoryError, match="would take 9 bytes, but 8 bytes of memory are available"):
        table.to_dataset()
    assert table.to_dataset(keep_sparse=True).n_rows == 3


def test_making_a_matrix_dense_is_refused_with_the_figure(monkeypatch):
    table = read(sparse.csr_matrix(DENSE))
    monkeypatch.setattr(sparse_module, "available_memory", lambda: 71)
    with pytest.raises(MemoryError, match="would take 72 bytes, but 71 bytes of memory are available"):
        table.to_matrix()


def test_unknown_memory_refuses_nothing(monkeypatch):
    monkeypatch.setattr(sparse_module, "available_memory", lambda: None)
    assert read(sparse.csr_matrix(DENSE)).n_rows == 3


def test_complex_and_empty_matrices_are_refused_in_scikit_learns_words():
    with pytest.raises(ValueError, match="Complex data not supported"):
        read(sparse.csr_matrix(np.array([[1j]])))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read(sparse.csr_matrix((0, 3)))


def test_one_dimension_is_refused():
    with pytest.raises(ValueError, match="Reshape your data"):
        read(sparse.coo_array(np.ones(3)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_sparse_integers_beyond_two_to_the_53_are_refused_by_column(form):
    X = sparse.csr_matrix(np.array([[1, 0], [0, 2**53 + 1]])).asformat(form)
    with pytest.raises(ValueError, match=f"column 1 holds the integer {2**53 + 1}"):
        read_table(X, estimator_name="CARTClassifier")


@pytest.mark.parametrize("estimator", [CARTClassifier, LeafwiseBoostingClassifier, RandomForestClassifier])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
def test_a_matrix_without_entries_is_a_table_of_zeros(estimator, dtype):
    y = np.arange(20) % 2
    fitted = estimator().fit(sparse.csr_array((20, 5), dtype=dtype), y)
    np.testing.assert_allclose(fitted.predict_proba(sparse.csr_array((3, 5))).sum(axis=1), 1.0)
