"""SumReport: an answer of a booster as a sum, start + trees = raw score, and how it is laid out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.report import Report
from treewright.explain.words import loss_words, number, signed
from treewright.model.equation import write_equation, write_sum
from treewright.model.link import split_link
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["FeatureSum", "ScoreSum", "SumReport", "TreeStep", "sum_page"]

MAX_CLASSES = 8


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
class SumReport(Report):
    """How the trees of a booster add up to the answer for one row.

    Its DataFrame has one row per tree.

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

    def _columns(self) -> dict[str, list[Any]]:
        names = ("tree", "round", "output", "step", "raw", "leaf", "n", "n_tests")
        return {name: [getattr(one, name) for one in self.trees] for name in names}

    def _page(self) -> Page:
        return sum_page(self)

    def to_svg(self) -> str:
        """Return what each feature adds to the raw score as SVG."""
        return _picture(self)


def sum_page(report: SumReport) -> Page:
    """Lay out the report."""
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    trees = f"{len(report.trees)} {'tree' if len(report.trees) == 1 else 'trees'}"
    tables = [_score_table(report)]
    if any(one.output == report.shown for one in report.features):
        tables.append(_feature_table(report))
    tables.append(_tree_table(report))
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=f"{report.algorithm}, {loss_words(report.loss)}, {trees}",
        facts=(),
        tables=tuple(tables),
        worked=_worked(report),
        latex=(),
        notes=tuple(printable(note) for note in report.notes),
    )


def _picture(report: SumReport) -> str:
    one = report.scores[report.shown]
    own = [feature for feature in report.features if feature.output == report.shown]
    bars = [Bar("start", one.start, number(one.start), "refused")]
    bars += [Bar("offset", one.offset, signed(one.offset), "refused")] if one.offset else []
    bars += [Bar("all rows", one.average, signed(one.average), "refused")] if own else []
    for feature in own[: report.top]:
        label = f"{printable(feature.feature)} = {printable(feature.value)}"
        bars.append(Bar(label, feature.adds, signed(feature.adds)))
    rest = own[report.top :]
    if rest:
        adds = sum(feature.adds for feature in rest)
        bars.append(Bar(f"… {len(rest)} more features", adds, signed(adds)))
    bars.append(Bar("raw score", one.raw, number(one.raw), "marked"))
    return draw_bars(
        bars,
        title=f"What adds up to the raw score{_for(report)}",
        sentence=f"Predicted {printable(report.answer)}; " + ", ".join(f"{b.label}: {b.words}" for b in bars),
        unit=f"adds to the raw score{_for(report)}",
    )


def _score_table(report: SumReport) -> Table:
    offset = any(one.offset for one in report.scores)
    columns = [Column("raw score of"), Column("start", True)]
    columns += [Column("offset", True)] if offset else []
    columns += [Column("trees", True), Column("raw score", True)]
    order = sorted(range(len(report.scores)), key=lambda k: -report.scores[k].raw)
    rows = []
    for k in order[:MAX_CLASSES]:
        one = report.scores[k]
        cells = [number(one.start), *([signed(one.offset)] if offset else []), signed(one.trees)]
        label = "the answer" if one.label is None else printable(one.label)
        several = len(report.scores) > 1
        rows.append(
            Row(
                (label, *cells, number(one.raw)),
                "← predicted" if several and k == report.shown else "",
                several and k == report.shown,
            )
        )
    hidden = len(order) - len(rows)
    below = (f"… {hidden} more classes",) if hidden else ()
    return Table("Start and trees make raw scores", tuple(columns), tuple(rows), below)


def _for(report: SumReport) -> str:
    label = report.scores[report.shown].label
    return "" if label is None else f" for {printable(label)}"


def _feature_table(report: SumReport) -> Table:
    own = [one for one in report.features if one.output == report.shown]
    rows = [Row(("all rows", "", "", signed(report.scores[report.shown].average)))]
    rows += [
        Row((printable(one.feature), one.value, str(one.tests), signed(one.adds)))
        for one in own[: report.top]
    ]
    rest = own[report.top :]
    if rest:
        tests = str(sum(one.tests for one in rest))
        rows.append(Row((f"… {len(rest)} more", "", tests, signed(sum(one.adds for one in rest)))))
    columns = (Column("feature"), Column("value of the row"), Column("tests", True), Column("adds", True))
    return Table(f"What features add to the raw score{_for(report)}", columns, tuple(rows))


def _tree_table(report: SumReport) -> Table:
    own = report.largest_trees
    rows = [
        Row((str(one.tree), str(one.round), signed(one.step), number(one.raw), str(one.leaf), str(one.n)))
        for one in own[: report.top]
    ]
    rest = own[report.top :]
    if rest:
        rows.append(Row((f"… {len(rest)} more", "", signed(sum(one.step for one in rest)), "", "", "")))
    titles = ("round", "adds", "raw score then", "leaf", "rows there")
    columns = (Column("tree"), *(Column(title, True) for title in titles))
    return Table(f"Trees that add most to the raw score{_for(report)}", columns, tuple(rows))


def _worked(report: SumReport) -> tuple[str, ...]:
    """Put the sum into the link."""
    one = report.scores[report.shown]
    terms = [one.start, *([one.offset] if one.offset else []), one.trees]
    found = write_sum(one.raw, terms)
    first, *others = found.operands
    words = f"−{first}" if one.start < 0 and first.strip("0.") else first
    for value, text in zip(terms[1:], others, strict=True):
        words += f" {'−' if value < 0 else '+'} {text}"
    lines = [f"raw score{_for(report)}: {words} {found.end}"]
    if report.link == "log":
        found = write_equation(report.prediction[0], (one.raw,), math.exp)
        lines.append(f"prediction: e^{found.operands[0]} {found.end}")
    elif report.link == "softmax":
        lines.append(f"probability{_for(report)}: {_softmax(report)}")
    elif report.link == "square":
        found = write_equation(report.prediction[0], (one.raw,), lambda x: math.copysign(x * x, x))
        lines.append(f"prediction: the square of {found.operands[0]}, with its sign {found.end}")
    elif report.link == "softplus":
        found = write_equation(report.prediction[0], (one.raw,), lambda x: math.log1p(math.exp(x)))
        lines.append(f"prediction: log(1 + e^{found.operands[0]}) {found.end}")
    elif report.link == "step":
        lines.append(f"prediction: 1 above 0, otherwise 0; here {report.prediction[0]:g}")
    elif report.link != "identity":
        what, place = ("prediction", 0) if report.classes is None else (f"probability{_for(report)}", -1)
        place = report.shown if len(report.scores) > 1 else place
        exponent = -split_link(report.link)[1] * one.raw
        found = write_equation(report.prediction[place], (exponent,), lambda x: 1 / (1 + math.exp(x)))
        lines.append(f"{what}: 1/(1 + e^{found.operands[0]}) {found.end}")
    return tuple(lines)


def _softmax(report: SumReport) -> str:
    order = sorted(range(len(report.scores)), key=lambda k: -report.scores[k].raw)
    shown, hidden = order[:MAX_CLASSES], order[MAX_CLASSES:]
    rest = math.fsum(math.exp(report.scores[k].raw) for k in hidden)
    own = report.scores[report.shown].raw
    found = write_equation(
        report.prediction[report.shown],
        (own, *(report.scores[k].raw for k in shown), rest),
        lambda top, *powers: math.exp(top) / (math.fsum(map(math.exp, powers[:-1])) + powers[-1]),
    )
    top, *powers, more = found.operands
    below = " + ".join(f"e^{power}" for power in powers)
    below += f" + {more} ({len(hidden)} more)" if hidden else ""
    return f"e^{top}/({below}) {found.end}"
