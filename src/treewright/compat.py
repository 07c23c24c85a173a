"""Settings of XGBoost and LightGBM as estimators of ours, and what has no equivalent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from treewright.boosting import (
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
)
from treewright.exceptions import NoEquivalentWarning
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Translation", "from_lightgbm_params", "from_xgboost_params"]

AnyBooster = (
    NewtonBoostingClassifier
    | NewtonBoostingRegressor
    | LeafwiseBoostingClassifier
    | LeafwiseBoostingRegressor
)
Convert = Callable[[Any], Any]


class Translation(NamedTuple):
    """An estimator with settings of another library.

    Attributes
    ----------
    estimator : object
        Not fitted.
    without_equivalent : list of str
        A sentence for each setting that was left out or means something else here.
    """

    estimator: AnyBooster
    without_equivalent: list[str]


def _same(value: Any) -> Any:
    return value


def _or_none(value: Any) -> Any:
    """Limits of 0 and below mean none."""
    return None if value is None or value <= 0 else value


def _share(value: Any) -> Any:
    return None if value is None or value >= 1 else float(value)


def _bins(value: Any) -> Any:
    return min(max(2, int(value)), 255) if int(value) <= 256 else min(int(value), 65535)


def _constraints(value: Any) -> Any:
    if isinstance(value, str):
        return [int(one) for one in value.strip("()[] ").split(",") if one.strip()]
    return list(value) if isinstance(value, tuple) else value


# Name there → name here, and how values are turned.
XGBOOST: Final[dict[str, tuple[str, Convert]]] = {
    "n_estimators": ("n_estimators", int),
    "num_boost_round": ("n_estimators", int),
    "learning_rate": ("learning_rate", float),
    "eta": ("learning_rate", float),
    "max_depth": ("max_depth", _or_none),
    "max_leaves": ("max_leaf_nodes", _or_none),
    "min_child_weight": ("min_child_weight", float),
    "reg_lambda": ("reg_lambda", float),
    "lambda": ("reg_lambda", float),
    "reg_alpha": ("reg_alpha", float),
    "alpha": ("reg_alpha", float),
    "gamma": ("gamma", float),
    "min_split_loss": ("gamma", float),
    "max_delta_step": ("max_delta_step", float),
    "subsample": ("subsample", float),
    "colsample_bytree": ("max_features_tree", _share),
    "colsample_bylevel": ("max_features_level", _share),
    "colsample_bynode": ("max_features", _share),
    "max_bin": ("max_bins", _bins),
    "monotone_constraints": ("monotonic_cst", _constraints),
    "interaction_constraints": ("interaction_cst", _same),
    "n_jobs": ("n_jobs", _or_none),
    "nthread": ("n_jobs", _or_none),
    "random_state": ("random_state", _same),
    "seed": ("random_state", _same),
}
LIGHTGBM: Final[dict[str, tuple[str, Convert]]] = {
    **{name: ("n_estimators", int) for name in ("n_estimators", "num_iterations", "num_boost_round")},
    **{name: ("n_estimators", int) for name in ("num_iteration", "n_iter", "num_trees", "num_round")},
    **{name: ("learning_rate", float) for name in ("learning_rate", "eta", "shrinkage_rate")},
    **{name: ("max_leaf_nodes", int) for name in ("num_leaves", "num_leaf", "max_leaves", "max_leaf")},
    "max_depth": ("max_depth", _or_none),
    **{name: ("min_samples_leaf", int) for name in ("min_child_samples", "min_data_in_leaf", "min_data")},
    **{name: ("min_child_weight", float) for name in ("min_child_weight", "min_sum_hessian_in_leaf")},
    **{name: ("reg_lambda", float) for name in ("reg_lambda", "lambda_l2", "lambda")},
    **{name: ("reg_alpha", float) for name in ("reg_alpha", "lambda_l1")},
    **{name: ("gamma", float) for name in ("min_split_gain", "min_gain_to_split")},
    "max_delta_step": ("max_delta_step", float),
    **{name: ("subsample", float) for name in ("subsample", "bagging_fraction", "bagging")},
    **{name: ("max_features_tree", _share) for name in ("colsample_bytree", "feature_fraction")},
    **{name: ("max_features", _share) for name in ("colsample_bynode", "feature_fraction_bynode")},
    "max_bin": ("max_bins", _bins),
    "cat_smooth": ("cat_smooth", float),
    **{name: ("monotonic_cst", _constraints) for name in ("monotone_constraints", "mc")},
    "interaction_constraints": ("interaction_cst", _same),
    **{name: ("n_jobs", _or_none) for name in ("n_jobs", "num_threads", "num_thread", "nthread")},
    **{name: ("random_state", _same) for name in ("random_state", "seed", "random_seed")},
    "class_weight": ("class_weight", _same),
    "top_rate": ("goss_top", float),
    "other_rate": ("goss_other", float),
}
# Defaults of the other library where ours are different.
XGBOOST_DEFAULTS: Final = {"learning_rate": 0.3}
LIGHTGBM_DEFAULTS: Final = {
    "learning_rate": 0.1,
    "n_estimators": 100,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "reg_lambda": 0.0,
    "gamma": 0.0,
    "max_features": None,
}
# What changes no model: words, places, what is watched.
SILENT: Final = {
    "verbosity", "verbose", "verbose_eval", "silent", "device", "device_type", "predictor",
    "enable_categorical", "missing", "num_class", "importance_type", "eval_metric", "metric",
    "force_col_wise", "force_row_wise", "deterministic", "validate_parameters", "disable_default_eval_metric",
    "objective",
    "application", "app", "boosting", "boosting_type", "booster", "tree_method", "grow_policy",
    "early_stopping_rounds", "early_stopping_round", "scale_pos_weight", "is_unbalance", "unbalance",
    "quantile_alpha",
    "subsample_freq", "bagging_freq", "subsample_for_bin", "feature_types", "feature_weights", "callbacks",
}  # fmt: skip

# Objective → what is predicted, and our loss.
OBJECTIVES: Final = {
    "binary:logistic": ("classification", "log_loss"),
    "multi:softmax": ("classification", "log_loss"),
    "multi:softprob": ("classification", "log_loss"),
    "reg:squarederror": ("regression", "squared_error"),
    "reg:linear": ("regression", "squared_error"),
    "reg:absoluteerror": ("regression", "absolute_error"),
    "reg:quantileerror": ("regression", "quantile"),
    "count:poisson": ("regression", "poisson"),
    "reg:gamma": ("regression", "gamma"),
    "reg:tweedie": ("regression", "tweedie"),
    "binary": ("classification", "log_loss"),
    "multiclass": ("classification", "log_loss"),
    "softmax": ("classification", "log_loss"),
    "regression": ("regression", "squared_error"),
    "regression_l2": ("regression", "squared_error"),
    "l2": ("regression", "squared_error"),
    "mse": ("regression", "squared_error"),
    "regression_l1": ("regression", "absolute_error"),
    "l1": ("regression", "absolute_error"),
    "mae": ("regression", "absolute_error"),
    "huber": ("regression", "huber"),
    "quantile": ("regression", "quantile"),
    "poisson": ("regression", "poisson"),
    "gamma": ("regression", "gamma"),
    "tweedie": ("regression", "tweedie"),
}


def from_xgboost_params(params: Any = None, *, task: str | None = None, **more: Any) -> Translation:
    """Return an estimator of ours with the settings of XGBoost.

    Parameters
    ----------
    params : mapping, or estimator of XGBoost, optional
        The settings, by XGBoost's names or their aliases.
    task : {"classification", "regression"}, optional
        What to predict; by default what the objective is for.
    **more : object
        Further settings, e.g. ``num_boost_round=200``.

    Returns
    -------
    Translation
        The estimator, not fitted, and a list of what has no equivalent, which is also warned of.

    Examples
    --------
    >>> from treewright.compat import from_xgboost_params
    >>> found = from_xgboost_params({"objective": "reg:gamma", "eta": 0.05, "max_depth": 4})
    >>> found.estimator, found.without_equivalent
    (NewtonBoostingRegressor(learning_rate=0.05, loss='gamma', max_depth=4), [])
    """
    given = {**_plain(params), **more}
    lost: list[str] = []
    values = dict(XGBOOST_DEFAULTS) | _translated(given, XGBOOST, lost)
    method = given.get("tree_method")
    if method in ("exact", "hist"):
        values["tree_method"] = method
    elif method not in (None, "auto"):
        lost.append(f"tree_method={method!r}: histograms are used")
    if given.get("grow_policy") == "lossguide":
        lost.append("grow_policy='lossguide': trees grow level by level; LeafwiseBoosting grows leaf by leaf")
    for name, usual in (("booster", "gbtree"), ("num_parallel_tree", 1)):
        if given.get(name) not in (None, usual):
            lost.append(f"{name}={given[name]!r}: there is no equivalent")
    kinds = {"classification": NewtonBoostingClassifier, "regression": NewtonBoostingRegressor}
    return _made(given, values, lost, kinds, task, _default_task(params, task), "XGBoost")


def from_lightgbm_params(params: Any = None, *, task: str | None = None, **more: Any) -> Translation:
    """Return an estimator of ours with the settings of LightGBM.

    Parameters
    ----------
    params : mapping, or estimator of LightGBM, optional
        The settings, by LightGBM's names or their aliases.
    task : {"classification", "regression"}, optional
        What to predict; by default what the objective is for.
    **more : object
        Further settings, e.g. ``num_boost_round=200``.

    Returns
    -------
    Translation
        The estimator, not fitted, and a list of what has no equivalent, which is also warned of.

    Examples
    --------
    >>> from treewright.compat import from_lightgbm_params
    >>> found = from_lightgbm_params({"objective": "binary", "num_leaves": 15, "min_data_in_leaf": 5})
    >>> found.estimator.max_leaf_nodes, found.estimator.min_samples_leaf, found.without_equivalent
    (15, 5, [])
    """
    given = {**_plain(params), **more}
    lost: list[str] = []
    values = dict(LIGHTGBM_DEFAULTS) | _translated(given, LIGHTGBM, lost)
    freq = given.get("bagging_freq", given.get("subsample_freq", 0))
    if values.get("subsample", 1.0) != 1.0 and not freq:
        values.pop("subsample")  # LightGBM draws rows only every bagging_freq rounds
    elif freq and freq > 1:
        lost.append(f"bagging_freq={freq}: rows are drawn anew in every round")
    kind = given.get("boosting", given.get("boosting_type", "gbdt"))
    if kind == "goss" or given.get("data_sample_strategy") == "goss":
        values["goss"] = True
    elif kind not in ("gbdt", "gbrt"):
        lost.append(f"boosting={kind!r}: there is no equivalent")
    if given.get("is_unbalance") or given.get("unbalance"):
        values["class_weight"] = "balanced"
    kinds = {"classification": LeafwiseBoostingClassifier, "regression": LeafwiseBoostingRegressor}
    return _made(given, values, lost, kinds, task, _default_task(params, task), "LightGBM")


def _plain(params: Any) -> dict[str, Any]:
    """Return settings by name; None means the default, as in the estimators of both libraries."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        if not hasattr(params, "get_params"):
            raise TypeError(
                f"Settings are a mapping or an estimator of the other library, not {type(params).__name__}."
            )
        params = params.get_params()
    return {str(name): value for name, value in params.items() if value is not None}


def _default_task(params: Any, task: str | None) -> str:
    if task is not None:
        return task
    return "classification" if "Classifier" in type(params).__name__ else "regression"


def _translated(
    given: Mapping[str, Any], table: Mapping[str, tuple[str, Convert]], lost: list[str]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    named: dict[str, str] = {}
    for name, value in given.items():
        if name not in table:
            if name not in SILENT:
                lost.append(f"{name}={value!r}: there is no equivalent")
            continue
        ours, convert = table[name]
        if ours in values and values[ours] != convert(value):
            lost.append(f"{name}={value!r}: {named[ours]} says something else and counts")
            continue
        values[ours], named[ours] = convert(value), name
    return values


def _made(
    given: Mapping[str, Any],
    values: dict[str, Any],
    lost: list[str],
    kinds: Mapping[str, Any],
    task: str | None,
    default_task: str,
    source: str,
) -> Translation:
    objective = next((given[name] for name in ("objective", "application", "app") if name in given), None)
    found_task, loss = default_task, None
    if objective in OBJECTIVES:
        found_task, loss = OBJECTIVES[objective]
    elif objective is not None:
        lost.append(f"objective={objective!r}: the usual loss of {default_task} is used")
    if task is not None and task != found_task:
        lost.append(f"objective={objective!r}: it is not for {task}, the usual loss of which is used")
        found_task, loss = task, None
    if found_task not in kinds:
        raise ValueError(f"task must be 'classification' or 'regression', not {found_task!r}.")
    if loss is not None and loss not in ("log_loss", "squared_error"):
        values["loss"] = loss
    if loss == "quantile":
        lost.append("the quantile: set its parameter of the estimator")
    weight = given.get("scale_pos_weight", 1)
    if weight != 1 and found_task == "classification":
        values["class_weight"] = {0: 1.0, 1: float(weight)}
    rounds = given.get("early_stopping_rounds", given.get("early_stopping_round"))
    if rounds:
        values |= {"early_stopping": True, "n_iter_no_change": int(rounds)}
    kind = kinds[found_task]
    accepted = {}
    for name, value in values.items():
        if name in kind._defaults:
            accepted[name] = value
        else:
            lost.append(f"{name}={value!r}: {kind.__name__} has no such parameter")
    estimator = kind(**accepted)
    try:
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        raise ValueError(f"A setting of {source} cannot be taken over: {error}") from None
    if lost:
        warn_at_caller(f"Without an equivalent of {source}: {'; '.join(lost)}.", NoEquivalentWarning)
    return Translation(estimator, lost)
