"""Rows at which an importer would be wrong first: every threshold, its neighbours, zeros, infinities, NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["boundary_rows"]


def boundary_rows(
    thresholds: dict[int, NDArray[np.float64]],
    n_features: int,
    *,
    n_rows: int = 400,
    missing: bool = True,
    infinite: bool = True,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return rows of which each value is a threshold of its column, a neighbour of one, or odd."""
    random = np.random.default_rng(seed)
    odd: list[Any] = [0.0, -0.0, 1e-36, -1e-36, 2e-35, -2e-35, 1e-40, -1e-50, 1e30, -1e30]
    odd += [np.nan] * 3 if missing else []
    odd += [np.inf, -np.inf] if infinite else []
    rows = np.empty((n_rows, n_features))
    for column in range(n_features):
        with np.errstate(all="ignore"):
            rows[:, column] = random.choice(_pool(thresholds.get(column, np.zeros(0)), odd, random), n_rows)
    return rows


def _pool(own: NDArray[np.float64], odd: list[Any], random: np.random.Generator) -> NDArray[np.float64]:
    own = own[np.isfinite(own)]
    single = own.astype(np.float32)
    near = [own, np.nextafter(own, np.inf), np.nextafter(own, -np.inf), own - 0.5, own + 0.5]
    near += [single.astype(float), np.nextafter(single, np.float32(np.inf)).astype(float)]
    near += [np.nextafter(single, np.float32(-np.inf)).astype(float)]
    near += [(near[5] + near[6]) / 2, (near[5] + near[7]) / 2]
    pool = np.concatenate([*near, np.array(odd), random.normal(size=20)])
    return pool
