"""What a forest says of its training rows: out-of-bag sums, permutation importance, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.core.forest_arrays import (
    N_CODES,
    Arrays,
    bootstrap_rule,
    dataset_of,
    labels_of,
    matrix_of,
    random_columns,
)

from treewright import _core

N_ROWS, N_TREES = 900, 40


class Grown:
    """A forest with all that it was grown from."""

    def __init__(
        self, has_classes: bool, max_bins: int = 0, bootstrap: bool = True, **plan_values: Any
    ) -> None:
        self.columns = random_columns(N_ROWS)
        self.dataset = dataset_of(self.columns, max_bins)
        self.matrix = matrix_of(
            [self.lowest_values(f) if n == 0 else self.columns[f] for f, n in enumerate(N_CODES)]
        )
        self.labels = labels_of(self.columns)
        self.y = self.labels + self.columns[0]
        self.rule = bootstrap_rule(N_ROWS) if bootstrap else _core.BagRule()
        plan = _core.GrowPlan()
        plan.max_features = 2
        for name, value in plan_values.items():
            setattr(plan, name, value)
        self.arrays: Arrays
        if has_classes:
            self.arrays = _core.grow_class_forest(
                self.dataset, self.labels, 3, None, plan, self.rule, 0, N_TREES, 2
            )
        else:
            plan.criterion = _core.Criterion.squared_error
            self.arrays = _core.grow_mean_forest(self.dataset, self.y, None, plan, self.rule, 0, N_TREES, 2)
        self.predictor = _core.ForestPredictor(self.arrays, N_CODES)
        self.outside = np.column_stack([_core.draw_bag(self.rule, N_ROWS, t) == 0 for t in range(N_TREES)])

    def lowest_values(self, feature: int) -> NDArray[np.float64]:
        """Return a column as the encoded table knows it: the lowest number of each row's bin."""
        lowest: NDArray[np.float64] = np.append(np.nan, self.dataset.values(feature)[0])
        return lowest[self.dataset.codes(feature)]


@pytest.mark.parametrize("max_bins", [0, 8])
def test_votes_of_rows_outside_the_bags_are_those_of_the_trees(max_bins: int) -> None:
    grown = Grown(has_classes=True, max_bins=max_bins)
    classes = grown.predictor.leaf_values(grown.matrix)
    sums, n_trees = _core.oob_values(grown.predictor, grown.dataset, grown.rule, 0, N_TREES, True, 2)
    np.testing.assert_array_equal(n_trees, grown.outside.sum(axis=1))
    expected = np.column_stack([((classes == k) & grown.outside).sum(axis=1) for k in range(3)])
    np.testing.assert_array_equal(sums, expected)


def test_means_of_rows_outside_the_bags_are_those_of_the_trees() -> None:
    grown = Grown(has_classes=False)
    values = grown.predictor.leaf_values(grown.matrix)
    sums, n_trees = _core.oob_values(grown.predictor, grown.dataset, grown.rule, 0, N_TREES)
    np.testing.assert_allclose(sums[:, 0], (values * grown.outside).sum(axis=1), rtol=1e-12, atol=1e-12)
    parts = [
        _core.oob_values(grown.predictor, grown.dataset, grown.rule, *part)
        for part in [(0, 15), (15, N_TREES)]
    ]
    np.testing.assert_array_equal(sum(part[1] for part in parts), n_trees)
    np.testing.assert_allclose(sum(part[0] for part in parts), sums, rtol=1e-12, atol=1e-12)
    again = _core.oob_values(grown.predictor, grown.dataset, grown.rule, 0, N_TREES, n_threads=3)
    np.testing.assert_array_equal(again[0], sums)


def test_shuffling_a_feature_that_matters_costs_accuracy() -> None:
    grown = Grown(has_classes=True, min_rows_leaf=5)
    found = _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.labels, 3, 1)
    assert found.shape == (N_TREES, 5, 3)
    decrease = found.mean(axis=(0, 2))
    assert set(np.argsort(decrease)[-2:]) == {0, 1}
    assert decrease[[0, 1]].min() > 0.05
    assert abs(decrease[3]) < 0.02  # noise
    np.testing.assert_array_equal(
        found,
        _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.labels, 3, 1, n_threads=2),
    )
    other = _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.labels, 3, 2)
    assert not np.array_equal(found, other)


def test_shuffling_a_feature_that_matters_raises_the_squared_error() -> None:
    grown = Grown(has_classes=False, min_rows_leaf=5)
    found = _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.y, 2)
    assert found.mean(axis=(0, 2)).argmax() == 0
    with pytest.raises(ValueError, match="needs a target"):
        _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.y[1:])
    with pytest.raises(TypeError, match="int32 labels or float64"):
        _core.oob_permutation(grown.predictor, grown.dataset, grown.rule, grown.y.astype(np.float32))


def plain_quantiles(
    grown: Grown, matrix: NDArray[Any], weights: NDArray[Any], q: list[float]
) -> NDArray[Any]:
    """Return Meinshausen's quantiles by his formulas; weights is (n_rows, n_trees)."""
    train, asked = grown.predictor.apply(grown.matrix), grown.predictor.apply(matrix)
    order = np.argsort(grown.y, kind="stable")
    found = []
    for leaves in asked:
        together = (train == leaves) * weights
        share = (together / together.sum(axis=0)).mean(axis=1)[order]
        found.append([grown.y[order][np.searchsorted(np.cumsum(share), level - 1e-10)] for level in q])
    return np.array(found)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("min_rows_leaf", [1, 30])
def test_quantiles_follow_meinshausens_formulas(bootstrap: bool, min_rows_leaf: int) -> None:
    grown = Grown(False, bootstrap=bootstrap, min_rows_leaf=min_rows_leaf, keep_leaf_rows=True)
    arrays = grown.arrays
    weights = np.column_stack([_core.draw_bag(grown.rule, N_ROWS, tree) for tree in range(N_TREES)])
    q = [0.05, 0.5, 0.95, 0.25]
    matrix = matrix_of(random_columns(60, seed=8))
    arguments = (grown.predictor, arrays["leaf_begin"], arrays["leaf_rows"], grown.y, None, grown.rule)
    found = _core.forest_quantiles(*arguments, matrix, np.array(q), 2)
    np.testing.assert_array_equal(found, plain_quantiles(grown, matrix, weights, q))
    kept = _core.ForestQuantiles(*arguments)
    np.testing.assert_array_equal(kept.predict(matrix, np.array(q)), found)
    np.testing.assert_array_equal(kept.predict(matrix[:1].astype(np.float64), np.array(q)), found[:1])


def test_weights_of_training_rows_count_in_quantiles() -> None:
    grown = Grown(False, bootstrap=False, min_rows_leaf=30, keep_leaf_rows=True)
    row_weights = np.random.default_rng(1).integers(0, 4, N_ROWS).astype(float)
    found = _core.forest_quantiles(
        grown.predictor,
        grown.arrays["leaf_begin"],
        grown.arrays["leaf_rows"],
        grown.y,
        row_weights,
        grown.rule,
        grown.matrix[:50],
        np.array([0.1, 0.5]),
    )
    weights = np.repeat(row_weights[:, np.newaxis], N_TREES, axis=1)
    np.testing.assert_array_equal(found, plain_quantiles(grown, grown.matrix[:50], weights, [0.1, 0.5]))


def test_quantiles_refuse_what_does_not_fit() -> None:
    grown = Grown(False, min_rows_leaf=30, keep_leaf_rows=True)
    begin, rows = grown.arrays["leaf_begin"], grown.arrays["leaf_rows"]

    def ask(begin: Any = begin, rows: Any = rows, y: Any = grown.y, q: float = 0.5) -> None:
        _core.forest_quantiles(
            grown.predictor, begin, rows, y, None, grown.rule, grown.matrix[:2], np.array([q])
        )

    ask()
    with pytest.raises(ValueError, match="do not belong"):
        ask(begin=begin[:-1].copy())
    with pytest.raises(ValueError, match="does not exist"):
        ask(rows=np.full_like(rows, N_ROWS))
    with pytest.raises(ValueError, match="finite"):
        ask(y=np.full(N_ROWS, np.nan))
    with pytest.raises(ValueError, match="between 0 and 1"):
        ask(q=-0.1)
