"""BoostSplitReport: sums that NumPy finds again from the rows, and arithmetic that adds up."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.explain.boosted.boost_cases import (
    CLASSIFIERS,
    NEWTON,
    REGRESSORS,
    fitted,
    rows_below,
    scores_before,
    sigmoid,
    table,
    three_classes,
    two_classes,
)
from tests.unit.explain.json_schema import faults, load_schema

import treewright as tw
from treewright.explain.boosted import BoostSplitReport


def inner_nodes(booster: Any, tree: int) -> list[int]:
    return np.flatnonzero(booster.model_.trees[tree].n_children > 0).tolist()


# --- against NumPy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", NEWTON)
@pytest.mark.parametrize("tree", [0, 3])
def test_g_and_h_are_the_sums_of_the_logistic_gradients_of_the_rows(make: Any, tree: int) -> None:
    X, y = two_classes()
    booster = fitted(make, X, y, reg_lambda=1.5)
    p = sigmoid(scores_before(booster, X, tree)[:, 0])
    for node in range(booster.model_.trees[tree].node_count):
        here = rows_below(booster, X, tree, node)
        g, h = (p - (y == "yes"))[here].sum(), (p * (1 - p))[here].sum()
        for report in (
            booster.explain_split(node, tree=tree),
            booster.explain_split(node, X, y, tree=tree),
        ):
            assert report.node_sums.n == here.sum()
            assert report.node_sums.gradient == pytest.approx(g, abs=1e-4)
            assert report.node_sums.hessian == pytest.approx(h, rel=1e-5)
            assert report.node_sums.value == pytest.approx(-g / (h + 1.5), abs=1e-5)
            assert report.node_sums.score == pytest.approx(g * g / (h + 1.5), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("make", [tw.NewtonBoostingClassifier, tw.LeafwiseBoostingClassifier])
def test_the_gain_is_that_of_the_children_and_the_node(make: Any) -> None:
    X, y = two_classes()
    booster = fitted(make, X, y, reg_lambda=2.0, gamma=0.5)
    for tree in range(4):
        for node in inner_nodes(booster, tree):
            report = booster.explain_split(node, tree=tree)
            winner = report.winner
            assert winner is not None and winner.chosen
            left, right = winner.branches
            grown = booster.model_.trees[tree]
            assert (left.n, right.n) == tuple(grown.n_node_samples[grown.first_child[node] :][:2])
            scores = [s.gradient**2 / (s.hessian + 2.0) for s in (left, right, report.node_sums)]
            assert winner.gain == pytest.approx(scores[0] + scores[1] - scores[2])
            assert left.gradient + right.gradient == pytest.approx(report.node_sums.gradient, abs=1e-9)


def test_a_leaf_adds_its_value_times_the_learning_rate() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y, learning_rate=0.25)
    arrays = booster.model_.trees.arrays
    leaf = int(np.flatnonzero(booster.model_.trees[2].n_children == 0)[0])
    report = booster.explain_split(leaf, tree=2)
    assert report.is_leaf and report.winner is None and report.own_value is None
    assert report.step == arrays["number"][arrays["begin"][2] + leaf]
    assert report.step == pytest.approx(0.25 * report.node_sums.value, rel=1e-6)
    assert [step.name for step in report.steps] == ["value of node", "step"]


def test_least_squares_trees_tell_sums_of_residuals_and_the_newton_step() -> None:
    X, y = two_classes()
    booster = fitted(tw.GradientBoostingClassifier, X, y)
    p = sigmoid(scores_before(booster, X, 3)[:, 0])
    residual = (y == "yes") - p
    for node in range(booster.model_.trees[3].node_count):
        here = rows_below(booster, X, 3, node)
        own, again = booster.explain_split(node, tree=3), booster.explain_split(node, X, y, tree=3)
        for report in (own, again):
            assert report.method == "least_squares"
            assert -report.node_sums.gradient == pytest.approx(residual[here].sum(), abs=1e-6)
            assert report.node_sums.hessian == here.sum()
            assert report.node_sums.value == pytest.approx(residual[here].mean(), abs=1e-6)
        if own.is_leaf:  # one Newton step (Friedman 2001)
            newton = residual[here].sum() / (p * (1 - p))[here].sum()
            assert again.own_value == pytest.approx(newton, rel=1e-6)
            assert own.own_value == pytest.approx(newton, rel=1e-6)
            assert own.step == pytest.approx(0.1 * newton, rel=1e-6)
            assert "one Newton step Σr/Σp(1 − p)" in str(own) and "one Newton step" in str(again)
            assert again.leaf_step.numerator == pytest.approx(residual[here].sum(), rel=1e-6)
            assert again.leaf_step.denominator == pytest.approx((p * (1 - p))[here].sum(), rel=1e-6)
        else:
            winner = own.winner
            sides = [rows_below(booster, X, 3, int(c)) for c in _children(booster, 3, node)]
            after = sum(((residual[s] - residual[s].mean()) ** 2).sum() for s in sides)
            before = ((residual[here] - residual[here].mean()) ** 2).sum()
            assert winner.gain == pytest.approx(before - after, rel=1e-5)


def _children(booster: Any, tree: int, node: int) -> tuple[int, int]:
    first = int(booster.model_.trees[tree].first_child[node])
    return first, first + 1


@pytest.mark.parametrize("make", REGRESSORS)
def test_numbers_with_weights_and_an_offset(make: Any) -> None:
    X, y = table()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    offset = np.linspace(-1, 1, len(y))
    booster = fitted(make, X, y)
    booster.fit(X, y, sample_weight=weights, offset=offset)
    raw = booster.model_.arrays["start"][0] + offset
    if booster.n_iter_ > 1:
        raw = raw + next(booster.staged_predict(X)) - booster.model_.arrays["start"][0]
    gradient = weights * (raw - y)
    report = booster.explain_split(0, X, y, weights, tree=1, offset=offset)
    assert report.node_sums.gradient == pytest.approx(gradient.sum(), abs=1e-3)
    assert report.node_sums.hessian == pytest.approx(weights.sum(), rel=1e-5)
    assert report.stored.hessian == pytest.approx(report.node_sums.hessian, rel=1e-6)
    with pytest.raises(ValueError, match="sample_weight and offset of fit"):
        booster.explain_split(0, X, y, weights, tree=1)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_trees_of_several_classes_are_named_by_round_and_class(make: Any) -> None:
    X, y = three_classes()
    booster = fitted(make, X, y)
    report = booster.explain_split(0, X, y, round=2, output="middle")
    assert (report.tree, report.round, report.output, report.output_name) == (7, 2, 1, "middle")
    assert report == booster.explain_split(0, X, y, tree=7)
    raw = scores_before(booster, X, 2)
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    assert report.node_sums.gradient == pytest.approx((p[:, 1] - (y == "middle")).sum(), abs=1e-3)
    assert "class middle" in str(report)


@pytest.mark.parametrize("large", [0.0, 1e5])
def test_the_exact_method_is_followed_in_its_single_precision(large: float) -> None:
    X, y = table()
    X = X.drop(columns="colour")
    booster = fitted(tw.NewtonBoostingRegressor, X, y + large, tree_method="exact", n_estimators=8)
    report = booster.explain_split(0, X, y + large, tree=7)
    assert report.node_sums.gradient == pytest.approx(report.stored.gradient, abs=1e-6 * len(y))
    classes = three_classes()[1]
    booster = fitted(tw.NewtonBoostingClassifier, X, classes, tree_method="exact")
    report = booster.explain_split(0, X, classes, round=1, output="low")
    raw = scores_before(booster, X, 1)
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    # Twice the second derivative, as in the xgboost package.
    assert report.node_sums.hessian == pytest.approx(2 * (p[:, 0] * (1 - p[:, 0])).sum(), rel=1e-4)


# --- candidates ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [*CLASSIFIERS])
def test_the_chosen_test_is_the_best_that_is_found_again(make: Any) -> None:
    X, y = two_classes()
    settings = {"max_features": None} if make in NEWTON else {}
    booster = fitted(make, X, y, **settings)
    for tree in range(4):
        for node in inner_nodes(booster, tree):
            report = booster.explain_split(node, X, y, tree=tree)
            assert report.recomputed and {c.index for c in report.candidates} == {0, 1, 2}
            best = max(c.competing_gain for c in report.candidates if c.admissible)
            assert report.winner.competing_gain == pytest.approx(best, rel=1e-5)
            assert report.winner.gain == pytest.approx(
                booster.explain_split(node, tree=tree).winner.gain, rel=1e-4, abs=1e-5
            )


@pytest.mark.parametrize("method", ["hist", "exact"])
def test_the_best_cut_of_a_number_is_the_one_that_a_plain_search_finds(method: str) -> None:
    X, y = table()
    X = X.drop(columns="colour")
    booster = fitted(
        tw.NewtonBoostingRegressor, X, y, tree_method=method, reg_lambda=1.0, min_samples_leaf=1,
        min_child_weight=7.0,
    )  # fmt: skip
    gradient = booster.model_.arrays["start"][0] - y
    report = booster.explain_split(0, X, y, tree=0)
    for candidate in report.candidates:
        column = X.iloc[:, candidate.index].to_numpy()
        best = -math.inf
        for missing_left in (False, True):
            for cut in np.unique(column[~np.isnan(column)]):
                left = (column <= cut) | (np.isnan(column) & missing_left)
                n, g = left.sum(), gradient[left].sum()
                if min(n, len(y) - n) < 7:
                    continue
                rest = gradient.sum() - g
                gain = g**2 / (n + 1) + rest**2 / (len(y) - n + 1) - gradient.sum() ** 2 / (len(y) + 1)
                best = max(best, gain)
        assert candidate.gain == pytest.approx(best, rel=1e-5)


def test_a_subset_of_many_categories_competes_with_a_larger_penalty() -> None:
    random = np.random.default_rng(3)
    names = np.array([f"c{i}" for i in range(12)])
    codes = random.integers(0, 12, 3000)
    X = pd.DataFrame({"city": pd.Categorical(names[codes])})
    y = (codes % 3 == 0) + random.normal(0, 0.1, 3000)
    booster = tw.LeafwiseBoostingRegressor(n_estimators=1, max_leaf_nodes=2, reg_lambda=0.0).fit(X, y)
    for report in (booster.explain_split(0, tree=0), booster.explain_split(0, X, y, tree=0)):
        winner = report.winner
        assert winner.kind == "subset" and winner.more_l2 == 10.0
        assert set(winner.branches[0].words.split(", ")) | set(winner.branches[1].words.split(", ")) == set(
            names
        )
        after = sum(b.gradient**2 / (b.hessian + 10.0) for b in winner.branches)
        assert winner.competing_gain == pytest.approx(after - report.node_sums.score)
        assert winner.competing_gain < winner.gain
        assert "compete with λ + 10" in str(report)


def test_candidates_below_gamma_are_not_admissible() -> None:
    X, y = two_classes()
    free = fitted(tw.NewtonBoostingClassifier, X, y).explain_split(0, X, y, tree=0)
    gains = [candidate.competing_gain for candidate in free.candidates]
    gamma = (min(gains) + max(gains)) / 2
    report = fitted(tw.NewtonBoostingClassifier, X, y, gamma=gamma).explain_split(0, X, y, tree=0)
    assert [c.competing_gain for c in report.candidates] == pytest.approx(sorted(gains, reverse=True))
    assert [c.admissible for c in report.candidates] == [c.competing_gain > gamma for c in report.candidates]
    assert report.candidates[-1].reason == f"gain not above γ = {gamma:g}" and report.winner.admissible


# --- penalties -------------------------------------------------------------------------------------------


def test_alpha_brings_gradients_nearer_to_zero() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y, reg_alpha=3.0)
    report = booster.explain_split(0, X, y, tree=1)
    for side in report.winner.branches:
        shrunk = math.copysign(max(abs(side.gradient) - 3.0, 0.0), side.gradient)
        assert side.score == pytest.approx(shrunk**2 / (side.hessian + 1.0))
        assert side.value == pytest.approx(-shrunk / (side.hessian + 1.0))
    assert "nearer to 0 by α" in str(report)


def test_the_largest_step_limits_value_and_score() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y, max_delta_step=0.2)
    report = booster.explain_split(0, X, y, tree=0)
    capped = [b for b in report.winner.branches if abs(b.value) == 0.2]
    assert capped
    for side in capped:
        score = -(2 * side.gradient * side.value + (side.hessian + 1.0) * side.value**2)
        assert side.score == pytest.approx(score)
    leaf = int(np.flatnonzero(booster.model_.trees[0].n_children == 0)[0])
    own = booster.explain_split(leaf, tree=0)
    assert own.step == pytest.approx(0.1 * own.node_sums.value, rel=1e-6)
    assert "±0.2" in str(own)


# --- what is not known -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", NEWTON)
def test_the_rows_that_a_round_drew_are_drawn_again(make: Any) -> None:
    X, y = two_classes()
    booster = fitted(make, X, y, subsample=0.5, random_state=3)
    for tree in range(4):
        for node in inner_nodes(booster, tree):
            report = booster.explain_split(node, X, y, tree=tree)
            assert report.node_sums.n == report.stored.n < len(X) and "not known" not in str(report)
            assert report.node_sums.gradient == pytest.approx(report.stored.gradient, abs=1e-4)


@pytest.mark.parametrize(
    "make, params",
    [(tw.LeafwiseBoostingClassifier, {"goss": True}), (tw.GradientBoostingClassifier, {"subsample": 0.5})],
)
def test_rows_that_a_round_did_not_see_are_said_not_to_be_known(make: Any, params: dict[str, Any]) -> None:
    X, y = two_classes()
    report = fitted(make, X, y, **params).explain_split(0, X, y, tree=1)
    assert "which rows round 1 saw is not known" in str(report)
    assert report.node_sums.n == len(X) > report.stored.n


def test_rows_that_early_stopping_set_aside_are_set_aside_again() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y, early_stopping=True, n_estimators=20)
    report = booster.explain_split(0, X, y, tree=1)
    assert report.node_sums.n == report.stored.n == 216
    watched = fitted(tw.NewtonBoostingClassifier, X, y, early_stopping=False)
    watched.set_params(early_stopping=True).fit(X, y, X_val=X, y_val=y)
    assert watched.explain_split(0, X, y, tree=1).node_sums.n == 240


def test_a_loss_of_the_users_own_is_asked_again() -> None:
    def squares(y: Any, raw: Any, weight: Any) -> tuple[Any, Any]:
        return 2 * (raw - y), np.full(len(y), 2.0)

    X, y = table()
    booster = fitted(tw.NewtonBoostingRegressor, X, y, loss=squares)
    report = booster.explain_split(0, X, y, tree=1)
    assert report.loss == "custom" and report.node_sums.hessian == pytest.approx(2 * len(y))
    assert "a loss of your own" in str(report)
    booster.set_params(loss="squared_error")
    with pytest.raises(ValueError, match="not stored with the model"):
        booster.explain_split(0, X, y, tree=1)


def test_rows_of_weight_0_take_no_part() -> None:
    X, y = two_classes()
    weights = np.ones(len(y))
    weights[::7] = 0
    booster = fitted(tw.NewtonBoostingClassifier, X, y)
    booster.fit(X, y, sample_weight=weights)
    assert booster.explain_split(0, X, y, weights, tree=2).node_sums.n == (weights > 0).sum()


# --- bad input -------------------------------------------------------------------------------------------


def test_what_does_not_exist_is_answered_with_what_does() -> None:
    X, y = three_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y)
    two = fitted(tw.NewtonBoostingClassifier, *two_classes())
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (0, {}, ValueError, "Say which tree is meant, e.g. tree=11; .* 0 to 11, 3 in each of its 4 rounds"),
        (0, {"tree": 12}, IndexError, "tree=12 does not exist; the booster has the trees 0 to 11"),
        (0, {"tree": "a"}, TypeError, "tree must be the number of a tree, got 'a'"),
        (0, {"round": 4, "output": 0}, IndexError, "round=4 does not exist; .* rounds 0 to 3"),
        (0, {"round": 1}, ValueError, "a tree for each of 3 classes: say which, e.g. output='low'"),
        (0, {"round": 1, "output": "x"}, ValueError, "output='x' does not exist; the classes are"),
        (0, {"tree": 1, "round": 1}, ValueError, "by its number or by round and output"),
        (99, {"tree": 1}, IndexError, "node 99 does not exist; tree 1 has the nodes 0 to"),
        (True, {"tree": 1}, TypeError, "node must be the number of a node"),
        (0, {"tree": 1, "top": 0}, ValueError, "top must be 1 or more"),
    ]
    for node, where, error, words in cases:
        with pytest.raises(error, match=words):
            booster.explain_split(node, **where)
    with pytest.raises(ValueError, match="one raw score: leave output out"):
        two.explain_split(0, round=1, output="yes")
    with pytest.raises(ValueError, match="Pass X and y together"):
        two.explain_split(0, X, tree=0)
    with pytest.raises(ValueError, match="belong to X and y"):
        two.explain_split(0, tree=0, sample_weight=[1.0])


def test_other_rows_than_those_of_fit_are_refused() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y)
    with pytest.raises(ValueError, match="100 of these rows reach node 0 of tree 2, but 240 did in fit"):
        booster.explain_split(0, X[:100], y[:100], tree=2)
    with pytest.raises(ValueError, match=r"these rows have G = .*, but G = .* in fit"):
        booster.explain_split(0, X, y[::-1].copy(), tree=2)


# --- forms -----------------------------------------------------------------------------------------------


def reports() -> list[BoostSplitReport]:
    X, y = two_classes()
    newton = fitted(tw.NewtonBoostingClassifier, X, y, reg_alpha=0.5)
    means = fitted(tw.GradientBoostingRegressor, *table())
    leaf = int(np.flatnonzero(newton.model_.trees[1].n_children == 0)[0])
    return [
        newton.explain_split(0, tree=1),
        newton.explain_split(0, X, y, tree=1),
        newton.explain_split(leaf, X, y, tree=1),
        means.explain_split(0, tree=0),
        means.explain_split(0, *table(), tree=0),
    ]


def test_every_form_tells_the_same() -> None:
    schema = load_schema("boost_split_report")
    for report in reports():
        plain = report.to_dict()
        assert json.loads(json.dumps(plain)) == plain
        assert faults(plain, schema, schema) == []
        text, page = str(report), report._repr_html_()
        for step in report.steps:
            number = step.text.rsplit("= ", 1)[-1]
            assert number in text and number in page
        assert report.to_latex().startswith("$$") and "−" not in report.to_latex()
        frame = report.to_frame()
        assert list(frame["feature"]) == [c.feature for c in report.candidates]


def test_frames_come_in_the_library_of_x() -> None:
    X, y = table()
    own = pl.from_pandas(X.drop(columns="colour"))
    booster = fitted(tw.NewtonBoostingRegressor, own, y)
    assert isinstance(booster.explain_split(0, own, y, tree=0).to_frame(), pl.DataFrame)


def test_the_text_shows_as_many_candidates_as_asked_for() -> None:
    X, y = two_classes()
    report = fitted(tw.NewtonBoostingClassifier, X, y).explain_split(0, X, y, tree=0, top=1)
    assert "… 2 more features" in str(report) and len(report.candidates) == 3
    assert "← chosen" in str(report)


def test_gamma_is_compared_with_the_gain_without_the_half() -> None:
    X, y = two_classes()
    report = fitted(tw.NewtonBoostingClassifier, X, y, gamma=2.0).explain_split(0, tree=0)
    half = next(step for step in report.steps if step.name == "loss falls by")
    assert half.value == pytest.approx(report.winner.gain / 2)
    assert "γ is compared with the gain without the factor ½" in str(report)
    # A gain between γ and 2γ is enough: its half, which the paper compares, would not be.
    gain = report.winner.gain
    assert fitted(tw.NewtonBoostingClassifier, X, y, gamma=0.75 * gain).model_.trees[0].node_count > 1
    assert fitted(tw.NewtonBoostingClassifier, X, y, gamma=1.01 * gain).model_.trees[0].node_count == 1


def test_a_report_is_plain_data() -> None:
    report = reports()[0]
    assert replace(report, top=2) != report and report.margin is None
