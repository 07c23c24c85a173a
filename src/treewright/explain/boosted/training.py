"""BoostTraining: the rows of a fit as one tree of a booster saw them, with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.explain.boosted.leaf_step import LeafStep
from treewright.explain.boosted.split_formula import Shrinkage
from treewright.explain.split_report import Cuts
from treewright.model.node import Node

__all__ = ["BoostTraining", "Offer"]

Floats = NDArray[np.float64]
Rows = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Offer:
    """The best test that a search finds for one feature.

    Attributes
    ----------
    feature : int
        The column.
    kind : {"threshold", "subset"} or None
        What sort of test; None when there is none.
    threshold : float
        The threshold; NaN for a subset.
    code_branches : ndarray of uint32 or None
        For a subset, the branch of each category.
    missing : int
        Where missing values go.
    n, gradient, hessian : tuple
        Rows and sums of both sides; empty when there is no test.
    reason : str
        Why there is none.
    """

    feature: int
    kind: str | None
    threshold: float = float("nan")
    code_branches: NDArray[np.uint32] | None = None
    missing: int = 0
    n: tuple[int, ...] = ()
    gradient: tuple[float, ...] = ()
    hessian: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False)
class BoostTraining:
    """What one tree of a booster is grown from.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_features)
        The rows as the fitted trees read them.
    gradient, hessian : ndarray of shape (n_rows,)
        First and second derivatives of the loss at the scores before the round, weights included; for trees
        of least squares the weights take the place of the hessians.
    search : callable
        Finds the best test of each feature among some rows, given the least and the largest value that
        monotone constraints above allow.
    directions : tuple of int
        What monotone constraints ask of each feature: -1, 0 or 1; empty when there are none.
    leaf_step : callable or None
        The value of a leaf with some rows; None where it is the quotient of its sums.
    seen : ndarray of bool or None
        Which rows the round drew; None: all of them.
    unseen : str
        Why it is not known which rows the round saw, in a sentence; empty when it is.
    chance : tuple of str
        What else may keep the best test from being chosen, in words.
    curve : callable or None
        The gain of every cut of a feature among some rows.
    """

    matrix: NDArray[np.generic]
    gradient: Floats
    hessian: Floats
    search: Callable[[Rows, float, float], Sequence[Offer]]
    directions: tuple[int, ...] = ()
    leaf_step: Callable[[Rows], LeafStep] | None = None
    seen: NDArray[np.bool_] | None = None
    unseen: str = ""
    chance: tuple[str, ...] = ()
    curve: Callable[[int, Rows, Shrinkage], Cuts | None] | None = None

    def rows_at(self, place: Node) -> Rows:
        """Return the rows that reach a node, of those that the round drew."""
        seen = None if self.seen is None else np.flatnonzero(self.seen).astype(np.uint32)
        return self.tree_rows(place).at(place.id, self.matrix, seen)[0]

    def bounds_at(self, place: Node, value: Callable[[float, float], float]) -> tuple[float, float]:
        """Return the least and the largest value that monotone constraints above a node allow.

        Parameters
        ----------
        place : Node
            The node.
        value : callable
            The value of a leaf with given sums of gradients and hessians, where nothing limits it.
        """
        bounds = (-np.inf, np.inf)
        if not self.directions:
            return bounds
        for above, below in pairwise(place.path):
            direction = self.directions[int(above.view.tree.feature[above.id])]
            if direction:
                left, right = (self._value_at(child, value, bounds) for child in above.children)
                bounds = _core.child_bounds(*bounds, direction, left, right, int(below.branch or 0))
        return bounds

    def _value_at(
        self, place: Node, value: Callable[[float, float], float], bounds: tuple[float, float]
    ) -> float:
        rows = self.rows_at(place)
        free = value(float(self.gradient[rows].sum()), float(self.hessian[rows].sum()))
        return min(max(free, bounds[0]), bounds[1])

    def branches_of(self, place: Node, rows: Rows) -> NDArray[np.uint32]:
        """Return the branch that each of the rows takes at an inner node."""
        return self.tree_rows(place).branches(place.id, self.matrix, rows)

    def tree_rows(self, place: Node) -> _core.TreeRows:
        """Return the engine's way through the tree of a node."""
        return _core.TreeRows(place.view.tree.to_arrays(), place.view.schema.n_codes)
