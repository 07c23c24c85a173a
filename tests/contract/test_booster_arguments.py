"""What boosters answer to arguments of other libraries, and to small weights."""

import inspect

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from tests.contract.boosters import of_all_boosters
from tests.contract.data import numeric_table
from tests.contract.entries import make_entry
from treewright import LeafwiseBoostingRegressor, NewtonBoostingClassifier, NewtonBoostingRegressor
from treewright.exceptions import SingleLeafWarning


@of_all_boosters
@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("eval_set", "Pass X_val=, y_val="),
        ("callbacks", "Callbacks are a parameter of the constructor"),
        ("early_stopping_rounds", "n_iter_no_change"),
        ("eval_metric", "The constructor has scoring"),
        ("eval_sample_weight", "Pass sample_weight_val="),
        ("monitor", "The constructor has callbacks"),
        ("learning_rate", "'learning_rate' is a parameter of the constructor"),
        ("sample_weights", "Did you mean 'sample_weight'"),
    ],
)
def test_arguments_of_fit_in_other_libraries_are_answered_with_ours(entry, argument, words):
    X, y = numeric_table(entry[1], n_rows=20)
    booster = make_entry(entry)
    name = type(booster).__name__
    with pytest.raises(TypeError, match=rf"{name}.fit got an unexpected argument '{argument}'\..*{words}"):
        booster.fit(X, y, **{argument: 1})


@of_all_boosters
def test_a_number_for_early_stopping_is_answered_with_what_to_pass(entry):
    X, y = numeric_table(entry[1], n_rows=20)
    words = "n_iter_no_change=10"
    if "early_stopping" in make_entry(entry).get_params():
        with pytest.raises(ValueError, match=f"pass early_stopping=True, {words}"):
            make_entry(entry).set_params(early_stopping=10).fit(X, y)
    else:
        with pytest.raises(TypeError, match=words):
            type(make_entry(entry))(early_stopping=10)


@of_all_boosters
def test_fit_keeps_the_signature_that_scikit_learn_routes_by(entry):
    booster = make_entry(entry)
    names = list(inspect.signature(booster.fit).parameters)
    assert names[:5] == ["X", "y", "sample_weight", "X_val", "y_val"]
    assert {"sample_weight", "X_val", "y_val"} <= set(get_routing_for_object(booster).fit.requests)
    X, y = numeric_table(entry[1], n_rows=60)
    routed = make_pipeline(StandardScaler(), booster).fit(
        X,
        y,
        **{
            f"{type(booster).__name__.lower()}__{name}": value
            for name, value in {"X_val": X, "y_val": y}.items()
        },
    )
    assert len(routed[-1].validation_score_) == routed[-1].n_iter_


@pytest.mark.parametrize("cls", [NewtonBoostingRegressor, LeafwiseBoostingRegressor])
def test_without_a_limit_on_bins_every_value_counts(cls):
    X, y = numeric_table("regression", n_rows=400)
    free = cls(n_estimators=5, max_bins=None).fit(X, y)
    many = cls(n_estimators=5, max_bins=65535).fit(X, y)
    few = cls(n_estimators=5, max_bins=8).fit(X, y)
    assert free.model_.trees.equals(many.model_.trees)
    assert not free.model_.trees.equals(few.model_.trees)


@pytest.mark.parametrize("cls", [NewtonBoostingRegressor, NewtonBoostingClassifier])
def test_weights_that_sum_to_one_leave_newton_boosting_no_split_and_it_says_so(cls):
    task = "regression" if cls is NewtonBoostingRegressor else "classification"
    X, y = numeric_table(task)
    weights = np.full(len(y), 1 / len(y))
    with pytest.warns(SingleLeafWarning, match=r"min_child_weight=1\. The weights are small, 0\.005"):
        cls(n_estimators=3).fit(X, y, sample_weight=weights)
    cls(n_estimators=3, min_child_weight=0.0).fit(X, y, sample_weight=weights)
