"""Probabilities corrected by out-of-bag rows."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from tests.unit.forests.forest_data import CLASSIFIERS

from treewright import RandomForestClassifier
from treewright.forests._calibration import Calibration, best_method


def table(n_classes, n_rows=3000, seed=0):
    """Return rows whose classes cannot be told apart well, so that full trees are too sure of themselves."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 5))
    logits = np.column_stack([X[:, 0] * k + X[:, 1] * (k % 2) for k in range(n_classes)])
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return X, (chances.cumsum(axis=1) > generator.random((n_rows, 1))).argmax(axis=1)


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_calibration_lowers_the_log_loss_of_new_rows(cls, n_classes, method):
    X, y = table(n_classes)
    params = {"n_estimators": 30, "bootstrap": True, "random_state": 0}
    plain = cls(**params).fit(X[:1500], y[:1500])
    calibrated = cls(calibrate="oob", calibration_method=method, **params).fit(X[:1500], y[:1500])
    found = calibrated.predict_proba(X[1500:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.min() > 0
    assert log_loss(y[1500:], found) < log_loss(y[1500:], plain.predict_proba(X[1500:])) - 0.01
    assert calibrated.score(X[1500:], y[1500:]) > plain.score(X[1500:], y[1500:]) - 0.03
    np.testing.assert_array_equal(
        calibrated.predict(X), calibrated.classes_[calibrated.predict_proba(X).argmax(axis=1)]
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_auto_takes_the_correction_that_pays_on_rows_it_was_not_learned_from(n_classes):
    X, y = table(n_classes)
    forest = RandomForestClassifier(n_estimators=30, calibrate="auto", random_state=0).fit(X[:1500], y[:1500])
    plain = RandomForestClassifier(n_estimators=30, random_state=0).fit(X[:1500], y[:1500])
    loss = log_loss(y[1500:], forest.predict_proba(X[1500:]))
    assert loss < log_loss(y[1500:], plain.predict_proba(X[1500:])) - 0.01
    methods = {
        method: RandomForestClassifier(
            n_estimators=30, calibrate="oob", calibration_method=method, random_state=0
        ).fit(X[:1500], y[:1500])
        for method in ("isotonic", "sigmoid")
    }
    assert any((forest.predict_proba(X) == one.predict_proba(X)).all() for one in methods.values())


def test_auto_leaves_scores_alone_that_are_probabilities_already():
    generator = np.random.default_rng(2)
    shares = generator.dirichlet([1.0, 1.0, 1.0], size=400)
    codes = (shares.cumsum(axis=1) > generator.random((400, 1))).argmax(axis=1)
    assert best_method(shares, codes) is None
    assert best_method(shares**8 / (shares**8).sum(axis=1, keepdims=True), codes) is not None
    assert best_method(shares[:20], codes[:20]) is None


def test_auto_counts_weights_as_rows():
    generator = np.random.default_rng(3)
    shares = generator.dirichlet([0.3, 0.3], size=300)
    codes = (generator.random(300) < 0.5).astype(int)
    weights = np.where(np.arange(300) < 150, 1.0, 0.0) + 1e-9
    heavy = best_method(shares, codes, weights)
    assert heavy == best_method(shares, codes, weights * 7)


def test_votes_are_calibrated_too():
    X, y = table(2)
    forest = RandomForestClassifier(voting="hard", calibrate="oob", random_state=0).fit(X, y)
    assert 0 < forest.predict_proba(X).min() < forest.predict_proba(X).max() < 1


def test_the_corrected_probabilities_rise_with_the_scores():
    generator = np.random.default_rng(0)
    scores = generator.random(500)
    codes = (generator.random(500) < scores**2).astype(int)
    for method in ("isotonic", "sigmoid"):
        learned = Calibration.learned(method, np.column_stack([1 - scores, scores]), codes)
        asked = np.linspace(0, 1, 101)
        found = learned(np.column_stack([1 - asked, asked]))[:, 1]
        assert (np.diff(found) >= 0).all()
        assert np.abs(found - asked**2).mean() < 0.06


def test_the_sigmoid_is_the_logistic_regression_of_platts_targets():
    generator = np.random.default_rng(1)
    scores = generator.random(4000)
    codes = (generator.random(4000) < 1 / (1 + np.exp(-6 * (scores - 0.4)))).astype(int)
    ((slope, offset),) = Calibration.learned("sigmoid", np.column_stack([1 - scores, scores]), codes).curves
    reference = LogisticRegression(C=np.inf, tol=1e-10).fit(scores[:, np.newaxis], codes)
    assert slope[0] == pytest.approx(reference.coef_[0, 0], rel=0.01)
    assert offset[0] == pytest.approx(reference.intercept_[0], rel=0.01)


def test_weights_count():
    scores = np.array([0.2, 0.2, 0.8, 0.8])
    codes = np.array([0, 1, 0, 1])
    weights = np.array([3.0, 1.0, 1.0, 3.0])
    learned = Calibration.learned("isotonic", np.column_stack([1 - scores, scores]), codes, weights)
    np.testing.assert_allclose(learned(np.array([[0.8, 0.2], [0.2, 0.8]]))[:, 1], [0.25, 0.75])


def test_one_class_stays_as_it_is():
    forest = RandomForestClassifier(calibrate="oob", random_state=0).fit(
        np.arange(30.0)[:, np.newaxis], [5] * 30
    )
    assert forest.predict_proba([[1.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"method": "magic", "curves": []},
        {"method": "sigmoid", "curves": [[[1.0], [0.0]], [[1.0], [0.0]]]},
        {"method": "isotonic", "curves": [[[0.0, 1.0], [0.0]]]},
        {"method": "isotonic", "curves": [[[], []]]},
        {"method": "isotonic", "curves": [[["a"], [0.0]]]},
        {"method": "isotonic", "curves": [[[0.0], [float("nan")]]]},
        {"method": "isotonic", "curves": [3]},
    ],
)
def test_nonsense_from_a_file_is_refused(facts):
    with pytest.raises(ValueError, match="its calibration"):
        Calibration.from_facts(facts, 2)
