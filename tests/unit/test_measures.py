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
