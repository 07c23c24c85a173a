"""The arithmetic of AdaBoost's rounds: how a tree comes to its weight and the rows to theirs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.explain.words import number
from treewright.model.equation import Written, write_equation
from treewright.reports.page import Step

if TYPE_CHECKING:
    from treewright.explain.boosted.rounds import RoundsReport, WeightedRound

__all__ = ["rounds_steps"]


def rounds_steps(report: RoundsReport) -> tuple[Step, ...]:
    """Return for each round how its tree comes to its weight and the rows to theirs."""
    return tuple(_step(report, one) for one in report.rounds)


def _step(report: RoundsReport, one: WeightedRound) -> Step:
    name = f"round {one.round}"
    if report.variant == "SAMME.R" or not 0 < one.error < 1:
        e = number(one.error)
        why = "every tree has the weight 1"
        if report.variant != "SAMME.R":
            why = f"a tree without error has the weight {number(one.weight)}, and boosting ends"
        return Step(name, f"error {e}; {why}", rf"e_{{{one.round}}} &= {e}", one.weight)
    if report.variant == "R2":
        return _loss_step(report, one, name)
    if len(report.classes or ()) == 2:
        return _half_step(report, one, name)
    return _classes_step(report, one, name)


def _rate(report: RoundsReport) -> str:
    return "" if report.learning_rate == 1 else f"{report.learning_rate:.12g}·"


def _latex_rate(report: RoundsReport) -> str:
    return _rate(report).replace("·", r"\cdot ")


def _divided(one: WeightedRound) -> str:
    return "" if one.normalizer is None else f", then all divided by Z = {number(one.normalizer)}"


def _half_step(report: RoundsReport, one: WeightedRound, name: str) -> Step:
    """Two classes, as the books have it: half the logarithm, and both right and wrong rows change."""
    alpha = float(one.alpha or 0.0)
    found = write_equation(alpha, (one.error,), lambda e: report.learning_rate * 0.5 * math.log((1 - e) / e))
    e = found.operands[0]
    doubled = write_equation(one.weight, (alpha,), lambda a: 2 * a)
    up, down = (_power(sign * alpha) for sign in (1.0, -1.0))
    text = (
        f"α = {_rate(report)}½·ln((1 − {e})/{e}) {found.end}, "
        f"weight 2·{_bracketed(doubled.operands[0])} {doubled.end}; "
        f"weights of wrong rows × {up}, of right rows × {down}{_divided(one)}"
    )
    odds = rf"\ln\frac{{1 - {e}}}{{{e}}}"
    latex = rf"\alpha_{{{one.round}}} &= {_latex_rate(report)}\tfrac12{odds} {_latex_end(found)}"
    return Step(name, text, latex, alpha)


def _classes_step(report: RoundsReport, one: WeightedRound, name: str) -> Step:
    """Several classes: the weights of right rows stay as they are."""
    n_classes = len(report.classes or ())
    found = write_equation(
        one.weight,
        (one.error,),
        lambda e: report.learning_rate * (math.log((1 - e) / e) + math.log(n_classes - 1)),
    )
    e = found.operands[0]
    text = (
        f"weight {_rate(report)}(ln((1 − {e})/{e}) + ln({n_classes} − 1)) {found.end}; "
        f"weights of wrong rows × {_power(one.weight)}{_divided(one)}"
    )
    odds = rf"\ln\frac{{1 - {e}}}{{{e}}}"
    latex = (
        rf"\alpha_{{{one.round}}} &= {_latex_rate(report)}({odds} + \ln({n_classes} - 1)) {_latex_end(found)}"
    )
    return Step(name, text, latex, one.weight)


def _loss_step(report: RoundsReport, one: WeightedRound, name: str) -> Step:
    """Numbers (AdaBoost.R2)."""
    beta = one.error / (1 - one.error)
    found = write_equation(beta, (one.error,), lambda e: e / (1 - e))
    e = found.operands[0]
    weight = write_equation(one.weight, (beta,), lambda b: report.learning_rate * math.log(1 / b))
    rate = _rate(report)
    text = (
        f"β = {e}/(1 − {e}) {found.end}; weight {rate}ln(1/{weight.operands[0]}) {weight.end}; "
        f"weights × β^{f'({rate}(1 − loss))' if rate else '(1 − loss)'}{_divided(one)}"
    )
    return Step(name, text, rf"\beta &= \frac{{{e}}}{{1 - {e}}} {_latex_end(found)}", one.weight)


def _power(exponent: float) -> str:
    found = write_equation(math.exp(exponent), (exponent,), math.exp)
    return f"e^{found.operands[0]} {found.end}"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _latex_end(found: Written) -> str:
    return f"{found.latex_sign} {found.result.replace('−', '-')}"
