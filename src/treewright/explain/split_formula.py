"""The arithmetic of a split, step by step, each as text and as LaTeX with the numbers put in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.criteria import CRITERIA, center_of
from treewright.explain.page import Step
from treewright.explain.words import latex_words, measure_name, number
from treewright.model.number import format_count

if TYPE_CHECKING:
    from treewright.explain.split_report import Branch, Candidate, SplitReport

__all__ = ["impurity_step", "split_steps", "terms_after"]

MOST_TERMS = 12  # of a sum; the rest is counted


def split_steps(report: SplitReport) -> tuple[Step, ...]:
    """Return the arithmetic of the winner; that of the node alone where there is none."""
    steps = [
        impurity_step(report, "node", report.weight, report.impurity, report.class_weights, report.value)
    ]
    winner = report.winner
    if winner is None:
        return tuple(steps)
    if winner.known < 1 and report.recomputed:
        steps.append(_known_step(report, winner))
    for branch in winner.branches:
        steps.append(
            impurity_step(
                report, branch.words, branch.weight, branch.impurity, branch.class_weights, branch.value
            )
        )
    steps += [_after_step(report, winner), _gain_step(report, winner)]
    if winner.split_info is not None and winner.gain_ratio is not None:
        steps += [_split_info_step(report, winner), _ratio_step(winner)]
    return tuple(steps)


def impurity_step(
    report: SplitReport,
    where: str,
    weight: float,
    impurity: float,
    class_weights: Sequence[float] | None,
    value: float | None,
) -> Step:
    """Return the impurity of some rows, worked out from their classes or numbers."""
    result = number(impurity)
    name = f"{measure_name(report.criterion)} of {where}"
    words = latex_words(where)
    if class_weights is None:
        center = center_of(report.criterion)
        total = number(impurity * weight)
        middle = f"{center} {number(value or 0.0)}"
        text = f"{middle}, {measure_name(report.criterion)} {total}/{format_count(weight)} = {result}"
        latex = (
            rf"{words} &: {latex_words(middle)},\ "
            rf"\frac{{{_plain(total)}}}{{{format_count(weight)}}} = {_plain(result)}"
        )
        return Step(name, text, latex, impurity)
    total = format_count(weight)
    present = sorted((w for w in class_weights if w > 0), reverse=True)
    shares = [(format_count(w), total) for w in present[:MOST_TERMS]]
    more = [f"… {len(present) - MOST_TERMS} more"] if len(present) > MOST_TERMS else []
    formula = CRITERIA[report.criterion].formula
    assert formula is not None, "criteria on classes have a formula"
    terms = " − ".join([*(formula.term.format(a=a, b=b) for a, b in shares), *more])
    text = f"{formula.symbol} = {formula.begin}{terms}{formula.end} = {result}{formula.unit}"
    terms = " - ".join(formula.latex_term.format(a=a, b=b) for a, b in shares)
    latex = (
        f"{formula.latex_symbol}({words}) &= {formula.latex_begin}{terms}{_dots(more)}{formula.latex_end}"
        f" = {_plain(result)}"
    )
    return Step(name, text, latex, impurity)


def _known_step(report: SplitReport, winner: Candidate) -> Step:
    classes = None
    if report.classes is not None:
        columns = zip(*(branch.class_weights or () for branch in winner.branches), strict=True)
        classes = tuple(sum(column) for column in columns)
    weight = sum(branch.weight for branch in winner.branches)
    value = None
    if classes is None and center_of(report.criterion) == "mean":
        value = sum(b.weight * (b.value or 0.0) for b in winner.branches) / weight
    elif classes is None:
        value = report.value
    where = f"the rows with a known {winner.feature}"
    return impurity_step(report, where, weight, winner.impurity_before, classes, value)


def terms_after(report: SplitReport, candidate: Candidate) -> list[str]:
    """Return the summands of the impurity after a test, e.g. ``5/14·0.9710 (sunny)``."""
    weight = sum(branch.weight for branch in candidate.branches)
    terms = [
        f"{format_count(branch.weight)}/{format_count(weight)}·{number(branch.impurity)} ({branch.words})"
        for branch in candidate.branches[:MOST_TERMS]
    ]
    more = len(candidate.branches) - MOST_TERMS
    return [*terms, f"… {more} more"] if more > 0 else terms


def _after_step(report: SplitReport, winner: Candidate) -> Step:
    result = number(winner.impurity_after)
    weight = format_count(sum(branch.weight for branch in winner.branches))

    def term(branch: Branch) -> str:
        return rf"\tfrac{{{format_count(branch.weight)}}}{{{weight}}}\cdot {_plain(number(branch.impurity))}"

    more = ["…"] if len(winner.branches) > MOST_TERMS else []
    latex = " + ".join(term(branch) for branch in winner.branches[:MOST_TERMS])
    return Step(
        f"{measure_name(report.criterion)} after {winner.feature}",
        f"{' + '.join(terms_after(report, winner))} = {result}",
        rf"{latex_words('after ' + winner.feature)} &= {latex}{_dots(more)} = {_plain(result)}",
        winner.impurity_after,
    )


def _gain_step(report: SplitReport, winner: Candidate) -> Step:
    name = "decrease" if report.ranking == "decrease" else "gain"
    before, after = number(winner.impurity_before), number(winner.impurity_after)
    text, latex = f"{before} − {after}", f"{_plain(before)} - {_plain(after)}"
    if winner.known < 1:
        known, all_ = (
            format_count(sum(branch.weight for branch in winner.branches)),
            format_count(report.weight),
        )
        text, latex = f"{known}/{all_}·({text})", rf"\tfrac{{{known}}}{{{all_}}}\left({latex}\right)"
    if winner.cost > 0 and winner.tries is not None:
        all_ = format_count(report.weight)
        text += f" − log2({winner.tries})/{all_}"
        latex += rf" - \tfrac{{\log_2 {winner.tries}}}{{{all_}}}"
    result = number(winner.gain)
    if _is_hearsay(report, winner):
        where = f"from the rows with a known {winner.feature} (pass X and y to see it worked out)"
        return Step(name, f"{result}, {where}", rf"{latex_words(name)} &= {_plain(result)}", winner.gain)
    return Step(
        name, f"{text} = {result}", rf"{latex_words(name)} &= {latex} = {_plain(result)}", winner.gain
    )


def _is_hearsay(report: SplitReport, winner: Candidate) -> bool:
    """Tell whether a tree remembers a number, but not the rows with a known value that it came from."""
    return not report.recomputed and winner.known != 1


def _split_info_step(report: SplitReport, winner: Candidate) -> Step:
    weights = [branch.weight for branch in winner.branches]
    unknown = report.weight - sum(weights)
    if unknown > 1e-9 * report.weight:
        weights.append(unknown)  # rows without a value count as one more branch
    shares = [(format_count(w), format_count(report.weight)) for w in weights[:MOST_TERMS]]
    more = [f"… {len(weights) - MOST_TERMS} more"] if len(weights) > MOST_TERMS else []
    value = float(winner.split_info or 0.0)
    result = number(value)
    if _is_hearsay(report, winner):
        latex = rf"{latex_words('split info')} &= {_plain(result)}"
        return Step("split info", f"{result} bits", latex, value)
    logs = " − ".join([*(f"({a}/{b})·log2({a}/{b})" for a, b in shares), *more])
    terms = " - ".join(rf"\tfrac{{{a}}}{{{b}}}\log_2\tfrac{{{a}}}{{{b}}}" for a, b in shares)
    latex = rf"{latex_words('split info')} &= -{terms}{_dots(more)} = {_plain(result)}"
    return Step("split info", f"−{logs} = {result} bits", latex, value)


def _ratio_step(winner: Candidate) -> Step:
    ratio = float(winner.gain_ratio or 0.0)
    gain, info, result = number(winner.gain), number(float(winner.split_info or 0.0)), number(ratio)
    latex = rf"{latex_words('gain ratio')} &= \frac{{{_plain(gain)}}}{{{_plain(info)}}} = {_plain(result)}"
    return Step("gain ratio", f"{gain} / {info} = {result}", latex, ratio)


def _plain(text: str) -> str:
    return text.replace("−", "-").replace("–", r"\text{--}")


def _dots(more: Sequence[str]) -> str:
    return r" - \dots" if more else ""
