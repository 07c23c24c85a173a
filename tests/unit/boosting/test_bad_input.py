"""What boosters refuse, and the sentences they say."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.boosting.boost_data import BOOSTERS, CLASSIFIERS, REGRESSORS, table

from treewright import GradientBoostingClassifier, LeafwiseBoostingClassifier, NewtonBoostingRegressor


@pytest.mark.parametrize("cls", REGRESSORS)
def test_targets_outside_the_range_of_the_loss_are_named_with_their_row(cls):
    X, _ = table(cls)
    counts = np.arange(300.0)
    counts[17] = -2
    with pytest.raises(ValueError, match=r"y: row 17 has the target -2, but the loss poisson needs"):
        cls(loss="poisson").fit(X, counts)
    weights = np.ones(300)
    weights[:10] = 0
    with pytest.raises(ValueError, match="row 17 has the target -2"):
        cls(loss="poisson").fit(X, counts, weights)
    with pytest.raises(ValueError, match="the loss gamma needs targets above 0"):
        cls(loss="gamma").fit(X, np.arange(300.0))
    with pytest.raises(ValueError, match="All targets are 0"):
        cls(loss="tweedie").fit(X, np.zeros(300))
    with pytest.raises(ValueError, match="y_val: row 0"):
        cls(loss="gamma").fit(X, np.arange(1.0, 301.0), X_val=X[:2], y_val=[0.0, 1.0])


@pytest.mark.parametrize("cls", BOOSTERS)
def test_targets_and_weights_must_be_finite(cls):
    X, y = table(cls)
    for value in (np.nan, np.inf):
        broken = y.astype(float)
        broken[3] = value
        with pytest.raises(ValueError, match=r"NaN|[Ii]nf"):
            cls().fit(X, broken)
        weights = np.ones(300)
        weights[3] = value
        with pytest.raises(ValueError, match=r"NaN|[Ii]nf"):
            cls().fit(X, y, weights)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_a_constant_target_can_differ_from_its_offsets(cls):
    X, _ = table(cls)
    boosted = cls(n_estimators=3).fit(X, np.full(300, 2.5), offset=X[:, 0])
    assert np.ptp(boosted.predict(X)) > 0


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_validation_rows_must_have_known_labels_and_columns(cls):
    X, y = table(cls)
    with pytest.raises(ValueError, match=r"y_val has the label\(s\) \[7\], which y does not have"):
        cls().fit(X, y, X_val=X[:3], y_val=[0, 1, 7])
    with pytest.raises(ValueError, match="feature"):
        cls().fit(X, y, X_val=X[:, :2], y_val=y)
    with pytest.raises(ValueError, match="X_val is provided, but y_val was not provided"):
        cls().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="belong to X_val"):
        cls().fit(X, y, sample_weight_val=[1])


@pytest.mark.parametrize("cls", BOOSTERS)
def test_offsets_must_be_finite_and_one_per_row(cls):
    X, y = table(cls)
    with pytest.raises(ValueError, match=r"offset has shape \(3,\), expected \(300,\)"):
        cls().fit(X, y, offset=[0, 0, 0])
    broken = np.zeros(300)
    broken[5] = np.inf
    with pytest.raises(ValueError, match="offset must be finite, but row 5 has"):
        cls().fit(X, y, offset=broken)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("num_leaves", "max_leaf_nodes"),
        ("eta", "learning_rate"),
        ("lambda_l2", "reg_lambda"),
        ("min_data_in_leaf", "min_samples_leaf"),
        ("num_boost_round", "n_estimators"),
        ("colsample_bytree", "max_features_tree"),
        ("early_stopping_rounds", "n_iter_no_change"),
        ("objective", "loss"),
        ("max_iter", "n_estimators"),
    ],
)
def test_names_of_other_libraries_are_refused_with_ours(name, ours):
    with pytest.raises(TypeError, match=f"here it is '{ours}'"):
        LeafwiseBoostingClassifier(**{name: 1})


def test_parameters_that_do_not_go_together_are_refused():
    X, y = table(LeafwiseBoostingClassifier)
    with pytest.raises(ValueError, match="both draw rows"):
        LeafwiseBoostingClassifier(goss=True, subsample=0.5).fit(X, y)
    with pytest.raises(ValueError, match="more than all rows"):
        LeafwiseBoostingClassifier(goss=True, goss_top=0.9, goss_other=0.2).fit(X, y)
    with pytest.raises(ValueError, match="interaction_cst has 9, which is neither"):
        NewtonBoostingRegressor(interaction_cst=[[0, 9]]).fit(X, y)
    with pytest.raises(ValueError, match="interaction_cst has 'z', which is neither"):
        NewtonBoostingRegressor(interaction_cst=[["z"]]).fit(pd.DataFrame(X, columns=list("abcde")), y)


def test_a_validation_share_that_takes_a_whole_class_is_refused():
    X, y = table(GradientBoostingClassifier)
    y = np.where(np.arange(300) < 2, 5, y)
    with pytest.raises(ValueError, match=r"class|The test_size"):
        GradientBoostingClassifier(n_iter_no_change=2, validation_fraction=0.9).fit(X[:20], y[:20])


@pytest.mark.parametrize("cls", BOOSTERS)
def test_importances_know_three_kinds(cls):
    X, y = table(cls)
    booster = cls(n_estimators=5).fit(X, y)
    for kind in ("gain", "count", "cover"):
        importances = booster.importances(kind)
        assert importances.shape == (5,)
        assert importances.sum() == pytest.approx(1)
        assert importances[0] > 1 / 5
    np.testing.assert_array_equal(booster.feature_importances_, booster.importances("gain"))
    with pytest.raises(ValueError, match="kind must be one of gain, count, cover"):
        booster.importances("fame")


def test_the_exact_method_names_the_column_that_has_no_order():
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", "red", "blue"]})
    words = r"Column 'colour' is nominal, and tree_method=\"exact\" .* Use tree_method=\"hist\", or encode"
    with pytest.raises(ValueError, match=words):
        NewtonBoostingRegressor(tree_method="exact").fit(X, [1.0, 2.0, 3.0, 4.0])
