"""Forests of classes on sparse matrices: lists of entries give the trees of the dense matrix."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from treewright import ExtraTreesClassifier, RandomForestClassifier

rng = np.random.default_rng(0)


def table(n_rows: int, n_columns: int, share: float, *, numbers: bool) -> sparse.csr_matrix:
    filled = rng.random((n_rows, n_columns)) < share
    values = rng.normal(size=filled.shape).round(2) if numbers else rng.geometric(0.6, filled.shape)
    return sparse.csr_matrix(np.where(filled, values, 0.0))


TABLES = {
    "counts": table(700, 150, 0.03, numbers=False),
    "numbers": table(1500, 40, 0.12, numbers=True),
    "one column dense": sparse.hstack(
        [table(600, 40, 0.05, numbers=True), rng.normal(size=(600, 1))], format="csr"
    ),
}
MAKERS: dict[str, Any] = {
    "random forest": lambda: RandomForestClassifier(n_estimators=6, random_state=1),
    "binned": lambda: RandomForestClassifier(n_estimators=6, random_state=1, max_bins=20),
    "limited": lambda: RandomForestClassifier(
        n_estimators=6, random_state=1, min_samples_leaf=3, criterion="entropy"
    ),
    "best first": lambda: RandomForestClassifier(n_estimators=6, random_state=1, max_leaf_nodes=12),
    "all columns": lambda: RandomForestClassifier(n_estimators=3, random_state=1, max_features=None),
    "balanced": lambda: RandomForestClassifier(
        n_estimators=6, random_state=1, class_weight="balanced_subsample"
    ),
    "extra trees": lambda: ExtraTreesClassifier(n_estimators=6, random_state=1),
    "extra trees, best first": lambda: ExtraTreesClassifier(
        n_estimators=6, random_state=1, max_leaf_nodes=15, bootstrap=True
    ),
    "extra trees, binned": lambda: ExtraTreesClassifier(n_estimators=6, random_state=1, max_bins=20),
}


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", TABLES)
def test_trees_of_a_sparse_matrix_are_those_of_the_dense_one(name: str, maker: str, n_classes: int) -> None:
    X = TABLES[name]
    score = np.asarray(X[:, :10].sum(axis=1)).ravel() + rng.normal(size=X.shape[0]) * 0.3
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    one = MAKERS[maker]().fit(X, y).model_.trees.arrays
    other = MAKERS[maker]().fit(X.toarray(), y).model_.trees.arrays
    for key, values in one.items():
        np.testing.assert_array_equal(values, other[key], err_msg=key)


def test_out_of_bag_answers_and_missing_entries_are_the_same() -> None:
    X = TABLES["numbers"].copy()
    y = (np.asarray(X[:, :10].sum(axis=1)).ravel() > 0).astype(int)
    settings: dict[str, Any] = {"n_estimators": 30, "random_state": 0, "oob_score": True}
    one = RandomForestClassifier(**settings).fit(X, y)
    other = RandomForestClassifier(**settings).fit(X.toarray(), y)
    np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)
    X.data[::7] = np.nan
    one = ExtraTreesClassifier(n_estimators=4, random_state=0).fit(X, y)
    other = ExtraTreesClassifier(n_estimators=4, random_state=0).fit(X.toarray(), y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X.toarray()))
