"""A SplitReport in words and worked arithmetic, as a textbook would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.model.number import format_threshold

if TYPE_CHECKING:
    from treewright.explain.report import Candidate, SplitReport

__all__ = ["describe_report"]

NAMES = {"gini": "Gini", "squared_error": "squared error", "absolute_error": "absolute error"}
TIE = 1e-10  # relative to the node's impurity, as in growing


def describe_report(report: SplitReport) -> str:
    """Return the report as text: the node, a table of candidates, then each with its numbers put in."""
    name = NAMES.get(report.criterion, report.criterion)
    start = f"Node {report.node}   {report.n} rows"
    if report.class_weights is not None:
        start += ": " + ", ".join(f"{label} {_count(weight)}" for label, weight in report.class_weights)
    lines = [f"{start:<68} {report.algorithm}, {name}", f"  {_node_formula(report, name)}", ""]
    usable = [candidate for candidate in report.candidates if candidate.branches]
    lines += _table(report, usable, name)
    lines += [f"  {c.feature}: no admissible test" for c in report.candidates if not c.branches]
    for candidate in usable:
        lines += ["", *_arithmetic(report, candidate)]
    return "\n".join(line.rstrip() for line in lines)


def _node_formula(report: SplitReport, name: str) -> str:
    value = _number(report.impurity)
    if report.class_weights is None:
        return f"{name} {value}"
    total = _count(report.weight)
    shares = [f"({_count(weight)}/{total})" for _, weight in report.class_weights if weight > 0]
    if report.criterion == "gini":
        return f"Gini = 1 − {' − '.join(f'{share}²' for share in shares)} = {value}"
    return f"H = −{' − '.join(f'{share}·log2{share}' for share in shares)} = {value} bits"


def _table(report: SplitReport, usable: list[Candidate], name: str) -> list[str]:
    rows = [("feature", "best test", "rows", f"{name} after", "decrease", "")]
    for candidate in usable:
        rows.append(
            (
                candidate.feature,
                " | ".join(branch.words for branch in candidate.branches),
                " | ".join(str(branch.n) for branch in candidate.branches),
                _number(candidate.impurity_after),
                _number(candidate.decrease),
                _remark(report, candidate),
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return [
        f"  {row[0]:<{widths[0]}}   {row[1]:<{widths[1]}}   {row[2]:<{widths[2]}}   "
        f"{row[3]:>{widths[3]}}   {row[4]:>{widths[4]}}   {row[5]}"
        for row in rows
    ]


def _remark(report: SplitReport, candidate: Candidate) -> str:
    winner = report.winner
    if winner is None:
        return ""
    tolerance = TIE * report.impurity
    behind = winner.decrease - candidate.decrease
    if candidate.chosen:
        tied = [c for c in report.candidates if c.branches and abs(winner.decrease - c.decrease) <= tolerance]
        return "← chosen (tie: the first column wins)" if len(tied) > 1 else "← chosen"
    return "  exact tie" if abs(behind) <= tolerance else f"  margin {_number(behind)}"


def _arithmetic(report: SplitReport, candidate: Candidate) -> list[str]:
    terms = [
        f"{_count(branch.weight)}/{_count(report.weight)}·{_number(branch.impurity)} ({branch.words})"
        for branch in candidate.branches
    ]
    indent = " " * (len(candidate.feature) + 4)
    return [
        f"  {candidate.feature}: {' + '.join(terms)} = {_number(candidate.impurity_after)}",
        f"{indent}decrease {_number(report.impurity)} − {_number(candidate.impurity_after)}"
        f" = {_number(candidate.decrease)}",
    ]


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 100 else format_threshold(value, 6)


def _count(weight: float) -> str:
    whole = round(weight)
    return str(whole) if abs(weight - whole) < 1e-9 * max(1.0, abs(weight)) else f"{weight:.4g}"
