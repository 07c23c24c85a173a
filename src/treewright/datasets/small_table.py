"""SmallTable: features, labels and names of one bundled table, as scikit-learn's loaders give them."""

from __future__ import annotations

import csv
from importlib import import_module, resources
from typing import Any, NamedTuple

import numpy as np


class SmallTable(NamedTuple):
    """A bundled table.

    Attributes
    ----------
    X : ndarray of object, shape (n_rows, n_features), or DataFrame
        The features as text.
    y : ndarray of object, shape (n_rows,), or Series
        The labels.
    feature_names : tuple of str
        The names of the columns of `X`.
    target_name : str
        What `y` says.
    """

    X: Any
    y: Any
    feature_names: tuple[str, ...]
    target_name: str

    # What scikit-learn's loaders call the same.

    @property
    def data(self) -> Any:
        """The features."""
        return self.X

    @property
    def target(self) -> Any:
        """The labels."""
        return self.y

    @property
    def target_names(self) -> list[str]:
        """The classes."""
        return sorted(set(self.y))

    @property
    def frame(self) -> Any:
        """Features and labels in one DataFrame; None unless the table was loaded with ``as_frame=True``."""
        return self.X.assign(**{self.target_name: self.y}) if hasattr(self.X, "assign") else None


def read_small_table(name: str, *, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Read a bundled CSV file whose last column is the label."""
    text = resources.files("treewright.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    cells = np.array(rows, dtype=object)
    X, y = cells[:, :-1], cells[:, -1]
    if as_frame:
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("as_frame=True needs pandas. Run: pip install pandas") from None
        X, y = pandas.DataFrame(X, columns=header[:-1]), pandas.Series(y, name=header[-1])
    return (X, y) if return_X_y else SmallTable(X, y, tuple(header[:-1]), header[-1])
