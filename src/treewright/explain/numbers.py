"""Numbers as every report writes them, whatever it is rendered to."""

from __future__ import annotations

import math

from treewright.model.number import format_threshold

__all__ = ["count", "number", "signed"]


def number(value: float) -> str:
    """Write a measure: four decimals, or six digits when it is large.

    Examples
    --------
    >>> from treewright.explain.numbers import number
    >>> number(0.24675), number(-0.0), number(12345.678)
    ('0.2467', '0.0000', '12345.7')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) < 100:
        return f"{value + 0.0:.4f}".replace("-0.0000", "0.0000").replace("-", "−")
    return format_threshold(value, 6).replace("-", "−")


def signed(value: float) -> str:
    """Write a difference with its sign."""
    text = number(value)
    return text if text.startswith("−") or value == 0 else f"+{text}"


def count(weight: float) -> str:
    """Write a weight: whole when it is whole, else with four digits.

    Examples
    --------
    >>> from treewright.explain.numbers import count
    >>> count(9.0), count(4.60001)
    ('9', '4.6')
    """
    whole = round(weight)
    return str(whole) if abs(weight - whole) < 1e-9 * max(1.0, abs(weight)) else f"{weight:.4g}"
