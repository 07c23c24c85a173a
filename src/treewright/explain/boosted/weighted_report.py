"""WeightedReport: how trees that vote with weights (AdaBoost) come to the answer for one row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.explain.boosted.weighted_page import weighted_page
from treewright.explain.frame import to_frame
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_text

__all__ = ["Member", "WeightedReport"]


@dataclass(frozen=True)
class Member:
    """What one tree says.

    Attributes
    ----------
    tree : int
        Number of the tree, and of its round.
    error : float
        Its error in fitting, on the rows as they were weighted for it.
    weight : float
        Its weight, as scikit-learn has it.
    alpha : float or None
        The books' α: half the weight for two classes, the weight for more; None where trees have none
        (SAMME.R, numbers).
    answer : str
        What it predicts.
    prediction : tuple of float
        Its probability of each class, or its number.
    votes : tuple of float
        What it adds to the score of each class; empty for numbers.
    leaf : int
        The node in which the row ends.
    """

    tree: int
    error: float
    weight: float
    alpha: float | None
    answer: str
    prediction: tuple[float, ...]
    votes: tuple[float, ...]
    leaf: int


@dataclass(frozen=True)
class WeightedReport:
    """How trees that vote with weights come to the answer for one row.

    Attributes
    ----------
    algorithm : str
        ``AdaBoost``.
    variant : {"SAMME", "SAMME.R", "R2"}
        Votes for classes, real-valued votes, or the weighted median of numbers.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for numbers.
    prediction : tuple of float
        Probability of each class, or the predicted number.
    sums : tuple of float
        Sum of the votes for each class; empty for numbers.
    total_weight : float
        Sum of the trees' weights.
    members : tuple of Member
        What each tree says.
    median_tree : int or None
        For numbers: the tree whose number is the weighted median; None for classes.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    variant: Literal["SAMME", "SAMME.R", "R2"]
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    sums: tuple[float, ...]
    total_weight: float
    members: tuple[Member, ...]
    median_tree: int | None
    notes: tuple[str, ...] = ()
    top: int = field(default=8, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/weighted_report.json describes them."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    def to_frame(self) -> Any:
        """Return one row per tree, as a DataFrame of the library that X came from, or pandas."""
        names = ("tree", "error", "weight", "alpha", "answer", "leaf")
        columns = {name: [getattr(one, name) for one in self.members] for name in names}
        labels = ["prediction"] if self.classes is None else [f"p({label})" for label in self.classes]
        for position, label in enumerate(labels):
            columns[label] = [one.prediction[position] for one in self.members]
        for position, label in enumerate(self.classes or ()):
            columns[f"vote({label})"] = [one.votes[position] for one in self.members]
        return to_frame(columns, self._frame)

    def _repr_html_(self) -> str:
        return page_to_html(weighted_page(self))

    def __str__(self) -> str:
        return page_to_text(weighted_page(self))
