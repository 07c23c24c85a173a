"""Targets that do not vary, and classes without weight: every estimator gives a constant model."""

import numpy as np
import pytest
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

import treewright
from tests.contract.boosters import of_all_boosters, stopping
from tests.contract.data import numeric_table
from tests.contract.entries import make_entry
from treewright.exceptions import ConstantTargetWarning

constant_is_said = pytest.mark.filterwarnings("ignore::treewright.exceptions.ConstantTargetWarning")


@constant_is_said
def test_a_constant_target_gives_a_constant_model(new, task, tmp_path):
    X, _ = numeric_table(task, n_rows=60)
    y = np.full(60, "only") if task == "classification" else np.full(60, 2.5)
    fitted = new().fit(X, y)
    if task == "classification":
        assert (fitted.predict(X) == "only").all()
        np.testing.assert_array_equal(fitted.predict_proba(X), np.ones((60, 1)))
        assert fitted.classes_.tolist() == ["only"]
    else:
        np.testing.assert_allclose(fitted.predict(X), 2.5, rtol=1e-12)
    if hasattr(fitted, "explain_prediction"):
        assert str(fitted.explain_prediction(X[:1]))
    fitted.save(tmp_path / "constant.tree")
    np.testing.assert_array_equal(treewright.load(tmp_path / "constant.tree").predict(X), fitted.predict(X))


@constant_is_said
def test_several_outputs_work_when_one_of_them_is_constant(new, task):
    X, y = numeric_table(task, n_rows=60)
    several = np.column_stack([y, np.full(60, 1)])
    if task == "classification":
        fitted = MultiOutputClassifier(new()).fit(X, several)
        assert [shares.shape[1] for shares in fitted.predict_proba(X)] == [3, 1]
    else:
        fitted = MultiOutputRegressor(new()).fit(X, several)
    np.testing.assert_allclose(fitted.predict(X)[:, 1].astype(float), 1)


@of_all_boosters
def test_boosters_say_that_there_is_nothing_to_boost(entry):
    X, _ = numeric_table(entry[1], n_rows=60)
    words = "y has one class only, 'a'" if entry[1] == "classification" else "y is 3 in every row"
    y = ["a"] * 60 if entry[1] == "classification" else [3] * 60
    with pytest.warns(ConstantTargetWarning, match=words):
        make_entry(entry).fit(X, y)
    halves = np.array([0, 1] * 30)
    with pytest.warns(ConstantTargetWarning, match="among the rows of positive weight"):
        fitted = make_entry(entry).fit(X, halves, sample_weight=halves)
    np.testing.assert_allclose(fitted.predict(X), 1)
    if entry[1] == "classification":
        # As in scikit-learn, a label without weight is a class all the same.
        assert fitted.classes_.tolist() == [0, 1]
        np.testing.assert_allclose(fitted.predict_proba(X)[:, 0], 0, atol=0.2)


@of_all_boosters
@constant_is_said
def test_a_constant_model_can_be_watched_and_added_to(entry):
    X, _ = numeric_table(entry[1], n_rows=60)
    y = ["a"] * 60 if entry[1] == "classification" else [3.0] * 60
    fitted = make_entry(entry, n_estimators=2, warm_start=True).fit(X, y, X_val=X, y_val=y)
    fitted.set_params(n_estimators=4).fit(X, y, X_val=X, y_val=y)
    assert len(set(fitted.predict(X).tolist())) == 1
    assert all(len(set(stage.tolist())) == 1 for stage in fitted.staged_predict(X))


@of_all_boosters
def test_a_class_without_weight_is_as_if_absent_but_for_its_name(entry):
    if entry[1] == "regression":
        pytest.skip("numbers have no classes")
    X, y = numeric_table("classification", n_rows=120)
    weights = (y != 1).astype(float)
    fitted = make_entry(entry, warm_start=True).fit(X, y, sample_weight=weights)
    assert fitted.classes_.tolist() == [0, 1, 2]
    shares = fitted.predict_proba(X)
    assert shares.shape == (120, 3)
    kept = y != 1
    assert not (fitted.predict(X) == 1).any()
    assert (fitted.predict(X[kept]) == y[kept]).mean() > 0.8
    # AdaBoost's probabilities are votes, of which every class has some.
    if entry[0] != "adaboost":
        assert shares[:, 1].max() < 1e-6
    rounds = fitted.n_iter_
    fitted.set_params(n_estimators=rounds + 2).fit(X, y, sample_weight=weights)
    once = make_entry(entry, n_estimators=rounds + 2).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(fitted.predict_proba(X), once.predict_proba(X))


@of_all_boosters
def test_rows_of_a_class_without_weight_do_not_matter_for_early_stopping(entry):
    if entry[1] == "regression":
        pytest.skip("numbers have no classes")
    X, y = numeric_table("classification", n_rows=120)
    fitted = stopping(entry).fit(X, y, sample_weight=(y != 1).astype(float))
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert not (fitted.predict(X) == 1).any()
