"""CART's own promises: pruning, priors, constraints, fitted attributes; tests/contract has the rest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import CARTClassifier, CARTRegressor

CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
# Continuous targets: no two splits tie, so scikit-learn's tree does not depend on its seed.
NOISE = np.random.default_rng(5)
NOISY_X = NOISE.normal(size=(400, 5)).astype(np.float32)
NOISY = NOISY_X, np.exp(NOISY_X[:, 0]) + np.abs(NOISY_X[:, 1]) + NOISE.gamma(1.0, size=400)


def test_the_fitted_attributes_are_those_of_scikit_learn():
    frame = load_iris(as_frame=True)
    labels = frame.target_names[frame.target]
    ours = CARTClassifier().fit(frame.data, labels)
    theirs = DecisionTreeClassifier().fit(frame.data, labels)
    for name in ("n_features_in_", "n_classes_", "max_features_"):
        assert getattr(ours, name) == getattr(theirs, name)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.feature_names_in_, theirs.feature_names_in_)
    assert ours.predict(frame.data).dtype == theirs.predict(frame.data).dtype
    assert ours.predict_proba(frame.data).dtype == theirs.predict_proba(frame.data).dtype
    assert ours.apply(frame.data).dtype == theirs.apply(frame.data).dtype


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 2.0])
def test_ccp_alpha_prunes_as_in_scikit_learn(criterion, share):
    X, y = NOISY
    alpha = share * DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X, y).tree_.impurity[0]
    params = {"criterion": criterion, "min_samples_leaf": 2, "ccp_alpha": alpha}
    ours = CARTRegressor(**params).fit(X, y)
    theirs = DecisionTreeRegressor(**params, random_state=0).fit(X, y)
    assert (ours.get_n_leaves(), ours.get_depth()) == (theirs.get_n_leaves(), theirs.get_depth())
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_the_pruning_path_is_that_of_scikit_learn():
    params = {"min_samples_leaf": 15}
    ours = CARTRegressor(**params).cost_complexity_pruning_path(*DIABETES)
    theirs = DecisionTreeRegressor(**params, random_state=0).cost_complexity_pruning_path(*DIABETES)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.impurities, theirs.impurities)


def test_each_price_of_the_path_gives_the_tree_that_it_promises():
    path = CARTClassifier().cost_complexity_pruning_path(*CANCER)
    for alpha, impurity in zip(path.ccp_alphas[1::5], path.impurities[1::5], strict=True):
        tree = CARTClassifier(ccp_alpha=alpha).fit(*CANCER).tree_
        leaves = tree.n_children == 0
        assert tree.loss[leaves].sum() / tree.weighted_n_node_samples[0] >= impurity - 1e-12


def test_importances_are_those_of_scikit_learn():
    ours = CARTRegressor(max_depth=6, min_samples_leaf=5).fit(*NOISY)
    theirs = DecisionTreeRegressor(max_depth=6, min_samples_leaf=5, random_state=0).fit(*NOISY)
    np.testing.assert_allclose(ours.feature_importances_.sum(), 1.0)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def test_logarithms_of_probabilities_include_minus_infinity():
    estimator = CARTClassifier(max_depth=2).fit(*CANCER)
    with np.errstate(divide="ignore"):
        expected = np.log(estimator.predict_proba(CANCER[0]))
    np.testing.assert_array_equal(estimator.predict_log_proba(CANCER[0]), expected)


def test_priors_are_the_shares_of_the_classes_at_the_root():
    X, y = CANCER
    by_label = CARTClassifier(priors={1: 0.1, 0: 0.9}, max_depth=3).fit(X, y)
    by_place = CARTClassifier(priors=[0.9, 0.1], max_depth=3).fit(X, y)
    np.testing.assert_allclose(by_place.tree_.value[0, 0], [0.9, 0.1])
    np.testing.assert_array_equal(by_label.predict_proba(X), by_place.predict_proba(X))
    weights = {0: 0.9 / np.mean(y == 0), 1: 0.1 / np.mean(y == 1)}
    weighted = CARTClassifier(class_weight=weights, max_depth=3).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba(X), by_place.predict_proba(X))


def test_balanced_classes_weigh_the_same():
    estimator = CARTClassifier(class_weight="balanced", max_depth=1).fit(*CANCER)
    np.testing.assert_allclose(estimator.tree_.value[0, 0], [0.5, 0.5])


def test_declared_classes_keep_their_order_and_predictions_stay_sorted():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = pd.Series(pd.Categorical(["lo", "hi", "lo", "hi"], categories=["never", "lo", "hi"]))
    estimator = CARTClassifier(max_depth=1).fit(X, y)
    assert estimator.class_order_.tolist() == ["never", "lo", "hi"]
    assert estimator.classes_.tolist() == ["hi", "lo"]
    assert estimator.predict_proba(X).shape == (4, 2)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotone_constraint_holds_everywhere(sign):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + generator.normal(size=400)
    grid = np.linspace(-3, 3, 200)
    regressor = CARTRegressor(monotonic_cst=[sign, 0]).fit(X, y)
    classifier = CARTClassifier(monotonic_cst={"a": sign}).fit(pd.DataFrame(X, columns=["a", "b"]), y > 0)
    for other in (-1.0, 0.0, 1.0):
        line = np.column_stack([grid, np.full(200, other)])
        assert (sign * np.diff(regressor.predict(line)) >= 0).all()
        chance = classifier.predict_proba(pd.DataFrame(line, columns=["a", "b"]))[:, 1]
        assert (sign * np.diff(chance) >= 0).all()


def test_best_first_growth_stops_at_the_given_number_of_leaves():
    estimator = CARTRegressor(max_leaf_nodes=7).fit(*DIABETES)
    theirs = DecisionTreeRegressor(max_leaf_nodes=7, random_state=0).fit(*DIABETES)
    assert estimator.get_n_leaves() == 7
    np.testing.assert_allclose(estimator.predict(DIABETES[0]), theirs.predict(DIABETES[0]))


def test_poisson_refuses_what_has_no_likelihood():
    X = np.arange(4.0)[:, np.newaxis]
    with pytest.raises(ValueError, match="Some value\\(s\\) of y are negative"):
        CARTRegressor(criterion="poisson").fit(X, [1, 2, -1, 3])
    with pytest.raises(ValueError, match="Sum of y is not strictly positive"):
        CARTRegressor(criterion="poisson").fit(X, [0, 0, 0, 0])


def test_several_targets_are_refused_with_advice():
    with pytest.raises(ValueError, match="MultiOutputRegressor"):
        CARTRegressor().fit([[1.0], [2.0]], [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="MultiOutputClassifier"):
        CARTClassifier().fit([[1.0], [2.0]], [[1, 2], [3, 4]])


def test_text_and_thresholds_are_described_in_words():
    frame = pd.DataFrame(
        {"outlook": ["sunny", "sunny", "overcast", "rain"] * 3, "wind": [1.5, 2.5, 1.5, 3.5] * 3}
    )
    estimator = CARTClassifier().fit(frame, ["no", "no", "yes", "no"] * 3)
    root = estimator.model_.view().root
    assert {root.split.describe(0), root.split.describe(1)} == {
        "outlook = overcast",
        "outlook in {sunny, rain}",
    }
