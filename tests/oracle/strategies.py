"""Random tables for hypothesis: small integers (many ties) or reals, gaps, categories, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracle.reference import Table
from treewright.criteria import choices

CLASS_CRITERIA = choices(classes=True)
MEAN_CRITERIA = choices(classes=False)
CRITERIA = CLASS_CRITERIA + MEAN_CRITERIA


@dataclass(frozen=True)
class Example:
    """One random learning problem."""

    x: NDArray[np.float64]  # a category is its code 1, 2, ... ; missing is NaN
    y: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    nominal: tuple[bool, ...]
    criterion: str

    @property
    def is_classes(self) -> bool:
        """Whether the target is a class."""
        return self.criterion in CLASS_CRITERIA

    def table(self) -> Table:
        """Return the problem in the form of the reference learner."""
        classes = len(np.unique(self.y)) if self.is_classes else 0
        y = np.unique(self.y, return_inverse=True)[1].astype(np.float64) if self.is_classes else self.y
        return Table.build(self.x, y, self.weight, nominal=self.nominal, n_classes=classes)

    def frame(self) -> Any:
        """Return what a user would pass: an array, or a data frame when there are categories."""
        if not any(self.nominal):
            return self.x
        return frame_of_codes(self.x, self.nominal)


def frame_of_codes(x: NDArray[np.float64], nominal: tuple[bool, ...], prefix: str = "v") -> pd.DataFrame:
    """Turn codes into Categorical columns whose declared order is the order of the codes."""
    columns: dict[str, Any] = {}
    for number, is_nominal in enumerate(nominal):
        column = x[:, number]
        if is_nominal:
            codes = np.nan_to_num(column, nan=0.0).astype(np.int64) - 1
            categories = [f"{prefix}{code}" for code in range(1, int(codes.max(initial=0)) + 2)]
            columns[f"x{number}"] = pd.Categorical.from_codes(codes, categories=categories)
        else:
            columns[f"x{number}"] = column
    return pd.DataFrame(columns)


@st.composite
def examples(
    draw: st.DrawFn,
    *,
    criteria: tuple[str, ...] = CRITERIA,
    max_rows: int = 24,
    nominal: bool = True,
    missing: bool = True,
    weights: bool = True,
    ties: bool = True,
) -> Example:
    """Draw a table. With `ties=False` numbers are reals, so that hardly two gains are equal."""
    criterion = draw(st.sampled_from(criteria))
    n_rows = draw(st.integers(2, max_rows))
    n_columns = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    coarse = ties and draw(st.booleans())
    x = (
        rng.integers(0, 6, size=(n_rows, n_columns)).astype(np.float64)
        if coarse
        else rng.normal(size=(n_rows, n_columns))
    )
    kinds = tuple(nominal and draw(st.booleans()) for _ in range(n_columns))
    for column, is_nominal in enumerate(kinds):
        if is_nominal:
            x[:, column] = rng.integers(1, 6, size=n_rows)
    if missing and draw(st.booleans()):
        x[rng.random(x.shape) < 0.25] = np.nan
    return Example(
        x,
        draw_target(rng, n_rows, criterion, coarse),
        draw_weight(draw, rng, n_rows, weights),
        kinds,
        criterion,
    )


def draw_target(rng: np.random.Generator, n_rows: int, criterion: str, coarse: bool) -> NDArray[np.float64]:
    """Classes 0 to 2 (all of them present once there is room), counts or reals."""
    if criterion in CLASS_CRITERIA:
        y = rng.integers(0, 3, size=n_rows).astype(np.float64)
        y[:2] = (0, 1)
        return y
    if criterion == "poisson":
        y = rng.poisson(1.5, size=n_rows).astype(np.float64)
        y[0] = 1.0
        return y
    return rng.integers(0, 5, size=n_rows).astype(np.float64) if coarse else rng.normal(size=n_rows)


def draw_weight(
    draw: st.DrawFn, rng: np.random.Generator, n_rows: int, weights: bool
) -> NDArray[np.float64] | None:
    """No weights, or quarters: they add up without rounding."""
    return rng.integers(1, 9, size=n_rows) / 4 if weights and draw(st.booleans()) else None
