from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import measures
from treewright.datasets import load_cricket, load_loans, load_tennis


def test_the_worked_numbers_of_the_cricket_players() -> None:
    X, y, _, _ = load_cricket()
    assert measures.entropy(y) == pytest.approx(1.0)
    gains = [round(measures.information_gain(y, column), 4) for column in X.T]
    assert gains == [0.1366, 0.0129, 0.0134]
    assert round(measures.impurity_after(y, X[:, 1]), 4) == 0.4911


def test_the_worked_numbers_of_the_loans() -> None:
    X, y, _, _ = load_loans()
    assert round(measures.entropy(y), 4) == 0.9710
    assert [round(measures.information_gain(y, column), 4) for column in X.T] == [
        0.0830,
        0.3237,
        0.4200,
        0.3630,
    ]
    one_against_rest = {
        value: round(measures.impurity_after(y, X[:, column] == value), 4)
        for column, value in [
            (0, "young"),
            (0, "mid"),
            (0, "old"),
            (3, "fair"),
            (3, "good"),
            (3, "excellent"),
        ]
    }
    assert one_against_rest == {
        "young": 0.44, "mid": 0.48, "old": 0.44, "fair": 0.32, "good": 0.4741, "excellent": 0.3636,
    }  # fmt: skip


def test_the_worked_numbers_of_the_tennis_days() -> None:
    X, y, _, _ = load_tennis()
    assert [round(measures.intrinsic_value(column), 4) for column in X.T] == [1.5774, 1.5567, 1.0, 0.9852]
    assert [round(measures.gain_ratio(y, column), 4) for column in X.T] == [0.1564, 0.0188, 0.1518, 0.0488]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=30))
def test_a_weight_is_the_same_as_so_many_rows(rows: list[tuple[int, int, int]]) -> None:
    labels, feature, weights = (np.array(column) for column in zip(*rows, strict=True))
    for measure in (measures.information_gain, measures.conditional_entropy, measures.impurity_after):
        repeated = measure(np.repeat(labels, weights), np.repeat(feature, weights))
        assert measure(labels, feature, weights) == pytest.approx(repeated, abs=1e-12)
    assert measures.squared_error(labels, weights) == pytest.approx(
        measures.squared_error(np.repeat(labels, weights)), abs=1e-9
    )


def test_a_feature_with_one_value_has_gain_ratio_zero() -> None:
    assert measures.gain_ratio([0, 1], ["a", "a"]) == 0.0


def test_a_pure_node_has_no_entropy_and_no_minus_sign() -> None:
    assert str(measures.entropy(["a", "a"])) == "0.0"


def test_bad_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        measures.gini([0, 1], [-1.0, 2.0])
    with pytest.raises(ValueError, match="one weight for each"):
        measures.gini([0, 1], [1.0])


def test_counts_say_the_same_as_rows() -> None:
    X, y, _, _ = load_tennis()
    values, classes = np.unique(X[:, 0]), np.unique(y)
    counts = [[int(((X[:, 0] == v) & (y == c)).sum()) for c in classes] for v in values]
    for measure in (measures.information_gain, measures.conditional_entropy, measures.gain_ratio,
                    measures.gini_of_split):  # fmt: skip
        assert measure(counts=counts) == pytest.approx(measure(y, X[:, 0]), abs=1e-15)
    assert measures.intrinsic_value(counts=counts) == pytest.approx(measures.intrinsic_value(X[:, 0]))
    assert measures.gini(counts=np.sum(counts, axis=0)) == pytest.approx(measures.gini(y))


def test_nats_are_bits_times_ln_2() -> None:
    X, y, _, _ = load_loans()
    for column in X.T:
        nats = measures.information_gain(y, column, base=np.e)
        assert nats == pytest.approx(measures.information_gain(y, column) * np.log(2))


@pytest.mark.parametrize("absent", [None, float("nan")])
def test_a_missing_value_is_a_value_a_share_or_nothing(absent: object) -> None:
    feature = np.array(["a", "a", "b", "b", absent], dtype=object)
    y = [0, 0, 1, 1, 0]
    assert measures.information_gain(y, feature, missing="omit") == pytest.approx(1.0)
    assert measures.information_gain(y, feature, missing="fraction") == pytest.approx(0.8)
    assert measures.information_gain(y, feature) == pytest.approx(measures.entropy(y))
    branches = measures.entropy(counts=[2, 2, 1])
    assert measures.gain_ratio(y, feature, missing="fraction") == pytest.approx(0.8 / branches)


def test_the_measures_of_numbers_are_totals() -> None:
    y = np.array([1.0, 2.0, 6.0, 7.0])
    sides = [0, 0, 1, 1]
    assert measures.impurity_after(y, sides, measure=measures.squared_error) == pytest.approx(1.0)
    assert measures.decrease(y, sides, measure=measures.absolute_error) == pytest.approx(10.0 - 2.0)
    assert measures.decrease(y, sides, measure=measures.poisson_deviance) > 0


def test_mathematicians_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        measures.entropy([0, 1], counts=[1, 1])
    with pytest.raises(ValueError, match="one row of class counts per branch"):
        measures.information_gain(counts=[1, 2])
    with pytest.raises(ValueError, match="base must be larger than 1"):
        measures.entropy([0, 1], base=1)
    with pytest.raises(ValueError, match="A label is missing"):
        measures.entropy([0.0, np.nan])
