"""The two ways to compute in C4.5: exactly (doubles), or rounding to float32 where Release 8 does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EPSILON = 1e-3
LN_2 = 0.69314718055994530942


@dataclass(frozen=True)
class Arithmetic:
    """Numbers are doubles; with `single` every stored result is one that a float32 can hold."""

    single: bool = False

    def store(self, value: Any) -> Any:
        """Return the value as the program keeps it; sums, products and quotients of two floats round once."""
        return np.float64(np.asarray(value).astype(np.float32)) if self.single else value

    @staticmethod
    def times_log(value: Any) -> Any:
        """Return v * log2(v) in double, 0 for nothing."""
        value = np.asarray(value, dtype=np.float64)
        positive = value > 0
        return np.where(positive, value * (np.log(np.where(positive, value, 1.0)) / LN_2), 0.0)

    def total(self, weights: Floats) -> float:
        """Add one after the other."""
        if not len(weights):
            return 0.0
        return float(np.cumsum(weights, dtype=np.float32)[-1]) if self.single else float(weights.sum())

    def count(self, places: NDArray[np.int64], weights: Floats, n_places: int) -> Floats:
        """Add every weight to its place, one after the other."""
        if not self.single:
            return np.bincount(places, weights, n_places).astype(np.float64)
        sums = np.zeros(n_places, dtype=np.float32)
        np.add.at(sums, places, weights.astype(np.float32))
        return sums.astype(np.float64)

    def info(self, amounts: Sequence[Any]) -> Any:
        """Total (not averaged) entropy in bits of these amounts; each addition rounds."""
        parts, total = np.float64(0.0), np.float64(0.0)
        for amount in amounts:
            parts = self.store(parts + self.times_log(amount))
            total = self.store(total + amount)
        return self.store(self.times_log(total) - parts)

    def known_info(self, counts: Floats, known: float) -> float:
        """Return the mean entropy of the rows with known value; counts are (values, classes).

        For a nominal column the program adds these parts in double, unlike everywhere else.
        """
        classes = np.zeros(counts.shape[1])
        for row in counts:
            classes = self.store(classes + row)
        parts = float(np.sum(self.times_log(classes)))
        return float(self.store((self.times_log(known) - parts) / known))

    def gain(self, before: float, unknown_rate: float, infos: Sequence[Any], known: float) -> Any:
        """Return the gain of a partition from the total entropy of each part."""
        after = np.float64(0.0)
        for part in infos:
            after = self.store(after + part)
        saved = self.store(before - self.store(after / known))
        return self.store(self.store(1 - unknown_rate) * saved)

    def split_info(self, unknown: float, sizes: Sequence[Any], total: float) -> Any:
        """Return the entropy of the outcome; missing is one more outcome, and comes first."""
        return self.store(self.info([unknown, *sizes]) / total)
