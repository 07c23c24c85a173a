"""Growing the trees of AdaBoost: CARTs on columns that are encoded once, other trees by their own fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright import _core
from treewright.fitting.rows import TrainingRows
from treewright.fitting.tree_copies import TreeCopies, is_plain_cart
from treewright.model import Tree
from treewright.trees import CARTClassifier, CARTRegressor
from treewright.trees.single_tree import SingleTree

__all__ = ["MemberGrower", "member_grower"]

Floats = NDArray[np.float64]


class MemberGrower(Protocol):
    """Grows a tree on weighted rows."""

    def grow(self, weights: Floats, seed: int) -> Tree:
        """Return the tree."""


class CartMembers:
    """CART trees: the rows are encoded once.

    Parameters
    ----------
    template : CARTClassifier or CARTRegressor
        The tree to grow, without pruning.
    rows : TrainingRows
        The rows; their table is read and stays.
    n_jobs : int or None
        Threads to use, unless the template says something else.
    """

    def __init__(self, template: Any, rows: TrainingRows, n_jobs: int | None) -> None:
        self._rows = rows
        self._n_threads = int(effective_n_jobs(n_jobs if template.n_jobs is None else template.n_jobs))
        self._dataset = rows.encode(template.recipe.max_bins, self._n_threads, keep=True)
        # Whatever the weights of a round, they are 1 on average.
        self._settings = template._settings(replace(rows, weights=None))
        self._recipe = template.recipe

    def grow(self, weights: Floats, seed: int) -> Tree:
        """Grow a tree.

        Parameters
        ----------
        weights : ndarray of float64
            Positive; 1 on average.
        seed : int
            Of the features that are drawn.
        """
        rows, settings = self._rows, self._settings
        if "seed" in settings:
            settings = {**settings, "seed": seed}
        plan = self._recipe.plan(**settings)
        if rows.n_classes is None:
            arrays = _core.grow_means(self._dataset, rows.target, weights, plan, self._n_threads)
        else:
            arrays = _core.grow_classes(
                self._dataset, rows.target, rows.n_classes, weights, plan, self._n_threads
            )
        return Tree(arrays, rows.schema.n_codes)


def member_grower(
    template: SingleTree, rows: TrainingRows, y: Any, n_jobs: int | None, drawn: bool
) -> MemberGrower:
    """Return what grows copies of a tree.

    Parameters
    ----------
    template : SingleTree
        The tree.
    rows : TrainingRows
        The rows, prepared.
    y : object
        Their targets as the user has them.
    n_jobs : int or None
        Threads to use, unless the template says something else.
    drawn : bool
        Whether weights may be 0, because rows are drawn.
    """
    is_plain = is_plain_cart(template, CARTClassifier, CARTRegressor) and not float(template.ccp_alpha)
    if is_plain and not drawn:
        return CartMembers(template, rows, n_jobs)
    return TreeCopies(template, rows, y, n_jobs)
