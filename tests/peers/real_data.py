"""Real tables that stand beside the repository, as float32 matrices that scikit-learn can read too."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tabular"

#: Marks tests that cannot run without the tables.
needs_tables = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the folder of real tables {FOLDER.name} is not here"
)


@dataclass(frozen=True)
class RealTable:
    """One table: numeric columns, categories as their numbers, missing as NaN; the target as numbers."""

    x: NDArray[np.float32]
    y: NDArray[np.float64]
    is_classes: bool


@functools.cache
def load(name: str, max_rows: int | None = None) -> RealTable:
    """Read a table, or a random part of it."""
    about = json.loads((FOLDER / f"{name}.json").read_text())
    frame = pd.read_parquet(FOLDER / f"{name}.parquet")
    if max_rows is not None and len(frame) > max_rows:
        frame = frame.sample(max_rows, random_state=0)
    columns = []
    for column, facts in about["columns"].items():
        if facts["kind"] == "numeric":
            columns.append(frame[column].to_numpy(dtype=np.float64, na_value=np.nan))
        elif facts["kind"] == "categorical":
            codes = pd.factorize(frame[column], sort=True)[0].astype(np.float64)
            columns.append(np.where(codes < 0, np.nan, codes))
    target = frame[about["target"]]
    is_classes = about["task"] in {"binary", "multiclass"}
    y = pd.factorize(target, sort=True)[0] if is_classes else target.to_numpy(dtype=np.float64)
    x = np.column_stack(columns).astype(np.float32)
    return RealTable(
        x[:, [well_separated(x[:, i]) for i in range(x.shape[1])]], y.astype(np.float64), is_classes
    )


def well_separated(column: NDArray[np.float32]) -> bool:
    """Whether different values differ by more than 1e-7: scikit-learn takes closer ones for equal."""
    values = np.unique(column[~np.isnan(column)]).astype(np.float64)
    return bool(np.all(np.diff(values) > 1.1e-7))
