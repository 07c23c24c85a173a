"""The tables of the contests: generators with fixed seeds, and real tables that stand beside the repository.

Everything is one C-ordered float32 matrix, scikit-learn's own format, so neither side pays for a conversion.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_iris

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "tabular"


class DataMissingError(Exception):
    """A table is not on this machine; the contest is left out and says so."""


@dataclass(frozen=True)
class Data:
    """Rows, targets and what they are."""

    name: str
    x: NDArray[Any]
    y: NDArray[Any]
    is_classes: bool

    @property
    def shape(self) -> str:
        """Rows and columns as a reader writes them, e.g. ``100 000 × 28``."""
        return f"{self.x.shape[0]:_} × {self.x.shape[1]}".replace("_", "\u202f")


@functools.lru_cache(maxsize=1)
def synthetic_classes(n_rows: int, n_features: int = 28, seed: int = 28) -> Data:
    """Independent normals and a binary label: linear, curved and crossed effects, then logistic noise.

    The effects reach over half of the columns with falling weights; the rest is noise. The best possible
    accuracy is about 0.82, and a fully grown tree reaches about 0.72 on new rows.
    """
    random = np.random.default_rng(seed)
    x = random.standard_normal((n_rows, n_features), dtype=np.float32)
    weights = 1.5 * 0.8 ** np.arange(n_features // 2)
    score = x[:, : len(weights)] @ weights
    score += 1.0 * x[:, 0] * x[:, 1] - 1.0 * np.abs(x[:, 2]) + 0.8 * np.sin(3 * x[:, 3]) + 0.8
    y = (score + random.logistic(size=n_rows) > 0).astype(np.int64)
    return Data("synthetic classes", x, y, is_classes=True)


@functools.lru_cache(maxsize=1)
def synthetic_numbers(n_rows: int, n_features: int = 10, seed: int = 10) -> Data:
    """Independent normals and a smooth target with a step and a product, then normal noise.

    Every target is a different number, so that a fully grown tree has as many leaves as there are rows.
    """
    random = np.random.default_rng(seed)
    x = random.standard_normal((n_rows, n_features), dtype=np.float32)
    y = 2.0 * np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + np.where(x[:, 3] > 0.5, 2.0, 0.0) + 0.5 * x[:, 4] ** 2
    y = y.astype(np.float64) + random.standard_normal(n_rows)
    return Data("synthetic numbers", x, y, is_classes=False)


def iris() -> Data:
    """Fisher's 150 flowers as scikit-learn delivers them: float64, as users pass it."""
    bunch = load_iris()
    return Data("iris", bunch.data, bunch.target, is_classes=True)


@functools.lru_cache(maxsize=1)
def real_table(name: str, max_rows: int | None = None) -> Data:
    """Return the numeric columns of a real table, NaN for missing; rows without a target are left out.

    Parameters
    ----------
    name : str
        Name of the table's files.
    max_rows : int or None
        Take a random part of that many rows.

    Raises
    ------
    DataMissingError
        When the table is not on this machine.
    """
    frame, about = _read(name, max_rows)
    numeric = [column for column, facts in about["columns"].items() if facts["kind"] == "numeric"]
    x = np.empty((len(frame), len(numeric)), dtype=np.float32)
    for position, column in enumerate(numeric):
        x[:, position] = frame[column].to_numpy(dtype=np.float32, na_value=np.nan)
    is_classes = about["task"] in {"binary", "multiclass"}
    target = frame[about["target"]]
    y = pd.factorize(target, sort=True)[0] if is_classes else target.to_numpy(dtype=np.float64)
    return Data(name.replace("_", " "), x, y, is_classes)


def real_frame(name: str, max_rows: int | None = None) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return all columns of a real classification table, text as categories, and the classes as numbers."""
    frame, about = _read(name, max_rows)
    y = pd.factorize(frame.pop(about["target"]), sort=True)[0]
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("category")
    return frame.reset_index(drop=True), y


def real_tasks() -> dict[str, bool]:
    """Return the real tables for single targets, and whether the target is a class."""
    tasks = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))["task"] for path in FOLDER.glob("*.json")
    }
    wanted = {"binary": True, "multiclass": True, "regression": False}
    return {name: wanted[task] for name, task in sorted(tasks.items()) if task in wanted}


def real_features(name: str, max_rows: int | None = None) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return the features of a real table, categories in sorted order, and its classes or numbers.

    Columns that are not features (keys, exposures, other targets) are left out.
    """
    frame, about = _read(name, max_rows)
    target = frame[about["target"]]
    is_classes = about["task"] in {"binary", "multiclass"}
    y = pd.factorize(target, sort=True)[0] if is_classes else target.to_numpy(dtype=np.float64)
    return _features(frame, about), y


def real_counts(
    name: str, max_rows: int | None = None
) -> tuple[pd.DataFrame, NDArray[np.float64], NDArray[np.float64]]:
    """Return the features of a table of counts, the counts per unit of exposure, and the exposures.

    Learning the rates with the exposures as weights is the same as learning the counts with the logarithm of
    the exposure as offset, and every library can do it.
    """
    frame, about = _read(name, max_rows)
    exposure = frame[about["exposure"]].to_numpy(dtype=np.float64)
    return _features(frame, about), frame[about["target"]].to_numpy(dtype=np.float64) / exposure, exposure


def shuffled_columns(x: Any, seed: int) -> Any:
    """Return a table with its columns in another order, the same for every table of as many columns.

    Nobody shall gain or lose by where a table has its best columns.
    """
    order = np.random.default_rng([seed, 1]).permutation(x.shape[1])
    return x.iloc[:, order] if isinstance(x, pd.DataFrame) else x[:, order]


def _features(frame: pd.DataFrame, about: dict[str, Any]) -> pd.DataFrame:
    columns = {}
    for column, facts in about["columns"].items():
        if facts["kind"] == "categorical":
            columns[column] = pd.Categorical(frame[column].astype(object))
        elif facts["kind"] == "numeric":
            columns[column] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.DataFrame(columns)


def _read(name: str, max_rows: int | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    if not (FOLDER / f"{name}.parquet").is_file():
        raise DataMissingError(f"{name}.parquet is not in ../shared/data/tabular beside the repository")
    about: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    frame = pd.read_parquet(FOLDER / f"{name}.parquet").dropna(subset=[about["target"]])
    if max_rows is not None and len(frame) > max_rows:
        frame = frame.sample(max_rows, random_state=0)
    return frame, about
