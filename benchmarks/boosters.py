"""Boosters of all libraries: how each gets a table, equal settings in its words, losses on rows held out."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.datasets import DataMissingError
from benchmarks.peers import N_JOBS
from treewright.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.boosting.leafwise_boosting import LeafwiseBoostingClassifier, LeafwiseBoostingRegressor
from treewright.boosting.newton_boosting import NewtonBoostingClassifier, NewtonBoostingRegressor

#: What is predicted: classes, numbers by squared errors, or counts by Poisson's loss.
CLASSES, NUMBERS, COUNTS = "classes", "numbers", "counts"
LOSS_NAMES = {CLASSES: "log loss", NUMBERS: "RMSE", COUNTS: "Poisson deviance"}
#: A class that the training rows do not have gets no probability from anybody; this bounds what that costs.
LEAST = 1e-6
#: Most categories that HistGradientBoosting takes; a column with more is passed as codes.
HIST_CATEGORIES = 255
#: LightGBM's defaults, which ours are not, for contests of time; λ is XGBoost's there.
OF_LIGHTGBM: dict[str, Any] = {"gamma": 0.0, "max_features": 1.0, "min_samples_leaf": 20}


@dataclass(frozen=True)
class Settings:
    """What all sides are set to in contests of time."""

    rounds: int = 100
    rate: float = 0.1
    leaves: int = 63
    depth: int = 6  # of sides that grow level by level


@dataclass(frozen=True)
class Side:
    """One library.

    Attributes
    ----------
    name : str
        What tables call it.
    prepare : callable
        Makes of a table what a user of the library passes; not timed.
    make : callable
        ``make(task, settings, seed, x)`` returns the unfitted estimator; settings None are its defaults.
    """

    name: str
    prepare: Callable[[Any], Any]
    make: Callable[[str, Settings | None, int, Any], Any]


def is_category(dtype: Any) -> bool:
    return isinstance(dtype, pd.CategoricalDtype)


def library(module: str, package: str) -> Any:
    """Return an optional module.

    Raises
    ------
    DataMissingError
        When it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise DataMissingError(f"{package} is not installed (it is in the extra bench)") from None


# --- how each side wants its rows
# ----------------------------------------------------------------------------------------------------


def as_it_is(x: Any) -> Any:
    return x


def plain_names(x: Any) -> Any:
    """Return the table with names that every library takes: some refuse brackets, commas and colons."""
    return x.set_axis([f"c{i}" for i in range(x.shape[1])], axis=1) if isinstance(x, pd.DataFrame) else x


def few_categories(x: Any) -> Any:
    """Return the table for HistGradientBoosting: columns with too many categories as codes."""
    if not isinstance(x, pd.DataFrame):
        return x
    many = [
        name
        for name in x.columns
        if is_category(x[name].dtype) and len(x[name].cat.categories) > HIST_CATEGORIES
    ]
    codes = {name: x[name].cat.codes.astype(np.float64).where(x[name].notna()) for name in many}
    return x.assign(**codes)


def as_text(x: Any) -> Any:
    """Return the table for CatBoost: categories as text, because it refuses missing ones."""
    if not isinstance(x, pd.DataFrame):
        return x
    text = {
        name: x[name].astype(object).where(x[name].notna(), "missing").astype(str).astype(object)
        for name in x.columns
        if is_category(x[name].dtype)
    }
    return x.assign(**text)


# --- the sides
# ----------------------------------------------------------------------------------------------------


def make_leafwise(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    params: dict[str, Any] = {"n_jobs": N_JOBS, "random_state": seed}
    if settings is not None:
        params.update(
            n_estimators=settings.rounds, learning_rate=settings.rate, max_leaf_nodes=settings.leaves,
            reg_lambda=1.0, **OF_LIGHTGBM,
        )  # fmt: skip
    if task == CLASSES:
        return LeafwiseBoostingClassifier(**params)
    return LeafwiseBoostingRegressor(loss="poisson" if task == COUNTS else "squared_error", **params)


def make_newton(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    params: dict[str, Any] = {"n_jobs": N_JOBS, "random_state": seed}
    if settings is not None:
        params.update(n_estimators=settings.rounds, learning_rate=settings.rate, max_depth=settings.depth)
    if task == CLASSES:
        return NewtonBoostingClassifier(**params)
    return NewtonBoostingRegressor(loss="poisson" if task == COUNTS else "squared_error", **params)


def make_gbm(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    params: dict[str, Any] = {"n_jobs": N_JOBS, "random_state": seed}
    if settings is not None:
        params.update(n_estimators=settings.rounds, learning_rate=settings.rate, max_depth=settings.depth)
    if task == CLASSES:
        return GradientBoostingClassifier(**params)
    return GradientBoostingRegressor(loss="poisson" if task == COUNTS else "squared_error", **params)


def make_lightgbm(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    lightgbm = library("lightgbm", "lightgbm")
    params: dict[str, Any] = {"n_jobs": N_JOBS, "random_state": seed, "verbose": -1}
    if settings is not None:
        params.update(n_estimators=settings.rounds, learning_rate=settings.rate, num_leaves=settings.leaves)
    if task == CLASSES:
        return lightgbm.LGBMClassifier(**params)
    return lightgbm.LGBMRegressor(objective="poisson" if task == COUNTS else "regression", **params)


def make_xgboost(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    xgboost = library("xgboost", "xgboost-cpu")
    params: dict[str, Any] = {"n_jobs": N_JOBS, "random_state": seed, "enable_categorical": True}
    if settings is not None:
        params.update(
            n_estimators=settings.rounds, learning_rate=settings.rate, tree_method="hist",
            grow_policy="lossguide", max_leaves=settings.leaves, max_depth=0,
        )  # fmt: skip
    if task == CLASSES:
        return xgboost.XGBClassifier(**params)
    objective = "count:poisson" if task == COUNTS else "reg:squarederror"
    return xgboost.XGBRegressor(objective=objective, **params)


def make_catboost(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    catboost = library("catboost", "catboost")
    params: dict[str, Any] = {
        "thread_count": N_JOBS, "random_seed": seed, "verbose": False, "allow_writing_files": False,
    }  # fmt: skip
    if settings is not None:
        params.update(iterations=settings.rounds, learning_rate=settings.rate, depth=settings.depth)
    if isinstance(x, pd.DataFrame):
        params["cat_features"] = [name for name in x.columns if x[name].dtype == object]
    if task == CLASSES:
        return catboost.CatBoostClassifier(**params)
    return catboost.CatBoostRegressor(loss_function="Poisson" if task == COUNTS else "RMSE", **params)


def make_catboost_100(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    """Return CatBoost's defaults with as few rounds as all others have; it then chooses a higher rate."""
    return make_catboost(task, settings, seed, x).set_params(iterations=100)


def make_histgb(task: str, settings: Settings | None, seed: int, x: Any) -> Any:
    params: dict[str, Any] = {"random_state": seed}
    if settings is not None:
        params.update(
            max_iter=settings.rounds, learning_rate=settings.rate, max_leaf_nodes=settings.leaves,
            early_stopping=False,
        )  # fmt: skip
    if task == CLASSES:
        return HistGradientBoostingClassifier(**params)
    return HistGradientBoostingRegressor(loss="poisson" if task == COUNTS else "squared_error", **params)


LEAFWISE = Side("Leafwise (ours)", as_it_is, make_leafwise)
NEWTON = Side("Newton (ours)", as_it_is, make_newton)
GBM = Side("GBM (ours)", as_it_is, make_gbm)
LIGHTGBM = Side("LightGBM", plain_names, make_lightgbm)
XGBOOST = Side("XGBoost", plain_names, make_xgboost)
CATBOOST = Side("CatBoost", as_text, make_catboost)
CATBOOST_100 = Side("CatBoost, 100 rounds", as_text, make_catboost_100)
HISTGB = Side("HistGradientBoosting", few_categories, make_histgb)
PEERS = (LIGHTGBM, XGBOOST, CATBOOST, HISTGB)


# --- fitting and losses
# ----------------------------------------------------------------------------------------------------


def take(x: Any, rows: NDArray[Any]) -> Any:
    """Return rows of a frame or a matrix."""
    return x.iloc[rows] if isinstance(x, pd.DataFrame) else x[rows]


def fit(estimator: Any, x: Any, y: NDArray[Any], weight: NDArray[Any] | None = None) -> Any:
    """Return the fitted estimator; what libraries warn about is no concern of a contest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(x, y) if weight is None else estimator.fit(x, y, sample_weight=weight)


def predicted(fitted: Any, x: Any, task: str) -> NDArray[np.float64]:
    """Return probabilities or numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(fitted.predict_proba(x) if task == CLASSES else fitted.predict(x), dtype=np.float64)


def loss_of(
    answer: NDArray[np.float64],
    y: NDArray[Any],
    task: str,
    weight: NDArray[Any] | None = None,
    classes: NDArray[Any] | None = None,
) -> float:
    """Return log loss, RMSE or mean Poisson deviance.

    Parameters
    ----------
    answer : ndarray
        What was predicted.
    y : ndarray
        What is true; classes as numbers from 0.
    task : str
        What is predicted.
    weight : ndarray or None
        Weights of the rows.
    classes : ndarray or None
        Class of each column of `answer`; None: the column's number.
    """
    if task == CLASSES:
        column = y if classes is None else np.searchsorted(classes, y)
        known = np.ones(len(y), dtype=bool) if classes is None else np.isin(y, classes)
        column = np.where(known, column, 0)
        of_true = np.where(known, answer[np.arange(len(y)), column], 0.0)
        return float(np.average(-np.log(np.clip(of_true, LEAST, 1.0)), weights=weight))
    if task == NUMBERS:
        return float(np.sqrt(np.average((answer - y) ** 2, weights=weight)))
    mean = np.maximum(answer, LEAST)
    logs = np.where(y > 0, y * np.log(np.maximum(y, LEAST) / mean), 0.0)
    return float(np.average(2 * (logs - y + mean), weights=weight))


def constant_loss(y: NDArray[Any], task: str, weight: NDArray[Any] | None = None) -> float:
    """Return what the best constant loses: the scale of a table's losses."""
    if task == CLASSES:
        shares = np.bincount(y, weights=weight)
        shares = shares[shares > 0] / shares.sum()
        return float(-(shares * np.log(shares)).sum())
    return loss_of(np.full(len(y), np.average(y, weights=weight)), y, task, weight)
