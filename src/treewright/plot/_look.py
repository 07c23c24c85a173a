"""How words and colours of the library become those of matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import matplotlib.colors
from matplotlib.font_manager import fontManager

from treewright.draw.colours import DARK, LIGHT

__all__ = ["families_for", "page_of", "plain"]

DARK_PAGE = 0.4  # of 1: a page below this lightness is dark
FIRST_OTHER_SCRIPT = 0x2E80  # signs from here on are not in matplotlib's own font
# Fonts with Chinese, Japanese and Korean signs that systems have, the most common first.
WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)


def page_of(ax: Any) -> dict[str, str]:
    """Return the colours of the page that axes stand on: dark where they are."""
    face = ax.get_facecolor()
    if face[3] == 0:  # one sees what is behind
        face = ax.figure.get_facecolor()
    red, green, blue = matplotlib.colors.to_rgb(face)
    return DARK if 0.2126 * red + 0.7152 * green + 0.0722 * blue < DARK_PAGE else LIGHT


def plain(words: str) -> str:
    """Return words that matplotlib does not take for mathematics."""
    return words.replace("$", r"\$")


def families_for(words: Iterable[str]) -> list[str] | None:
    """Return the fonts to look for signs in; None where matplotlib's own has all."""
    if all(ord(sign) < FIRST_OTHER_SCRIPT for content in words for sign in content):
        return None
    return ["sans-serif", *_wide_fonts()]


@lru_cache(maxsize=1)
def _wide_fonts() -> tuple[str, ...]:
    installed = {font.name for font in fontManager.ttflist}
    return tuple(name for name in WIDE_FONTS if name in installed)
