"""The arithmetic of a boosted split: penalties, values and scores, and each step with the numbers put in."""

from __future__ import annotations

from dataclasses import dataclass
from operator import mul, truediv
from typing import TYPE_CHECKING

from treewright.explain.boosted.leaf_step import leaf_equation, leaf_words
from treewright.explain.words import latex_words, number
from treewright.model.equation import Amount, Given, Written, counted, write_equation, write_sum
from treewright.model.facts import BoosterFacts
from treewright.model.learning_rate import rate_of_tree
from treewright.model.model import Model
from treewright.model.number import format_count
from treewright.reports.page import Step

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
        learning_rate=rate_of_tree(model, tree),
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
    return f"{value:.12g}".replace("-", "−")


def hessian_words(hessian: float) -> str:
    """Write H or a weight: whole when it is whole, as where every hessian is 1."""
    return format_count(hessian) if isinstance(counted(hessian), Amount) else number(hessian)


def _shrinkage(report: BoostSplitReport) -> Shrinkage:
    return Shrinkage(report.l2, report.l1, report.gamma, report.max_step, report.learning_rate)


def _divisor(report: BoostSplitReport, hessian: str, more_l2: float = 0.0) -> str:
    terms = [hessian]
    if report.method == "newton":
        terms.append(plain_number(report.l2))
    if more_l2:
        terms.append(plain_number(more_l2))
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def _l2(report: BoostSplitReport) -> float:
    return report.l2 if report.method == "newton" else 0.0


def _shrunk(report: BoostSplitReport, gradient: float, text: str) -> str:
    """Return G as it counts: nearer to 0 by α."""
    if report.l1 == 0:
        return text
    if _shrinkage(report).nearer_to_zero(gradient) == 0:
        return "0"
    sign = "−" if gradient > 0 else "+"
    return f"({text} {sign} {plain_number(report.l1)})"


def _value_step(report: BoostSplitReport, where: str, sums: BoostSums) -> Step:
    shrinkage = _shrinkage(report)
    if report.method == "least_squares":
        found = write_equation(sums.value, (-sums.gradient, counted(sums.hessian)), truediv)
        residuals, weight = found.operands
        text = f"mean of the negative gradients {residuals}/{weight} {found.end}"
        latex = rf"{latex_words('mean')} &= {_fraction(residuals, weight)} {_latex_end(found)}"
        return Step(f"value of {where}", text, latex, sums.value)
    found = write_equation(sums.value, (sums.gradient, counted(sums.hessian)), shrinkage.value)
    gradient, hessian = found.operands
    top, divisor = _shrunk(report, sums.gradient, gradient), _divisor(report, hessian)
    top = _bracketed(top)
    text, latex = f"−{top}/{divisor}", f"-{_fraction(top, divisor)}"
    if shrinkage.is_capped(sums.gradient, sums.hessian):
        text += f", at most ±{plain_number(report.max_step)},"
    formula = "−G/(H + λ)" if report.l1 == 0 else "−(G nearer to 0 by α)/(H + λ)"
    return Step(
        f"value of {where}",
        f"value {formula} = {text} {found.end}",
        rf"{latex_words('value')} &= {latex} {_latex_end(found)}",
        sums.value,
    )


def _leaf_steps(report: BoostSplitReport) -> list[Step]:
    steps = []
    value = report.node_sums.value
    if report.own_value is not None:
        value = report.own_value
        steps.append(_own_step(report, value))
    step = value * report.learning_rate if report.step is None else report.step
    found = write_equation(step, (Given(report.learning_rate), value), mul)
    rate, own = found.operands
    text = f"learning rate {rate}·{_bracketed(own)} {found.end}"
    latex = rf"{latex_words('step')} &= {rate}\cdot {_latex(_bracketed(own))} {_latex_end(found)}"
    return [*steps, Step("step", text, latex, step)]


def _own_step(report: BoostSplitReport, value: float) -> Step:
    """Return the value that the loss gives the leaf, with its sums where data tells them."""
    worked = None if report.leaf_step is None else leaf_equation(report.leaf_step)
    if report.leaf_step is None or worked is None:
        text, latex = f"the leaf's own value {number(value)}", _latex(number(value))
        if report.leaf_step is not None:
            words = leaf_words(report.loss, report.leaf_step.rule, report.level)
            text = f"the leaf's own value, the {words}: {number(value)}"
        return Step("own value", text, rf"{latex_words('own value')} &= {latex}", value)
    formula, latex, found = worked
    words = leaf_words(report.loss, report.leaf_step.rule, report.level)
    text = f"the leaf's own value, {words}: {formula} {found.end}"
    return Step("own value", text, rf"{latex_words('own value')} &= {latex} {_latex_end(found)}", value)


def _score_step(report: BoostSplitReport, where: str, sums: BoostSums) -> Step:
    shrinkage = _shrinkage(report)
    if shrinkage.is_capped(sums.gradient, sums.hessian):
        found = write_equation(
            sums.score,
            (sums.gradient, counted(sums.hessian), sums.value),
            lambda g, h, w: -(2 * g * w + (h + _l2(report)) * w * w + 2 * report.l1 * abs(w)),
        )
        gradient, hessian, value = found.operands
        g, w = _bracketed(gradient), _bracketed(value)
        text = f"−(2·{g}·{w} + {_divisor(report, hessian)}·{w}²"
        if report.l1 > 0:
            text += f" + 2·{plain_number(report.l1)}·{value.removeprefix('−')}"
        latex = _latex(text.replace("·", r"\cdot ").replace("²", "^2")) + ")"
        text += ")"
    else:
        own = sums.gradient if report.method == "newton" else -sums.gradient
        found = write_equation(sums.score, (own, counted(sums.hessian)), shrinkage.score)
        gradient, hessian = found.operands
        text = f"{_squared(report, own, gradient)}/{_divisor(report, hessian)}"
        latex = _fraction(*text.split("/"))
    return Step(
        f"score of {where}",
        f"{text} {found.end}",
        rf"{latex_words(where)} &: {latex} {_latex_end(found)}",
        sums.score,
    )


def _squared(report: BoostSplitReport, gradient: float, text: str) -> str:
    return f"{_bracketed(_shrunk(report, gradient, text))}²"


def _gain_step(report: BoostSplitReport, winner: BoostCandidate) -> Step:
    scores = [branch.score for branch in winner.branches]
    found = write_sum(winner.gain, (*scores, -report.node_sums.score))
    left, right, node = found.operands
    name = "gain" if report.method == "newton" else "squared error falls by"
    return Step(
        name,
        f"{left} + {right} − {node} {found.end}",
        rf"{latex_words(name)} &= {_latex(left)} + {_latex(right)} - {_latex(node)} {_latex_end(found)}",
        winner.gain,
    )


def _competing_step(report: BoostSplitReport, winner: BoostCandidate) -> Step:
    shrinkage, more = _shrinkage(report), winner.more_l2
    pairs = [number for b in winner.branches for number in (b.gradient, counted(b.hessian))]
    found = write_equation(
        winner.competing_gain,
        (*pairs, report.node_sums.score),
        lambda a, b, c, d, node: shrinkage.score(a, b, more) + shrinkage.score(c, d, more) - node,
    )
    *texts, node = found.operands
    terms = [
        f"{_squared(report, branch.gradient, gradient)}/{_divisor(report, hessian, more)}"
        for branch, gradient, hessian in zip(winner.branches, texts[::2], texts[1::2], strict=True)
    ]
    latex = " + ".join(_fraction(*term.split("/")) for term in terms)
    return Step(
        "competing gain",
        f"{' + '.join(terms)} − {node} {found.end}",
        rf"{latex_words('competing gain')} &= {latex} - {_latex(node)} {_latex_end(found)}",
        winner.competing_gain,
    )


def _loss_step(winner: BoostCandidate) -> Step:
    value = winner.gain / 2
    found = write_equation(value, (winner.gain,), lambda gain: gain / 2)
    gain = _bracketed(found.operands[0])
    return Step(
        "loss falls by",
        f"½·{gain} {found.end}",
        rf"{latex_words('loss falls by')} &= \tfrac12\cdot {_latex(gain)} {_latex_end(found)}",
        value,
    )


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _latex(text: str) -> str:
    return text.replace("−", "-").replace("²", "^2").replace("±", r"\pm ").replace("–", r"\text{--}")


def _latex_end(found: Written) -> str:
    return f"{found.latex_sign} {_latex(found.result)}"


def _fraction(top: str, bottom: str) -> str:
    return rf"\frac{{{_latex(top)}}}{{{_latex(bottom.removeprefix('(').removesuffix(')'))}}}"
