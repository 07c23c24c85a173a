"""Explain a prediction of many trees: ask each of them, count, and show the most typical way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.explain.changes import Change
from treewright.explain.frame import frame_library
from treewright.explain.numbers import number
from treewright.explain.prediction import Choose, check_one_row, explain_prediction
from treewright.explain.recompute import algorithm_words
from treewright.explain.split import feature_names_of
from treewright.explain.value_words import row_words
from treewright.explain.votes import ClassVotes, Spread, TestedFeature, TreeAnswer, VotesReport
from treewright.explain.votes_changes import find_forest_changes
from treewright.explain.votes_paths import RowPaths, follow_row
from treewright.explain.votes_typical import most_typical, similarities
from treewright.model.forest import Forest
from treewright.model.model import Model

__all__ = ["explain_votes"]

FAR = 2.0  # standard deviations from which on a tree's number counts as another answer


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
    names = feature_names_of(model, feature_names)
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
        _frame=frame_library(X),
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
