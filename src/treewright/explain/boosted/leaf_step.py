"""LeafStep: how a leaf of a booster came to a value that is not the quotient of its own sums."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from treewright.model.equation import Written, counted, write_equation

__all__ = ["LETTERS", "LeafRule", "LeafStep", "leaf_equation", "leaf_words", "rule_of"]

LeafRule = Literal["newton", "newton_of_classes", "logarithm", "no_target", "quantile", "huber"]

LETTERS = "F is the raw score of a row before the round, r its negative gradient"
NEWTON: dict[str, str] = {
    "log_loss": "Σr/Σp(1 − p)",
    "exponential": "Σy·e^(−y·F)/Σe^(−y·F), y = ±1",
    "custom": "−Σg/Σh",
}
LOGARITHM: dict[str, str] = {
    "poisson": "ln(Σy/Σe^F)",
    "gamma": "ln(Σy·e^−F/Σ1)",
    "tweedie": "ln(Σy·e^((1 − p)·F)/Σe^((2 − p)·F))",
}


@dataclass(frozen=True)
class LeafStep:
    """The value of a leaf before the learning rate, and the numbers that it comes from.

    Attributes
    ----------
    rule : str
        One Newton step (``newton``; ``newton_of_classes`` with Friedman's factor (K − 1)/K; ``no_target``
        where all targets are 0), the logarithm of a quotient, a quantile of y − F, or Huber's step from the
        median.
    value : float
        The value.
    numerator, denominator : float or None
        The sums over the rows of the leaf whose quotient it is made of; None for a quantile.
    n_classes : int or None
        K, where a factor has it.
    middle : float or None
        The median of y − F that Huber's step starts from.
    """

    rule: LeafRule
    value: float
    numerator: float | None = None
    denominator: float | None = None
    n_classes: int | None = None
    middle: float | None = None


def rule_of(loss: str, n_outputs: int) -> LeafRule:
    """Return how leaves come to their values under a loss."""
    if loss in ("absolute_error", "quantile"):
        return "quantile"
    if loss == "huber":
        return "huber"
    if loss in LOGARITHM:
        return "logarithm"
    return "newton_of_classes" if n_outputs > 1 and loss != "custom" else "newton"


def leaf_words(loss: str, rule: LeafRule, level: float | None = None) -> str:
    """Say by which rule a leaf gets its value, as a formula or in words.

    Parameters
    ----------
    loss : str
        The loss.
    rule : str
        The rule.
    level : float, optional
        Which quantile.
    """
    if rule == "newton":
        return f"one Newton step {NEWTON.get(loss, NEWTON['custom'])}"
    if rule == "newton_of_classes":
        return "one Newton step (K − 1)/K·Σr/Σp(1 − p)"
    if rule == "no_target":
        return "one Newton step, because all targets of the leaf are 0"
    if rule == "logarithm":
        return f"least {loss} loss, {LOGARITHM[loss]}"
    if rule == "huber":
        return "median m of y − F, and from there the mean of y − F − m, each cut off at Huber's ±δ"
    return "median of y − F" if level is None or level == 0.5 else f"{level:g} quantile of y − F"


def leaf_equation(step: LeafStep) -> tuple[str, str, Written] | None:
    """Return the formula with its numbers as text and as LaTeX, and its result; None where there is none."""
    if step.numerator is None or step.denominator is None:
        return None
    top, bottom = step.numerator, counted(step.denominator)
    if step.rule == "logarithm":
        found = write_equation(step.value, (top, bottom), lambda a, b: math.log(a / b))
        a, b = found.operands
        return f"ln({a}/{b})", rf"\ln\frac{{{a}}}{{{b}}}", found
    if step.rule == "newton_of_classes":
        k = step.n_classes or 2
        found = write_equation(step.value, (top, bottom), lambda a, b: (k - 1) / k * a / b)
        a, b = found.operands
        return (
            f"{k - 1}/{k}·{_bracketed(a)}/{b}",
            rf"\tfrac{{{k - 1}}}{{{k}}}\cdot\frac{{{_plain(a)}}}{{{b}}}",
            found,
        )
    if step.rule == "huber":
        middle = float(step.middle or 0.0)
        found = write_equation(step.value, (middle, top, bottom), lambda m, a, b: m + a / b)
        m, a, b = found.operands
        return f"{m} + {_bracketed(a)}/{b}", rf"{_plain(m)} + \frac{{{_plain(a)}}}{{{b}}}", found
    found = write_equation(step.value, (top, bottom), lambda a, b: a / b)
    a, b = found.operands
    return f"{a}/{b}", rf"\frac{{{_plain(a)}}}{{{b}}}", found


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _plain(text: str) -> str:
    return text.replace("−", "-")
