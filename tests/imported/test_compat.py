"""Settings of XGBoost and LightGBM become estimators of ours, and what has no equivalent is told."""

from __future__ import annotations

import pytest

from treewright import LeafwiseBoostingClassifier, NewtonBoostingClassifier, NewtonBoostingRegressor
from treewright.compat import from_lightgbm_params, from_xgboost_params
from treewright.exceptions import NoEquivalentWarning


def test_settings_of_xgboost_are_taken_over() -> None:
    params = {
        "objective": "binary:logistic", "eta": 0.05, "max_depth": 0, "max_leaves": 20, "lambda": 2.0,
        "colsample_bytree": 0.5, "colsample_bynode": 1.0, "scale_pos_weight": 3, "nthread": 2, "seed": 7,
        "tree_method": "exact", "verbosity": 0, "early_stopping_rounds": 5,
    }  # fmt: skip
    found = from_xgboost_params(params, num_boost_round=30)
    expected = {
        "n_estimators": 30, "learning_rate": 0.05, "max_depth": None, "max_leaf_nodes": 20, "reg_lambda": 2.0,
        "max_features_tree": 0.5, "max_features": None, "class_weight": {0: 1.0, 1: 3.0}, "n_jobs": 2,
        "random_state": 7, "tree_method": "exact", "early_stopping": True, "n_iter_no_change": 5,
    }  # fmt: skip
    assert isinstance(found.estimator, NewtonBoostingClassifier)
    assert {name: getattr(found.estimator, name) for name in expected} == expected
    assert found.without_equivalent == []


def test_what_xgboost_does_by_default_is_done_here() -> None:
    estimator = from_xgboost_params().estimator
    assert isinstance(estimator, NewtonBoostingRegressor)
    assert (estimator.learning_rate, estimator.max_depth, estimator.reg_lambda) == (0.3, 6, 1.0)


def test_settings_of_lightgbm_are_taken_over() -> None:
    params = {
        "objective": "multiclass", "num_leaves": 63, "min_data_in_leaf": 3, "lambda_l1": 0.5,
        "feature_fraction": 0.8, "bagging_fraction": 0.7, "bagging_freq": 1, "boosting": "goss",
        "num_threads": 0,
    }  # fmt: skip
    found = from_lightgbm_params(params)
    expected = {
        "max_leaf_nodes": 63, "min_samples_leaf": 3, "reg_alpha": 0.5, "max_features_tree": 0.8,
        "subsample": 0.7, "goss": True, "n_jobs": None, "learning_rate": 0.1, "n_estimators": 100,
        "reg_lambda": 0.0, "gamma": 0.0,
    }  # fmt: skip
    assert isinstance(found.estimator, LeafwiseBoostingClassifier)
    assert {name: getattr(found.estimator, name) for name in expected} == expected


def test_what_has_no_equivalent_is_listed_and_warned_of() -> None:
    with pytest.warns(NoEquivalentWarning, match="rate_drop"):
        found = from_xgboost_params({"booster": "dart", "rate_drop": 0.1, "objective": "survival:cox"})
    assert [one.split("=")[0] for one in found.without_equivalent] == ["rate_drop", "booster", "objective"]
    with pytest.warns(NoEquivalentWarning, match="linear_tree"):
        from_lightgbm_params({"linear_tree": True})
    with pytest.warns(NoEquivalentWarning, match="learning_rate says something else"):
        found = from_xgboost_params({"learning_rate": 0.1, "eta": 0.2})
    assert found.estimator.learning_rate == 0.1


def test_what_cannot_be_is_refused_with_its_name() -> None:
    with pytest.raises(ValueError, match="learning_rate"):
        from_xgboost_params({"eta": -1})
    with pytest.raises(TypeError, match="mapping"):
        from_lightgbm_params([1, 2])
    with pytest.raises(ValueError, match="task"):
        from_xgboost_params(task="ranking")
