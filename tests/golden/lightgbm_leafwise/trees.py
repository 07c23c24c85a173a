"""Trees of the lightgbm package and ours as lists of splits: which rows went to which side, in order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FIXED: dict[str, Any] = {
    "learning_rate": 0.1,
    "min_data_in_bin": 1,
    "feature_pre_filter": False,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 1e-3,
    "lambda_l2": 0.0,
    "min_gain_to_split": 0.0,
    "max_bin": 255,
    "verbosity": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
}
NODES = ("number", "child", "feature", "flags")
MISSING_RIGHT = 1  # bit of `flags`


@dataclass(frozen=True)
class Table:
    """Rows to learn from."""

    x: Floats
    y: Floats
    weights: Floats | None = None


@dataclass(frozen=True)
class Split:
    """One test: its column and the rows of both sides, ascending."""

    feature: int
    left: Rows
    right: Rows

    def divides_as(self, other: Split) -> bool:
        """Tell whether two tests divide the same rows in the same way."""
        return np.array_equal(self.left, other.left) and np.array_equal(self.right, other.right)


@dataclass(frozen=True)
class GrownTree:
    """Splits in the order in which they were made, and what the leaves add to the score of each row."""

    splits: list[Split]
    step: Floats


def partition(tree: GrownTree) -> NDArray[np.intp]:
    """Return the leaf of every row, leaves numbered by their first rows."""
    label = np.zeros(len(tree.step), dtype=np.intp)
    for number, split in enumerate(tree.splits, start=1):
        label[split.right] = number
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return first[inverse]


def package_trees(table: Table, settings: dict[str, Any], rounds: int) -> tuple[Floats, list[GrownTree]]:
    """Train the package; return the score that all rows start from and the trees."""
    import lightgbm  # noqa: PLC0415 - only who compares needs it

    params = FIXED | settings
    data = lightgbm.Dataset(table.x, table.y, weight=table.weights, params=params)
    model = lightgbm.train(params, data, rounds)
    trees = [_package_tree(info["tree_structure"], table.x) for info in model.dump_model()["tree_info"]]
    start = our_start(table, settings)
    # The package keeps the start in the values of the first tree.
    trees[0] = GrownTree(trees[0].splits, trees[0].step - start)
    return start, trees


def _package_tree(root: dict[str, Any], x: Floats) -> GrownTree:
    made: dict[int, Split] = {}
    step = np.empty(len(x))
    waiting: list[tuple[dict[str, Any], Rows]] = [(root, np.arange(len(x)))]
    while waiting:
        node, rows = waiting.pop()
        if "split_index" not in node:
            step[rows] = node["leaf_value"]
            continue
        value = x[rows, node["split_feature"]]
        left = value <= node["threshold"]
        if node["missing_type"] == "NaN":
            left = np.where(np.isnan(value), node["default_left"], left)
        made[node["split_index"]] = Split(node["split_feature"], rows[left], rows[~left])
        waiting += [(node["left_child"], rows[left]), (node["right_child"], rows[~left])]
    return GrownTree([made[number] for number in sorted(made)], step)


def _objective(settings: dict[str, Any]) -> _core.Objective:
    return _core.Objective("squared_error" if settings["objective"] == "regression" else "log_loss")


def our_start(table: Table, settings: dict[str, Any]) -> Floats:
    """Return the score that our rows start from: the same as the package's."""
    start = np.asarray(_objective(settings).start(table.y, table.weights, None))
    return np.full(len(table.y), start.reshape(-1)[0])


def our_trees(table: Table, settings: dict[str, Any], rounds: int, raw: Floats) -> list[GrownTree]:
    """Grow our trees from given raw scores."""
    params = FIXED | settings
    plan = _core.BoostPlan()
    plan.learning_rate, plan.max_leaves = params["learning_rate"], params["num_leaves"]
    plan.min_rows_leaf = max(1, params["min_data_in_leaf"])
    plan.min_hessian_leaf = params["min_sum_hessian_in_leaf"]
    plan.l2, plan.min_gain = params["lambda_l2"], params["min_gain_to_split"]
    plan.drop_hopeless = True
    data = _core.Dataset.from_matrix(table.x, 255)
    start = raw.reshape(-1, 1).copy()
    grown = _core.boost(data, table.y, table.weights, start, _objective(settings), plan, rounds)
    return list(_our_trees(grown, table.x))


def _our_trees(grown: dict[str, Any], x: Floats) -> Iterator[GrownTree]:
    for first, end in itertools.pairwise(grown["begin"]):
        number, child, feature, flags = (grown[name][first:end] for name in NODES)
        made: dict[int, Split] = {}
        step = np.empty(len(x))
        waiting: list[tuple[int, Rows]] = [(0, np.arange(len(x)))]
        while waiting:
            node, rows = waiting.pop()
            if feature[node] < 0:
                step[rows] = number[node]
                continue
            value = x[rows, feature[node]]
            left = np.where(np.isnan(value), flags[node] & MISSING_RIGHT == 0, value <= number[node])
            below = int(child[node])  # children get their numbers in the order of the splits
            made[below] = Split(int(feature[node]), rows[left], rows[~left])
            waiting += [(below, rows[left]), (below + 1, rows[~left])]
        yield GrownTree([made[number] for number in sorted(made)], step)
