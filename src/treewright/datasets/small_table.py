"""SmallTable: features, labels and names of one bundled table."""

from __future__ import annotations

import csv
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SmallTable(NamedTuple):
    """A bundled table.

    Attributes
    ----------
    X : ndarray of object, shape (n_rows, n_features)
        The features as text.
    y : ndarray of object, shape (n_rows,)
        The labels.
    feature_names : tuple of str
        The names of the columns of `X`.
    target_name : str
        What `y` says.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    target_name: str


def read_small_table(name: str) -> SmallTable:
    """Read a bundled CSV file whose last column is the label."""
    text = resources.files("treewright.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    cells = np.array(rows, dtype=object)
    return SmallTable(cells[:, :-1], cells[:, -1], tuple(header[:-1]), header[-1])
