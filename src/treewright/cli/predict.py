"""`treewright predict`: the rows of a table, batch by batch, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped, note, typed_by_user
from treewright.cli.model_rows import known_columns
from treewright.cli.options import table_options
from treewright.cli.output import bytes_to
from treewright.cli.progress import Watcher, on_terminal
from treewright.cli.scans import is_many, scanned
from treewright.cli.tables import opened
from treewright.files.answers import Answers, writer_for


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

    FILE may be a folder of Parquet files or a pattern like 'rows/*.parquet'.

    Columns are found by name; others are ignored. For classes there are probability_<class> columns.
    """
    if model == file == "-":
        raise Mistyped("The model and the table cannot both come from standard input.")
    with typed_by_user():
        write = writer_for(Path(output or "-").suffix.lower())
    estimator = loaded(model)
    schema = estimator.model_.schema
    batches: Iterator[Any]
    if is_many(file):
        rows = scanned(file, given)
        known_columns(estimator, rows, rows.source_name)
        batches = rows.batches_for(schema)
    else:
        source = opened(file, given)
        known_columns(estimator, source, source.name)
        batches = source.batches(schema.features)
    answers = Answers(estimator, not no_probabilities)
    with on_terminal() as watcher, bytes_to(output) as binary:
        shown = watcher if output not in (None, "-") else None
        n_rows = write(_counted(answers.of(batches), shown), answers.header, binary)
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
