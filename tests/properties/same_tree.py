"""Fitting an example, and comparing two trees up to what a property leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle.strategies import Example
from tests.oracle.tree_view import TreeView
from treewright import CARTClassifier, CARTRegressor


def fit(example: Example, x: Any = None, y: Any = None, weight: Any = None, **parameters: Any) -> Any:
    """Fit the estimator of the example's criterion on the example, or on what is given instead."""
    learner = CARTClassifier if example.is_classes else CARTRegressor
    return learner(criterion=example.criterion, **parameters).fit(
        example.frame() if x is None else x, example.y if y is None else y, sample_weight=weight
    )


def assert_same_shape(one: Any, other: Any) -> None:
    """Same nodes with the same columns and children."""
    first, second = TreeView.of(one), TreeView.of(other)
    for name in ("kind", "feature", "first_child", "n_children"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


def assert_same_numbers(one: Any, other: Any) -> None:
    """Same weight, loss, gain and value in every node, but for rounding."""
    first, second = TreeView.of(one), TreeView.of(other)
    scale = max(1.0, float(first.loss[0]))
    for name in ("weight", "loss", "gain", "value"):
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=1e-9, atol=1e-11 * scale, err_msg=name
        )


def assert_same_tests(one: Any, other: Any, x: NDArray[np.float64]) -> None:
    """Same thresholds, and the same way of every row at every node."""
    first, second = TreeView.of(one), TreeView.of(other)
    np.testing.assert_array_equal(first.threshold, second.threshold)
    for mine, theirs in zip(first.rows_by_node(x), second.rows_by_node(x), strict=True):
        np.testing.assert_array_equal(mine, theirs)
