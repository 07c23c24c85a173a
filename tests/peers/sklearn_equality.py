"""Fit both libraries with the same settings and compare their trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.oracle.reference import Table
from tests.oracle.tree_view import TreeView
from tests.peers.compare_trees import Comparison, compare
from treewright import CARTClassifier, CARTRegressor

CLASS_CRITERIA = ("gini", "entropy")


def compare_with_sklearn(
    x: NDArray[np.float32],
    y: NDArray[Any],
    criterion: str,
    weight: NDArray[np.float64] | None = None,
    **parameters: Any,
) -> Comparison:
    """Grow both trees and walk them together."""
    classes = criterion in CLASS_CRITERIA
    ours = (CARTClassifier if classes else CARTRegressor)(criterion=criterion, **parameters)
    peer = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(
        criterion=criterion, random_state=0, **parameters
    )
    ours.fit(x, y, sample_weight=weight)
    peer.fit(x, y, sample_weight=weight)
    table = Table.build(x, y, weight, n_classes=len(np.unique(y)) if classes else 0)
    return compare(
        TreeView.of(ours),
        TreeView.of(peer),
        table,
        criterion,
        follow_ties="monotonic_cst" not in parameters,
        best_first="max_leaf_nodes" in parameters,
    )


def assert_equal(found: Comparison) -> None:
    """Fail with every difference that is not explained by a tie."""
    assert found.differences == [], found.differences[:5]
    assert found.identical + len(found.ties) > 0
