"""A VotesReport laid out: the votes, what was tested, the most typical way, the trees that disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treewright.explain.numbers import number
from treewright.explain.page import Column, Page, Row, Table
from treewright.explain.path_page import change_notes, path_page
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.votes import VotesReport

__all__ = ["votes_page"]

MAX_CLASSES = 8
MAX_FEATURES = 8
MAX_TREES = 10


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
