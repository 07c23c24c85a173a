"""Probabilities and losses: games against single rows of a background, and who defines what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5))
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
BACKGROUND = X[200:220]

TWO_CLASSES = [
    treewright.GradientBoostingClassifier(n_estimators=10),
    treewright.GradientBoostingClassifier(n_estimators=10, loss="exponential"),
    treewright.NewtonBoostingClassifier(n_estimators=10),
    treewright.LeafwiseBoostingClassifier(n_estimators=10),
    treewright.AdaBoostClassifier(n_estimators=5),
]


@pytest.mark.parametrize("estimator", TWO_CLASSES, ids=lambda estimator: str(estimator)[:40])
def test_probabilities_of_boosters_add_up(estimator: Any) -> None:
    booster = estimator.fit(X, Y)
    report = booster.shap(X[:30], background=BACKGROUND, output="probability")
    assert report.predictions == pytest.approx(booster.predict_proba(X[:30])[:, 1], abs=1e-12)
    assert report.base_values == pytest.approx(booster.predict_proba(BACKGROUND)[:, 1].mean(), abs=1e-12)
    assert report.meaning == "probability of 1"


@pytest.mark.parametrize("estimator", TWO_CLASSES, ids=lambda estimator: str(estimator)[:40])
def test_losses_of_boosters_add_up(estimator: Any) -> None:
    booster = estimator.fit(X, Y)
    report = booster.shap(X[:30], Y[:30], background=BACKGROUND, output="log_loss")
    chance = booster.predict_proba(X[:30])[np.arange(30), Y[:30]]
    assert report.predictions == pytest.approx(-np.log(chance), abs=1e-10)


def test_a_probability_is_the_mean_of_stretched_games() -> None:
    booster = treewright.GradientBoostingClassifier(n_estimators=10).fit(X, Y)
    total = np.zeros((30, 5))
    scores, chances = booster.decision_function(X[:30]), booster.predict_proba(X[:30])[:, 1]
    for other in range(len(BACKGROUND)):
        one = BACKGROUND[other : other + 1]
        score, chance = booster.decision_function(one)[0], booster.predict_proba(one)[0, 1]
        same = np.abs(scores - score) < 1e-10
        quotient = (chances - chance) / np.where(same, 1.0, scores - score)
        factor = np.where(same, chances * (1 - chances), quotient)
        total += booster.shap(X[:30], background=one).values * factor[:, None]
    report = booster.shap(X[:30], background=BACKGROUND, output="probability")
    assert report.values == pytest.approx(total / len(BACKGROUND), abs=1e-12)


def test_losses_of_forests_follow_the_probability_of_the_true_class() -> None:
    forest = treewright.RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(X, Y)
    report = forest.shap(X[:30], Y[:30], background=BACKGROUND, output="log_loss")
    chance = forest.predict_proba(X[:30])[np.arange(30), Y[:30]]
    assert report.predictions == pytest.approx(-np.log(chance), abs=1e-10)
    assert report.values.shape == (30, 5)


def test_forests_answer_with_probabilities_anyway() -> None:
    forest = treewright.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y)
    report = forest.shap(X[:5], output="probability")
    assert np.array_equal(report.values, forest.shap(X[:5]).values)
    assert (report.output, report.meaning) == ("probability", "probability")


def test_a_background_of_missing_values_goes_where_prediction_goes() -> None:
    booster = treewright.LeafwiseBoostingClassifier(n_estimators=10).fit(X, Y)
    others = BACKGROUND.copy()
    others[:, 0] = np.nan
    report = booster.shap(X[:10], background=others)
    assert report.base_values == pytest.approx(booster.decision_function(others).mean(), abs=1e-12)
    assert report.predictions == pytest.approx(booster.decision_function(X[:10]), abs=1e-12)


def test_rows_of_single_precision_meet_a_background_of_double_precision() -> None:
    tree = treewright.CARTRegressor(max_depth=3).fit(X, Y)
    narrow = X[:10].astype(np.float32)
    report = tree.shap(narrow, background=BACKGROUND)
    assert report.predictions == pytest.approx(tree.predict(narrow), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"output": "logit"}, "output must be one of 'raw', 'probability', 'log_loss'"),
        ({"output": "probability"}, "pass background=X_b"),
        ({"output": "log_loss", "background": BACKGROUND}, "pass y"),
        ({"output": "log_loss", "background": BACKGROUND, "y": [7] * 300}, "y holds 7"),
        ({"output": "log_loss", "background": BACKGROUND, "y": Y[:5]}, "5 entries, but X has 300"),
        ({"background": X[:0]}, "background has no rows"),
        ({"background": X[:, :3]}, "3 features"),
    ],
)
def test_what_is_not_defined_says_what_is(arguments: dict[str, Any], words: str) -> None:
    booster = treewright.GradientBoostingClassifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=words):
        booster.shap(X, **arguments)


@pytest.mark.parametrize("estimator", TWO_CLASSES, ids=lambda estimator: str(estimator)[:40])
def test_interactions_are_those_of_sums(estimator: Any) -> None:
    with pytest.raises(ValueError, match="Interactions are defined for sums of trees"):
        estimator.fit(X, Y).shap(X, background=BACKGROUND, output="probability", interactions=True)


def test_numbers_and_several_classes_have_no_single_probability() -> None:
    regressor = treewright.CARTRegressor(max_depth=2).fit(X, Y)
    with pytest.raises(ValueError, match="predicts numbers"):
        regressor.shap(X, output="probability")
    booster = treewright.NewtonBoostingClassifier(n_estimators=2).fit(X, Y + (X[:, 3] > 0))
    with pytest.raises(ValueError, match="each of 3 classes"):
        booster.shap(X, background=BACKGROUND, output="probability")
    forest = treewright.RandomForestClassifier(
        n_estimators=60, oob_score=True, calibrate="oob", random_state=0
    ).fit(X, Y)
    with pytest.raises(ValueError, match="calibrated"):
        forest.shap(X, output="probability")
    assert "before calibration" in str(forest.shap(X[:3]))
