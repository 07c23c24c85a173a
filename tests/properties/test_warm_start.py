"""A warm start that adds rounds or trees gives the model of one fit, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright

some = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ROUNDS = 6
NUMBERS: dict[str, list[dict[str, Any]]] = {
    "newton": [
        {"tree_method": method, "loss": loss}
        for method in ("exact", "hist")
        for loss in ("squared_error", "poisson", "gamma", "tweedie")
    ],
    "leafwise": [
        {"loss": loss, "min_samples_leaf": 3} for loss in ("squared_error", "absolute_error", "poisson")
    ],
    "gbm": [{"loss": loss} for loss in ("squared_error", "absolute_error", "huber", "quantile")],
    "adaboost": [{"loss": "linear"}, {"loss": "exponential"}, {"resample": True}],
    "forest": [{}, {"bootstrap": False, "max_features": 2}],
    "extra": [{}],
    "bagging": [{}, {"max_features": 2}],
}
CLASSES: dict[str, list[dict[str, Any]]] = {
    "newton": [{"tree_method": "exact"}, {"tree_method": "hist"}],
    "leafwise": [{"min_samples_leaf": 3}],
    "gbm": [{}],
    "adaboost": [{"algorithm": "SAMME"}, {"algorithm": "SAMME.R"}],
    "forest": [{}],
    "extra": [{}],
    "bagging": [{}],
}
REGRESSORS: dict[str, type[Any]] = {
    "newton": treewright.NewtonBoostingRegressor,
    "leafwise": treewright.LeafwiseBoostingRegressor,
    "gbm": treewright.GradientBoostingRegressor,
    "adaboost": treewright.AdaBoostRegressor,
    "forest": treewright.RandomForestRegressor,
    "extra": treewright.ExtraTreesRegressor,
    "bagging": treewright.BaggingRegressor,
}
CLASSIFIERS: dict[str, type[Any]] = {
    "newton": treewright.NewtonBoostingClassifier,
    "leafwise": treewright.LeafwiseBoostingClassifier,
    "gbm": treewright.GradientBoostingClassifier,
    "adaboost": treewright.AdaBoostClassifier,
    "forest": treewright.RandomForestClassifier,
    "extra": treewright.ExtraTreesClassifier,
    "bagging": treewright.BaggingClassifier,
}
SAMPLED = ("newton", "leafwise", "gbm")


def table(seed: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with missing values; numbers are positive, so that every loss takes them."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(90, 3))
    score = x[:, 0] * x[:, 1] + x[:, 2] + 0.3 * generator.normal(size=90)
    x[generator.random(x.shape) < 0.1] = np.nan
    if n_classes == 0:
        return x, np.exp(score)
    return x, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def assert_same_model(one: Any, other: Any) -> None:
    """Trees, start and weights of rounds are equal to the last bit."""
    assert len(one.model_.trees) == len(other.model_.trees)
    for mine, theirs in zip(one.model_.trees, other.model_.trees, strict=True):
        for name, values in mine.to_arrays().items():
            np.testing.assert_array_equal(values, theirs.to_arrays()[name], err_msg=name)
    for name, values in one.model_.arrays.items():
        np.testing.assert_array_equal(values, other.model_.arrays[name], err_msg=name)


def both_ways(build: Any, x: Any, y: Any, weights: Any, stops: list[int], n_jobs: int) -> tuple[Any, Any]:
    """Return the model of one fit and the one that pauses at `stops`."""
    whole = build(n_estimators=ROUNDS).fit(x, y, sample_weight=weights)
    parts = build(n_estimators=ROUNDS, warm_start=True, n_jobs=n_jobs)
    for n_rounds in [*stops, ROUNDS]:
        parts.set_params(n_estimators=n_rounds).fit(x, y, sample_weight=weights)
    return whole, parts


@st.composite
def cases(draw: st.DrawFn, options: dict[str, list[dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """Draw an estimator and its options."""
    name = draw(st.sampled_from(sorted(options)))
    chosen = dict(draw(st.sampled_from(options[name])))
    if name in SAMPLED and draw(st.booleans()):
        chosen["subsample"] = 0.7
    if name in ("newton", "gbm"):
        chosen["max_depth"] = draw(st.sampled_from([2, 4]))
    return name, chosen


@pytest.mark.parametrize("name", sorted(NUMBERS))
@some
@given(
    st.data(), st.integers(0, 2**16), st.booleans(), st.sampled_from([[1], [2, 4], [5]]), st.integers(1, 3)
)
def test_rounds_after_a_pause_are_those_of_one_fit_for_numbers(
    name: str, data: st.DataObject, seed: int, weighted: bool, stops: list[int], n_jobs: int
) -> None:
    _, options = data.draw(cases({name: NUMBERS[name]}))
    x, y = table(seed, 0)
    weights = np.random.default_rng(seed + 1).uniform(0.3, 2.0, len(y)) if weighted else None
    whole, parts = both_ways(
        lambda **more: REGRESSORS[name](**options, random_state=3, **more), x, y, weights, stops, n_jobs
    )
    assert_same_model(whole, parts)
    np.testing.assert_array_equal(whole.predict(x), parts.predict(x))


@pytest.mark.parametrize("name", sorted(CLASSES))
@some
@given(
    st.data(),
    st.integers(0, 2**16),
    st.integers(2, 4),
    st.booleans(),
    st.sampled_from([[1], [2, 4], [5]]),
    st.integers(1, 3),
)
def test_rounds_after_a_pause_are_those_of_one_fit_for_classes(
    name: str, data: st.DataObject, seed: int, n_classes: int, weighted: bool, stops: list[int], n_jobs: int
) -> None:
    _, options = data.draw(cases({name: CLASSES[name]}))
    x, y = table(seed, n_classes)
    weights = np.random.default_rng(seed + 1).uniform(0.3, 2.0, len(y)) if weighted else None
    whole, parts = both_ways(
        lambda **more: CLASSIFIERS[name](**options, random_state=3, **more), x, y, weights, stops, n_jobs
    )
    assert_same_model(whole, parts)
    np.testing.assert_array_equal(whole.predict_proba(x), parts.predict_proba(x))
