"""Pictures of trees: what stands in them, where it stands, and that it can be read."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.export.drawn import SVG, Drawn
from tests.unit.export.hand_made import chain

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    NewtonBoostingClassifier,
    RandomForestRegressor,
    export_svg,
    export_text,
)
from treewright.datasets import load_tennis
from treewright.draw.colours import DARK, LIGHT, contrast


def table(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "width [cm]": rng.normal(size=n_rows),
            "花瓣長度" * 12: rng.normal(size=n_rows),
            "a name that goes on and on " * 3: rng.exponential(size=n_rows),
            "colour": rng.choice(["red", "green", 'a <b>"blue"</b> & more', "黃色"], n_rows),
            "place": pd.Categorical(rng.choice([f"place {k}" for k in range(40)], n_rows)),
        }
    )
    X.loc[rng.random(n_rows) < 0.2, "width [cm]"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "colour"] = None
    signal = X["width [cm]"].fillna(1) + (X["colour"] == "red") + rng.normal(scale=0.3, size=n_rows)
    return X, pd.Series(np.digitize(signal, [-0.5, 0.5, 1.5]), name="grade")


def models():
    X, y = table()
    many = pd.Series([f"class {k}" for k in np.digitize(X.iloc[:, 1], np.linspace(-2, 2, 19))])
    tennis = load_tennis()
    return {
        "C4.5": (C45Classifier().fit(X, y), X, y, {}),
        "CART": (CARTClassifier(max_depth=4).fit(X, y), X, y, {}),
        "ID3": (ID3Classifier().fit(tennis.X, tennis.y), tennis.X, tennis.y, {}),
        "wide": (ID3Classifier().fit(X[["place", "colour"]], y), X[["place", "colour"]], y, {}),
        "regression": (CARTRegressor(max_depth=3).fit(X, X.iloc[:, 1]), X, X.iloc[:, 1], {}),
        "median": (CARTRegressor(max_depth=3, criterion="absolute_error").fit(X, y), X, y, {}),
        "twenty classes": (CARTClassifier(max_depth=4).fit(X, many), X, many, {}),
        "leaf": (CARTRegressor().fit(X, np.ones(len(X))), X, np.ones(len(X)), {}),
        "forest": (RandomForestRegressor(n_estimators=3, max_depth=3).fit(X, y), X, y, {"tree": 1}),
        "booster": (NewtonBoostingClassifier(n_estimators=2, max_depth=3).fit(X, y), X, y, {"tree": 3}),
    }


MODELS = models()


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("detail", ["auto", "full", "compact", "minimal"])
@pytest.mark.parametrize("name", MODELS)
def test_nothing_overlaps_and_no_word_leaves_its_box(name, detail, orientation):
    model, X, y, which = MODELS[name]
    row = X[[0]] if isinstance(X, np.ndarray) else X.iloc[[0]] if hasattr(X, "iloc") else [X[0]]
    for data in ({}, {"X": X, "y": y, "highlight": row}):
        Drawn(export_svg(model, detail=detail, orientation=orientation, **which, **data)).check()


@pytest.mark.parametrize("name", MODELS)
def test_every_text_can_be_read_on_light_and_dark_pages(name):
    model, X, y, which = MODELS[name]
    picture = Drawn(export_svg(model, X=X, y=y, **which))
    style = picture.root.findtext(f"{SVG}style") or ""
    named = {"i": "ink", "g": "grey"}
    for text in picture.root.iter(f"{SVG}text"):
        colour = named[text.get("class")]
        assert text.get("fill") == LIGHT[colour]  # where rules are taken out, the light page remains
        assert f".{text.get('class')}{{fill:var(--tw-{colour})}}" in style
        for page, ground in itertools.product([LIGHT, DARK], ["page", "card"]):
            assert contrast(page[colour], page[ground]) >= 4.5
    for page in (LIGHT, DARK):
        assert all(f"--tw-{part}:{colour}" in style for part, colour in page.items())
    assert "prefers-color-scheme:dark" in style
    rules = re.sub(r"@media\([^)]*\)", "", style)
    assert all(rule.startswith("#tw") for rule in re.findall(r"[^{}]+(?=\{)", rules))


@pytest.mark.parametrize("name", MODELS)
def test_a_picture_has_a_title_and_fetches_nothing(name):
    model, X, y, which = MODELS[name]
    svg = export_svg(model, X=X, y=y, **which)
    root = Drawn(svg).root
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert root.get("aria-labelledby", "").split() == ids[1:]
    assert root.findtext(f"{SVG}title") and root.findtext(f"{SVG}desc")
    assert svg.count("http") == 1 and "<script" not in svg and "url(" not in svg
    assert "<b>" not in svg


def test_pictures_on_one_page_keep_their_names_apart():
    names = set()
    for model, _, _, which in MODELS.values():
        for detail in ("full", "minimal"):
            names.add(Drawn(export_svg(model, detail=detail, **which)).root.get("id"))
    assert len(names) == 2 * len(MODELS)


def test_the_numbers_are_those_of_the_text():
    X, y = table()
    tree = CARTClassifier(max_depth=3).fit(X, y)
    tips = " ".join(Drawn(export_svg(tree)).tips)
    for line in export_text(tree, show=("n", "value", "impurity", "gain")).splitlines():
        for cell in re.findall(r"n=\d+|gini [\d.]+|gain [\d.]+|\d \d+(?: · \d \d+)*", line.split("n=", 1)[1]):
            assert cell in tips


def test_yes_stands_on_the_left_and_the_tip_has_whole_names():
    X, y = table()
    picture = Drawn(export_svg(CARTClassifier(max_depth=1).fit(X, y), orientation="down"))
    assert len(picture.cards) == 3
    assert [word.split(":")[0] for word in picture.words if word.startswith(("yes:", "no:"))] == ["yes", "no"]
    assert picture.cards[1].right < picture.cards[2].left
    long = CARTRegressor(max_depth=1).fit(X.iloc[:, [1]], X.iloc[:, 1])
    picture = Drawn(export_svg(long))
    assert "花瓣長度" * 12 in picture.tips[0]
    head = next(word for word in picture.words if "≤" in word)
    assert "…" in head and re.search(r"≤ -?[\d.]+$", head)  # the name is cut, the number is not


def test_what_is_left_out_is_counted_and_the_heaviest_nodes_stay():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3000, 5)), rng.integers(0, 2, 3000)
    tree = CARTClassifier().fit(X, y)
    svg = export_svg(tree)
    picture = Drawn(svg)
    picture.check()
    assert 100 < len(picture.cards) <= 127 and len(svg.encode()) <= 150_000
    assert f"… + {tree.tree_.node_count - len(picture.cards)} nodes" in " ".join(picture.words)
    hidden = sum(int(found) for found in re.findall(r"… (\d+) more nodes", " ".join(picture.tips)))
    assert hidden == tree.tree_.node_count - len(picture.cards)
    few = Drawn(export_svg(tree, max_nodes=7))
    assert len(few.cards) <= 7
    assert len(Drawn(export_svg(tree, max_depth=2)).cards) == 7
    assert len(Drawn(export_svg(tree, max_depth=0)).cards) == 1


def test_wide_nodes_show_their_heaviest_branches_and_the_rest_as_one():
    model = MODELS["wide"][0]
    picture = Drawn(export_svg(model))
    rest = [tip for tip in picture.tips if "other branches" in tip]
    assert rest and any(word.startswith("… ") and word.endswith(" branches") for word in picture.words)


def test_deep_trees_are_drawn_without_recursion():
    Drawn(export_svg(chain(5000))).check()
    assert len(Drawn(export_svg(chain(1500), max_nodes=10**6)).cards) == 3001


def test_a_highlighted_row_is_marked_down_to_its_leaf_even_where_others_are_left_out():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(2000, 4)), rng.integers(0, 2, 2000)
    tree = CARTClassifier().fit(X, y)
    path = tree.decision_path(X[[5]]).indices
    picture = Drawn(export_svg(tree, highlight=X[[5]], max_nodes=60))
    marked = [group for group in picture.groups if "m" in group.find(f"{SVG}rect").get("class").split()]
    assert len(marked) == len(path)
    assert sum("the row ends here" in tip for tip in picture.tips) == 1
    with pytest.raises(ValueError, match="highlight takes one row, got 2"):
        export_svg(tree, highlight=X[:2])


def test_a_row_that_is_shared_out_is_marked_on_every_way():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", "z", "z"] * 5})
    tree = C45Classifier().fit(X, ["1", "1", "2", "2", "3", "3"] * 5)
    picture = Drawn(export_svg(tree, highlight=pd.DataFrame({"a": [None]}, dtype=object)))
    assert sum("the row ends here" in tip for tip in picture.tips) == 3
    assert "row: missing" in " ".join(picture.tips)


def test_it_says_where_missing_values_go():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan] * 5})
    tree = CARTClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 1, 1] * 5)
    words = " ".join(Drawn(export_svg(tree)).words)
    assert "no: > 2.5 or missing" in words and "10 missing" in words
    assert "missing" not in export_svg(CARTClassifier().fit([[0.0], [1.0]], [0, 1]))


def test_columns_of_a_chart_do_not_stand_on_both_sides_of_the_threshold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 1)), None
    y = (X[:, 0] > 0.37).astype(int)
    tree = CARTClassifier().fit(X, y)
    svg = export_svg(tree, X=X, y=y, palette=["#111111", "#eeeeee"], detail="full")
    group = Drawn(svg).groups[0]
    threshold = next(p for p in group.iter(f"{SVG}path") if p.get("stroke-dasharray"))
    cut = float(re.match(r"M([\d.]+)", threshold.get("d")).group(1))
    for path in group.iter(f"{SVG}path"):
        for x, width in re.findall(r"M([\d.]+) [\d.]+h([\d.]+)v", path.get("d")):
            if path.get("fill") == "#111111":
                assert float(x) + float(width) <= cut + 0.3
            if path.get("fill") == "#eeeeee":
                assert float(x) >= cut - 0.3


def test_data_with_infinite_huge_and_constant_values_are_drawn():
    X = np.array([[-np.inf], [-1e308], [0.0], [1e308], [np.inf], [np.nan]] * 4)
    y = np.array([0, 0, 0, 1, 1, 1] * 4)
    tree = CARTClassifier().fit(X[np.isfinite(X[:, 0])], y[np.isfinite(X[:, 0])])
    Drawn(export_svg(tree, X=np.nan_to_num(X, posinf=1e308, neginf=-1e308), y=y)).check()
    regression = CARTRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    Drawn(export_svg(regression, X=[[0.0], [0.0]], y=[5.0, 5.0])).check()


@settings(max_examples=25)
@given(
    st.lists(st.text(min_size=1, max_size=90), min_size=2, max_size=2, unique=True),
    st.lists(st.text(min_size=1, max_size=60), min_size=3, max_size=3, unique=True),
)
def test_any_names_give_a_picture_that_a_reader_of_xml_accepts(names, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    tree = CARTClassifier(max_depth=3).fit(X, np.array(classes, dtype=object)[y])
    Drawn(export_svg(tree, feature_names=names, target_name=names[0])).check()


def test_wrong_arguments_name_themselves():
    X, y = table()
    tree = CARTClassifier(max_depth=2).fit(X, y)
    for arguments, message in [
        ({"detail": "huge"}, "detail must be"),
        ({"orientation": "up"}, "orientation must be"),
        ({"max_nodes": 0}, "max_nodes must be 1 or more"),
        ({"max_depth": -1}, "max_depth must be 0 or more"),
        ({"X": X}, "X and y belong together"),
        ({"palette": ["#000000"]}, "palette has 1 colours"),
        ({"X": X, "y": np.full(len(X), 9)}, "y has the class 9, which the model does not know"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            export_svg(tree, **arguments)
