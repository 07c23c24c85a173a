"""Colours of pictures: light and dark pages, classes that every eye tells apart, contrast."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

__all__ = [
    "BLUE",
    "DARK",
    "GREEN",
    "LIGHT",
    "ORANGE",
    "OTHER",
    "blend",
    "class_colours",
    "contrast",
    "heat",
    "on_colour",
    "ramp",
]

# What text, lines and areas are made of, by name. Text is ink or grey on page or card: 4.5:1 in every pair.
LIGHT: Final = {
    "page": "#ffffff",
    "card": "#f6f8fa",
    "ink": "#1b1f24",
    "grey": "#57606a",
    "line": "#818b96",
    "edge": "#a8b1bb",
    "mark": "#0a58ca",
}
DARK: Final = {
    "page": "#0d1117",
    "card": "#1c2128",
    "ink": "#e6edf3",
    "grey": "#a3adb8",
    "line": "#7d8793",
    "edge": "#57606a",
    "mark": "#6cb0ff",
}

# Okabe and Ito, without black, which is no colour on a dark page; the last is a grey.
OKABE_ITO: Final = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#999999",
)
OTHER: Final = "#8b949e"  # classes that a bar has no room for
BLUE, ORANGE, GREEN = OKABE_ITO[0], OKABE_ITO[5], OKABE_ITO[2]  # of lines: 3:1 on both pages


def class_colours(count: int, palette: str | Sequence[str] = "okabe_ito") -> list[str]:
    """Return one colour per class.

    Parameters
    ----------
    count : int
        Number of classes.
    palette : "okabe_ito" or sequence of str, default="okabe_ito"
        Okabe and Ito's colours up to eight classes, and hues of equal lightness for more of them; or colours
        as ``#rrggbb``, one per class at least.
    """
    if isinstance(palette, str):
        if palette != "okabe_ito":
            raise ValueError(f"palette must be 'okabe_ito' or a list of colours, got {palette!r}.")
        if count <= len(OKABE_ITO):
            return list(OKABE_ITO[:count])
        return [_oklch(0.62, 0.13, 360 * k / count) for k in range(count)]
    colours = [str(colour) for colour in palette]
    for colour in colours:
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
            raise ValueError(f"palette takes colours as '#rrggbb', got {colour!r}.")
    if len(colours) < count:
        raise ValueError(f"palette has {len(colours)} colours, but the model has {count} classes.")
    return colours[:count]


def ramp(share: float) -> str:
    """Return the colour of a number between 0 (pale) and 1 (deep)."""
    share = min(max(share, 0.0), 1.0)
    return _oklch(0.78 - 0.26 * share, 0.08 + 0.07 * share, 250)


def heat(share: float) -> str:
    """Return the colour of a cell between 0 (nearly white) and 1 (deep blue)."""
    share = min(max(share, 0.0), 1.0)
    return _oklch(0.96 - 0.52 * share, 0.02 + 0.12 * share, 250)


def blend(share: float) -> str:
    """Return the colour of a dot between 0 (blue) and 1 (orange), with a contrast of 3:1 on both pages.

    Examples
    --------
    >>> from treewright.draw.colours import blend
    >>> blend(0.0), blend(1.0)
    ('#0072b2', '#d55e00')
    """
    share = min(max(share, 0.0), 1.0)
    ends = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (BLUE, ORANGE)]
    mixed = [round((1 - share) * low + share * high) for low, high in zip(*ends, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def on_colour(ground: str) -> str:
    """Return the colour of words on an area: black or white, one of which has 4.5:1 on any colour.

    Examples
    --------
    >>> from treewright.draw.colours import on_colour
    >>> on_colour("#f0e442"), on_colour("#0072b2")
    ('#000000', '#ffffff')
    """
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, ground))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 to 21.

    Examples
    --------
    >>> from treewright.draw.colours import contrast
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour given by lightness, chroma and hue of the space OKLab (Ottosson 2020)."""
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    parts = [min(max(p, 0.0), 1.0) for p in linear]
    coded = [12.92 * p if p <= 0.0031308 else 1.055 * p ** (1 / 2.4) - 0.055 for p in parts]
    return "#" + "".join(f"{round(255 * p):02x}" for p in coded)
