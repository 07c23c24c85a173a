"""Answers of a model, batch by batch, in a file: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from treewright.data.scan import Scan
from treewright.store.whole_file import whole_file

__all__ = ["Answers", "write_predictions", "writer_for"]

Batch = list[list[Any]]
Writer = Callable[[Iterator[Batch], list[str], IO[bytes]], int]


class Answers:
    """What a model says about rows: `prediction` and, for classes, `probability_<class>` columns.

    Parameters
    ----------
    estimator : object
        The fitted estimator.
    probabilities : bool
        Whether classes have probabilities, where the estimator knows them.
    """

    def __init__(self, estimator: Any, probabilities: bool) -> None:
        self._estimator = estimator
        self._proba = probabilities and hasattr(estimator, "classes_") and hasattr(estimator, "predict_proba")
        self.header = ["prediction"]
        if self._proba:
            self.header += [f"probability_{label}" for label in estimator.classes_]

    def of(self, batches: Iterable[Any]) -> Iterator[Batch]:
        """Yield the columns of the answer to each batch."""
        for batch in batches:
            columns = [np.asarray(self._estimator.predict(batch)).tolist()]
            if self._proba:
                columns += np.asarray(self._estimator.predict_proba(batch)).T.tolist()
            yield columns


def write_predictions(
    estimator: Any, rows: Scan, path: str | os.PathLike[str], *, probabilities: bool = True
) -> int:
    """Write what a model says about the rows of a scan to a file, one batch after the other.

    Parameters
    ----------
    estimator : object
        A fitted estimator.
    rows : Scan
        The rows, from `treewright.scan`. Columns that the model does not know are ignored.
    path : path-like
        Where to: ``*.parquet``, ``*.csv``, ``*.tsv`` or ``*.jsonl``. The file appears when all of it is
        written.
    probabilities : bool, default=True
        Whether columns ``probability_<class>`` follow the prediction of a class.

    Returns
    -------
    n_rows : int
        How many rows were written.

    Examples
    --------
    >>> import tempfile, pandas as pd, treewright as tw
    >>> batches = [pd.DataFrame({"x": [0.0, 1.0], "late": ["no", "yes"]})] * 3
    >>> rows = tw.scan(batches, target="late")
    >>> tree = tw.CARTClassifier().fit(rows)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.write_predictions(tree, rows, f"{folder}/answers.csv")
    6
    """
    if not isinstance(rows, Scan):
        raise TypeError(
            f"write_predictions takes rows from treewright.scan, not {type(rows).__name__}; the answers of a "
            "table in memory are predict(X)."
        )
    write = writer_for(Path(path).suffix.lower())
    answers = Answers(estimator, probabilities)
    with whole_file(path) as file:
        return write(answers.of(rows.batches_for(estimator.model_.schema)), answers.header, file)


def writer_for(ending: str) -> Writer:
    """Return what writes batches to a file of this ending and says how many rows they had.

    Files without an ending, pipes and devices among them, take CSV; ValueError for an unknown ending.
    """
    if ending in (".jsonl", ".ndjson"):
        return _write_json
    if ending in (".parquet", ".pq"):
        if find_spec("pyarrow") is None:
            raise ImportError('Writing Parquet needs pyarrow. Run: pip install "treewright[files]"')
        return import_module("treewright.files.answers_pyarrow").write  # type: ignore[no-any-return]
    if ending in (".tsv", ".tab"):
        return partial(_write_csv, separator="\t")
    if ending in ("", ".csv", ".txt"):
        return partial(_write_csv, separator=",")
    raise ValueError(
        f"Answers are written to *.csv, *.tsv, *.jsonl or *.parquet, not to *{ending}: take one of these."
    )


def _write_csv(batches: Iterator[Batch], header: list[str], binary: IO[bytes], *, separator: str) -> int:
    n_rows = 0
    for columns in _with_header(batches):
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        if columns is None:
            writer.writerow(header)
        else:
            writer.writerows(zip(*columns, strict=True))
            n_rows += len(columns[0])
        binary.write(text.getvalue().encode("utf-8"))
    return n_rows


def _with_header(batches: Iterator[Batch]) -> Iterator[Batch | None]:
    yield None
    yield from batches


def _write_json(batches: Iterator[Batch], header: list[str], binary: IO[bytes]) -> int:
    n_rows = 0
    for columns in batches:
        for row in zip(*columns, strict=True):
            binary.write(json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False).encode() + b"\n")
        n_rows += len(columns[0])
    return n_rows
