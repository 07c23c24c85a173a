"""Rows for the tests of clusters, and models as bytes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd

FEATURES = ["a", "b", "whole", "city", "level", "flag"]


def made(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n).astype("float32")})
    table["whole"] = np.where(rng.random(n) < 0.1, np.nan, rng.integers(-3, 300, n))
    table["city"] = rng.choice([f"c{i}" for i in range(300)], n)
    table["level"] = pd.Categorical(rng.choice(list("abc"), n), categories=list("cbad"))
    table["flag"] = rng.random(n) < 0.3
    # A category that one partition alone has.
    table.loc[n // 2 : n // 2 + 50, "city"] = "only here"
    table["w"] = rng.integers(0, 3, n).astype(float)
    table["y"] = table.a + table.flag + (table.city == "c7") + rng.normal(size=n)
    table["late"] = np.where(table.y > 0.5, "yes", "no")
    table["three"] = np.digitize(table.y, [0, 1])
    return table


def saved(estimator: Any) -> bytes:
    file = io.BytesIO()
    estimator.save(file)
    return file.getvalue()
