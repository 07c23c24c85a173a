"""Input that pruning cannot use: a clear result, or an error that says what to change."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, LeaveOneOut
from sklearn.utils._param_validation import InvalidParameterError
from tests.unit.trees.pruning_data import noisy_classes, noisy_numbers

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.trees.pruning_plan import pruner_names

X, Y = noisy_classes(60)


@pytest.mark.parametrize("method", ["cost_complexity", "reduced_error", "pessimistic_error"])
def test_a_price_together_with_another_way_to_prune_is_refused(method):
    with pytest.raises(InvalidParameterError, match=r"Pass prune=None to prune by ccp_alpha alone, or leave"):
        CARTClassifier(prune=method, ccp_alpha=0.1).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prune": "loss"}, 'got prune="loss" without a price of a leaf: pass alpha_total'),
        ({"alpha_total": 2.0}, 'which only prune="loss" uses, together with prune=None. Pass prune="loss"'),
        (
            {"prune": "loss", "alpha_total": -1.0},
            "'alpha_total' parameter of CARTClassifier must be",
        ),
        (
            {"ccp_alpha": -0.1},
            "'ccp_alpha' parameter of CARTClassifier must be a float in the range",
        ),
        ({"early_stopping": "cv", "prune": "reduced_error"}, "a tree is either stopped or pruned"),
        ({"early_stopping": "cv", "ccp_alpha": 0.1}, "a tree is either stopped or pruned"),
        ({"early_stopping": "yes"}, "must be a str among {'cv'} or None"),
        ({"tol": -1.0, "early_stopping": "cv"}, "'tol' parameter"),
        (
            {"prune": "cost"},
            f"among {{{', '.join(map(repr, pruner_names('classification')))}}} or None",
        ),
        ({"pruning_rule": "2se"}, "a str among {'min', '1se'}"),
        ({"pruning_risk": "gini"}, "a str among {'impurity', 'misclassification'}"),
        ({"path_method": "r"}, "a str among {'exact', 'rpart'}"),
        ({"cv": 1}, "an int in the range [2, inf), a splitter of scikit-learn or an array-like"),
        ({"cv": "five"}, "an int in the range [2, inf), a splitter of scikit-learn or an array-like"),
        ({"validation_fraction": 1.0}, "a float in the range (0.0, 1.0)"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(params, words):
    with pytest.raises(InvalidParameterError, match=re.escape(words)):
        CARTClassifier(**params).fit(X, Y)


def test_a_regressor_has_no_pessimistic_errors():
    with pytest.raises(InvalidParameterError, match=r"'loss', 'reduced_error'} or None"):
        CARTRegressor(prune="pessimistic_error").fit(X, Y)


def test_c45_stops_early_only_when_it_does_not_prune():
    with pytest.raises(InvalidParameterError, match=r"Pass prune=None and ccp_alpha=0"):
        C45Classifier(early_stopping="cv").fit(X, Y)
    # The textbook's pruning has no effect anyway.
    C45Classifier(faithful="textbook", early_stopping="cv", cv=3, random_state=0).fit(X, Y)


@pytest.mark.parametrize("params", [{"prune": "cost_complexity"}, {"early_stopping": "cv"}])
def test_fewer_rows_than_folds_are_refused_with_both_numbers(params):
    with pytest.raises(ValueError, match=r"cv=10 folds need at least 10 rows .* there are 6: pass a smaller"):
        CARTClassifier(**params).fit(X[:6], [0, 1, 0, 1, 0, 1])


def test_a_tree_that_cannot_be_pruned_is_the_clear_result():
    for target in ([1] * 6, [1.5] * 6):
        cls = CARTRegressor if isinstance(target[0], float) else CARTClassifier
        for params in ({"prune": "cost_complexity"}, {"early_stopping": "cv"}):
            tree = cls(**params).fit(X[:6], target)
            assert tree.get_n_leaves() == 1
            assert tree.explain_pruning().why == "The tree is a single leaf: there is nothing to prune."


@pytest.mark.parametrize("cls", [CARTClassifier, C45Classifier])
def test_folds_that_train_on_one_class_count_the_other_as_wrong(cls):
    y = np.array([0] * 57 + [1] * 3)
    folds = [(np.arange(57), np.arange(57, 60)), (np.arange(30, 60), np.arange(30))]
    tree = cls(prune="cost_complexity", cv=folds).fit(X, y)
    report = tree.explain_pruning()
    assert report.n_folds == 2
    assert report.rows[-1].cv_mean == pytest.approx(3 / 33)


def test_a_class_with_fewer_rows_than_folds_is_dealt_out_without_a_warning():
    y = np.array([0] * 55 + [1] * 3 + [2])
    tree = CARTClassifier(prune="cost_complexity", cv=5, random_state=0, class_weight={0: 1, 1: 2, 2: 3})
    assert tree.fit(X[:59], y).explain_pruning().n_folds == 5
    tree = CARTClassifier(prune="cost_complexity", cv=5, random_state=0, priors=[0.5, 0.3, 0.2])
    assert tree.fit(X[:59], y).explain_pruning().n_folds == 5


def test_groups_of_one_row_are_like_no_groups():
    tree = CARTClassifier(prune="cost_complexity", cv=5, random_state=0).fit(X, Y, groups=np.arange(60))
    assert tree.explain_pruning().n_folds == 5


def test_one_group_cannot_be_divided():
    for params in ({"prune": "cost_complexity"}, {"early_stopping": "cv"}):
        with pytest.raises(ValueError, match=r"cv=10 folds need at least 10 groups, but there are 1: pass a"):
            CARTClassifier(**params).fit(X, Y, groups=np.zeros(60))
    with pytest.raises(ValueError, match="needs at least two groups: pass X_val and y_val instead"):
        CARTClassifier(prune="reduced_error").fit(X, Y, groups=np.zeros(60))


def test_groups_must_be_one_per_row():
    with pytest.raises(ValueError, match=r"one group per row of X\. Got shape \(3,\) for 60 rows"):
        CARTClassifier(prune="cost_complexity").fit(X, Y, groups=[1, 2, 3])


def test_a_splitter_that_needs_groups_says_so():
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        CARTClassifier(prune="cost_complexity", cv=GroupKFold(3)).fit(X, Y)


def test_one_row_may_be_held_out_at_a_time():
    tree = CARTRegressor(prune="cost_complexity", cv=LeaveOneOut()).fit(*noisy_numbers(30))
    assert tree.explain_pruning().n_folds == 30


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([], "cv has no folds"),
        ([(np.arange(30), np.arange(30, 61))], "names rows that X does not have: it has 60"),
        ([(np.arange(30), [-1])], "names rows that X does not have"),
        ([(np.arange(30),)], "must be a pair of arrays with the row numbers"),
        ([(np.array([0.5, 1.5]), [2])], "must be a pair of arrays with the row numbers"),
        ([([], np.arange(60))], "Fold 1 of 1 of cv has no rows to train on"),
        ([(np.arange(60), [])], "at least one fold"),
    ],
)
def test_folds_that_are_none_are_refused(cv, words):
    with pytest.raises(ValueError, match=words):
        CARTClassifier(prune="cost_complexity", cv=cv).fit(X, Y)


def test_rows_to_prune_with_belong_to_reduced_error_pruning():
    with pytest.raises(ValueError, match=r'used by prune="reduced_error" only'):
        CARTClassifier().fit(X, Y, X_val=X, y_val=Y)
    with pytest.raises(ValueError, match="Pass X_val and y_val together"):
        CARTClassifier(prune="reduced_error").fit(X, Y, X_val=X)


@pytest.mark.parametrize("cls", [CARTClassifier, CARTRegressor, ID3Classifier])
def test_a_table_too_small_to_set_rows_aside_is_refused(cls):
    with pytest.raises(ValueError, match=r"validation_fraction=0\.25 sets none of 1 rows aside"):
        cls(prune="reduced_error").fit([[1.0]], [1])


def test_rows_to_prune_with_must_match_each_other():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CARTClassifier(prune="reduced_error").fit(X, Y, X_val=X[:10], y_val=Y[:9])
