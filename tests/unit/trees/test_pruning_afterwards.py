"""Smaller trees from a fitted one: `pruned`, `simplify`, `explain_pruning`, `alpha_collapse_`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from tests.unit.trees.pruning_data import noisy_classes, noisy_numbers, noisy_symbols, same_trees

import treewright
from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

TREES = [
    pytest.param(CARTClassifier, noisy_classes(), id="cart classes"),
    pytest.param(CARTRegressor, noisy_numbers(), id="cart numbers"),
    pytest.param(ID3Classifier, noisy_symbols(), id="id3"),
    pytest.param(C45Classifier, noisy_symbols(), id="c45"),
]


def grown(cls, data, **params):
    return cls(**{"prune": None, **params}).fit(*data)


@pytest.mark.parametrize(("cls", "data"), TREES)
@pytest.mark.parametrize("alpha", [0.0005, 0.003, 0.02, 10.0])
def test_pruning_afterwards_equals_a_fit_with_that_ccp_alpha(cls, data, alpha):
    full = grown(cls, data)
    smaller = full.pruned(alpha=alpha)
    assert same_trees(smaller.tree_, grown(cls, data, ccp_alpha=alpha).tree_)
    assert same_trees(full.tree_, grown(cls, data).tree_)


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_pruning_to_a_number_of_leaves_gives_the_largest_such_tree_of_the_path(cls, data):
    full = grown(cls, data)
    on_path = [row.leaves for row in full.explain_pruning().rows]
    for n_leaves in (1, 2, 4, 7, 1000):
        expected = max(leaves for leaves in on_path if leaves <= n_leaves)
        assert full.pruned(n_leaves=n_leaves).get_n_leaves() == expected


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_a_rule_afterwards_equals_the_rule_in_fit(cls, data):
    settings = {"cv": 5, "random_state": 0}
    full = grown(cls, data, **settings)
    for rule in ("min", "1se"):
        afterwards = full.pruned(rule=rule, X=data[0], y=data[1])
        in_fit = cls(prune="cost_complexity", pruning_rule=rule, **settings).fit(*data)
        assert same_trees(afterwards.tree_, in_fit.tree_)
        assert afterwards.explain_pruning() == in_fit.explain_pruning()
    assert full.pruned(rule="min", X=data[0], y=data[1], cv=3).explain_pruning().n_folds == 3


def test_the_other_rule_is_known_from_the_stored_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    small = CARTClassifier(random_state=0).fit(X, y).pruned(rule="1se", X=X, y=y)
    back = small.pruned(rule="min")
    assert back.get_n_leaves() > small.get_n_leaves()
    assert same_trees(back.pruned(rule="1se").tree_, small.tree_)
    assert back.explain_pruning().rule == "min"


def test_a_c45_tree_can_be_pruned_further():
    X, y = noisy_symbols()
    tree = C45Classifier(random_state=0).fit(X, y)
    assert tree.explain_pruning().method == "pessimistic_error"
    assert tree.pruned(n_leaves=1).get_n_leaves() == 1
    chosen = tree.pruned(rule="1se", X=X, y=y, cv=4)
    assert chosen.get_n_leaves() <= tree.get_n_leaves()
    assert chosen.explain_pruning().n_folds == 4


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_a_pruned_tree_predicts_saves_and_loads_like_any_other(cls, data, tmp_path):
    smaller = grown(cls, data).pruned(n_leaves=4)
    smaller.save(tmp_path / "small.tree")
    loaded = treewright.load(tmp_path / "small.tree")
    np.testing.assert_array_equal(loaded.predict(data[0]), smaller.predict(data[0]))
    assert loaded.explain_pruning() == smaller.explain_pruning()
    assert smaller.explain_pruning().rule == "n_leaves"


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_simplifying_changes_no_prediction(cls, data):
    full = grown(cls, data, min_samples_leaf=3)
    simple = full.simplify()
    np.testing.assert_array_equal(simple.predict(data[0]), full.predict(data[0]))
    assert simple.get_n_leaves() <= full.get_n_leaves()
    assert simple.simplify().get_n_leaves() == simple.get_n_leaves()


def test_simplifying_merges_leaves_that_predict_the_same():
    X, y = noisy_classes()
    full = CARTClassifier(min_samples_leaf=3).fit(X, y)
    assert full.simplify().get_n_leaves() < full.get_n_leaves()


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_every_node_carries_the_price_at_which_it_goes(cls, data):
    full = grown(cls, data)
    prices = full.alpha_collapse_
    assert prices.shape == (full.tree_.node_count,)
    for alpha in np.unique(prices)[1:4]:
        kept = full.pruned(alpha=alpha).tree_
        assert np.count_nonzero(kept.n_children > 0) == np.count_nonzero(prices > alpha)


def test_the_report_of_a_tree_that_was_not_pruned_shows_its_path():
    report = CARTClassifier().fit(*noisy_classes()).explain_pruning()
    assert report.method == "none"
    assert report.why.startswith("Not pruned")
    assert report.rows[-1].leaves == 1


def test_the_report_of_a_tree_with_ccp_alpha_says_so():
    data = noisy_classes()
    report = CARTClassifier(ccp_alpha=0.01).fit(*data).explain_pruning()
    assert report.leaves_before == grown(CARTClassifier, data).get_n_leaves()
    assert "by the given alpha" in report.why


def test_the_path_does_not_depend_on_how_the_estimator_prunes():
    X, y = noisy_classes()
    plain = CARTClassifier().cost_complexity_pruning_path(X, y)
    for params in (
        {"prune": "cost_complexity"},
        {"prune": "loss", "alpha_total": 3},
        {"prune": "reduced_error"},
        {"early_stopping": "cv"},
        {"ccp_alpha": 0.1},
    ):
        path = CARTClassifier(**params).cost_complexity_pruning_path(X, y)
        np.testing.assert_array_equal(path.ccp_alphas, plain.ccp_alphas)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "Pass one of alpha, n_leaves and rule. Got none of them."),
        ({"alpha": 1, "n_leaves": 2}, "Pass one of alpha, n_leaves and rule. Got alpha and n_leaves."),
        ({"alpha": -0.1}, "alpha must not be negative. Got -0.1 instead."),
        ({"n_leaves": 0}, "n_leaves must be a whole number of at least 1. Got 0 instead."),
        ({"rule": "best"}, "rule must be 'min' or '1se'. Got 'best' instead."),
        ({"rule": "min"}, "rule='min' needs a cross-validation, which this tree lacks: pass X and y"),
        ({"rule": "min", "X": [[1.0]]}, "Pass X and y together"),
    ],
)
def test_a_question_that_has_no_answer_is_refused(arguments, words):
    tree = CARTClassifier().fit(*noisy_classes())
    with pytest.raises(ValueError, match="^" + words.replace(".", r"\.")):
        tree.pruned(**arguments)


def test_a_single_leaf_stays_one():
    tree = CARTClassifier().fit([[1.0], [2.0]], [1, 1])
    assert "single leaf" in tree.explain_pruning().why
    for arguments in (
        {"alpha": 0.0},
        {"n_leaves": 5},
        {"rule": "1se"},
        {"rule": "min", "X": [[1.0]], "y": [1]},
    ):
        assert tree.pruned(**arguments).get_n_leaves() == 1
    assert tree.simplify().get_n_leaves() == 1


@pytest.mark.parametrize("method", ["pruned", "explain_pruning", "simplify"])
def test_an_unfitted_tree_says_that_it_is_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(CARTClassifier(), method)()
