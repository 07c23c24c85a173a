"""Growing the trees of AdaBoost: CARTs on columns that are encoded once, other trees by their own fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treewright import _core
from treewright.fitting.rows import TrainingRows
from treewright.fitting.tree_copies import TreeCopies, is_plain_cart
from treewright.model import Model, Tree
from treewright.model.facts import WeightedFacts
from treewright.trees import CARTClassifier, CARTRegressor
from treewright.trees.single_tree import SingleTree

__all__ = ["MemberGrower", "member_grower", "seeded"]

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
            The `random_state` of the tree, for features that are drawn.
        """
        rows, settings = self._rows, self._settings
        if "seed" in settings:  # drawn as the tree's own fit draws it from `random_state`
            settings = {**settings, "seed": int(check_random_state(seed).randint(np.iinfo(np.int32).max))}
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


def seeded(params: Mapping[str, Any], model: Model, tree: int) -> dict[str, Any]:
    """Return the parameters of a member, with the seed that it was grown with where the model tells it.

    Each round draws one; a generator of the user has moved on since, and so it has where rows are drawn.
    """
    seed = WeightedFacts.of(model).seed
    if "random_state" not in params or seed is None or model.params.get("resample"):
        return dict(params)
    draws = check_random_state(seed).randint(np.iinfo(np.int32).max, size=tree + 1)
    return {**params, "random_state": int(draws[tree])}
