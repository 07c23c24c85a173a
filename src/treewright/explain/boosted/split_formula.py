"""The arithmetic of a boosted split: penalties, values and scores, and each step with the numbers put in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.explain.page import Step
from treewright.explain.words import latex_words, number
from treewright.model.facts import BoosterFacts
from treewright.model.model import Model
from treewright.model.number import format_count

if TYPE_CHECKING:
    from treewright.explain.boosted.split_report import BoostCandidate, BoostSplitReport, BoostSums

__all__ = ["Shrinkage", "hessian_words", "plain_number", "shrinkage_of", "split_steps"]


@dataclass(frozen=True)
class Shrinkage:
    """The penalties under which a leaf takes its value.

    Attributes
    ----------
    l2, l1 : float
        λ and α.
    gamma : float
        γ: what a gain, without the factor ½, must exceed.
    max_step : float
        The largest absolute value of a leaf before the learning rate; 0: no limit.
    learning_rate : float
        What the value of a leaf is multiplied with.
    """

    l2: float = 0.0
    l1: float = 0.0
    gamma: float = 0.0
    max_step: float = 0.0
    learning_rate: float = 1.0

    def nearer_to_zero(self, gradient: float) -> float:
        """Return G after α has been taken off its size."""
        if gradient > self.l1:
            return gradient - self.l1
        return gradient + self.l1 if gradient < -self.l1 else 0.0

    def value(self, gradient: float, hessian: float) -> float:
        """Return the value of a leaf before the learning rate."""
        divisor = hessian + self.l2
        if not divisor > 0:
            return 0.0
        value = -self.nearer_to_zero(gradient) / divisor
        return max(-self.max_step, min(self.max_step, value)) if self.max_step > 0 else value

    def is_capped(self, gradient: float, hessian: float) -> bool:
        """Tell whether `max_step` changes the value."""
        divisor = hessian + self.l2
        return 0 < self.max_step < abs(self.nearer_to_zero(gradient)) / divisor if divisor > 0 else False

    def score(self, gradient: float, hessian: float, more_l2: float = 0.0) -> float:
        """Return twice what the value takes off the loss: G²/(H + λ) where nothing limits the value."""
        divisor = hessian + self.l2 + more_l2
        if not divisor > 0:
            return 0.0
        shrunk = self.nearer_to_zero(gradient)
        if not 0 < self.max_step < abs(shrunk) / divisor:
            return shrunk * shrunk / divisor
        value = self.max_step if gradient < 0 else -self.max_step
        return -(2 * gradient * value + divisor * value * value + 2 * self.l1 * abs(value))


def shrinkage_of(model: Model, tree: int) -> Shrinkage:
    """Return the penalties that a tree of a booster was grown with."""
    gains, facts = model.arrays.get("least_gain"), BoosterFacts.of(model)
    return Shrinkage(
        l2=facts.l2,
        l1=facts.l1,
        gamma=float(model.params.get("gamma", 0.0) if gains is None else gains[tree]),
        max_step=float(model.params.get("max_delta_step", 0.0)),
        learning_rate=facts.learning_rate,
    )


def split_steps(report: BoostSplitReport) -> tuple[Step, ...]:
    """Return value, scores and gain of the report's node."""
    steps = [_value_step(report, "node", report.node_sums)]
    if report.is_leaf:
        steps += _leaf_steps(report)
    winner = report.winner
    if winner is None:
        return tuple(steps)
    for branch in winner.branches:
        steps.append(_score_step(report, f"{winner.feature} {branch.words}", branch))
    steps.append(_score_step(report, "node", report.node_sums))
    steps.append(_gain_step(report, winner))
    if winner.more_l2 > 0:
        steps.append(_competing_step(report, winner))
    if report.method == "newton":
        steps.append(_loss_step(winner))
    return tuple(steps)


def plain_number(value: float) -> str:
    """Write a parameter as the user wrote it."""
    return f"{value:g}".replace("-", "−")


def hessian_words(hessian: float) -> str:
    """Write H or a weight: whole when it is whole, as where every hessian is 1."""
    return (
        format_count(hessian) if abs(hessian - round(hessian)) < 1e-9 * max(1.0, hessian) else number(hessian)
    )


def _shrinkage(report: BoostSplitReport) -> Shrinkage:
    return Shrinkage(report.l2, report.l1, report.gamma, report.max_step, report.learning_rate)


def _divisor(report: BoostSplitReport, hessian: float, more_l2: float = 0.0) -> str:
    terms = [hessian_words(hessian)]
    if report.method == "newton":
        terms.append(plain_number(report.l2))
    if more_l2:
        terms.append(plain_number(more_l2))
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def _shrunk(report: BoostSplitReport, gradient: float) -> str:
    """Return G as it counts: nearer to 0 by α."""
    if report.l1 == 0:
        return number(gradient)
    if _shrinkage(report).nearer_to_zero(gradient) == 0:
        return "0"
    sign = "−" if gradient > 0 else "+"
    return f"({number(gradient)} {sign} {plain_number(report.l1)})"


def _value_step(report: BoostSplitReport, where: str, sums: BoostSums) -> Step:
    shrinkage = _shrinkage(report)
    divisor, result = _divisor(report, sums.hessian), number(sums.value)
    if report.method == "least_squares":
        residuals = number(-sums.gradient)
        text = f"mean of the negative gradients {residuals}/{divisor} = {result}"
        latex = rf"{latex_words('mean')} &= {_fraction(residuals, divisor)} = {_latex(result)}"
        return Step(f"value of {where}", text, latex, sums.value)
    top = _shrunk(report, sums.gradient)
    top = f"({top})" if top.startswith("−") else top
    text, latex = f"−{top}/{divisor}", f"-{_fraction(top, divisor)}"
    if shrinkage.is_capped(sums.gradient, sums.hessian):
        text += f", at most ±{plain_number(report.max_step)},"
    formula = "−G/(H + λ)" if report.l1 == 0 else "−(G nearer to 0 by α)/(H + λ)"
    return Step(
        f"value of {where}",
        f"value {formula} = {text} = {result}",
        rf"{latex_words('value')} &= {latex} = {_latex(result)}",
        sums.value,
    )


def _leaf_steps(report: BoostSplitReport) -> list[Step]:
    steps = []
    value = report.node_sums.value
    if report.own_value is not None:
        value = report.own_value
        text = f"the leaf's own value = {number(value)}"
        steps.append(
            Step("own value", text, rf"{latex_words('own value')} &= {_latex(number(value))}", value)
        )
    step = value * report.learning_rate if report.step is None else report.step
    rate = plain_number(report.learning_rate)
    text = f"learning rate {rate}·{_signed(value)} = {number(step)}"
    latex = rf"{latex_words('step')} &= {rate}\cdot {_latex(_signed(value))} = {_latex(number(step))}"
    return [*steps, Step("step", text, latex, step)]


def _score_step(report: BoostSplitReport, where: str, sums: BoostSums) -> Step:
    result, divisor = number(sums.score), _divisor(report, sums.hessian)
    if _shrinkage(report).is_capped(sums.gradient, sums.hessian):
        g, w = _signed(sums.gradient), _signed(sums.value)
        text = f"−(2·{g}·{w} + {divisor}·{w}²"
        if report.l1 > 0:
            text += f" + 2·{plain_number(report.l1)}·{number(abs(sums.value))}"
        latex = _latex(text.replace("·", r"\cdot ").replace("²", "^2")) + ")"
        text += ")"
    else:
        top = _shrunk(report, sums.gradient if report.method == "newton" else -sums.gradient)
        top = f"({top})²" if top.startswith("−") else f"{top}²"
        text, latex = f"{top}/{divisor}", _fraction(top, divisor)
    return Step(
        f"score of {where}",
        f"{text} = {result}",
        rf"{latex_words(where)} &: {latex} = {_latex(result)}",
        sums.score,
    )


def _gain_step(report: BoostSplitReport, winner: BoostCandidate) -> Step:
    left, right = (number(branch.score) for branch in winner.branches)
    node, result = number(report.node_sums.score), number(winner.gain)
    name = "gain" if report.method == "newton" else "squared error falls by"
    return Step(
        name,
        f"{left} + {right} − {node} = {result}",
        rf"{latex_words(name)} &= {_latex(left)} + {_latex(right)} - {_latex(node)} = {_latex(result)}",
        winner.gain,
    )


def _competing_step(report: BoostSplitReport, winner: BoostCandidate) -> Step:
    terms = []
    for branch in winner.branches:
        top = _shrunk(report, branch.gradient)
        top = f"({top})²" if top.startswith("−") else f"{top}²"
        terms.append(f"{top}/{_divisor(report, branch.hessian, winner.more_l2)}")
    node, result = number(report.node_sums.score), number(winner.competing_gain)
    latex = " + ".join(_fraction(*term.split("/")) for term in terms)
    return Step(
        "competing gain",
        f"{' + '.join(terms)} − {node} = {result}",
        rf"{latex_words('competing gain')} &= {latex} - {_latex(node)} = {_latex(result)}",
        winner.competing_gain,
    )


def _loss_step(winner: BoostCandidate) -> Step:
    value = winner.gain / 2
    return Step(
        "loss falls by",
        f"½·{_signed(winner.gain)} = {number(value)}",
        rf"{latex_words('loss falls by')} &= \tfrac12\cdot {_latex(_signed(winner.gain))}"
        rf" = {_latex(number(value))}",
        value,
    )


def _signed(value: float) -> str:
    text = number(value)
    return f"({text})" if text.startswith("−") else text


def _latex(text: str) -> str:
    return text.replace("−", "-").replace("²", "^2").replace("±", r"\pm ").replace("–", r"\text{--}")


def _fraction(top: str, bottom: str) -> str:
    return rf"\frac{{{_latex(top)}}}{{{_latex(bottom.removeprefix('(').removesuffix(')'))}}}"
