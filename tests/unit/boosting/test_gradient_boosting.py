"""What gradient boosting has besides rounds: pruned trees, out-of-bag scores, its trees, its start."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from tests.unit.boosting.boost_data import answers, drawn_rows, mixed_table, table

import treewright
from treewright import (
    CARTRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LeafwiseBoostingRegressor,
)

BOTH = [GradientBoostingClassifier, GradientBoostingRegressor]
OOB = ("oob_scores_", "oob_improvement_", "oob_score_")


def through_file(booster):
    file = io.BytesIO()
    booster.save(file)
    file.seek(0)
    return treewright.load(file)


def raw_stages(booster, X):
    """Return the raw scores before the first round and after each, of shape (n_rounds + 1, n_rows, K)."""
    start = np.repeat(booster.model_.arrays["start"][np.newaxis], len(X), axis=0)
    return np.array([start, *(np.array(raw) for raw in booster._staged_scores(X))])


LOSSES = {
    "squared_error": lambda y, raw: (y - raw[:, 0]) ** 2,
    "absolute_error": lambda y, raw: np.abs(y - raw[:, 0]),
    "quantile": lambda y, raw: np.maximum(0.3 * (y - raw[:, 0]), 0.7 * (raw[:, 0] - y)),
    "poisson": lambda y, raw: np.exp(raw[:, 0]) - y * raw[:, 0],
    "exponential": lambda y, raw: np.exp(np.where(y == 1, -1, 1) * raw[:, 0]),
    "two": lambda y, raw: 2 * (np.logaddexp(0, raw[:, 0]) - y * raw[:, 0]),
    "three": lambda y, raw: np.log(np.exp(raw).sum(axis=1)) - raw[np.arange(len(y)), y],
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", list(LOSSES))
def test_out_of_bag_scores_are_the_losses_of_the_rows_that_a_round_did_not_draw(name, weighted):
    is_class = name in ("exponential", "two", "three")
    cls = GradientBoostingClassifier if is_class else GradientBoostingRegressor
    X, y = table(cls, n_classes=3 if name == "three" else 2)
    y = np.round(np.abs(y)) if name == "poisson" else y
    weights = np.random.RandomState(1).rand(300) + 0.5 if weighted else None
    own = {"loss": "log_loss" if name in ("two", "three") else name} | ({} if is_class else {"alpha": 0.3})
    booster = cls(n_estimators=8, subsample=0.6, random_state=4, **own).fit(X, y, weights)
    left_out = ~drawn_rows(300, 0.6, 8, 4)
    stages = raw_stages(booster, X)

    def mean_loss(raw, rows):
        return np.average(LOSSES[name](y, raw)[rows], weights=None if weights is None else weights[rows])

    scores = np.array([mean_loss(raw, rows) for raw, rows in zip(stages[1:], left_out, strict=True)])
    before = np.array([mean_loss(stages[0], left_out[0]), *scores[:-1]])
    np.testing.assert_allclose(booster.oob_scores_, scores, rtol=1e-10)
    np.testing.assert_allclose(booster.oob_improvement_, before - scores, rtol=1e-8, atol=1e-12)
    assert booster.oob_score_ == booster.oob_scores_[-1]


@pytest.mark.parametrize("cls", BOTH)
def test_there_are_no_out_of_bag_scores_when_every_round_sees_all_rows(cls):
    X, y = table(cls)
    booster = cls(n_estimators=3, subsample=0.5).fit(X, y)
    assert all(hasattr(booster, name) for name in OOB)
    booster.set_params(subsample=1.0).fit(X, y)
    assert not any(hasattr(booster, name) for name in OOB)


def test_a_loss_of_the_user_has_no_out_of_bag_scores():
    X, y = table(GradientBoostingRegressor)
    booster = GradientBoostingRegressor(
        loss=lambda y, raw, weight: (raw - y, np.ones_like(y)), subsample=0.5, n_estimators=3
    ).fit(X, y)
    assert not any(hasattr(booster, name) for name in OOB)


@pytest.mark.parametrize("cls", BOTH)
def test_out_of_bag_scores_do_not_depend_on_the_number_of_threads(cls):
    X, y = table(cls, n_rows=20_000)
    params = {"n_estimators": 3, "subsample": 0.4, "random_state": 0, "ccp_alpha": 0.001}
    one, three = (cls(n_jobs=n_jobs, **params).fit(X, y) for n_jobs in (1, 3))
    assert one.model_.trees.equals(three.model_.trees)
    for name in OOB:
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


@pytest.mark.parametrize("cls", BOTH)
def test_two_fits_have_the_out_of_bag_scores_of_one(cls):
    X, y = table(cls)
    params = {"subsample": 0.5, "random_state": 3, "ccp_alpha": 0.01}
    once = cls(n_estimators=9, **params).fit(X, y)
    twice = cls(n_estimators=4, warm_start=True, **params).fit(X, y).set_params(n_estimators=9).fit(X, y)
    assert once.model_.trees.equals(twice.model_.trees)
    for name in OOB:
        np.testing.assert_allclose(getattr(twice, name), getattr(once, name), rtol=1e-12)


def test_rounds_that_saw_all_rows_have_nan_among_out_of_bag_scores():
    X, y = table(GradientBoostingRegressor)
    booster = GradientBoostingRegressor(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    booster.set_params(n_estimators=5, subsample=0.5).fit(X, y)
    np.testing.assert_array_equal(np.isnan(booster.oob_scores_), [True, True, False, False, False])
    np.testing.assert_array_equal(np.isnan(booster.oob_improvement_), [True, True, False, False, False])
    booster.set_params(n_estimators=6, subsample=1.0).fit(X, y)
    assert np.isnan(booster.oob_scores_[-1]) and np.isnan(booster.oob_score_)
    assert len(through_file(booster).oob_improvement_) == 6


@pytest.mark.parametrize("cls", BOTH)
def test_early_stopping_leaves_an_out_of_bag_score_for_every_round_of_the_model(cls):
    X, y = table(cls)
    booster = cls(
        n_estimators=200, learning_rate=0.5, subsample=0.5, n_iter_no_change=4, tol=0.0, random_state=0
    ).fit(X, y)
    assert booster.n_iter_ < len(booster.validation_score_)
    assert len(booster.oob_scores_) == len(booster.oob_improvement_) == booster.n_iter_
    assert len(booster.estimators_) == booster.n_iter_


@pytest.mark.parametrize("copied", [through_file, lambda booster: pickle.loads(pickle.dumps(booster))])
@pytest.mark.parametrize("cls", BOTH)
def test_a_copy_has_out_of_bag_scores_and_trees(cls, copied):
    X, y = mixed_table(cls)
    booster = cls(n_estimators=4, subsample=0.5, ccp_alpha=0.01, random_state=0).fit(X, y)
    other = copied(booster)
    assert other.ccp_alpha == 0.01
    assert vars(other).keys() == vars(booster).keys()
    for name in OOB:
        np.testing.assert_array_equal(getattr(other, name), getattr(booster, name))
    np.testing.assert_array_equal(other.estimators_[2, 0].predict(X), booster.estimators_[2, 0].predict(X))


@pytest.mark.parametrize("make", [table, mixed_table])
@pytest.mark.parametrize("cls", BOTH)
def test_a_price_of_leaves_makes_smaller_trees(cls, make):
    X, y = make(cls)
    sizes = [
        cls(n_estimators=5, ccp_alpha=alpha).fit(X, y).model_.trees.node_count
        for alpha in (0, 1e-3, 5e-2, 1e9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[3] == 5


@pytest.mark.parametrize("cls", BOTH)
def test_trees_without_a_test_still_take_steps_and_can_be_explained(cls):
    X, y = table(cls)
    weights = np.where(y > 0, 2.0, 1.0)
    booster = cls(n_estimators=3, init="zero", ccp_alpha=1e9).fit(X, y, weights)
    assert np.ptp(answers(booster, X), axis=0).max() == 0
    assert not booster.feature_importances_.any()
    assert booster.train_score_[-1] < booster.train_score_[0]
    assert booster.explain_split(0, tree=1).is_leaf
    assert booster.explain_split(0, tree=1, X=X, y=y, sample_weight=weights).is_leaf


@pytest.mark.parametrize("cls", BOTH)
def test_a_price_of_leaves_must_not_be_negative(cls):
    X, y = table(cls)
    with pytest.raises(ValueError, match=r"'ccp_alpha' parameter of .* must be a float in the range \[0"):
        cls(ccp_alpha=-0.1).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", BOTH)
def test_the_trees_add_up_to_the_raw_scores(cls, n_classes):
    X, y = table(cls, n_classes=n_classes)
    booster = cls(n_estimators=6, learning_rate=0.3, max_features=2, random_state=0).fit(X, y)
    n_outputs = 3 if cls is GradientBoostingClassifier and n_classes == 3 else 1
    members = booster.estimators_
    assert members.shape == (6, n_outputs)
    assert (len(members), members.ndim, members.size) == (6, 2, 6 * n_outputs)
    steps = np.array([[tree.predict(X) for tree in trees] for trees in members])
    raw = booster.model_.arrays["start"] + 0.3 * steps.sum(axis=0).T
    np.testing.assert_allclose(raw, raw_stages(booster, X)[-1], rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(
        members[4, 0].apply(X), booster.apply(X).reshape(300, 6, n_outputs)[:, 4, 0]
    )


def test_the_trees_are_indexed_like_an_array():
    X, y = table(GradientBoostingClassifier, n_classes=3)
    booster = GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0).fit(X, y)
    members = booster.estimators_
    assert isinstance(members[0, 0], CARTRegressor)
    assert members[0, 0].max_depth == 2 and members[0, 0].get_depth() == 2
    assert members[:, 1].shape == (4,)
    assert members[-1].shape == (3,)
    assert members[1:3].shape == (2, 3)
    assert members.ravel().shape == (12,)
    assert np.asarray(members).shape == (4, 3)
    np.testing.assert_array_equal(members[-1, -1].predict(X), members.ravel()[-1].predict(X))
    assert repr(members) == "<4 rounds of 3 fitted trees, each one a CARTRegressor>"
    with pytest.raises(IndexError):
        members[4, 0]
    with pytest.raises(TypeError):
        members[0, 0] = None
    with pytest.raises(ValueError, match="read-only"):
        members[0][0] = None


def test_parameters_that_are_changed_after_fit_do_not_change_the_trees():
    X, y = table(GradientBoostingRegressor)
    booster = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5).fit(X, y)
    before = booster.estimators_[1, 0].predict(X)
    booster.set_params(learning_rate=0.1, max_depth=9)
    np.testing.assert_array_equal(booster.estimators_[1, 0].predict(X), before)
    assert booster.estimators_[1, 0].max_depth == 3


def test_trees_of_a_learning_rate_of_zero_say_zero():
    X, y = table(GradientBoostingRegressor)
    booster = GradientBoostingRegressor(n_estimators=2, learning_rate=0.0).fit(X, y)
    assert not booster.estimators_[1, 0].predict(X).any()


@pytest.mark.parametrize("init", [DummyRegressor(), DummyRegressor, LinearRegression()])
@pytest.mark.parametrize("cls", BOTH)
def test_an_estimator_as_start_is_refused_and_offset_is_named(cls, init):
    X, y = table(cls)
    with pytest.raises(ValueError, match=r"'init' parameter of .* an estimator.*fit\(X, y, offset=…\)"):
        cls(init=init).fit(X, y)


@pytest.mark.parametrize("cls", BOTH)
def test_a_word_for_the_start_that_is_not_known_is_refused(cls):
    X, y = table(cls)
    with pytest.raises(ValueError, match=r"'init' parameter of .* must be a str among \{'zero'\} or None"):
        cls(init="one").fit(X, y)


def test_an_offset_does_what_an_estimator_as_start_would():
    X, y = table(GradientBoostingRegressor)
    line = LinearRegression().fit(X, y)
    booster = GradientBoostingRegressor(init="zero", n_estimators=20).fit(X, y, offset=line.predict(X))
    both = booster.predict(X) + line.predict(X)
    assert np.mean((y - both) ** 2) == pytest.approx(booster.train_score_[-1])


@pytest.mark.parametrize("name", ["oob_scores", "oob_improvement"])
def test_a_file_with_too_few_out_of_bag_scores_is_refused(name):
    X, y = table(GradientBoostingRegressor)
    model = GradientBoostingRegressor(n_estimators=3, subsample=0.5).fit(X, y).model_
    fields = {field: getattr(model, field) for field in model.__dataclass_fields__}
    broken = type(model)(**fields | {"arrays": {**model.arrays, name: model.arrays[name][:2]}})
    with pytest.raises(ValueError, match=f"its {name} has not one number for each round"):
        GradientBoostingRegressor.from_model(broken)


def test_boosters_that_are_not_friedmans_have_no_out_of_bag_scores():
    X, y = table(LeafwiseBoostingRegressor)
    assert not hasattr(LeafwiseBoostingRegressor(n_estimators=2, subsample=0.5).fit(X, y), "oob_scores_")


@pytest.mark.parametrize("cls", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_names_that_mean_nothing_do_little_harm(cls):
    generator = np.random.default_rng(0)
    x = generator.normal(size=1200)
    names = pd.Categorical(generator.integers(0, 400, 1200).astype(str))
    frame = pd.DataFrame({"x": x, "name": names})
    y = x + 0.5 * generator.normal(size=1200)
    y = (y > 0).astype(int) if cls is GradientBoostingClassifier else y

    def loss(columns):
        booster = cls(random_state=0).fit(frame.loc[:799, columns], y[:800])
        held_out = frame.loc[800:, columns]
        answer = (
            booster.predict_proba(held_out)[:, 1]
            if hasattr(cls, "predict_proba")
            else booster.predict(held_out)
        )
        return float(np.mean((answer - y[800:]) ** 2))

    assert loss(["x", "name"]) < 1.15 * loss(["x"])
