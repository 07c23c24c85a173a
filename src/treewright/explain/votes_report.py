"""VotesReport: what the trees of a forest say about one row, and which way is typical of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.changes import Change
from treewright.explain.path_report import PathReport, change_notes, path_page
from treewright.explain.report import Report, to_plain
from treewright.explain.words import number, number_words
from treewright.model.number import format_count
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["ClassVotes", "Spread", "TestedFeature", "TreeAnswer", "VotesReport", "range_bars", "votes_page"]

MAX_CLASSES = 8
MAX_FEATURES = 8
MAX_TREES = 10


@dataclass(frozen=True)
class ClassVotes:
    """What the trees say about one class.

    Attributes
    ----------
    label : str
        The class.
    votes : int
        Trees that find it most probable; of equally probable classes the first.
    share : float
        The same, divided by the number of trees.
    probability : float
        Mean of the trees' probabilities.
    """

    label: str
    votes: int
    share: float
    probability: float


@dataclass(frozen=True)
class Spread:
    """How the numbers of the trees differ.

    Attributes
    ----------
    mean, sd : float
        Their mean and standard deviation.
    least, lower_quartile, median, upper_quartile, most : float
        The trees' numbers in order: the first, a quarter, the middle, three quarters, the last.
    """

    mean: float
    sd: float
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    most: float


@dataclass(frozen=True)
class TreeAnswer:
    """What one tree says.

    Attributes
    ----------
    tree : int
        Number of the tree.
    answer : str
        Its own answer.
    prediction : tuple of float
        Its probability of each class, or its number.
    agrees : bool
        Whether it answers like the forest; for numbers, whether it is within two standard deviations.
    leaf : int
        The node in which the row ends.
    n : int
        Training rows of the tree in that node.
    n_tests : int
        Tests on the way there.
    """

    tree: int
    answer: str
    prediction: tuple[float, ...]
    agrees: bool
    leaf: int
    n: int
    n_tests: int


@dataclass(frozen=True)
class TestedFeature:
    """How often a feature was asked about the row.

    Attributes
    ----------
    feature : str
        The feature.
    value : str
        The row's value of it.
    trees : int
        Trees that test it on the row's way.
    share : float
        The same, divided by the number of trees.
    tests : int
        Tests of it on the row's ways; a tree may test it more than once.
    """

    # Not a test, whatever the name looks like to pytest.
    __test__ = False

    feature: str
    value: str
    trees: int
    share: float
    tests: int


@dataclass(frozen=True)
class VotesReport(Report):
    """What the trees of a forest say about one row.

    Its DataFrame has one row per tree.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``RandomForest``.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for regression.
    prediction : tuple of float
        The forest's probability of each class, or its number.
    aggregation : {"one", "mean", "votes"}
        How the answers of the trees become one: their mean, or one vote each.
    n_trees : int
        Number of trees.
    votes : tuple of ClassVotes
        One entry per class, most votes first; empty for regression.
    spread : Spread or None
        How the trees' numbers differ; None for classification.
    trees : tuple of TreeAnswer
        What each tree says.
    features : tuple of TestedFeature
        What was tested on the row's ways, by most trees first.
    typical_tree : int
        The tree whose way is the most typical: of the trees that answer like the forest (for numbers the
        nearest quarter of them), the one whose tested features are most like those of all trees. With p the
        share of trees that test a feature, that is the largest quotient of the sum of p over the features
        that it tests and the number of these plus the sum of p over the others; among equals the first.
    typical_similarity : float
        That quotient, 1 when all trees test the same features.
    typical : PathReport
        The row's way in that tree.
    changes : tuple of Change
        For each feature its smallest change that would change the predicted class, the nearest first; found
        in forests of binary trees only.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    aggregation: Literal["one", "mean", "votes"]
    n_trees: int
    votes: tuple[ClassVotes, ...]
    spread: Spread | None
    trees: tuple[TreeAnswer, ...]
    features: tuple[TestedFeature, ...]
    typical_tree: int
    typical_similarity: float
    typical: PathReport
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def nearest_change(self) -> Change | None:
        """The smallest change of a single feature that would change the answer; None: no such change."""
        return self.changes[0] if self.changes else None

    @property
    def dissenters(self) -> tuple[TreeAnswer, ...]:
        """The trees that do not agree, those farthest from the forest's answer first."""
        return tuple(sorted((one for one in self.trees if not one.agrees), key=self._nearness))

    def _nearness(self, one: TreeAnswer) -> float:
        if self.classes is None:
            return -abs(one.prediction[0] - self.prediction[0])
        return one.prediction[self.classes.index(self.answer)]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/votes_report.json describes them."""
        plain = to_plain(self)
        return {**plain, "dissenters": [one.tree for one in self.dissenters]}

    def _columns(self) -> dict[str, list[Any]]:
        names = ("tree", "answer", "agrees", "leaf", "n", "n_tests")
        columns = {name: [getattr(one, name) for one in self.trees] for name in names}
        labels = ["prediction"] if self.classes is None else [f"p({label})" for label in self.classes]
        for position, label in enumerate(labels):
            columns[label] = [one.prediction[position] for one in self.trees]
        return columns

    def _page(self) -> Page:
        return votes_page(self)

    def to_svg(self) -> str:
        """Return as SVG the votes for each class, or how many trees say which numbers."""
        return _votes_picture(self)


def votes_page(report: VotesReport) -> Page:
    """Lay out the report."""
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    tables = [_number_table(report) if report.spread is not None else _vote_table(report)]
    if report.features:
        tables.append(_feature_table(report))
    tables.append(_typical_table(report))
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=f"{report.algorithm}, {report.n_trees} trees",
        facts=(),
        tables=tuple(tables),
        worked=(),
        latex=(),
        notes=(
            _dissent(report),
            *change_notes(report.changes),
            *(printable(note) for note in report.notes),
        ),
    )


def _votes_picture(report: VotesReport) -> str:
    if report.spread is not None:
        numbers = [one.prediction[0] for one in report.trees]
        bars = range_bars(numbers, [1.0] * len(numbers), report.prediction[0])
    else:
        bars = [
            Bar(
                printable(one.label), one.votes,
                f"{one.votes} votes · {number(one.probability)}",
                "marked" if one.label == report.answer else "plain",
            )
            for one in report.votes
        ]  # fmt: skip
    unit = "trees" if report.spread is not None else "votes · mean probability"
    return draw_bars(
        bars,
        title=f"What {report.n_trees} trees say about the row",
        sentence=f"Predicted {printable(report.answer)}; " + ", ".join(f"{b.label}: {b.words}" for b in bars),
        unit=unit,
    )


def range_bars(numbers: Sequence[float], weights: Sequence[float], answer: float) -> list[Bar]:
    """Return the numbers of trees in at most ten ranges of equal width; that of the answer is marked."""
    low, high = min(numbers), max(numbers)
    if not high > low:
        return [Bar(number_words(low), sum(weights), format_count(sum(weights)), "marked")]
    n_ranges = min(10, len(set(numbers)))
    counts, edges = np.histogram(numbers, bins=n_ranges, range=(low, high), weights=weights)
    own = min(n_ranges - 1, max(0, int(np.searchsorted(edges, answer, side="right")) - 1))
    return [
        Bar(
            f"{number_words(float(edges[i]))} to {number_words(float(edges[i + 1]))}",
            float(count),
            format_count(float(count)) + (" · the answer" if i == own else ""),
            "marked" if i == own else "plain",
        )
        for i, count in enumerate(counts)
    ]


def _vote_table(report: VotesReport) -> Table:
    rows = [
        Row(
            (printable(one.label), str(one.votes), number(one.share), number(one.probability)),
            "← predicted" if one.label == report.answer else "",
            one.label == report.answer,
        )
        for one in report.votes[:MAX_CLASSES]
    ]
    hidden = len(report.votes) - len(rows)
    columns = (
        Column("class"),
        Column("votes", True),
        Column("share", True),
        Column("mean probability", True),
    )
    below = (f"… {hidden} more classes",) if hidden else ()
    return Table(f"Votes of {report.n_trees} trees", columns, tuple(rows), below)


def _number_table(report: VotesReport) -> Table:
    spread = report.spread
    assert spread is not None, "only reports about numbers have a spread"
    columns = ("mean", "sd", "least", "lower quartile", "median", "upper quartile", "most")
    cells = (
        spread.mean, spread.sd, spread.least, spread.lower_quartile, spread.median, spread.upper_quartile,
        spread.most,
    )  # fmt: skip
    return Table(
        f"Numbers of {report.n_trees} trees",
        tuple(Column(title, True) for title in columns),
        (Row(tuple(number(cell) for cell in cells)),),
    )


def _feature_table(report: VotesReport) -> Table:
    rows = [
        Row((printable(one.feature), one.value, str(one.trees), number(one.share), str(one.tests)))
        for one in report.features[:MAX_FEATURES]
    ]
    hidden = len(report.features) - len(rows)
    columns = (
        Column("tested on the way"), Column("value of the row"), Column("trees", True), Column("share", True),
        Column("tests", True),
    )  # fmt: skip
    below = (f"… {hidden} more features",) if hidden else ()
    return Table("Features that the trees test on the way of the row", columns, tuple(rows), below)


def _typical_table(report: VotesReport) -> Table:
    table = path_page(report.typical).tables[0]
    title = f"most typical way (tree {report.typical_tree})"
    return replace(
        table,
        caption=f"The most typical way, that of tree {report.typical_tree}",
        columns=(Column(title), *table.columns[1:]),
    )


def _dissent(report: VotesReport) -> str:
    found = report.dissenters
    if not found:
        return f"All {report.n_trees} trees agree."
    shown = ", ".join(
        f"{one.tree} ({printable(one.answer)})" if _needs_answer(report) else str(one.tree)
        for one in found[:MAX_TREES]
    )
    rest = f", … {len(found) - MAX_TREES} more" if len(found) > MAX_TREES else ""
    verb = "disagrees" if len(found) == 1 else "disagree"
    how = "" if report.classes is not None else " by more than two standard deviations"
    return f"{len(found)} of {report.n_trees} trees {verb}{how}, the farthest first: {shown}{rest}."


def _needs_answer(report: VotesReport) -> bool:
    """Tell whether "disagrees" leaves open what a tree says instead."""
    return report.classes is None or len(report.classes) > 2
