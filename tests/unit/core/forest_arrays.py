"""Forest arrays for the tests: grown by the engine, or taken from scikit-learn's forests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Arrays = dict[str, NDArray[Any]]

NUMERIC, NOMINAL = 0, 1
N_CODES = np.array([0, 0, 5, 0, 80], np.uint32)


def random_columns(n_rows: int, seed: int = 0) -> list[NDArray[Any]]:
    """Return three columns of numbers with missing values, and two of categories as codes."""
    random = np.random.default_rng(seed)
    numbers = [random.normal(size=n_rows).round(2) for _ in range(3)]
    numbers[1][random.random(n_rows) < 0.2] = np.nan
    few, many = (random.integers(0, n + 1, n_rows).astype(np.uint32) for n in (5, 80))
    return [numbers[0], numbers[1], few, numbers[2], many]


def dataset_of(columns: list[NDArray[Any]], max_bins: int = 0) -> _core.Dataset:
    """Encode the columns of `random_columns`."""
    kinds = [NOMINAL if n > 0 else NUMERIC for n in N_CODES]
    return _core.Dataset.from_columns(columns, kinds, N_CODES.tolist(), max_bins)


def matrix_of(columns: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Return the columns as prediction wants them: codes as numbers, NaN where a value is missing."""
    matrix = np.column_stack(columns).astype(float)
    for feature in np.flatnonzero(N_CODES):
        matrix[matrix[:, feature] == 0, feature] = np.nan
    return matrix


def labels_of(columns: list[NDArray[Any]]) -> NDArray[np.int32]:
    """Return three classes that depend on every column."""
    signal = columns[0] + np.nan_to_num(columns[1], nan=1.5) + (columns[2] % 2) + (columns[4] > 40)
    noise = np.random.default_rng(9).normal(size=len(signal))
    labels: NDArray[np.int32] = np.digitize(signal + noise, [0.5, 2.0]).astype(np.int32)
    return labels


def bootstrap_rule(n_rows: int, seed: int = 3) -> _core.BagRule:
    """Return the rule that draws as many rows as there are, with replacement."""
    rule = _core.BagRule()
    rule.seed, rule.draws, rule.replace = seed, n_rows, True
    return rule


def sklearn_tree(tree: Any) -> tuple[Arrays, NDArray[np.int64]]:
    """Renumber a scikit-learn tree so that children are adjacent; also return its ids in our order."""
    order, first_child, to_visit = [0], {}, [0]
    while to_visit:
        node = to_visit.pop()
        left = tree.children_left[order[node]]
        if left >= 0:
            first_child[node] = len(order)
            to_visit += [len(order) + 1, len(order)]
            order += [left, tree.children_right[order[node]]]
    ids = np.array(order)
    leaf = tree.children_left[ids] < 0
    arrays = {
        "number": np.where(leaf, 0.0, tree.threshold[ids]),
        "child": np.array([first_child.get(node, 0) for node in range(len(ids))], np.uint32),
        "feature": np.where(leaf, -1, tree.feature[ids]).astype(np.int16),
        "flags": np.where(leaf | (tree.missing_go_to_left[ids] == 1), 0, 1).astype(np.uint8),
        "weight": tree.weighted_n_node_samples[ids].astype(np.float32),
        "rows": tree.n_node_samples[ids].astype(np.uint32),
    }
    return arrays, ids


def sklearn_forest(forest: Any, has_classes: bool) -> tuple[Arrays, list[NDArray[np.int64]]]:
    """Return the arrays of a fitted scikit-learn forest, and each tree's own ids in our order."""
    trees, ids, distributions = [], [], {}
    for estimator in forest.estimators_:
        arrays, order = sklearn_tree(estimator.tree_)
        values = estimator.tree_.value[order, 0, :]
        for node in np.flatnonzero(arrays["feature"] < 0):
            if has_classes:
                arrays["child"][node] = distributions.setdefault(tuple(values[node]), len(distributions))
            else:
                arrays["number"][node] = values[node, 0]
        trees.append(arrays)
        ids.append(order)
    joined = {name: np.concatenate([tree[name] for tree in trees]) for name in trees[0]}
    joined["begin"] = np.cumsum([0] + [len(order) for order in ids]).astype(np.int64)
    joined["distributions"] = np.array(list(distributions)) if has_classes else np.zeros((0, 1))
    joined["tables"] = np.zeros(0, np.uint32)
    return joined, ids
