"""Histogram boosting of sparse matrices: entries, shared codes and dense columns give the same trees."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from treewright import (
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
)

Matrix = sparse.csr_matrix


def random_entries(n_rows: int, n_columns: int, share: float, kind: str, seed: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    dense = np.zeros((n_rows, n_columns))
    filled = rng.random((n_rows, n_columns)) < share
    values = {
        "ones": np.ones(filled.sum()),
        "counts": rng.geometric(0.5, filled.sum()).astype(float),
        "numbers": rng.normal(size=filled.sum()),
        "missing": np.where(rng.random(filled.sum()) < 0.2, np.nan, rng.normal(size=filled.sum()).round(1)),
    }[kind]
    dense[filled] = values
    return sparse.csr_matrix(dense)


def one_hot(n_rows: int, levels: tuple[int, ...], seed: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    parts = [np.eye(n)[rng.integers(0, n, n_rows)] for n in levels]
    return sparse.csr_matrix(np.hstack(parts))


def target_of(X: Matrix, seed: int = 1) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    dense = np.nan_to_num(X.toarray(), nan=0.7)
    weights = rng.normal(size=dense.shape[1]) * (rng.random(dense.shape[1]) < 0.4)
    return dense @ weights + rng.normal(size=len(dense)) * 0.1


def assert_same_trees(estimator: object, X: Matrix, y: NDArray[np.generic], **fit: object) -> None:
    from_sparse = type(estimator)(**estimator.get_params()).fit(X, y, **fit)  # type: ignore[attr-defined]
    from_dense = type(estimator)(**estimator.get_params()).fit(X.toarray(), y, **fit)  # type: ignore[attr-defined]
    one, other = from_sparse.model_.trees.arrays, from_dense.model_.trees.arrays
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


TABLES = {
    "ones": random_entries(900, 120, 0.02, "ones"),
    "counts": random_entries(900, 60, 0.1, "counts"),
    "numbers": random_entries(1500, 40, 0.15, "numbers"),
    "missing": random_entries(900, 40, 0.1, "missing"),
    "one hot": one_hot(2000, (40, 90, 7, 30)),
    "some dense columns": random_entries(900, 30, 0.19, "numbers") + 0,
}
SETTINGS = {
    "defaults": {"n_estimators": 12},
    "no gamma": {"n_estimators": 12, "gamma": 0, "max_features": None},
    "rows per leaf": {"n_estimators": 12, "gamma": 0, "min_samples_leaf": 12},
    "drawn columns": {"n_estimators": 12, "gamma": 0, "max_features": 0.3, "random_state": 3},
    "drawn rows": {"n_estimators": 12, "gamma": 0, "subsample": 0.6, "random_state": 3},
    "many leaves": {"n_estimators": 8, "gamma": 0, "max_leaf_nodes": 120, "min_samples_leaf": 1},
    "penalties": {"n_estimators": 8, "gamma": 0.1, "reg_alpha": 0.05, "reg_lambda": 2.0},
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("table", TABLES)
def test_trees_of_a_sparse_matrix_are_those_of_the_dense_one(table: str, setting: str) -> None:
    X = TABLES[table]
    y = target_of(X)
    assert_same_trees(LeafwiseBoostingRegressor(**SETTINGS[setting]), X, y)
    assert_same_trees(LeafwiseBoostingClassifier(**SETTINGS[setting]), X, (y > np.median(y)).astype(int))


@pytest.mark.parametrize("table", TABLES)
def test_newton_trees_weights_and_several_classes_are_the_same(table: str) -> None:
    X = TABLES[table]
    y = target_of(X)
    weights = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    classes = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    assert_same_trees(NewtonBoostingClassifier(n_estimators=6), X, classes, sample_weight=weights)
    assert_same_trees(NewtonBoostingRegressor(n_estimators=6, tree_method="exact"), X, y)
    assert_same_trees(LeafwiseBoostingClassifier(n_estimators=6, gamma=0, goss=True), X, classes)
    signs = np.resize([1, 0, -1], X.shape[1]).tolist()
    assert_same_trees(NewtonBoostingRegressor(n_estimators=6, monotonic_cst=signs), X, y)


@pytest.mark.parametrize("kind", ["ones", "numbers"])
def test_many_rows_with_threads_are_the_same(kind: str) -> None:
    X = random_entries(20_000, 60, 0.03, kind)
    y = target_of(X)
    for n_jobs in (1, 3):
        settings = {"n_estimators": 4, "gamma": 0, "max_leaf_nodes": 31, "n_jobs": n_jobs}
        assert_same_trees(LeafwiseBoostingClassifier(**settings), X, (y > np.median(y)).astype(int))
    exclusive = one_hot(20_000, (100, 60, 12))
    y = target_of(exclusive)
    assert_same_trees(LeafwiseBoostingRegressor(n_estimators=4, gamma=0, n_jobs=2), exclusive, y)


def test_a_matrix_that_would_not_fit_as_codes_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.data.sparse.available_memory", lambda: 1_000_000)
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 4000, 9000), rng.integers(0, 2000, 9000)
    X = sparse.csc_matrix((np.ones(9000), (rows, columns)), shape=(4000, 2000))
    y = np.asarray(X[:, :50].sum(axis=1)).ravel()
    booster = LeafwiseBoostingRegressor(n_estimators=3, gamma=0).fit(X, y)
    assert booster.model_.trees.arrays["feature"].max() >= 0
