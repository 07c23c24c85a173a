"""A grid of synthetic shapes: rows, columns, classes, values per column and the share of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Shape:
    """A table to make: `classes` 0 is a number as target, `values` 0 a different one in every row."""

    rows: int
    columns: int
    classes: int
    values: int = 0
    categories: float = 0.0

    @property
    def name(self) -> str:
        """What the page calls it, e.g. ``5000 × 20, 20 classes``."""
        target = f"{self.classes} classes" if self.classes else "number"
        few = f", {self.values} values" if self.values else ""
        share = f", {self.categories:.0%} categories" if self.categories else ""
        return f"{self.rows} × {self.columns}, {target}{few}{share}"


GRID = (
    Shape(300, 5, 2),
    Shape(300, 100, 3, values=10, categories=0.5),
    Shape(1_000, 5_000, 2),
    Shape(2_000, 80, 0),
    Shape(5_000, 20, 2),
    Shape(5_000, 20, 20),
    Shape(5_000, 36, 6),
    Shape(5_000, 20, 100),
    Shape(20_000, 15, 0, values=300, categories=0.7),
    Shape(20_000, 20, 5, values=6, categories=0.9),
    Shape(20_000, 47, 3, values=200, categories=0.7),
    Shape(20_000, 500, 2),
    Shape(35_000, 9, 0),
    Shape(55_000, 6, 0),
    Shape(100_000, 20, 2, values=16),
    Shape(100_000, 28, 2),
    Shape(180_000, 14, 0, values=8),
    Shape(1_000_000, 10, 2),
)


def make(shape: Shape, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return columns with effects of falling size on the target, then noise."""
    random = np.random.default_rng([seed, shape.rows, shape.columns])
    score = np.zeros(shape.rows)
    columns: dict[str, Any] = {}
    n_categories = round(shape.columns * shape.categories)
    for i in range(shape.columns):
        effect = 0.9 ** (i % n_categories if 0 < i < n_categories else i)
        if i < n_categories:
            weights = 1 / (np.arange(shape.values) + 3.0)
            codes = random.choice(shape.values, shape.rows, p=weights / weights.sum())
            score += effect * random.standard_normal(shape.values)[codes]
            columns[f"c{i}"] = pd.Categorical.from_codes(
                codes, categories=[f"v{j}" for j in range(shape.values)]
            )
            continue
        values = random.standard_normal(shape.rows).astype(np.float32)
        if shape.values:
            values = np.round(values * shape.values / 5).clip(-shape.values / 2, shape.values / 2)
        score += effect * values / max(1.0, float(values.std()))
        columns[f"x{i}"] = values
    score += random.standard_normal(shape.rows)
    if shape.classes == 0:
        return pd.DataFrame(columns), score
    edges = np.quantile(score, np.linspace(0, 1, shape.classes + 1)[1:-1])
    return pd.DataFrame(columns), np.searchsorted(edges, score)
