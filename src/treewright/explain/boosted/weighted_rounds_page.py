"""A RoundsReport laid out: one line per round, the weights of rows round by round, the arithmetic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.explain.formula import Step
from treewright.explain.numbers import number
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.boosted.weighted_rounds_report import RoundsReport, WeightedRound

__all__ = ["rounds_page", "rounds_steps"]

WORKED_ROUNDS = 3
ROW_ROUNDS = 6  # rounds whose weights of rows fit on a line
WRONG = "✗"


def rounds_page(report: RoundsReport) -> Page:
    """Lay out the report."""
    n = len(report.rounds)
    tables = [_round_table(report)]
    if report.recomputed and report.rounds[0].rows:
        tables.append(_row_table(report))
    steps = rounds_steps(report)
    rate = "" if report.learning_rate == 1 else f", learning rate {report.learning_rate:g}"
    return Page(
        title=f"{n} {'round' if n == 1 else 'rounds'}",
        subject=f"{report.algorithm}, {report.variant}{rate}",
        facts=(),
        tables=tuple(tables),
        worked=tuple(f"{step.name}: {step.text}" for step in steps[:WORKED_ROUNDS]),
        latex=tuple(step.latex for step in steps),
        notes=tuple(printable(note) for note in report.notes),
    )


def _round_table(report: RoundsReport) -> Table:
    shown = report.rounds[: report.top]
    has_alpha = any(one.alpha is not None for one in shown)
    columns = [Column("round"), Column("first test"), Column("error", True)]
    columns += [Column("α of the books", True)] if has_alpha else []
    columns.append(Column("weight", True))
    score = "R² so far" if report.classes is None else "right so far"
    columns += [Column("Z", True), Column(score, True)] if report.recomputed else []
    rows = []
    for one in shown:
        cells = [str(one.round), printable(one.test) or "none", number(one.error)]
        cells += [number(one.alpha) if one.alpha is not None else ""] if has_alpha else []
        cells.append(number(one.weight))
        if report.recomputed:
            cells.append("" if one.normalizer is None else number(one.normalizer))
            cells.append("" if one.training_score is None else number(one.training_score))
        rows.append(Row(tuple(cells)))
    hidden = len(report.rounds) - len(shown)
    below = (f"… {hidden} more {'round' if hidden == 1 else 'rounds'}",) if hidden else ()
    return Table("The rounds", tuple(columns), tuple(rows), below)


def _row_table(report: RoundsReport) -> Table:
    shown = report.rounds[: min(ROW_ROUNDS, report.top)]
    columns = [Column("row"), Column("y")]
    columns += [Column(f"round {one.round}", True) for one in shown]
    last = shown[-1]
    has_next = any(own.next_weight is not None for own in last.rows)
    columns += [Column("then", True)] if has_next else []
    rows = []
    for place, first in enumerate(shown[0].rows):
        cells = [str(first.row), printable(first.target)]
        for one in shown:
            own = one.rows[place]
            mark = WRONG if report.classes is not None and own.loss > 0 else " "
            cells.append(f"{number(own.weight)} {mark}")
        following = last.rows[place].next_weight
        cells += [number(following) if following is not None else ""] if has_next else []
        rows.append(Row(tuple(cells)))
    below = (f"{WRONG} the round's tree is wrong about the row",) if report.classes is not None else ()
    return Table("Weights of rows", tuple(columns), tuple(rows), below)


def rounds_steps(report: RoundsReport) -> tuple[Step, ...]:
    """Return for each round how its tree comes to its weight and the rows to theirs."""
    return tuple(_step(report, one) for one in report.rounds)


def _step(report: RoundsReport, one: WeightedRound) -> Step:
    e, name = number(one.error), f"round {one.round}"
    if report.variant == "SAMME.R":
        return Step(name, f"error {e}; every tree has the weight 1", rf"e_{{{one.round}}} &= {e}", one.weight)
    if not 0 < one.error < 1:
        text = f"error {e}; a tree without error has the weight {number(one.weight)}, and boosting ends"
        return Step(name, text, rf"e_{{{one.round}}} &= {e}", one.weight)
    rate = "" if report.learning_rate == 1 else f"{report.learning_rate:g}·"
    latex_rate = rate.replace("·", r"\cdot ")
    result, odds = number(one.weight), rf"\ln\frac{{1 - {e}}}{{{e}}}"
    after = "" if one.normalizer is None else f", then all divided by {number(one.normalizer)}"
    if report.variant == "R2":
        beta = one.error / (1 - one.error)
        text = (
            f"β = {e}/(1 − {e}) = {number(beta)}; weight {rate}ln(1/β) = {result}; "
            f"weights × β^{f'({rate}(1 − loss))' if rate else '(1 − loss)'}{after}"
        )
        latex = rf"\beta &= \frac{{{e}}}{{1 - {e}}} = {number(beta)}"
        return Step(name, text, latex, one.weight)
    n_classes = len(report.classes or ())
    factor = number(math.exp(one.weight))
    if n_classes == 2:
        alpha = number(one.alpha or 0.0)
        text = (
            f"α = {rate}½·ln((1 − {e})/{e}) = {alpha}, weight 2α = {result}; "
            f"weights of wrong rows × e^{result} = {factor}{after}"
        )
        latex = rf"\alpha_{{{one.round}}} &= {latex_rate}\tfrac12{odds} = {alpha.replace('−', '-')}"
        return Step(name, text, latex, float(one.alpha or 0.0))
    more = number(math.log(n_classes - 1))
    text = (
        f"weight {rate}(ln((1 − {e})/{e}) + ln({n_classes} − 1)) = {result}; "
        f"weights of wrong rows × e^{result} = {factor}{after}"
    )
    latex = rf"\alpha_{{{one.round}}} &= {latex_rate}({odds} + {more}) = {result.replace('−', '-')}"
    return Step(name, text, latex, one.weight)
