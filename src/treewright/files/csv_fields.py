"""How a text file is divided into fields, and how to find that out from its first lines."""

from __future__ import annotations

import csv
import io

__all__ = ["SEPARATORS", "fields_of", "guess_separator"]

SEPARATORS = (",", ";", "\t", "|")


def fields_of(line: str, separator: str) -> list[str]:
    """Return the fields of one record."""
    return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), [])


def guess_separator(head: str) -> str:
    """Return the separator that divides the first records most evenly.

    That which gives the most records as many fields as the header and, among equals, the most fields; a comma
    when nothing divides anything.
    """
    best, best_score = ",", (0.0, 0)
    for separator in SEPARATORS:
        records = [row for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row]
        if not records or len(records[0]) < 2:
            continue
        n_fields = len(records[0])
        agreeing = sum(len(row) == n_fields for row in records) / len(records)
        if (score := (agreeing, n_fields)) > best_score:
            best, best_score = separator, score
    return best
