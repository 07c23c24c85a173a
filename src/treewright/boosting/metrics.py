"""Metrics: what validation rows are scored by: the loss, a scorer of scikit-learn, a function of the user."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import InvalidParameterError

__all__ = ["Metric", "metrics_of"]

Floats = NDArray[np.float64]

# Metrics of LightGBM and XGBoost → what says the same here.
FOREIGN_METRICS: Final = {
    "auc": "roc_auc",
    "average_precision_score": "average_precision",
    "aucpr": "average_precision",
    "binary_error": "accuracy",
    "binary_logloss": "loss",
    "error": "accuracy",
    "l1": "neg_mean_absolute_error",
    "l2": "neg_mean_squared_error",
    "log_loss": "neg_log_loss",
    "logloss": "loss",
    "mae": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "merror": "accuracy",
    "mlogloss": "loss",
    "mse": "neg_mean_squared_error",
    "multi_error": "accuracy",
    "multi_logloss": "loss",
    "rmse": "neg_root_mean_squared_error",
}


@dataclass(frozen=True)
class Metric:
    """A way to score answers.

    Attributes
    ----------
    name : str
        Its name in `validation_scores_`.
    kind : {"loss", "scorer", "function"}
        Whether it is the loss of the booster; scikit-learn's, asked with an estimator; or a function of
        targets, predictions and weights.
    call : callable or None
        What is called; None for the loss.
    sign : {1.0, -1.0}, default=1.0
        Times its scores, smaller is better.
    """

    name: str
    kind: Literal["loss", "scorer", "function"]
    call: Any = None
    sign: float = 1.0

    def by_function(self, y: Floats, answer: Floats, weights: Floats | None) -> float:
        """Return what a function says about answers.

        Parameters
        ----------
        y, weights : ndarray, ndarray or None
            Numbers or positions of classes, and weights of the rows.
        answer : ndarray of shape (n_rows, n_outputs)
            Probabilities of the classes or, in one column, numbers.
        """
        return self._number(self.call(y, answer[:, -1] if answer.shape[1] <= 2 else answer, weights))

    def by_scorer(self, stage: Any, matrix: NDArray[Any], y: NDArray[Any], weights: Floats | None) -> float:
        """Return what a scorer says about an estimator.

        Parameters
        ----------
        stage : object
            Answers for the rows.
        matrix : ndarray
            The rows.
        y, weights : ndarray, ndarray or None
            Their targets as the user has them, and their weights.
        """
        if weights is None:
            return self._number(self.call(stage, matrix, y))
        if not _takes_weights(self.call):
            raise ValueError(
                f"The scorer {self.name!r} knows no weights, but the rows that it would score have some: "
                "choose another scorer, or a function metric(y, prediction, weight) of your own."
            )
        return self._number(self.call(stage, matrix, y, sample_weight=weights))

    def _number(self, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"The metric {self.name!r} must return a number. It returned {value!r}."
            ) from None
        if math.isnan(number):
            raise ValueError(f"The metric {self.name!r} returned NaN.")
        return number


def metrics_of(scoring: Any, owner: str) -> tuple[Metric, ...]:
    """Return the metrics that the parameter `scoring` names, at least one.

    Parameters
    ----------
    scoring : str, callable, list or dict
        The parameter.
    owner : str
        Name of the estimator class, for messages.
    """
    if isinstance(scoring, Mapping):
        found = [_metric(given, owner, str(name)) for name, given in scoring.items()]
    elif isinstance(scoring, list | tuple):
        found = [_metric(given, owner) for given in scoring]
    else:
        found = [_metric(scoring, owner)]
    if not found:
        raise _wrong(owner, "name at least one metric", scoring)
    names = [metric.name for metric in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _wrong(owner, f"be a dict when two metrics are both called {twice!r}", scoring)
    return tuple(found)


def _metric(given: Any, owner: str, name: str | None = None) -> Metric:
    if isinstance(given, str):
        if given == "loss":
            return Metric(name or "loss", "loss")
        return Metric(name or given, "scorer", _named_scorer(given, owner), -1.0)
    if not callable(given) or isinstance(given, type):
        raise _wrong(owner, "be 'loss', the name of a scorer, a scorer or a function", given)
    scored = getattr(given, "_score_func", None)
    if scored is not None and hasattr(given, "_sign"):  # what make_scorer returns
        return Metric(name or _name_of(scored), "scorer", given, -1.0)
    _refuse_scikit_learn(given, owner)
    sign = -1.0 if getattr(given, "greater_is_better", False) else 1.0
    return Metric(name or _name_of(given), "function", given, sign)


def _named_scorer(name: str, owner: str) -> Any:
    from sklearn.metrics import get_scorer, get_scorer_names  # noqa: PLC0415 - heavy, rarely needed

    names = get_scorer_names()
    if name in names:
        return get_scorer(name)
    meant = FOREIGN_METRICS.get(name)
    close = difflib.get_close_matches(name, ["loss", *names], n=1, cutoff=0.6)
    if meant is None and close:
        meant = close[0]
    hint = "" if meant is None else f" Did you mean {meant!r}?"
    raise InvalidParameterError(
        f"The 'scoring' parameter of {owner} must be 'loss', the name of a scorer of scikit-learn "
        f"(sklearn.metrics.get_scorer_names() lists them), a scorer or a function. Got {name!r} "
        f"instead.{hint}"
    )


def _refuse_scikit_learn(given: Callable[..., Any], owner: str) -> None:
    """Raise for a metric function of scikit-learn: it does not say what it wants, nor what is better."""
    inner = given
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not str(getattr(inner, "__module__", "")).startswith("sklearn.metrics"):
        return
    from sklearn.metrics import get_scorer, get_scorer_names  # noqa: PLC0415 - heavy, rarely needed

    name = _name_of(inner)
    scorers = [one for one in get_scorer_names() if getattr(get_scorer(one), "_score_func", None) is inner]
    # "roc_auc" before "roc_auc_ovr".
    known = min(scorers, key=len, default=None)
    instead = f"sklearn.metrics.make_scorer({name}, …)" if known is None else f"scoring={known!r}"
    if known is not None and inner is not given:
        instead += f", or sklearn.metrics.make_scorer({name}, …) for other settings"
    raise InvalidParameterError(
        f"The 'scoring' parameter of {owner} is the function {name} of scikit-learn, which does not say "
        f"whether greater is better, nor whether it wants labels or probabilities: pass {instead}."
    )


def _takes_weights(scorer: Any) -> bool:
    """Tell whether a scorer can be given weights of rows."""
    try:
        parameters = inspect.signature(scorer._score_func).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return True
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _wrong(owner: str, rule: str, value: Any) -> InvalidParameterError:
    return InvalidParameterError(f"The 'scoring' parameter of {owner} must {rule}. Got {value!r} instead.")
