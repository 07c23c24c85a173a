"""Importances of features, from what the nodes of a booster's trees say about themselves."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.model import Forest
from treewright.model.forest_arrays import FOREST_LEAF

__all__ = ["KINDS", "totals"]

KINDS: Final = ("gain", "count", "cover")


def totals(forest: Forest, kind: str, l2: float = 0.0, l1: float = 0.0) -> NDArray[np.float64]:
    """Return the sum over all tests of each feature.

    Parameters
    ----------
    forest : Forest
        Trees with gradients.
    kind : {"gain", "count", "cover"}
        What is added up: G²/(H+λ) of both children minus that of the node; 1; or the node's weight.
    l2, l1 : float, default=0.0
        λ and α of the leaves.
    """
    arrays = forest.arrays
    inner = np.flatnonzero(arrays["feature"] != FOREST_LEAF)
    if kind == "count":
        worth = np.ones(len(inner))
    elif kind == "cover":
        worth = arrays["weight"][inner].astype(np.float64)
    else:
        gradient = arrays["gradient"]
        shrunk = np.maximum(np.abs(gradient) - l1, 0.0)
        hessian = arrays["weight"].astype(np.float64) + l2
        worth_of_node = np.divide(shrunk * shrunk, hessian, out=np.zeros(len(shrunk)), where=hessian > 0)
        first_of_tree = np.repeat(arrays["begin"][:-1], forest.node_counts)
        left = first_of_tree[inner] + arrays["child"][inner]
        worth = np.maximum(worth_of_node[left] + worth_of_node[left + 1] - worth_of_node[inner], 0.0)
    sums = np.zeros(forest.n_features)
    np.add.at(sums, arrays["feature"][inner], worth)
    return sums
