"""Numbers that textbooks print, and a CART can show."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from treewright import CARTClassifier, CARTRegressor

LOANS = pd.DataFrame(
    [
        row.split()
        for row in (
            "young no no fair no", "young no no good no", "young yes no good yes", "young yes yes fair yes",
            "young no no fair no", "mid no no fair no", "mid no no good no", "mid yes yes good yes",
            "mid no yes excellent yes", "mid no yes excellent yes", "old no yes excellent yes",
            "old no yes good yes", "old yes no good yes", "old yes no excellent yes", "old no no fair no",
        )
    ],
    columns=["age", "job", "house", "credit", "approved"],
)  # fmt: skip

TENNIS = pd.DataFrame(
    {
        "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast", "sunny", "sunny",
                    "rain", "sunny", "overcast", "overcast", "rain"],
        "humidity": [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80],
        "play": ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"],
    }
)  # fmt: skip


def impurity_after(estimator: Any, node: int = 0) -> float:
    """Return the mean impurity of the children of a node."""
    tree = estimator.tree_
    return float((tree.loss[node] - tree.gain[node]) / tree.weighted_n_node_samples[node])


@pytest.mark.parametrize(
    ("column", "expected"),
    # The best of "one value against the rest" where a column has more than two values.
    [("age", 0.44), ("job", 0.32), ("house", 0.2667), ("credit", 0.32)],
)
def test_the_loan_table_has_the_books_gini_index_for_each_column(column: str, expected: float) -> None:
    stump = CARTClassifier(max_depth=1).fit(LOANS[[column]], LOANS["approved"])
    assert impurity_after(stump) == pytest.approx(expected, abs=5e-5)


def test_the_loan_tree_asks_for_the_house_then_for_the_job() -> None:
    tree = CARTClassifier().fit(LOANS.drop(columns="approved"), LOANS["approved"]).tree_
    assert tree.node_count == 5
    assert sorted(tree.feature[tree.children_left >= 0].tolist()) == [1, 2]
    assert tree.feature[0] == 2
    assert impurity_of_leaves(tree) == 0.0


def impurity_of_leaves(tree: Any) -> float:
    """Return the total loss of the leaves."""
    return float(tree.loss[tree.children_left < 0].sum())


@pytest.mark.parametrize(
    ("counts", "gini", "entropy"),
    [
        ({"girl": (2, 8), "boy": (13, 7)}, 0.41, 0.8634),
        ({"IX": (6, 8), "X": (9, 7)}, 0.4911, 1 - 0.0129),
        ({"short": (5, 7), "tall": (10, 8)}, None, 1 - 0.0134),
    ],
    ids=["gender", "class", "height"],
)
def test_the_cricket_players_split_as_in_the_book(
    counts: dict[str, tuple[int, int]], gini: float | None, entropy: float
) -> None:
    rows = [(value, play) for value, (yes, no) in counts.items() for play in ["yes"] * yes + ["no"] * no]
    table = pd.DataFrame(rows, columns=["value", "play"])
    for criterion, expected in (("gini", gini), ("entropy", entropy)):
        if expected is not None:
            stump = CARTClassifier(criterion=criterion, max_depth=1).fit(table[["value"]], table["play"])
            assert impurity_after(stump) == pytest.approx(expected, abs=6e-5)


def test_the_entropy_of_the_tennis_table_is_the_books() -> None:
    tree = CARTClassifier(criterion="entropy").fit(TENNIS[["humidity"]], TENNIS["play"]).tree_
    assert tree.impurity[0] == pytest.approx(0.9403, abs=5e-5)


def test_numeric_humidity_is_cut_after_80_by_gain() -> None:
    tree = CARTClassifier(criterion="entropy", max_depth=1).fit(TENNIS[["humidity"]], TENNIS["play"]).tree_
    assert tree.threshold[0] == 82.5
    assert tree.gain[0] / 14 == pytest.approx(0.1022, abs=5e-5)


def test_a_binary_split_of_outlook_puts_overcast_against_the_rest() -> None:
    stump = CARTClassifier(max_depth=1).fit(TENNIS[["outlook"]], TENNIS["play"])
    assert sorted(stump.tree_.n_node_samples[1:].tolist()) == [4, 10]
    assert impurity_after(stump) == pytest.approx(10 / 14 * 0.5)


def test_the_regression_stump_of_the_boosting_example_cuts_at_six_and_a_half() -> None:
    y = [5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]
    tree = CARTRegressor(max_depth=1).fit([[float(value)] for value in range(1, 11)], y).tree_
    assert tree.threshold[0] == 6.5
    assert tree.value[1:].ravel().tolist() == pytest.approx([6.2367, 8.9125], abs=5e-5)
    assert tree.loss[1] + tree.loss[2] == pytest.approx(1.9300, abs=5e-5)
