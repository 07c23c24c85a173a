"""Cross-validation of a whole sequence: any folds, any number of threads, one tree per fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut

from treewright import CARTClassifier, CARTRegressor
from treewright.pruning import (
    HeldOut,
    choose,
    cross_validate,
    find_row_leaves,
    pruning_sequence,
    rpart_links,
    weakest_links,
)


def hold_out_of(learner, X, y, calls=None):
    def hold_out(train, test):
        if calls is not None:
            calls.append(len(train))
        fitted = learner.fit(X[train], y[train])
        classes = getattr(fitted, "classes_", None)
        target = y[test] if classes is None else np.where(np.isin(y[test], classes), y[test], -1)
        return HeldOut(
            fitted.tree_, find_row_leaves(fitted.tree_, X[test]), target, None, classes is not None
        )

    return hold_out


@pytest.mark.parametrize("path_method", ["exact", "rpart"])
def test_the_number_of_threads_does_not_change_a_bit(path_method):
    X, y = load_breast_cancer(return_X_y=True)
    sequence = pruning_sequence(CARTClassifier().fit(X, y).tree_, "misclassification", path_method)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    results = []
    for n_jobs in (1, 2):

        def hold_out(train, test):
            return hold_out_of(CARTClassifier(), X, y)(train, test)

        results.append(cross_validate(sequence, folds, hold_out, measure="error rate", n_jobs=n_jobs))
    np.testing.assert_array_equal(results[0].mean, results[1].mean)
    np.testing.assert_array_equal(results[0].standard_error, results[1].standard_error)
    assert results[0].n_folds == 5


def test_there_is_one_tree_per_fold():
    X, y = load_diabetes(return_X_y=True)
    sequence = weakest_links(CARTRegressor().fit(X, y).tree_)
    calls: list[int] = []
    found = cross_validate(
        sequence,
        KFold(4).split(X),
        hold_out_of(CARTRegressor(), X, y, calls),
        measure="squared error",
    )
    assert len(calls) == 4
    assert len(found.mean) == len(sequence) > 100
    # The root answers with the mean of its fold: nearly the variance.
    assert found.mean[-1] == pytest.approx(y.var(), rel=0.05)
    assert choose(found).index_min > 0


def test_groups_and_single_rows_are_folds_like_others():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:60], y[:60]
    sequence = weakest_links(CARTClassifier().fit(X, y).tree_)
    groups = np.arange(60) % 7
    by_group = GroupKFold(7).split(X, y, groups)
    found = cross_validate(sequence, by_group, hold_out_of(CARTClassifier(), X, y), measure="error rate")
    assert found.n_folds == 7
    alone = LeaveOneOut().split(X)
    found = cross_validate(sequence, alone, hold_out_of(CARTClassifier(), X, y), measure="error rate")
    assert found.n_folds == 60
    assert 0 < found.mean.min() < 0.5


def test_a_fold_whose_tree_does_not_know_a_class_errs_on_it():
    X = np.arange(9.0).reshape(-1, 1)
    y = np.repeat([0, 1, 2], 3)
    sequence = weakest_links(CARTClassifier().fit(X, y).tree_)
    found = cross_validate(
        sequence, KFold(3).split(X), hold_out_of(CARTClassifier(), X, y), measure="error rate"
    )
    np.testing.assert_array_equal(found.mean, 1.0)


def test_an_unknown_method_is_refused():
    X, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(max_depth=3).fit(X, y).tree_
    with pytest.raises(ValueError, match="'exact' or 'rpart'"):
        pruning_sequence(tree, path_method="fast")
    with pytest.raises(ValueError, match="least_alpha must not be negative"):
        rpart_links(tree, "impurity", least_alpha=-1.0)
