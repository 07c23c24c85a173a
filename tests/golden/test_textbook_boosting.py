"""The worked numbers of boosting in the textbooks."""

import numpy as np
import pytest

from treewright import AdaBoostClassifier, GradientBoostingRegressor


def test_adaboost_on_ten_points_takes_three_stumps():
    X = np.arange(10.0).reshape(-1, 1)
    y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert [member.tree_.threshold[0] for member in boosted.estimators_] == [2.5, 8.5, 5.5]
    assert boosted.estimator_errors_ == pytest.approx([0.3, 0.2143, 0.1818], abs=5e-5)
    assert boosted.alphas_ == pytest.approx([0.4236, 0.6496, 0.7520], abs=5e-5)
    # scikit-learn's weights are twice the books'.
    assert boosted.estimator_weights_ == pytest.approx(2 * boosted.alphas_)
    errors = [(stage != y).sum() for stage in boosted.staged_predict(X)]
    assert errors == [3, 3, 0]


def test_boosted_stumps_on_ten_points():
    X = np.arange(1.0, 11.0).reshape(-1, 1)
    y = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])
    boosted = GradientBoostingRegressor(init="zero", learning_rate=1.0, max_depth=1, n_estimators=6).fit(X, y)
    trees = boosted.model_.trees
    assert [tree.threshold[0] for tree in trees] == [6.5, 3.5, 6.5, 4.5, 6.5, 2.5]
    values = [tuple(tree.value[1:, 0, 0]) for tree in trees]
    expected = [
        (6.2367, 8.9125),
        (-0.5133, 0.2200),
        (0.1467, -0.2200),
        (-0.1608, 0.1072),
        (0.0715, -0.1072),
        (-0.1506, 0.0377),
    ]
    np.testing.assert_allclose(values, expected, atol=6e-5)
    errors = boosted.train_score_ * len(y)
    assert errors == pytest.approx([1.9300, 0.8007, 0.4780, 0.3056, 0.2289, 0.1722], abs=6e-5)
