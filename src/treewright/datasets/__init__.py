"""Small tables with known numbers, bundled for documentation, demonstration and tests."""

from __future__ import annotations

from treewright.datasets.small_table import SmallTable, read_small_table

__all__ = ["SmallTable", "load_cricket", "load_loans", "load_tennis"]


def load_tennis() -> SmallTable:
    """Return 14 days and whether tennis was played (Quinlan 1986).

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> tennis = load_tennis()
    >>> tennis.X[0].tolist(), tennis.y[0]
    (['sunny', 'hot', 'high', 'weak'], 'no')
    """
    return read_small_table("tennis")


def load_loans() -> SmallTable:
    """Return 15 applicants for a loan and whether it was approved.

    Examples
    --------
    >>> from treewright.datasets import load_loans
    >>> load_loans().feature_names
    ('age', 'job', 'house', 'credit')
    """
    return read_small_table("loans")


def load_cricket() -> SmallTable:
    """Return 30 students and whether they play cricket.

    Only the counts per feature and label are given by the example; how features meet in a row is our choice.

    Examples
    --------
    >>> from treewright.datasets import load_cricket
    >>> cricket = load_cricket()
    >>> len(cricket.y), int((cricket.y == "yes").sum())
    (30, 15)
    """
    return read_small_table("cricket")
