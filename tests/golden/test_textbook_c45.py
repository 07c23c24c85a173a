"""Numbers that textbooks print for ID3 and C4.5: tennis, loan applicants, cricket players."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from treewright import C45Classifier, ID3Classifier
from treewright.datasets import load_loans, load_tennis
from treewright.measures import conditional_entropy, entropy, gain_ratio, information_gain, intrinsic_value

DIGITS = 5e-5
TENNIS_GAINS = {"outlook": 0.2467, "humidity": 0.1518, "wind": 0.0481, "temperature": 0.0292}
TENNIS_SPLIT_INFO = {"outlook": 1.5774, "humidity": 1.0000, "wind": 0.9852, "temperature": 1.5567}
TENNIS_RATIOS = {"outlook": 0.1564, "humidity": 0.1518, "wind": 0.0488, "temperature": 0.0188}
LOAN_GAINS = {"age": 0.0830, "job": 0.3237, "house": 0.4200, "credit": 0.3630}
LOAN_RATIOS = {"age": 0.0524, "job": 0.3524, "house": 0.4325, "credit": 0.2319}

#: Play (yes, no) of each value.
CRICKET = {
    "gender": {"girl": (2, 8), "boy": (13, 7)},
    "class": {"IX": (6, 8), "X": (9, 7)},
    "height": {"short": (5, 7), "tall": (10, 8)},
}


def table_of(data: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Return a textbook table as a data frame and its labels."""
    return pd.DataFrame(data.X, columns=list(data.feature_names)), pd.Series(data.y)


def gain_in_bits(tree: Any, node: int = 0) -> float:
    """Return the gain of a node's test per row."""
    return float(tree.tree_.gain[node] / tree.tree_.weighted_n_node_samples[node])


@pytest.mark.parametrize(
    ("load", "gains"), [(load_tennis, TENNIS_GAINS), (load_loans, LOAN_GAINS)], ids=["tennis", "loans"]
)
def test_id3_finds_the_books_gain_in_every_column(load: Any, gains: dict[str, float]) -> None:
    x, y = table_of(load())
    for column, expected in gains.items():
        assert information_gain(y, x[column]) == pytest.approx(expected, abs=DIGITS)
        stump = ID3Classifier(max_depth=1).fit(x[[column]], y)
        assert gain_in_bits(stump) == pytest.approx(expected, abs=DIGITS)


@pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
@pytest.mark.parametrize(
    ("load", "ratios"), [(load_tennis, TENNIS_RATIOS), (load_loans, LOAN_RATIOS)], ids=["tennis", "loans"]
)
def test_every_column_has_the_books_gain_ratio(load: Any, ratios: dict[str, float]) -> None:
    x, y = table_of(load())
    for column, expected in ratios.items():
        assert gain_ratio(y, x[column]) == pytest.approx(expected, abs=DIGITS)
        # The ratio is what the textbook's epsilon is compared with.
        below, above = (
            C45Classifier(faithful="textbook", min_gain=expected + step).fit(x[[column]], y)
            for step in (-DIGITS, DIGITS)
        )
        assert (below.get_depth(), above.get_depth()) == (1, 0)


def test_the_tennis_table_has_the_books_entropy_and_split_infos() -> None:
    x, y = table_of(load_tennis())
    assert entropy(y) == pytest.approx(0.9403, abs=DIGITS)
    for column, expected in TENNIS_SPLIT_INFO.items():
        assert intrinsic_value(x[column]) == pytest.approx(expected, abs=DIGITS)
    assert sum(information_gain(y, x[column]) for column in x) / 4 == pytest.approx(0.1190, abs=DIGITS)


@pytest.mark.parametrize("faithful", ["r8", "j48", "textbook", "id3"])
def test_every_version_asks_for_the_outlook_first_then_humidity_and_wind(faithful: str) -> None:
    x, y = table_of(load_tennis())
    learner = ID3Classifier() if faithful == "id3" else C45Classifier(faithful=faithful)
    tree = learner.fit(x, y).tree_
    asked = [x.columns[feature] for feature in tree.feature if feature >= 0]
    assert asked[0] == "outlook"
    assert sorted(asked) == ["humidity", "outlook", "wind"]
    assert tree.n_leaves == 5
    assert learner.score(x, y) == 1.0


@pytest.mark.parametrize("faithful", ["textbook", "id3"])
def test_the_loan_tree_asks_for_the_house_then_for_the_job(faithful: str) -> None:
    x, y = table_of(load_loans())
    learner = ID3Classifier() if faithful == "id3" else C45Classifier(faithful=faithful)
    tree = learner.fit(x, y).tree_
    assert [x.columns[feature] for feature in tree.feature if feature >= 0] == ["house", "job"]
    assert learner.score(x, y) == 1.0


def test_the_loan_table_has_the_books_entropy() -> None:
    assert entropy(load_loans().y) == pytest.approx(0.9710, abs=DIGITS)


def humidity() -> tuple[pd.DataFrame, pd.Series]:
    """Return the tennis table with its humidity in numbers."""
    numbers = [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
    play = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
    return pd.DataFrame({"humidity": numbers}), pd.Series(play)


def test_numeric_humidity_is_cut_after_80_by_gain_and_not_after_65_by_ratio() -> None:
    x, y = humidity()
    for cut, gain, ratio in ((80, 0.1022, None), (65, None, 0.1285)):
        below = x["humidity"] <= cut
        if gain is not None:
            assert information_gain(y, below) == pytest.approx(gain, abs=DIGITS)
        if ratio is not None:
            assert gain_ratio(y, below) == pytest.approx(ratio, abs=DIGITS)
    tree = C45Classifier(faithful="textbook", max_depth=1).fit(x, y)
    assert tree.tree_.threshold[0] == 82.5
    assert gain_in_bits(tree) == pytest.approx(0.1022, abs=DIGITS)


@pytest.mark.parametrize(("column", "gain"), [("gender", 0.1366), ("class", 0.0129), ("height", 0.0134)])
def test_the_cricket_players_split_as_in_the_book(column: str, gain: float) -> None:
    rows = [
        (value, play) for value, (yes, no) in CRICKET[column].items() for play in ["yes"] * yes + ["no"] * no
    ]
    table = pd.DataFrame(rows, columns=["value", "play"])
    assert entropy(table["play"]) == 1.0
    # Books subtract rounded entropies, so the last digit may be off by one.
    assert information_gain(table["play"], table["value"]) == pytest.approx(gain, abs=6e-5)
    stump = ID3Classifier().fit(table[["value"]], table["play"])
    assert gain_in_bits(stump) == pytest.approx(gain, abs=6e-5)


def test_the_girls_and_boys_have_the_books_entropies() -> None:
    girls, boys = (["yes"] * yes + ["no"] * no for yes, no in CRICKET["gender"].values())
    assert entropy(girls) == pytest.approx(0.7219, abs=DIGITS)
    assert entropy(boys) == pytest.approx(0.9341, abs=DIGITS)
    both = girls + boys
    assert conditional_entropy(both, ["girl"] * 10 + ["boy"] * 20) == pytest.approx(0.8634, abs=DIGITS)
