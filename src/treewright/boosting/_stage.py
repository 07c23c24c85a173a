"""Stage: a booster after one of its rounds, as scikit-learn's scorers ask an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from treewright.boosting._answers import BoostedClassAnswers, BoostedNumberAnswers

__all__ = ["stage_of"]

Floats = NDArray[np.float64]


class _Stage(BaseEstimator):
    """Answers for the rows whose scores it has, whatever rows it is asked about."""

    _now: Floats
    _link: Callable[[Floats], Floats]

    def _scores(self, X: Any, n_rounds: int | None = None) -> Floats:
        return self._now

    def _answers(self, scores: Floats) -> Floats:
        return self._link(scores)


class _ClassStage(BoostedClassAnswers, _Stage):
    pass


class _NumberStage(BoostedNumberAnswers, _Stage):
    pass


def stage_of(
    scores: Floats, answers: Callable[[Floats], Floats], classes: NDArray[Any] | None
) -> BaseEstimator:
    """Return an estimator that answers for some rows.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_outputs)
        What the rounds have added up to.
    answers : callable
        From scores to probabilities or numbers.
    classes : ndarray or None
        The labels; None for numbers.
    """
    stage: Any = _NumberStage() if classes is None else _ClassStage()
    stage._now, stage._link = scores, answers
    if classes is not None:
        stage.classes_ = classes
    return stage
