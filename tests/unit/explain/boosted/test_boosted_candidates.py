"""The candidates of a boosted node come from the search that grew the tree, with the units of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import (
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
    _core,
)
from treewright.boosting._round_gradients import training_of
from treewright.explain.boosted.split_formula import shrinkage_of

rng = np.random.default_rng(5)
FEW = rng.normal(size=(500, 4)).round(1)
MANY = rng.normal(size=(20_000, 4))  # more than are grown by fine ticks


def _gaps(X: Any) -> Any:
    X = X.copy()
    X[rng.random(X.shape) < 0.15] = np.nan
    return X


def _frame(X: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    towns = pandas.Categorical(np.array([f"town {i}" for i in range(40)])[(X[:, 0] * 7).astype(int) % 40])
    colours = pandas.Categorical(np.array(list("abcde"))[(X[:, 1] * 5).astype(int) % 5])
    return pandas.DataFrame({"town": towns, "colour": colours, "x": X[:, 2]})


BOOSTERS: dict[str, tuple[Any, Any]] = {
    "depth_wise": (NewtonBoostingRegressor(), FEW),
    "gaps": (NewtonBoostingClassifier(), _gaps(FEW)),
    "exact": (NewtonBoostingRegressor(tree_method="exact"), FEW),
    "exact_with_gaps": (NewtonBoostingClassifier(tree_method="exact"), _gaps(FEW)),
    "leaf_wise": (LeafwiseBoostingClassifier(max_features=None, min_samples_leaf=5), FEW),
    "packed_ticks": (LeafwiseBoostingClassifier(max_features=None, min_samples_leaf=20), MANY),
    "drawn_rows": (NewtonBoostingRegressor(subsample=0.5, random_state=1), FEW),
    "drawn_columns": (NewtonBoostingRegressor(max_features_tree=0.5, random_state=1), FEW),
    "categories": (LeafwiseBoostingRegressor(max_features=None), _frame(FEW)),
    "least_squares": (GradientBoostingRegressor(), FEW),
    "monotone": (NewtonBoostingRegressor(monotonic_cst=[1, -1, 0, 0], learning_rate=1.0), FEW),
    "exact_monotone": (NewtonBoostingRegressor(monotonic_cst=[1, -1, 0, 0], tree_method="exact"), FEW),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", BOOSTERS)
def test_the_best_test_of_a_feature_is_the_one_that_the_tree_has(name: str, weighted: bool) -> None:
    booster, X = BOOSTERS[name]
    table = np.asarray(X["x"] if name == "categories" else np.nan_to_num(X)[:, 0])
    y = (table + rng.normal(size=len(table)) > 0).astype(np.int64)
    weights = rng.choice([0.5, 1.0, 2.0], len(y)) if weighted else None
    booster.set_params(n_estimators=3).fit(X, y, sample_weight=weights)
    trees = training_of(booster, X, y, weights, None)
    checked = 0
    for number in range(3):
        training, view = trees(number), booster.model_.view(number)
        for place in list(view)[: 60 if "monotone" in name else 9]:
            split = place.split
            if split is None:
                continue
            rows = training.rows_at(place)
            assert len(rows) == place.rows
            index = int(view.tree.feature[place.id])
            bounds = training.bounds_at(place, shrinkage_of(booster.model_, number).value)
            offer = training.search(rows, *bounds)[index]
            assert offer.kind == split.kind
            assert offer.n == tuple(child.rows for child in place.children)
            if split.kind == "threshold":
                assert offer.threshold == split.threshold
            sides = training.branches_of(place, rows)
            for side in (0, 1):
                assert offer.gradient[side] == pytest.approx(training.gradient[rows[sides == side]].sum())
            checked += 1
    assert checked > 3


def test_an_exact_booster_explains_a_column_that_only_tells_who_has_a_value() -> None:
    X = np.column_stack([np.ones(60), np.arange(60.0)])
    X[::3, 0] = np.nan
    y = np.where(np.isnan(X[:, 0]), 5.0, 0.0) + X[:, 1] / 100
    booster = NewtonBoostingRegressor(n_estimators=2, tree_method="exact", max_depth=2).fit(X, y)
    report = booster.explain_split(0, X, y, tree=0)
    assert report.winner is not None and report.winner.index == 0
    assert {branch.n for branch in report.winner.branches} == {20, 40}
    assert report.candidates[0].chosen


def test_a_column_of_one_value_and_a_node_too_small_offer_nothing() -> None:
    X = np.column_stack([np.arange(12.0), np.ones(12)])
    data = _core.Dataset.from_matrix(X, max_bins=255, n_threads=1)
    gradient, hessian = np.linspace(-1, 1, 12, dtype=np.float32), np.ones(12, dtype=np.float32)
    plan, rows = _core.BoostPlan(), np.arange(12, dtype=np.uint32)
    plan.min_rows_leaf = 2
    numbers, ones = _core.boost_candidates(data, gradient, hessian, plan, rows)
    assert (numbers["kind"], numbers["rows"], numbers["threshold"]) == (1, [6, 6], 5.5)
    assert numbers["branches"].tolist() == [0] + [0] * 6 + [1] * 6
    assert (ones["kind"], ones["is_constant"]) == (0, True)
    few = _core.boost_candidates(data, gradient, hessian, plan, rows[:3])
    assert [(test["kind"], test["is_constant"]) for test in few] == [(0, False), (0, True)]
    with pytest.raises(IndexError, match="not one of the dataset"):
        _core.boost_candidates(data, gradient, hessian, plan, np.array([12], dtype=np.uint32))
    with pytest.raises(ValueError, match="a gradient and a hessian for every row"):
        _core.boost_candidates(data, gradient[:3], hessian, plan, rows)
