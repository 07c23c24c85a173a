"""RoundsReport: the rounds of AdaBoost, with errors, weights of trees and weights of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.explain.boosted.weighted_rounds_page import rounds_page, rounds_steps
from treewright.explain.formula import Step
from treewright.explain.frame import to_frame
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_latex, page_to_text

__all__ = ["RoundsReport", "RowWeight", "WeightedRound"]


@dataclass(frozen=True)
class RowWeight:
    """One row in one round.

    Attributes
    ----------
    row : int
        Number of the row in X.
    target : str
        Its class or number.
    answer : str
        What the round's tree says.
    loss : float
        1 where a class is wrong, 0 where it is right; for numbers the loss, 0 to 1.
    weight : float
        Its weight in the round; those of all rows add up to 1.
    next_weight : float or None
        Its weight after the round; None when it was the last that could be made.
    """

    row: int
    target: str
    answer: str
    loss: float
    weight: float
    next_weight: float | None


@dataclass(frozen=True)
class WeightedRound:
    """One round.

    Attributes
    ----------
    round : int
        Its number, from 0; also that of its tree.
    test : str
        What the root of the tree tests, in words; empty for a tree without a test.
    n_leaves : int
        Leaves of the tree.
    error : float
        e: the weight of the rows that the tree gets wrong; for numbers the mean loss.
    weight : float
        The tree's weight, as scikit-learn has it.
    alpha : float or None
        The books' α: half the weight for two classes, the weight for more; None where there is none.
    normalizer : float or None
        Z: what the weights of all rows add up to before they are made to add up to 1 again; only with data.
    training_score : float or None
        Accuracy or R² of the trees so far on the rows of the fit; only with data.
    rows : tuple of RowWeight
        Some rows; only with data.
    """

    round: int
    test: str
    n_leaves: int
    error: float
    weight: float
    alpha: float | None
    normalizer: float | None
    training_score: float | None
    rows: tuple[RowWeight, ...]


@dataclass(frozen=True)
class RoundsReport:
    """The rounds of AdaBoost.

    Attributes
    ----------
    algorithm : str
        ``AdaBoost``.
    variant : {"SAMME", "SAMME.R", "R2"}
        How trees vote.
    classes : tuple of str, or None
        The classes; None for numbers.
    learning_rate : float
        What the logarithms of the weights are multiplied with.
    loss : str or None
        The loss of a row, for numbers.
    rounds : tuple of WeightedRound
        The rounds.
    recomputed : bool
        Whether the rounds were gone through again with data.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    variant: Literal["SAMME", "SAMME.R", "R2"]
    classes: tuple[str, ...] | None
    learning_rate: float
    loss: str | None
    rounds: tuple[WeightedRound, ...]
    recomputed: bool
    notes: tuple[str, ...] = ()
    top: int = field(default=10, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The weight of every tree with its numbers put in."""
        return rounds_steps(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/rounds_report.json describes them."""
        plain = to_plain(self)
        return {**plain, "steps": [to_plain(step) for step in self.steps]}

    def to_frame(self) -> Any:
        """Return one row per round, as a DataFrame of the library that X came from, or pandas."""
        names = ("round", "test", "n_leaves", "error", "weight", "alpha", "normalizer", "training_score")
        return to_frame({name: [getattr(one, name) for one in self.rounds] for name in names}, self._frame)

    def to_latex(self) -> str:
        """Return the worked formulas as LaTeX (amsmath)."""
        return page_to_latex(rounds_page(self))

    def _repr_html_(self) -> str:
        return page_to_html(rounds_page(self))

    def __str__(self) -> str:
        return page_to_text(rounds_page(self))
