"""tune: look for better parameters within a time, and say honestly whether there are any."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from treewright.fitting.progress import Progress
from treewright.reports.frame import frame_library
from treewright.tuning.folds import Fold, make_folds, score_of
from treewright.tuning.race import Race, Runner
from treewright.tuning.report import Trial, TuneReport
from treewright.tuning.space import SearchSpace, search_space

__all__ = ["Tuned", "tune"]

#: So many settings start a race together.
BATCH: Final = 8
#: The comparison at the end and the last fit may take so much longer than the start did.
RESERVE: Final = 1.2


class Tuned(NamedTuple):
    """What `tune` returns: the fitted estimator, and how it came about."""

    estimator: Any
    report: TuneReport


def tune(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    budget: float = 60.0,
    n_settings: int | None = None,
    cv: int = 3,
    scoring: Any = None,
    sample_weight: Any = None,
    space: SearchSpace | None = None,
    random_state: Any = 0,
    verbose: int = 0,
) -> Tuned:
    """Look for better parameters than an estimator has; fit it with the best ones, or as it is.

    Settings are drawn from `search_space` and race in groups of eight on the same folds: boosters and
    forests grow by warm starts to an eighth, a quarter, a half and all of `n_estimators` (up to twice as many
    for smaller learning rates), and at each of these marks the worse half is left behind. The best setting
    is then compared with the start on other folds. Only when it is better there by more than the standard
    error of the difference it is taken.

    Parameters
    ----------
    estimator : estimator
        Any estimator of Treewright; its parameters are the start. It is not changed.
    X, y : DataFrame, array-like or sparse matrix; array-like
        Rows and targets, as for `fit`.
    budget : float, default=60
        About how many seconds all may take, the last fit included. It decides how many settings are tried.
    n_settings : int, optional
        Try so many settings, however long it takes; the result is then the same on every machine.
    cv : int, default=3
        Number of folds.
    scoring : str or callable, optional
        A scorer of scikit-learn, or its name. By default the log loss, or the root of the mean squared error.
    sample_weight : array-like, optional
        Weights of the rows, for fitting and for scores.
    space : SearchSpace, optional
        What to draw from; by default ``search_space(estimator)``.
    random_state : int, RandomState or None, default=0
        Seed of folds and settings.
    verbose : int, default=0
        Whether progress is shown.

    Returns
    -------
    estimator : estimator
        A fitted copy, with the best parameters or those of the start.
    report : TuneReport
        What was tried, and the verdict.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import CARTClassifier, tune
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree, report = tune(CARTClassifier(random_state=0), X, y, n_settings=8)
    >>> report.is_better
    True
    >>> sorted(report.chosen)
    ['ccp_alpha', 'max_depth', 'min_samples_leaf', 'min_samples_split']
    """
    begin = time.perf_counter()
    limit = _checked(budget, n_settings, cv)
    space = search_space(estimator) if space is None else space
    is_classes = is_classifier(estimator)
    measure, score = score_of(scoring, is_classes=is_classes)
    random = check_random_state(random_state)
    seeds = random.randint(np.iinfo(np.int32).max, size=3).tolist()
    folds, others = (
        make_folds(X, y, sample_weight, n_folds=cv, is_classes=is_classes, seed=seed) for seed in seeds[:2]
    )
    race = Race(estimator, folds, score, seeds[2])
    start = Runner(0, {})
    try:
        seconds = race.alone(start)
    except (TypeError, ValueError):
        _say_of_all_rows(estimator, X, y, sample_weight)
        raise
    if not start.scores:
        raise ValueError(f"The estimator cannot be scored as it is: {start.failure}.")
    runners = [start]
    # Both sides are fitted on each of the other folds, and one of them on all rows.
    ready = begin + limit - RESERVE * seconds * (2 * cv + 1.5)
    with Progress("tune", n_settings or 0, bool(verbose) and n_settings is not None, "settings") as progress:
        while len(runners) <= (n_settings or math.inf) and time.perf_counter() < ready:
            count = BATCH if n_settings is None else min(BATCH, n_settings + 1 - len(runners))
            batch = [Runner(len(runners) + place, space.draw(random)) for place in range(count)]
            race.run(batch, lambda: time.perf_counter() >= ready)
            runners += [runner for runner in batch if runner.scores or runner.failure]
            if progress.is_shown:
                progress(len(runners) - 1, f"best {max(one.best[0] for one in runners if one.scores):.4g}")
    found = _compared(race, runners, others)
    chosen = found.params if found.is_better else {}
    fitted = clone(estimator).set_params(**chosen)
    whole = Fold(X, y, sample_weight, X, y, sample_weight)
    whole.fit(fitted)
    report = TuneReport(
        algorithm=type(estimator).__name__,
        measure=measure,
        n_folds=cv,
        trials=_trials(runners, race.grows),
        chosen=chosen,
        start_score=found.start,
        best_score=found.best,
        difference=found.difference,
        error=found.error,
        is_better=found.is_better,
        seconds=time.perf_counter() - begin,
        _frame=frame_library(X, fitted.model_.schema),
    )
    return Tuned(fitted, report)


def _say_of_all_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Raise what a fit of all rows says: it counts the rows of the user's table, a fold its own."""
    short = clone(estimator)
    if "n_estimators" in short.get_params(deep=False):
        short.set_params(n_estimators=1)
    Fold(X, y, sample_weight, X, y, sample_weight).fit(short)


class _Comparison(NamedTuple):
    params: dict[str, Any]
    start: float = math.nan
    best: float = math.nan
    difference: float = math.nan
    error: float = math.nan
    is_better: bool = False


def _compared(race: Race, runners: Sequence[Runner], folds: Sequence[Fold]) -> _Comparison:
    """Compare the best setting with the start on folds that did not choose it."""
    best = max((one for one in runners if one.scores), key=lambda one: (one.best[0], -one.number))
    params = dict(best.params)
    if race.grows and (best.number or best.best[1] != race.total):
        params |= {"n_estimators": best.best[1]}
        # The race has found how many rounds are best.
        known = race.made({}).get_params(deep=False)
        params |= {"early_stopping": False} if "early_stopping" in known else {}
    if not params:
        return _Comparison({})
    scores = np.array([[race.judged(race.made(one), fold) for one in ({}, params)] for fold in folds])
    better = scores[:, 1] - scores[:, 0]
    error = float(np.std(better, ddof=1) / math.sqrt(len(better)))
    mean = float(better.mean())
    of_start, of_best = scores.mean(axis=0).tolist()
    return _Comparison(params, of_start, of_best, mean, error, mean > error)


def _trials(runners: Sequence[Runner], grows: bool) -> tuple[Trial, ...]:
    trials = [
        Trial(
            one.number,
            one.params,
            one.best[1] if grows and one.scores else None,
            one.best[0] if one.scores else None,
            "" if one.scores else one.failure,
        )
        for one in runners
    ]
    return tuple(sorted(trials, key=lambda trial: (-math.inf if trial.score is None else trial.score) * -1))


def _checked(budget: Any, n_settings: Any, cv: Any) -> float:
    """Return the seconds that there are; ValueError when an argument makes no sense."""
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(f"cv must be a number of folds, at least 2. Got {cv!r:.80}.")
    if n_settings is not None:
        if isinstance(n_settings, bool) or not isinstance(n_settings, int | np.integer) or n_settings < 1:
            raise ValueError(f"n_settings must be a number of settings, at least 1. Got {n_settings!r:.80}.")
        return math.inf
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number) or not budget > 0:
        raise ValueError(f"budget must be a number of seconds above 0. Got {budget!r:.80}.")
    return float(budget)
