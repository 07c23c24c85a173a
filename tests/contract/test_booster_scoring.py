"""What every booster does with `scoring`, early stopping and rows to validate on."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    get_scorer,
    hamming_loss,
    log_loss,
    make_scorer,
    max_error,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    roc_auc_score,
)

import treewright
from tests.contract.boosters import of_all_boosters, stopping
from tests.contract.data import numeric_table
from tests.contract.entries import make_entry

pytestmark = of_all_boosters


def two_halves(task, two_classes=False):
    X, y = numeric_table(task, n_rows=240)
    if task == "classification":
        y = np.array(["no", "perhaps", "yes"])[y] if not two_classes else np.array(["no", "yes"])[y % 2]
    return (X[::2], y[::2]), (X[1::2], y[1::2])


def scorer_name(task):
    return "neg_log_loss" if task == "classification" else "neg_mean_absolute_error"


def test_a_scorer_by_name_scores_each_round_as_it_scores_the_booster(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    name = scorer_name(entry[1])
    booster = make_entry(entry, scoring=name).fit(X, y, X_val=X_val, y_val=y_val)
    expected = [
        get_scorer(name)(make_entry(entry, n_estimators=n).fit(X, y), X_val, y_val)
        for n in range(1, booster.n_iter_ + 1)
    ]
    np.testing.assert_allclose(booster.validation_score_, expected)
    assert list(booster.validation_scores_) == ["validation"]
    assert list(booster.validation_scores_["validation"]) == [name]


def test_a_scorer_of_labels_and_one_of_decisions_see_the_answers_of_the_booster(entry):
    if entry[1] == "regression":
        pytest.skip("numbers have no labels")
    (X, y), (X_val, y_val) = two_halves(entry[1], two_classes=True)
    booster = make_entry(entry, scoring=["roc_auc", "f1_macro", "accuracy"])
    booster.fit(X, y, X_val=X_val, y_val=y_val)
    for name, scores in booster.validation_scores_["validation"].items():
        assert scores[-1] == pytest.approx(get_scorer(name)(booster, X_val, y_val))


def test_early_stopping_by_a_scorer_keeps_the_greatest(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    booster = stopping(entry, scoring=scorer_name(entry[1])).fit(X, y, X_val=X_val, y_val=y_val)
    assert booster.n_iter_ == np.argmax(booster.validation_score_) + 1


def test_a_scorer_that_was_made_counts_as_one_with_a_name(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    function = accuracy_score if entry[1] == "classification" else mean_squared_error
    made = make_scorer(function, greater_is_better=function is accuracy_score)
    named = "accuracy" if entry[1] == "classification" else "neg_mean_squared_error"
    first = make_entry(entry, scoring=made).fit(X, y, X_val=X_val, y_val=y_val)
    second = make_entry(entry, scoring=named).fit(X, y, X_val=X_val, y_val=y_val)
    np.testing.assert_array_equal(first.validation_score_, second.validation_score_)
    assert list(first.validation_scores_["validation"]) == [function.__name__]


def test_metric_functions_of_scikit_learn_are_refused_with_the_name_of_the_scorer(entry):
    (X, y), _ = two_halves(entry[1])
    for function, words in (
        (roc_auc_score, "pass scoring='roc_auc'"),
        (log_loss, "pass scoring='neg_log_loss'"),
        (mean_absolute_error, "pass scoring='neg_mean_absolute_error'"),
        (r2_score, "pass scoring='r2'"),
        (hamming_loss, r"make_scorer\(hamming_loss, …\)"),
    ):
        with pytest.raises(ValueError, match=words):
            stopping(entry, scoring=function).fit(X, y)


def test_unknown_scorers_are_refused_with_a_name_that_was_meant(entry):
    (X, y), _ = two_halves(entry[1])
    for wrong, meant in (
        ("auc", "roc_auc"),
        ("rmse", "neg_root_mean_squared_error"),
        ("acuracy", "accuracy"),
    ):
        with pytest.raises(ValueError, match=f"Got '{wrong}' instead. Did you mean '{meant}'"):
            make_entry(entry, scoring=wrong).fit(X, y)
    for wrong in ([], {}, [3], None, 3, ["loss", "loss"], accuracy_score.__class__):
        with pytest.raises(ValueError, match="The 'scoring' parameter of"):
            make_entry(entry, scoring=wrong).fit(X, y)


def test_a_function_says_itself_when_greater_is_better(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1], two_classes=True)

    def goodness(truth, prediction, weight):
        return -float(np.abs(truth - prediction).mean())

    goodness.greater_is_better = True
    booster = stopping(entry, scoring=goodness).fit(X, y, X_val=X_val, y_val=y_val)
    assert booster.n_iter_ == np.argmax(booster.validation_score_) + 1
    assert booster.n_iter_ > 1
    assert (booster.validation_score_ < 0).all()


def test_a_metric_that_only_gets_worse_is_warned_about(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1], two_classes=True)

    def goodness(truth, prediction, weight):
        return -float(np.abs(truth - prediction).mean())

    booster = stopping(entry, scoring=goodness)
    with pytest.warns(
        UserWarning, match="By 'goodness' no round was better than the first.*greater_is_better"
    ):
        booster.fit(X, y, X_val=X_val, y_val=y_val)
    assert booster.n_iter_ == 1


def test_training_rows_are_watched_by_any_metric_when_no_rows_are_set_aside(entry):
    (X, y), _ = two_halves(entry[1])
    name = scorer_name(entry[1])
    booster = stopping(entry, scoring=name, validation_fraction=None).fit(X, y)
    assert list(booster.validation_scores_) == ["training"]
    kept = booster.validation_score_[booster.n_iter_ - 1]
    assert kept == pytest.approx(get_scorer(name)(booster, X, y))
    assert booster.n_iter_ == np.argmax(booster.validation_score_) + 1


def test_scorers_are_given_the_weights_of_the_rows(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    weights = np.arange(len(y_val)) % 3.0
    name = scorer_name(entry[1])
    booster = make_entry(entry, scoring=name)
    booster.fit(X, y, X_val=X_val, y_val=y_val, sample_weight_val=weights)
    expected = get_scorer(name)(booster, X_val, y_val, sample_weight=weights)
    assert booster.validation_score_[-1] == pytest.approx(expected)
    with pytest.raises(ValueError, match="The scorer 'max_error' knows no weights"):
        make_entry(entry, scoring=make_scorer(max_error)).fit(
            X, y, X_val=X_val, y_val=y_val, sample_weight_val=weights
        )


def test_several_sets_and_metrics_are_those_of_fits_with_one(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    name = scorer_name(entry[1])
    half = len(y_val) // 2
    sets = {"early": slice(None, half), "late": slice(half, None)}
    weights = {"late": np.arange(1.0, len(y_val) - half + 1)}
    several = make_entry(entry, scoring={"own": "loss", "theirs": name}).fit(
        X,
        y,
        X_val={one: X_val[rows] for one, rows in sets.items()},
        y_val={one: y_val[rows] for one, rows in sets.items()},
        sample_weight_val=weights,
    )
    assert list(several.validation_scores_) == ["early", "late"]
    for one, rows in sets.items():
        for metric, scoring in (("own", "loss"), ("theirs", name)):
            alone = make_entry(entry, scoring=scoring).fit(
                X, y, X_val=X_val[rows], y_val=y_val[rows], sample_weight_val=weights.get(one)
            )
            np.testing.assert_allclose(several.validation_scores_[one][metric], alone.validation_score_)
    np.testing.assert_array_equal(several.validation_score_, several.validation_scores_["early"]["own"])


def test_early_stopping_goes_by_the_first_set_and_the_first_metric(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    name = scorer_name(entry[1])
    alone = stopping(entry, scoring=name).fit(X, y, X_val=X_val, y_val=y_val)
    several = stopping(entry, scoring=[name, "loss"]).fit(X, y, X_val=[X_val, X], y_val=[y_val, y])
    assert list(several.validation_scores_) == ["validation_0", "validation_1"]
    assert several.n_iter_ == alone.n_iter_
    np.testing.assert_array_equal(several.validation_score_, alone.validation_score_)


def test_sets_that_do_not_belong_together_are_refused(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    for X_wrong, y_wrong, words in (
        ({"a": X_val, "b": X_val}, {"a": y_val}, "y_val lacks 'b'"),
        ({"a": X_val}, {"a": y_val, "c": y_val}, "y_val has 'c', which X_val has not"),
        ([X_val, X_val], [y_val], "y_val must be a dict with these names, or a list"),
        ({}, {}, "X_val is an empty dict"),
        ({3: X_val}, {3: y_val}, "The keys of X_val are names of sets"),
    ):
        with pytest.raises(ValueError, match=words):
            make_entry(entry).fit(X, y, X_val=X_wrong, y_val=y_wrong)


def test_a_list_of_rows_is_one_set(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    as_lists = make_entry(entry).fit(X, y, X_val=X_val.tolist(), y_val=y_val.tolist())
    as_arrays = make_entry(entry).fit(X, y, X_val=X_val, y_val=y_val)
    np.testing.assert_array_equal(as_lists.validation_score_, as_arrays.validation_score_)


def test_validation_scores_outlast_saving_but_functions_do_not(entry, tmp_path):
    (X, y), (X_val, y_val) = two_halves(entry[1], two_classes=True)

    def distance(truth, prediction, weight):
        return float(np.abs(truth - prediction).mean())

    booster = make_entry(entry, scoring=["loss", distance], callbacks=[lambda now: False])
    booster.fit(X, y, X_val={"one": X_val, "two": X}, y_val={"one": y_val, "two": y})
    booster.save(tmp_path / "m.tree")
    loaded = treewright.load(tmp_path / "m.tree")
    assert loaded.scoring == "loss"
    for one, metrics in booster.validation_scores_.items():
        for metric, scores in metrics.items():
            np.testing.assert_array_equal(loaded.validation_scores_[one][metric], scores)
    kept = make_entry(entry, scoring=["loss", scorer_name(entry[1])]).fit(X, y)
    kept.save(tmp_path / "k.tree")
    assert treewright.load(tmp_path / "k.tree").scoring == ["loss", scorer_name(entry[1])]


def test_a_warm_start_goes_on_with_the_scores_of_the_same_sets(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    name = scorer_name(entry[1])
    both = {"X_val": [X_val, X], "y_val": [y_val, y]}
    once = make_entry(entry, scoring=[name, "loss"], n_estimators=4).fit(X, y, **both)
    twice = make_entry(entry, scoring=[name, "loss"], n_estimators=2, warm_start=True).fit(X, y, **both)
    twice.set_params(n_estimators=4).fit(X, y, **both)
    for one, metrics in once.validation_scores_.items():
        for metric, scores in metrics.items():
            np.testing.assert_allclose(twice.validation_scores_[one][metric], scores)
    twice.set_params(n_estimators=5, scoring="loss").fit(X, y, X_val=X_val, y_val=y_val)
    assert np.isnan(twice.validation_score_[:-1]).all() and np.isfinite(twice.validation_score_[-1])


def test_nothing_is_scored_when_nobody_watches(entry):
    (X, y), _ = two_halves(entry[1])
    booster = make_entry(entry).fit(X, y, X_val=X, y_val=y)
    assert len(booster.validation_score_) == booster.n_iter_
    booster.fit(X, y)
    assert len(booster.validation_score_) == 0 and booster.validation_scores_ == {}


def test_callbacks_see_scores_as_the_metric_gives_them(entry):
    (X, y), (X_val, y_val) = two_halves(entry[1])
    seen = []
    booster = make_entry(entry, scoring=scorer_name(entry[1]), callbacks=[seen.append])
    booster.fit(X, y, X_val=X_val, y_val=y_val)
    np.testing.assert_array_equal([now.validation_score for now in seen], booster.validation_score_)
