"""Watch: what happens after each round: progress, the user's callbacks, the user's metric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.forests._progress import Progress
from treewright.model.link import answers
from treewright.user_line import warn_user

__all__ = ["Round", "Watch", "metric_of", "score_by", "warn_of_stop"]


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
    factor : float
        What mean losses are multiplied with.
    own_metric : bool
        Whether the validation score is the user's metric, which is taken as it is.
    progress : Progress
        Shows them.
    """

    def __init__(self, owner: Any, first: int, factor: float, own_metric: bool, progress: Progress) -> None:
        self._callbacks = list(owner.callbacks or ())
        for callback in self._callbacks:
            if not callable(callback):
                raise TypeError(f"callbacks must be callable, but one is {callback!r}.")
        self._n_rounds = int(owner.n_estimators)
        self._first = first
        self._factor = factor
        self._own_metric = own_metric
        self._progress = progress
        self._shows = bool(owner.verbose)

    @property
    def is_needed(self) -> bool:
        """Whether anybody wants to hear of rounds."""
        return self._shows or bool(self._callbacks)

    def __call__(self, number: int, train: float, validation: float, note: str = "") -> bool:
        """Tell everybody, on the screen after a note; return whether somebody wants to stop."""
        train *= self._factor
        validation *= 1.0 if self._own_metric else self._factor
        if self._shows:
            note += "" if math.isnan(train) else f", train {train:.6g}"
            note += "" if math.isnan(validation) else f", validation {validation:.6g}"
            self._progress(number - self._first, note)
        if not self._callbacks:
            return False
        now = Round(number, self._n_rounds, train, validation)
        # Everybody is told, whoever wants to stop.
        return any([bool(callback(now)) for callback in self._callbacks])


def metric_of(
    scoring: Any, y: NDArray[np.float64], weights: NDArray[np.float64] | None, link: str
) -> Callable[[NDArray[np.float64]], float] | None:
    """Return the user's metric as the native core calls it: from raw scores alone; None for the loss.

    Parameters
    ----------
    scoring : "loss" or callable
        The parameter.
    y, weights : ndarray, ndarray or None
        Of the validation rows.
    link : str
        From raw scores to answers.
    """
    if not callable(scoring):
        return None
    return lambda raw: score_by(scoring, y, answers(np.ascontiguousarray(raw), link), weights)


def score_by(
    metric: Callable[..., Any],
    y: NDArray[np.float64],
    answer: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> float:
    """Return what the user's metric says about answers; ValueError when that is no number.

    Parameters
    ----------
    metric : callable
        Called with `y`, the prediction and the weights.
    y, weights : ndarray, ndarray or None
        Of the validation rows.
    answer : ndarray of shape (n_rows, n_outputs)
        Probabilities of the classes or, in one column, numbers.
    """
    name = getattr(metric, "__name__", type(metric).__name__)
    value = metric(y, answer[:, -1] if answer.shape[1] <= 2 else answer, weights)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"The metric {name!r} must return a number. It returned {value!r}.") from None
    if math.isnan(number):
        raise ValueError(f"The metric {name!r} returned NaN.")
    return number


def warn_of_stop(n_rounds: int) -> None:
    """Say at the user's line that Ctrl-C ended the fit.

    Parameters
    ----------
    n_rounds : int
        Rounds of the model.
    """
    warn_user(f"The fit was stopped; the model has the {n_rounds} rounds that were done.")
