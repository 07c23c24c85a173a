"""BoostSplitReport: the sums of gradients behind one split of a boosted tree. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.explain.boosted.formula import split_steps
from treewright.explain.boosted.page import split_page
from treewright.explain.formula import Step
from treewright.explain.frame import to_frame
from treewright.explain.plain import to_plain
from treewright.explain.render import page_to_html, page_to_latex, page_to_text

__all__ = ["BoostBranch", "BoostCandidate", "BoostSplitReport", "BoostSums", "Method"]

Method = Literal["newton", "least_squares"]


@dataclass(frozen=True)
class BoostSums:
    """What is known about some rows.

    Attributes
    ----------
    n : int
        Their number.
    gradient : float
        G: the sum of their gradients.
    hessian : float
        H: the sum of their hessians; of least-squares trees the sum of their weights.
    value : float
        What a leaf of these rows answers before the learning rate: −G / (H + λ).
    score : float
        G² / (H + λ): twice what that value takes off the loss; of least-squares trees what it takes off the
        squared error.
    """

    n: int
    gradient: float
    hessian: float
    value: float
    score: float


@dataclass(frozen=True)
class BoostBranch(BoostSums):
    """One side of a test.

    Attributes
    ----------
    words : str
        Which values go there, e.g. ``≤ 2.45``.
    """

    words: str = ""


@dataclass(frozen=True)
class BoostCandidate:
    """The best test of one feature at a node.

    Attributes
    ----------
    feature : str
        The feature's name.
    index : int
        Its column.
    kind : {"threshold", "subset"} or None
        What sort of test; None when the feature offers none.
    threshold : float or None
        The threshold of a numeric test.
    missing_branch : int or None
        Where missing values go: 0 left, 1 right.
    branches : tuple of BoostBranch
        The two sides; empty when the feature offers no test.
    gain : float
        Scores of both sides minus that of the node, without the factor ½.
    more_l2 : float
        What is added to λ for the sides while tests compete: subsets of many categories must earn more.
    competing_gain : float
        The gain with it: what tests compete on, and what is compared with γ.
    admissible : bool
        Whether the test may win.
    reason : str
        Why it may not.
    chosen : bool
        Whether the tree tests this here.
    """

    feature: str
    index: int
    kind: str | None
    threshold: float | None
    missing_branch: int | None
    branches: tuple[BoostBranch, ...]
    gain: float
    more_l2: float
    competing_gain: float
    admissible: bool
    reason: str
    chosen: bool


@dataclass(frozen=True)
class BoostSplitReport:
    """Why a node of a boosted tree tests what it tests, or why a leaf answers what it answers.

    Attributes
    ----------
    node, tree, round, output : int
        Number of the node, of its tree, of the tree's round (from 0) and of the raw score that it adds to.
    output_name : str or None
        The class of that raw score; None for numbers.
    n_trees, n_outputs : int
        Trees of the booster, and trees per round.
    depth : int
        Number of tests above the node.
    condition : tuple of str
        These tests, in words.
    algorithm : str
        E.g. ``NewtonBoosting``.
    loss : str
        The loss whose gradients are summed up.
    method : {"newton", "least_squares"}
        Whether trees are grown on gradients and hessians, or by least squares on negative gradients.
    l2, l1, gamma, max_step, learning_rate : float
        λ, α, γ (which the gain without the factor ½ must exceed), the limit of a leaf's value (0: none), and
        what the value of a leaf is multiplied with.
    node_sums : BoostSums
        The rows of the node, their sums, value and score.
    is_leaf : bool
        Whether the node tests nothing.
    step : float or None
        What a leaf adds to the raw score; None for inner nodes.
    own_value : float or None
        The same before the learning rate, where it is the leaf's own line search or a limit and not
        −G / (H + λ); None elsewhere.
    candidates : tuple of BoostCandidate
        The test of the node; with data the best test of each feature, the best first.
    stored : BoostSums or None
        With data: what the model has stored about the node, to compare.
    recomputed : bool
        Whether the sums come from data; otherwise they are those that the model has stored.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    node: int
    tree: int
    round: int
    output: int
    output_name: str | None
    n_trees: int
    n_outputs: int
    depth: int
    condition: tuple[str, ...]
    algorithm: str
    loss: str
    method: Method
    l2: float
    l1: float
    gamma: float
    max_step: float
    learning_rate: float
    node_sums: BoostSums
    is_leaf: bool
    step: float | None
    own_value: float | None
    candidates: tuple[BoostCandidate, ...]
    stored: BoostSums | None
    recomputed: bool
    notes: tuple[str, ...] = ()
    top: int | None = field(default=None, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def winner(self) -> BoostCandidate | None:
        """The candidate that is chosen, None for a leaf."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)

    @property
    def margin(self) -> float | None:
        """By how much the winner's gain exceeds that of the next feature; None without a rival."""
        winner = self.winner
        rivals = [c.competing_gain for c in self.candidates if c.admissible and not c.chosen]
        return winner.competing_gain - max(rivals) if winner is not None and rivals else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """Value, scores and gain with the numbers put in, step by step."""
        return split_steps(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, as docs/schemas/boost_split_report.json describes them."""
        plain = to_plain(self)
        return {**plain, "margin": self.margin, "steps": [to_plain(step) for step in self.steps]}

    def to_frame(self) -> Any:
        """Return one row per candidate, as a DataFrame of the library that X came from, or pandas."""
        names = ("feature", "kind", "threshold", "gain", "competing_gain", "admissible", "reason", "chosen")
        columns: dict[str, list[Any]] = {
            name: [getattr(candidate, name) for candidate in self.candidates] for name in names
        }
        for place, side in enumerate(("left", "right")):
            for name in ("words", "n", "gradient", "hessian"):
                columns[f"{side}_{name}"] = [
                    getattr(c.branches[place], name) if c.branches else None for c in self.candidates
                ]
        return to_frame(columns, self._frame)

    def to_latex(self) -> str:
        """Return the worked formulas as LaTeX (amsmath)."""
        return page_to_latex(split_page(self))

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def _repr_html_(self) -> str:
        return page_to_html(split_page(self))

    def __str__(self) -> str:
        return page_to_text(split_page(self))
