"""`treewright predict`: the rows of a table, batch by batch, however long it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import click
import numpy as np

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped, note
from treewright.cli.model_rows import known_columns
from treewright.cli.options import table_options
from treewright.cli.output import bytes_to
from treewright.cli.progress import Watcher, on_terminal
from treewright.cli.tables import opened
from treewright.data.named_columns import NamedColumns


@click.command("predict")
@click.argument("model", shell_complete=file_names)
@click.argument("file", shell_complete=file_names)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="*.csv, *.tsv, *.jsonl or *.parquet; - is standard output.  [default: -]",
)
@click.option("--no-probabilities", is_flag=True, help="Of classes, only the prediction.")
@table_options
def command(model: str, file: str, output: str | None, no_probabilities: bool, **given: Any) -> None:
    """Predict the rows of FILE with the MODEL in a file: a header, then one line per row.

    Columns are found by name; others are ignored. For classes there are probability_<class> columns.
    """
    if model == file == "-":
        raise Mistyped("The model and the table cannot both come from standard input.")
    estimator = loaded(model)
    source = opened(file, given["separator"], given["encoding"], given["missing"])
    known_columns(estimator, source, source.name)
    classes = getattr(estimator, "classes_", None)
    with_probabilities = classes is not None and not no_probabilities and hasattr(estimator, "predict_proba")
    header = ["prediction"]
    if with_probabilities:
        header += [f"probability_{label}" for label in estimator.classes_]
    batches = (
        _answers(estimator, batch, with_probabilities)
        for batch in source.batches(estimator.model_.schema.features)
    )
    ending = Path(output or "-").suffix.lower()
    write = _writer(ending)
    with on_terminal() as watcher, bytes_to(output) as binary:
        n_rows = write(_counted(batches, watcher if output not in (None, "-") else None), header, binary)
    if output not in (None, "-"):
        note(f"{n_rows} rows → {output}")


def _counted(batches: Iterator[list[list[Any]]], watcher: Watcher | None) -> Iterator[list[list[Any]]]:
    """Show how many rows are done, where somebody looks."""
    n_rows = 0
    for columns in batches:
        yield columns
        n_rows += len(columns[0])
        if watcher is not None:
            watcher("predict", n_rows, 0, "rows")


def _answers(estimator: Any, batch: NamedColumns, with_probabilities: bool) -> list[list[Any]]:
    """Return the columns of the answer."""
    columns = [np.asarray(estimator.predict(batch)).tolist()]
    if with_probabilities:
        columns += np.asarray(estimator.predict_proba(batch)).T.tolist()
    return columns


def _writer(ending: str) -> Callable[[Iterator[list[list[Any]]], list[str], IO[bytes]], int]:
    """Return what writes batches to a file of this ending and says how many rows they had."""
    if ending in (".jsonl", ".ndjson"):
        return _write_json
    if ending in (".parquet", ".pq"):
        if find_spec("pyarrow") is None:
            raise Mistyped('Writing Parquet needs pyarrow. Run: pip install "treewright[files]"')
        return import_module("treewright.cli.parquet").write  # type: ignore[no-any-return]
    return partial(_write_csv, separator="\t" if ending in (".tsv", ".tab") else ",")


def _write_csv(
    batches: Iterator[list[list[Any]]], header: list[str], binary: IO[bytes], *, separator: str
) -> int:
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


def _with_header(batches: Iterator[list[list[Any]]]) -> Iterator[list[list[Any]] | None]:
    yield None
    yield from batches


def _write_json(batches: Iterator[list[list[Any]]], header: list[str], binary: IO[bytes]) -> int:
    n_rows = 0
    for columns in batches:
        for row in zip(*columns, strict=True):
            binary.write(json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False).encode() + b"\n")
        n_rows += len(columns[0])
    return n_rows
