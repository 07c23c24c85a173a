"""Sums of held-out losses for each subtree: folds add up, then mean and standard error follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LossSums"]


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums over held-out rows of weight w and loss l; arrays have one entry per subtree.

    Attributes
    ----------
    weight, squared_weight : float
        Σw and Σw².
    loss : ndarray
        Σw·l.
    squared_weight_loss, squared_loss : ndarray
        Σw²·l and Σw²·l², from which the standard error comes.
    """

    weight: float
    squared_weight: float
    loss: NDArray[np.float64]
    squared_weight_loss: NDArray[np.float64]
    squared_loss: NDArray[np.float64]

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.weight + other.weight,
            self.squared_weight + other.squared_weight,
            self.loss + other.loss,
            self.squared_weight_loss + other.squared_weight_loss,
            self.squared_loss + other.squared_loss,
        )

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean loss of a row."""
        return self.loss / self.weight

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Standard error of the mean: √(Σ(w·(l − mean))²) / Σw; without weights, √(Σ(l − mean)²) / N."""
        mean = self.mean
        spread = self.squared_loss - 2 * mean * self.squared_weight_loss + mean**2 * self.squared_weight
        return np.sqrt(np.maximum(0.0, spread)) / self.weight
