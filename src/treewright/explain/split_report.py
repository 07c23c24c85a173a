"""SplitReport: the facts behind one split, laid out as a textbook would write them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from treewright.criteria import center_of
from treewright.explain.report import WorkedReport
from treewright.explain.split_formula import split_steps
from treewright.explain.split_picture import split_picture
from treewright.explain.words import measure_name, number, signed
from treewright.model.number import format_count
from treewright.model.text import before_amount, printable
from treewright.reports.page import Column, Page, Row, Step, Table

__all__ = ["Branch", "Candidate", "Cuts", "SplitReport", "branch_size", "split_page"]

Ranking = Literal["decrease", "gain", "gain_ratio"]

MAX_CLASSES = 8
CLOSE = 0.01  # Gini and bits: candidates this near to the winner could win with other rows
CLOSE_SHARE = 0.03  # the same for losses in the unit of y
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
RANKED_BY = {"decrease": "decrease", "gain": "gain", "gain_ratio": "gain ratio"}


@dataclass(frozen=True)
class Branch:
    """One side of a candidate, with the rows that took part in the comparison.

    Attributes
    ----------
    words : str
        Which values go there, e.g. ``overcast`` or ``≤ 2.45``.
    n : int or None
        Training rows; None where a stored tree remembers only their weight.
    weight : float
        Their weight; NaN where a stored tree does not remember it.
    impurity : float
        Their impurity; NaN where a stored tree does not remember it.
    class_weights : tuple of float, or None
        Weight of each class, in the order of the report's `classes`; None for regression.
    value : float or None
        The predicted number of a leaf with these rows; None for classification.
    """

    words: str
    n: int | None
    weight: float
    impurity: float
    class_weights: tuple[float, ...] | None = None
    value: float | None = None


@dataclass(frozen=True)
class Cuts:
    """The gain of every cut of a feature: the curve behind its best test.

    Categories are cut along the order in which the search tries them.

    Attributes
    ----------
    threshold : tuple of float
        The cuts, ascending; of categories, how many of them go left.
    gain : tuple of float
        Gain per unit of weight, before any cost; in boosters the gain itself.
    left : tuple of int
        Rows at or below the cut.
    missing_left : tuple of bool
        Whether rows without a value were tried on the left.
    admissible : tuple of bool
        Whether the cut respects all limits.
    categories : tuple of str
        The categories in their order; empty for numbers.
    alone : bool
        Whether each category is tried alone against the others, instead of all up to it.
    """

    threshold: tuple[float, ...]
    gain: tuple[float, ...]
    left: tuple[int, ...]
    missing_left: tuple[bool, ...]
    admissible: tuple[bool, ...]
    categories: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Candidate:
    """The best test of one feature at a node.

    Of tests that were not taken a stored tree knows less than the data: the numbers that it does not remember
    are NaN.

    Attributes
    ----------
    feature : str
        The feature's name.
    index : int
        Its column.
    kind : {"threshold", "subset", "multiway"} or None
        What sort of test; None when the feature offers none.
    threshold : float or None
        The threshold of a numeric test.
    branches : tuple of Branch
        The sides of the test that hold rows; empty when the feature offers no test.
    n_branches : int
        Number of branches, those without rows included.
    known : float
        Share of the node's weight whose value is known.
    impurity_before : float
        Impurity of the rows that are compared.
    impurity_after : float
        Weighted mean of the branches' impurities.
    decrease : float
        Impurity of the node minus that of its children, all rows included; what `fit` stores.
    gain : float
        What the algorithm counts as gain, per unit of weight: from rows with a known value, less `cost`.
    cost : float
        What a choice among `tries` cuts costs, per unit of weight (C4.5).
    tries : int or None
        Number of admissible cuts.
    split_info : float or None
        Entropy of the branch sizes, in bits; None where the algorithm does not ask for it.
    gain_ratio : float or None
        Gain divided by split info.
    admissible : bool
        Whether the test may win.
    reason : str
        Why it may not; empty when it may.
    chosen : bool
        Whether the tree tests this here.
    cuts : Cuts or None
        Every cut of a numeric feature, when asked for.
    """

    feature: str
    index: int
    kind: str | None
    threshold: float | None
    branches: tuple[Branch, ...]
    n_branches: int
    known: float
    impurity_before: float
    impurity_after: float
    decrease: float
    gain: float
    cost: float
    tries: int | None
    split_info: float | None
    gain_ratio: float | None
    admissible: bool
    reason: str
    chosen: bool
    cuts: Cuts | None = None

    @property
    def offers_test(self) -> bool:
        """Whether the feature offers a test at all."""
        return self.kind is not None

    def score(self, ranking: Ranking) -> float:
        """Return what the candidate competes with."""
        if ranking == "gain_ratio":
            return -float("inf") if self.gain_ratio is None else self.gain_ratio
        return self.gain


@dataclass(frozen=True)
class SplitReport(WorkedReport):
    """Why a node tests what it tests.

    Print it, show it in a notebook, or read its attributes. `to_dict`, `to_frame` and `to_latex` give the
    same numbers in other forms; the frame has one row per candidate.

    Attributes
    ----------
    node : int
        Number of the node.
    tree : int
        Number of its tree.
    depth : int
        Number of tests above it.
    condition : tuple of str
        These tests, in words.
    algorithm : str
        Whose rules were applied, e.g. ``CART``.
    criterion : str
        What impurity means.
    ranking : {"decrease", "gain", "gain_ratio"}
        What candidates compete on.
    n : int
        Training rows in the node.
    weight : float
        Their weight.
    classes : tuple of str, or None
        The classes; None for regression.
    class_weights : tuple of float, or None
        Weight of each class in the node.
    value : float or None
        What the node would predict as a leaf, for regression.
    impurity : float
        Impurity of the node.
    candidates : tuple of Candidate
        The best test of each feature, the best first.
    average_gain : float or None
        What the gain must reach (C4.5); None where there is no such filter.
    ties : tuple of str
        Features whose tests are as good as the winner's.
    tie_rule : str
        Who wins a tie.
    recomputed : bool
        Whether all features were searched again in data; otherwise the report knows what the tree remembers.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1
    _derived: ClassVar[tuple[str, ...]] = ("margin", "steps")

    node: int
    tree: int
    depth: int
    condition: tuple[str, ...]
    algorithm: str
    criterion: str
    ranking: Ranking
    n: int
    weight: float
    classes: tuple[str, ...] | None
    class_weights: tuple[float, ...] | None
    value: float | None
    impurity: float
    candidates: tuple[Candidate, ...]
    average_gain: float | None
    ties: tuple[str, ...]
    tie_rule: str
    recomputed: bool
    notes: tuple[str, ...] = ()
    top: int | None = field(default=None, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def winner(self) -> Candidate | None:
        """The candidate that is chosen, None for a leaf."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)

    @property
    def margin(self) -> float | None:
        """By how much the winner exceeds the next best one in `ranking`; None without a rival."""
        winner = self.winner
        rivals = [c.score(self.ranking) for c in self.candidates if c.admissible and not c.chosen]
        return winner.score(self.ranking) - max(rivals) if winner is not None and rivals else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The winner's formula with its numbers put in, step by step."""
        return split_steps(self)

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            name: [getattr(candidate, name) for candidate in self.candidates]
            for name in (
                "feature", "kind", "threshold", "n_branches", "known", "impurity_before", "impurity_after",
                "decrease", "gain", "cost", "split_info", "gain_ratio", "admissible", "reason", "chosen",
            )
        }  # fmt: skip
        columns["rows"] = [" | ".join(filter(None, map(branch_size, c.branches))) for c in self.candidates]
        columns["test"] = [" | ".join(b.words for b in c.branches) for c in self.candidates]
        return columns

    def _page(self) -> Page:
        return split_page(self)

    def to_svg(self) -> str:
        """Return a bar for each candidate as SVG; of a leaf without candidates what is in it."""
        return split_picture(self)

    def _repr_latex_(self) -> str:
        return self.to_latex()


def split_page(report: SplitReport) -> Page:
    """Lay out the report."""
    steps = split_steps(report)
    shown = report.candidates if report.top is None else report.candidates[: report.top]
    hidden = len(report.candidates) - len(shown)
    table = _ratio_table(report, shown) if report.ranking != "decrease" else _decrease_table(report, shown)
    below = [*table.below]
    if hidden:
        below.append(f"… {hidden} more features")
    below += _close_ones(report)
    facts: list[str] = []
    subject = f"{report.algorithm}, {RANKED_BY[report.ranking]}"
    if report.ranking == "decrease":
        subject = f"{report.algorithm}, {measure_name(report.criterion)} {number(report.impurity)}"
    else:
        facts.append(f"entropy  {steps[0].text}")
    known = not math.isnan(report.impurity)  # a forest does not keep the loss of numbers
    worked = _worked(report, report.winner) if report.winner is not None and known else []
    if report.ranking == "decrease" and known:
        worked = [f"node: {steps[0].text}", *worked]
    return Page(
        title=f"Node {report.node}   {_rows(report)}",
        subject=subject,
        facts=tuple(facts),
        tables=(Table(table.caption, table.columns, table.rows, tuple(below)),) if table.rows else (),
        worked=tuple(worked),
        latex=tuple(step.latex for step in steps) if known else (),
        notes=tuple(printable(note) for note in report.notes),
    )


def _rows(report: SplitReport) -> str:
    rows = f"{report.n} {'row' if report.n == 1 else 'rows'}"
    if abs(report.weight - report.n) > 1e-9 * report.n:
        rows += f" of weight {format_count(report.weight)}"
    if report.classes is None or report.class_weights is None:
        center = center_of(report.criterion)
        return f"{rows}: {center} {number(report.value or 0.0)}"
    order = sorted(range(len(report.classes)), key=lambda k: -(report.class_weights or ())[k])
    present = [k for k in order if report.class_weights[k] > 0]
    sign = before_amount(report.classes)
    words = [
        f"{printable(report.classes[k])}{sign}{format_count(report.class_weights[k])}"
        for k in present[:MAX_CLASSES]
    ]
    if len(present) > MAX_CLASSES:
        words.append(f"{len(present) - MAX_CLASSES} more")
    return f"{rows}: {', '.join(words)}"


def _decrease_table(report: SplitReport, shown: tuple[Candidate, ...]) -> Table:
    name = max((len(printable(c.feature)) for c in shown), default=0)
    binary = all(len(c.branches) <= 2 for c in shown)
    by_weight = any(branch.n is None for candidate in shown for branch in candidate.branches)
    # Where weights are not counts, each column says which of them it holds.
    weighted = abs(report.weight - report.n) > 1e-9 * report.n
    unit = (" weight" if by_weight else " rows") if weighted else ""
    titles = (f"left{unit}", f"right{unit}") if binary else ("weight" if by_weight else "rows",)
    sides = [Column(title, True) for title in titles]
    rows = []
    for candidate in shown:
        words = f"{printable(candidate.feature):<{name}} {_test(candidate)}"
        counts = [branch_size(branch, by_weight) for branch in candidate.branches]
        cells = [*counts, "", ""][:2] if binary else [" | ".join(counts)]
        score = number(candidate.gain) if candidate.offers_test else ""
        rows.append(Row((words.rstrip(), *cells, score), _remark(report, candidate), candidate.chosen))
    return Table(
        f"Best test of each feature at node {report.node}, by {measure_name(report.criterion)} decrease",
        (Column("test"), *sides, Column("decrease", True)),
        tuple(rows),
        ("left and right are weights",) if by_weight and not weighted else (),
    )


def branch_size(branch: Branch, by_weight: bool = False) -> str:
    """Return how many rows take a branch, or their weight where a stored tree knows no more."""
    if branch.n is not None and not by_weight:
        return str(branch.n)
    return "" if math.isnan(branch.weight) else format_count(branch.weight)


def _test(candidate: Candidate) -> str:
    """Return what goes to the first branch, e.g. ``≤ 16.795`` or ``in {sunny, rain}``."""
    if not candidate.branches:
        return ""
    words = candidate.branches[0].words
    if candidate.kind != "subset":
        return words
    return f"in {{{words}}}" if ", " in words else f"= {words}"


def _ratio_table(report: SplitReport, shown: tuple[Candidate, ...]) -> Table:
    columns = [Column("feature"), Column("branches", True), Column("gain", True)]
    by_ratio = report.ranking == "gain_ratio"
    if by_ratio:
        columns += [Column("split info", True), Column("gain ratio", True)]
    rows = []
    for candidate in shown:
        threshold = candidate.kind == "threshold" and candidate.branches
        cells = [printable(candidate.feature) + (f" {candidate.branches[0].words}" if threshold else "")]
        if candidate.offers_test:
            cells += [str(candidate.n_branches), number(candidate.gain)]
        else:
            cells += ["", ""]
        if by_ratio:
            usable = candidate.offers_test
            cells.append(number(candidate.split_info) if usable and candidate.split_info is not None else "")
            cells.append(number(candidate.gain_ratio) if usable and candidate.gain_ratio is not None else "")
        rows.append(Row(tuple(cells), _remark(report, candidate), candidate.chosen))
    below = () if report.average_gain is None else (f"average gain {number(report.average_gain)}",)
    caption = f"Best test of each feature at node {report.node}, by {RANKED_BY[report.ranking]}"
    return Table(caption, tuple(columns), tuple(rows), below)


def _remark(report: SplitReport, candidate: Candidate) -> str:
    if candidate.chosen:
        return f"← chosen (tie: {report.tie_rule})" if report.ties else "← chosen"
    if not candidate.offers_test:
        return f"no admissible test: {candidate.reason}"
    if candidate.reason.startswith("gain below average"):
        return "gain below average, not eligible"
    if candidate.reason:
        return candidate.reason
    winner = report.winner
    if winner is None:
        return ""
    if candidate.feature in report.ties:
        return "exact tie"
    # The difference of the numbers that are shown, so that a column can be checked by hand.
    behind = round(candidate.score(report.ranking), 4) - round(winner.score(report.ranking), 4)
    return signed(behind) if report.ranking == "decrease" else f"margin {number(-behind)}"


def _close_ones(report: SplitReport) -> list[str]:
    """Say so when several features are nearly as good as the winner."""
    winner = report.winner
    if winner is None or report.ranking != "decrease":
        return []
    within = CLOSE if report.classes is not None else CLOSE_SHARE * winner.gain
    near = [c for c in report.candidates if c.admissible and winner.gain - c.gain < within]
    if len(near) < 3 or any(c.gain - winner.gain > within / 100 for c in near):  # a test that did not win
        return []
    how_many = WORDS[len(near)] if len(near) < len(WORDS) else str(len(near))
    what = "root" if report.depth == 0 else "test"
    words = f"{CLOSE:.3f}" if report.classes is not None else f"{CLOSE_SHARE:.0%} of the decrease"
    if not report.recomputed and len(near) == len(report.candidates):
        how_many = f"at least {how_many}"  # the tree remembers no others
    return [f"! {how_many} features are within {words}: other rows could well choose another {what}."]


def _worked(report: SplitReport, winner: Candidate) -> list[str]:
    name = printable(winner.feature)
    indent = " " * (len(name) + 2)
    steps = {step.name: step for step in split_steps(report)}
    lines = [f"{name}: {steps[f'{measure_name(report.criterion)} after {winner.feature}'].text}"]
    gain = "decrease" if report.ranking == "decrease" else "gain"
    line = f"{indent}{gain} {steps[gain].text}"
    if "gain ratio" in steps:
        line += f"      ratio {steps['gain ratio'].text}"
    return [*lines, line]
