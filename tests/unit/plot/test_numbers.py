"""The numbers of displays: those of the estimators and reports, or found again by brute force."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import clone, ensemble
from tests.unit.plot import cases

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingRegressor,
    RandomForestClassifier,
    export_text,
    from_sklearn,
    typical_tree,
)
from treewright.plot import (
    DepthsDisplay,
    GainCurveDisplay,
    ImportanceDisplay,
    LearningDisplay,
    PruningDisplay,
    RegionsDisplay,
    VotesDisplay,
)


@pytest.mark.parametrize("kind", ["gain", "count", "cover"])
@pytest.mark.parametrize("make", [cases.forest, cases.booster, cases.number_booster, cases.number_forest])
def test_importances_are_the_mean_of_what_the_trees_say(make, kind):
    display = ImportanceDisplay.compute(make(), kind)
    assert display.by_tree.mean(axis=0) == pytest.approx(display.importances)
    assert display.importances.sum() == pytest.approx(1)
    assert display.spread == pytest.approx(display.by_tree.std(axis=0))
    if kind == "gain":
        assert display.importances == pytest.approx(make().feature_importances_)


def test_importances_by_tree_of_a_booster_add_up_tree_by_tree():
    booster = cases.booster()
    counts = booster.importances("count", by_tree=True)
    whole = sum(np.count_nonzero(tree.n_children) for tree in booster.model_.trees)
    for number, tree in enumerate(booster.model_.trees):
        tests = np.bincount(tree.feature[tree.n_children > 0], minlength=4)
        assert counts[number] * whole / len(counts) == pytest.approx(tests)
    with pytest.raises(ValueError, match="no lines by_tree"):
        booster.importances("permutation", X=1, y=1, by_tree=True)


def test_importances_by_weights_and_of_single_trees():
    boosted = cases.weights()
    display = ImportanceDisplay.compute(boosted)
    assert boosted.estimator_weights_ @ display.by_tree / boosted.estimator_weights_.sum() == pytest.approx(
        display.importances
    )
    single = ImportanceDisplay.compute(cases.odd_tree(), "count")
    assert single.by_tree is None and single.spread is None


def test_importances_out_of_bag_are_those_of_the_forest():
    X, y = cases.iris()
    display = ImportanceDisplay.compute(
        cases.forest(), "oob_permutation", X=X, y=y, n_repeats=1, random_state=3
    )
    found = cases.forest().oob_permutation_importance(X, y, n_repeats=1, random_state=3)
    assert display.importances == pytest.approx(found.importances_mean)
    assert display.spread == pytest.approx(found.importances_std)


def test_permutation_takes_any_frame():
    X, y = cases.iris()
    booster = LeafwiseBoostingClassifier(n_estimators=3, min_samples_leaf=5).fit(pl.from_pandas(X), y)
    display = ImportanceDisplay.compute(
        booster, "permutation", X=pl.from_pandas(X), y=y, n_repeats=2, random_state=0
    )
    assert display.by_tree.shape == (2, 4) and display.importances[2:].max() > 0.1


# --- learning
# -----------------------------------------------------------------------------------------------------------


def test_the_out_of_bag_curve_is_found_again_tree_by_tree():
    X, y = cases.iris()
    forest = cases.forest()
    display = LearningDisplay.compute(forest, X, y)
    outside = np.ones((len(forest), len(X)), dtype=bool)
    for tree, rows in enumerate(forest.estimators_samples_):
        outside[tree, rows] = False
    said = np.array([tree.predict_proba(X) for tree in forest.estimators_])
    for place, n_trees in enumerate(display.counts["out of bag"]):
        votes = (said[:n_trees] * outside[:n_trees, :, np.newaxis]).sum(axis=0)
        known = outside[:n_trees].any(axis=0)
        right = forest.classes_[votes[known].argmax(axis=1)] == y[known]
        assert display.curves["out of bag"][place] == pytest.approx(right.mean())
        assert display.answered[place] == pytest.approx(known.mean())
    assert display.curves["out of bag"][-1] == forest.oob_score_
    assert display.curves["training"][-1] == forest.score(X, y)


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_the_curve_of_a_forest_ends_at_its_score(voting):
    X, y = cases.iris()
    forest = RandomForestClassifier(n_estimators=7, max_depth=2, voting=voting, random_state=1).fit(
        X[::2], y[::2]
    )
    display = LearningDisplay.compute(forest, X_val=X[1::2], y_val=y[1::2])
    assert list(display.curves) == ["validation"]
    assert display.curves["validation"][-1] == pytest.approx(forest.score(X[1::2], y[1::2]))
    numbers = cases.number_forest()
    shown = LearningDisplay.compute(numbers, *cases.numbers())
    assert shown.curves["training"][-1] == pytest.approx(numbers.score(*cases.numbers()))


def test_a_booster_shows_what_it_has_stored_or_what_rows_say():
    booster = cases.booster()
    stored = LearningDisplay.compute(booster)
    assert (stored.curves["training"] == booster.train_score_).all()
    assert (stored.curves["validation"] == booster.validation_score_).all()
    assert stored.greater_is_better is False and stored.by == "rounds"
    X, y = cases.iris()
    staged = LearningDisplay.compute(booster, X, y)
    assert staged.curves["training"].tolist() == list(booster.staged_score(X, y))
    assert staged.measure == "accuracy"


def test_metrics_of_a_booster_know_which_end_is_good():
    X, y = cases.iris()
    booster = LeafwiseBoostingClassifier(
        n_estimators=4, min_samples_leaf=5, scoring=["accuracy", "neg_log_loss"]
    )
    booster.fit(X[::2], y[::2], X_val={"a": X[1::2], "b": X}, y_val={"a": y[1::2], "b": y})
    display = LearningDisplay.compute(booster, metric="neg_log_loss")
    assert set(display.curves) == {"a", "b"} and display.greater_is_better is True
    with pytest.raises(
        ValueError, match=r"has not stored the metric 'f1'; it has 'accuracy', 'neg_log_loss'"
    ):
        LearningDisplay.compute(booster, metric="f1")


def test_a_forest_without_bags_has_no_out_of_bag_curve():
    X, y = cases.iris()
    display = LearningDisplay.compute(ExtraTreesClassifier(n_estimators=3, random_state=0).fit(X, y), X, y)
    assert list(display.curves) == ["training"]


# --- regions
# -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [True, False])
def test_exact_regions_answer_every_row_as_the_model_does(classes):
    X, y = cases.iris()
    X = X.iloc[:, 2:]
    model = CARTClassifier().fit(X, y) if classes else CARTRegressor().fit(X, X.iloc[:, 0] * X.iloc[:, 1])
    display = RegionsDisplay.compute(model, X)
    assert all(axis.exact for axis in display.axes)
    columns = [
        np.searchsorted(axis.edges, X.iloc[:, number], side="left") - 1
        for number, axis in enumerate(display.axes)
    ]
    cells = columns[1] * len(display.axes[0].values) + columns[0]
    expected = model.predict_proba(X) if classes else model.predict(X)
    assert display.answers[cells] == pytest.approx(expected)


def test_a_grid_asks_the_model_and_holds_the_other_features():
    X, y = cases.iris()
    forest = cases.forest()
    display = RegionsDisplay.compute(forest, X, y, features=["petal width (cm)", 0], resolution=9)
    assert display.features == ["petal width (cm)", "sepal length (cm)"]
    row = pd.DataFrame({name: [np.sort(X[name])[(len(X) - 1) // 2]] for name in X.columns})
    row["petal width (cm)"] = display.axes[0].values[4]
    row["sepal length (cm)"] = display.axes[1].values[7]
    cell = 7 * len(display.axes[0].values) + 4
    assert display.answers[cell] == pytest.approx(forest.predict_proba(row)[0])
    assert [name for name, _ in display.fixed] == ["sepal width (cm)", "petal length (cm)"]
    assert "sepal width (cm) = 3" in display.to_chart().remark


@pytest.mark.parametrize("library", ["pandas", "polars", "numpy"])
def test_regions_take_tables_as_the_model_was_fitted_on(library):
    X, y = cases.odd()
    table = {"pandas": X, "polars": pl.from_pandas(X), "numpy": X.to_numpy(dtype=object)}[library]
    options = {"categorical_features": [2]} if library == "numpy" else {}
    tree = CARTClassifier(max_depth=3, **options).fit(table, y)
    display = RegionsDisplay.compute(tree, table, y, features=[2, 0])
    assert sorted(display.axes[0].categories) == sorted(map(str, X["colour"].dropna().unique()))
    pandas = RegionsDisplay.compute(CARTClassifier(max_depth=3).fit(X, y), X, y, features=[2, 0])
    assert display.answers.shape == pandas.answers.shape


# --- votes, depths, gains, pruning
# -----------------------------------------------------------------------------------------------------------


def test_votes_are_those_of_the_trees():
    X, _ = cases.iris()
    row = X.iloc[[100]]
    forest = cases.forest()
    display = VotesDisplay.compute(forest, row)
    said = [tree.predict(row)[0] for tree in forest.estimators_]
    assert display.values.tolist() == pytest.approx([said.count(label) / 25 for label in forest.classes_])
    numbers = VotesDisplay.compute(cases.number_forest(), cases.numbers()[0].iloc[[5]])
    each = [tree.predict(cases.numbers()[0].iloc[[5]])[0] for tree in cases.number_forest().estimators_]
    assert numbers.values.tolist() == pytest.approx(each)


def test_rounds_and_features_add_up_to_the_score():
    X, _ = cases.iris()
    booster = cases.booster()
    rounds = VotesDisplay.compute(booster, X.iloc[[100]])
    staged = np.array([scores[0] for scores in booster.staged_decision_function(X.iloc[[100]])])
    assert rounds.values[1:] == pytest.approx(staged)
    numbers = cases.number_booster()
    row = cases.numbers()[0].iloc[[5]]
    features = VotesDisplay.compute(numbers, row, by="features")
    score = features.report.scores[0]
    assert score.start + score.average + features.values.sum() == pytest.approx(numbers.predict(row)[0])
    weights = VotesDisplay.compute(cases.weights(), X.iloc[[100]])
    assert weights.values[-1] == pytest.approx(cases.weights().decision_function(X.iloc[[100]])[0])


@pytest.mark.parametrize("make", [cases.forest, cases.booster, cases.weights])
def test_depths_are_found_again_node_by_node(make):
    model = make().model_
    display = DepthsDisplay.compute(make())
    expected = np.zeros_like(display.shares)
    for number in range(len(model.trees)):
        view = model.view(number)
        for node in view:
            if not node.is_leaf:
                share = node.weight / view.root.weight / len(model.trees)
                expected[view.tree.feature[node.id], node.depth] += share
    assert display.shares == pytest.approx(expected)


def test_the_best_cut_of_the_curve_is_the_test_of_the_node():
    X, y = cases.iris()
    tree = CARTClassifier().fit(X, y)
    for node in (0, 2):
        display = GainCurveDisplay.compute(tree, node, None, X, y)
        allowed = np.where(display.admissible, display.gains, -np.inf)
        assert display.thresholds[allowed.argmax()] == tree.tree_.threshold[node]
        assert display.gains[allowed.argmax()] == pytest.approx(
            tree.tree_.gain[node] / tree.tree_.weighted_n_node_samples[node]
        )


def table_with_categories() -> tuple[pd.DataFrame, pd.Series]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "number": random.normal(size=600).round(2),
            "city": pd.Categorical(random.choice(list("ABCDEFG"), 600)),
            "shop": pd.Categorical(random.integers(0, 30, 600).astype(str)),
            "sex": pd.Categorical(random.choice(["f", "m"], 600)),
        }
    )
    codes = X["city"].cat.codes.to_numpy()
    score = X["number"] + random.normal(size=7)[codes] + random.normal(size=30)[X["shop"].cat.codes]
    X.loc[random.random(600) < 0.1, "number"] = np.nan
    X.loc[random.random(600) < 0.1, "city"] = None
    return X, pd.Series(score + random.normal(size=600))


CURVES = {
    "CART": CARTRegressor(max_depth=2),
    "absolute error": CARTRegressor(max_depth=2, criterion="absolute_error"),
    "three classes": CARTClassifier(max_depth=2),
    "gradient boosting": GradientBoostingRegressor(n_estimators=2),
    "Newton": NewtonBoostingRegressor(n_estimators=2, gamma=3.0),
    "leaf-wise": LeafwiseBoostingRegressor(n_estimators=2, min_samples_leaf=30),
    "monotone": NewtonBoostingRegressor(n_estimators=2, monotonic_cst={"number": -1}),
    "exact": NewtonBoostingRegressor(n_estimators=2, tree_method="exact"),
}


@pytest.mark.parametrize("estimator", CURVES.values(), ids=CURVES)
def test_the_best_of_a_curve_is_the_best_test_that_the_search_found(estimator):
    X, y = table_with_categories()
    columns = ["number"] if getattr(estimator, "tree_method", "") == "exact" else list(X)
    X = X[columns]
    y = y if estimator.__sklearn_tags__().estimator_type == "regressor" else np.digitize(y, [-1.0, 1.0])
    fitted = clone(estimator).fit(X, y)
    tree = {"tree": 1} if hasattr(fitted, "n_estimators") else {}
    for name in columns:
        display = GainCurveDisplay.compute(fitted, 0, name, X, y, **tree)
        found = next(one for one in display.report.candidates if one.feature == name)
        if found.kind is None:
            assert not display.admissible.any() or display.gains[display.admissible].max() <= 1e-9
            continue
        best = np.where(display.admissible, display.gains, -np.inf).argmax()
        assert display.gains[best] == pytest.approx(getattr(found, "competing_gain", found.gain), rel=1e-6)
        if found.kind == "threshold":
            assert display.thresholds[best] == pytest.approx(found.threshold, rel=1e-6)
        else:
            assert found.cuts.left[best] in [branch.n for branch in found.branches]
            assert set(display.categories) <= {"missing", "rare ones", *X[name].cat.categories}
        assert display.to_svg().startswith("<svg")


def test_what_categories_add_sums_up_to_the_gain_of_a_test_with_a_branch_each():
    X, y = table_with_categories()
    labels = np.digitize(y, [-1.0, 1.0])
    tree = C45Classifier().fit(X, labels)
    display = GainCurveDisplay.compute(tree, 0, "city", X, labels)
    found = next(one for one in display.report.candidates if one.feature == "city")
    assert len(display.parts) == 7
    assert display.parts.sum() == pytest.approx(found.gain)


def test_a_gain_curve_of_a_feature_that_a_node_did_not_look_at_says_so():
    X, y = cases.iris()
    tree = CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="no test of 'petal' at node 0"):
        GainCurveDisplay.compute(tree, 0, "petal", X, y)


def test_pruning_of_a_tree_that_was_not_pruned_is_cross_validated_on_given_rows():
    X, y = cases.iris()
    tree = CARTClassifier(random_state=0).fit(X, y)
    assert PruningDisplay.compute(tree).spread is None
    display = PruningDisplay.compute(tree, X, y, cv=3)
    pruned = CARTClassifier(prune="cost_complexity", cv=3, random_state=0).fit(X, y)
    assert display.report == pruned.explain_pruning()
    assert tree.get_params()["prune"] is None


# --- the typical tree
# -----------------------------------------------------------------------------------------------------------


def test_the_typical_tree_is_nearest_to_the_forest():
    X, _ = cases.iris()
    forest = cases.forest()
    whole = forest.predict_proba(X)
    apart = [float(np.sqrt(np.mean((tree.predict_proba(X) - whole) ** 2))) for tree in forest.estimators_]
    typical = typical_tree(forest, X)
    assert typical.distances == pytest.approx(apart) and typical.tree == int(np.argmin(apart))
    assert f"Tree {typical.tree} of 25" in str(typical)
    assert export_text(forest, tree=typical) == export_text(forest, tree=typical.tree)


def test_the_typical_tree_of_a_booster_follows_its_score():
    X, _ = cases.numbers()
    booster = cases.number_booster()
    typical = typical_tree(booster, X)
    raw = booster.predict(X)
    steps = np.array([scores for scores in booster.staged_predict(X)])
    for tree in range(1, 10):
        together = np.corrcoef(steps[tree] - steps[tree - 1], raw)[0, 1]
        assert typical.distances[tree] == pytest.approx(1 - max(together, 0) ** 2, abs=1e-6)


# --- models from elsewhere
# -----------------------------------------------------------------------------------------------------------


def test_models_of_scikit_learn_are_drawn_too():
    X, y = cases.iris()
    forest = from_sklearn(ensemble.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y))
    display = ImportanceDisplay.compute(forest)
    assert display.importances == pytest.approx(forest.feature_importances_)
    assert ImportanceDisplay.compute(forest, "count").by_tree.shape == (5, 4)
    assert VotesDisplay.compute(forest, X.iloc[[0]]).values[0] == 1
    assert LearningDisplay.compute(forest, X, y).curves["training"][-1] == forest.score(X, y)
    assert typical_tree(forest, X).distances.shape == (5,)
    booster = ensemble.GradientBoostingRegressor(n_estimators=5).fit(*cases.numbers())
    booster = from_sklearn(booster)
    row = cases.numbers()[0].iloc[[0]]
    assert VotesDisplay.compute(booster, row).values[-1, 0] == pytest.approx(booster.predict(row)[0])
    assert ImportanceDisplay.compute(booster, "cover").importances.sum() == pytest.approx(1)
    with pytest.raises(TypeError, match="does not score its rounds"):
        LearningDisplay.compute(booster, *cases.numbers())


# --- what cannot be drawn
# -----------------------------------------------------------------------------------------------------------


def test_wrong_arguments_say_what_to_do():
    X, y = cases.iris()
    forest, tree = cases.forest(), cases.odd_tree()
    for call, error, message in [
        (lambda: ImportanceDisplay.compute(forest, "gains"), ValueError, "kind must be one of 'gain'"),
        (lambda: ImportanceDisplay.compute(forest, "permutation"), ValueError, "pass X and y"),
        (lambda: ImportanceDisplay.compute(forest, X=X, y=y), ValueError, "about the trees alone"),
        (
            lambda: ImportanceDisplay.compute(tree, "oob_permutation", X=X, y=y),
            ValueError,
            "is for forests, and this is a CARTClassifier",
        ),
        (lambda: LearningDisplay.compute(tree), ValueError, "single tree: it has no rounds"),
        (lambda: LearningDisplay.compute(forest), ValueError, "pass the X and y of fit"),
        (lambda: LearningDisplay.compute(cases.weights()), ValueError, "has stored no scores"),
        (lambda: LearningDisplay.compute(forest, X), ValueError, "X and y belong together"),
        (lambda: VotesDisplay.compute(tree, X), ValueError, "single tree: nobody votes"),
        (lambda: VotesDisplay.compute(forest, X.iloc[[0]], by="rounds"), ValueError, "'auto' or 'trees'"),
        (
            lambda: RegionsDisplay.compute(forest, X, features="petal"),
            ValueError,
            "There is no feature 'petal'",
        ),
        (lambda: RegionsDisplay.compute(forest, X, features=[0, 1, 2]), ValueError, "one feature or two"),
        (lambda: RegionsDisplay.compute(forest, X.iloc[:0]), ValueError, "no rows|0 sample"),
        (lambda: GainCurveDisplay.compute(forest, 0, tree=1), ValueError, "pass the X and y of fit"),
        (lambda: GainCurveDisplay.compute(object()), TypeError, "fitted Treewright estimator or a Grower"),
        (lambda: PruningDisplay.compute(forest), TypeError, "single tree"),
        (lambda: DepthsDisplay.compute(forest, top=0), ValueError, "top"),
        (lambda: typical_tree(forest, X.iloc[:0]), ValueError, "no rows|0 sample"),
    ]:
        with pytest.raises(error, match=message):
            call()
