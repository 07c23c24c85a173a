"""SumReport: how the trees of a booster add up to the answer for one row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treewright.explain.boosted.sum_page import sum_page
from treewright.explain.frame import to_frame
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_text

__all__ = ["FeatureSum", "ScoreSum", "SumReport", "TreeStep"]


@dataclass(frozen=True)
class ScoreSum:
    """One raw score of the row.

    Attributes
    ----------
    label : str or None
        The class that it speaks for; None for numbers.
    start : float
        The score before the first tree.
    offset : float
        What the row brought along; 0 when nothing was given.
    average : float
        What the trees add to the rows of the fit on average.
    trees : float
        What the trees add to this row.
    raw : float
        start + offset + trees.
    """

    label: str | None
    start: float
    offset: float
    average: float
    trees: float
    raw: float


@dataclass(frozen=True)
class TreeStep:
    """What one tree adds.

    Attributes
    ----------
    tree, round, output : int
        Number of the tree, of its round, and of the raw score that it adds to.
    step : float
        What it adds.
    raw : float
        That raw score afterwards.
    leaf : int
        The node in which the row ends.
    n : int
        Training rows there.
    n_tests : int
        Tests on the way.
    """

    tree: int
    round: int
    output: int
    step: float
    raw: float
    leaf: int
    n: int
    n_tests: int


@dataclass(frozen=True)
class FeatureSum:
    """What the tests of one feature add to one raw score.

    Attributes
    ----------
    feature : str
        The feature.
    value : str
        The row's value of it.
    output : int
        Number of the raw score.
    adds : float
        By how much the tests of the feature on the row's ways move the mean of the training rows, over all
        trees of the output.
    tests : int
        Number of these tests.
    trees : int
        Trees that have one.
    """

    feature: str
    value: str
    output: int
    adds: float
    tests: int
    trees: int


@dataclass(frozen=True)
class SumReport:
    """How the trees of a booster add up to the answer for one row.

    Attributes
    ----------
    algorithm : str
        E.g. ``NewtonBoosting``.
    loss : str
        The loss.
    link : {"identity", "log", "logit", "half_logit", "softmax"}
        From raw scores to answers.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for regression.
    prediction : tuple of float
        Probability of each class, or the predicted number.
    scores : tuple of ScoreSum
        The raw scores: one, or one per class.
    shown : int
        The raw score that the text tells about: that of the answer.
    n_rounds : int
        Rounds of the booster.
    trees : tuple of TreeStep
        What each tree adds, in their order.
    features : tuple of FeatureSum
        What each feature adds to each raw score, the largest amounts first. For each raw score
        start + offset + average + these = raw.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    loss: str
    link: str
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    scores: tuple[ScoreSum, ...]
    shown: int
    n_rounds: int
    trees: tuple[TreeStep, ...]
    features: tuple[FeatureSum, ...]
    notes: tuple[str, ...] = ()
    top: int = field(default=8, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def largest_trees(self) -> tuple[TreeStep, ...]:
        """The trees of the shown raw score, those that add most first, whatever the sign."""
        own = [one for one in self.trees if one.output == self.shown]
        return tuple(sorted(own, key=lambda one: -abs(one.step)))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/sum_report.json describes them."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    def to_frame(self) -> Any:
        """Return one row per tree, as a DataFrame of the library that X came from, or pandas."""
        names = ("tree", "round", "output", "step", "raw", "leaf", "n", "n_tests")
        return to_frame({name: [getattr(one, name) for one in self.trees] for name in names}, self._frame)

    def _repr_html_(self) -> str:
        return page_to_html(sum_page(self))

    def __str__(self) -> str:
        return page_to_text(sum_page(self))
