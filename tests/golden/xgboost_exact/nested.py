"""Trees as nested tuples that can be compared digit by digit, the package's and ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Leaf:
    value: np.float32  # the learning rate is in it
    hessian: np.float32


@dataclass(frozen=True)
class Split:
    feature: int
    condition: np.float32  # x < condition goes left
    missing_left: bool
    gain: np.float32
    hessian: np.float32
    left: Leaf | Split
    right: Leaf | Split
    score: float = 0.0  # of the node as a leaf, where it is known: gains are differences of scores


def of_package(tree: dict[str, Any], node: int = 0) -> Leaf | Split:
    """Read a tree of the package's JSON model."""
    condition = np.float32(tree["split_conditions"][node])
    left, right = tree["left_children"][node], tree["right_children"][node]
    hessian = np.float32(tree["sum_hessian"][node])
    if left < 0:
        return Leaf(condition, hessian)
    return Split(
        int(tree["split_indices"][node]),
        condition,
        bool(tree["default_left"][node]),
        np.float32(tree["loss_changes"][node]),
        hessian,
        of_package(tree, left),
        of_package(tree, right),
    )


def of_arrays(arrays: dict[str, Any], learning_rate: float, node: int = 0) -> Leaf | Split:
    """Read a tree of boost_exact_tree."""
    hessian = np.float32(arrays["weight"][node])
    if arrays["kind"][node] == 0:
        return Leaf(np.float32(arrays["value"][node, 0]) * np.float32(learning_rate), hessian)
    child = int(arrays["first_child"][node])
    return Split(
        int(arrays["feature"][node]),
        condition_of(arrays["threshold"][node]),
        arrays["missing"][node] == 0,
        np.float32(2 * arrays["gain"][node]),
        hessian,
        of_arrays(arrays, learning_rate, child),
        of_arrays(arrays, learning_rate, child + 1),
        -2 * arrays["loss"][node],
    )


def condition_of(threshold: float) -> np.float32:
    """Return t such that x < t for every float32 x with x <= threshold, and for no other."""
    return np.nextafter(np.float32(threshold), np.float32(np.inf))


def differences(a: Leaf | Split, b: Leaf | Split, tie: float = 0.0, path: str = "root") -> list[str]:
    """Name the nodes that differ; below another test of the same gain nothing is compared.

    Gains are the same within `tie` times the larger of the gain and the node's score.
    """
    if not np.isclose(a.hessian, b.hessian, rtol=1e-6):
        return [f"{path}: hessian {a.hessian} is not {b.hessian}"]
    if isinstance(a, Leaf) or isinstance(b, Leaf):
        same = (
            isinstance(a, Leaf) and isinstance(b, Leaf) and np.isclose(a.value, b.value, rtol=1e-5, atol=1e-7)
        )
        return [] if same else [f"{path}: {a} is not {b}"]
    scale = max(float(b.gain), a.score, b.score)
    same_gain = abs(float(a.gain) - float(b.gain)) <= tie * scale
    same_test = (a.feature, a.condition, a.missing_left) == (b.feature, b.condition, b.missing_left)
    if not same_test:
        return [] if tie > 0 and same_gain else [f"{path}: {a} is not {b}"]
    found = [] if same_gain else [f"{path}: gain {a.gain} is not {b.gain}"]
    found += differences(a.left, b.left, tie, path + "/left")
    return found + differences(a.right, b.right, tie, path + "/right")


def count_splits(tree: Leaf | Split) -> int:
    return 0 if isinstance(tree, Leaf) else 1 + count_splits(tree.left) + count_splits(tree.right)
