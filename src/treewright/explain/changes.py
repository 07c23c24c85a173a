"""The smallest change of a single feature that would change the answer for a row.

Of one tree values are tried. Of a forest none have to be: with all other features kept, every tree is a step
function of one feature, and so is their sum; its steps can be read off the trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.explain.row_paths import RowPaths, forest_branches
from treewright.explain.words import number_words
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF, FOREST_SUBSET
from treewright.model.model import Model
from treewright.model.tree import Tree

__all__ = ["Change", "find_changes", "find_forest_changes"]

MOST_TRIED = 512  # values per feature, the nearest first
# What another category costs, where a number costs its distance in units of its thresholds.
ONE_CATEGORY = 1.0

Answers = Callable[[NDArray[Any]], list[str]]

MOST_CATEGORIES = 512
MOST_STEPS = 1_000_000
MOST_CHECKED = 8  # rounding may decide a tie; the forest itself has the last word
Floats = NDArray[np.float64]


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
    found = []
    for feature in np.unique(tree.feature[tree.kind != KIND_LEAF]).tolist():
        if model.schema.features[feature].kind == "numeric":
            trials = _tried_numbers(tree, row, feature)
        else:
            trials = _tried_categories(model, feature, float(row[feature]))
        found += _first_change(row, feature, trials, values, names, answers, now)
    return tuple(sorted(found, key=lambda change: change.distance))


def _tried_numbers(tree: Tree, row: Floats, feature: int) -> list[_Trial]:
    """Return numbers to try, just below and just above thresholds, the nearest first."""
    value = float(row[feature])
    known = tree.thresholds_of(feature)
    known = known[np.isfinite(known)]
    spread = float(np.ptp(known)) if len(known) > 1 else 0.0
    unit = spread or max((abs(float(t)) for t in known), default=0.0) or 1.0
    thresholds = _thresholds_on_the_way(tree, row, feature, known)
    # Missing values may go to either side.
    numbers = np.column_stack([thresholds, np.nextafter(thresholds, np.inf)])
    tried = np.column_stack([~(value <= thresholds), ~(value > thresholds)]).ravel()
    places = np.flatnonzero(tried)
    with np.errstate(over="ignore"):  # far beyond thresholds that are close to each other
        distances = np.abs(value - numbers.ravel()[places]) / unit
    distances[np.isnan(distances)] = ONE_CATEGORY
    nearest = np.argsort(distances, kind="stable")[:MOST_TRIED]
    return [
        _Trial(float(numbers.flat[place]), "≤>"[place % 2], float(distance), float(thresholds[place // 2]))
        for place, distance in zip(places[nearest].tolist(), distances[nearest].tolist(), strict=True)
    ]


def _thresholds_on_the_way(tree: Tree, row: Floats, feature: int, known: Floats) -> Floats:
    """Return the thresholds of a feature at nodes that the row can reach by a change of it alone.

    Where the way of a row is not simply that of a number, it takes all branches. All thresholds are
    returned where there would be too many nodes to look at.
    """
    arrays = tree.to_arrays()
    at, seen, found = np.zeros(1, dtype=np.int64), 0, [known[:0]]
    while len(at):
        at = at[arrays["kind"][at] != KIND_LEAF]
        seen += len(at)
        if seen > MOST_STEPS:
            return known
        tested, threshold = arrays["feature"][at], arrays["threshold"][at]
        is_number = arrays["kind"][at] == KIND_THRESHOLD
        found.append(threshold[is_number & (tested == feature)])
        one_way = is_number & (tested != feature) & ~np.isnan(row[tested]) & (tree.n_codes[tested] == 0)
        below, many = at[one_way], at[~one_way]
        children = arrays["first_child"][below] + (row[tested] > threshold)[one_way]
        counts = arrays["n_children"][many].astype(np.int64)
        first = np.repeat(arrays["first_child"][many] - (np.cumsum(counts) - counts), counts)
        at = np.concatenate([children, first + np.arange(len(first))]).astype(np.int64)
    thresholds = np.unique(np.concatenate(found))
    return thresholds[np.isfinite(thresholds)]


def _tried_categories(model: Model, feature: int, value: float) -> list[_Trial]:
    """Return categories to try, of an ordinal feature the nearest first."""
    kind, categories = model.schema.features[feature].kind, model.schema.features[feature].categories
    steps = abs(np.arange(1, len(categories or ()) + 1) - value) if kind == "ordinal" else None
    tried = [
        _Trial(float(code), str(category), ONE_CATEGORY if steps is None else float(steps[code - 1]))
        for code, category in enumerate(categories or (), 1)
        if code != value
    ]
    return sorted(tried, key=lambda trial: trial.distance)[:MOST_TRIED]


def find_forest_changes(
    model: Model,
    row: Floats,
    paths: RowPaths,
    values: Sequence[str],
    names: Sequence[str],
    answers: Answers,
    current: int,
) -> tuple[Change, ...]:
    """Return for each feature its smallest change that changes the predicted class, the nearest first.

    A feature that takes more than a million steps is left out.

    Parameters
    ----------
    model : Model
        A model of a forest of classes.
    row : ndarray of shape (n_features,)
        The row as the trees read it.
    paths : RowPaths
        Its ways through the trees: only a feature that is tested there can change anything.
    values, names : sequence of str
        Its values in words, and the names of the features.
    answers : callable
        What the model answers for the rows of a matrix, in words.
    current : int
        Position of the class that is predicted now.
    """
    forest = model.trees
    assert isinstance(forest, Forest), "the steps are read from the arrays of a forest"
    now = answers(row[np.newaxis])[0]
    steps = _steps(forest, row, paths)
    units = _units(forest)
    votes = model.aggregation == "votes"
    found = []
    for feature in np.unique(paths.features).tolist():
        if model.schema.features[feature].kind == "numeric":
            ends = _edges(forest, steps, paths, feature, votes, current)
            trials = _number_trials(ends, float(row[feature]), float(units[feature]))
        else:
            trials = _category_trials(model, row, feature)
        found += _first_change(row, feature, trials, values, names, answers, now)
    return tuple(sorted(found, key=lambda change: change.distance))


class _Trial(NamedTuple):
    """Another value, what to call it, and how far away it is; after a sign stands a number."""

    value: float
    sign: str
    distance: float
    number: float | None = None

    @property
    def words(self) -> str:
        """What to call it."""
        return self.sign if self.number is None else f"{self.sign} {number_words(self.number)}"


def _first_change(
    row: Floats,
    feature: int,
    trials: list[_Trial],
    values: Sequence[str],
    names: Sequence[str],
    answers: Answers,
    now: str,
) -> list[Change]:
    if not trials:
        return []
    rows = np.repeat(row[np.newaxis], len(trials), axis=0)
    rows[:, feature] = [trial.value for trial in trials]
    for trial, answer in zip(trials, answers(rows), strict=True):
        if answer != now:
            return [Change(names[feature], values[feature], trial.words, answer, trial.distance)]
    return []


class _Steps(NamedTuple):
    """Every tree as a step function of each feature on the row's way through it: one entry per step.

    Between `low` (excluded) and `high` (included) the tree answers what its node `leaf` says.
    """

    tree: NDArray[np.int64]
    feature: NDArray[np.int64]
    low: Floats
    high: Floats
    leaf: NDArray[np.int64]


def _steps(forest: Forest, row: Floats, paths: RowPaths) -> _Steps:
    """Walk all trees at once, down both branches where the feature in question is tested."""
    arrays = forest.arrays
    begin = arrays["begin"][:-1]
    tree, varied = paths.tested
    numeric = forest.n_codes[varied] == 0
    tree, varied = tree[numeric], varied[numeric]
    at = begin[tree]
    low, high = np.full(len(tree), -np.inf), np.full(len(tree), np.inf)
    done: list[tuple[NDArray[Any], ...]] = []
    given_up = np.zeros(0, dtype=np.int64)
    while len(at):
        feature = arrays["feature"][at].astype(np.int64)
        ended = feature == FOREST_LEAF
        done.append((tree[ended], varied[ended], low[ended], high[ended], at[ended]))
        going = ~ended
        tree, varied, low, high, at = tree[going], varied[going], low[going], high[going], at[going]
        feature = feature[going]
        # Subsets are tests of categories, whose values are tried one by one.
        both = (feature == varied) & ((arrays["flags"][at] & FOREST_SUBSET) == 0)
        first = begin[tree] + arrays["child"][at]
        threshold = arrays["number"][at]
        left = np.where(both, True, forest_branches(forest, at, row[feature]) == 0)
        right = np.where(both, True, ~left)
        low, high, tree, varied, at = (
            np.concatenate([low[left], np.where(both, np.maximum(low, threshold), low)[right]]),
            np.concatenate([np.where(both, np.minimum(high, threshold), high)[left], high[right]]),
            np.concatenate([tree[left], tree[right]]),
            np.concatenate([varied[left], varied[right]]),
            np.concatenate([first[left], first[right] + 1]),
        )
        given_up = np.union1d(given_up, _too_many(varied))
        kept = (low < high) & ~np.isin(varied, given_up)
        tree, varied, low, high, at = tree[kept], varied[kept], low[kept], high[kept], at[kept]
    whole: list[NDArray[Any]] = (
        [np.concatenate([part[i] for part in done]) for i in range(5)] if done else [tree] * 5
    )
    kept = ~np.isin(whole[1], given_up)
    return _Steps(*(array[kept] for array in whole))


def _too_many(varied: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the features to give up, those with most steps first, until the rest is little enough."""
    if len(varied) <= MOST_STEPS:
        return varied[:0]
    features, counts = np.unique(varied, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    left = len(varied) - np.cumsum(counts[order])
    return features[order][: int(np.argmax(left <= MOST_STEPS)) + 1]


def _units(forest: Forest) -> Floats:
    """Return for each feature what counts as distance 1: the spread of its thresholds."""
    arrays = forest.arrays
    tests = (arrays["feature"] != FOREST_LEAF) & ((arrays["flags"] & FOREST_SUBSET) == 0)
    tests &= np.isfinite(arrays["number"])
    features, thresholds = arrays["feature"][tests], arrays["number"][tests]
    least, most = np.full(forest.n_features, np.inf), np.full(forest.n_features, -np.inf)
    np.minimum.at(least, features, thresholds)
    np.maximum.at(most, features, thresholds)
    spread = np.where(most >= least, most - least, 0.0)
    alone = np.where((spread == 0) & (least != 0) & np.isfinite(least), np.abs(least), 1.0)
    return np.where(spread > 0, spread, alone)


def _leaf_answers(forest: Forest, leaves: NDArray[np.int64], votes: bool) -> Floats:
    shares: Floats = forest.arrays["distributions"][forest.arrays["child"][leaves]]
    if not votes:
        return shares
    one_vote = np.zeros_like(shares)
    one_vote[np.arange(len(shares)), shares.argmax(axis=1)] = 1.0
    return one_vote


def _edges(
    forest: Forest, steps: _Steps, paths: RowPaths, feature: int, votes: bool, current: int
) -> list[tuple[float, float]]:
    """Return the intervals (low, high] of a feature in which the trees together favour another class."""
    here = steps.feature == feature
    if not here.any():
        return []
    low, high = steps.low[here], steps.high[here]
    answers = _leaf_answers(forest, steps.leaf[here], votes)
    # Trees that do not ask for the feature always say the same.
    asked = np.zeros(len(forest), dtype=np.bool_)
    asked[steps.tree[here]] = True
    others = (forest.arrays["begin"][:-1] + paths.leaves)[~asked]
    edges = np.unique(np.concatenate([low, high]))
    change = np.zeros((len(edges), answers.shape[1]))
    np.add.at(change, np.searchsorted(edges, low), answers)
    np.add.at(change, np.searchsorted(edges, high), -answers)
    sums = _leaf_answers(forest, others, votes).sum(axis=0) + np.cumsum(change, axis=0)[:-1]
    other = np.flatnonzero(sums.argmax(axis=1) != current)
    return list(zip(edges[other].tolist(), edges[other + 1].tolist(), strict=True))


def _number_trials(intervals: list[tuple[float, float]], value: float, unit: float) -> list[_Trial]:
    """Return the end of each interval that is nearest to the value, the nearest interval first."""
    ends = []
    for low, high in intervals:
        if high < value or (np.isnan(value) and np.isfinite(high)):
            ends.append((value - high, high, "≤", high))
        else:
            above = float(np.nextafter(low, np.inf))
            ends.append((above - value, above, ">", low))
    if not np.isnan(value):
        ends.sort(key=lambda end: end[0])
    return [
        # A missing value is as far from every number as from another category.
        _Trial(end, f"{sign} {number_words(edge)}", ONE_CATEGORY if np.isnan(value) else distance / unit)
        for distance, end, sign, edge in ends[:MOST_CHECKED]
    ]


def _category_trials(model: Model, row: Floats, feature: int) -> list[_Trial]:
    described = model.schema.features[feature]
    value = float(row[feature])
    ordinal = described.kind == "ordinal" and not np.isnan(value)
    trials = [
        _Trial(float(code), str(category), abs(code - value) if ordinal else ONE_CATEGORY)
        for code, category in enumerate(described.categories or (), 1)
        if code != value
    ]
    return sorted(trials, key=lambda trial: trial.distance)[:MOST_CATEGORIES]
