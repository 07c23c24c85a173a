"""What AdaBoost does round by round: continuing, scores, early stopping, callbacks, Ctrl-C."""

import io
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error, zero_one_loss
from tests.unit.boosting.boost_data import CLASSIFIERS, REGRESSORS, answers, mixed_table, table
from tests.unit.boosting.interrupting import check_interrupt

import treewright
from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
)
from treewright.exceptions import ManySymbolsWarning

ADABOOSTS = [AdaBoostClassifier, AdaBoostRegressor]


def data(cls, make=table, **options):
    return make(CLASSIFIERS[0] if cls is AdaBoostClassifier else REGRESSORS[0], **options)


def errors(cls, y, stages, weights=None):
    """Return the score of each stage, as scikit-learn counts it."""
    metric = zero_one_loss if cls is AdaBoostClassifier else mean_squared_error
    return [metric(y, stage, sample_weight=weights) for stage in stages]


def assert_same(one, other, X):
    """Assert that two boosters are the same to the last bit."""
    assert len(one.model_.trees) == len(other.model_.trees)
    for mine, its in zip(one.model_.trees, other.model_.trees, strict=True):
        left, right = mine.to_arrays(), its.to_arrays()
        assert left.keys() == right.keys()
        for name, array in left.items():
            np.testing.assert_array_equal(array, right[name])
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.estimator_errors_, other.estimator_errors_)
    np.testing.assert_array_equal(answers(one, X), answers(other, X))


# Ways in which the weights, and what is drawn, go on from round to round.
WAYS = [
    (AdaBoostClassifier, {}),
    (AdaBoostClassifier, {"algorithm": "SAMME.R", "learning_rate": 0.5}),
    (AdaBoostClassifier, {"estimator": CARTClassifier(max_depth=2, max_features=2), "random_state": 3}),
    (AdaBoostClassifier, {"estimator": C45Classifier(max_depth=2), "random_state": 3}),
    (AdaBoostRegressor, {"loss": "square"}),
    (AdaBoostRegressor, {"loss": "exponential", "learning_rate": 0.5}),
    (AdaBoostRegressor, {"resample": True, "random_state": 3}),
    (AdaBoostRegressor, {"estimator": CARTRegressor(max_depth=2, max_features=1), "random_state": 3}),
]


# --- going on
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [table, mixed_table])
@pytest.mark.parametrize(("cls", "params"), WAYS)
def test_two_fits_grow_the_adaboost_of_one(cls, params, make):
    X, y = data(cls, make)
    weights = np.random.RandomState(0).rand(len(y))
    weights[:9] = 0
    once = cls(n_estimators=12, **params).fit(X, y, weights)
    twice = cls(n_estimators=5, warm_start=True, **params).fit(X, y, weights)
    assert twice.n_iter_ == twice.n_estimators_ == 5
    twice.set_params(n_estimators=12).fit(X, y, weights)
    assert once.n_iter_ > 10
    assert_same(once, twice, X)


@pytest.mark.parametrize(("cls", "params"), WAYS)
def test_a_saved_adaboost_goes_on_where_it_stopped(cls, params, tmp_path):
    X, y = data(cls)
    once = cls(n_estimators=8, **params).fit(X, y)
    short = cls(n_estimators=5, **params).fit(X, y)
    short.save(tmp_path / "m.tree")
    for copied in (treewright.load(tmp_path / "m.tree"), pickle.loads(pickle.dumps(short))):
        assert_same(once, copied.set_params(warm_start=True, n_estimators=8).fit(X, y), X)


def test_the_seed_of_the_first_fit_counts_however_often_more_is_added():
    X, y = data(AdaBoostRegressor)
    once = AdaBoostRegressor(n_estimators=9, resample=True, random_state=3).fit(X, y)
    more = AdaBoostRegressor(n_estimators=3, resample=True, random_state=3, warm_start=True).fit(X, y)
    more.set_params(n_estimators=6, random_state=4).fit(X, y)
    more.set_params(n_estimators=9, random_state=5).fit(X, y)
    assert_same(once, more, X)


def test_a_generator_goes_on_drawing():
    X, y = data(AdaBoostRegressor)
    params = {"resample": True}
    once = AdaBoostRegressor(n_estimators=8, random_state=np.random.RandomState(1), **params).fit(X, y)
    twice = AdaBoostRegressor(
        n_estimators=3, random_state=np.random.RandomState(1), warm_start=True, **params
    )
    twice.fit(X, y).set_params(n_estimators=8).fit(X, y)
    assert_same(once, twice, X)


def test_nothing_is_added_to_rounds_that_a_perfect_tree_has_ended():
    X, y = data(AdaBoostClassifier)
    perfect = AdaBoostClassifier(CARTClassifier(), n_estimators=5, warm_start=True).fit(X, y)
    assert perfect.set_params(n_estimators=10).fit(X, y).n_iter_ == 1
    assert perfect.estimator_errors_.tolist() == [0.0]


def test_trees_of_symbols_go_on_and_are_watched():
    random = np.random.RandomState(0)
    X = random.randint(0, 5, (200, 3)).astype(float)
    y = ((X[:, 0] + X[:, 1] + random.randint(0, 3, 200)) % 5 > 2).astype(int)
    params = {"estimator": ID3Classifier(max_depth=1), "learning_rate": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManySymbolsWarning)
        once = AdaBoostClassifier(n_estimators=6, **params).fit(X, y, X_val=X[:50], y_val=y[:50])
        twice = AdaBoostClassifier(n_estimators=3, warm_start=True, **params).fit(X, y)
        twice.set_params(n_estimators=6).fit(X, y)
        aside = AdaBoostClassifier(n_estimators=6, early_stopping=True, random_state=0, **params).fit(X, y)
    assert_same(once, twice, X)
    np.testing.assert_allclose(
        once.validation_score_, errors(AdaBoostClassifier, y[:50], once.staged_predict(X[:50]))
    )
    assert len(aside.validation_score_) == 6


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_a_warm_start_refuses_fewer_rounds_other_columns_and_what_changes_the_weights(cls):
    X, y = data(cls)
    boosted = cls(n_estimators=4, warm_start=True).fit(X, y)
    model = boosted.model_
    with pytest.raises(ValueError, match="n_estimators=2 must be larger or equal to the 4 rounds"):
        boosted.set_params(n_estimators=2).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        boosted.set_params(n_estimators=4).fit(X, y)
    boosted.set_params(n_estimators=6)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 5 features"):
        boosted.fit(X[:, :2], y)
    with pytest.raises(
        ValueError, match=r"learning_rate=0.5 cannot be added to rounds with learning_rate=1.0"
    ):
        boosted.set_params(learning_rate=0.5).fit(X, y)
    boosted.set_params(learning_rate=1.0)
    name, other = ("algorithm", "SAMME.R") if cls is AdaBoostClassifier else ("loss", "square")
    with pytest.raises(ValueError, match=f"{name}='{other}' cannot be added"):
        boosted.set_params(**{name: other}).fit(X, y)
    boosted.set_params(**{name: cls._defaults[name]})
    deeper = (CARTClassifier if cls is AdaBoostClassifier else CARTRegressor)(max_depth=4)
    with pytest.raises(ValueError, match="All trees must have the same `estimator`"):
        boosted.set_params(estimator=deeper).fit(X, y)
    assert boosted.model_ is model


def test_a_warm_start_refuses_new_classes_and_keeps_those_that_have_no_more_rows():
    X, y = data(AdaBoostClassifier, n_classes=3)
    boosted = AdaBoostClassifier(n_estimators=4, warm_start=True).fit(X, y).set_params(n_estimators=6)
    with pytest.raises(
        ValueError, match=r"y has the class\(es\) \[7\], which the fitted forest does not know"
    ):
        boosted.fit(X, np.where(y == 2, 7, y))
    boosted.fit(X[y < 2], y[y < 2])
    assert boosted.classes_.tolist() == [0, 1, 2]
    assert len(boosted.estimators_) == 6 and boosted.predict_proba(X).shape == (len(X), 3)


def test_other_rows_are_weighed_by_what_the_trees_get_wrong():
    X, y = data(AdaBoostClassifier)
    boosted = AdaBoostClassifier(n_estimators=1, warm_start=True).fit(X[:150], y[:150])
    wrong = boosted.predict(X[150:]) != y[150:]
    weights = np.exp(boosted.estimator_weights_[0] * wrong)
    boosted.set_params(n_estimators=2).fit(X[150:], y[150:])
    again = CARTClassifier(max_depth=1).fit(X[150:], y[150:], sample_weight=weights)
    np.testing.assert_array_equal(boosted.estimators_[1].predict(X), again.predict(X))


# --- scores
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cls", "params"), WAYS)
def test_scores_are_those_of_the_stages(cls, params):
    X, y = data(cls)
    weights, others = np.arange(1.0, 201.0), np.arange(100.0)
    boosted = cls(n_estimators=6, **params).fit(
        X[:200], y[:200], weights, X_val=X[200:], y_val=y[200:], sample_weight_val=others
    )
    train = errors(cls, y[:200], boosted.staged_predict(X[:200]), weights)
    held_out = errors(cls, y[200:], boosted.staged_predict(X[200:]), others)
    np.testing.assert_allclose(boosted.train_score_, train)
    np.testing.assert_allclose(boosted.validation_score_, held_out)
    # To be watched changes nothing.
    assert_same(boosted, cls(n_estimators=6, **params).fit(X[:200], y[:200], weights), X)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_nobody_who_does_not_ask_gets_scores(cls):
    X, y = data(cls)
    boosted = cls(n_estimators=3).fit(X, y, X_val=X, y_val=y)
    assert len(boosted.train_score_) == len(boosted.validation_score_) == 3
    boosted.fit(X, y)
    assert not hasattr(boosted, "train_score_")
    assert len(boosted.validation_score_) == 0


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_many_training_rows_are_scored_by_some_of_them(cls):
    X, y = data(cls, n_rows=12_000)
    boosted = cls(n_estimators=2).fit(X, y, X_val=X, y_val=y)
    assert boosted.train_score_.tolist() != boosted.validation_score_.tolist()
    np.testing.assert_allclose(boosted.train_score_, boosted.validation_score_, rtol=0.1)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_scores_of_two_fits_are_joined_and_saved(cls):
    X, y = data(cls)
    params = {"X_val": X[200:], "y_val": y[200:]}
    once = cls(n_estimators=7).fit(X[:200], y[:200], **params)
    twice = cls(n_estimators=3, warm_start=True).fit(X[:200], y[:200], **params)
    twice.set_params(n_estimators=7).fit(X[:200], y[:200], **params)
    file = io.BytesIO()
    twice.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    for name in ("train_score_", "validation_score_", "n_iter_", "n_estimators_"):
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))
        np.testing.assert_array_equal(getattr(once, name), getattr(loaded, name))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_metric_of_the_user_gets_probabilities(n_classes):
    X, y = data(AdaBoostClassifier, n_classes=n_classes)
    boosted = AdaBoostClassifier(n_estimators=5, scoring=lambda t, p, w: log_loss(t, p, sample_weight=w))
    boosted.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    losses = [log_loss(y[200:], stage) for stage in boosted.staged_predict_proba(X[200:])]
    np.testing.assert_allclose(boosted.validation_score_, losses)
    for wrong, words in ((lambda *_: np.nan, "returned NaN"), (lambda *_: "good", "must return a number")):
        with pytest.raises(ValueError, match=words):
            boosted.set_params(scoring=wrong).fit(X, y, X_val=X, y_val=y)
    assert AdaBoostClassifier.from_model(boosted.model_).scoring == "loss"


def test_validation_rows_must_have_known_labels_and_columns():
    X, y = data(AdaBoostClassifier)
    with pytest.raises(ValueError, match=r"y_val has the label\(s\) \[7\], which y does not have"):
        AdaBoostClassifier().fit(X, y, X_val=X[:3], y_val=[0, 1, 7])
    with pytest.raises(ValueError, match="feature"):
        AdaBoostClassifier().fit(X, y, X_val=X[:, :2], y_val=y)
    with pytest.raises(ValueError, match="X_val is provided, but y_val was not provided"):
        AdaBoostClassifier().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="belong to X_val"):
        AdaBoostClassifier().fit(X, y, sample_weight_val=[1])


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_a_file_with_scores_or_a_seed_that_are_none_is_refused(cls):
    X, y = data(cls)
    model = cls(n_estimators=2, random_state=0).fit(X, y, X_val=X, y_val=y).model_
    with pytest.raises(ValueError, match="its train_score is not a list of numbers"):
        cls.from_model(replace(model, arrays={**model.arrays, "train_score": np.zeros((2, 2))}))
    with pytest.raises(ValueError, match="its seed is not one"):
        cls.from_model(replace(model, facts={**model.facts, "seed": -1}))


# --- when the rounds end
# ----------------------------------------------------------------------------------------------------------


def stopping(cls, **params):
    own = {"n_estimators": 100, "learning_rate": 0.5, "early_stopping": True, "random_state": 0}
    return cls(**own | params)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_early_stopping_keeps_the_rounds_up_to_the_best(cls):
    X, y = data(cls, n_rows=1000)
    learned, watched = slice(666), slice(666, None)
    boosted = stopping(cls).fit(X[learned], y[learned], X_val=X[watched], y_val=y[watched])
    assert 1 < boosted.n_iter_ < 90
    assert boosted.n_iter_ == np.argmin(boosted.validation_score_) + 1
    assert len(boosted.validation_score_) == len(boosted.train_score_) == boosted.n_iter_ + 10
    assert len(boosted.estimators_) == len(boosted.estimator_weights_) == boosted.n_iter_
    whole = cls(n_estimators=boosted.n_iter_, learning_rate=0.5).fit(X[learned], y[learned])
    assert_same(boosted, whole, X)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_an_improvement_must_be_larger_than_tol(cls):
    X, y = data(cls)
    boosted = stopping(cls, tol=1e6, n_iter_no_change=4).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert boosted.n_iter_ == 1
    assert len(boosted.validation_score_) == 5


@pytest.mark.parametrize("cls", ADABOOSTS)
@pytest.mark.parametrize("random_state", [0, "generator"])
def test_early_stopping_sets_rows_aside_which_more_rounds_do_not_learn_from_either(cls, random_state):
    X, y = data(cls)
    state = np.random.RandomState(0) if random_state == "generator" else random_state
    # No round is better by so much than the first, which is all that is kept.
    boosted = stopping(cls, validation_fraction=0.25, random_state=state, warm_start=True, tol=1e6)
    n_rounds = boosted.fit(X, y).n_iter_
    assert n_rounds == 1
    assert {int(tree.n_node_samples[0]) for tree in boosted.model_.trees} == {225}
    first = boosted.validation_score_
    boosted.set_params(n_estimators=n_rounds + 2).fit(X, y)
    # The same rows are watched: the next round has the score that it had when it was not kept.
    assert boosted.validation_score_[len(first)] == first[n_rounds]
    # They are left out where the rounds are explained, too.
    report = boosted.explain_rounds(X, y)
    assert len(report.rounds) == boosted.n_iter_


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_early_stopping_may_look_at_the_training_rows(cls):
    X, y = data(cls)
    trained = stopping(cls, validation_fraction=None, n_iter_no_change=3).fit(X, y)
    np.testing.assert_array_equal(trained.validation_score_, trained.train_score_)
    assert trained.n_iter_ == np.argmin(trained.train_score_) + 1


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_callbacks_see_every_round_and_can_stop(cls):
    X, y = data(cls)
    rounds, others = [], []

    def until_five(now):
        rounds.append(now)
        return now.round == 5

    boosted = cls(n_estimators=9, callbacks=[until_five, others.append]).fit(X, y)
    assert boosted.n_iter_ == 5
    assert [now.round for now in rounds] == [1, 2, 3, 4, 5]
    assert rounds == others
    assert rounds[0].n_rounds == 9
    assert np.isnan(rounds[0].validation_score)
    np.testing.assert_array_equal([now.train_score for now in rounds], boosted.train_score_)
    boosted.set_params(warm_start=True).fit(X, y)
    assert [now.round for now in rounds] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    with pytest.raises(TypeError, match="callbacks must be callable"):
        cls(callbacks=["me"]).fit(X, y)
    with pytest.raises(ZeroDivisionError):
        cls(callbacks=[lambda _: 1 / 0]).fit(X, y)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_progress_is_written_to_standard_error_alone(cls, capsys):
    X, y = data(cls)
    cls(n_estimators=10, verbose=1).fit(X, y, X_val=X, y_val=y)
    shown = capsys.readouterr()
    assert shown.out == ""
    last = shown.err.splitlines()[-1]
    assert last.startswith(f"{cls.__name__}: 10 of 10 rounds, ")
    assert "error" in last and "train" in last and "validation" in last


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_ctrl_c_in_a_callback_keeps_the_finished_rounds_when_asked(cls):
    X, y = data(cls)

    def interrupt(now):
        if now.round == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="The fit was stopped; the model has the 3 rounds") as caught:
        boosted = cls(callbacks=[interrupt], keep_partial=True).fit(X, y)
    assert caught[0].filename == __file__
    assert boosted.n_iter_ == len(boosted.train_score_) == 3
    unfitted = cls(callbacks=[interrupt])
    with pytest.raises(KeyboardInterrupt):
        unfitted.fit(X, y)
    assert not hasattr(unfitted, "model_")


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("cls", ADABOOSTS)
def test_an_interrupt_keeps_the_finished_rounds_when_asked(cls, keep):
    y = "X[:, 0] + X[:, 1] > 0" if cls is AdaBoostClassifier else "X[:, 0]"
    check_interrupt(cls.__name__, keep, y)


@pytest.mark.parametrize("cls", ADABOOSTS)
def test_what_only_boosters_of_gradients_have_is_answered_with_a_reason(cls):
    X, y = data(cls)
    with pytest.raises(ValueError, match=r"weighs every tree by its own error.*take a rate by round"):
        cls(n_estimators=2, learning_rate=[0.5, 0.1]).fit(X, y)
    boosted = cls(n_estimators=2).fit(X, y)
    assert not hasattr(boosted, "refit_leaves")
    with pytest.raises(AttributeError, match=r"weights that follow from their errors.*need a new fit"):
        boosted.refit_leaves(X, y)
