"""A WeightedReport laid out: votes per class or the median, the trees that weigh most, the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.explain.numbers import number, signed
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.boosted.weighted_report import Member, WeightedReport

__all__ = ["weighted_page"]

MAX_CLASSES = 8
MAX_TERMS = 12


def weighted_page(report: WeightedReport) -> Page:
    """Lay out the report."""
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    trees = f"{len(report.members)} {'tree' if len(report.members) == 1 else 'trees'}"
    tables = [] if report.classes is None else [_class_table(report)]
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=f"{report.algorithm}, {report.variant}, {trees}",
        facts=(),
        tables=(*tables, _member_table(report)),
        worked=_worked(report),
        latex=(),
        notes=tuple(printable(note) for note in report.notes),
    )


def _class_table(report: WeightedReport) -> Table:
    classes = report.classes or ()
    order = sorted(range(len(classes)), key=lambda k: -report.sums[k])
    rows = []
    for k in order[:MAX_CLASSES]:
        own = [one for one in report.members if one.answer == classes[k]]
        best = classes[k] == report.answer
        cells = (
            printable(classes[k]),
            str(len(own)),
            number(sum(one.weight for one in own)),
            signed(report.sums[k]),
            number(report.sums[k] / report.total_weight),
            number(report.prediction[k]),
        )
        rows.append(Row(cells, "← predicted" if best else "", best))
    hidden = len(classes) - len(rows)
    titles = ("trees", "their weight", "sum of votes", "per weight", "probability")
    return Table(
        "Votes for each class",
        (Column("class"), *(Column(title, True) for title in titles)),
        tuple(rows),
        (f"… {hidden} more classes",) if hidden else (),
    )


def _member_table(report: WeightedReport) -> Table:
    order = sorted(report.members, key=lambda one: (-one.weight, one.tree))
    has_alpha = report.members[0].alpha is not None
    columns = [Column("tree"), Column("error", True)]
    columns += [Column("α of the books", True)] if has_alpha else []
    columns += [Column("weight", True), Column("answer", report.classes is None)]
    rows = []
    for one in order[: report.top]:
        cells = [str(one.tree), number(one.error), *([number(one.alpha)] if one.alpha is not None else [])]
        median = one.tree == report.median_tree
        remark = "← the median" if median else ""
        rows.append(Row((*cells, number(one.weight), printable(one.answer)), remark, median))
    hidden = len(order) - len(rows)
    below = (f"… {hidden} more trees",) if hidden else ()
    return Table("The trees that weigh most", tuple(columns), tuple(rows), below)


def _worked(report: WeightedReport) -> tuple[str, ...]:
    classes = report.classes
    if classes is None:
        return _median_lines(report)
    if report.variant == "SAMME.R":
        return ("A tree's vote for a class is (K − 1)·(ln p − mean of ln p) of its probabilities.",)
    if len(classes) != 2:
        return (
            "A tree's weight counts for the class it names, "
            f"and −weight/{len(classes) - 1} for each other class.",
        )
    terms, total = [], 0.0
    for one in report.members:
        value = _signed_alpha(one, classes[1])
        total += value
        terms.append(f"{'−' if value < 0 else '+'} {number(abs(value))}")
    text = " ".join(terms[:MAX_TERMS]).removeprefix("+ ")
    more = f" … {len(terms) - MAX_TERMS} more" if len(terms) > MAX_TERMS else ""
    relation = ">" if total > 0 else "≤"
    return (
        f"Σ α·h, h = +1 for {printable(classes[1])} and −1 for {printable(classes[0])}: {text}{more} = "
        f"{number(total)} {relation} 0",
    )


def _signed_alpha(one: Member, second: str) -> float:
    alpha = one.alpha or 0.0
    return alpha if one.answer == second else -alpha


def _median_lines(report: WeightedReport) -> tuple[str, ...]:
    order = sorted(report.members, key=lambda one: one.prediction[0])
    so_far = 0.0
    for one in order:
        so_far += one.weight
        if one.tree == report.median_tree:
            break
    return (
        f"Of the trees in the order of their numbers, those up to {number(report.prediction[0])} weigh "
        f"{number(so_far)}, at least half of {number(report.total_weight)}.",
    )
