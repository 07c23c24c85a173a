"""SplitReport: the facts behind one split. Plain data; `treewright.explain.words` puts it into text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from treewright.explain.words import describe_report

__all__ = ["Branch", "Candidate", "SplitReport"]


@dataclass(frozen=True)
class Branch:
    """One side of a candidate.

    Attributes
    ----------
    words : str
        Which values go there, e.g. ``overcast`` or ``≤ 2.45``.
    n : int
        Training rows.
    weight : float
        Their weight.
    impurity : float
        Their impurity.
    """

    words: str
    n: int
    weight: float
    impurity: float


@dataclass(frozen=True)
class Candidate:
    """The best test of one feature at a node.

    Attributes
    ----------
    feature : str
        The feature's name.
    branches : tuple of Branch
        The sides of the test; empty when no test of the feature is admissible.
    impurity_after : float
        Weighted mean of the branches' impurities.
    decrease : float
        Impurity of the node minus `impurity_after`.
    chosen : bool
        Whether the tree tests this feature here.
    """

    feature: str
    branches: tuple[Branch, ...]
    impurity_after: float
    decrease: float
    chosen: bool


@dataclass(frozen=True)
class SplitReport:
    """Why a node tests what it tests.

    Attributes
    ----------
    node : int
        Number of the node.
    algorithm : str
        The estimator's name.
    criterion : str
        What impurity means.
    n : int
        Training rows in the node.
    weight : float
        Their weight.
    class_weights : tuple of (str, float), or None
        Weight of each class in the node, largest first; None for regression.
    impurity : float
        Impurity of the node.
    candidates : tuple of Candidate
        The best test of each feature, the largest decrease first.
    """

    node: int
    algorithm: str
    criterion: str
    n: int
    weight: float
    class_weights: tuple[tuple[str, float], ...] | None
    impurity: float
    candidates: tuple[Candidate, ...]

    @property
    def winner(self) -> Candidate | None:
        """The candidate that the tree uses, None for a leaf."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)

    @property
    def margin(self) -> float | None:
        """By how much the winner's decrease exceeds the next best one; None without a rival."""
        winner = self.winner
        rivals = [
            candidate.decrease for candidate in self.candidates if candidate.branches and not candidate.chosen
        ]
        return winner.decrease - max(rivals) if winner is not None and rivals else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values."""
        return asdict(self)

    def __str__(self) -> str:
        return describe_report(self)
