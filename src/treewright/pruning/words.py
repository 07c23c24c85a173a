"""A PruningReport as a table and as a curve, and its choice as a sentence."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from treewright.draw import Curve, draw_curve
from treewright.pruning.choice import SAME_MEAN
from treewright.reports.page import Column, Page, Row, Table

if TYPE_CHECKING:
    from treewright.pruning.report import PruningReport

__all__ = ["curve_of", "decimals", "describe_svg", "describe_text", "pruning_page", "remark", "why"]

#: Rows of a long sequence that are shown unless all are asked for.
SHOWN = 12
SHOWN_IN_TABLE = 60  # where more can be unfolded
WIDTH = 100
RULE_WORDS = {"alpha": "chosen: the given alpha", "n_leaves": "chosen: the given number of leaves"}
METHOD_WORDS = {
    "loss": "the loss with the given alpha_total",
    "reduced_error": "the error on held-out rows",
    "pessimistic_error": "the pessimistic error",
    "early_stopping": "the cross-validated error of each level, with which growing stopped",
}


def why(report: PruningReport) -> str:
    """Return the reason for the tree that was kept, with its numbers."""
    before, after = report.leaves_before, report.leaves_after
    kept = f"{after} of {before} {_leaves(before)} kept"
    if before == 1:
        return "The tree is a single leaf: there is nothing to prune."
    if report.method == "none":
        return f"Not pruned: {kept}."
    if report.method != "cost_complexity":
        words = METHOD_WORDS.get(report.method, report.method.replace("_", " "))
        return f"Pruned by {words}: {kept}."
    best, limit = report.index_min, report.limit
    if report.selected is None or best is None or limit is None or report.rule not in ("min", "1se"):
        rules = {"alpha": " by the given alpha", "n_leaves": " by the given number of leaves"}
        return f"Pruned along the path{rules.get(report.rule, '')}: {kept}."
    chosen, lowest = report.rows[report.selected], report.rows[best]
    name = _measure(report)
    digits = decimals([row.cv_mean for row in report.rows if row.cv_mean is not None])
    best_words = (
        f"{lowest.leaves} {_leaves(lowest.leaves)} {'has' if lowest.leaves == 1 else 'have'} the "
        f"{'highest' if report.greater_is_better else 'lowest'} cross-validated {name}, "
        f"{lowest.cv_mean:.{digits}f} ± {lowest.cv_se:.{digits}f}"
    )
    if report.selected == best:
        within = ", and no smaller tree is within one standard error" if report.rule == "1se" else ""
        return f"{best_words}{within}."
    sign = "≥" if report.greater_is_better else "≤"
    return (
        f"{best_words}; {chosen.leaves} {_leaves(chosen.leaves)}, {chosen.cv_mean:.{digits}f}, "
        f"{'is' if chosen.leaves == 1 else 'are'} within one standard error ({sign} {limit:.{digits}f}) "
        "and easier to read."
    )


def remark(report: PruningReport, index: int) -> str:
    """Return what is special about a row."""
    parts = []
    digits = decimals([row.cv_mean for row in report.rows if row.cv_mean is not None])
    if index == report.index_min:
        best = "highest" if report.greater_is_better else "lowest"
        parts.append(f"{best} (fewest leaves of a tie)" if _is_tied(report) else best)
    if index == report.selected:
        if report.rule == "1se" and report.limit is not None:
            sign = "≥" if report.greater_is_better else "≤"
            parts.append(f"chosen: within 1 SE ({sign} {report.limit:.{digits}f})")
        elif report.rule == "min":
            parts.append("chosen")
        else:
            parts.append(RULE_WORDS.get(report.rule, "kept"))
    elif index == report.index_1se:
        parts.append("within 1 SE")
    return "; ".join(parts)


def describe_text(report: PruningReport, *, every_row: bool = False) -> str:
    """Return the report as text of at most 100 columns: a headline, the table, the reason."""
    shown = range(len(report.rows)) if every_row else _shown(report)
    header, table = _cells(report, list(shown))
    widths = [max(len(line[i]) for line in [header, *table]) for i in range(len(header))]
    lines = [_headline(report)]
    lines.append("  ".join(f"{cell:>{width}}" for cell, width in zip(header, widths, strict=True)))
    for index, cells in zip(shown, table, strict=True):
        line = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        note = remark(report, index)
        lines.append(f"{line} ← {note}" if note else line)
    if len(table) < len(report.rows):
        lines.append(
            f"({len(table)} of {len(report.rows)} subtrees shown; to_text(every_row=True) shows all)"
        )
    lines += textwrap.wrap(why(report), WIDTH)
    return "\n".join(lines)


def pruning_page(report: PruningReport) -> Page:
    """Lay out the report as tables: the subtrees of the text, and more to unfold."""
    shown = _shown(report)
    tables = [_table(report, shown, _headline(report))]
    if len(shown) < len(report.rows):
        more = _shown(report, SHOWN_IN_TABLE)
        every = f"{len(more)} of {len(report.rows)}" if len(more) < len(report.rows) else f"All {len(more)}"
        tables.append(_table(report, more, f"{every} subtrees"))
    return Page(
        title=f"Pruning: {report.leaves_before} → {report.leaves_after} {_leaves(report.leaves_after)}",
        subject=report.algorithm,
        facts=(why(report),),
        tables=tuple(tables),
    )


def _table(report: PruningReport, shown: list[int], caption: str) -> Table:
    header, cells = _cells(report, shown)
    rows = [
        Row(tuple(own), f"← {note}" if (note := remark(report, index)) else "", index == report.selected)
        for index, own in zip(shown, cells, strict=True)
    ]
    return Table(caption, tuple(Column(title, True) for title in header), tuple(rows))


def describe_svg(report: PruningReport) -> str:
    """Return the curve as a picture."""
    return draw_curve(curve_of(report))


def curve_of(report: PruningReport) -> Curve:
    """Return the curve: means by leaves with a band of one SE; without cross-validation the risk R(T)."""
    name = "R(T)" if report.measure is None else f"cross-validated {report.measure}"
    if report.measure is None:
        values, errors = np.array([row.risk for row in report.rows]), None
    else:
        values = np.array([row.cv_mean for row in report.rows], dtype=np.float64)
        errors = np.nan_to_num(np.array([row.cv_se for row in report.rows], dtype=np.float64))
    marks: dict[int, str] = {}
    if report.index_min is not None:
        marks[report.index_min] = "highest" if report.greater_is_better else "lowest"
    if report.selected is not None:
        best = marks.get(report.selected)
        marks[report.selected] = "chosen" if best is None else f"{best} and chosen"
    return Curve(
        title=f"Pruning of {report.algorithm}: {name} by number of leaves",
        words=report.why,
        name=name,
        leaves=[row.leaves for row in report.rows],
        values=values,
        band=errors,
        limit=report.limit,
        limit_words="1-SE limit",
        marks=marks,
    )


def decimals(values: list[float], digits: int = 4) -> int:
    """Return how many decimals show the largest value with so many digits."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return 4 if largest == 0 else min(12, max(0, digits - 1 - math.floor(math.log10(largest))))


def _headline(report: PruningReport) -> str:
    return (
        f"{report.algorithm}   {report.n_rows} rows, {report.n_features} "
        f"{'feature' if report.n_features == 1 else 'features'} → {report.leaves_before} "
        f"{_leaves(report.leaves_before)} before pruning"
    )


def _cells(report: PruningReport, shown: list[int]) -> tuple[list[str], list[list[str]]]:
    rows = report.rows
    positive = [row.alpha for row in rows if row.alpha > 0]
    # The smallest alpha with three digits.
    fine = decimals([min(positive)], 3) if positive else 4
    coarse = max(0, fine - max(0, math.floor(math.log10(max(report.weight, 1e-300)))))
    risk, train = decimals([row.risk for row in rows]), decimals([row.train for row in rows])
    header = ["leaves", "alpha", "alpha_total", "R(T)", "train"]
    lines = [
        [
            str(rows[i].leaves),
            f"{rows[i].alpha:.{fine}f}",
            f"{rows[i].alpha_total:.{coarse}f}",
            f"{rows[i].risk:.{risk}f}",
            f"{rows[i].train:.{train}f}",
        ]
        for i in shown
    ]
    if report.measure is not None:
        digits = decimals([row.cv_mean for row in rows if row.cv_mean is not None])
        header += [f"CV {_measure(report)}", "± SE"]
        for line, i in zip(lines, shown, strict=True):
            line += [f"{rows[i].cv_mean:.{digits}f}", f"{rows[i].cv_se:.{digits}f}"]
    return header, lines


def _shown(report: PruningReport, most: int = SHOWN) -> list[int]:
    n_rows = len(report.rows)
    if n_rows <= most:
        return list(range(n_rows))
    marked = {i for i in (report.selected, report.index_min, report.index_1se) if i is not None}
    # Evenly in the logarithm of the leaves: the small trees are the ones that people look at.
    leaves = np.log([row.leaves for row in report.rows])
    wanted = np.linspace(leaves[0], 0.0, most - len(marked))
    return sorted(marked | {0, n_rows - 1} | {int(np.argmin(np.abs(leaves - place))) for place in wanted})


def _measure(report: PruningReport) -> str:
    return "error" if report.measure == "error rate" else str(report.measure)


def _is_tied(report: PruningReport) -> bool:
    best = None if report.index_min is None else report.rows[report.index_min].cv_mean
    means = [row.cv_mean for row in report.rows if row.cv_mean is not None]
    return best is not None and sum(abs(mean - best) <= SAME_MEAN * abs(best) for mean in means) > 1


def _leaves(count: int) -> str:
    return "leaf" if count == 1 else "leaves"
