"""What is learned from: a divided table, what its columns look like, how well an estimator predicts it."""

from __future__ import annotations

from treewright.learning.described import describe, misleading, names_its_rows, problems
from treewright.learning.scores import cross_validated, folds, measured
from treewright.learning.table import LearningTable, column_values, task_of

__all__ = [
    "LearningTable",
    "column_values",
    "cross_validated",
    "describe",
    "folds",
    "measured",
    "misleading",
    "names_its_rows",
    "problems",
    "task_of",
]
