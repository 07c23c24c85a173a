"""The rounds of a booster in NumPy: start, gradients and scores in the single precision of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

Floats = NDArray[np.float32]
TINY = np.float32(1e-16)


def start_of(loss: str, y: Floats, weight: Floats, n_outputs: int) -> Floats:
    """Return the raw score before the first tree (the package's fitted base_score)."""
    if loss == "squared_error":
        return np.array([np.average(y.astype(np.float64), weights=weight)], dtype=np.float32)
    shares = np.array(
        [np.average(y == k, weights=weight.astype(np.float64)) for k in range(max(n_outputs, 2))]
    )
    if n_outputs == 1:
        return logit(shares[1:])
    logs = np.log(shares + 1e-6)  # a class without rows has a start too
    return (logs - logs.mean()).astype(np.float32)


def logit(p: NDArray[np.float64]) -> Floats:
    """Return the raw score of a probability, rounded as the package rounds."""
    one = np.float32(1)
    odds = one / p.astype(np.float32) - one
    return -np.log(odds.astype(np.float64)).astype(np.float32)


def exp(x: Floats) -> Floats:
    """Return the nearest float, whatever NumPy's own float32 version makes of it on this processor."""
    return np.exp(x.astype(np.float64)).astype(np.float32)


def gradients_of(loss: str, y: Floats, weight: Floats, raw: Floats) -> tuple[Floats, Floats]:
    """Return gradients and hessians of all rows and outputs."""
    one = np.float32(1)
    if loss == "squared_error":
        return (raw - y[:, None]) * weight[:, None], np.repeat(weight[:, None], raw.shape[1], axis=1)
    if raw.shape[1] == 1:
        p = one / (exp(-raw) + one)
        return (p - y[:, None]) * weight[:, None], np.maximum(p * (one - p), TINY) * weight[:, None]
    # The largest score of a row, but at least (almost) 0.
    shifted = raw - np.maximum(raw.max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    powers = exp(shifted)
    p = powers / powers.astype(np.float64).sum(axis=1, keepdims=True).astype(np.float32)
    h = np.maximum(np.float32(2) * p * (one - p) * weight[:, None], TINY)
    hit = y[:, None] == np.arange(raw.shape[1])
    return np.where(hit, p - one, p) * weight[:, None], h


def plan_of(settings: dict[str, Any]) -> _core.BoostPlan:
    """Translate settings in the package's words."""
    plan = _core.BoostPlan()
    plan.order = _core.BoostOrder.depth_wise
    plan.l2 = settings.get("lambda", 1.0)
    plan.l1 = settings.get("alpha", 0.0)
    plan.min_gain = settings.get("gamma", 0.0)
    plan.max_step = settings.get("max_delta_step", 0.0)
    plan.max_depth = settings.get("max_depth", 6)
    plan.min_hessian_leaf = settings.get("min_child_weight", 1.0)
    plan.monotone = settings.get("monotone_constraints", [])
    plan.interactions = settings.get("interaction_constraints", [])
    return plan


def grow_rounds(
    x: Floats, y: Floats, weight: Floats, loss: str, settings: dict[str, Any], n_rounds: int, start: Floats
) -> tuple[list[dict[str, Any]], Floats]:
    """Return the arrays of all trees and the final raw scores."""
    dataset = _core.Dataset.from_matrix(x)
    plan = plan_of(settings)
    eta = np.float32(settings.get("eta", 0.3))
    raw = np.tile(start, (len(y), 1))
    trees = []
    for number in range(n_rounds):
        g, h = gradients_of(loss, y, weight, raw)
        for k in range(len(start)):
            arrays = _core.boost_exact_tree(
                dataset, np.ascontiguousarray(g[:, k]), np.ascontiguousarray(h[:, k]), plan, number, k, 2
            )
            raw[:, k] += arrays["value"][arrays["leaf"], 0].astype(np.float32) * eta
            trees.append(arrays)
    return trees, raw
