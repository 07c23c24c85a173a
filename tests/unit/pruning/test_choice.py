"""Probes, rules and standard errors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold

from treewright import CARTClassifier
from treewright.pruning import (
    CrossValidation,
    HeldOut,
    choose,
    choose_depth,
    find_row_leaves,
    from_losses,
    from_scores,
    probe_alphas,
    prune,
    weakest_links,
)


def validation(mean, error=0.1, greater=False):
    mean = np.array(mean, dtype=float)
    return CrossValidation(mean, np.full(len(mean), error), "error rate", greater, 5)


def test_the_best_is_the_smallest_tree_of_a_tie():
    assert choose(validation([0.3, 0.2, 0.2, 0.4]), "min").index == 2
    assert choose(validation([0.2, 0.2, 0.2]), "min").index == 2
    assert choose(validation([0.2, 0.2 * (1 + 1e-15), 0.3]), "min").index == 1


def test_one_standard_error_more_is_allowed_and_not_more():
    found = choose(validation([0.3, 0.2, 0.29, 0.3, 0.31]), "1se")
    assert (found.index, found.index_min, found.index_1se) == (3, 1, 3)
    assert found.limit == pytest.approx(0.3)


def test_the_standard_error_is_that_at_the_best():
    found = choose(
        CrossValidation(np.array([0.2, 0.3]), np.array([0.05, 1.0]), "error rate", False, 5), "1se"
    )
    assert found.index == 0


def test_scores_are_better_when_they_are_greater():
    found = choose(validation([0.7, 0.8, 0.72, 0.6], greater=True), "1se")
    assert (found.index, found.index_min, found.limit) == (2, 1, pytest.approx(0.7))


def test_scores_have_the_standard_error_of_their_folds():
    scores = np.random.default_rng(0).random((5, 3))
    found = from_scores(scores, "accuracy")
    np.testing.assert_allclose(found.mean, scores.mean(axis=0))
    np.testing.assert_allclose(found.standard_error, scores.std(axis=0, ddof=1) / np.sqrt(5))


def test_probes_are_geometric_means_and_the_last_is_beyond_all():
    X, y = load_breast_cancer(return_X_y=True)
    sequence = weakest_links(CARTClassifier().fit(X, y).tree_)
    probes = probe_alphas(sequence)
    assert probes[0] == 0 and probes[-1] == np.inf
    np.testing.assert_allclose(probes[:-1] ** 2, sequence.alpha[:-1] * sequence.alpha[1:])
    assert (np.diff(probes) > 0).all()
    assert [sequence.index_at(probe) for probe in probes] == list(range(len(sequence)))


def test_cross_validation_is_what_separate_fits_and_predictions_give():
    X, y = load_breast_cancer(return_X_y=True)
    sequence = weakest_links(CARTClassifier().fit(X, y).tree_)
    probes = probe_alphas(sequence)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    sums, losses = [], np.zeros((len(probes), len(y)))
    for train, test in folds:
        fold = CARTClassifier().fit(X[train], y[train])
        own = weakest_links(fold.tree_)
        held_out = HeldOut(fold.tree_, find_row_leaves(fold.tree_, X[test]), y[test])
        sums.append(held_out.losses(own.alpha_collapse, probes))
        for place, alpha in enumerate(probes):
            separate = CARTClassifier(ccp_alpha=alpha if np.isfinite(alpha) else 1e9).fit(X[train], y[train])
            losses[place, test] = separate.predict(X[test]) != y[test]
    found = from_losses(sums, "error rate")
    np.testing.assert_allclose(found.mean, losses.mean(axis=1))
    errors = np.sqrt(((losses - losses.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)) / len(y)
    np.testing.assert_allclose(found.standard_error, errors)
    chosen = choose(found)
    assert prune(CARTClassifier().fit(X, y).tree_, sequence.alpha[chosen.index]).n_leaves < 15


def test_growing_stops_at_the_first_level_that_does_not_help():
    assert choose_depth(np.array([0.5, 0.3, 0.2, 0.2, 0.1])) == 2
    assert choose_depth(np.array([0.5, 0.3, 0.29, 0.1]), tol=0.05) == 1
    assert choose_depth(np.array([0.5, 0.5, 0.0])) == 0  # XOR: the first level alone shows no gain
    assert choose_depth(np.array([0.5, 0.3, 0.1])) == 2
    assert choose_depth(np.array([0.5])) == 0


def test_what_cannot_be_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="'min' or '1se'"):
        choose(validation([0.1]), "best")
    with pytest.raises(ValueError, match="at least one fold"):
        from_losses([], "error rate")
    with pytest.raises(ValueError, match="at least two folds"):
        from_scores(np.ones((1, 3)), "accuracy")
    with pytest.raises(ValueError, match="tol must not be negative"):
        choose_depth(np.array([0.5, 0.4]), -1.0)
    with pytest.raises(ValueError, match="no number"):
        choose(validation([np.nan, np.nan]))
