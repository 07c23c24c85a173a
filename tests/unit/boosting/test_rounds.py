"""What a fit does round by round: scores, early stopping, callbacks, progress, continuing."""

import io

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error
from tests.unit.boosting.boost_data import BOOSTERS, CLASSIFIERS, REGRESSORS, answers, mixed_table, table
from tests.unit.boosting.interrupting import check_interrupt

import treewright
from treewright import GradientBoostingClassifier, GradientBoostingRegressor, NewtonBoostingRegressor


@pytest.mark.parametrize("make", [table, mixed_table])
@pytest.mark.parametrize("cls", BOOSTERS)
def test_two_fits_grow_the_booster_of_one(cls, make):
    X, y = make(cls)
    once = cls(n_estimators=12, random_state=3, max_features=3).fit(X, y)
    twice = cls(n_estimators=5, random_state=3, max_features=3, warm_start=True).fit(X, y)
    assert twice.n_iter_ == 5
    twice.set_params(n_estimators=12).fit(X, y)
    assert once.model_.trees.equals(twice.model_.trees)
    np.testing.assert_array_equal(answers(once, X), answers(twice, X))
    np.testing.assert_array_equal(once.train_score_, twice.train_score_)


@pytest.mark.parametrize("max_bins", [None, 16])
def test_two_fits_on_drawn_rows_grow_the_booster_of_one(max_bins):
    X, y = table(GradientBoostingRegressor)
    params = {"random_state": 3, "subsample": 0.5, "max_bins": max_bins}
    once = GradientBoostingRegressor(n_estimators=12, **params).fit(X, y)
    twice = GradientBoostingRegressor(n_estimators=5, warm_start=True, **params).fit(X, y)
    twice.set_params(n_estimators=12).fit(X, y)
    assert once.model_.trees.equals(twice.model_.trees)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_saved_booster_goes_on_where_it_stopped(cls, tmp_path):
    X, y = table(cls)
    once = cls(n_estimators=8, random_state=0).fit(X, y)
    cls(n_estimators=5, random_state=0).fit(X, y).save(tmp_path / "m.tree")
    loaded = treewright.load(tmp_path / "m.tree").set_params(warm_start=True, n_estimators=8)
    loaded.fit(X, y)
    assert once.model_.trees.equals(loaded.model_.trees)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_warm_start_refuses_fewer_rounds_and_another_loss(cls):
    X, y = table(cls)
    booster = cls(n_estimators=4, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=2 must be larger or equal to the 4 rounds"):
        booster.set_params(n_estimators=2).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        booster.set_params(n_estimators=4).fit(X, y)
    other = "absolute_error" if cls in REGRESSORS else "exponential"
    with pytest.raises(ValueError, match=f"loss='{other}' cannot be added"):
        booster.set_params(n_estimators=6, loss=other).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_stages_lead_to_the_answer(cls, n_classes):
    X, y = table(cls, n_classes=n_classes)
    booster = cls(n_estimators=7).fit(X, y)
    for staged, last in (
        (booster.staged_predict(X), booster.predict(X)),
        (booster.staged_predict_proba(X), booster.predict_proba(X)),
        (booster.staged_decision_function(X), booster.decision_function(X)),
    ):
        stages = list(staged)
        assert len(stages) == 7
        np.testing.assert_array_equal(stages[-1], last)
    # The deviance is twice the log loss.
    factor = 2 if cls is GradientBoostingClassifier and n_classes == 2 else 1
    losses = [factor * log_loss(y, stage) for stage in booster.staged_predict_proba(X)]
    np.testing.assert_allclose(booster.train_score_, losses)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_training_and_prediction_agree_about_every_row(cls, seed):
    X, y = table(cls, n_rows=200, seed=seed, n_classes=3)
    X[::9, seed % 5] = np.nan
    booster = cls(n_estimators=6, learning_rate=0.5, subsample=0.8, random_state=seed).fit(X, y)
    factor = [log_loss(y, stage) for stage in booster.staged_predict_proba(X)] / booster.train_score_
    np.testing.assert_allclose(factor, 1)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_stages_of_numbers_have_the_errors_of_the_train_score(cls):
    X, y = table(cls)
    booster = cls(n_estimators=7).fit(X, y)
    stages = list(booster.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], booster.predict(X))
    np.testing.assert_allclose(booster.train_score_, [mean_squared_error(y, stage) for stage in stages])


@pytest.mark.parametrize("cls", REGRESSORS)
def test_validation_scores_are_those_of_the_validation_rows(cls):
    X, y = table(cls)
    weights = np.arange(1.0, 101.0)
    booster = cls(n_estimators=6).fit(
        X[:200], y[:200], X_val=X[200:], y_val=y[200:], sample_weight_val=weights
    )
    expected = [
        mean_squared_error(y[200:], stage, sample_weight=weights) for stage in booster.staged_predict(X[200:])
    ]
    np.testing.assert_allclose(booster.validation_score_, expected)


def stopping(cls, **params):
    on = {} if cls.__name__.startswith("Gradient") else {"early_stopping": True}
    return cls(
        n_estimators=200, learning_rate=0.5, n_iter_no_change=4, tol=0.0, random_state=0, **on, **params
    )


@pytest.mark.parametrize("cls", BOOSTERS)
def test_early_stopping_keeps_the_rounds_up_to_the_best(cls):
    X, y = table(cls)
    booster = stopping(cls).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert booster.n_iter_ < 200
    assert booster.n_iter_ == np.argmin(booster.validation_score_) + 1
    assert len(booster.validation_score_) == booster.n_iter_ + 4
    assert len(booster.model_.trees) == booster.n_iter_ == booster.n_estimators_
    whole = cls(n_estimators=booster.n_iter_, learning_rate=0.5, random_state=0).fit(X[:200], y[:200])
    np.testing.assert_array_equal(answers(booster, X), answers(whole, X))


@pytest.mark.parametrize("cls", BOOSTERS)
def test_early_stopping_sets_rows_aside_or_looks_at_the_training_rows(cls):
    X, y = table(cls)
    aside = stopping(cls, validation_fraction=0.25).fit(X, y)
    assert aside.n_iter_ < 200
    again = stopping(cls, validation_fraction=0.25).fit(X, y)
    np.testing.assert_array_equal(aside.validation_score_, again.validation_score_)
    trained = stopping(cls, validation_fraction=None).fit(X, y)
    np.testing.assert_array_equal(trained.validation_score_, trained.train_score_)
    assert list(trained.validation_scores_) == ["training"]


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_metric_of_the_user_decides_when_to_stop(cls):
    X, y = table(cls)
    seen = []

    def errors(truth, prediction, weight):
        assert weight is None
        seen.append(prediction.shape)
        wrong = prediction - truth if cls in REGRESSORS else (prediction > 0.5) != truth
        return float(np.abs(wrong).mean())

    booster = stopping(cls, scoring=errors).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert set(seen) == {(100,)}
    assert booster.n_iter_ == np.argmin(booster.validation_score_) + 1
    for wrong, words in ((lambda *_: np.nan, "returned NaN"), (lambda *_: "good", "must return a number")):
        with pytest.raises(ValueError, match=words):
            stopping(cls, scoring=wrong).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])


@pytest.mark.parametrize("cls", BOOSTERS)
def test_callbacks_see_every_round_and_can_stop(cls):
    X, y = table(cls)
    rounds, others = [], []

    def until_five(now):
        rounds.append(now)
        return now.round == 5

    booster = cls(n_estimators=9, callbacks=[until_five, others.append]).fit(X, y)
    assert booster.n_iter_ == 5
    assert [now.round for now in rounds] == [1, 2, 3, 4, 5]
    assert rounds == others
    assert rounds[0].n_rounds == 9
    assert np.isnan(rounds[0].validation_score)
    np.testing.assert_allclose([now.train_score for now in rounds], booster.train_score_)
    with pytest.raises(TypeError, match="callbacks must be callable"):
        cls(callbacks=["me"]).fit(X, y)
    with pytest.raises(ZeroDivisionError):
        cls(callbacks=[lambda _: 1 / 0]).fit(X, y)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_progress_is_written_to_standard_error_alone(cls, capsys):
    X, y = table(cls)
    cls(n_estimators=10, verbose=1).fit(X, y, X_val=X, y_val=y)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines[-1].startswith(f"{cls.__name__}: 10 of 10 rounds, ")
    assert "train" in lines[-1] and "validation" in lines[-1]
    cls(n_estimators=3).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("cls", REGRESSORS)
def test_an_interrupt_keeps_the_finished_rounds_when_asked(cls, keep):
    check_interrupt(cls.__name__, keep)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_the_model_does_not_depend_on_the_number_of_threads(cls):
    X, y = table(cls, n_rows=6000)
    one = cls(n_estimators=4, random_state=0, subsample=0.8, n_jobs=1).fit(X, y)
    for n_jobs in (2, 3):
        other = cls(n_estimators=4, random_state=0, subsample=0.8, n_jobs=n_jobs).fit(X, y)
        assert one.model_.trees.equals(other.model_.trees)
        np.testing.assert_array_equal(one.train_score_, other.train_score_)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_boosters_say_which_features_are_categories(cls):
    X, y = mixed_table(cls)
    assert cls(n_estimators=2).fit(X, y).is_categorical_.tolist() == [False] * 5 + [True]
    X, y = table(cls)
    assert cls(n_estimators=2).fit(X, y).is_categorical_ is None


def test_a_loaded_booster_has_its_scores(tmp_path):
    X, y = table(NewtonBoostingRegressor)
    booster = NewtonBoostingRegressor(n_estimators=5).fit(X, y, X_val=X[:50], y_val=y[:50])
    file = io.BytesIO()
    booster.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    np.testing.assert_array_equal(loaded.train_score_, booster.train_score_)
    np.testing.assert_array_equal(loaded.validation_score_, booster.validation_score_)
    np.testing.assert_array_equal(loaded.feature_importances_, booster.feature_importances_)
