"""What an exporter of programs returns: text or bytes that also know how they were checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CheckReport", "Exported", "ExportedBytes"]


@dataclass(frozen=True)
class CheckReport:
    """How an exported model compares with the model itself.

    Attributes
    ----------
    rows : int
        Rows that were compared.
    largest_difference : float
        Largest difference of a probability or a predicted number; of numbers beyond 1 relative to the number.
    different_predictions : int
        Rows with another class; for numbers, rows that differ at all.
    runtime : str
        What ran the exported model.
    """

    rows: int
    largest_difference: float
    different_predictions: int
    runtime: str

    def __str__(self) -> str:
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows".replace(",", " ")
        return (
            f"{rows} compared, largest difference {self.largest_difference:.3g}, "
            f"{self.different_predictions or 'no'} other predictions; run by {self.runtime}"
        )


class Exported(str):
    """A model as text.

    Attributes
    ----------
    check : CheckReport or None
        How it compares with the model on the rows that `check` was given; None without any.
    """

    __slots__ = ("check",)

    check: CheckReport | None

    def __new__(cls, text: str, check: CheckReport | None = None) -> Exported:
        """Return the text with its report."""
        made = super().__new__(cls, text)
        made.check = check
        return made

    def __getnewargs__(self) -> Any:
        return str(self), self.check


class ExportedBytes(bytes):
    """A model as bytes.

    Attributes
    ----------
    check : CheckReport or None
        As of `Exported`.
    """

    check: CheckReport | None

    def __new__(cls, content: bytes, check: CheckReport | None = None) -> ExportedBytes:
        """Return the bytes with their report."""
        made = super().__new__(cls, content)
        made.check = check
        return made

    def __getnewargs__(self) -> Any:
        return bytes(self), self.check
