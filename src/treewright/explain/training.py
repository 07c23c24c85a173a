"""Training: the rows of a fit as the engine has them, and the plan that the tree grew by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema, Table
from treewright.engine_results import DrawnTest, NodeCandidates
from treewright.model.node import Node
from treewright.recipe import Recipe

__all__ = ["NodeRows", "Training"]


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of one node.

    Attributes
    ----------
    rows : ndarray of uint32
        Their numbers in the training table.
    weights : ndarray of float64 or None
        Their weights in the node, shares of shared rows included; None: each counts 1.
    path : tuple of int
        The branches that lead from the root to the node.
    lower, upper : float
        The values that monotone constraints above the node allow.
    """

    rows: NDArray[np.uint32]
    weights: NDArray[np.float64] | None
    path: tuple[int, ...] = ()
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True, eq=False)
class Training:
    """What a tree is grown from.

    Attributes
    ----------
    algorithm : str
        Name of the estimator class.
    params : mapping of str to object
        The estimator's parameters.
    table : Table
        The rows of positive weight.
    target : ndarray of int32 or float64
        Class codes, or numbers.
    class_names : tuple of str, or None
        The classes in the order of their codes; None for numbers.
    weights : ndarray of float64 or None
        One weight per row; None: each counts 1.
    recipe : Recipe
        How the algorithm grows.
    settings : mapping of str to object
        What the parameters mean for this table, under the names of the native plan.
    n_threads : int
        Threads worth using.
    draw_is_known : bool
        Whether the features that `max_features` drew can be drawn again.
    draws_ties : bool
        Whether the order in which nodes compare their features was drawn.
    chance : str
        What else was drawn at the nodes, in a sentence, so that the best test need not be the chosen one.
    draw_again : callable or None
        Gives the random tests of a node, by the branches that lead to it; None where tests are not random.
    """

    algorithm: str
    params: Mapping[str, Any]
    table: Table
    target: NDArray[Any]
    class_names: tuple[str, ...] | None
    weights: NDArray[np.float64] | None
    recipe: Recipe
    settings: Mapping[str, Any]
    n_threads: int = 1
    draw_is_known: bool = True
    draws_ties: bool = False
    chance: str = ""
    draw_again: Callable[[tuple[int, ...]], list[DrawnTest]] | None = None

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        return self.table.schema

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @cached_property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def is_single(self) -> bool:
        """Whether shares of rows are products in single precision."""
        return self.recipe.arithmetic == "single"

    @property
    def pays_for_cuts(self) -> bool:
        """Whether the gain of a numeric test is reduced by the number of its cuts."""
        return bool(self.settings.get("cut_penalty")) or self.is_single

    @cached_property
    def dataset(self) -> _core.Dataset:
        """The rows as codes."""
        return self.table.to_dataset(self.recipe.max_bins, self.n_threads)

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """The rows as the fitted tree reads them."""
        return self.table.to_matrix()

    def all_rows(self) -> NodeRows:
        """Return the rows of the root."""
        return NodeRows(np.arange(self.n_rows, dtype=np.uint32), self.weights)

    def rows_of(self, place: Node) -> NodeRows:
        """Return the rows that reach a node of a fitted tree, sent down by the engine as in growing."""
        tree = _core.TreeRows(place.view.tree.to_arrays(), self.schema.n_codes)
        path = tuple(int(node.branch or 0) for node in place.path[1:])
        lower, upper = self._bounds(tree, place)
        return replace(self._reached(tree, place), path=path, lower=lower, upper=upper)

    def _reached(self, tree: _core.TreeRows, place: Node) -> NodeRows:
        return NodeRows(*tree.at(place.id, self.matrix, weights=self.weights, single=self.is_single))

    def _bounds(self, tree: _core.TreeRows, place: Node) -> tuple[float, float]:
        """Return the values that monotone constraints above a node allow."""
        signs = self.settings.get("monotone")
        bounds = (-np.inf, np.inf)
        if not signs:
            return bounds
        for above, below in pairwise(place.path):
            direction = signs[int(above.view.tree.feature[above.id])]
            if direction:
                left, right = (self._constrained(self._reached(tree, child)) for child in above.children)
                bounds = _core.child_bounds(*bounds, direction, left, right, int(below.branch or 0))
        return bounds

    def _constrained(self, rows: NodeRows) -> float:
        """Return what constraints are about: the number that rows predict, or the share of class two."""
        node = self.candidates(rows, features=[])["node"]
        amounts = node["amounts"][0]
        return float(amounts[0] if self.class_names is None else amounts[1] / node["weight"][0])

    def with_settings(self, **settings: Any) -> Training:
        """Return the same rows under a changed plan."""
        changed = replace(self, settings={**self.settings, **settings})
        changed.__dict__["dataset"] = self.dataset
        return changed

    def candidates(
        self, node: NodeRows, *, features: Sequence[int] | None = None, cuts: bool = False
    ) -> NodeCandidates:
        """Return the best test of each feature at a node, found by the engine itself."""
        asked: dict[str, Any] = {
            "dataset": self.dataset,
            "plan": self.recipe.plan(**self.settings),
            "rows": node.rows,
            "weights": node.weights,
            "total_weight": self.total_weight,
            "path": list(node.path),
            "lower": node.lower,
            "upper": node.upper,
            "features": None if features is None else list(features),
            "cuts": cuts,
            "n_threads": self.n_threads,
        }
        if self.class_names is None:
            return cast(NodeCandidates, _core.mean_candidates(y=self.target, **asked))
        found = _core.class_candidates(labels=self.target, n_classes=len(self.class_names), **asked)
        return cast(NodeCandidates, found)
