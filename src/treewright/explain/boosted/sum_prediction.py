"""Explain a prediction as a sum: what each tree adds, and what the features on its way add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.explain.boosted.sum_report import FeatureSum, ScoreSum, SumReport, TreeStep
from treewright.explain.path_report import PathReport
from treewright.explain.prediction import check_one_row, explain_prediction
from treewright.explain.row_paths import forest_branches
from treewright.explain.words import algorithm_words, number, row_words
from treewright.model.facts import BoosterFacts
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.level_means import LevelMeans
from treewright.model.link import answers
from treewright.model.model import Model
from treewright.reports.frame import frame_library

__all__ = ["Changes", "explain_step", "explain_sum", "follow_changes", "node_means"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def explain_step(
    model: Model,
    matrix: NDArray[Any],
    tree: int,
    *,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> PathReport:
    """Explain the way of one row through one tree of a sum.

    Parameters
    ----------
    model : Model
        The model, as its trees grew.
    matrix : ndarray of shape (1, n_features)
        The row as the tree reads it.
    tree : int
        The tree.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    # The numbers of a tree are steps of a raw score, whatever is predicted.
    alone = replace(model.alone(tree), task="regression", classes=None, class_order=None)
    report = explain_prediction(alone, matrix, None, changes=False, feature_names=feature_names, X=X)
    return replace(report, algorithm=f"{report.algorithm}, tree {tree} of {len(model.trees)}")


def explain_sum(
    model: Model,
    matrix: NDArray[Any],
    *,
    offset: Any = None,
    top: int = 8,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> SumReport:
    """Explain what a model whose trees add up predicts for one row.

    Estimators offer the same as their method ``explain_prediction``.

    Parameters
    ----------
    model : Model
        The model.
    matrix : ndarray of shape (1, n_features)
        The row as the model reads it.
    offset : array-like of shape (n_outputs,), optional
        Raw scores of the row to add.
    top : int, default=8
        How many trees and features the text shows.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    check_one_row(matrix)
    check_count("top", top, 1)
    names = model.names(feature_names)
    forest = model.trees
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    start = model.arrays["start"]
    given = _offset(offset, len(start))
    # To the last bit what `predict` adds up.
    raw = model.raw_scores(matrix, start=(start + given)[np.newaxis])[0]
    facts = BoosterFacts.of(model)
    prediction = answers(raw[np.newaxis], facts.link)[0]
    row = np.asarray(matrix[0], dtype=np.float64)
    way = follow_changes(forest, row)
    classes = None if model.classes is None else tuple(str(label) for label in model.classes.tolist())
    best = _best(raw) if classes is not None else 0
    features = _features(way, names, row_words(model.schema.features, row), len(start))
    return SumReport(
        algorithm=algorithm_words(model.algorithm),
        loss=facts.loss,
        link=facts.link,
        answer=number(prediction[0]) if classes is None else classes[best],
        classes=classes,
        prediction=tuple(float(value) for value in prediction),
        scores=_scores(model, classes, start, given, raw, way),
        shown=best if len(start) > 1 else 0,
        n_rounds=len(forest) // len(start),
        trees=_steps(way, start + given, len(start)),
        features=features,
        notes=(*_statistics(model, row, top), *(("predict is without the offset.",) if given.any() else ())),
        top=top,
        _frame=frame_library(X, model.schema),
    )


def _statistics(model: Model, row: Floats, top: int) -> list[str]:
    """Return the statistics of the row's categories that trees test, in words."""
    means = LevelMeans.of(model)
    words = [] if means is None else means.words(model, row)
    more = len(words) - top
    return [*words[:top], f"and {more} more statistics of categories."] if more > 0 else words


def _offset(offset: Any, n_outputs: int) -> NDArray[np.float64]:
    if offset is None:
        return np.zeros(n_outputs)
    given = np.asarray(offset, dtype=np.float64).ravel()
    if given.shape != (n_outputs,) or not np.isfinite(given).all():
        what = "a finite number" if n_outputs == 1 else f"{n_outputs} finite numbers"
        raise ValueError(f"offset must be {what}, the raw score(s) of the row. Got {offset!r}.")
    return given


def _best(raw: NDArray[np.float64]) -> int:
    return int(raw[0] > 0) if len(raw) == 1 else int(raw.argmax())


def _scores(
    model: Model,
    classes: Sequence[str] | None,
    start: NDArray[np.float64],
    offset: NDArray[np.float64],
    raw: NDArray[np.float64],
    way: Changes,
) -> tuple[ScoreSum, ...]:
    n_outputs = len(start)
    labels = [None] if classes is None else [classes[-1]] if n_outputs == 1 else classes
    return tuple(
        ScoreSum(
            label=labels[k],
            start=float(start[k]),
            offset=float(offset[k]),
            average=float(way.average[k::n_outputs].sum()),
            trees=float(raw[k] - start[k] - offset[k]),
            raw=float(raw[k]),
        )
        for k in range(n_outputs)
    )


def _steps(way: Changes, before: NDArray[np.float64], n_outputs: int) -> tuple[TreeStep, ...]:
    n_tests = np.bincount(way.trees, minlength=len(way.steps))
    raw = before.copy()
    found = []
    for tree, step in enumerate(way.steps.tolist()):
        round_number, output = divmod(tree, n_outputs)
        raw[output] += step
        found.append(
            TreeStep(
                tree=tree,
                round=round_number,
                output=output,
                step=step,
                raw=float(raw[output]),
                leaf=int(way.leaves[tree]),
                n=int(way.rows[tree]),
                n_tests=int(n_tests[tree]),
            )
        )
    return tuple(found)


def _features(
    way: Changes, names: Sequence[str], values: Sequence[str], n_outputs: int
) -> tuple[FeatureSum, ...]:
    n_features = len(names)
    place = (way.trees % n_outputs) * n_features + way.features
    size = n_outputs * n_features
    adds = np.bincount(place, weights=way.changes, minlength=size)
    tests = np.bincount(place, minlength=size)
    pairs = np.unique(way.trees * n_features + way.features)
    in_trees = np.bincount(
        (pairs // n_features % n_outputs) * n_features + pairs % n_features, minlength=size
    )
    order = sorted(np.flatnonzero(tests).tolist(), key=lambda i: (-abs(adds[i]), i))
    return tuple(
        FeatureSum(
            feature=names[i % n_features],
            value=values[i % n_features],
            output=i // n_features,
            adds=float(adds[i]),
            tests=int(tests[i]),
            trees=int(in_trees[i]),
        )
        for i in order
    )


@dataclass(frozen=True, eq=False)
class Changes:
    """The way of a row through all trees.

    Attributes
    ----------
    leaves, rows : ndarray of int64 of shape (n_trees,)
        Where it ends, and the training rows there.
    steps : ndarray of shape (n_trees,)
        What each tree adds.
    average : ndarray of shape (n_trees,)
        What each tree adds on average, at its root.
    trees, features : ndarray of int64 of shape (n_tests,)
        Every test on the way: in which tree, of which feature.
    changes : ndarray of shape (n_tests,)
        By how much the test moves the mean. A tree's average and its changes add up to its step.
    """

    leaves: Ints
    rows: Ints
    steps: Floats
    average: Floats
    trees: Ints
    features: Ints
    changes: Floats


def node_means(forest: Forest) -> Floats:
    """Return the mean step of the training rows below every node, by the weight (or H) of the nodes.

    Parameters
    ----------
    forest : Forest
        Trees of numbers.
    """
    arrays = forest.arrays
    inner = arrays["feature"] != FOREST_LEAF
    means: Floats = np.where(inner, 0.0, arrays["number"])
    weight = arrays["weight"].astype(np.float64)
    left = np.repeat(arrays["begin"][:-1], forest.node_counts) + arrays["child"]
    level = arrays["begin"][:-1][inner[arrays["begin"][:-1]]]
    levels = []
    while len(level):
        levels.append(level)
        below = np.concatenate([left[level], left[level] + 1])
        level = below[inner[below]]
    for nodes in reversed(levels):
        first, second = left[nodes], left[nodes] + 1
        total = weight[first] + weight[second]
        share = np.divide(weight[first], total, out=np.full(len(nodes), 0.5), where=total > 0)
        means[nodes] = share * means[first] + (1.0 - share) * means[second]
    return means


def follow_changes(forest: Forest, row: Floats) -> Changes:
    """Send a row down all trees of a booster.

    Parameters
    ----------
    forest : Forest
        Trees of numbers.
    row : ndarray of shape (n_features,)
        The row as the model reads it.
    """
    arrays, means = forest.arrays, node_means(forest)
    begin = arrays["begin"][:-1]
    at = begin.copy()
    walking = np.flatnonzero(arrays["feature"][at] != FOREST_LEAF)
    trees, features, changes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    while len(walking):
        here = at[walking]
        feature = arrays["feature"][here].astype(np.int64)
        branch = forest_branches(forest, here, row[feature])
        at[walking] = begin[walking] + arrays["child"][here] + branch
        trees.append(walking)
        features.append(feature)
        changes.append(means[at[walking]] - means[here])
        walking = walking[arrays["feature"][at[walking]] != FOREST_LEAF]
    return Changes(
        at - begin,
        arrays["rows"][at].astype(np.int64),
        arrays["number"][at].astype(np.float64),
        means[begin],
        np.concatenate(trees),
        np.concatenate(features),
        np.concatenate(changes),
    )
