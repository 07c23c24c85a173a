"""Early stopping by cross-validation: one full tree per fold tells the error of every depth.

A tree that is grown level by level is the full tree cut at a depth, so nothing is grown twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning.held_out import HeldOut
from treewright.pruning.losses import LossSums
from treewright.pruning.sweep import depth_keys

__all__ = ["choose_depth", "cut_at_depth", "level_losses"]


def level_losses(held_out: HeldOut, max_depth: int) -> LossSums:
    """Return what the tree loses on held-out rows when it is cut at depth max_depth, ..., 1, 0.

    Parameters
    ----------
    held_out : HeldOut
        A fold's tree and rows.
    max_depth : int
        Depth of the deepest tree of all folds: cut there, a shallower one stays whole.
    """
    return held_out.losses(depth_keys(held_out.tree), -np.arange(max_depth, -1, -1.0))


def choose_depth(errors: NDArray[np.float64], tol: float = 0.0) -> int:
    """Return the depth at which growing stops: where one more level lowers the error by `tol` at most.

    Parameters
    ----------
    errors : ndarray of shape (max_depth + 1,)
        Cross-validated error of the trees of depth 0, 1, ..., max_depth.
    tol : float, default=0
        Least drop that is worth a level.
    """
    if not tol >= 0:
        raise ValueError(f"tol must not be negative. Got {tol!r} instead.")
    enough = np.flatnonzero(errors[:-1] - errors[1:] <= tol)
    return int(enough[0]) if len(enough) else len(errors) - 1


def cut_at_depth(tree: Tree, depth: int) -> Tree:
    """Return the tree without the nodes below a depth."""
    return collapse(tree, tree.node_depths >= depth)
