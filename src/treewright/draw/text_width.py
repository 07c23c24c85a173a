"""How wide words are, without a font at hand: an estimate that rather errs upwards.

The widths are those of a wide common font of screens, in shares of the font's size; scripts that the table
does not have count as wide as a square, as their widest signs are.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["BOLD", "cut", "text_width", "wrap"]

BOLD = 1.13  # how much wider bold letters are

_GROUPS = {
    0.32: "ijlIJ |.,:;'·",
    0.42: 'frt()[]-/\\!`"',
    0.56: "cszLF_?*",
    0.64: "abdeghknopquvxy0123456789TEPYS{}$#°²³",
    0.71: "ABCKRVXZ",
    0.80: "DGHNOQU&~^",
    0.88: "wM=+<>≤≥−±×∞",
    1.02: "mW@%…—→",
}
_WIDTHS = {sign: width for width, signs in _GROUPS.items() for sign in signs}


@lru_cache(maxsize=4096)
def _sign_width(sign: str) -> float:
    if sign in _WIDTHS:
        return _WIDTHS[sign]
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0.0
    base = unicodedata.normalize("NFD", sign)[0]
    if base != sign:
        return _sign_width(base)
    return 0.85 if ord(sign) < 0x0590 else 1.05


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """Return how wide words are at most, in the unit of `size`.

    Examples
    --------
    >>> from treewright.draw.text_width import text_width
    >>> text_width("ill", 10) < text_width("www", 10) < text_width("漢字表", 10)
    True
    """
    return sum(map(_sign_width, words)) * size * (BOLD if bold else 1.0)


def cut(words: str, size: float, most: float, *, bold: bool = False) -> str:
    """Return words that are at most so wide, with … where something is left out.

    Examples
    --------
    >>> from treewright.draw.text_width import cut
    >>> cut("mean concave points", 10, 60), cut("age", 10, 60)
    ('mean co…', 'age')
    """
    if text_width(words, size, bold=bold) <= most:
        return words
    scale = size * (BOLD if bold else 1.0)
    room = most - _sign_width("…") * scale
    kept = 0
    for sign in words:
        room -= _sign_width(sign) * scale
        if room < 0:
            break
        kept += 1
    return words[:kept].rstrip() + "…"


def wrap(words: str, size: float, most: float) -> list[str]:
    """Return words as lines that are at most so wide, broken at blanks, and within words that are wider.

    Examples
    --------
    >>> from treewright.draw.text_width import wrap
    >>> wrap("mean concave points", 10, 90), wrap("所得税申告書", 10, 40)
    (['mean concave', 'points'], ['所得税', '申告書'])
    """
    lines: list[str] = []
    line = ""
    for word in words.split():
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= most:
            line = longer
            continue
        if line:
            lines.append(line)
        line = ""
        for sign in word:
            if line and text_width(line + sign, size) > most:
                lines.append(line)
                line = ""
            line += sign
    return [*lines, line] if line else lines
