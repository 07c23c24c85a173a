from __future__ import annotations

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from tests.unit.export.hand_made import MULTIWAY, SUBSET, THRESHOLD, chain, hand_made_model

from treewright import CARTClassifier
from treewright.data import Feature
from treewright.export import export_text
from treewright.export.text import Line, render

TENNIS = [
    {"kind": MULTIWAY, "feature": 0, "first_child": 1, "n_children": 3, "table": 0, "rows": 14,
     "value": [5 / 14, 9 / 14], "loss": 14 * 0.9403, "gain": 14 * 0.2467},
    {"value": [0.0, 1.0], "rows": 4},
    {"kind": MULTIWAY, "feature": 1, "first_child": 4, "n_children": 2, "table": 7, "rows": 5,
     "value": [0.4, 0.6], "loss": 5 * 0.9710, "gain": 5 * 0.9710},
    {"value": [0.6, 0.4], "rows": 5},
    {"value": [1.0, 0.0], "rows": 2},
    {"value": [0.0, 1.0], "rows": 3},
]  # fmt: skip
TENNIS_FEATURES = [
    Feature("outlook", "nominal", ("overcast", "rain", "sunny")),
    Feature("wind", "nominal", ("strong", "weak")),
]
# format 2, length, branch of missing, of the categories, of an unseen one
TENNIS_TABLES = [2, 5, 0, 0, 1, 2, 0, 2, 4, 0, 0, 1, 0]


def tennis_model() -> object:
    return hand_made_model(
        TENNIS, TENNIS_FEATURES, classes=["no", "yes"], criterion="entropy", tables=TENNIS_TABLES
    )


def test_a_multiway_tree_is_printed_with_one_line_per_node() -> None:
    assert export_text(tennis_model(), target_name="play").splitlines() == [
        "play?                            n=14   yes 9 · no 5   entropy 0.940   #0",
        "├─ outlook = overcast ─── yes    n=4    yes 4                          #1",
        "├─ outlook = rain                n=5    yes 3 · no 2   entropy 0.971   #2",
        "│  ├─ wind = strong ───── no     n=2    no 2                           #4",
        "│  └─ wind = weak ─────── yes    n=3    yes 3                          #5",
        "└─ outlook = sunny ────── no     n=5    no 3 · yes 2                   #3",
    ]


def test_a_limited_depth_says_what_is_hidden() -> None:
    text = export_text(tennis_model(), max_depth=1)
    assert text.splitlines()[3] == "│  └─ … 2 more nodes, depth 2, errors 0/5"
    assert "wind" not in text
    assert (
        export_text(tennis_model(), max_depth=0).splitlines()[1] == "└─ … 5 more nodes, depth 2, errors 2/14"
    )


def test_ascii_text_holds_no_other_character() -> None:
    export_text(tennis_model(), ascii=True).encode("ascii")
    export_text(tennis_model(), ascii=True, max_depth=0).encode("ascii")


def test_columns_can_be_chosen_and_an_unknown_one_is_refused() -> None:
    first = export_text(tennis_model(), show=("id", "gain")).splitlines()[0]
    assert first.split() == ["all", "rows", "#0", "gain", "0.247"]
    with pytest.raises(ValueError, match="not 'samples'"):
        export_text(tennis_model(), show=("samples",))  # type: ignore[arg-type]


def test_a_regression_leaf_shows_its_number_and_thresholds_keep_their_digits() -> None:
    model = hand_made_model(
        [
            {"kind": THRESHOLD, "feature": 0, "first_child": 1, "n_children": 2, "threshold": 3.5, "rows": 6,
             "value": [7.25], "loss": 12.0, "gain": 9.0},
            {"value": [6.0], "rows": 3},
            {"value": [12345.678], "rows": 3},
        ],
        [Feature("größe [cm]", "numeric")],
        criterion="squared_error",
    )  # fmt: skip
    lines = export_text(model).splitlines()
    assert lines[0].split() == ["all", "rows", "n=6", "mean", "7.25", "squared", "error", "2", "#0"]
    assert lines[1].startswith("├─ größe [cm] ≤ 3.5 ─") and " 6 " in lines[1]
    assert lines[2].startswith("└─ größe [cm] > 3.5 ─") and " 12345.7 " in lines[2]


def test_a_subset_names_only_categories_that_can_still_occur() -> None:
    colours = Feature("colour", "nominal", ("red", "green", "blue"))
    model = hand_made_model(
        [
            {"kind": SUBSET, "feature": 0, "first_child": 1, "n_children": 2, "table": 0,
             "rows": 6, "value": [1.0]},
            {"value": [1.0], "rows": 3},
            {"kind": SUBSET, "feature": 0, "first_child": 3, "n_children": 2, "table": 3,
             "rows": 3, "value": [1.0]},
            {"value": [2.0], "rows": 1},
            {"value": [3.0], "rows": 2},
        ],
        [colours],
        criterion="squared_error",
        tables=[0, 1, 0b1100, 0, 1, 0b1000],
    )  # fmt: skip
    words = [line.split(" ─")[0].split("  n=")[0].rstrip() for line in export_text(model).splitlines()]
    assert words[1:] == [
        "├─ colour = red",
        "└─ colour in {green, blue}",
        "   ├─ colour = green",
        "   └─ colour = blue",
    ]


def test_a_long_list_of_categories_is_shortened_and_counted() -> None:
    many = tuple(f"category number {i}" for i in range(20))
    model = hand_made_model(
        [
            {"kind": SUBSET, "feature": 0, "first_child": 1, "n_children": 2, "table": 0,
             "rows": 6, "value": [1.0]},
            {"value": [1.0]},
            {"value": [2.0]},
        ],
        [Feature("f", "nominal", many)],
        criterion="squared_error",
        tables=[0, 1, 0b10],
    )  # fmt: skip
    left, right = export_text(model).splitlines()[1:]
    assert left.startswith("├─ f in {category number 1, category number 2, … 17 more} ─")
    assert right.startswith("└─ f = category number 0 ─")


def test_a_line_break_in_a_name_is_escaped() -> None:
    model = hand_made_model(
        [
            {
                "kind": THRESHOLD,
                "feature": 0,
                "first_child": 1,
                "n_children": 2,
                "threshold": 1,
                "value": [0.0],
            },
            {"value": [1.0]},
            {"value": [2.0]},
        ],
        [Feature("two\nlines", "numeric")],
        criterion="squared_error",
    )
    assert len(export_text(model).splitlines()) == 3
    assert "two\\nlines ≤ 1" in export_text(model)


def test_names_can_be_given_and_must_be_as_many_as_features() -> None:
    assert "sky = rain" in export_text(tennis_model(), feature_names=["sky", "wind"])
    with pytest.raises(ValueError, match="1 names, but the model has 2 features"):
        export_text(tennis_model(), feature_names=["sky"])


def test_a_tree_of_100_000_levels_is_abridged() -> None:
    lines = export_text(chain(100_000)).splitlines()
    assert len(lines) < 50
    assert lines[-1].strip().startswith("└─ … 199960 more nodes, depth 100000, errors 0/")
    with pytest.raises(ValueError, match="100000 levels deep"):
        export_text(chain(100_000), max_depth=100_000, max_nodes=10**6)


def test_an_estimator_must_be_fitted_and_the_tree_must_exist() -> None:
    with pytest.raises(NotFittedError):
        export_text(CARTClassifier())
    with pytest.raises(IndexError, match="tree=1 does not exist"):
        export_text(tennis_model(), tree=1)


@pytest.mark.parametrize(
    "other", [5, DecisionTreeClassifier(), DecisionTreeClassifier().fit([[1], [2]], [0, 1])]
)
def test_the_trees_of_others_are_refused(other):
    with pytest.raises(TypeError, match="takes a Treewright estimator or its model_, not"):
        export_text(other)


def test_ascii_text_stands_in_the_same_columns() -> None:
    X = [[v, v % 3] for v in range(30)]
    tree = CARTClassifier(max_depth=3).fit(X, ["yes" if 7 < v <= 19 and w else "no" for v, w in X])
    lines = export_text(tree, ascii=True).splitlines()
    assert any("<=" in line and "---" in line for line in lines)
    for word in ("n=", "#"):
        assert len({line.index(word) for line in lines}) == 1
    assert len({line.index(" no ") for line in lines if "- no " in line}) == 1


def test_columns_stand_closer_where_lines_would_be_wider_than_a_terminal() -> None:
    cells = ("n=1", "a class with a name 1 · another class with a name 2", "gini 0.5", "#0")
    wide = render([Line("r" * 15, "an answer", cells)], ascii=False)
    assert "   gini" not in wide and "  gini" in wide and len(wide) <= 100
    assert "   gini" in render([Line("r" * 8, "an answer", cells)], ascii=False)
