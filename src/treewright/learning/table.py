"""LearningTable: a table that was read from a file, divided into features, target and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.column import LARGEST_EXACT_INTEGER, Categories, Column, Numbers, Objects
from treewright.data.named_columns import NamedColumns
from treewright.files.kinds import are_whole

__all__ = ["LearningTable", "column_values", "task_of"]


@dataclass(frozen=True)
class LearningTable:
    """What a model learns from, or is measured on."""

    X: Any  # NamedColumns; a Scan where rows stay in their files
    y: Any
    weights: Any
    task: str
    target: str

    def target_column(self) -> Any:
        """Return y as `fit` takes it, with its name."""
        column = Numbers(self.y) if self.y.dtype.kind in "if" else Objects(self.y.tolist())
        return NamedColumns((self.target,), (column,), len(self.y))

    def take(self, rows: Any) -> LearningTable:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return LearningTable(self.X.take(rows), self.y[rows], weights, self.task, self.target)


def column_values(column: Column) -> Any:
    """Return a column as an array of labels or numbers: text, booleans, whole numbers as integers."""
    if isinstance(column, Numbers):
        values = np.asarray(column.values, dtype=np.float64)
        largest = np.abs(values[np.isfinite(values)]).max(initial=0)
        if np.isfinite(values).all() and are_whole(values) and largest <= LARGEST_EXACT_INTEGER:
            return values.astype(np.int64)
        return values
    assert isinstance(column, Categories), "files have numbers and categories"
    lookup = np.empty(len(column.categories) + 1, dtype=object)
    lookup[0], lookup[1:] = None, list(column.categories)
    return lookup[column.codes]


def task_of(column: Column) -> str:
    """Return what the kind of a target suggests: text and booleans are classes, numbers are numbers."""
    return "regression" if isinstance(column, Numbers) else "classification"
