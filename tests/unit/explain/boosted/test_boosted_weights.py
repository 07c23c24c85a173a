"""Reports about AdaBoost: the worked example of the books, votes, and weights of rows against NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from tests.unit.explain.boosted.boost_cases import table, three_classes, two_classes
from tests.unit.explain.json_schema import faults, load_schema

import treewright as tw
from treewright.explain import PathReport

LINE = [[x] for x in range(10)]
SIGNS = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]


def books_example() -> Any:
    return tw.AdaBoostClassifier(n_estimators=3).fit(LINE, SIGNS)


# --- rounds ----------------------------------------------------------------------------------------------


def test_the_worked_example_of_the_books_is_told_to_the_digit() -> None:
    report = books_example().explain_rounds(LINE, SIGNS)
    assert [one.test for one in report.rounds] == ["x0 ≤ 2.5", "x0 ≤ 8.5", "x0 ≤ 5.5"]
    assert [round(one.error, 4) for one in report.rounds] == [0.3, 0.2143, 0.1818]
    assert [round(one.alpha, 4) for one in report.rounds] == [0.4236, 0.6496, 0.7520]
    assert [one.weight for one in report.rounds] == pytest.approx([2 * one.alpha for one in report.rounds])
    assert [round(one.training_score, 4) for one in report.rounds] == [0.7, 0.7, 1.0]
    # w · exp(−α·y·G(x)) / Z by hand.
    weights = np.full(10, 0.1)
    for one in report.rounds:
        assert [row.weight for row in one.rows] == pytest.approx(weights)
        says = np.array([int(row.answer) for row in one.rows])
        assert [row.loss for row in one.rows] == (says != np.array(SIGNS)).tolist()
        weights = weights * np.exp(-one.alpha * np.array(SIGNS) * says)
        assert one.normalizer == pytest.approx(weights.sum())
        assert one.normalizer == pytest.approx(2 * np.sqrt(one.error * (1 - one.error)))
        weights /= weights.sum()
        assert [row.next_weight for row in one.rows] == pytest.approx(weights)
    text = str(report)
    assert "α = ½·ln((1 − 0.3000)/0.3000) = 0.4236, weight 2·0.42365 = 0.8473" in text
    assert "0.1000 ✗   0.1667" in text


def test_without_data_the_rounds_know_errors_and_weights() -> None:
    booster = books_example()
    report = booster.explain_rounds(feature_names=["x"])
    assert [one.error for one in report.rounds] == booster.estimator_errors_.tolist()
    assert report.rounds[0].test == "x ≤ 2.5" and report.rounds[0].rows == ()
    assert not report.recomputed and "Pass X and y" in str(report)


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_weights_of_rows_of_three_classes(rate: float) -> None:
    X, y = three_classes()
    booster = tw.AdaBoostClassifier(n_estimators=4, learning_rate=rate).fit(X, y)
    report = booster.explain_rounds(X, y, rows=range(len(y)))
    weights = np.full(len(y), 1 / len(y))
    for number, one in enumerate(report.rounds):
        wrong = booster.estimators_[number].predict(X) != y
        error = weights[wrong].sum()
        assert one.error == pytest.approx(error) and one.alpha == one.weight
        assert one.weight == pytest.approx(rate * (np.log((1 - error) / error) + np.log(2)))
        weights = weights * np.exp(one.weight * wrong)
        assert one.normalizer == pytest.approx(weights.sum())
        weights /= weights.sum()
        assert [row.next_weight for row in one.rows] == pytest.approx(weights.tolist())
        assert one.training_score == pytest.approx(np.mean(list(booster.staged_predict(X))[number] == y))
    assert ("0.5·" in str(report)) == (rate == 0.5)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_weights_of_rows_of_numbers(loss: str) -> None:
    X, y = table()
    booster = tw.AdaBoostRegressor(n_estimators=3, loss=loss, random_state=0).fit(X, y)
    report = booster.explain_rounds(X, y, rows=range(len(y)))
    weights = np.full(len(y), 1 / len(y))
    for number, one in enumerate(report.rounds):
        size = np.abs(booster.estimators_[number].predict(X) - y)
        size /= size.max()
        size = {"linear": size, "square": size**2, "exponential": 1 - np.exp(-size)}[loss]
        assert [row.loss for row in one.rows] == pytest.approx(size.tolist())
        error = (weights * size).sum()
        assert one.error == pytest.approx(error) and one.alpha is None
        weights = weights * (error / (1 - error)) ** (1 - size)
        weights /= weights.sum()
        assert [row.next_weight for row in one.rows] == pytest.approx(weights.tolist())
    assert report.loss == loss and "β = " in str(report)


def test_rows_of_weight_0_keep_their_numbers() -> None:
    weights = [1.0] * 10
    weights[2] = 0.0
    booster = tw.AdaBoostClassifier(n_estimators=2).fit(LINE, SIGNS, sample_weight=weights)
    report = booster.explain_rounds(LINE, SIGNS, weights, rows=[3, 9])
    assert [row.row for row in report.rounds[0].rows] == [3, 9]
    assert report.rounds[0].rows[0].weight == pytest.approx(1 / 9)
    with pytest.raises(ValueError, match="rows names row 2"):
        booster.explain_rounds(LINE, SIGNS, weights, rows=[2])
    assert booster.explain_split(0, LINE, SIGNS, weights, tree=1).n == 9


# --- predictions -----------------------------------------------------------------------------------------


def test_two_classes_are_a_signed_sum_of_alphas() -> None:
    booster = books_example()
    for row, label in zip(LINE, SIGNS, strict=True):
        report = booster.explain_prediction([row])
        assert report.answer == str(label)
        signs = [1 if one.answer == "1" else -1 for one in report.members]
        total = sum(sign * one.alpha for sign, one in zip(signs, report.members, strict=True))
        assert (total > 0) == (label == 1)
        decision = (report.sums[1] - report.sums[0]) / report.total_weight
        assert decision == pytest.approx(booster.decision_function([row])[0])
        assert report.prediction == pytest.approx(tuple(booster.predict_proba([row])[0]))
    assert "− 0.4236 + 0.6496 + 0.7520 = 0.9780 > 0" in str(booster.explain_prediction([[7]]))


@pytest.mark.parametrize("algorithm", ["SAMME", "SAMME.R"])
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_votes_add_up_to_the_decision(algorithm: str, data: Any) -> None:
    X, y = data()
    booster = tw.AdaBoostClassifier(n_estimators=6, algorithm=algorithm).fit(X, y)
    for row in (0, 5, 9):
        report = booster.explain_prediction(X.iloc[[row]])
        sums = np.sum([one.votes for one in report.members], axis=0)
        decision = booster.model_.weighted.decision(booster._encode(X.iloc[[row]])[1], 1)[0]
        np.testing.assert_allclose(sums / report.total_weight, decision)
        assert report.answer == booster.predict(X.iloc[[row]])[0]
        for number, one in enumerate(report.members):
            assert one.answer == booster.estimators_[number].predict(X.iloc[[row]])[0]
            assert (one.alpha is None) == (algorithm == "SAMME.R")


def test_numbers_are_a_weighted_median() -> None:
    X, y = table()
    booster = tw.AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, y)
    report = booster.explain_prediction(X.iloc[[3]])
    assert report.prediction[0] == booster.predict(X.iloc[[3]])[0]
    assert report.members[report.median_tree].prediction == report.prediction
    below = sum(one.weight for one in report.members if one.prediction[0] <= report.prediction[0])
    assert below >= report.total_weight / 2
    assert "← the median" in str(report)


def test_a_single_tree_is_explained_as_a_path() -> None:
    path = books_example().explain_prediction([[7]], tree=1)
    assert isinstance(path, PathReport) and path.algorithm == "CART, tree 1 of 3" and path.answer == "1"


# --- splits ----------------------------------------------------------------------------------------------


def test_a_split_is_searched_again_with_the_weights_of_its_round() -> None:
    report = books_example().explain_split(0, LINE, SIGNS, tree=1)
    assert report.recomputed and report.tree == 1
    # Seven rows of 1/14 and three of 1/6, of which six are + with 3/14 + 3/6.
    assert report.class_weights == pytest.approx((10 * 4 / 14, 10 * 10 / 14))
    assert report.winner.threshold == 8.5
    stored = books_example().explain_split(0, tree=1)
    assert stored.winner.gain == pytest.approx(report.winner.gain)
    assert "Tree 1 of 3: error 0.2143, weight 1.2993." in str(report)


# --- bad input and forms ---------------------------------------------------------------------------------


def test_what_cannot_be_told_is_said() -> None:
    booster = books_example()
    with pytest.raises(ValueError, match=r"Say which tree is meant, e\.g\. tree=2; .* the trees 0 to 2"):
        booster.explain_split(0)
    with pytest.raises(IndexError, match="tree=3 does not exist; the booster has the trees 0 to 2"):
        booster.explain_split(0, tree=3)
    with pytest.raises(IndexError, match="node 9 does not exist; the tree has the nodes 0 to 2"):
        booster.explain_split(9, tree=0)
    with pytest.raises(ValueError, match=r"error .* on these rows, but 0\.3 in fit"):
        booster.explain_rounds(LINE, SIGNS[::-1])
    with pytest.raises(ValueError, match="Pass X and y together"):
        booster.explain_rounds(LINE)
    with pytest.raises(ValueError, match="top must be 1 or more"):
        booster.explain_rounds(top=0)
    X, y = table()
    drawn = tw.AdaBoostRegressor(n_estimators=2, resample=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="resample=True every round draws rows"):
        drawn.explain_split(0, X, y, tree=1)
    assert drawn.explain_split(0, tree=1).tree == 1


def test_every_form_tells_the_same() -> None:
    X, y = table()
    numbers = tw.AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y)
    classes = tw.AdaBoostClassifier(n_estimators=3).fit(*three_classes())
    cases = [
        ("rounds_report", books_example().explain_rounds(LINE, SIGNS)),
        ("rounds_report", numbers.explain_rounds()),
        (
            "rounds_report",
            tw.AdaBoostClassifier(n_estimators=2, algorithm="SAMME.R").fit(LINE, SIGNS).explain_rounds(),
        ),
        ("weighted_report", numbers.explain_prediction(X.iloc[[0]])),
        ("weighted_report", classes.explain_prediction(X.iloc[[0]])),
    ]
    for name, report in cases:
        plain, schema = report.to_dict(), load_schema(name)
        assert json.loads(json.dumps(plain)) == plain
        assert faults(plain, schema, schema) == [], name
        page = report._repr_html_()
        assert "<table>" in page and "<script" not in page
        assert len(report.to_frame()) == len(report.rounds if name == "rounds_report" else report.members)
        for line in str(report).splitlines()[1:3]:
            for cell in line.split():
                assert cell.replace("✗", "") in page or not cell.strip()
    assert r"\tfrac12" in cases[0][1].to_latex()
