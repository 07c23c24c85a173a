"""A SplitReport laid out as a textbook would write it: the node, a table of candidates, the arithmetic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.explain.formula import measure_name, split_steps, terms_after
from treewright.explain.numbers import count, number, signed
from treewright.explain.page import Column, Page, Row, Table
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.report import Branch, Candidate, SplitReport

__all__ = ["branch_size", "split_page"]

MAX_CLASSES = 8
CLOSE = 0.01  # Gini and bits: candidates this near to the winner could win in another sample
CLOSE_SHARE = 0.03  # the same for losses in the unit of y
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
RANKED_BY = {"decrease": "decrease", "gain": "gain", "gain_ratio": "gain ratio"}


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
        rows += f" of weight {count(report.weight)}"
    if report.classes is None or report.class_weights is None:
        center = "median" if report.criterion == "absolute_error" else "mean"
        return f"{rows}: {center} {number(report.value or 0.0)}"
    order = sorted(range(len(report.classes)), key=lambda k: -(report.class_weights or ())[k])
    present = [k for k in order if report.class_weights[k] > 0]
    words = [
        f"{printable(report.classes[k])} {count(report.class_weights[k])}" for k in present[:MAX_CLASSES]
    ]
    if len(present) > MAX_CLASSES:
        words.append(f"{len(present) - MAX_CLASSES} more")
    return f"{rows}: {', '.join(words)}"


def _decrease_table(report: SplitReport, shown: tuple[Candidate, ...]) -> Table:
    name = max((len(printable(c.feature)) for c in shown), default=0)
    binary = all(len(c.branches) <= 2 for c in shown)
    sides = (Column("left", True), Column("right", True)) if binary else (Column("rows", True),)
    by_weight = any(branch.n is None for candidate in shown for branch in candidate.branches)
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
        ("left and right are weights",) if by_weight else (),
    )


def branch_size(branch: Branch, by_weight: bool = False) -> str:
    """Return how many rows take a branch, or their weight where a stored tree knows no more."""
    if branch.n is not None and not by_weight:
        return str(branch.n)
    return "" if math.isnan(branch.weight) else count(branch.weight)


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
    return [f"! {how_many} features are within {words}: another sample could well choose another {what}."]


def _worked(report: SplitReport, winner: Candidate) -> list[str]:
    name = printable(winner.feature)
    indent = " " * (len(name) + 2)
    steps = {step.name: step for step in split_steps(report)}
    lines = [f"{name}: {' + '.join(terms_after(report, winner))} = {number(winner.impurity_after)}"]
    gain = "decrease" if report.ranking == "decrease" else "gain"
    line = f"{indent}{gain} {steps[gain].text}"
    if "gain ratio" in steps:
        line += f"      ratio {steps['gain ratio'].text}"
    return [*lines, line]
