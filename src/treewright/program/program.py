"""Program: a whole model as steps: columns, trees, what they add up to, the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.program.answer import Answer
from treewright.program.steps import Steps
from treewright.program.voice import Voice

__all__ = ["Column", "Program"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Attributes
    ----------
    name : str
        Its name, verbatim.
    kind : {"numeric", "nominal", "ordinal"}
        Numbers, or categories, which become codes 1 … n. A category that was never seen is code n + 1
        (nominal) or counts as missing (ordinal).
    categories : tuple
        The categories (str, int, float, bool) in code order; () for numbers.
    zero_is_missing : bool
        Whether numbers of at most 1e-35, on both sides of 0, count as missing (LightGBM).
    """

    name: str
    kind: Literal["numeric", "nominal", "ordinal"]
    categories: tuple[Any, ...] = ()
    zero_is_missing: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.kind == "numeric"

    @property
    def unseen(self) -> int:
        """The code of a category that was never seen; 0 is missing."""
        return len(self.categories) + 1 if self.kind == "nominal" else 0


@dataclass(frozen=True, eq=False)
class Program:
    """A model as steps.

    The sums begin with `start`. Each tree adds its values, as its voice counts them, to the sums from its own
    `first_sum` on; then all sums are divided by `divisor`. Or, with `median_weights`, each tree gives one
    number, and the only sum is their weighted median: the first number, in rising order and by tree among
    equals, at which the weights so far reach half of them all.

    Attributes
    ----------
    algorithm : str
        Name of the estimator class.
    columns : tuple of Column
        The columns of a row, in order.
    trees : tuple of Steps
        The trees.
    first_sum : tuple of int
        Where each tree adds its values.
    voices : tuple of Voice or None
        How the values of each tree count; None: as they are.
    start : ndarray of float64
        What the sums begin with.
    divisor : float
        What they are divided by in the end.
    median_weights : ndarray of float64 or None
        Of the trees, where the median is taken.
    single_sums : bool
        Whether every sum is rounded to single precision, as in the package that a model came from.
    answer : Answer
        What sums become.
    target : str or None
        Name of what is predicted.
    """

    algorithm: str
    columns: tuple[Column, ...]
    trees: tuple[Steps, ...]
    first_sum: tuple[int, ...]
    voices: tuple[Voice | None, ...]
    start: Floats
    answer: Answer
    divisor: float = 1.0
    median_weights: Floats | None = None
    single_sums: bool = False
    target: str | None = None

    @property
    def n_sums(self) -> int:
        """Numbers that trees add up to."""
        return len(self.start)

    @property
    def used(self) -> list[int]:
        """The columns that some test looks at, ascending."""
        found: set[int] = set()
        for tree in self.trees:
            found.update(np.unique(tree.feature[tree.feature >= 0]).tolist())
            found.update(test.feature for tests in tree.substitutes.values() for test in tests)
        return sorted(found)
