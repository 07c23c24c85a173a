"""Race: successive halving. Settings grow by rounds or trees; who falls behind at a mark is left there."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from treewright.tuning.folds import Fold, Score

__all__ = ["Race", "Runner"]

#: Marks are where these parts of all rounds or trees are done.
PARTS: Final = (8, 4, 2, 1)
#: Fewer rounds or trees are not divided.
FEWEST: Final = 16
#: Smaller steps may have so many times the rounds of the start, larger ones this part of them.
MOST_TIMES: Final = 2.0
LEAST_PART: Final = 0.125


@dataclass(eq=False)
class Runner:
    """A setting on its way.

    Attributes
    ----------
    number : int
        0 is what the estimator started with.
    params : dict
        What differs from the start.
    scores : dict of int to list of float
        Rounds or trees → score of each fold.
    failure : str
        Why it could not be fitted; empty when it could.
    """

    number: int
    params: dict[str, Any]
    scores: dict[int, list[float]] = field(default_factory=dict)
    failure: str = ""
    grown: list[Any] = field(default_factory=list)

    @property
    def last(self) -> float:
        """The mean score at the last mark."""
        return float(np.mean(self.scores[max(self.scores)]))

    @property
    def best(self) -> tuple[float, int]:
        """The best mean score and the size that has it: of equal ones the smallest."""
        found = [(float(np.mean(scores)), size) for size, scores in self.scores.items()]
        return max(found, key=lambda one: (one[0], -one[1]))


class Race:
    """Grows settings on the same folds.

    Parameters
    ----------
    estimator : estimator
        The start.
    folds : sequence of Fold
        Rows to learn from and to be judged by.
    score : callable
        More is better.
    seed : int
        For estimators that draw.
    """

    def __init__(self, estimator: Any, folds: Sequence[Fold], score: Score, seed: int) -> None:
        self._estimator = estimator
        self._folds = folds
        self._score = score
        self._seed = seed
        params = estimator.get_params(deep=False)
        self.grows = "n_estimators" in params and "warm_start" in params
        self.total = int(params["n_estimators"]) if self.grows else 1
        self._parts = PARTS if self.total >= FEWEST else PARTS[-1:]
        rate = params.get("learning_rate")
        self._rate = float(rate) if self.grows and isinstance(rate, Real) else None

    def run(self, runners: Sequence[Runner], is_over: Callable[[], bool] = lambda: False) -> None:
        """Let settings run from mark to mark, half of them falling out at each.

        Parameters
        ----------
        runners : sequence of Runner
            Where they stand is written into them.
        is_over : callable
            Asked before every fit whether time is up.
        """
        running = list(runners)
        for part in self._parts:
            running = [runner for runner in running if self._advance(runner, part, is_over)]
            running.sort(key=lambda runner: -runner.last)
            running = running[: -(-len(running) // 2)]
            if not running:
                break
        for runner in runners:
            runner.grown.clear()

    def alone(self, runner: Runner) -> float:
        """Let one setting run through all marks, whatever the time; return the seconds of a whole fit."""
        begin = time.perf_counter()
        for part in self._parts:
            self._advance(runner, part, lambda: False, strict=True)
        runner.grown.clear()
        return (time.perf_counter() - begin) / len(self._folds)

    def _size(self, runner: Runner, part: int) -> int:
        """Return the rounds or trees at a mark: so many that all settings have gone equally far.

        Half the learning rate has twice the rounds; otherwise settings of small steps would all fall behind
        at the first mark.
        """
        times = 1.0
        if self._rate and runner.params.get("learning_rate"):
            times = min(max(self._rate / runner.params["learning_rate"], LEAST_PART), MOST_TIMES)
        return max(1, math.ceil(self.total * times / part))

    def _advance(
        self, runner: Runner, part: int, is_over: Callable[[], bool], *, strict: bool = False
    ) -> bool:
        """Let a setting grow to a mark on every fold; tell whether it has come there."""
        scores = []
        size = self._size(runner, part)
        for place, fold in enumerate(self._folds):
            if is_over():
                return False
            try:
                if len(runner.grown) <= place:
                    runner.grown.append(self.made(runner.params))
                estimator = runner.grown[place]
                if self.grows:
                    estimator.set_params(n_estimators=size, warm_start=True)
                scores.append(self.judged(estimator, fold))
            except ValueError as error:
                if strict:
                    raise
                runner.failure = f"{error}"
                return False
        if not np.isfinite(scores).all():
            runner.failure = "its score is not a number"
            return False
        runner.scores[size] = scores
        return True

    def judged(self, estimator: Any, fold: Fold) -> float:
        """Fit an estimator on a fold and return its score there."""
        with warnings.catch_warnings():
            # What is odd about a fold was or will be said about all rows.
            warnings.simplefilter("ignore")
            fold.fit(estimator)
            return self._score(estimator, fold)

    def made(self, params: dict[str, Any]) -> Any:
        """Return an estimator with a setting that nobody watches and that draws the same each time."""
        made = clone(self._estimator).set_params(**params)
        known = made.get_params(deep=False)
        plain: dict[str, Any] = {"verbose": 0, "callbacks": None, "quantiles": False, "oob_score": False}
        if known.get("random_state") is None:
            plain["random_state"] = self._seed
        if self.grows:
            plain |= {"early_stopping": False, "n_iter_no_change": None}
        return made.set_params(**{name: value for name, value in plain.items() if name in known})
