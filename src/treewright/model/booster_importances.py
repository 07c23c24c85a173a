"""Importances of features, from what the nodes of a booster say about themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.facts import BoosterFacts
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.model import Model

__all__ = ["booster_totals"]


def booster_totals(model: Model, kind: str, *, by_tree: bool = False) -> NDArray[np.float64]:
    """Return the sum over the tests of each feature, of all trees or of each.

    Parameters
    ----------
    model : Model
        A booster whose trees have gradients.
    kind : {"gain", "count", "cover"}
        What is added up: G²/(H+λ) of both children minus that of the node; 1; or the node's weight.
    by_tree : bool, default=False
        Whether each tree has a line of its own.

    Returns
    -------
    sums : ndarray of shape (n_features,), or (n_trees, n_features) if `by_tree`
        The sums.
    """
    forest = model.trees
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    arrays = forest.arrays
    inner = np.flatnonzero(arrays["feature"] != FOREST_LEAF)
    if kind == "count":
        worth = np.ones(len(inner))
    elif kind == "cover":
        worth = arrays["weight"][inner].astype(np.float64)
    else:
        facts = BoosterFacts.of(model)
        shrunk = np.maximum(np.abs(arrays["gradient"]) - facts.l1, 0.0)
        hessian = arrays["weight"].astype(np.float64) + facts.l2
        worth_of_node = np.divide(shrunk * shrunk, hessian, out=np.zeros(len(shrunk)), where=hessian > 0)
        first_of_tree = np.repeat(arrays["begin"][:-1], forest.node_counts)
        left = first_of_tree[inner] + arrays["child"][inner]
        worth = np.maximum(worth_of_node[left] + worth_of_node[left + 1] - worth_of_node[inner], 0.0)
    if not by_tree:
        sums = np.zeros(forest.n_features)
        np.add.at(sums, arrays["feature"][inner], worth)
        return sums
    lines = np.zeros((len(forest), forest.n_features))
    tree = np.repeat(np.arange(len(forest)), forest.node_counts)[inner]
    np.add.at(lines, (tree, arrays["feature"][inner]), worth)
    return lines
