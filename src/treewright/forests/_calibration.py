"""Calibration: class probabilities corrected by how often out-of-bag rows with such a score had the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Calibration", "best_method"]

Floats = NDArray[np.float64]
NEWTON_STEPS = 100
# Slopes and offsets of files; twice as much can be added up.
LARGEST_SLOPE = 1e300
# Which correction pays is asked of no more rows than these, and not of fewer than those.
ROWS_TO_CHOOSE = 20_000
FEWEST_TO_CHOOSE = 50
PARTS = 5


@dataclass(frozen=True, eq=False)
class Calibration:
    """One correction per class, or one in all when there are two classes.

    Attributes
    ----------
    method : {"isotonic", "sigmoid"}
        Kind of correction.
    curves : tuple of pairs of arrays
        Isotonic: scores and their probabilities, straight between them. Sigmoid: slope and offset.
    """

    method: str
    curves: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def learned(cls, method: str, scores: Floats, codes: NDArray[Any], weights: Floats | None = None) -> Self:
        """Learn the corrections.

        Parameters
        ----------
        method : {"isotonic", "sigmoid"}
            Kind of correction.
        scores : ndarray of shape (n_rows, n_classes)
            What trees said that did not know the row.
        codes : ndarray of int
            The class of each row.
        weights : ndarray or None
            Weight of each row.
        """
        weights = np.ones(len(codes)) if weights is None else weights
        learn = _isotonic if method == "isotonic" else _sigmoid
        n_classes = scores.shape[1]
        # Of two classes, one says all.
        asked = [1] if n_classes == 2 else range(n_classes) if n_classes > 2 else []
        return cls(method, tuple(learn(scores[:, k], codes == k, weights) for k in asked))

    def __call__(self, scores: Floats) -> Floats:
        """Return the corrected probabilities of rows of scores."""
        if not self.curves:
            return scores
        if len(self.curves) == 1:
            second = self._curve(0, scores[:, 1])
            return np.column_stack([1.0 - second, second])
        found = np.column_stack([self._curve(k, scores[:, k]) for k in range(scores.shape[1])])
        total = found.sum(axis=1, keepdims=True)
        corrected: Floats = np.divide(
            found, total, out=np.full_like(found, 1 / found.shape[1]), where=total > 0
        )
        return corrected

    def _curve(self, place: int, scores: Floats) -> Floats:
        first, second = self.curves[place]
        if self.method == "isotonic":
            return np.interp(scores, first, second)
        return _logistic(first[0] * scores + second[0])

    # --- in a model
    # -------------------------------------------------------------------------------------------------

    def to_facts(self) -> dict[str, Any]:
        """Return plain values, for a model's facts."""
        return {
            "method": self.method,
            "curves": [[first.tolist(), second.tolist()] for first, second in self.curves],
        }

    @classmethod
    def from_facts(cls, facts: Any, n_classes: int) -> Self:
        """Undo `to_facts`; ValueError when a file says something else."""
        if not isinstance(facts, Mapping) or facts.get("method") not in ("isotonic", "sigmoid"):
            raise ValueError("its calibration is unknown")
        stored = facts.get("curves")
        if not isinstance(stored, list) or len(stored) != (n_classes if n_classes > 2 else n_classes - 1):
            raise ValueError("its calibration has another number of classes")
        curves = []
        for pair in stored:
            try:
                first, second = (np.array(side, dtype=np.float64) for side in pair)
            except (TypeError, ValueError):
                raise ValueError("its calibration is not numbers") from None
            if first.ndim != 1 or first.shape != second.shape or not len(first):
                raise ValueError("its calibration is not a curve")
            if not (np.isfinite(first).all() and np.isfinite(second).all()):
                raise ValueError("its calibration is not finite")
            if facts["method"] == "isotonic":
                rises = (np.diff(first) > 0).all() and (np.diff(second) >= 0).all()
                if not (rises and second[0] >= 0 and second[-1] <= 1):
                    raise ValueError("its calibration is not a rising curve of probabilities")
            elif len(first) != 1 or max(abs(first[0]), abs(second[0])) > LARGEST_SLOPE:
                raise ValueError("its calibration is not a slope and an offset")
            curves.append((first, second))
        return cls(facts["method"], tuple(curves))


def best_method(scores: Floats, codes: NDArray[Any], weights: Floats | None = None) -> str | None:
    """Return the correction with the least log loss on rows that it was not learned from; None: none pays.

    Each fifth of the rows is corrected by what the others say.

    Parameters
    ----------
    scores, codes, weights : ndarray
        As for `Calibration.learned`.
    """
    if len(codes) < FEWEST_TO_CHOOSE:
        return None
    some = slice(None, None, -(-len(codes) // ROWS_TO_CHOOSE))
    scores, codes = scores[some], codes[some]
    weights = np.ones(len(codes)) if weights is None else weights[some]
    part = np.arange(len(codes)) % PARTS
    losses: dict[str | None, float] = {None: _mean_log_loss(scores, codes, weights)}
    for method in ("sigmoid", "isotonic"):
        corrected = np.empty_like(scores)
        for number in range(PARTS):
            rest, asked = part != number, part == number
            learned = Calibration.learned(method, scores[rest], codes[rest], weights[rest])
            corrected[asked] = learned(scores[asked])
        losses[method] = _mean_log_loss(corrected, codes, weights)
    return min(losses, key=lambda method: losses[method])


def _mean_log_loss(shares: Floats, codes: NDArray[Any], weights: Floats) -> float:
    given = shares[np.arange(len(codes)), codes]
    return float(np.average(-np.log(np.maximum(given, np.finfo(np.float64).eps)), weights=weights))


def _isotonic(scores: Floats, is_class: NDArray[np.bool_], weights: Floats) -> tuple[Floats, Floats]:
    places, group = np.unique(scores, return_inverse=True)
    amount = np.bincount(group, weights=weights)
    share = np.bincount(group, weights=weights * is_class) / amount
    rising = import_module("sklearn.isotonic").isotonic_regression(share, sample_weight=amount)
    # So many rows cannot show that something never happens: Laplace's rule bounds what they can.
    least = 1.0 / (len(scores) + 2.0)
    rising = np.clip(rising, least, 1.0 - least)
    # The inner points of a level say nothing.
    ends = np.ones(len(rising), dtype=bool)
    ends[1:-1] = (rising[1:-1] != rising[:-2]) | (rising[1:-1] != rising[2:])
    return places[ends], rising[ends]


def _sigmoid(scores: Floats, is_class: NDArray[np.bool_], weights: Floats) -> tuple[Floats, Floats]:
    """Fit Platt's curve 1 / (1 + exp(−(a·score + b))) to his targets, by Newton's method with halving."""
    count = float(np.count_nonzero(is_class))
    target = np.where(is_class, (count + 1.0) / (count + 2.0), 1.0 / (len(scores) - count + 2.0))
    design = np.column_stack([scores, np.ones(len(scores))])
    line = np.array([0.0, np.log((count + 1.0) / (len(scores) - count + 1.0))])
    loss = _log_loss(design @ line, target, weights)
    for _ in range(NEWTON_STEPS):
        curve = _logistic(design @ line)
        gradient = design.T @ (weights * (curve - target))
        bend = (design * (weights * curve * (1.0 - curve))[:, np.newaxis]).T @ design
        step = np.linalg.solve(bend + 1e-12 * max(1.0, float(np.trace(bend))) * np.eye(2), gradient)
        size = 1.0
        while (found := _log_loss(design @ (line - size * step), target, weights)) > loss and size > 1e-10:
            size /= 2
        if not found < loss - 1e-12 * abs(loss):
            break
        line, loss = line - size * step, found
    return line[:1].copy(), line[1:].copy()


def _log_loss(logits: Floats, target: Floats, weights: Floats) -> float:
    return float(np.sum(weights * (np.logaddexp(0.0, logits) - target * logits)))


def _logistic(logits: Floats) -> Floats:
    curve: Floats = np.exp(-np.logaddexp(0.0, -logits))
    return curve
