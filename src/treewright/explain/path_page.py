"""A PathReport laid out: one line per test, then what happened to missing values and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.explain.numbers import number
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.changes import Change
    from treewright.explain.path import PathReport, PathStep

__all__ = ["change_notes", "path_page"]

MAX_CLASSES = 4
MAX_CHANGES = 5


def path_page(report: PathReport) -> Page:
    """Lay out the report."""
    shared = any(step.share < 1 for step in report.steps)
    columns = [Column("test"), Column("value of the row"), Column("n", True)]
    columns += [Column("share", True)] if shared else []
    columns.append(Column("mean" if report.classes is None else "classes"))
    first = [
        "all rows",
        "",
        str(report.n),
        *(["1.0000"] if shared else []),
        _prediction(report, report.start),
    ]
    rows = [Row(tuple(first))]
    for step in report.steps:
        indent = "  " * (step.depth - 1) if shared else ""
        cells = [f"{indent}{printable(step.words)}", step.value, str(step.n)]
        cells += [number(step.share)] if shared else []
        rows.append(Row((*cells, _prediction(report, step.prediction)), _ends(step), step.is_end))
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=report.algorithm,
        facts=(),
        tables=(Table(f"The way to {report.answer}", tuple(columns), tuple(rows)),),
        worked=tuple(_worked(report)) if shared else (),
        latex=(),
        notes=tuple([*_routings(report), *change_notes(report.changes)]),
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
    terms = " + ".join(f"{number(step.share)}·{number(step.prediction[best])}" for step in ends)
    return [f"{printable(report.classes[best])}: {terms} = {number(report.prediction[best])}"]


def _routings(report: PathReport) -> list[str]:
    return list(dict.fromkeys(printable(step.routing) for step in report.steps if step.routing))


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
