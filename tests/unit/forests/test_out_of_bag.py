"""Predictions by the trees that did not see a row, and what follows from them."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, REGRESSORS, mixed_table, noisy_table

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)


def brute_force(forest, X, n_trees=None):
    """Return the mean answer of the trees that did not see each row."""
    total, count = 0.0, np.zeros(len(X))
    for number in range(n_trees or len(forest.estimators_)):
        out = np.ones(len(X), dtype=bool)
        out[forest.estimators_samples_[number]] = False
        tree = forest.estimators_[number]
        found = tree.predict_proba(X) if hasattr(tree, "predict_proba") else tree.predict(X)[:, np.newaxis]
        if getattr(forest, "voting", "soft") == "hard":
            found = np.eye(found.shape[1])[found.argmax(axis=1)]
        total = total + np.where(out[:, np.newaxis], found, 0.0)
        count += out
    with np.errstate(invalid="ignore"):
        return total / count[:, np.newaxis]


CASES = [
    *((cls, {}) for cls in FORESTS),
    *((cls, {"max_bins": 8}) for cls in FORESTS),
    *((cls, {"voting": "hard"}) for cls in CLASSIFIERS),
    (BaggingClassifier, {"max_features": 2}),
    (BaggingClassifier, {"estimator": C45Classifier()}),
    (BaggingRegressor, {"estimator": CARTRegressor(missing="surrogate")}),
    (RandomForestClassifier, {"max_samples": 0.3}),
    (RandomForestClassifier, {"class_weight": "balanced_subsample"}),
]


@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize(("cls", "params"), CASES, ids=str)
def test_a_row_is_predicted_by_the_trees_that_did_not_see_it(cls, params, table):
    X, y = table(cls)
    forest = cls(n_estimators=40, bootstrap=True, oob_score=True, random_state=0, **params).fit(X, y)
    expected = brute_force(forest, X)
    if cls in CLASSIFIERS:
        np.testing.assert_allclose(forest.oob_decision_function_, expected, atol=1e-12)
        assert forest.oob_score_ == pytest.approx(np.mean(expected.argmax(axis=1) == y))
        assert not hasattr(forest, "oob_prediction_")
    else:
        np.testing.assert_allclose(forest.oob_prediction_, expected[:, 0], atol=1e-9)
        assert forest.oob_score_ == pytest.approx(
            1 - np.sum((expected[:, 0] - y) ** 2) / np.sum((y - y.mean()) ** 2)
        )


def test_the_score_is_close_to_that_on_new_rows():
    X, y = noisy_table(RandomForestRegressor, 3000)
    forest = RandomForestRegressor(oob_score=True, random_state=0, n_jobs=2).fit(X[:1500], y[:1500])
    assert forest.oob_score_ == pytest.approx(forest.score(X[1500:], y[1500:]), abs=0.04)


def test_a_callable_is_given_positions_of_classes_or_numbers():
    X, y = noisy_table(RandomForestClassifier)
    labels = np.array(["low", "mid", "top"])[y]
    forest = RandomForestClassifier(oob_score=balanced_accuracy_score, random_state=0).fit(X, labels)
    assert forest.oob_score_ == balanced_accuracy_score(y, forest.oob_decision_function_.argmax(axis=1))
    X, y = noisy_table(RandomForestRegressor)
    forest = RandomForestRegressor(oob_score=mean_absolute_error, random_state=0).fit(X, y)
    assert forest.oob_score_ == mean_absolute_error(y, forest.oob_prediction_)


def test_rows_in_all_bags_have_no_answer_and_do_not_count():
    X, y = noisy_table(RandomForestClassifier)
    with pytest.warns(UserWarning, match="rows are in the bag of every tree"):
        forest = RandomForestClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    known = np.isfinite(forest.oob_decision_function_).all(axis=1)
    assert 0.4 < known.mean() < 0.8
    found = forest.oob_decision_function_[known].argmax(axis=1)
    assert forest.oob_score_ == pytest.approx(np.mean(found == y[known]))


def test_rows_without_weight_have_no_answer():
    X, y = noisy_table(RandomForestRegressor)
    weights = np.where(np.arange(200) < 50, 0.0, 1.0)
    forest = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(np.isnan(forest.oob_prediction_), weights == 0)
    alone = RandomForestRegressor(oob_score=True, random_state=0).fit(X[50:], y[50:])
    assert forest.oob_score_ == alone.oob_score_


@pytest.mark.parametrize("params", [{"oob_score": True}, {"calibrate": "oob"}])
def test_without_bootstrap_there_are_no_such_rows(params):
    X, y = noisy_table(ExtraTreesClassifier)
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        ExtraTreesClassifier(**params).fit(X, y)
    forest = ExtraTreesClassifier(n_estimators=2).fit(X, y)
    for method in (forest.oob_learning_curve, forest.oob_permutation_importance):
        with pytest.raises(ValueError, match="only available if bootstrap=True"):
            method(X, y)


def test_the_attributes_go_away_with_the_parameter():
    X, y = noisy_table(RandomForestClassifier)
    forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (RandomForestClassifier, {}),
        (RandomForestRegressor, {}),
        (BaggingClassifier, {"estimator": C45Classifier()}),
    ],
)
def test_the_learning_curve_is_the_score_of_the_first_trees(cls, params):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=30, random_state=0, **params).fit(X, y)
    curve = forest.oob_learning_curve(X, y, n_trees=[1, 7, 30])
    for n_trees, score, answered in zip(curve.n_trees, curve.scores, curve.answered, strict=True):
        values = brute_force(forest, X, n_trees)
        known = np.isfinite(values[:, 0])
        assert answered == known.mean()
        if cls is RandomForestRegressor:
            truth = y[known]
            expected = 1 - np.sum((truth - values[known, 0]) ** 2) / np.sum((truth - truth.mean()) ** 2)
        else:
            expected = np.mean(values[known].argmax(axis=1) == y[known])
        assert score == pytest.approx(expected)
    everything = forest.oob_learning_curve(X, y)
    assert everything.n_trees[0] == 1
    assert everything.n_trees[-1] == 30
    with pytest.raises(ValueError, match=r"rising numbers from 1 to 30. Got \[7, 31\]"):
        forest.oob_learning_curve(X, y, n_trees=[7, 31])


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (RandomForestClassifier, {}),
        (RandomForestRegressor, {}),
        (BaggingClassifier, {"estimator": C45Classifier()}),
        (BaggingRegressor, {"estimator": CARTRegressor(missing="surrogate")}),
    ],
)
def test_shuffling_shows_which_columns_matter(cls, params):
    X, y = noisy_table(cls, 400)
    forest = cls(n_estimators=30, random_state=0, **params).fit(X, y)
    found = forest.oob_permutation_importance(X, y, n_repeats=2, random_state=0)
    assert found.importances.shape == (4, 30)
    np.testing.assert_allclose(found.importances_mean, found.importances.mean(axis=1))
    assert found.importances_mean[:2].min() > 2 * np.abs(found.importances_mean[2:]).max()
    again = forest.oob_permutation_importance(X, y, n_repeats=2, random_state=0)
    np.testing.assert_array_equal(found.importances, again.importances)


@pytest.mark.parametrize("cls", [RandomForestClassifier, *REGRESSORS[:1]])
def test_other_rows_than_those_of_fit_are_refused(cls):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="X has 100 rows, but fit had 200"):
        forest.oob_learning_curve(X[:100], y[:100])
    with pytest.raises(ValueError, match="y differs from the y of fit"):
        forest.oob_permutation_importance(X, y[::-1])
    with pytest.raises(ValueError, match="n_repeats must be an int"):
        forest.oob_permutation_importance(X, y, n_repeats=0)
