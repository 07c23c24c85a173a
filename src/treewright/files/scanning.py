"""`scan`: rows from files, frames or batches that need not fit in memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from treewright.data.dataframe import to_dataframe
from treewright.data.scan import BatchSource, Scan
from treewright.exceptions import DataFileError
from treewright.files.file_batches import FileBatches
from treewright.files.tokens import MISSING

try:
    import narwhals.stable.v2 as nw
except ImportError:  # narwhals before 2.0
    import narwhals as nw  # type: ignore[no-redef]

__all__ = ["scan"]

#: What needs a package → our module that uses it; loaded when such a thing is scanned.
SOURCES = {
    "pyarrow": "treewright.files.batches_pyarrow",
    "polars": "treewright.files.batches_polars",
}
PARQUET = (".parquet", ".pq")

#: How text files are written: separator, decimal sign, cells that are missing.
TextStyle: TypeAlias = tuple[str | None, str | None, frozenset[str]]


def scan(
    source: Any,
    *,
    target: str | None = None,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    missing: Iterable[str] = MISSING,
) -> Scan:
    """Name rows that are to be read batch by batch, so that a table larger than memory can be learned from.

    Nothing is read yet. `fit` reads columns of text and categories, the target and weights once, then all
    features twice: first to find the bins of numbers, then to make codes of them; only codes, targets and one
    batch are in memory. The model is the one that `fit` would make of the whole table in memory, bit for bit.

    Parameters
    ----------
    source : path, list of paths, Arrow dataset, LazyFrame of polars, or batches
        Parquet, Arrow, CSV, TSV or JSON lines files; ``*`` and ``**`` in a path stand for many files, which
        are read in the order of their sorted paths; a folder stands for the Parquet files in it. Batches are
        DataFrames of any library or Arrow tables, in a list or anything else that can be iterated over
        more than once, or a function that returns such an iterator.
    target : str, optional
        The column to predict.
    weight : str, optional
        The column of row weights.
    features : list of str, optional
        The columns to learn from, in this order; by default all others.
    separator, decimal, missing : optional
        Of CSV files: what stands between fields and between the digits of numbers ("." or ","), by default
        found from the first lines of each file, and which cells stand for a missing value.

    Returns
    -------
    scan : Scan
        To be passed to `fit` in place of X and y, and to `predict` in place of X.

    Examples
    --------
    >>> import numpy as np, pandas as pd, treewright as tw
    >>> x = np.arange(500)
    >>> batches = [pd.DataFrame({"x": part, "late": part > 250}) for part in np.split(x, 5)]
    >>> rows = tw.scan(batches, target="late")
    >>> booster = tw.LeafwiseBoostingClassifier(n_estimators=5).fit(rows)
    >>> booster.predict(rows).shape
    (500,)
    """
    found = _source_of(source, (separator, decimal, frozenset(missing)))
    return Scan(found, target=target, weight=weight, features=features)


def _source_of(source: Any, style: TextStyle) -> BatchSource:
    if isinstance(source, str | os.PathLike):
        return _files([source], style)
    if isinstance(source, list | tuple) and source and all(isinstance(s, str | os.PathLike) for s in source):
        return _files(list(source), style)
    if isinstance(source, Scan):
        raise TypeError("This is a scan already.")
    module = type(source).__module__.split(".")[0]
    if module == "pyarrow" and hasattr(source, "to_batches") and hasattr(source, "count_rows"):
        return _made("pyarrow", source)
    lazy = nw.from_native(source, allow_series=True, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        if module != "polars":
            raise TypeError(
                f"{type(source).__name__} is lazy; of lazy frames, those of polars can be scanned."
            )
        return _made("polars", source)
    if isinstance(lazy, nw.DataFrame) or (
        hasattr(source, "__arrow_c_stream__") and not _is_exhausted(source)
    ):
        return FrameBatches([source])
    if callable(source):
        return FrameBatches(_Called(source))
    if _is_exhausted(source):
        raise TypeError(
            f"{type(source).__name__} can be read only once, and rows are read several times: pass a list of "
            "batches, or a function that returns a new iterator every time."
        )
    if isinstance(source, Iterable):
        return FrameBatches(source)
    raise TypeError(
        "scan takes a path, a list of paths, an Arrow dataset, a LazyFrame of polars, or batches (DataFrames "
        f"or Arrow tables), not {type(source).__name__}."
    )


def _is_exhausted(source: Any) -> bool:
    """Tell whether a second look at the source would find nothing."""
    return isinstance(source, Iterator) or hasattr(source, "read_next_batch")


def _made(package: str, *arguments: Any) -> BatchSource:
    made: BatchSource = import_module(SOURCES[package]).source(*arguments)
    return made


def _files(paths: Sequence[str | os.PathLike[str]], style: TextStyle) -> BatchSource:
    found: list[str] = []
    for path in paths:
        found += _expanded(os.fspath(path))
    if all(Path(path).suffix.lower() in PARQUET for path in found):
        package = next((name for name in SOURCES if find_spec(name) is not None), None)
        if package is None:
            raise ImportError(
                'Reading Parquet files needs pyarrow or polars. Run: pip install "treewright[files]"'
            )
        return _made(package, found)
    return FileBatches(found, *style)


def _expanded(path: str) -> list[str]:
    if os.path.isdir(path):
        inside = sorted(str(file) for ending in PARQUET for file in Path(path).rglob(f"*{ending}"))
        if not inside:
            raise DataFileError(f"{path} is a folder without Parquet files.")
        return inside
    if os.path.exists(path):
        return [path]
    matches = sorted(match for match in glob.glob(path, recursive=True) if os.path.isfile(match))
    if not matches:
        raise FileNotFoundError(2, "There is no such file", path)
    return matches


class _Called:
    """What a function returns, asked for anew every time."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __iter__(self) -> Iterator[Any]:
        return iter(self._function())


class FrameBatches:
    """Batches that somebody else makes: DataFrames or Arrow tables with the same columns."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches
        first = next(iter(batches), None)
        if first is None:
            raise DataFileError("There are no batches, so there are no columns.")
        self.names = self._names(first)
        self.name = f"batches of {type(first).__name__}"

    @staticmethod
    def _frame(batch: Any) -> nw.DataFrame[Any]:
        frame = to_dataframe(batch)
        if frame is None:
            raise TypeError(
                "A batch must be a DataFrame or an Arrow table with named columns, not "
                f"{type(batch).__name__}."
            )
        return frame

    def _names(self, batch: Any) -> tuple[str, ...]:
        return tuple(str(name) for name in self._frame(batch).columns)

    def count(self) -> int | None:
        """Return the number of rows, which a list of batches knows."""
        if isinstance(self._batches, list | tuple):
            return sum(self._frame(batch).shape[0] for batch in self._batches)
        return None

    def numeric(self) -> frozenset[str]:
        """Return nothing: types may differ between batches."""
        return frozenset()

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of these columns."""
        for number, batch in enumerate(self._batches):
            frame = self._frame(batch)
            missing = [name for name in columns if name not in frame.columns]
            if missing:
                raise ValueError(f"Batch {number} has no column {missing[0]!r}, which the first one has.")
            yield frame.select(list(columns)).to_native()
