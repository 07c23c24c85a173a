"""A SumReport laid out: the sum, the link, what features and trees add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.explain.boosted.page import loss_words
from treewright.explain.numbers import number, signed
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.boosted.sum_report import SumReport

__all__ = ["sum_page"]

MAX_CLASSES = 8


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
    terms = f"{number(one.start)}"
    for value in (one.offset, one.trees):
        if value or value is one.trees:
            terms += f" {'−' if value < 0 else '+'} {number(abs(value))}"
    lines = [f"raw score{_for(report)}: {terms} = {number(one.raw)}"]
    raw = number(one.raw)
    exponent = number(-one.raw) if report.link == "logit" else number(-2 * one.raw)
    if report.link == "log":
        lines.append(f"prediction: e^{raw} = {number(report.prediction[0])}")
    elif report.link in ("logit", "half_logit"):
        lines.append(f"probability{_for(report)}: 1/(1 + e^{exponent}) = {number(report.prediction[1])}")
    elif report.link == "softmax":
        order = sorted(range(len(report.scores)), key=lambda k: -report.scores[k].raw)
        below = " + ".join(f"e^{number(report.scores[k].raw)}" for k in order[:MAX_CLASSES])
        more = " + …" if len(order) > MAX_CLASSES else ""
        result = number(report.prediction[report.shown])
        lines.append(f"probability{_for(report)}: e^{raw}/({below}{more}) = {result}")
    return tuple(lines)
