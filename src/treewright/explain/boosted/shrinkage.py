"""Shrinkage: the penalties of a booster, and what values and scores they make of sums of gradients."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.model.model import Model

__all__ = ["Shrinkage", "shrinkage_of"]


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
    gains = model.arrays.get("least_gain")
    return Shrinkage(
        l2=float(model.facts["l2"]),
        l1=float(model.facts["l1"]),
        gamma=float(model.params.get("gamma", 0.0) if gains is None else gains[tree]),
        max_step=float(model.params.get("max_delta_step", 0.0)),
        learning_rate=float(model.facts["learning_rate"]),
    )
