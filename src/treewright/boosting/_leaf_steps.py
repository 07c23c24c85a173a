"""The values of leaves, worked out again from the rows of the fit: sums that the engine made a value of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.boosting.losses import Loss
from treewright.explain.boosted import LeafStep, rule_of

__all__ = ["LeafSteps"]

Floats = NDArray[np.float64]
POWERS = {"poisson": 1.0, "gamma": 2.0}  # of the mean, in the variance


class LeafSteps:
    """Gives for some rows the value that they have as a leaf, and where it comes from.

    Parameters
    ----------
    loss : Loss
        The loss, at the beginning of the round.
    own : Booster
        Has the parameters that the loss needs.
    target, weights : ndarray
        Of the rows of the fit; weights may be None.
    raw : ndarray of shape (n_rows, n_outputs)
        The scores before the round.
    output : int
        The output of the tree.
    gradient, hessian : ndarray
        Derivatives by that output.
    """

    def __init__(
        self,
        loss: Loss,
        own: Any,
        target: Floats,
        weights: Floats | None,
        raw: Floats,
        output: int,
        gradient: Floats,
        hessian: Floats,
    ) -> None:
        self._loss, self._own, self._target, self._weights = loss, own, target, weights
        self._raw, self._output, self._gradient, self._hessian = raw, output, gradient, hessian

    def __call__(self, rows: NDArray[np.uint32]) -> LeafStep:
        """Return the step of a leaf with these rows."""
        loss = self._loss
        rule = rule_of(loss.name, loss.outputs)
        if loss.own is not None:
            top, bottom = -float(self._gradient[rows].sum()), float(self._hessian[rows].sum())
            return LeafStep(rule, top / max(bottom, 1e-150), top, bottom)
        value = float(loss.objective.leaf_value(self._target, self._weights, self._raw, self._output, rows))
        if rule == "quantile":
            return LeafStep(rule, value)
        if rule == "huber":
            return self._huber(value, rows)
        if rule == "logarithm":
            return self._logarithm(value, rows)
        top, bottom = -float(self._gradient[rows].sum()), float(self._hessian[rows].sum())
        return LeafStep(rule, value, top, bottom, n_classes=loss.outputs if loss.outputs > 1 else None)

    def _weights_of(self, rows: NDArray[np.uint32]) -> Floats:
        return np.ones(len(rows)) if self._weights is None else self._weights[rows]

    def _huber(self, value: float, rows: NDArray[np.uint32]) -> LeafStep:
        every = np.arange(len(self._target), dtype=np.uint32)
        sizes = np.abs(self._target - self._raw[:, 0])
        scale = _lower_quantile(sizes, self._weights_of(every), float(self._own.alpha))
        rest, weights = self._target[rows] - self._raw[rows, 0], self._weights_of(rows)
        middle = _lower_quantile(rest, weights, 0.5)
        top = float((weights * np.clip(rest - middle, -scale, scale)).sum())
        return LeafStep("huber", value, top, float(weights.sum()), middle=middle)

    def _logarithm(self, value: float, rows: NDArray[np.uint32]) -> LeafStep:
        power = POWERS.get(self._loss.name)
        power = float(self._own.tweedie_power) if power is None else power
        weights, raw = self._weights_of(rows), self._raw[rows, 0]
        top = float((weights * self._target[rows] * np.exp((1.0 - power) * raw)).sum())
        bottom = float((weights * np.exp((2.0 - power) * raw)).sum())
        if top > 0:
            return LeafStep("logarithm", value, top, bottom)
        return LeafStep("no_target", value, -bottom, (2.0 - power) * bottom)


def _lower_quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the least value at which the weight so far reaches a share of the whole."""
    order = np.argsort(values, kind="stable")
    so_far = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(so_far, share * so_far[-1])])
