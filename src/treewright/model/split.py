"""Split: what a node tests, in words. The one place that turns thresholds and category tables into text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.arrays import EVERY_BRANCH, KIND_MULTIWAY, KIND_SUBSET, KIND_THRESHOLD
from treewright.model.number import LEAST_DIGITS, format_threshold
from treewright.model.text import MAX_LISTED, listed

if TYPE_CHECKING:
    from treewright.data import Feature

__all__ = ["Split", "SplitKind", "branches_of_codes"]

SplitKind = Literal["threshold", "subset", "multiway"]
KIND_NAMES: dict[int, SplitKind] = {
    KIND_THRESHOLD: "threshold",
    KIND_SUBSET: "subset",
    KIND_MULTIWAY: "multiway",
}


def branches_of_codes(
    tables: NDArray[np.uint32], offset: int, codes: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Look up the branch of each code in the table at `offset`; core/tree/table.h defines the layout."""
    return _core.branches_of_codes(tables, offset, np.ascontiguousarray(codes, dtype=np.uint32))


@dataclass(frozen=True, eq=False)
class Split:
    """The test of one node.

    Attributes
    ----------
    feature : Feature
        The feature that is tested.
    kind : {"threshold", "subset", "multiway"}
        ``x <= threshold``, a set of categories against the rest, or one branch per category.
    n_branches : int
        Number of branches.
    threshold : float
        The threshold; NaN for a test of categories. An ordinal feature has it between two codes.
    missing_branch : int or None
        Branch of a missing value; None when it goes down every branch with its share or ends at the node.
    code_branches : ndarray or None
        For tests of categories, the branch of each category in the order of ``feature.categories``.
    digits : int
        Significant digits a threshold needs to differ from the others on this feature.
    """

    feature: Feature
    kind: SplitKind
    n_branches: int
    threshold: float
    missing_branch: int | None
    code_branches: NDArray[np.uint32] | None = None
    digits: int = LEAST_DIGITS

    def categories(self, branch: int) -> tuple[Any, ...]:
        """Return the categories that take a branch, in the feature's order; () for a numeric feature."""
        names = self.feature.categories
        if names is None:
            return ()
        if self.code_branches is None:
            codes = np.arange(1, len(names) + 1)
            left = codes <= self.threshold
            return tuple(name for name, here in zip(names, left == (branch == 0), strict=True) if here)
        return tuple(
            name for name, of in zip(names, self.code_branches, strict=True) if of in (branch, EVERY_BRANCH)
        )

    def describe(self, branch: int, most: int | None = None) -> str:
        """Say in words what holds for a row that takes a branch, e.g. ``worst radius ≤ 16.795``.

        Parameters
        ----------
        branch : int
            The branch.
        most : int, optional
            About how many characters a list of categories may have; what is left out is counted. By default
            all categories are named.
        """
        if not 0 <= branch < self.n_branches:
            raise IndexError(f"a branch of this split is 0 to {self.n_branches - 1}, not {branch}")
        name = self.feature.name
        if self.kind == "threshold" and self.threshold == np.inf:
            return f"{name} is {'known' if branch == 0 else 'missing'}"
        if self.feature.kind == "ordinal" and self.kind == "threshold":
            return self._describe_order(branch, most)
        if self.kind == "threshold":
            return f"{name} {'≤' if branch == 0 else '>'} {format_threshold(self.threshold, self.digits)}"
        chosen = self.categories(branch)
        if not chosen and self.missing_branch == branch:
            return f"{name} is missing"
        return f"{name} {_among(chosen, most)}"

    def _describe_order(self, branch: int, most: int | None) -> str:
        # An ordinal threshold stands between two codes: name the last category of the lower side.
        lower = self.categories(0)
        if not lower:
            return f"{self.feature.name} {_among(self.categories(branch), most)}"
        return f"{self.feature.name} {'≤' if branch == 0 else '>'} {lower[-1]}"

    def __str__(self) -> str:
        return self.describe(0, MAX_LISTED) if self.n_branches == 2 else self.feature.name


def _among(categories: Sequence[Any], most: int | None) -> str:
    """Say that a value is one of some categories."""
    if len(categories) == 1:
        return f"= {categories[0]}"
    words = ", ".join(map(str, categories)) if most is None else listed(categories, most)
    return f"in {{{words}}}"
