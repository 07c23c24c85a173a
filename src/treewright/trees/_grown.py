"""Grown: a tree before it is pruned by the parameters of pruning, with the rows it was grown on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.model import Tree

__all__ = ["Grown"]


@dataclass(frozen=True, eq=False)
class Grown:
    """What growing gives.

    Attributes
    ----------
    tree : Tree
        The tree, after the algorithm's own pruning.
    leaves_before : int
        Its leaves before that.
    schema : Schema
        The features as the tree sees them.
    outputs : dict
        Task and classes, as `Model` takes them.
    target : ndarray of shape (n_rows,)
        Position in `classes` of each row's class, or its number.
    n_rows_read : int
        Rows of X.
    rows : ndarray of int or None
        Which of them it was grown on; None: all.
    weights : ndarray of shape (n_rows,) or None
        Their weights.
    tie_order : ndarray of int or None
        Classes in the order in which ties are broken, by their position in `classes`; None: as they are.
    """

    tree: Tree
    leaves_before: int
    schema: Schema
    outputs: dict[str, Any]
    target: NDArray[Any]
    n_rows_read: int
    rows: NDArray[np.intp] | None
    weights: NDArray[np.float64] | None
    tie_order: NDArray[np.int64] | None = None

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in the order of the tree's values; None for regression."""
        found: NDArray[Any] | None = self.outputs.get("classes")
        return found

    def columns_of(self, classes: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the column of each row's class in the tree's values, -1 for a class that it does not know.

        Parameters
        ----------
        classes : ndarray
            Labels.
        codes : ndarray of int
            Position of each row's class among them.
        """
        own = [] if self.classes is None else self.classes.tolist()
        place = {label: position for position, label in enumerate(own)}
        columns = np.array([place.get(label, -1) for label in classes.tolist()], dtype=np.int64)
        found: NDArray[np.int64] = columns[codes]
        return found
