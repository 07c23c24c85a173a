"""What `prune`, `ccp_alpha`, `alpha_total`, `cv` and `early_stopping` do in fit."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_score
from tests.unit.trees.pruning_data import noisy_classes, noisy_numbers, noisy_symbols, same_trees

import treewright
from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.pruning import cut_at_depth

TREES = [
    pytest.param(CARTClassifier, noisy_classes(), id="cart classes"),
    pytest.param(CARTRegressor, noisy_numbers(), id="cart numbers"),
    pytest.param(ID3Classifier, noisy_symbols(), id="id3"),
    pytest.param(C45Classifier, noisy_symbols(), id="c45"),
]


def grown(cls, data, **params):
    return cls(**{"prune": None, **params}).fit(*data)


# --- price of a leaf


@pytest.mark.parametrize(("cls", "data"), TREES)
@pytest.mark.parametrize("a", [0.001, 0.004, 0.02])
def test_the_loss_with_n_times_a_price_gives_the_tree_of_that_ccp_alpha(cls, data, a):
    by_loss = cls(prune="loss", alpha_total=len(data[1]) * a).fit(*data)
    assert same_trees(by_loss.tree_, grown(cls, data, ccp_alpha=a).tree_)


@pytest.mark.parametrize("a", [0.002, 0.01])
def test_the_price_of_training_errors_is_weighed_in_both_ways_alike(a):
    data = noisy_classes()
    settings = {"pruning_risk": "misclassification"}
    by_loss = CARTClassifier(prune="loss", alpha_total=len(data[1]) * a, **settings).fit(*data)
    by_price = CARTClassifier(ccp_alpha=a, **settings).fit(*data)
    assert same_trees(by_loss.tree_, by_price.tree_)
    assert 1 < by_price.get_n_leaves() < grown(CARTClassifier, data).get_n_leaves()


# --- cross-validation


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_cross_validation_chooses_a_smaller_tree_and_says_why(cls, data):
    full = grown(cls, data)
    estimator = cls(prune="cost_complexity", cv=5, random_state=0).fit(*data)
    report = estimator.explain_pruning()
    assert 1 < estimator.get_n_leaves() < full.get_n_leaves()
    assert (report.method, report.rule, report.n_folds) == ("cost_complexity", "1se", 5)
    assert report.leaves_before == full.get_n_leaves()
    assert report.rows[report.selected].leaves == report.leaves_after == estimator.get_n_leaves()
    assert report.measure == ("squared error" if cls is CARTRegressor else "error rate")
    assert same_trees(full.pruned(alpha=report.rows[report.selected].alpha).tree_, estimator.tree_)


@pytest.mark.parametrize(("cls", "data"), TREES)
@pytest.mark.parametrize("path_method", ["exact", "rpart"])
def test_the_1se_tree_is_not_larger_than_the_best_one(cls, data, path_method):
    settings = {"prune": "cost_complexity", "cv": 5, "random_state": 0, "path_method": path_method}
    best = cls(pruning_rule="min", **settings).fit(*data)
    small = cls(pruning_rule="1se", **settings).fit(*data)
    assert small.get_n_leaves() <= best.get_n_leaves()
    assert same_trees(small.pruned(rule="min").tree_, best.tree_)
    assert same_trees(best.pruned(rule="1se").tree_, small.tree_)


def test_the_error_of_the_full_tree_is_that_of_separate_fits():
    X, y = noisy_classes()
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y))
    report = CARTClassifier(prune="cost_complexity", cv=5, random_state=3).fit(X, y).explain_pruning()
    # In the full tree every node pays for itself, so the first probe prunes nothing but free nodes.
    wrong = [
        np.count_nonzero(
            CARTClassifier(random_state=3).fit(X[train], y[train]).pruned(alpha=0.0).predict(X[test])
            != y[test]
        )
        for train, test in folds
    ]
    assert report.rows[0].cv_mean == pytest.approx(sum(wrong) / len(y))


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_each_error_is_that_of_separate_fits_pruned_at_the_geometric_mean(cls, data):
    X, y = data
    splitter = KFold(4, shuffle=True, random_state=1)
    report = cls(prune="cost_complexity", cv=splitter, random_state=0).fit(X, y).explain_pruning()
    alphas = np.array([row.alpha for row in report.rows])
    place = len(alphas) // 2
    probe = np.sqrt(alphas[place] * alphas[place + 1])
    losses = []
    for train, test in splitter.split(X):
        part, rest = (X.iloc[train], X.iloc[test]) if hasattr(X, "iloc") else (X[train], X[test])
        predicted = cls(prune=None, random_state=0).fit(part, y[train]).pruned(alpha=probe).predict(rest)
        losses.append((predicted - y[test]) ** 2 if cls is CARTRegressor else predicted != y[test])
    assert report.rows[place].cv_mean == pytest.approx(np.concatenate(losses).mean())


@pytest.mark.parametrize(
    "learner",
    [
        C45Classifier(prune=None),
        C45Classifier(prune=None, faithful="j48"),
        CARTClassifier(missing="surrogate"),
        CARTClassifier(),
    ],
    ids=["r8", "j48", "surrogate", "learned"],
)
def test_rows_with_missing_values_are_answered_in_the_folds_as_by_separate_fits(learner):
    X, y = noisy_classes(200)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    splitter = KFold(3, shuffle=True, random_state=0)
    pruning = clone(learner).set_params(prune="cost_complexity", cv=splitter)
    rows = pruning.fit(X, y).explain_pruning().rows
    for row, above in pairwise(rows):
        wrong = 0
        for train, test in splitter.split(X):
            fold = clone(learner).fit(X[train], y[train]).pruned(alpha=np.sqrt(row.alpha * above.alpha))
            wrong += np.count_nonzero(fold.predict(X[test]) != y[test])
        assert row.cv_mean == pytest.approx(wrong / len(y))


def test_weights_count_in_the_folds_as_rows_do():
    X, y = noisy_classes(120)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(rows, side)) for side in fold) for fold in folds]
    settings = {"prune": "cost_complexity", "pruning_rule": "min"}
    weighted = CARTClassifier(cv=folds, **settings).fit(X, y, sample_weight=weights)
    plain = CARTClassifier(cv=repeated, **settings).fit(X[rows], y[rows])
    means = [[row.cv_mean for row in tree.explain_pruning().rows] for tree in (weighted, plain)]
    np.testing.assert_allclose(*means)
    assert weighted.get_n_leaves() == plain.get_n_leaves()


def test_a_row_of_weight_zero_is_in_no_fold():
    X, y = noisy_classes(120)
    weights = np.ones(len(y))
    weights[::7] = 0
    kept = weights > 0
    settings = {"prune": "cost_complexity", "cv": 5, "random_state": 0}
    weighted = CARTClassifier(**settings).fit(X, y, sample_weight=weights).explain_pruning()
    assert weighted == CARTClassifier(**settings).fit(X[kept], y[kept]).explain_pruning()
    folds = list(KFold(4).split(X))
    listed = CARTClassifier(prune="cost_complexity", cv=folds).fit(X, y, sample_weight=weights)
    assert listed.explain_pruning().n_folds == 4


def test_errors_are_weighted_by_class():
    X, y = noisy_classes()
    report = CARTClassifier(prune="cost_complexity", cv=5, class_weight="balanced", random_state=0)
    root = report.fit(X, y).explain_pruning().rows[-1]
    # One leaf is right for one of three classes that weigh the same.
    assert root.cv_mean == pytest.approx(2 / 3, abs=0.02)


def test_groups_stay_together():
    X, y = noisy_classes(150)
    groups = np.arange(150) // 3
    seen = []

    class Watched(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(set(groups[train]) & set(groups[test]))
                yield train, test

    CARTClassifier(prune="cost_complexity", cv=Watched(5)).fit(X, y, groups=groups)
    assert seen == [set()] * 5
    # The same rows five times: a tree knows the answer unless they stay together.
    rows = np.tile(np.arange(60), 5)
    noise = np.random.default_rng(0).integers(0, 2, 60)[rows]
    settings = {"prune": "cost_complexity", "cv": 5, "random_state": 0}
    apart = CARTClassifier(**settings).fit(X[rows], noise).explain_pruning().rows[0].cv_mean
    together = CARTClassifier(**settings).fit(X[rows], noise, groups=rows).explain_pruning().rows[0].cv_mean
    assert apart < 0.05
    assert together > 0.3


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_the_choice_does_not_depend_on_the_number_of_threads(cls, data):
    settings = {"prune": "cost_complexity", "cv": 6, "random_state": 5, "max_features": 3}
    one, two = (cls(n_jobs=n, **settings).fit(*data) for n in (1, 2))
    assert one.explain_pruning() == two.explain_pruning()
    assert same_trees(one.tree_, two.tree_)


def test_frames_lists_and_arrays_have_the_same_folds():
    polars = pytest.importorskip("polars")
    X, y = noisy_symbols(120)
    settings = {"prune": "cost_complexity", "cv": 4, "random_state": 0}
    reports = [
        CARTClassifier(**settings).fit(table, target, sample_weight=weight).explain_pruning()
        for table, target, weight in (
            (X, pd.Series(y), pd.Series(np.ones(120))),
            (polars.from_pandas(X), polars.Series(y.tolist()), polars.Series([1.0] * 120)),
            (X.to_numpy().tolist(), y.tolist(), [1.0] * 120),
        )
    ]
    assert reports[0] == reports[1] == reports[2]


def test_sparse_rows_have_the_folds_of_dense_ones():
    X, y = noisy_classes(120)
    weights = np.ones(120)
    weights[:5] = 0
    tree = CARTClassifier(prune="cost_complexity", cv=KFold(4), random_state=0)
    dense = tree.fit(X, y, sample_weight=weights).explain_pruning()
    assert tree.fit(coo_matrix(X), y, sample_weight=weights).explain_pruning() == dense


def test_declared_classes_stay_declared_in_the_folds():
    X, y = noisy_symbols(120)
    declared = pd.Series(pd.Categorical(y, categories=["yes", "maybe", "no"]))
    estimator = C45Classifier(prune="cost_complexity", cv=4, random_state=0).fit(X, declared)
    assert estimator.class_order_.tolist() == ["yes", "maybe", "no"]
    assert estimator.explain_pruning().n_folds == 4


def test_the_report_survives_saving_and_pickling(tmp_path):
    X, y = noisy_classes()
    estimator = CARTClassifier(prune="cost_complexity", cv=KFold(5, shuffle=True, random_state=0)).fit(X, y)
    estimator.save(tmp_path / "tree.tree")
    for copied in (treewright.load(tmp_path / "tree.tree"), pickle.loads(pickle.dumps(estimator))):
        assert copied.explain_pruning() == estimator.explain_pruning()
        assert same_trees(copied.pruned(rule="min").tree_, estimator.pruned(rule="min").tree_)


# --- rows set aside


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_reduced_error_pruning_grows_on_the_other_rows(cls, data):
    estimator = cls(prune="reduced_error", validation_fraction=0.3, random_state=0).fit(*data)
    n_rows = int(estimator.tree_.n_node_samples[0])
    assert n_rows == pytest.approx(0.7 * len(data[1]), abs=2)
    report = estimator.explain_pruning()
    assert report.method == "reduced_error"
    assert estimator.get_n_leaves() == report.leaves_after < report.leaves_before


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_no_subtree_of_the_path_does_better_on_the_rows_passed_for_pruning(cls, data):
    X, y = data
    train, held = np.arange(200), np.arange(200, 300)
    take = (lambda rows: X.iloc[rows]) if hasattr(X, "iloc") else (lambda rows: X[rows])
    pruned = cls(prune="reduced_error").fit(take(train), y[train], X_val=take(held), y_val=y[held])
    full = cls(prune=None).fit(take(train), y[train])
    assert int(pruned.tree_.n_node_samples[0]) == len(train)
    best = max(full.pruned(n_leaves=n).score(take(held), y[held]) for n in range(1, full.get_n_leaves() + 1))
    assert pruned.score(take(held), y[held]) >= best - 1e-12


def test_a_class_that_only_the_rows_aside_have_is_always_wrong():
    X, y = noisy_classes()
    estimator = CARTClassifier(prune="reduced_error").fit(X, y, X_val=X, y_val=np.full(len(y), 9))
    assert estimator.get_n_leaves() == 1


# --- pessimistic errors


@pytest.mark.parametrize(
    ("cls", "data"),
    [(CARTClassifier, noisy_classes()), (ID3Classifier, noisy_symbols())],
    ids=["cart", "id3"],
)
def test_pessimistic_pruning_is_stronger_with_less_confidence(cls, data):
    leaves = [
        cls(prune="pessimistic_error", confidence_factor=factor).fit(*data).get_n_leaves()
        for factor in (0.9, 0.25, 0.01)
    ]
    assert grown(cls, data).get_n_leaves() >= leaves[0] >= leaves[1] >= leaves[2]
    assert leaves[0] > leaves[2]


@pytest.mark.parametrize(
    "params",
    [
        {"missing": "surrogate"},
        {"monotonic_cst": [1, 0, 0, 0]},
        {"criterion": "entropy"},
        {"missing": "majority"},
    ],
)
def test_pessimistic_pruning_works_with_every_kind_of_tree(params):
    X, y = noisy_classes()
    X[::9, 0] = np.nan
    y = np.minimum(y, 1)
    full = CARTClassifier(**params).fit(X, y)
    pruned = CARTClassifier(prune="pessimistic_error", **params).fit(X, y)
    assert 1 <= pruned.get_n_leaves() < full.get_n_leaves()
    assert pruned.explain_pruning().leaves_before == full.get_n_leaves()


def test_missing_symbols_are_pruned_too():
    X, y = noisy_symbols()
    X = X.astype(object)
    X.iloc[::11, 0] = None
    pruned = ID3Classifier(prune="pessimistic_error").fit(X, y)
    assert pruned.get_n_leaves() < ID3Classifier().fit(X, y).get_n_leaves()
    assert pruned.predict(X.iloc[:22]).shape == (22,)


# --- early stopping


@pytest.mark.parametrize(("cls", "data"), TREES)
def test_early_stopping_cuts_the_tree_where_the_error_no_longer_falls(cls, data):
    estimator = cls(prune=None, early_stopping="cv", cv=5, random_state=0).fit(*data)
    found = estimator.model_.facts["pruning"]
    depth, errors = found["depth"], found["errors"]
    assert all(errors[i] > errors[i + 1] for i in range(depth))
    assert depth == len(errors) - 1 or errors[depth] <= errors[depth + 1]
    assert estimator.get_depth() == depth
    assert same_trees(estimator.tree_, cut_at_depth(grown(cls, data).tree_, depth))
    assert estimator.explain_pruning().method == "early_stopping"


def test_the_error_of_a_level_is_that_of_trees_of_this_depth():
    X, y = noisy_classes()
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    errors = CARTClassifier(early_stopping="cv", cv=folds).fit(X, y).model_.facts["pruning"]["errors"]
    for depth in (1, 2, 4):
        scores = cross_val_score(CARTClassifier(max_depth=depth), X, y, cv=folds)
        assert errors[depth] == pytest.approx(1 - scores.mean())


def test_a_large_tolerance_stops_at_once():
    X, y = noisy_classes()
    assert CARTClassifier(early_stopping="cv", tol=1.0, cv=3, random_state=0).fit(X, y).get_depth() == 0
