"""Trees that scikit-learn grew and that were stored with their data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.oracle_data import golden, load, names_of, needs_oracle
from tests.oracle.reference import Table
from tests.oracle.tree_view import LEAF, THRESHOLD, TreeView
from tests.peers.compare_trees import compare
from treewright import CARTClassifier

RUNS = [
    (criterion, name) for criterion in ("gini", "entropy") for name in names_of(f"sklearn-ccp-{criterion}")
]


def view_of(stored: dict[str, Any]) -> TreeView:
    """Read the stored arrays."""
    arrays = {name: np.array(values) for name, values in stored["tree_arrays"].items()}
    leaf = arrays["children_left"] < 0
    weight = arrays["n_node_samples"].astype(np.float64)
    larger_left = np.zeros(len(leaf), dtype=bool)
    inner = np.flatnonzero(~leaf)
    counts = arrays["n_node_samples"]
    larger_left[inner] = counts[arrays["children_left"][inner]] > counts[arrays["children_right"][inner]]
    return TreeView(
        kind=np.where(leaf, LEAF, THRESHOLD).astype(np.uint8),
        feature=arrays["feature"],
        first_child=arrays["children_left"],
        second_child=arrays["children_right"],
        n_children=np.where(leaf, 0, 2).astype(np.uint32),
        threshold=arrays["threshold"],
        missing=np.where(larger_left, 0, 1).astype(np.uint32),
        value=arrays["value_fraction"],
        rows=counts,
        weight=weight,
        loss=arrays["impurity"] * weight,
    )


@needs_oracle
@pytest.mark.parametrize(("criterion", "name"), RUNS)
def test_the_tree_is_the_stored_one_but_for_ties(criterion: str, name: str) -> None:
    data, stored = load(name), golden(f"sklearn-ccp-{criterion}", name)
    x = data.x.astype(np.float32)
    labels = np.unique(data.y, return_inverse=True)[1]
    estimator = CARTClassifier(criterion=criterion).fit(x, labels)
    table = Table.build(x.astype(np.float64), labels, n_classes=int(labels.max()) + 1)
    found = compare(TreeView.of(estimator), view_of(stored), table, criterion)
    assert found.differences == []
    assert found.identical + len(found.ties) > 0
