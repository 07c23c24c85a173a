"""Patience: when early stopping ends the rounds, and which round was the best."""

from __future__ import annotations

import math

__all__ = ["Patience"]


class Patience:
    """Early stopping by the rule of the engine, for rounds that Python counts.

    Parameters
    ----------
    n_rounds : int
        Rounds without an improvement before the end; 0: never.
    tolerance : float
        What a score must be smaller by to be an improvement.
    start : float, default=inf
        The score before the first round; NaN and infinity: there was none.

    Attributes
    ----------
    best_round : int
        The round with the last improvement, counted from 1; 0: there was none.
    """

    def __init__(self, n_rounds: int, tolerance: float, start: float = math.inf) -> None:
        self._n_rounds = n_rounds
        self._tolerance = tolerance
        self._best = math.inf if math.isnan(start) else start
        self._done = 0
        self.best_round = 0

    def is_over(self, score: float) -> bool:
        """Hear the score of the next round; tell whether it was the last."""
        if self._n_rounds == 0:
            return False
        self._done += 1
        if score < self._best - self._tolerance:
            self._best = score
            self.best_round = self._done
        return self._done - self.best_round >= self._n_rounds
