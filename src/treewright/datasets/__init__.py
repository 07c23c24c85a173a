"""Small tables with known numbers, bundled for documentation, demonstration and tests."""

from __future__ import annotations

from typing import Any

from treewright.datasets.small_table import SmallTable, read_small_table

__all__ = ["SmallTable", "load_cricket", "load_loans", "load_tennis"]


def load_tennis(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return 14 days and whether tennis was played (Quinlan 1986).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return features and labels alone.
    as_frame : bool, default=False
        Features as a pandas DataFrame, labels as a Series.

    Returns
    -------
    SmallTable or (X, y)
        ``X, y, feature_names, target_name``; also scikit-learn's ``data``, ``target`` and ``frame``.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> tennis = load_tennis()
    >>> tennis.X[0].tolist(), tennis.y[0]
    (['sunny', 'hot', 'high', 'weak'], 'no')
    >>> load_tennis(as_frame=True).frame.columns.tolist()
    ['outlook', 'temperature', 'humidity', 'wind', 'play']
    """
    return read_small_table("tennis", return_X_y=return_X_y, as_frame=as_frame)


def load_loans(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return 15 applicants for a loan and whether it was approved.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return features and labels alone.
    as_frame : bool, default=False
        Features as a pandas DataFrame, labels as a Series.

    Returns
    -------
    SmallTable or (X, y)
        ``X, y, feature_names, target_name``; also scikit-learn's ``data``, ``target`` and ``frame``.

    Examples
    --------
    >>> from treewright.datasets import load_loans
    >>> load_loans().feature_names
    ('age', 'job', 'house', 'credit')
    """
    return read_small_table("loans", return_X_y=return_X_y, as_frame=as_frame)


def load_cricket(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return 30 students and whether they play cricket.

    Only the counts per feature and label are given by the example; how features meet in a row is our choice.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return features and labels alone.
    as_frame : bool, default=False
        Features as a pandas DataFrame, labels as a Series.

    Returns
    -------
    SmallTable or (X, y)
        ``X, y, feature_names, target_name``; also scikit-learn's ``data``, ``target`` and ``frame``.

    Examples
    --------
    >>> from treewright.datasets import load_cricket
    >>> cricket = load_cricket()
    >>> len(cricket.y), int((cricket.y == "yes").sum())
    (30, 15)
    """
    return read_small_table("cricket", return_X_y=return_X_y, as_frame=as_frame)
