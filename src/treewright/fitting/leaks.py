"""Columns that hold the answer: a warning where one column alone predicts rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.exceptions import LeakWarning
from treewright.warn_at_caller import warn_at_caller

__all__ = ["leaking_columns", "warn_of_leaks"]

Floats = NDArray[np.float64]

# With fewer rows a column may be perfect by accident, and a fit takes less time than the check.
LEAST_ROWS, LEAST_OF_CLASS = 200, 20
MOST_COLUMNS = 2000
# Most columns are told from a leak by so many rows; the others are judged by more of them.
GLANCE, MOST_ROWS = 64, 4000
SAME = 1e-9
SHOWN = 3


def warn_of_leaks(table: Table, target: NDArray[Any], n_classes: int | None) -> None:
    """Warn of columns each of which predicts the target perfectly, where the others do not.

    Parameters
    ----------
    table : Table
        The rows.
    target : ndarray
        Positions of classes, or numbers.
    n_classes : int or None
        Number of classes; None for numbers.
    """
    found = leaking_columns(table, target, n_classes)
    names = [feature.name for feature in table.schema.features]
    # Where half of the columns can do it, the classes lie apart: that is no leak but an easy table.
    if not found or (2 * len(found) >= len(names) and len(found) > 1):
        return
    some = ", ".join(repr(names[column]) for column in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    who = f"Column {some} alone predicts" if len(found) == 1 else f"Columns {some}{more} each predict"
    warn_at_caller(
        f"{who} y perfectly, also on rows held out. Does it hold the answer itself, or something that is "
        "known only afterwards? Then leave it out: scores with it say nothing about new rows.",
        LeakWarning,
    )


def leaking_columns(table: Table, target: NDArray[Any], n_classes: int | None) -> list[int]:
    """Return the columns each of which alone predicts the target of rows held out without an error.

    Parameters
    ----------
    table : Table
        The rows.
    target : ndarray
        Positions of classes, or numbers.
    n_classes : int or None
        Number of classes; None for numbers.
    """
    n_columns = len(table.schema.features)
    if not LEAST_ROWS <= len(target) or not 2 <= n_columns <= MOST_COLUMNS:
        return []
    is_class = n_classes is not None
    rows = _rows_of_classes(target) if is_class else _evenly(np.arange(len(target)), GLANCE)
    if len(rows) == 0:
        return []
    nominal = np.array([feature.kind == "nominal" for feature in table.schema.features])
    glance = np.asarray(table.take(rows).to_matrix(), dtype=np.float64)
    open_to_doubt = np.flatnonzero(_may_decide(glance, target[rows], nominal, is_class))
    if len(open_to_doubt) == 0 or (not is_class and target.min() == target.max()):
        return []
    rows = np.random.default_rng(len(target)).permutation(len(target))[:MOST_ROWS]
    values = np.asarray(table.take(rows).to_matrix(), dtype=np.float64)[:, open_to_doubt]
    return [
        int(column)
        for place, column in enumerate(open_to_doubt)
        if _decides(values[:, place], target[rows], bool(nominal[column]), is_class)
    ]


def _rows_of_classes(target: NDArray[Any]) -> NDArray[np.intp]:
    """Return some rows, half of them of the most frequent class; none where too few are of others."""
    counts = np.bincount(target)
    common = int(np.argmax(counts))
    if len(target) - counts[common] < LEAST_OF_CLASS or counts[common] < LEAST_OF_CLASS:
        return np.zeros(0, dtype=np.intp)
    is_common = target == common
    halves = (np.flatnonzero(is_common), np.flatnonzero(~is_common))
    return np.concatenate([_evenly(half, GLANCE // 2) for half in halves])


def _evenly(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return so many of the rows, from everywhere: no row can make a leak look like none."""
    return rows[:: max(1, len(rows) // count)][:count]


def _may_decide(
    values: Floats, target: NDArray[Any], nominal: NDArray[np.bool_], is_class: bool
) -> NDArray[np.bool_]:
    """Tell for which columns some rows leave it open that they decide the target."""
    order = np.argsort(values, axis=0, kind="stable")  # missing ones last
    by_value, answers = np.take_along_axis(values, order, axis=0), target[order]
    missing = np.isnan(by_value)
    same = (by_value[1:] == by_value[:-1]) | (missing[1:] & missing[:-1])
    changes = answers[1:] != answers[:-1]
    one_answer = ~(changes & same).any(axis=0)
    if is_class:
        ordered = changes.sum(axis=0) <= len(np.unique(target)) + 1
    else:
        steps, known = np.diff(answers, axis=0), ~missing[1:]
        ordered = ((steps >= 0) | ~known).all(axis=0) | ((steps <= 0) | ~known).all(axis=0)
        ordered &= known.sum(axis=0) > GLANCE // 2
    decides: NDArray[np.bool_] = one_answer & np.where(nominal, same.any(axis=0), ordered)
    return decides


def _decides(values: Floats, target: NDArray[Any], nominal: bool, is_class: bool) -> bool:
    """Tell whether each half of the rows predicts the other by this column without an error."""
    middle = len(values) // 2
    first, second = slice(0, middle), slice(middle, None)
    return all(
        _predicts(values[known], target[known], values[new], target[new], nominal, is_class)
        for known, new in ((first, second), (second, first))
    )


def _predicts(
    known: Floats, answers: NDArray[Any], new: Floats, wanted: NDArray[Any], nominal: bool, is_class: bool
) -> bool:
    gap, new_gap = np.isnan(known), np.isnan(new)
    if gap.any() and (answers[gap] != answers[gap][0]).any():
        return False
    if new_gap.any() and (not gap.any() or (wanted[new_gap] != answers[gap][0]).any()):
        return False
    known, answers, new, wanted = known[~gap], answers[~gap], new[~new_gap], wanted[~new_gap]
    if len(known) == 0 or len(new) == 0:
        return bool(gap.any()) and len(np.unique(wanted)) > 1
    order = np.argsort(known, kind="stable")
    known, answers = known[order], answers[order]
    if ((known[1:] == known[:-1]) & (answers[1:] != answers[:-1])).any():
        return False
    right = np.searchsorted(known, new).clip(max=len(known) - 1)
    left = (right - (known[right] > new)).clip(min=0)
    seen = known[left] == new
    if nominal or not is_class:
        # A value that was seen has its answer; a number between two others lies between their answers.
        if nominal:
            return bool(seen.mean() > 0.9 and (answers[left[seen]] == wanted[seen]).all())
        slack = SAME * float(np.ptp(answers))
        low, high = np.minimum(answers[left], answers[right]), np.maximum(answers[left], answers[right])
        inside = (new >= known[0]) & (new <= known[-1])
        between = (wanted >= low - slack) & (wanted <= high + slack)
        return bool(between[inside].all() and len(np.unique(known)) > GLANCE)
    nearer = np.where(np.abs(new - known[left]) <= np.abs(known[right] - new), left, right)
    return bool((answers[nearer] == wanted).all())
