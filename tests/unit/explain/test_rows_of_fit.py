"""explain_split takes exactly what fit was given: also rows that nothing was learned from."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def table(rare_row: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": rng.choice(list("abcd"), 120), "x": rng.standard_normal(120)})
    y = np.where(X.c.isin(["a", "b"]) ^ (X.x > 0.3), "u", "v")
    X.loc[rare_row, "c"] = "rare"
    return X, y


@pytest.mark.parametrize("make", [tw.ID3Classifier, tw.C45Classifier, tw.CARTClassifier])
@pytest.mark.filterwarnings("ignore:.*distinct values")
def test_a_category_of_rows_of_weight_zero_alone_is_no_news(make: Any) -> None:
    X, y = table(7)
    weights = np.ones(len(y))
    weights[7] = 0
    tree = make().fit(X, y, sample_weight=weights)
    report = tree.explain_split(0, X, y, sample_weight=weights)
    assert report.n == 119
    without = tree.explain_split(0, X.drop(index=7), np.delete(y, 7))
    assert [c.gain for c in report.candidates] == [c.gain for c in without.candidates]
    with pytest.raises(ValueError, match=r"categories that fit did not see|120 of these rows"):
        tree.explain_split(0, X, y)


@pytest.mark.parametrize("make", [tw.C45Classifier, tw.CARTClassifier, tw.CARTRegressor])
@pytest.mark.parametrize("rare_row", [1, 4, 5])
def test_rows_that_reduced_error_pruning_set_aside_are_set_aside_again(make: Any, rare_row: int) -> None:
    X, y = table(rare_row)
    if make is tw.CARTRegressor:
        y = (y == "u") + X.x.to_numpy()
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    tree = make(prune="reduced_error", random_state=3).fit(X, y, sample_weight=weights)
    for node in np.flatnonzero(tree.tree_.n_children > 0).tolist():
        stored, again = tree.explain_split(node), tree.explain_split(node, X, y, sample_weight=weights)
        assert again.n == stored.n and again.weight == pytest.approx(stored.weight)
        assert again.impurity == pytest.approx(stored.impurity)
    if make is not tw.CARTRegressor:
        assert tree.explain_split(0, X, y, sample_weight=weights, as_="id3").n == tree.tree_.n_node_samples[0]


@pytest.mark.parametrize("make", [tw.C45Classifier, tw.CARTClassifier])
def test_rows_that_nobody_gave_a_seed_for_are_set_aside_again_also_after_loading(make: Any) -> None:
    X, y = table(1)
    tree = make(prune="reduced_error").fit(X, y)
    stored = io.BytesIO()
    tree.set_params(validation_fraction=0.5).save(stored)
    stored.seek(0)
    for one in (tree, tw.load(stored), tree.pruned(alpha=0.0)):
        assert one.explain_split(0, X, y).n == tree.tree_.n_node_samples[0] < len(y)


def test_rows_that_groups_set_aside_are_not_guessed() -> None:
    X, y = table(1)
    groups = np.repeat(np.arange(10), 12)
    tree = tw.CARTClassifier(prune="reduced_error", random_state=0).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=r"without the rows that it set aside for pruning"):
        tree.explain_split(0, X, y)


def test_rows_to_prune_with_that_the_user_gave_are_not_among_those_of_fit() -> None:
    X, y = table(1)
    tree = tw.CARTClassifier(prune="reduced_error", random_state=0)
    tree.fit(X[:90], y[:90], X_val=X[90:], y_val=y[90:])
    assert tree.explain_split(0, X[:90], y[:90]).n == 90


def test_a_split_of_the_exact_method_that_tells_missing_from_known_is_explained() -> None:
    rng = np.random.default_rng(0)
    only = np.where(rng.random(90) < 0.5, np.nan, 1.0)
    X = np.column_stack([only, rng.standard_normal(90)])
    for sign in (1.0, -1.0):
        y = sign * np.isnan(only) + 0.1 * X[:, 1]
        booster = tw.NewtonBoostingRegressor(n_estimators=2, tree_method="exact").fit(X, y)
        report = booster.explain_split(0, X, y, tree=0)
        winner = report.winner
        assert winner is not None and winner.feature == "x0"
        assert sorted(branch.n for branch in winner.branches) == sorted(np.bincount(np.isnan(only)).tolist())
        stored = booster.explain_split(0, tree=0).winner
        assert [b.gradient for b in winner.branches] == pytest.approx([b.gradient for b in stored.branches])
