"""plot_tree: the picture of export_svg on any axes, with every word in its box."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text
from sklearn.datasets import load_breast_cancer
from tests.unit.plot import cases

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    NewtonBoostingClassifier,
    RandomForestClassifier,
    export_svg,
    plot_tree,
)
from treewright.draw.colours import DARK, LIGHT


def cancer():
    found = load_breast_cancer(as_frame=True)
    return found.data, found.target.map({0: "malignant", 1: "benign"})


def passengers():
    """Return categories, numbers and missing values, as in the lists of the Titanic."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "class": pd.Categorical(rng.choice(["1st", "2nd", "3rd"], 300)),
            "sex": rng.choice(["female", "male"], 300),
            "age": rng.gamma(5, 6, 300),
        }
    )
    X.loc[rng.random(300) < 0.2, "age"] = np.nan
    odds = (X["sex"] == "female") * 1.6 + (X["class"] == "1st") - (X["age"] > 40) * 0.6
    return X, pd.Series(np.where(odds + rng.normal(size=300) > 1, "survived", "died"), name="fate")


def large():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=3000) > 1).astype(int)
    return CARTClassifier(max_leaf_nodes=500).fit(X, y)


def ten_models():
    """Return the models that pictures are looked at with: estimator, rows, options."""
    tennis, X, y, names = cases.tennis()
    tumours, people = cancer(), passengers()
    return {
        "tennis": (tennis, (X, y), {"feature_names": names, "target_name": "play"}),
        "breast cancer": (CARTClassifier(max_depth=3).fit(*tumours), tumours, {}),
        "passengers": (CARTClassifier(max_depth=3).fit(*people), people, {"highlight": people[0].iloc[[5]]}),
        "passengers, C4.5": (C45Classifier(min_samples_leaf=9).fit(*people), people, {}),
        "regression": (CARTRegressor(max_depth=3).fit(*cases.numbers()), cases.numbers(), {}),
        "500 leaves": (large(), None, {"max_nodes": 60}),
        "forest": (
            RandomForestClassifier(n_estimators=3, random_state=0).fit(*tumours),
            tumours,
            {"tree": 2},
        ),
        "booster": (
            NewtonBoostingClassifier(n_estimators=3, max_depth=3).fit(*tumours),
            tumours,
            {"tree": 1},
        ),
        "twenty classes, odd names": (cases.odd_tree(), cases.odd(), {}),
        "leaf": (cases.leaf(), None, {}),
    }


MODELS = ten_models()


def options_of(name):
    model, rows, options = MODELS[name]
    return model, options if rows is None else {"X": rows[0], "y": rows[1], **options}


def extents(artists):
    figure = artists[0].axes.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [(one.get_text(), one.get_window_extent(renderer)) for one in artists if isinstance(one, Text)]
    cards = [one.get_window_extent(renderer) for one in artists if isinstance(one, FancyBboxPatch)]
    return texts, cards


def holds(box, other, slack):
    return (
        box.x0 - slack <= other.x0
        and other.x1 <= box.x1 + slack
        and box.y0 - slack <= other.y0
        and other.y1 <= box.y1 + slack
    )


@pytest.mark.parametrize("name", MODELS)
def test_words_stay_in_their_boxes_and_boxes_apart(name):
    model, options = options_of(name)
    artists = plot_tree(model, **options)
    axes = artists[0].axes
    unit = axes.transData.transform([(1, 0)])[0, 0] - axes.transData.transform([(0, 0)])[0, 0]
    texts, cards = extents(artists)
    page = axes.get_window_extent()
    for card in cards:
        assert holds(page, card, 1)
    for i, one in enumerate(cards):
        for other in cards[:i]:
            assert min(one.x1, other.x1) <= max(one.x0, other.x0) or min(one.y1, other.y1) <= max(
                one.y0, other.y0
            )
    pad = 5 * unit  # of the card: words stop before its edge, and their descenders reach below the line
    for words, box in texts:
        assert holds(page, box, 1), words
        inside = [card for card in cards if card.contains(box.x0 + 1, (box.y0 + box.y1) / 2)]
        for card in inside:
            assert box.x1 <= card.x1 - pad and box.y0 >= card.y0 - 1 and box.y1 <= card.y1 + 1, words


@pytest.mark.parametrize("name", MODELS)
def test_the_words_are_those_of_the_svg(name):
    model, options = options_of(name)
    artists = plot_tree(model, plt.figure(figsize=(4, 3)).gca(), **options)
    drawn = [artist.get_text() for artist in artists if isinstance(artist, Text)]
    svg = export_svg(model, **options)
    written = re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    escaped = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'"}
    for code, sign in escaped.items():
        written = [words.replace(code, sign) for words in written]
    assert drawn == [words for words in written]


@pytest.mark.parametrize("size", [(8, 6), (14, 9)])
def test_a_picture_keeps_its_proportions_on_any_axes(size):
    tree = CARTClassifier(max_depth=2).fit(*cancer())
    figure, axes = plt.subplots(1, 2, figsize=size)
    artists = plot_tree(tree, axes[0])
    assert {artist.axes for artist in artists} == {axes[0]} and not axes[1].has_data()
    before, _ = extents(artists)
    figure.set_size_inches(2 * size[0], 2 * size[1])
    after, _ = extents(artists)
    for (_, one), (_, other) in zip(before, after, strict=True):
        assert other.width == pytest.approx(2 * one.width, rel=0.25, abs=4)


def test_it_draws_on_empty_axes_that_are_current_as_scikit_learn_does():
    tree = cases.leaf()
    figure = plt.figure(figsize=(5, 4))
    assert plot_tree(tree)[0].axes.figure is figure
    other = plot_tree(tree)[0].axes.figure  # nothing is drawn over something
    assert other is not figure
    _, ax = plt.subplots()
    assert plot_tree(tree)[0].axes is ax


def test_a_dark_page_has_a_dark_picture():
    tree = cases.leaf()
    with plt.style.context("dark_background"):
        dark = plot_tree(tree)
    plt.close("all")
    light = plot_tree(tree)
    inks = [{artist.get_color() for artist in some if isinstance(artist, Text)} for some in (dark, light)]
    assert DARK["ink"] in inks[0] and LIGHT["ink"] in inks[1] and not inks[0] & inks[1]


def test_names_are_not_taken_for_mathematics():
    X = pd.DataFrame({"$a$": [0.0, 1.0] * 5})
    artists = plot_tree(CARTClassifier().fit(X, [r"\alpha$", "_^{"] * 5))
    texts, _ = extents(artists)
    words = [content for content, _ in texts]
    assert "$a$ ≤ 0.5" in words and r"\alpha$" in words


def test_wrong_arguments_name_plot_tree():
    with pytest.raises(TypeError, match="plot_tree takes a Treewright estimator"):
        plot_tree(object())
    with pytest.raises(ValueError, match="a forest of 25 trees: say which one"):
        plot_tree(cases.forest())
