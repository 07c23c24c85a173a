"""The smallest change of a single feature that would change the answer for a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.value_words import number_words
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.model import Model

__all__ = ["Change", "find_changes"]

MOST_TRIED = 512  # values per feature, the nearest first
ONE_CATEGORY = (
    1.0  # what another category costs, where a number costs its distance in units of its thresholds
)

Answers = Callable[[NDArray[Any]], list[str]]


@dataclass(frozen=True)
class Change:
    """One feature changed as little as possible, all others kept.

    Attributes
    ----------
    feature : str
        The feature.
    now : str
        Its value.
    instead : str
        What it would have to be, e.g. ``> 2.45`` or ``overcast``.
    answer : str
        What the tree would answer then.
    distance : float
        How far that is: in units of the spread of the tree's thresholds, 1 for another category.
    """

    feature: str
    now: str
    instead: str
    answer: str
    distance: float


def find_changes(
    model: Model, row: NDArray[np.float64], values: Sequence[str], names: Sequence[str], answers: Answers
) -> tuple[Change, ...]:
    """Return for each feature its smallest change that changes the answer, the nearest first.

    Parameters
    ----------
    model : Model
        A model of one tree.
    row : ndarray of shape (n_features,)
        The row as the tree reads it.
    values : sequence of str
        Its values in words.
    names : sequence of str
        Names of the features.
    answers : callable
        What the estimator answers for the rows of a matrix, in words.
    """
    tree = model.trees[0]
    now = answers(row[np.newaxis])[0]
    tested = tree.kind != KIND_LEAF
    found = []
    for feature in np.unique(tree.feature[tested]).tolist():
        of_feature = tested & (tree.feature == feature)
        thresholds = np.unique(tree.threshold[of_feature & (tree.kind == KIND_THRESHOLD)])
        tried = _tried(model, feature, float(row[feature]), thresholds[np.isfinite(thresholds)])
        if not tried:
            continue
        rows = np.repeat(row[np.newaxis], len(tried), axis=0)
        rows[:, feature] = [value for value, _, _ in tried]
        for (_, words, distance), answer in zip(tried, answers(rows), strict=True):
            if answer != now:
                found.append(Change(names[feature], values[feature], words, answer, distance))
                break
    return tuple(sorted(found, key=lambda change: change.distance))


def _tried(
    model: Model, feature: int, value: float, thresholds: NDArray[np.float64]
) -> list[tuple[float, str, float]]:
    """Return values to try, their words and their distance, the nearest first."""
    kind, categories = model.schema.features[feature].kind, model.schema.features[feature].categories
    if kind == "numeric":
        spread = float(np.ptp(thresholds)) if len(thresholds) > 1 else 0.0
        unit = spread or max((abs(float(t)) for t in thresholds), default=0.0) or 1.0
        tried = []
        for threshold in thresholds.tolist():
            below, above = threshold, float(np.nextafter(threshold, np.inf))
            if not value <= threshold:  # missing values may go to either side
                tried.append((below, f"≤ {number_words(threshold)}", abs(value - below) / unit))
            if not value > threshold:
                tried.append((above, f"> {number_words(threshold)}", abs(value - above) / unit))
        tried = [
            (v, words, distance if distance == distance else ONE_CATEGORY) for v, words, distance in tried
        ]
    else:
        steps = abs(np.arange(1, len(categories or ()) + 1) - value) if kind == "ordinal" else None
        tried = [
            (float(code), str(category), ONE_CATEGORY if steps is None else float(steps[code - 1]))
            for code, category in enumerate(categories or (), 1)
            if code != value
        ]
    return sorted(tried, key=lambda one: one[2])[:MOST_TRIED]
