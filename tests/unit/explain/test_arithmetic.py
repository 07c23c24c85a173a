"""Every printed equation holds in its own digits, or says that it is rounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.explain.arithmetic import Equation, equations

import treewright as tw
from treewright.model.equation import Amount, Given, write_equation, write_sum

ROOT = Path(__file__).parents[3]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
Data = tuple[Any, Any, Any]


def words() -> Data:
    rng = np.random.default_rng(1)
    X = rng.choice(["red", "green", "blue", "grey"], size=(60, 3)).astype(object)
    X[5, 0] = X[9, 1] = None
    y = np.where((X[:, 0] == "red") | (rng.random(60) < 0.3), "yes", "no")
    return X, y, None


def many_classes() -> Data:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((150, 3))
    X[::17, 1] = np.nan
    return X, (np.round(3 * X[:, 0]) + 20).astype(int).clip(12, 27), None


def weighted_numbers() -> Data:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((90, 3))
    X[4, 2] = np.nan
    return X, 1000 * X[:, 0] ** 2 + rng.random(90) + 0.5, rng.uniform(0.2, 3.0, 90)


def small_numbers() -> Data:
    X, y, _ = weighted_numbers()
    return X, y * 1e-6, None


def two_classes() -> Data:
    X, y, weights = weighted_numbers()
    return X, y > 800, weights


CLASSES = [words, many_classes, two_classes]
NUMBERS = [weighted_numbers, small_numbers]
FEW: dict[str, Any] = {"n_estimators": 3, "random_state": 0}
OF_CLASSES: list[Any] = [
    tw.C45Classifier(),
    tw.C45Classifier(faithful="j48", prune=None),
    tw.C45Classifier(faithful="textbook"),
    tw.CARTClassifier(max_depth=3),
    tw.CARTClassifier(criterion="entropy", missing="surrogate", max_depth=3),
    tw.BaggingClassifier(**FEW),
    tw.RandomForestClassifier(**FEW),
    tw.ExtraTreesClassifier(**FEW),
    tw.AdaBoostClassifier(**FEW),
    tw.AdaBoostClassifier(learning_rate=0.3, **FEW),
    tw.GradientBoostingClassifier(**FEW),
    tw.NewtonBoostingClassifier(**FEW),
    tw.LeafwiseBoostingClassifier(min_samples_leaf=3, **FEW),
]
LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma")
OF_NUMBERS: list[Any] = [
    *(tw.CARTRegressor(criterion=c, max_depth=3) for c in ("squared_error", "absolute_error", "poisson")),
    tw.RandomForestRegressor(**FEW),
    tw.AdaBoostRegressor(**FEW),
    *(tw.GradientBoostingRegressor(loss=loss, **FEW) for loss in LOSSES),
    tw.NewtonBoostingRegressor(max_delta_step=0.2, **FEW),
    tw.LeafwiseBoostingRegressor(min_samples_leaf=3, **FEW),
]
CASES: list[tuple[Any, Any]] = [
    *((estimator, data) for estimator in OF_CLASSES for data in CLASSES),
    *((estimator, data) for estimator in OF_NUMBERS for data in NUMBERS),
    (tw.ID3Classifier(), words),
    (tw.NewtonBoostingClassifier(tree_method="exact", reg_alpha=0.1, **FEW), two_classes),
    (tw.GradientBoostingClassifier(loss="exponential", **FEW), two_classes),
]


def reports(estimator: Any, X: Any, y: Any, weights: Any) -> Iterator[Any]:
    """Yield what an estimator has to report about its first nodes and rows."""
    model = estimator.fit(X, y, sample_weight=weights).model_
    several = len(model.trees) > 1 or hasattr(estimator, "estimators_")
    for tree in range(min(2, len(model.trees))):
        which = {"tree": tree} if several else {}
        for node in model.view(tree):
            if node.id > 4 or (node.is_leaf and model.aggregation != "sum"):
                continue
            yield estimator.explain_split(node.id, **which)
            if model.aggregation == "weighted":
                continue
            yield estimator.explain_split(node.id, X, y, sample_weight=weights, **which)
    for row in (0, 5):
        yield estimator.explain_prediction(X[[row]])
    if hasattr(estimator, "explain_rounds"):
        yield estimator.explain_rounds(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("estimator", "data"), CASES, ids=lambda value: getattr(value, "__name__", str(value))
)
@pytest.mark.filterwarnings("ignore:.*different values")
def test_printed_numbers_give_the_printed_result(estimator: Any, data: Any) -> None:
    found: list[Equation] = []
    for report in reports(estimator, *data()):
        for text in (str(report), report._repr_html_()):
            own = equations(text)
            wrong = [e for e in own if not e.holds]
            assert not wrong, f"{wrong[0]} is {wrong[0].error} units off in\n{report}"
            found += own
    # Nodes of forests are told without a formula; and the mark is the exception.
    assert len(found) > 3 or "Forest" in type(estimator).__name__ or "Trees" in type(estimator).__name__
    assert sum(e.sign == "≈" for e in found) <= 0.1 * len(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_equations_of_a_page_hold_in_their_own_digits(page: Path) -> None:
    for paragraph in page.read_text(encoding="utf-8").split("\n\n"):
        for equation in equations(paragraph):
            assert equation.holds, equation


def test_the_reader_of_equations_sees_what_does_not_hold() -> None:
    (wrong,) = equations("decrease 0.4592 − 0.3571 = 0.1020")
    (right,) = equations("outlook: 5/14·0.97095 (sunny) + 5/14·0.97095 (> 2, rain) = 0.6935 bits")
    assert not wrong.holds and right.holds and "5/14·0.97095" in right.formula
    assert [e.holds for e in equations("H = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403")] == [True]


numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 9))


@given(st.lists(numbers, min_size=1, max_size=6))
def test_a_written_sum_holds_or_is_marked(terms: list[float]) -> None:
    written = write_sum(sum(terms), terms)
    parsed = [float(text) for text in written.operands]
    total = sum(np.copysign(size, term) for size, term in zip(parsed, terms, strict=True))
    result = float(written.result.replace("−", "-"))
    decimals = len(written.result.partition(".")[2])
    assert written.sign == "≈" or abs(total - result) <= 0.5 * 10.0**-decimals + 1e-9
    assert result == pytest.approx(sum(terms), rel=1e-5, abs=1e-4)


@given(st.floats(1e-6, 1e5), st.floats(0.5, 1e4), st.floats(0.0, 10.0))
def test_a_written_quotient_holds_or_is_marked(top: float, weight: float, penalty: float) -> None:
    value = top / (weight + penalty)
    written = write_equation(value, (top, Amount(weight), Given(penalty)), lambda a, b, c: a / (b + c))
    a, b, c = (float(text) for text in written.operands)
    result = float(written.result)
    unit = 10.0 ** -len(written.result.partition(".")[2])
    assert c == pytest.approx(penalty, rel=1e-11)
    off = abs(a / (b + c) - result)
    assert off <= 0.5 * unit + 1e-12 or (written.sign == "≈" and off <= 20 * unit + 1e-3 * result)
