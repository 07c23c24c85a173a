"""What holds for every display: readable as SVG, drawn by matplotlib on any axes, computed without it."""

import itertools
import re

import matplotlib.pyplot as plt
import pytest
from tests.unit.export.drawn import SVG, Box, Drawn, words_box
from tests.unit.plot.cases import CASES, case

import treewright
from treewright import plot
from treewright.draw.colours import DARK, LIGHT, contrast


def test_every_display_has_a_case():
    displays = {name for name in plot.__all__ if name.endswith("Display")} - {"Display"}
    assert displays == {name.split(",")[0] for name in CASES}
    assert set(plot.__all__) <= set(dir(plot))
    functions = {name for name in plot.__all__ if name.startswith("plot_")} | {"typical_tree"}
    assert functions <= set(treewright.__all__)
    for name in functions:
        assert getattr(treewright, name) is getattr(plot, name)


@pytest.mark.parametrize("name", CASES)
def test_no_word_of_a_chart_overlaps_another_or_leaves_the_picture(name):
    drawn = Drawn(case(name).to_svg())
    boxes = [(text.text, words_box(text)) for text in drawn.root.iter(f"{SVG}text")]
    for words, box in boxes:
        assert drawn.view.holds(box), words
    for (words, one), (others, other) in itertools.combinations(boxes, 2):
        assert not one.touches(other), (words, others)
    for path in drawn.root.iter(f"{SVG}path"):
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d", "")):
            assert drawn.view.holds(Box(float(x), float(y), float(x), float(y)))
    for circle in drawn.root.iter(f"{SVG}circle"):
        x, y, r = (float(circle.get(part)) for part in ("cx", "cy", "r"))
        assert drawn.view.holds(Box(x - r, y - r, x + r, y + r))


@pytest.mark.parametrize("name", CASES)
def test_every_word_of_a_chart_can_be_read_on_light_and_dark_pages(name):
    drawn = Drawn(case(name).to_svg())
    style = drawn.root.findtext(f"{SVG}style") or ""
    named = {"i": "ink", "g": "grey"}
    for text in drawn.root.iter(f"{SVG}text"):
        rule = text.get("class")
        if rule is None:  # words on a cell, which has the same colour on both pages
            assert text.get("fill") in ("#000000", "#ffffff")
            continue
        assert f".{rule}{{fill:var(--tw-{named[rule]})}}" in style
        assert text.get("fill") == LIGHT[named[rule]]
        for page in (LIGHT, DARK):
            assert contrast(page[named[rule]], page["page"]) >= 4.5
    assert all(f"--tw-{part}:{colour}" in style for page in (LIGHT, DARK) for part, colour in page.items())


@pytest.mark.parametrize("name", CASES)
def test_a_chart_has_title_and_words_and_fetches_nothing(name):
    svg = case(name).to_svg()
    root = Drawn(svg).root
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert root.get("aria-labelledby", "").split() == ids[1:]
    assert root.findtext(f"{SVG}title") and root.findtext(f"{SVG}desc")
    assert svg.count("http") == 1 and "<script" not in svg and "url(" not in svg and "<b>" not in svg
    assert len(svg.encode()) <= 150_000
    assert case(name).to_svg() == svg


def test_charts_on_one_page_keep_their_names_apart():
    names = [Drawn(case(name).to_svg()).root.get("id") for name in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", CASES)
def test_matplotlib_draws_the_same_chart(name):
    display = CASES[name]() if name.startswith(("Depths", "Votes")) else case(name)
    _, ax = plt.subplots(figsize=(7, 5))
    assert display.plot(ax=ax) is display
    assert display.ax_ is ax and display.figure_ is ax.figure and display.artists_
    display.figure_.canvas.draw()
    chart = display.to_chart()
    assert ax.get_title(loc="left").replace("\n", " ").replace(r"\$", "$").startswith(chart.title[:20])
    low, high = sorted(ax.get_xlim())
    assert (low, high) == pytest.approx((chart.x.low, chart.x.high))
    assert ax.xaxis_inverted() == chart.x.reverse and ax.yaxis_inverted() == chart.y.reverse
    if chart.legend:
        shown = [text.get_text() for text in ax.get_legend().get_texts()]
        assert len(shown) == min(len(chart.legend), 13)


@pytest.mark.parametrize(
    "name", ["RegionsDisplay, mixed", "VotesDisplay, rounds", "DepthsDisplay, odd names"]
)
def test_a_figure_of_its_own_holds_all_words(name):
    display = CASES[name]().plot()
    figure = display.figure_
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    box = figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1


def test_a_notebook_shows_the_picture_unless_matplotlib_has_drawn_it():
    display = CASES["DepthsDisplay, leaf"]()
    assert display._repr_svg_() == display.to_svg()
    display.plot()
    assert display._repr_svg_() is None


def test_on_a_dark_page_words_and_lines_are_light():
    display = CASES["PruningDisplay, cross-validated"]()
    with plt.style.context("dark_background"):
        _, ax = plt.subplots()
        display.plot(ax=ax)
        notes = [text for text in ax.texts if "chosen" in text.get_text()]
        assert notes and all(text.get_color() == DARK["ink"] for text in notes)


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "chart.svg"
    svg = case("DepthsDisplay, forest").to_svg(path)
    assert path.read_text(encoding="utf-8") == f"{svg}\n"
