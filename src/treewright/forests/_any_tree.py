"""Growing bags of any single tree of the library, one after the other, on a common table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.fitting.rows import TrainingRows
from treewright.fitting.tree_copies import TreeCopies
from treewright.forests._bags import Bags
from treewright.forests._growing import GrownTrees, Report
from treewright.forests._size import check_trees
from treewright.model import Tree

__all__ = ["AnyTreeGrower", "member_seed"]


def member_seed(bags: Bags, tree: int) -> int:
    """Return the `random_state` of a tree."""
    return int(np.random.SeedSequence([bags.seed, tree]).generate_state(1)[0] >> 1)


class AnyTreeGrower:
    """Fits a copy of an estimator to each bag.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    template : estimator
        A single tree of the library.
    rows : TrainingRows
        The rows; their table is changed to what the algorithm sees of it.
    y : object
        Their targets as the user has them.
    n_jobs : int or None
        Threads for each tree, unless the template says something else.
    """

    def __init__(self, owner: str, template: Any, rows: TrainingRows, y: Any, n_jobs: int | None) -> None:
        self._owner = owner
        self._rows = rows
        rows.table = rows.whole_table.in_memory()  # trees of any kind are grown here, from all rows
        template._prepare(rows)
        self._copies = TreeCopies(template, rows, y, n_jobs)

    def grow(self, bags: Bags, report: Report | None) -> GrownTrees:
        """Grow the trees of the bags.

        Parameters
        ----------
        bags : Bags
            Which trees, on which rows and columns.
        report : callable or None
            Is told how many trees are done.
        """
        trees: list[Tree] = []
        importances: list[NDArray[np.float64]] = []
        for tree in range(bags.first, bags.last):
            grown = self._tree(bags, tree)
            if not trees:
                check_trees(self._owner, bags.last - bags.first, grown)
            trees.append(grown)
            importances.append(grown.compute_feature_importances())
            if report is not None:
                report(tree + 1 - bags.first)
        return GrownTrees(tuple(trees), np.array(importances))

    def _tree(self, bags: Bags, tree: int) -> Tree:
        weights = self._rows.weights if bags.draws == 0 else bags.counts(tree).astype(np.float64)
        columns = bags.columns(tree, len(self._rows.schema.features)) if bags.features else None
        return self._copies.grow(weights, member_seed(bags, tree), columns)
