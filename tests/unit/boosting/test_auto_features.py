"""max_features="auto": features are drawn for many small steps, and not where somebody chose otherwise."""

import numpy as np
import pytest

from treewright import LeafwiseBoostingClassifier, LeafwiseBoostingRegressor, load
from treewright.boosting.plans import draws_columns

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(400, 10))
Y = X[:, 0] + np.sin(3 * X[:, 1]) + RANDOM.normal(size=400)


def answers(**params):
    return LeafwiseBoostingRegressor(n_estimators=12, **params).fit(X, Y).predict(X)


@pytest.mark.parametrize("params", [{}, {"learning_rate": 0.05}, {"learning_rate": [0.04, 0.2]}])
def test_small_steps_of_trees_that_follow_the_rows_draw_six_of_ten_features(params):
    np.testing.assert_array_equal(answers(**params), answers(max_features=0.6, **params))
    assert (answers(**params) != answers(max_features=None, **params)).any()


@pytest.mark.parametrize(
    "params", [{"learning_rate": 0.1}, {"max_leaf_nodes": 15}, {"learning_rate": lambda number: 0.3 / number}]
)
def test_larger_steps_and_leaves_of_your_own_see_all_features(params):
    np.testing.assert_array_equal(answers(**params), answers(max_features=None, **params))


def test_a_model_without_drawing_does_not_depend_on_the_seed():
    seeds = [answers(learning_rate=0.1, random_state=seed) for seed in (1, 2)]
    np.testing.assert_array_equal(*seeds)


def test_a_warm_start_goes_on_as_it_began():
    whole = LeafwiseBoostingRegressor(n_estimators=12).fit(X, Y)
    grown = LeafwiseBoostingRegressor(n_estimators=5, warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=12).fit(X, Y)
    np.testing.assert_array_equal(grown.predict(X), whole.predict(X))


def test_reports_and_files_know_whether_features_were_drawn(tmp_path):
    # γ counts the features that a node looks at.
    for params, drawn, factor in (({}, True, "0.9771"), ({"learning_rate": 0.1}, False, "1.156")):
        booster = LeafwiseBoostingRegressor(n_estimators=3, **params).fit(X, Y)
        booster.save(tmp_path / "booster.tw")
        for one in (booster, load(tmp_path / "booster.tw")):
            assert one.max_features == "auto"
            assert draws_columns(one.model_) is drawn
            assert f"γ is {factor} times" in str(one.explain_split(0, X, Y, tree=2))


@pytest.mark.parametrize(("n_features", "drawn"), [(3, 1), (8, 4), (16, 5), (40, 8)])
def test_three_and_more_classes_draw_fewer_features_but_five_where_that_is_not_most(n_features, drawn):
    generator = np.random.default_rng(0)
    X = generator.random((150, n_features))
    y = np.digitize(X[:, 0] + X[:, 1], [0.8, 1.2])
    default = LeafwiseBoostingClassifier(n_estimators=15).fit(X, y)
    told = LeafwiseBoostingClassifier(n_estimators=15, max_features=drawn).fit(X, y)
    other = LeafwiseBoostingClassifier(n_estimators=15, max_features=drawn + 1).fit(X, y)
    assert (default.predict_proba(X) == told.predict_proba(X)).all()
    assert (default.predict_proba(X) != other.predict_proba(X)).any()
