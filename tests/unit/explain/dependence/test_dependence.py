"""Partial dependence: against scikit-learn's recursion, with surrogates, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import GradientBoostingRegressor as TheirBooster
from sklearn.ensemble import RandomForestRegressor as TheirForest
from sklearn.inspection import partial_dependence
from sklearn.tree import DecisionTreeRegressor
from tests.unit.explain.json_schema import faults, load_schema

import treewright
from treewright import datasets


@pytest.fixture(scope="module")
def numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return X, X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.1 * rng.normal(size=500)


@pytest.fixture(scope="module")
def frame() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {"size": rng.normal(size=300), "colour": rng.choice(list("abc"), 300), "age": rng.normal(size=300)}
    )
    y = X["size"] + 2 * (X["colour"] == "a") + X["age"] * (X["colour"] == "b")
    X.loc[::7, "size"] = np.nan
    return X, y


@pytest.mark.parametrize(
    "theirs",
    [
        DecisionTreeRegressor(max_depth=6, random_state=0),
        TheirForest(10, max_depth=6, random_state=0),
        TheirBooster(n_estimators=10, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("features", [[0], [2, 1]])
def test_recursion_is_scikit_learns(numbers: tuple[Any, Any], theirs: Any, features: list[int]) -> None:
    X, y = numbers
    weights = np.random.default_rng(2).uniform(0.5, 2, len(X))
    theirs.fit(X.astype(np.float32), y, sample_weight=weights)
    ours = treewright.imported.from_sklearn(theirs)
    expected = partial_dependence(theirs, X, features, method="recursion", grid_resolution=7)
    report = ours.partial_dependence(features, X, method="recursion", grid_resolution=7)
    for own, their in zip(report.values, expected["grid_values"], strict=True):
        assert list(own) == pytest.approx(their.tolist(), rel=1e-12)
    # Their boosters leave out what the rounds start from.
    start = ours.model_.arrays["start"][0] if isinstance(theirs, TheirBooster) else 0.0
    assert report.average - start == pytest.approx(expected["average"][0], abs=1e-6)


def test_recursion_needs_no_rows(numbers: tuple[Any, Any]) -> None:
    X, y = numbers
    tree = treewright.CARTRegressor(max_depth=3).fit(X, y)
    report = tree.partial_dependence(0, values=[-1.0, 1.0], method="recursion")
    assert report.n_rows == 0
    assert report.average.shape == (2,)
    with pytest.raises(ValueError, match="no rows to choose"):
        tree.partial_dependence(0, method="recursion")


def brute(tree: Any, X: Any, feature: int, values: Any) -> Any:
    found = []
    for value in values:
        moved = X.copy()
        moved[:, feature] = np.nan if value is None else value
        found.append(tree.predict(moved))
    return np.stack(found, axis=1)


def test_surrogates_ask_the_grid_and_the_row() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=400)
    X[:, 2] = X[:, 0] - 0.3 * rng.normal(size=400)
    y = X[:, 0] + (X[:, 1] > 0)
    X[rng.random(X.shape) < 0.3] = np.nan
    tree = treewright.CARTRegressor(surrogates=2, max_depth=5, missing="surrogate").fit(X, y)
    assert len(tree.tree_.to_arrays()["surrogate_feature"])
    for feature in range(3):
        report = tree.partial_dependence(feature, X, grid_resolution=8, kind="individual")
        assert report.values[0][-1] is None
        expected = brute(tree, X, feature, report.values[0])
        assert np.abs(report.individual - expected).max() <= 1e-12
    pair = tree.partial_dependence((1, 0), X, grid_resolution=3)
    for i, a in enumerate(pair.values[0]):
        moved = X.copy()
        moved[:, 1] = np.nan if a is None else a
        assert pair.average[i] == pytest.approx(brute(tree, moved, 0, pair.values[1]).mean(axis=0), abs=1e-12)


def test_given_values_may_repeat_and_stand_in_any_order(frame: tuple[pd.DataFrame, Any]) -> None:
    X, y = frame
    model = treewright.LeafwiseBoostingRegressor(n_estimators=20).fit(X, y)
    report = model.partial_dependence("colour", X, values=["c", "a", None, "a"])
    assert report.values == (("c", "a", None, "a"),)
    assert report.average[1] == report.average[3] > report.average[0]
    shown = report.to_frame()
    assert shown["average"].tolist() == report.average.tolist()
    with pytest.raises(ValueError, match="'d' is no category of 'colour' that fit has seen: "):
        model.partial_dependence("colour", X, values=["d"])
    with pytest.raises(ValueError, match="'size' is a number"):
        model.partial_dependence("size", X, values=["a"])


def test_single_precision_rows_take_values_in_single_precision(numbers: tuple[Any, Any]) -> None:
    X, y = numbers[0].astype(np.float32), numbers[1]
    tree = treewright.CARTRegressor().fit(X, y)
    grid = (X[:40, 0].astype(np.float64) + 1e-12).tolist()
    report = tree.partial_dependence(0, X, values=grid)
    assert report.average == pytest.approx(brute(tree, X, 0, grid).mean(axis=0), abs=1e-12)


def test_weights_count_rows_as_often(numbers: tuple[Any, Any]) -> None:
    X, y = numbers
    model = treewright.NewtonBoostingRegressor(n_estimators=10).fit(X, y)
    weights = np.arange(len(X)) % 3
    twice = np.repeat(X, weights, axis=0)
    found = model.partial_dependence(0, X, values=[-1, 0, 1], sample_weight=weights)
    assert found.average == pytest.approx(model.partial_dependence(0, twice, values=[-1, 0, 1]).average)


def test_raw_scores_of_a_booster_are_the_sum(frame: tuple[pd.DataFrame, Any]) -> None:
    X, y = frame
    model = treewright.LeafwiseBoostingClassifier(n_estimators=20).fit(X, y > 1)
    report = model.partial_dependence("age", X, values=[-1.0, 1.0], output="raw")
    moved = X.assign(age=-1.0)
    assert report.average[0] == pytest.approx(model.decision_function(moved).mean(), abs=1e-12)
    answers = model.partial_dependence("age", X, values=[-1.0, 1.0])
    assert answers.classes == ("False", "True")
    assert answers.average[0] == pytest.approx(model.predict_proba(moved).mean(axis=0), abs=1e-12)


def test_calibrated_forests_answer_calibrated(frame: tuple[pd.DataFrame, Any]) -> None:
    X, y = frame
    forest = treewright.RandomForestClassifier(60, calibrate="oob", oob_score=True, random_state=0)
    forest.fit(X, y > 1)
    found = forest.partial_dependence("age", X, values=[0.5])
    assert found.average[0] == pytest.approx(forest.predict_proba(X.assign(age=0.5)).mean(axis=0), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": "aeg"}, "no feature 'aeg'. Did you mean 'age'"),
        ({"features": 7}, "feature=7 does not exist"),
        ({"features": ["age", "age"]}, "two different ones"),
        ({"features": [0, 1, 2]}, "one feature or a pair"),
        ({"kind": "mean"}, "kind must be one of"),
        ({"method": "auto"}, "method must be one of"),
        ({"output": "logit"}, "output must be one of"),
        ({"kind": "both", "method": "recursion"}, "single rows"),
        ({"output": "answer", "method": "recursion"}, "output='raw'"),
        ({"grid_resolution": 1}, "grid_resolution must be 2 or more"),
        ({"percentiles": (0.9, 0.1), "grid_resolution": 5}, "percentiles"),
        ({"values": []}, "pass at least one"),
        ({"features": ["age", "size"], "values": [1.0]}, "must be a pair"),
        ({"sample_weight": [1.0]}, "sample_weight.shape"),
    ],
)
def test_what_makes_no_sense_is_refused(
    frame: tuple[pd.DataFrame, Any], options: dict[str, Any], words: str
) -> None:
    X, y = frame
    model = treewright.LeafwiseBoostingClassifier(n_estimators=5).fit(X, y > 1)
    with pytest.raises(ValueError, match=words):
        model.partial_dependence(X=X, **{"features": "age", **options})


def test_rows_one_by_one_say_how_much_room_they_would_take(numbers: tuple[Any, Any]) -> None:
    X, y = numbers
    model = treewright.CARTRegressor(max_depth=2).fit(X, y)
    with pytest.raises(MemoryError, match=r"GiB.*kind='average'"):
        model.partial_dependence(0, np.zeros((6000, 4)), values=np.arange(100_000), kind="individual")
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_dependence(0, X[:0], values=[1.0])


def test_forms(frame: tuple[pd.DataFrame, Any]) -> None:
    X, y = frame
    model = treewright.RandomForestClassifier(5, random_state=0).fit(X, pd.qcut(y, 3, labels=list("xyz")))
    schema = load_schema("dependence_report")
    for features in ("size", "colour", ("size", "colour")):
        for kind in ("average", "both"):
            report = model.partial_dependence(features, X[:50], kind=kind, grid_resolution=6)
            plain = report.to_dict()
            assert faults(plain, schema, schema) == []
            assert json.loads(json.dumps(plain)) == plain
            assert "Partial dependence of" in str(report)
            assert "<svg" in report._repr_html_()
            rows = report.to_frame()
            assert len(rows) == (report.average if kind == "average" else report.individual).size
    own = treewright.CARTRegressor(max_depth=3).fit(pl.from_pandas(X), y)
    assert isinstance(own.partial_dependence("size", pl.from_pandas(X)).to_frame(), pl.DataFrame)
    assert faults(own.accumulated_effects("size", X).to_dict(), schema, schema) == []


def test_effects_of_a_line_are_the_line() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 2))
    X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=2000)  # nearly the same
    model = treewright.LeafwiseBoostingRegressor(n_estimators=200, learning_rate=0.1, max_features=1.0)
    model.fit(X, X[:, 0] + X[:, 1])
    both = sum(model.accumulated_effects(f, X, n_bins=20).average[[0, -1]] for f in (0, 1))
    assert both == pytest.approx([-1, 1], abs=0.1)


def test_effects_by_hand() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])
    tree = treewright.CARTRegressor().fit(X, [0.0, 1.0, 4.0, 9.0])
    report = tree.accumulated_effects(0, X, n_bins=3)
    # Edges 0, 1, 2, 3; steps as the rows of each bin see them.
    assert report.values[0] == (0.0, 1.0, 2.0, 3.0)
    ends = [tree.predict([[a, b]])[0] for a, b in ((1, 0), (0, 0), (2, 1), (1, 1), (3, 1), (2, 1))]
    first = np.mean([ends[0] - ends[1], ends[0] - ends[1]])
    steps = np.array([0.0, first, first + ends[2] - ends[3], first + ends[2] - ends[3] + ends[4] - ends[5]])
    mean = (2 * (steps[0] + steps[1]) / 2 + (steps[1] + steps[2]) / 2 + (steps[2] + steps[3]) / 2) / 4
    assert report.average == pytest.approx(steps - mean)


def test_a_category_without_others_and_a_constant_column_have_no_effect() -> None:
    X, y, names, _ = datasets.load_tennis()
    tree = treewright.C45Classifier().fit(X, y)
    report = tree.accumulated_effects("outlook", X, feature_names=names)
    assert set(report.values[0]) == {"sunny", "overcast", "rain"}
    flat = treewright.CARTRegressor().fit([[1.0, 2.0], [1.0, 3.0]], [0.0, 1.0])
    assert flat.accumulated_effects(0, [[1.0, 2.0], [1.0, 3.0]]).average.tolist() == [0.0]
    with pytest.raises(ValueError, match="No row has a value"):
        flat.accumulated_effects(0, [[np.nan, 2.0]])
    assert flat.accumulated_effects((0, 1), [[1.0, 2.0]]).average.tolist() == [[0.0]]
    with pytest.raises(ValueError, match="No row has values of both"):
        flat.accumulated_effects((0, 1), [[np.nan, 2.0]])


def plain_joint_effects(answer: Any, x: Any, y: Any, edges: tuple[Any, Any]) -> Any:
    """Return the second-order effects of two numbers as ALEPlot (R) computes them, loop by loop."""
    (first, second), n = edges, len(x)
    cells: dict[tuple[int, int], list[float]] = {}
    for a, b in zip(x, y, strict=True):
        i = max(1, int(np.searchsorted(first, a)))
        j = max(1, int(np.searchsorted(second, b)))
        high = answer(first[i], second[j]) - answer(first[i - 1], second[j])
        cells.setdefault((i, j), []).append(
            high - (answer(first[i], second[j - 1]) - answer(first[i - 1], second[j - 1]))
        )
    counts = np.zeros((len(first) - 1, len(second) - 1))
    for (i, j), found_here in cells.items():
        counts[i - 1, j - 1] = len(found_here)
    assert counts.min() > 0
    sums = np.zeros((len(first), len(second)))
    for i in range(1, len(first)):
        for j in range(1, len(second)):
            step = np.mean(cells[i, j])
            sums[i, j] = sums[i - 1, j] + sums[i, j - 1] - sums[i - 1, j - 1] + step
    for axis in (0, 1):
        delta, own = np.diff(sums, axis=0), counts
        middle = (delta[:, :-1] + delta[:, 1:]) / 2
        alone = np.concatenate([[0.0], np.cumsum((own * middle).sum(axis=1) / own.sum(axis=1))])
        if axis == 0:
            found = [alone]
            sums, counts = sums.T, counts.T
        else:
            found.append(alone)
            sums, counts = sums.T, counts.T
    sums = sums - found[0][:, None] - found[1]
    corners = (sums[:-1, :-1] + sums[1:, :-1] + sums[:-1, 1:] + sums[1:, 1:]) / 4
    return sums - (counts * corners).sum() / n


def test_effects_of_two_features_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)).round(2)
    model = treewright.CARTRegressor(max_depth=6).fit(X, X[:, 0] * X[:, 1] + X[:, 0])
    report = model.accumulated_effects((0, 1), X, n_bins=4)
    first, second = map(np.array, report.values)
    expected = plain_joint_effects(
        lambda a, b: float(model.predict([[a, b]])[0]), X[:, 0], X[:, 1], (first, second)
    )
    assert report.average == pytest.approx(expected, abs=1e-12)


def test_two_features_that_only_add_up_have_no_effect_together() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"size": rng.normal(size=400), "colour": rng.choice(list("abc"), 400)})
    y = 2 * (X["size"] > 0) + (X["colour"] == "a")
    stumps = treewright.GradientBoostingRegressor(n_estimators=20, max_depth=1).fit(X, y)
    report = stumps.accumulated_effects(("size", "colour"), X)
    assert np.abs(report.average).max() < 1e-12
    both = treewright.CARTRegressor().fit(X, y * (X["colour"] == "b"))
    effects = both.accumulated_effects(("colour", "size"), X, n_bins=5, sample_weight=rng.uniform(1, 2, 400))
    assert effects.average.shape == (3, 6)
    assert effects.average.max() - effects.average.min() > 1
    assert "beyond what each of them does alone" in str(effects)
    assert "effect of both together" in effects.to_svg().lower()


def test_thousands_of_categories_stay_a_small_picture() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"place": [f"k{i % 2000}" for i in range(4000)], "size": rng.normal(size=4000)})
    booster = treewright.LeafwiseBoostingRegressor(n_estimators=5).fit(X, X["size"])
    report = booster.partial_dependence("place", X)
    assert len(report.average) == 2000
    assert len(report._repr_html_()) < 150_000
    assert "1960 values between are not drawn" in report.to_svg()
