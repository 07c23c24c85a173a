"""Adding trees to a fitted forest."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.forests.forest_data import FORESTS, answers, mixed_table, noisy_table, same_forest

from treewright import (
    BaggingClassifier,
    C45Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

X, Y = noisy_table(RandomForestClassifier)


@pytest.mark.parametrize("seed", [3, "state"])
@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("cls", FORESTS)
def test_two_fits_grow_the_forest_of_one(cls, table, seed):
    rows, y = table(cls)
    seeds = [np.random.RandomState(3) if seed == "state" else seed for _ in range(2)]
    once = cls(n_estimators=9, random_state=seeds[0]).fit(rows, y)
    twice = cls(n_estimators=4, random_state=seeds[1], warm_start=True).fit(rows, y)
    first = twice.model_.trees
    twice.set_params(n_estimators=9).fit(rows, y)
    same_forest(once, twice)
    assert len(first) == 4
    assert len(twice.estimators_) == 9
    np.testing.assert_array_equal(answers(once, rows), answers(twice, rows))
    for one, other in zip(once.estimators_samples_, twice.estimators_samples_, strict=True):
        np.testing.assert_array_equal(one, other)


def test_out_of_bag_answers_are_those_of_all_trees():
    params = {"oob_score": True, "random_state": 0, "calibrate": "oob"}
    once = RandomForestClassifier(n_estimators=60, **params).fit(X, Y)
    twice = RandomForestClassifier(n_estimators=40, warm_start=True, **params).fit(X, Y)
    twice.set_params(n_estimators=60).fit(X, Y)
    assert once.oob_score_ == twice.oob_score_
    np.testing.assert_allclose(once.oob_decision_function_, twice.oob_decision_function_, atol=1e-12)
    np.testing.assert_allclose(once.predict_proba(X), twice.predict_proba(X), atol=1e-12)


def test_quantiles_are_those_of_all_trees():
    rows, y = noisy_table(RandomForestRegressor)
    once = RandomForestRegressor(n_estimators=10, quantiles=True, random_state=0).fit(rows, y)
    twice = RandomForestRegressor(n_estimators=4, quantiles=True, random_state=0, warm_start=True).fit(
        rows, y
    )
    twice.set_params(n_estimators=10).fit(rows, y)
    np.testing.assert_array_equal(once.predict_quantiles(rows), twice.predict_quantiles(rows))
    twice.set_params(n_estimators=12)
    with pytest.raises(ValueError, match="grown on the same rows"):
        twice.fit(rows[:150], y[:150])
    with pytest.raises(ValueError, match="keep `quantiles` as it was"):
        twice.set_params(quantiles=False).fit(rows, y)


def test_trees_of_any_algorithm_can_be_added():
    once = BaggingClassifier(C45Classifier(), n_estimators=6, random_state=0).fit(X, Y)
    twice = BaggingClassifier(C45Classifier(), n_estimators=2, random_state=0, warm_start=True).fit(X, Y)
    twice.set_params(n_estimators=6).fit(X, Y)
    np.testing.assert_array_equal(once.predict_proba(X), twice.predict_proba(X))
    with pytest.raises(ValueError, match="same `estimator`"):
        twice.set_params(n_estimators=7, estimator=None).fit(X, Y)


def test_fewer_trees_are_refused_and_the_same_number_is_pointed_out():
    forest = RandomForestClassifier(n_estimators=5, warm_start=True, random_state=0).fit(X, Y)
    before = forest.model_.trees
    with pytest.raises(ValueError, match=r"n_estimators=4 must be larger or equal to len\(estimators_\)=5"):
        forest.set_params(n_estimators=4).fit(X, Y)
    assert forest.model_.trees is before
    with pytest.warns(UserWarning, match="without increasing n_estimators does not fit new trees"):
        forest.set_params(n_estimators=5).fit(X, Y)
    assert forest.model_.trees.equals(before)


def test_other_columns_categories_or_classes_are_refused():
    frame, y = mixed_table(RandomForestClassifier)
    forest = RandomForestClassifier(n_estimators=2, warm_start=True).fit(frame, y).set_params(n_estimators=3)
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        forest.fit(frame.rename(columns={"size": "length"}), y)
    with pytest.raises(ValueError, match="Column 'colour' has categories that the fitted"):
        forest.fit(frame.assign(colour="pink"), y)
    with pytest.raises(
        ValueError, match=r"y has the class\(es\) \[7\], which the fitted forest does not know"
    ):
        forest.fit(frame, np.where(y == 1, 7, y))
    with pytest.raises(ValueError, match="'entropy' cannot be added to trees grown by 'gini'"):
        forest.set_params(criterion="entropy").fit(frame, y)
    assert len(forest.estimators_) == 2
    numbers = RandomForestClassifier(n_estimators=2, warm_start=True).fit(X, Y).set_params(n_estimators=3)
    with pytest.raises(ValueError, match="X has 3 features, but"):
        numbers.fit(X[:, :3], Y)


def test_trees_may_be_grown_on_other_rows():
    forest = RandomForestClassifier(n_estimators=20, warm_start=True, oob_score=True, random_state=0).fit(
        X, Y
    )
    lacking = Y < 2
    with pytest.warns(UserWarning, match="in the bag of every tree"):
        forest.set_params(n_estimators=24).fit(X[lacking], Y[lacking])
    assert forest.classes_.tolist() == [0, 1, 2]
    assert len(forest.estimators_samples_[0]) == 200
    assert len(forest.estimators_samples_[22]) == lacking.sum()
    # Only the four later trees can be asked about these rows.
    assert np.isnan(forest.oob_decision_function_).any()
    with pytest.raises(ValueError, match="grown on different rows"):
        forest.oob_permutation_importance(X[lacking], Y[lacking])


def test_weights_of_the_rows_at_hand_are_pointed_out():
    forest = RandomForestClassifier(n_estimators=2, warm_start=True, class_weight="balanced").fit(X, Y)
    with pytest.warns(UserWarning, match="weighs the classes of the rows at hand"):
        forest.set_params(n_estimators=3).fit(X, Y)


def test_a_cold_start_forgets():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y)
    forest.set_params(n_estimators=2).fit(pd.DataFrame(X[:, :2], columns=["a", "b"]), Y)
    assert len(forest.estimators_) == 2
    assert forest.n_features_in_ == 2
