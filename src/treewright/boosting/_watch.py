"""Watch: what happens after each round: progress, callbacks, early stopping."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from treewright.fitting.progress import Progress
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Patience", "Round", "Watch", "warn_of_stop"]


@dataclass(frozen=True)
class Round:
    """A finished round, as callbacks see it.

    Attributes
    ----------
    round : int
        Its number, from 1.
    n_rounds : int
        How many there will be at most.
    train_score : float
        Mean loss of training rows; NaN where it is not known.
    validation_score : float
        Score of the validation rows; NaN where there are none.
    """

    round: int
    n_rounds: int
    train_score: float
    validation_score: float


class Watch:
    """Is called by the native core after each round and tells whether to stop.

    Parameters
    ----------
    owner : object
        The estimator.
    first : int
        Rounds that are done already.
    of_mean, of_validation : float, default=1.0
        What mean losses, and what the scores of validation rows, are multiplied with.
    """

    def __init__(self, owner: Any, first: int, of_mean: float = 1.0, of_validation: float = 1.0) -> None:
        self._callbacks = list(owner.callbacks or ())
        for callback in self._callbacks:
            if not callable(callback):
                raise TypeError(f"callbacks must be callable, but one is {callback!r}.")
        self._n_rounds = int(owner.n_estimators)
        self._first = first
        self._of_mean = of_mean
        self._of_validation = of_validation
        total = self._n_rounds - first
        self._progress = Progress(type(owner).__name__, total, bool(owner.verbose), "rounds")
        self._shows = self._progress.is_shown

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._progress.__exit__(*failure)

    def __call__(self, number: int, train: float, validation: float, note: str = "") -> bool:
        """Tell everybody, on the screen after a note; return whether somebody wants to stop."""
        train *= self._of_mean
        validation *= self._of_validation
        stop = False
        if self._shows:
            note += "" if math.isnan(train) else f", train {train:.6g}"
            note += "" if math.isnan(validation) else f", validation {validation:.6g}"
            stop = self._progress(number - self._first, note)
        if not self._callbacks:
            return stop
        now = Round(number, self._n_rounds, train, validation)
        # Everybody is told, whoever wants to stop.
        return any([bool(callback(now)) for callback in self._callbacks]) or stop


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


def warn_of_stop(n_rounds: int) -> None:
    """Say at the user's line that Ctrl-C ended the fit.

    Parameters
    ----------
    n_rounds : int
        Rounds of the model.
    """
    warn_at_caller(f"The fit was stopped; the model has the {n_rounds} rounds that were done.")
