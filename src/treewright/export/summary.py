"""A model of many trees as a short table: how large the trees are, and what they test most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.export.source import model_of
from treewright.model.booster_importances import booster_totals
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.model.text import printable

__all__ = ["export_summary", "importances_of"]

MAX_FEATURES = 10
HOW = {
    "one": "its answer",
    "mean": "the mean of their answers",
    "votes": "the class with most votes",
    "sum": "from their sum",
    "weighted": "by their weights",
}


def export_summary(
    model: Any, *, max_features: int = MAX_FEATURES, feature_names: Sequence[str] | None = None
) -> str:
    """Return the trees of a model as a short table.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    max_features : int, default=10
        How many of the most important features to list.
    feature_names : sequence of str, optional
        Names to print instead of those of the training data.

    Returns
    -------
    str
        Nodes, leaves and depths, then the most important features, without a line break at the end.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> from treewright.datasets import load_tennis
    >>> from treewright.export import export_summary
    >>> X, y, names, target = load_tennis()
    >>> print(export_summary(CARTClassifier(max_depth=2).fit(X, y), feature_names=names))
    CARTClassifier: 1 tree, gini, predicts its answer
    <BLANKLINE>
             in all   least   median   most
    nodes         5       5        5      5
    leaves        3       3        3      3
    depth                 2        2      2
    <BLANKLINE>
    importance   feature
        0.5575   humidity
        0.4425   outlook
    """
    check_count("max_features", max_features, 1)
    found = model_of(model, "export_summary")
    names = found.names(feature_names)
    n_trees = len(found.trees)
    trees = "1 tree" if n_trees == 1 else f"{n_trees} trees"
    # The trees of a booster make its loss small, whatever they are grown by.
    criterion = (found.loss or found.criterion).replace("_", " ")
    lines = [f"{found.algorithm}: {trees}, {criterion}, predicts {HOW[found.aggregation]}", ""]
    lines += _size_table(found)
    if isinstance(found.trees, Forest):
        lines.append(f"{found.trees.nbytes} bytes, {found.trees.bytes_per_node:.1f} per node")
    importances = importances_of(found)
    if importances is not None:
        lines += ["", *_feature_table(importances, names, max_features)]
    return "\n".join(lines)


def _size_table(model: Model) -> list[str]:
    trees = model.trees
    if isinstance(trees, Forest):
        sizes = {"nodes": trees.node_counts, "leaves": trees.leaf_counts, "depth": trees.depths}
    else:
        sizes = {
            "nodes": np.array([tree.node_count for tree in trees]),
            "leaves": np.array([tree.n_leaves for tree in trees]),
            "depth": np.array([tree.max_depth for tree in trees]),
        }
    rows = [("", "in all", "least", "median", "most")]
    for name, counts in sizes.items():
        whole = "" if name == "depth" else str(counts.sum())
        rows.append((name, whole, str(counts.min()), f"{np.median(counts):g}", str(counts.max())))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return [
        "   ".join([row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in range(1, 5))]) for row in rows
    ]


def importances_of(model: Model) -> NDArray[np.float64] | None:
    """Return the importance of each feature; None when the model does not know it."""
    stored = model.arrays.get("importances")
    if stored is not None:
        of_forest = np.asarray(stored if stored.ndim == 1 else stored.mean(axis=0), dtype=np.float64)
        whole = of_forest.sum()  # less than 1 where trees without a test are among the others
        return of_forest / whole if whole > 0 else of_forest
    if isinstance(model.trees, Forest):
        if model.aggregation != "sum" or "gradient" not in model.trees.arrays:
            return None
        sums = booster_totals(model, "gain")
        whole = sums.sum()
        return sums / whole if whole > 0 else sums
    own = [tree.compute_feature_importances() for tree in model.trees]
    weights = model.arrays.get("estimator_weights")
    return np.asarray(np.average(own, axis=0, weights=weights), dtype=np.float64)


def _feature_table(importances: NDArray[np.float64], names: Sequence[str], most: int) -> list[str]:
    order = [i for i in np.argsort(-importances, kind="stable").tolist() if importances[i] > 0]
    lines = ["importance   feature"]
    lines += [f"{importances[i]:10.4f}   {printable(names[i])}" for i in order[:most]]
    if len(order) > most:
        lines.append(f"{importances[order[most:]].sum():10.4f}   … {len(order) - most} more")
    return lines
