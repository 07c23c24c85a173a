"""What a leaf of a booster answers is told by the rule that gave it its value, with its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.explain.boosted.boost_cases import fitted, rows_below, scores_before, table

import treewright as tw


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("make", [tw.NewtonBoostingRegressor, tw.GradientBoostingRegressor])
def test_leaves_of_robust_losses_tell_their_own_rule(make: Any, loss: str) -> None:
    X, y = table()
    booster = fitted(make, X, y, loss=loss)
    leaf = int(np.flatnonzero(booster.model_.trees[2].n_children == 0)[0])
    stored, again = booster.explain_split(leaf, tree=2), booster.explain_split(leaf, X, y, tree=2)
    assert again.own_value == pytest.approx(stored.step / 0.1, rel=1e-6)
    words = {
        "absolute_error": "median of y − F",
        "huber": "median m of y − F",
        "quantile": "quantile of y − F",
    }
    assert words[loss] in str(again) and (stored.own_value is None or words[loss] in str(stored))
    raw, here = scores_before(booster, X, 2)[:, 0], rows_below(booster, X, 2, leaf)
    rest = np.sort((y - raw)[here])
    if loss == "huber":
        scale = np.quantile(np.abs(y - raw), 0.9, method="inverted_cdf")
        middle = np.quantile(rest, 0.5, method="inverted_cdf")
        own = middle + np.clip(rest - middle, -scale, scale).mean()
        assert again.leaf_step.middle == pytest.approx(middle)
        assert again.leaf_step.numerator / again.leaf_step.denominator == pytest.approx(own - middle)
    else:
        level = 0.9 if loss == "quantile" else 0.5
        own = np.quantile(rest, level, method="inverted_cdf")
    assert again.own_value == pytest.approx(own, rel=1e-5)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "exponential", "log_loss"])
def test_leaves_of_gradient_boosting_show_the_sums_that_their_value_is_made_of(loss: str) -> None:
    X, y = table()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    make: Any = tw.GradientBoostingRegressor
    if loss == "log_loss":
        make, y = tw.GradientBoostingClassifier, np.digitize(y, np.quantile(y, [0.3, 0.6]))
    elif loss == "exponential":
        make, y = tw.GradientBoostingClassifier, (y > np.median(y)).astype(int)
    else:
        y = y - y.min() + 0.1
    booster = make(loss=loss, n_estimators=4).fit(X, y, sample_weight=weights)
    tree = 5 if loss == "log_loss" else 2
    raw = scores_before(booster, X, tree // (3 if loss == "log_loss" else 1))
    for leaf in np.flatnonzero(booster.model_.trees[tree].n_children == 0).tolist():
        here = rows_below(booster, X, tree, leaf)
        F, w, t = raw[here], weights[here], y[here]
        if loss == "log_loss":
            p = (np.exp(F) / np.exp(F).sum(axis=1, keepdims=True))[:, 2]
            top, bottom = (w * ((t == 2) - p)).sum(), (w * p * (1 - p)).sum()
            value = 2 / 3 * top / bottom
        elif loss == "exponential":
            sign = 2.0 * t - 1.0
            top, bottom = (w * sign * np.exp(-sign * F[:, 0])).sum(), (w * np.exp(-sign * F[:, 0])).sum()
            value = top / bottom
        else:
            power = 1.0 if loss == "poisson" else 2.0
            top = (w * t * np.exp((1 - power) * F[:, 0])).sum()
            bottom = (w * np.exp((2 - power) * F[:, 0])).sum()
            value = np.log(top / bottom)
        report = booster.explain_split(leaf, X, y, sample_weight=weights, tree=tree)
        step = report.leaf_step
        assert (step.numerator, step.denominator) == pytest.approx((top, bottom), rel=1e-5)
        assert step.value == pytest.approx(value, rel=1e-5) == report.own_value
        assert report.step == pytest.approx(0.1 * value, rel=1e-5)
        assert ("ln(" if loss in ("poisson", "gamma") else "one Newton step") in str(report)
        assert ("(K − 1)/K" in str(report)) == (loss == "log_loss")
