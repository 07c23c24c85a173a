"""The two contestants with equal settings, and what is compared besides time."""

from __future__ import annotations

from typing import Any

from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright
from benchmarks.datasets import Data
from treewright import CARTClassifier, CARTRegressor

#: Threads of our side. scikit-learn's single trees always run on one.
N_JOBS = 2


def ours(is_classes: bool, **params: Any) -> Any:
    """Return Treewright's estimator."""
    kind = CARTClassifier if is_classes else CARTRegressor
    return kind(n_jobs=N_JOBS, **params)


def theirs(is_classes: bool, **params: Any) -> Any:
    """Return scikit-learn's estimator. Its seed decides ties between features."""
    kind = DecisionTreeClassifier if is_classes else DecisionTreeRegressor
    return kind(random_state=0, **params)


def forests(name: str, **params: Any) -> tuple[Any, Any]:
    """Return an unfitted forest of both sides; its class has the same name in both libraries."""
    ours, theirs = (
        getattr(library, name)(n_jobs=N_JOBS, random_state=0, **params) for library in (treewright, ensemble)
    )
    return ours, theirs


def describe_forest(fitted: Any) -> dict[str, Any]:
    """Return the greatest depth, the mean number of leaves, the nodes, and the bytes of the trees' arrays."""
    if hasattr(fitted, "model_"):
        trees = fitted.model_.trees
        depth, leaves, nodes, n_bytes = max(trees.depths), trees.leaf_counts, trees.node_count, trees.nbytes
    else:
        states = [tree.tree_.__getstate__() for tree in fitted.estimators_]
        depth = max(state["max_depth"] for state in states)
        leaves = [tree.tree_.n_leaves for tree in fitted.estimators_]
        nodes = sum(state["node_count"] for state in states)
        n_bytes = sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
    return {
        "depth": int(depth),
        "leaves": round(sum(leaves) / len(leaves)),
        "nodes": int(nodes),
        "tree_bytes": int(n_bytes),
    }


def describe(fitted: Any, data: Data) -> dict[str, Any]:
    """Return depth, leaves and the training accuracy or R²."""
    return {
        "depth": int(fitted.get_depth()),
        "leaves": int(fitted.get_n_leaves()),
        "score": float(fitted.score(data.x, data.y)),
    }


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return what makes the two trees incomparable, as sentences; empty when they did the same work."""
    found = []
    for fact in ("depth", "leaves"):
        if abs(ours[fact] - theirs[fact]) > max(1, 0.02 * theirs[fact]):
            found.append(f"{fact} differ by more than 2 %: {ours[fact]} and {theirs[fact]}")
    if abs(ours["score"] - theirs["score"]) > 1e-3:
        found.append(f"training scores differ: {ours['score']:.5f} and {theirs['score']:.5f}")
    return found
