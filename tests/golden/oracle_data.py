"""Data sets and stored program outputs of the oracle directory, which stands beside the repository."""

from __future__ import annotations

import csv
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

ORACLE = Path(__file__).resolve().parents[2].parent / "shared" / "oracle"

#: Marks tests that cannot run without the oracle directory.
needs_oracle = pytest.mark.skipif(
    not ORACLE.is_dir(), reason=f"the oracle directory {ORACLE.name} is not here"
)


@dataclass(frozen=True)
class OracleTable:
    """One data set: categories are codes 1, 2, ... in declared order, missing is NaN."""

    name: str
    names: tuple[str, ...]
    categories: tuple[tuple[str, ...] | None, ...]  # None: numeric
    x: NDArray[np.float64]
    y: NDArray[np.float64]  # class numbers in the order of `classes`, or the target of a regression
    classes: tuple[str, ...]

    @property
    def nominal(self) -> tuple[bool, ...]:
        """Which columns hold categories."""
        return tuple(values is not None for values in self.categories)

    @property
    def n_codes(self) -> list[int]:
        """Number of categories of each column, 0 for a numeric one."""
        return [len(values or ()) for values in self.categories]

    def numeric(self, column: int, dtype: Any = np.float64) -> NDArray[Any]:
        """Return one numeric column."""
        return self.x[:, column].astype(dtype)

    def codes(self, column: int) -> NDArray[np.uint32]:
        """Return one nominal column as codes, 0 = missing."""
        return np.nan_to_num(self.x[:, column], nan=0.0).astype(np.uint32)


def names_of(variant: str) -> list[str]:
    """Return the data sets for which a program's output is stored."""
    return sorted(path.stem for path in (ORACLE / "golden" / variant).glob("*.json"))


def golden(variant: str, name: str) -> dict[str, Any]:
    """Return a stored output."""
    result: dict[str, Any] = json.loads((ORACLE / "golden" / variant / f"{name}.json").read_text())
    return result


@functools.cache
def run_notes() -> dict[str, Any]:
    """Return the tiers and near ties of the C4.5 outputs."""
    if not ORACLE.is_dir():
        return {}
    result: dict[str, Any] = json.loads((ORACLE / "golden" / "annotations.json").read_text())
    return result


def tier(variant: str, letters: str) -> list[str]:
    """Return the data sets of a variant in these tiers, without the runs that a bug of the program spoils."""
    runs = run_notes().get(variant, {})
    return [name for name, run in runs.items() if run["tier"] in letters and not run["minobjs_leak"]]


@functools.cache
def load(name: str, part: str = "train") -> OracleTable:
    """Read a data set."""
    folder = ORACLE / "data" / name
    schema = json.loads((folder / "schema.json").read_text())
    with (folder / schema["files"][part]["file"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = []
    for column in schema["columns"]:
        texts = [row[column["name"]] for row in rows]
        codes = {category: float(code) for code, category in enumerate(column.get("categories", ()), 1)}
        read = codes.__getitem__ if column["kind"] == "nominal" else float
        columns.append([np.nan if text == "?" else read(text) for text in texts])
    classes = tuple(schema.get("classes", ()))
    target = [row[schema["target"]] for row in rows]
    y = [classes.index(text) for text in target] if classes else [float(text) for text in target]
    return OracleTable(
        name=name,
        names=tuple(column["name"] for column in schema["columns"]),
        categories=tuple(
            tuple(column["categories"]) if column["kind"] == "nominal" else None
            for column in schema["columns"]
        ),
        x=np.array(columns, dtype=np.float64).T,
        y=np.array(y, dtype=np.float64),
        classes=classes,
    )
