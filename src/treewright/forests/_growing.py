"""Growing the trees of a forest: many at once by the engine, or one after the other by any single tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema, Table
from treewright.engine_results import DrawnTest
from treewright.fitting.rows import TrainingRows
from treewright.forests._bags import Bags
from treewright.forests._size import check_size
from treewright.model import Forest, Tree
from treewright.recipe import Recipe

__all__ = ["EngineGrower", "Grower", "GrownTrees"]

Report = Callable[[int], object]


class GrownTrees(NamedTuple):
    """What growing gives.

    `importances` has a row per tree; `leaf_begin` and `leaf_rows` say which rows each leaf has, if that was
    asked for.
    """

    trees: Forest | tuple[Tree, ...]
    importances: NDArray[np.float64]
    leaf_begin: NDArray[np.int64] | None = None
    leaf_rows: NDArray[np.uint32] | None = None

    def after(self, earlier: GrownTrees) -> GrownTrees:
        """Return these trees behind earlier ones."""
        begin, rows = None, None
        if self.leaf_begin is not None and earlier.leaf_begin is not None:
            begin = np.concatenate([earlier.leaf_begin, earlier.leaf_begin[-1] + self.leaf_begin[1:]])
        if self.leaf_rows is not None and earlier.leaf_rows is not None:
            rows = np.concatenate([earlier.leaf_rows, self.leaf_rows])
        trees: Forest | tuple[Tree, ...]
        if isinstance(self.trees, Forest) and isinstance(earlier.trees, Forest):
            trees = earlier.trees.extended(self.trees)
        else:
            trees = (*earlier.trees, *self.trees)
        return GrownTrees(trees, np.concatenate([earlier.importances, self.importances]), begin, rows)


class Grower(Protocol):
    """Grows the trees of some bags."""

    def grow(self, bags: Bags, report: Report | None) -> GrownTrees:
        """Grow them; tells how many are done now and then."""


class EngineGrower:
    """Binary CART trees, grown in parallel by the engine.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    recipe : Recipe
        How a tree grows.
    settings : dict
        What the parameters mean for these rows, under the names of the native plan.
    rows : TrainingRows
        The rows; their table is encoded and let go.
    max_bins : int
        Most bins of a numeric column; 0: no bins.
    n_threads : int
        Threads to use.
    ask_again : bool
        Whether the trees are asked about these rows when they are grown.
    """

    def __init__(
        self,
        owner: str,
        recipe: Recipe,
        settings: dict[str, Any],
        rows: TrainingRows,
        max_bins: int,
        n_threads: int,
        ask_again: bool,
    ) -> None:
        self._owner = owner
        self._recipe = recipe
        self._max_bins = max_bins
        self._settings = settings
        self._plan = recipe.plan(**settings)
        self._rows = rows
        self._n_threads = n_threads
        # Counts of classes are exact, so what a sparse column does not store follows from what it does.
        counts = rows.n_classes is not None and rows.weights is None
        self._dataset: Any = rows.encode(max_bins, n_threads, keep=ask_again, keep_sparse=counts)
        self._encodes_again = max_bins > 0 or self._dataset.is_sparse
        if not self._encodes_again and isinstance(self._dataset, _core.Dataset):
            rows.table = None

    def dataset(self) -> _core.Dataset:
        """Return the rows to ask trees about: a bin does not say on which side of a threshold a row is."""
        if self._encodes_again or not isinstance(self._dataset, _core.Dataset):
            self._rows.table = self._rows.whole_table.in_memory()
            return self._rows.encode(0, self._n_threads)
        return self._dataset

    def grow(self, bags: Bags, report: Report | None) -> GrownTrees:
        """Grow the trees of the bags.

        Parameters
        ----------
        bags : Bags
            Which trees, on which rows.
        report : callable or None
            Is told how many trees are done.
        """
        if not isinstance(self._dataset, _core.Dataset):  # rows in other processes
            bare = replace(self._rows, table=None)
            task = ForestTask(self._owner, self._recipe, self._settings, bare, self._max_bins, bags)
            grown, self._rows.missing_features = self._dataset.grow_forest(task)
            found: GrownTrees = grown
            return found
        keep_rows = bool(self._settings.get("keep_leaf_rows", False))
        check_size(
            self._owner,
            bags.last - bags.first,
            self._settings,
            _rows_in_bag(bags),
            keep_rows,
            lambda: int(self._grown(bags, 1, None)["begin"][-1]),
        )
        arrays = self._grown(bags, bags.last - bags.first, report)
        if report is not None:
            report(bags.last - bags.first)  # the engine does not report what takes a moment
        importances = arrays.pop("importances")
        begin, kept = arrays.pop("leaf_begin", None), arrays.pop("leaf_rows", None)
        forest = Forest(arrays, self._rows.schema.n_codes, self._settings["criterion"])
        return GrownTrees(forest, importances, begin, kept)

    def drawn_tests(self, bags: Bags, path: Sequence[int]) -> list[DrawnTest]:
        """Return the random tests that a node chose from.

        Parameters
        ----------
        bags : Bags
            The one tree.
        path : sequence of int
            The branches that lead from its root to the node.
        """
        return cast("list[DrawnTest]", self._grown(bags, 1, None, list(path))["drawn"])

    def _grown(
        self, bags: Bags, n_trees: int, report: Report | None, path: list[int] | None = None
    ) -> dict[str, Any]:
        rows = self._rows
        # Weights are the chances to be drawn, or what a row counts when nothing is drawn.
        weights = rows.weights if bags.draws == 0 else None
        how = (self._plan, bags.rule, bags.first, n_trees, self._n_threads, report, path)
        if rows.n_classes is None:
            return dict(_core.grow_mean_forest(self._dataset, rows.target, weights, *how))
        return dict(_core.grow_class_forest(self._dataset, rows.target, rows.n_classes, weights, *how))


@dataclass(frozen=True, eq=False)
class ForestTask:
    """What grows the trees of some bags where the rows are; can be divided and sent there.

    Attributes
    ----------
    owner, recipe, settings, max_bins : str, Recipe, dict, int
        As of `EngineGrower`.
    rows : TrainingRows
        Targets and weights, without the table.
    bags : Bags
        Which trees.
    """

    owner: str
    recipe: Recipe
    settings: dict[str, Any]
    rows: TrainingRows
    max_bins: int
    bags: Bags

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.bags.last - self.bags.first

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.rows.schema

    def part(self, number: int, n_parts: int) -> ForestTask:
        """Return one of several parts of the trees."""
        first, last = (self.bags.first + self.n_trees * i // n_parts for i in (number, number + 1))
        return replace(self, bags=replace(self.bags, first=first, last=last))

    def grow(self, table: Table, n_threads: int) -> tuple[GrownTrees, list[int]]:
        """Grow the trees, and say which columns lack values."""
        rows = replace(self.rows, table=table)
        grower = EngineGrower(self.owner, self.recipe, self.settings, rows, self.max_bins, n_threads, False)
        return grower.grow(self.bags, None), list(rows.missing_features or ())

    @staticmethod
    def joined(parts: Sequence[tuple[GrownTrees, list[int]]]) -> tuple[GrownTrees, list[int]]:
        """Return the trees of all parts, in the order of their numbers."""
        (grown, missing), *others = parts
        for more, _ in others:
            grown = more.after(grown)
        return grown, missing


def _rows_in_bag(bags: Bags) -> int:
    """Return about how many different rows a bag holds."""
    if bags.draws == 0:
        return bags.n_kept
    if not bags.replace:
        return min(bags.draws, bags.n_kept)
    return max(1, round(bags.n_kept * -math.expm1(-bags.draws / bags.n_kept)))
