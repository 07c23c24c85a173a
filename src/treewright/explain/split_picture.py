"""The picture of a SplitReport: what the best test of each feature offers, as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.words import measure_name, number
from treewright.model.number import format_count
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.split_report import Candidate, SplitReport

__all__ = ["split_picture"]


def split_picture(report: SplitReport) -> str:
    """Draw the candidates, or what is in a leaf that has none."""
    shown = report.candidates if report.top is None else report.candidates[: report.top]
    bars = [_bar(report, candidate) for candidate in shown if _is_known(report, candidate)]
    if not any(bar.value > 0 for bar in bars):
        return _node_picture(report)
    unit = {"gain_ratio": "gain ratio", "gain": "gain in bits"}.get(
        report.ranking, f"{measure_name(report.criterion)} decrease"
    )
    winner = report.winner
    chosen = "no test was chosen" if winner is None else f"{printable(winner.feature)} was chosen"
    return draw_bars(
        bars,
        title=f"Node {report.node}: {unit} of the best test of each feature",
        sentence=f"{chosen}; {', '.join(f'{bar.label} {bar.words}' for bar in bars[:8])}",
        unit=unit,
    )


def _is_known(report: SplitReport, candidate: Candidate) -> bool:
    return candidate.offers_test and math.isfinite(candidate.score(report.ranking))


def _bar(report: SplitReport, candidate: Candidate) -> Bar:
    test = f" {candidate.branches[0].words}" if candidate.kind == "threshold" and candidate.branches else ""
    score = candidate.score(report.ranking)
    words = number(score)
    if candidate.chosen:
        return Bar(printable(candidate.feature) + test, score, f"{words} chosen", "marked")
    if not candidate.admissible:
        return Bar(printable(candidate.feature) + test, score, f"{words} not eligible", "refused")
    return Bar(printable(candidate.feature) + test, score, words)


def _node_picture(report: SplitReport) -> str:
    if report.classes is None or report.class_weights is None:
        value = report.value or 0.0
        bars, unit = [Bar("predicted", value, number(value))], "predicted value"
    else:
        pairs = sorted(zip(report.classes, report.class_weights, strict=True), key=lambda pair: -pair[1])
        bars = [Bar(printable(label), weight, format_count(weight)) for label, weight in pairs if weight > 0]
        unit = "rows" if abs(report.weight - report.n) <= 1e-9 * report.n else "weight"
    return draw_bars(
        bars or [Bar("no rows", 0.0, "0")],
        title=f"Node {report.node}: what is in it",
        sentence=", ".join(f"{bar.label} {bar.words}" for bar in bars),
        unit=unit,
    )
