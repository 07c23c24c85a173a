"""How a category may be written as text: in a database, in C, on a command line."""

from __future__ import annotations

from typing import Any

from treewright.program.program import Column

__all__ = ["MISSING_WORDS", "spellings", "text_codes"]

# How a number that is missing is written where numbers are text.
MISSING_WORDS = ("nan", "NaN", "NAN", "-nan")


def spellings(category: Any) -> list[str]:
    """Return the texts that stand for a category, the usual one first."""
    if isinstance(category, str):
        return [category]
    if isinstance(category, bool):
        return ["true", "True", "TRUE", "1", "1.0"] if category else ["false", "False", "FALSE", "0", "0.0"]
    number = float(category)
    texts = [str(category)]
    if number == int(number) if abs(number) < 1e300 else False:
        texts += [str(int(category)), f"{int(category)}.0"]
        if category == 0:
            texts += ["-0", "-0.0"]
    short = f"{number:g}"
    texts += [repr(number), short if float(short) == number else repr(number), f"{number:.17g}"]
    if category in (0, 1):
        texts += spellings(bool(category))
    return list(dict.fromkeys(texts))


def text_codes(column: Column) -> dict[str, int]:
    """Return text -> code of every spelling of the categories of a column.

    Raises
    ------
    ValueError
        When two categories look the same as text, as 1 and "1" do.
    """
    codes: dict[str, int] = {}
    # Texts are what they are; numbers take the spellings that are left.
    for is_text in (True, False):
        for code, category in enumerate(column.categories, 1):
            if isinstance(category, str) is not is_text:
                continue
            first, *others = spellings(category)
            if first in codes:
                raise ValueError(
                    f"Column {column.name!r} has the categories {column.categories[codes[first] - 1]!r} and "
                    f"{category!r}, which look the same as text. Rename one of them before fitting, or "
                    "export to Python, which keeps them apart."
                )
            codes[first] = code
            for text in others:
                codes.setdefault(text, code)
    return codes
