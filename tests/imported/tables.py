"""Tables for models of other libraries: gaps, zeros, equal values, a column of codes for categories."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

__all__ = ["Rows", "real_rows", "synthetic_rows", "target_for"]

TABULAR = Path(__file__).parents[3] / "shared" / "data" / "tabular"
CATEGORIES = 40


class Rows(NamedTuple):
    """Numbers, the last column of which may be taken for categories 0 … 39, and a score to learn."""

    X: NDArray[np.float64]
    score: NDArray[np.float64]

    @property
    def last(self) -> int:
        return self.X.shape[1] - 1


def synthetic_rows(n: int = 400, seed: int = 0) -> Rows:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    X[:, 1] = random.integers(-3, 4, n)
    X[random.random((n, 6)) < 0.15] = np.nan
    X[:, 4] = np.where(random.random(n) < 0.4, 0, X[:, 4])
    X[:, 5] = random.integers(0, CATEGORIES, n)
    z = np.nan_to_num(X)
    score = z[:, 0] + np.abs(z[:, 1]) + z[:, 5] % 3 + z[:, 4] + 0.3 * random.normal(size=n)
    return Rows(X, score)


def real_rows(name: str, n: int = 600) -> Rows:
    """Rows of a real table: its columns of numbers, then one of codes; skipped where it is absent."""
    if not TABULAR.exists():
        pytest.skip("../shared/data/tabular is not beside the checkout")
    pandas = pytest.importorskip("pandas")
    found = sorted(TABULAR.glob(f"{name}*.parquet")) + sorted(TABULAR.glob(f"{name}*.csv*"))
    if not found:
        found = sorted((TABULAR / name).glob("*.parquet")) + sorted((TABULAR / name).glob("*.csv*"))
    if not found:
        pytest.skip(f"there is no table {name} in ../shared/data/tabular")
    frame = pandas.read_parquet(found[0]) if found[0].suffix == ".parquet" else pandas.read_csv(found[0])
    frame = frame.head(n)
    columns = [pandas.to_numeric(frame[c], errors="coerce") for c in frame.columns]
    numbers = [c for c in columns if c.notna().mean() > 0.3]
    X = np.column_stack([np.asarray(c, dtype=np.float64) for c in numbers])
    score = np.nan_to_num(X[:, -1])
    codes = np.unique(np.nan_to_num(X[:, 0]), return_inverse=True)[1] % CATEGORIES
    spread = score.std()
    return Rows(np.column_stack([X[:, :-1], codes]), (score - score.mean()) / (spread if spread > 0 else 1.0))


def target_for(objective: str, score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the target that an objective of LightGBM or XGBoost takes."""
    middle = np.median(score)
    if objective in ("binary", "binary:logistic", "binary:logitraw", "binary:hinge", "rank:map"):
        return (score > middle).astype(float)
    if objective.startswith(("multi", "rank", "lambdarank")):
        return np.digitize(score, np.quantile(score, [0.3, 0.7])).astype(float)
    if objective in ("cross_entropy", "cross_entropy_lambda", "reg:logistic"):
        return 1 / (1 + np.exp(-score))
    positive = ("poisson", "gamma", "tweedie", "count:poisson", "reg:gamma", "reg:tweedie", "mape")
    if objective in positive or objective.startswith("survival") or objective == "reg:squaredlogerror":
        return np.abs(score) + 0.1
    return score
