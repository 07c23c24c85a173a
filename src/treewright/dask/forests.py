"""Forests on the workers: each gets all rows and grows some of the trees, which their numbers decide.

Tasks are ordinary ones of Dask: one whose worker is lost runs again elsewhere.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from distributed import Future, get_worker

from treewright._core import Dataset
from treewright.dask.partition import Codes, check_recomputed
from treewright.data.schema import Schema
from treewright.data.table import Table

__all__ = ["Coded", "bytes_of_forest", "grow_on_workers"]

TIMES_CODES = 3  # codes that came, codes in one piece, records of rows that trees are grown from


def bytes_of_forest(bytes_of_rows: int) -> int:
    """Return what a worker needs to grow a forest from codes or values of so many bytes."""
    return TIMES_CODES * bytes_of_rows


class Coded:
    """What the codes of all partitions stand for, and what they must have been made from."""

    def __init__(self, columns: list[Any], checksums: list[list[int]]) -> None:
        self.columns, self.checksums = columns, checksums


class CodedTable(Table):
    """A table whose codes were made elsewhere."""

    __slots__ = ("_dataset",)

    def __init__(self, schema: Schema, dataset: Dataset) -> None:
        super().__init__(schema, dataset.n_rows)
        self._dataset = dataset

    def to_dataset(self, max_bins: int = 0, n_threads: int = 1, *, keep_sparse: bool = False) -> Dataset:
        """Return the codes."""
        return self._dataset


def grow_trees(pickled: bytes, number: int, n_parts: int, coded: Coded | None, parts: list[Any]) -> Any:
    """Grow a part of the trees from the rows of all partitions.

    Parameters
    ----------
    pickled : bytes
        What grows them: the task of a forest.
    number, n_parts : int
        Which part, of how many.
    coded : Coded or None
        What the codes of the partitions stand for; None: they are values.
    parts : list
        Codes or columns of every partition.
    """
    task = pickle.loads(pickled).part(number, n_parts)
    return task.grow(_table(task.schema, coded, parts), get_worker().state.nthreads)


def _table(schema: Schema, coded: Coded | None, parts: list[Any]) -> Table:
    if coded is None:
        known = [part for part in parts if len(part[0])]
        columns = [np.concatenate(columns) for columns in zip(*known, strict=True)]
        return Table(schema, len(columns[0]), columns=columns)
    codes: list[Codes] = parts
    check_recomputed(range(len(codes)), codes, coded.checksums)
    joined = zip(*(part.columns for part in codes if part.n_rows), strict=True)
    return CodedTable(
        schema, Dataset.from_codes([np.concatenate(columns) for columns in joined], coded.columns)
    )


def grow_on_workers(
    task: Any,
    n_workers: int,
    submit: Callable[..., Future],
    gathered: Callable[[list[Future]], list[Any]],
    coded: Coded | None,
    parts: Sequence[Future],
) -> Any:
    """Grow trees by number, as many on every worker, and put them in a row.

    Parameters
    ----------
    task : ForestTask
        What grows the trees.
    n_workers : int
        How many there are.
    submit, gathered : callable
        Start a task on some worker, and wait for tasks.
    coded : Coded or None
        What codes stand for; None: partitions are values.
    parts : sequence of Future
        Codes or columns of every partition.
    """
    n_parts = max(1, min(n_workers, task.n_trees))
    pickled = pickle.dumps(task)
    futures = [submit(grow_trees, pickled, number, n_parts, coded, list(parts)) for number in range(n_parts)]
    return task.joined(gathered(futures))
