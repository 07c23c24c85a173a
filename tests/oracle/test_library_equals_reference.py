"""Every tree that the library grows is, node by node, what the plain learner would have grown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.reference import Settings
from tests.oracle.strategies import CRITERIA, Example, examples
from tests.oracle.tree_view import TreeView
from tests.oracle.verify import verify
from treewright import CARTClassifier, CARTRegressor

# Random tables are often too small for the limits; that the tree says so is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")

# The absolute error of categories is searched in another way.
BY_BUCKETS = tuple(criterion for criterion in CRITERIA if criterion != "absolute_error")
LIMITS: dict[str, dict[str, Any]] = {
    "no limit": {},
    "depth": {"max_depth": 2},
    "rows to split": {"min_samples_split": 6},
    "rows per leaf": {"min_samples_leaf": 3},
    "weight per leaf": {"min_weight_fraction_leaf": 0.15},
    "decrease": {"min_impurity_decrease": 0.03},
    "gain": {"min_gain": 0.05},
    "leaves": {"max_leaf_nodes": 4},
    "several": {"max_leaf_nodes": 5, "min_samples_leaf": 2, "max_depth": 3},
}

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fit(example: Example, **parameters: Any) -> Any:
    """Fit the estimator that belongs to the example's criterion."""
    learner = CARTClassifier if example.is_classes else CARTRegressor
    return learner(criterion=example.criterion, **parameters).fit(
        example.frame(), example.y, sample_weight=example.weight
    )


def assert_verified(estimator: Any, example: Example, limits: Settings) -> None:
    """Fail with the list of what is wrong."""
    # Subsets in order of their means hold the best one only while no limit forbids a side.
    limited = limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
    limited |= limits.criterion == "poisson" and bool(np.any(example.y == 0))
    optimal = not (limited and any(example.nominal))
    assert verify(TreeView.of(estimator), example.table(), limits, optimal=optimal).problems == []


@pytest.mark.parametrize("limits", LIMITS.values(), ids=list(LIMITS))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_numeric_trees_are_the_reference_trees(criterion: str, limits: dict[str, Any]) -> None:
    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(examples(criteria=(criterion,), nominal=False))
    def check(example: Example) -> None:
        assert_verified(fit(example, **limits), example, Settings(criterion=criterion, **limits))

    check()


@quick
@given(
    examples(criteria=tuple(c for c in CRITERIA if c != "absolute_error")), st.sampled_from(sorted(LIMITS))
)
def test_trees_with_categories_are_the_reference_trees(example: Example, name: str) -> None:
    limits = LIMITS[name]
    assert_verified(fit(example, **limits), example, Settings(criterion=example.criterion, **limits))


@quick
@given(
    examples(nominal=False, missing=False),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3),
    st.booleans(),
)
def test_trees_with_monotone_constraints_are_the_reference_trees(
    example: Example, signs: list[int], best_first: bool
) -> None:
    if example.is_classes:
        example = Example(
            example.x, np.minimum(example.y, 1), example.weight, example.nominal, example.criterion
        )
    constraints = tuple(signs[: example.x.shape[1]])
    limits: dict[str, Any] = {"monotonic_cst": constraints} | ({"max_leaf_nodes": 5} if best_first else {})
    assert_verified(fit(example, **limits), example, Settings(criterion=example.criterion, **limits))


@quick
@given(examples())
def test_applying_the_tree_to_its_training_rows_gives_the_counts_of_its_nodes(example: Example) -> None:
    if example.criterion == "absolute_error" and any(example.nominal):
        return
    estimator = fit(example)
    tree = estimator.tree_
    leaves = estimator.apply(example.frame())
    counts = np.bincount(leaves, minlength=tree.node_count)
    is_leaf = tree.children_left < 0
    np.testing.assert_array_equal(counts[is_leaf], tree.n_node_samples[is_leaf])
    assert counts[~is_leaf].sum() == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_threshold_between_neighbouring_floats_still_separates_them(dtype: Any) -> None:
    below = dtype(1.0)
    above = np.nextafter(below, dtype(2.0), dtype=dtype)
    x = np.array([[below], [above]], dtype=dtype)
    estimator = CARTClassifier().fit(x, [0, 1])
    assert float(below) <= estimator.tree_.threshold[0] < float(above)
    assert estimator.predict(x).tolist() == [0, 1]


def test_infinite_values_are_the_largest_and_the_smallest() -> None:
    x = np.array([[-np.inf], [1.0], [2.0], [np.inf]])
    estimator = CARTClassifier().fit(x, [0, 1, 1, 0])
    assert estimator.predict(x).tolist() == [0, 1, 1, 0]
    # There is no middle to an infinite value: the cut stands at the lower neighbour.
    assert sorted(estimator.tree_.threshold[estimator.tree_.children_left >= 0].tolist()) == [-np.inf, 2.0]
