"""Rows on which an exported model must agree: every threshold, its neighbours, infinities, gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["probe_frame"]

UNSEEN = ["never seen", "", 'it\'s "quoted"', "nan", "NULL"]


def probe_frame(model: Any, n_rows: int = 500, seed: int = 0) -> pd.DataFrame:
    """Return rows for a model: in each column everything that could go wrong, mixed at random.

    Parameters
    ----------
    model : Model
        The model.
    n_rows : int
        Rows; more when a column has more values to try.
    seed : int
        Of the mixture.
    """
    generator = np.random.default_rng(seed)
    pools = [_values(model, column, generator) for column in range(model.n_features)]
    n_rows = max(n_rows, *map(len, pools))
    columns: dict[str, Any] = {}
    for feature, pool in zip(model.schema.features, pools, strict=True):
        repeated = [pool[i % len(pool)] for i in range(n_rows)]
        values = [repeated[i] for i in generator.permutation(n_rows)]
        if feature.kind == "numeric":
            columns[feature.name] = np.array(values, dtype=np.float64)
        else:
            columns[feature.name] = pd.Series(values, dtype=object)
    return pd.DataFrame(columns)


def _values(model: Any, column: int, generator: np.random.Generator) -> list[Any]:
    feature = model.schema.features[column]
    if feature.kind != "numeric":
        known = list(feature.categories or ())
        if known and not isinstance(known[0], str):
            return [*known, None] if isinstance(known[0], bool) else [*known, 987654, None]
        return [*known, *UNSEEN, None]
    cuts = [np.zeros(0)]
    for tree in model.trees:
        arrays = tree.to_arrays()
        cuts.append(arrays["threshold"][(arrays["kind"] == 1) & (arrays["feature"] == column)])
        own = arrays["surrogate_feature"] == column
        cuts.append(arrays["surrogate_threshold"][own & (arrays["surrogate_kind"] == 1)])
    thresholds = np.unique(np.concatenate(cuts))
    thresholds = thresholds[np.isfinite(thresholds)]
    near = [thresholds, np.nextafter(thresholds, np.inf), np.nextafter(thresholds, -np.inf)]
    others = [np.inf, -np.inf, np.nan, np.nan, 0.0, -0.0, 5e-324, 1e308]
    return [*np.concatenate(near).tolist(), *others, *generator.normal(size=20).tolist()]
