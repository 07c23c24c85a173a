"""Colours and widths: what is written can be read, on light and on dark pages."""

import itertools

import pytest

from treewright.draw.colours import DARK, LIGHT, class_colours, contrast, ramp
from treewright.draw.text_width import cut, text_width


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out_from_what_they_are_drawn_on(page):
    for text, ground in itertools.product(["ink", "grey"], ["page", "card"]):
        assert contrast(page[text], page[ground]) >= 4.5
    for mark, ground in itertools.product(["line", "mark"], ["page", "card"]):
        assert contrast(page[mark], page[ground]) >= 3


@pytest.mark.parametrize("count", [9, 20, 60])
def test_many_classes_stand_out_from_both_pages(count):
    colours = class_colours(count)
    assert len(set(colours)) == count
    for colour, page in itertools.product(colours, [LIGHT["page"], DARK["page"]]):
        assert contrast(colour, page) >= 3


def test_the_ramp_darkens():
    shades = [contrast(ramp(k / 10), "#ffffff") for k in range(11)]
    assert shades == sorted(shades)


def test_palettes_that_cannot_be_used_are_refused():
    assert class_colours(2, ["#000000", "#ffffff", "#ff0000"]) == ["#000000", "#ffffff"]
    with pytest.raises(ValueError, match="'okabe_ito' or a list"):
        class_colours(2, "rainbow")
    with pytest.raises(ValueError, match="palette has 1 colours, but the model has 2 classes"):
        class_colours(2, ["#000000"])
    with pytest.raises(ValueError, match="got 'url"):
        class_colours(1, ["url(#x)"])


@pytest.mark.parametrize("words", ["mean radius", "日本語の列名" * 9, "W" * 80, "e\u0301" * 30, "🌲" * 20])
@pytest.mark.parametrize("most", [20, 60, 200])
def test_what_is_cut_fits_and_says_that_it_is_cut(words, most):
    short = cut(words, 11, most)
    assert text_width(short, 11) <= most
    assert short == words or (short.endswith("…") and words.startswith(short[:-1]))
