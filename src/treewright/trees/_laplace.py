"""Laplace's correction: a leaf that saw n rows, n_c of a class, says (n_c + 1) / (n + declared classes)."""

from __future__ import annotations

import numpy as np

from treewright.model import Tree
from treewright.model.arrays import parent_ids

__all__ = ["smoothed"]


def smoothed(tree: Tree, n_declared: int) -> Tree:
    """Return the tree with corrected class distributions; a branch without rows has its parent's counts."""
    arrays = tree.to_arrays()
    weight = arrays["weight"]
    # The root has rows, so its "parent" (the last node, by index -1) is never asked.
    weight = np.where(weight > 0, weight, weight[parent_ids(arrays)])[:, np.newaxis]
    value = arrays["value"]
    return Tree({**arrays, "value": (value * weight + 1.0) / (weight + n_declared)}, tree.n_codes)
