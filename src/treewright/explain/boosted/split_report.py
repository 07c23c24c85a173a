"""BoostSplitReport: the sums of gradients behind one split of a boosted tree, and how they are laid out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.boosted.leaf_step import LeafStep
from treewright.explain.boosted.split_formula import hessian_words, plain_number, split_steps
from treewright.explain.report import WorkedReport
from treewright.explain.split_report import Cuts
from treewright.explain.words import loss_words, number, signed
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Step, Table

__all__ = ["BoostBranch", "BoostCandidate", "BoostSplitReport", "BoostSums", "Method", "split_page"]

Method = Literal["newton", "least_squares"]

TIE = {"newton": 1e-7, "least_squares": 1e-10}  # of the gain: what the search takes for equal


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
    cuts : Cuts or None
        The gain of every cut of the feature, if asked for.
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
    cuts: Cuts | None = None


@dataclass(frozen=True)
class BoostSplitReport(WorkedReport):
    """Why a node of a boosted tree tests what it tests, or why a leaf answers what it answers.

    Its DataFrame has one row per candidate.

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
        The same before the learning rate, where the loss or a limit gives it and it is not −G / (H + λ); None
        elsewhere.
    leaf_step : LeafStep or None
        With data: how the loss comes to `own_value`; None elsewhere.
    candidates : tuple of BoostCandidate
        The test of the node; with data the best test of each feature, the best first.
    stored : BoostSums or None
        With data: what the model has stored about the node, to compare.
    level : float or None
        Which quantile a loss is about; None for others.
    recomputed : bool
        Whether the sums come from data; otherwise they are those that the model has stored.
    tie_rule : str
        Which of several equally good features wins.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1
    _derived: ClassVar[tuple[str, ...]] = ("margin", "steps")

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
    leaf_step: LeafStep | None
    candidates: tuple[BoostCandidate, ...]
    stored: BoostSums | None
    level: float | None
    recomputed: bool
    tie_rule: str = ""
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

    def _columns(self) -> dict[str, list[Any]]:
        names = ("feature", "kind", "threshold", "gain", "competing_gain", "admissible", "reason", "chosen")
        columns: dict[str, list[Any]] = {
            name: [getattr(candidate, name) for candidate in self.candidates] for name in names
        }
        for place, side in enumerate(("left", "right")):
            for name in ("words", "n", "gradient", "hessian"):
                columns[f"{side}_{name}"] = [
                    getattr(c.branches[place], name) if c.branches else None for c in self.candidates
                ]
        return columns

    def _page(self) -> Page:
        return split_page(self)

    def to_svg(self) -> str:
        """Return a bar for each candidate as SVG; of a node that has none, what its rows would answer."""
        return _picture(self)

    def _repr_latex_(self) -> str:
        return self.to_latex()


def split_page(report: BoostSplitReport) -> Page:
    """Lay out the report."""
    steps = split_steps(report)
    tables = []
    if report.recomputed and report.candidates:
        tables.append(_candidate_table(report))
    if report.winner is not None:
        tables.append(_side_table(report, report.winner))
    rows = f"{report.node_sums.n} {'row' if report.node_sums.n == 1 else 'rows'}"
    return Page(
        title=f"Node {report.node}   {rows}   {_tree_words(report)}",
        subject=f"{report.algorithm}, {loss_words(report.loss)}",
        facts=(_facts(report),),
        tables=tuple(tables),
        worked=tuple(_worked(report)),
        latex=tuple(step.latex for step in steps),
        notes=tuple(printable(note) for note in (*_verdict(report), *report.notes)),
    )


def _picture(report: BoostSplitReport) -> str:
    shown = report.candidates if report.top is None else report.candidates[: report.top]
    bars, unit = [], "gain"
    for candidate in shown:
        if candidate.branches:
            label = f"{printable(candidate.feature)} {_side(candidate, 0)}"
            words = number(candidate.competing_gain)
            if candidate.chosen:
                bars.append(Bar(label, candidate.competing_gain, f"{words} chosen", "marked"))
            elif candidate.admissible:
                bars.append(Bar(label, candidate.competing_gain, words))
            else:
                bars.append(Bar(label, candidate.competing_gain, f"{words} not eligible", "refused"))
    if not bars:
        unit = "value of a leaf, before the learning rate"
        bars = [Bar("these rows", report.node_sums.value, number(report.node_sums.value), "marked")]
    return draw_bars(
        bars,
        title=f"Node {report.node} of tree {report.tree}: {unit}",
        sentence=", ".join(f"{bar.label}: {bar.words}" for bar in bars[:8]),
        unit=unit,
    )


def _tree_words(report: BoostSplitReport) -> str:
    words = f"tree {report.tree} of {report.n_trees}"
    if report.n_outputs > 1:
        words += f", round {report.round}, class {printable(str(report.output_name))}"
    elif report.output_name is not None:
        words += f", for {printable(report.output_name)}"
    return words


def _facts(report: BoostSplitReport) -> str:
    sums, rate = report.node_sums, f"learning rate {plain_number(report.learning_rate)}"
    if report.method == "least_squares":
        return (
            f"negative gradients in all {number(-sums.gradient)}   weight {hessian_words(sums.hessian)}   "
            f"mean {number(sums.value)}   {rate}"
        )
    words = [f"G = {number(sums.gradient)}", f"H = {hessian_words(sums.hessian)}"]
    words += [f"{sign} = {plain_number(value)}" for sign, value in (("λ", report.l2), ("α", report.l1))]
    words.append(f"γ = {_gamma(report)}")
    if report.max_step > 0:
        words.append(f"largest value {plain_number(report.max_step)}")
    return "   ".join([*words, rate])


def _side_table(report: BoostSplitReport, winner: BoostCandidate) -> Table:
    name = printable(winner.feature)
    newton = report.method == "newton"
    titles = ("G", "H", "value", "score") if newton else ("sum", "weight", "mean", "score")
    columns = (Column("side"), Column("rows", True), *(Column(title, True) for title in titles))

    def cells(words: str, sums: BoostSums) -> Row:
        gradient = sums.gradient if newton else -sums.gradient
        after = (number(sums.value), number(sums.score))
        return Row((words, str(sums.n), number(gradient), hessian_words(sums.hessian), *after))

    rows = [cells("node", report.node_sums)]
    rows += [cells(f"{name} {_side(winner, place)}", b) for place, b in enumerate(winner.branches)]
    caption = "The node and its children" if newton else "Negative gradients of the node and its children"
    return Table(caption, columns, tuple(rows))


def _side(candidate: BoostCandidate, place: int) -> str:
    words = candidate.branches[place].words
    if candidate.kind == "subset":
        words = f"in {{{words}}}" if ", " in words else f"= {words}"
    return words


def _candidate_table(report: BoostSplitReport) -> Table:
    shown = report.candidates if report.top is None else report.candidates[: report.top]
    hidden = len(report.candidates) - len(shown)
    width = max(len(printable(candidate.feature)) for candidate in shown)
    rows = []
    for candidate in shown:
        words = f"{printable(candidate.feature):<{width}} {_side(candidate, 0) if candidate.branches else ''}"
        counts = [str(branch.n) for branch in candidate.branches] or ["", ""]
        gain = number(candidate.competing_gain) if candidate.branches else ""
        rows.append(Row((words.rstrip(), *counts, gain), _remark(report, candidate), candidate.chosen))
    return Table(
        f"Best test of each feature at node {report.node}, by gain",
        (Column("test"), Column("left", True), Column("right", True), Column("gain", True)),
        tuple(rows),
        (f"… {hidden} more features",) if hidden else (),
    )


def _remark(report: BoostSplitReport, candidate: BoostCandidate) -> str:
    if candidate.chosen:
        tied = any(_is_tie(report, other, candidate) for other in report.candidates if not other.chosen)
        return f"← chosen (tie: {report.tie_rule})" if tied else "← chosen"
    if candidate.reason:
        return candidate.reason if candidate.branches else f"no admissible test: {candidate.reason}"
    winner = report.winner
    if winner is None:
        return ""
    if _is_tie(report, candidate, winner):
        return "exact tie"
    # The difference of the numbers that are shown, so that a column can be checked by hand.
    return signed(round(candidate.competing_gain, 4) - round(winner.competing_gain, 4))


def _is_tie(report: BoostSplitReport, candidate: BoostCandidate, winner: BoostCandidate) -> bool:
    behind = candidate.competing_gain - winner.competing_gain
    return candidate.admissible and abs(behind) <= TIE[report.method] * abs(winner.competing_gain)


def _worked(report: BoostSplitReport) -> list[str]:
    steps = {step.name: step for step in split_steps(report)}
    if report.is_leaf:
        lines = [steps["value of node"].text]
        lines += [steps[name].text for name in ("own value", "step") if name in steps]
        return lines
    winner = report.winner
    if winner is None:
        return [steps["value of node"].text]
    name = printable(winner.feature)
    indent = " " * (len(name) + 2)
    formula = "score (sum)²/weight" if report.method == "least_squares" else _score_formula(report)
    lines = [f"{name}: {formula}"]
    for place, branch in enumerate(winner.branches):
        key = f"score of {winner.feature} {branch.words}"
        lines.append(f"{indent}{_side(winner, place)}: {steps[key].text}")
    lines.append(f"{indent}node: {steps['score of node'].text}")
    gain = "gain" if report.method == "newton" else "squared error falls by"
    lines.append(f"{indent}{gain} {steps[gain].text}")
    if "competing gain" in steps:
        more = plain_number(winner.more_l2)
        lines.append(
            f"{indent}subsets of many categories compete with λ + {more}: {steps['competing gain'].text}"
        )
    if report.method == "newton":
        lines.append(f"{indent}the loss falls by half of the gain, {steps['loss falls by'].text}")
    return lines


def _score_formula(report: BoostSplitReport) -> str:
    return "score G²/(H + λ)" if report.l1 == 0 else "score (G nearer to 0 by α)²/(H + λ)"


def _gamma(report: BoostSplitReport) -> str:
    """Write γ: as it was given, or as a measure where the round decided it."""
    short = plain_number(report.gamma)
    return short if len(short) <= 8 else number(report.gamma)


def _verdict(report: BoostSplitReport) -> list[str]:
    """Say how γ compares: with the gain itself, not with half of it."""
    winner = report.winner
    if report.method != "newton" or winner is None:
        return []
    gain, gamma = number(winner.competing_gain), _gamma(report)
    relation = ">" if winner.competing_gain > report.gamma else "≤"
    return [f"γ is compared with the gain without the factor ½: {gain} {relation} {gamma}."]
