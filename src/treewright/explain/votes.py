"""Explain a prediction of many trees: ask each of them, count, and show the most typical way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.explain.changes import Change, find_forest_changes
from treewright.explain.prediction import Choose, check_one_row, explain_prediction
from treewright.explain.row_paths import RowPaths, follow_row
from treewright.explain.votes_report import ClassVotes, Spread, TestedFeature, TreeAnswer, VotesReport
from treewright.explain.words import algorithm_words, number, row_words
from treewright.model.forest import Forest
from treewright.model.model import Model
from treewright.reports.frame import frame_library

__all__ = ["explain_votes", "most_typical", "similarities"]

FAR = 2.0  # standard deviations from which on a tree's number counts as another answer

NEAREST_SHARE = 0.25  # of the trees, where answers are numbers and hardly any two are the same


def explain_votes(
    model: Model,
    matrix: NDArray[Any],
    choose: Choose,
    *,
    prediction: ArrayLike | None = None,
    changes: bool = True,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> VotesReport:
    """Explain what a model of many trees predicts for one row.

    Estimators offer the same as their method ``explain_prediction``.

    Parameters
    ----------
    model : Model
        The model.
    matrix : ndarray of shape (1, n_features)
        The row as the model reads it.
    choose : callable
        The position of the predicted class for rows of class shares; not used for regression.
    prediction : array-like of shape (n_outputs,), optional
        What the estimator predicts where it is not what the trees say, e.g. calibrated probabilities.
    changes : bool, default=True
        Whether to look for changes of single features that would change the predicted class.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    check_one_row(matrix)
    names = model.names(feature_names)
    row = np.asarray(matrix[0], dtype=np.float64)
    # The trees compare what they are given: the same type as in `predict`.
    own = model.values(matrix)[0]
    final = own if prediction is None else np.asarray(prediction, dtype=np.float64).ravel()
    paths = follow_row(model, row)
    chosen = None if model.classes is None else int(choose(final[np.newaxis])[0])
    similarity = similarities(paths, len(model.trees), model.n_features)
    typical = most_typical(similarity, paths.values, own, chosen)
    labels = None if model.classes is None else tuple(str(label) for label in model.classes.tolist())
    values = row_words(model.schema.features, row)
    adjusted = not np.allclose(final, own, rtol=1e-9, atol=1e-9)

    def answers(rows: NDArray[Any]) -> list[str]:
        return [str((labels or ())[k]) for k in choose(model.values(np.ascontiguousarray(rows)))]

    found: tuple[Change, ...] = ()
    if changes and chosen is not None and isinstance(model.trees, Forest) and not adjusted:
        found = find_forest_changes(model, row, paths, values, names, answers, chosen)
    aggregation = model.aggregation
    assert aggregation != "sum" and aggregation != "weighted", "trees of boosters have no equal votes"
    return VotesReport(
        algorithm=algorithm_words(model.algorithm),
        answer=number(final[0]) if labels is None or chosen is None else labels[chosen],
        classes=labels,
        prediction=tuple(float(value) for value in final),
        aggregation=aggregation,
        n_trees=len(model.trees),
        votes=() if labels is None else _votes(paths, labels),
        spread=_spread(paths) if labels is None else None,
        trees=_answers(paths, labels, chosen, float(own[0])),
        features=_features(paths, len(model.trees), names, values),
        typical_tree=typical,
        typical_similarity=float(similarity[typical]),
        typical=explain_prediction(
            model, matrix, choose, tree=typical, changes=False, feature_names=feature_names, X=X
        ),
        changes=found,
        notes=tuple(_notes(model, adjusted)),
        _frame=frame_library(X, model.schema),
    )


def _votes(paths: RowPaths, labels: Sequence[str]) -> tuple[ClassVotes, ...]:
    n_trees = len(paths.leaves)
    votes = np.bincount(paths.values.argmax(axis=1), minlength=len(labels))
    means = paths.values.mean(axis=0)
    order = sorted(range(len(labels)), key=lambda k: (-votes[k], -means[k], k))
    return tuple(
        ClassVotes(labels[k], int(votes[k]), float(votes[k] / n_trees), float(means[k])) for k in order
    )


def _spread(paths: RowPaths) -> Spread:
    numbers = paths.values[:, 0]
    quartiles = np.quantile(numbers, [0.0, 0.25, 0.5, 0.75, 1.0])
    return Spread(float(numbers.mean()), float(numbers.std()), *(float(q) for q in quartiles))


def _answers(
    paths: RowPaths, labels: Sequence[str] | None, chosen: int | None, forest: float
) -> tuple[TreeAnswer, ...]:
    values = paths.values
    if labels is None:
        words = [number(value) for value in values[:, 0]]
        agrees = np.abs(values[:, 0] - forest) <= FAR * values[:, 0].std()
    else:
        best = values.argmax(axis=1)
        words = [labels[k] for k in best]
        agrees = best == chosen
    n_tests = np.bincount(paths.trees, minlength=len(values))
    return tuple(
        TreeAnswer(
            tree=tree,
            answer=words[tree],
            prediction=tuple(float(value) for value in values[tree]),
            agrees=bool(agrees[tree]),
            leaf=int(paths.leaves[tree]),
            n=int(paths.rows[tree]),
            n_tests=int(n_tests[tree]),
        )
        for tree in range(len(values))
    )


def _features(
    paths: RowPaths, n_trees: int, names: Sequence[str], values: Sequence[str]
) -> tuple[TestedFeature, ...]:
    n_tests = np.bincount(paths.features, minlength=len(names))
    in_trees = np.bincount(paths.tested[1], minlength=len(names))
    order = sorted(np.flatnonzero(in_trees).tolist(), key=lambda f: (-in_trees[f], -n_tests[f], f))
    return tuple(
        TestedFeature(names[f], values[f], int(in_trees[f]), float(in_trees[f] / n_trees), int(n_tests[f]))
        for f in order
    )


def _notes(model: Model, adjusted: bool) -> list[str]:
    notes = []
    if model.aggregation == "votes":
        notes.append("The class with most votes is predicted.")
    if adjusted:
        notes.append("The probabilities of the title are calibrated; those of the table are the trees' own.")
    return notes


def similarities(paths: RowPaths, n_trees: int, n_features: int) -> NDArray[np.float64]:
    """Return how much the features that each tree tests are those that all trees test.

    With p the share of trees that test a feature: the sum of p over the features of the tree, divided by the
    number of these plus the sum of p over the others. 1 when all trees test the same features.
    """
    trees, features = paths.tested
    shares = np.bincount(features, minlength=n_features) / n_trees
    common = np.bincount(trees, weights=shares[features], minlength=n_trees)
    own = np.bincount(trees, minlength=n_trees)
    whole = own + (shares.sum() - common)
    similarity: NDArray[np.float64] = np.divide(common, whole, out=np.ones(n_trees), where=whole > 0)
    return similarity


def most_typical(
    similarity: NDArray[np.float64],
    values: NDArray[np.float64],
    prediction: NDArray[np.float64],
    answer: int | None,
) -> int:
    """Return the tree whose way is most typical.

    Parameters
    ----------
    similarity : ndarray of shape (n_trees,)
        From `similarities`.
    values : ndarray of shape (n_trees, n_outputs)
        What each tree answers.
    prediction : ndarray of shape (n_outputs,)
        What the forest answers.
    answer : int or None
        Position of the predicted class; None for numbers.
    """
    if answer is None:
        distance = np.abs(values[:, 0] - prediction[0])
        n_near = max(1, int(NEAREST_SHARE * len(values)))
        allowed = distance <= np.sort(distance)[n_near - 1]
    else:
        allowed = values.argmax(axis=1) == answer
        if not allowed.any():  # a class may have the largest mean without being the first choice of any tree
            allowed[:] = True
    return int(np.argmax(np.where(allowed, similarity, -1.0)))
