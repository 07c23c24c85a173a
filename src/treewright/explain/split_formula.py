"""The arithmetic of a split, step by step, each as text and as LaTeX with the numbers put in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul, truediv
from typing import TYPE_CHECKING

import numpy as np

from treewright.criteria import CRITERIA, center_of
from treewright.explain.words import latex_words, measure_name, number
from treewright.model.equation import Amount, write_equation, write_sum
from treewright.reports.page import Step

if TYPE_CHECKING:
    from treewright.explain.split_report import Candidate, SplitReport

__all__ = ["impurity_step", "split_steps"]

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
    name = f"{measure_name(report.criterion)} of {where}"
    words = latex_words(where)
    if class_weights is None:
        center = center_of(report.criterion)
        middle = f"{center} {number(value or 0.0)}"
        found = write_equation(impurity, (impurity * weight, Amount(weight)), truediv)
        total, over = found.operands
        text = f"{middle}, {measure_name(report.criterion)} {total}/{over} {found.end}"
        latex = (
            rf"{words} &: {latex_words(middle)},\ "
            rf"\frac{{{_plain(total)}}}{{{over}}} {found.latex_sign} {_plain(found.result)}"
        )
        return Step(name, text, latex, impurity)
    criterion = CRITERIA[report.criterion]
    formula, of_shares = criterion.formula, criterion.of_shares
    assert formula is not None and of_shares is not None, "criteria on classes have a formula"
    present = sorted((w for w in class_weights if w > 0), reverse=True)
    shown = present[:MOST_TERMS]

    def of_terms(*amounts: float) -> float:
        *own, whole = amounts
        with np.errstate(divide="ignore", invalid="ignore"):  # digits tried may be too few for a tiny weight
            return float(of_shares(np.array([own]) / whole)[0])

    rest = impurity - of_terms(*shown, weight) if len(present) > MOST_TERMS else 0.0
    found = write_equation(
        impurity,
        (*map(Amount, (*shown, weight)), abs(rest)),
        lambda *numbers: of_terms(*numbers[:-1]) + math.copysign(numbers[-1], rest),
    )
    *counts, total, size = found.operands
    more, latex_more = "", ""
    if len(present) > MOST_TERMS:
        sign = "+" if rest > 0 else "−"
        more = f" {sign} {size} ({len(present) - MOST_TERMS} more)"
        latex_more = f" {_plain(sign)} {size}"
    terms = " − ".join(formula.term.format(a=a, b=total) for a in counts)
    text = f"{formula.symbol} = {formula.begin}{terms}{formula.end}{more} {found.end}{formula.unit}"
    terms = " - ".join(formula.latex_term.format(a=a, b=total) for a in counts)
    latex = (
        f"{formula.latex_symbol}({words}) &= {formula.latex_begin}{terms}{formula.latex_end}{latex_more}"
        f" {found.latex_sign} {_plain(found.result)}"
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


def _after_step(report: SplitReport, winner: Candidate) -> Step:
    weight = sum(branch.weight for branch in winner.branches)
    shown, hidden = winner.branches[:MOST_TERMS], winner.branches[MOST_TERMS:]
    rest = sum(branch.weight * branch.impurity for branch in hidden) / weight

    def mean(*numbers: float) -> float:
        *pairs, whole, more = numbers
        return math.fsum(map(mul, pairs[::2], pairs[1::2])) / whole + more

    pairs = [number for branch in shown for number in (Amount(branch.weight), branch.impurity)]
    found = write_equation(winner.impurity_after, (*pairs, Amount(weight), rest), mean)
    *texts, whole, more = found.operands
    counts, impurities = texts[::2], texts[1::2]
    terms = [
        f"{count}/{whole}·{impurity} ({branch.words})"
        for count, impurity, branch in zip(counts, impurities, shown, strict=True)
    ]
    latex_terms = [
        rf"\tfrac{{{count}}}{{{whole}}}\cdot {_plain(impurity)}"
        for count, impurity in zip(counts, impurities, strict=True)
    ]
    if hidden:
        terms.append(f"{more} ({len(hidden)} more)")
        latex_terms.append(more)
    return Step(
        f"{measure_name(report.criterion)} after {winner.feature}",
        f"{' + '.join(terms)} {found.end}",
        rf"{latex_words('after ' + winner.feature)} &= {' + '.join(latex_terms)}"
        f" {found.latex_sign} {_plain(found.result)}",
        winner.impurity_after,
    )


def _gain_step(report: SplitReport, winner: Candidate) -> Step:
    name = "decrease" if report.ranking == "decrease" else "gain"
    if _is_hearsay(report, winner):
        where = f"from the rows with a known {winner.feature} (pass X and y to see it worked out)"
        result = number(winner.gain)
        return Step(name, f"{result}, {where}", rf"{latex_words(name)} &= {_plain(result)}", winner.gain)
    pays = winner.cost > 0 and winner.tries is not None
    if winner.known == 1 and not pays:
        found = write_sum(winner.gain, (winner.impurity_before, -winner.impurity_after))
    else:
        compared = sum(branch.weight for branch in winner.branches) if winner.known < 1 else report.weight
        found = write_equation(
            winner.gain,
            (winner.impurity_before, winner.impurity_after, Amount(compared), Amount(report.weight)),
            lambda before, after, known, whole: (
                known / whole * (before - after) - (math.log2(winner.tries or 1) / whole if pays else 0.0)
            ),
        )
    before, after, *weights = found.operands
    text, latex = f"{before} − {after}", f"{_plain(before)} - {_plain(after)}"
    if winner.known < 1:
        known, whole = weights
        text, latex = f"{known}/{whole}·({text})", rf"\tfrac{{{known}}}{{{whole}}}\left({latex}\right)"
    if pays:
        text += f" − log2({winner.tries})/{weights[-1]}"
        latex += rf" - \tfrac{{\log_2 {winner.tries}}}{{{weights[-1]}}}"
    latex = rf"{latex_words(name)} &= {latex} {found.latex_sign} {_plain(found.result)}"
    return Step(name, f"{text} {found.end}", latex, winner.gain)


def _is_hearsay(report: SplitReport, winner: Candidate) -> bool:
    """Tell whether a tree remembers a number, but not the rows with a known value that it came from."""
    return not report.recomputed and winner.known != 1


def _split_info_step(report: SplitReport, winner: Candidate) -> Step:
    weights = [branch.weight for branch in winner.branches]
    unknown = report.weight - sum(weights)
    if unknown > 1e-9 * report.weight:
        weights.append(unknown)  # rows without a value count as one more branch
    value = float(winner.split_info or 0.0)
    if _is_hearsay(report, winner):
        result = number(value)
        latex = rf"{latex_words('split info')} &= {_plain(result)}"
        return Step("split info", f"{result} bits", latex, value)

    def bits(*amounts: float) -> float:
        *own, whole, more = amounts
        return more - sum(amount / whole * math.log2(amount / whole) for amount in own if amount > 0)

    shown, hidden = weights[:MOST_TERMS], weights[MOST_TERMS:]
    rest = bits(*hidden, report.weight, 0.0)
    found = write_equation(value, (*map(Amount, (*shown, report.weight)), rest), bits)
    *counts, whole, more = found.operands
    logs = " − ".join(f"({a}/{whole})·log2({a}/{whole})" for a in counts)
    terms = " - ".join(rf"\tfrac{{{a}}}{{{whole}}}\log_2\tfrac{{{a}}}{{{whole}}}" for a in counts)
    if hidden:
        logs += f" + {more} ({len(hidden)} more)"
        terms += f" + {more}"
    latex = rf"{latex_words('split info')} &= -{terms} {found.latex_sign} {_plain(found.result)}"
    return Step("split info", f"−{logs} {found.end} bits", latex, value)


def _ratio_step(winner: Candidate) -> Step:
    ratio = float(winner.gain_ratio or 0.0)
    found = write_equation(ratio, (winner.gain, float(winner.split_info or 0.0)), truediv)
    gain, info = found.operands
    latex = (
        rf"{latex_words('gain ratio')} &= \frac{{{_plain(gain)}}}{{{_plain(info)}}}"
        f" {found.latex_sign} {_plain(found.result)}"
    )
    return Step("gain ratio", f"{gain} / {info} {found.end}", latex, ratio)


def _plain(text: str) -> str:
    return text.replace("−", "-").replace("–", r"\text{--}")
