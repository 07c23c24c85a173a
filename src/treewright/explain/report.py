"""What every report can do: print itself, show itself in a notebook, become plain values or a DataFrame."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from treewright.reports.frame import to_frame
from treewright.reports.html import page_to_html
from treewright.reports.page import Page, Step, page_to_latex, page_to_text

__all__ = ["Report", "WorkedReport", "to_plain"]


def to_plain(value: Any) -> Any:
    """Return dataclasses as dicts, tuples as lists and NumPy scalars as Python's; no number is rounded.

    Infinite numbers become None, because JSON has none. Fields that start with an underscore are left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        plain = {
            f.name: to_plain(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")
        }
        version = getattr(value, "schema_version", None)
        return plain if version is None else {"schema_version": version, **plain}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class Report:
    """What every report can do. A report says how it is laid out; the rest is here."""

    _frame: Any
    # What follows from the fields and belongs to the plain values, too.
    _derived: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Let reports show their text where Python shows objects: all fields would fill pages."""
        cls.__repr__ = Report._text  # type: ignore[assignment, method-assign]

    def _page(self) -> Page:
        """Return the report laid out."""
        raise NotImplementedError

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of its DataFrame."""
        raise NotImplementedError

    def to_svg(self) -> str:
        """Return the report's picture as SVG: no script, no reference, readable on light and dark pages."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas describes them."""
        return {**to_plain(self), **{name: to_plain(getattr(self, name)) for name in self._derived}}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the report as a DataFrame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Which library makes it. By default that of the X that was explained, or else of the X of `fit`;
            where neither was a DataFrame, or the model comes from a file, pandas, or polars without pandas.
        """
        return to_frame(self._columns(), self._frame, backend)

    def _repr_html_(self) -> str:
        return page_to_html(self._page(), self.to_svg())

    def __str__(self) -> str:
        return page_to_text(self._page())

    def _text(self) -> str:
        return str(self)


class WorkedReport(Report):
    """A report with arithmetic: formulas with the numbers put in, step by step."""

    _derived: ClassVar[tuple[str, ...]] = ("steps",)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The formulas with the numbers put in, step by step."""
        raise NotImplementedError

    def to_latex(self) -> str:
        """Return the worked formulas as LaTeX (amsmath)."""
        return page_to_latex(self._page())
