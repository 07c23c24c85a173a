"""PathReport: how one row came to its answer, one line per test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any

from treewright.draw.way import Stop, draw_way
from treewright.explain.changes import Change
from treewright.explain.report import Report
from treewright.explain.words import number
from treewright.model.equation import write_equation
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["PathReport", "PathStep", "change_notes", "path_page"]

MAX_CLASSES = 4
MAX_CHANGES = 5
MAX_STEPS = 40  # lines of a way; of a longer one its first and its last
HEAD = 25
PARTS = "n counts a training row in every branch that holds a part of it"


@dataclass(frozen=True)
class PathStep:
    """One node on the way.

    Attributes
    ----------
    node : int
        The node that is reached.
    depth : int
        Number of tests above it.
    feature : str
        The feature that was tested above it.
    value : str
        The row's value of it.
    words : str
        What holds for rows that come here.
    routing : str
        Why a row without a known value comes here; empty when the value is known.
    share : float
        Which share of the row comes here: 1, or less where a missing value is shared out (C4.5).
    n : int
        Training rows in the node.
    weight : float
        Their weight.
    prediction : tuple of float
        Class distribution in the node, or the number it would predict.
    is_end : bool
        Whether this part of the row ends here.
    missing : int
        Training rows that came here from the node above because they had no value of the feature.
    """

    node: int
    depth: int
    feature: str
    value: str
    words: str
    routing: str
    share: float
    n: int
    weight: float
    prediction: tuple[float, ...]
    is_end: bool
    missing: int = 0
    # The same as `words`, with what is left out of a long list of categories counted.
    _short: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class PathReport(Report):
    """How one row came to its answer.

    Its DataFrame has one row per step.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``C4.5``.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for regression.
    prediction : tuple of float
        Probability of each class, or the predicted number.
    start : tuple of float
        The same before any test, at the root.
    n : int
        Training rows in the root.
    steps : tuple of PathStep
        The nodes on the way, the first test first; where the row is shared out, branch after branch.
    changes : tuple of Change
        For each feature its smallest change that would change the answer, the nearest first.
    """

    schema_version = 1

    algorithm: str
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    start: tuple[float, ...]
    n: int
    steps: tuple[PathStep, ...]
    changes: tuple[Change, ...]
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def nearest_change(self) -> Change | None:
        """The smallest change of a single feature that would change the answer; None: no such change."""
        return self.changes[0] if self.changes else None

    def _columns(self) -> dict[str, list[Any]]:
        names = (
            "node",
            "depth",
            "feature",
            "value",
            "words",
            "routing",
            "share",
            "n",
            "missing",
            "weight",
            "is_end",
        )
        columns = {name: [getattr(step, name) for step in self.steps] for name in names}
        labels = ("prediction",) if self.classes is None else self.classes
        for position, label in enumerate(labels):
            columns[label if self.classes is None else f"p({label})"] = [
                step.prediction[position] for step in self.steps
            ]
        return columns

    def _page(self) -> Page:
        return path_page(self)

    def to_svg(self) -> str:
        """Return the way as SVG: after each test the shares of the classes, or the mean."""
        return _way(self)


def path_page(report: PathReport) -> Page:
    """Lay out the report."""
    shared = any(step.share < 1 for step in report.steps)
    columns = [Column("test"), Column("node", True), Column("value of the row"), Column("n", True)]
    columns += [Column("share", True)] if shared else []
    columns.append(Column("mean" if report.classes is None else "classes"))
    first = [
        "all rows",
        "#0",
        "",
        str(report.n),
        *(["1.0000"] if shared else []),
        _prediction(report, report.start),
    ]
    rows = [Row(tuple(first))]
    hidden = len(report.steps) - MAX_STEPS
    for place, step in enumerate(report.steps):
        if hidden > 0 and HEAD <= place < HEAD + hidden:
            if place == HEAD:
                rows.append(Row((f"… {hidden} more tests", *[""] * (len(columns) - 1))))
            continue
        indent = "  " * (step.depth - 1) if shared else ""
        cells = [f"{indent}{printable(step._short or step.words)}", f"#{step.node}", step.value, str(step.n)]
        cells += [number(step.share)] if shared else []
        rows.append(Row((*cells, _prediction(report, step.prediction)), _ends(step), step.is_end))
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=report.algorithm,
        facts=(),
        tables=(
            Table(f"The way to {report.answer}", tuple(columns), tuple(rows), (PARTS,) if shared else ()),
        ),
        worked=tuple(_worked(report)) if shared else (),
        latex=(),
        notes=tuple([*_routings(report), *change_notes(report.changes)]),
    )


def _way(report: PathReport) -> str:
    def stop(label: str, values: tuple[float, ...], end: bool, share: float = 1.0) -> Stop:
        best = max(range(len(values)), key=lambda k: values[k])
        words = number(values[0])
        if report.classes is not None:
            words = f"{printable(report.classes[best])} {number(values[best])}"
        if share < 1:
            words += f" · share {number(share)}"
        return Stop(printable(label), values, words, end)

    stops = [stop("all rows", report.start, not report.steps)]
    stops += [stop(one._short or one.words, one.prediction, one.is_end, one.share) for one in report.steps]
    if len(stops) > MAX_STEPS:  # as in the table: the first, and those near the end
        hidden = len(stops) - MAX_STEPS
        gap = stop(f"… {hidden} more tests", stops[HEAD + hidden].values, False)
        stops = [*stops[: HEAD + 1], gap, *stops[HEAD + 1 + hidden :]]
    return draw_way(
        stops,
        classes=None if report.classes is None else [printable(label) for label in report.classes],
        title=f"The way of the row to {printable(report.answer)}",
        sentence=" → ".join(f"{one.label}: {one.words}" for one in stops),
    )


def _ends(step: PathStep) -> str:
    return "← ends here" if step.is_end else ""


def _prediction(report: PathReport, prediction: tuple[float, ...]) -> str:
    if report.classes is None:
        return number(prediction[0])
    order = sorted(range(len(prediction)), key=lambda k: -prediction[k])
    present = [k for k in order if prediction[k] > 0]
    words = [f"{printable(report.classes[k])} {number(prediction[k])}" for k in present[:MAX_CLASSES]]
    if len(present) > MAX_CLASSES:
        words.append(f"{len(present) - MAX_CLASSES} more")
    return " · ".join(words)


def _worked(report: PathReport) -> list[str]:
    """Put the shares of the row together again."""
    ends = [step for step in report.steps if step.is_end and step.share > 0]
    if report.classes is None or len(ends) > 12:
        return []
    best = max(range(len(report.prediction)), key=lambda k: report.prediction[k])
    found = write_equation(
        report.prediction[best],
        [number for step in ends for number in (step.share, step.prediction[best])],
        lambda *pairs: math.fsum(map(mul, pairs[::2], pairs[1::2])),
    )
    terms = map("{}·{}".format, found.operands[::2], found.operands[1::2])
    return [f"{printable(report.classes[best])}: {' + '.join(terms)} {found.end}"]


def _routings(report: PathReport) -> list[str]:
    came = [
        f"Of the {step.n} rows with {step.words}, {step.missing} came without a value of {step.feature}."
        for step in report.steps
        if step.missing
    ]
    found = [*(step.routing for step in report.steps if step.routing), *came]
    return list(dict.fromkeys(map(printable, found)))


def change_notes(changes: Sequence[Change]) -> list[str]:
    """Say which changes would alter the answer, one line each, the nearest first."""
    lines = []
    for position, change in enumerate(changes[:MAX_CHANGES]):
        start = "Nearest change" if position == 0 else "Or"
        lines.append(
            f"{start}: {printable(change.feature)} {printable(change.instead)} instead of "
            f"{printable(change.now)} → {printable(change.answer)}"
        )
    return lines
