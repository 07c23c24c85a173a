"""Explain a prediction of trees that vote with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.boosted.weighted_report import Member, WeightedReport
from treewright.explain.frame import frame_library
from treewright.explain.numbers import number
from treewright.explain.prediction import check_one_row
from treewright.explain.recompute import algorithm_words
from treewright.explain.votes_paths import follow_row
from treewright.model.model import Model

__all__ = ["books_alpha", "explain_weighted"]

Floats = NDArray[np.float64]


def books_alpha(model: Model, weight: float) -> float | None:
    """Return the books' α of a tree: half its weight for two classes; None where there is none."""
    if model.facts["algorithm"] != "SAMME" or model.classes is None:
        return None
    return weight / 2 if len(model.classes) == 2 else weight


def explain_weighted(model: Model, matrix: NDArray[Any], *, top: int = 8, X: Any = None) -> WeightedReport:
    """Explain what a model whose trees vote with weights predicts for one row.

    Estimators offer the same as their method ``explain_prediction``.

    Parameters
    ----------
    model : Model
        The model.
    matrix : ndarray of shape (1, n_features)
        The row as the model reads it.
    top : int, default=8
        How many trees the text shows.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    check_one_row(matrix)
    if top < 1:
        raise ValueError(f"top must be 1 or more, got {top}.")
    row = np.asarray(matrix[0], dtype=np.float64)
    paths = follow_row(model, row)
    weights, errors = model.arrays["estimator_weights"], model.arrays["estimator_errors"]
    prediction = model.values(matrix)[0]
    classes = None if model.classes is None else tuple(str(label) for label in model.classes.tolist())
    votes = np.zeros((len(weights), 0)) if classes is None else _votes(model, paths.values, weights)
    sums = votes.sum(axis=0)
    median = _median(paths.values[:, 0], weights) if classes is None else None
    members = tuple(
        Member(
            tree=t,
            error=float(errors[t]),
            weight=float(weights[t]),
            alpha=books_alpha(model, float(weights[t])),
            answer=_answer(paths.values[t], classes),
            prediction=tuple(float(value) for value in paths.values[t]),
            votes=tuple(float(value) for value in votes[t]),
            leaf=int(paths.leaves[t]),
        )
        for t in range(len(weights))
    )
    return WeightedReport(
        algorithm=algorithm_words(model.algorithm),
        variant=model.facts["algorithm"],
        answer=_answer(prediction if classes is None else sums, classes),
        classes=classes,
        prediction=tuple(float(value) for value in prediction),
        sums=tuple(float(value) for value in sums),
        total_weight=float(weights.sum()),
        members=members,
        median_tree=median,
        notes=tuple(_notes(model, classes)),
        top=top,
        _frame=frame_library(X),
    )


def _answer(values: Floats, classes: Sequence[str] | None) -> str:
    return number(float(values[0])) if classes is None else classes[int(values.argmax())]


def _votes(model: Model, values: Floats, weights: Floats) -> Floats:
    """Return what each tree adds to the score of each class."""
    n_classes = values.shape[1]
    if model.facts["algorithm"] == "SAMME.R":
        logs = np.log(np.maximum(values, np.finfo(np.float64).eps))
        real: Floats = weights[:, np.newaxis] * (n_classes - 1) * (logs - logs.mean(axis=1, keepdims=True))
        return real
    votes: Floats = np.repeat(-weights[:, np.newaxis] / (n_classes - 1), n_classes, axis=1)
    votes[np.arange(len(votes)), values.argmax(axis=1)] = weights
    return votes


def _median(answers: Floats, weights: Floats) -> int:
    order = np.argsort(answers, kind="stable")
    so_far = np.cumsum(weights[order])
    return int(order[int((so_far >= 0.5 * so_far[-1]).argmax())])


def _notes(model: Model, classes: Sequence[str] | None) -> list[str]:
    if classes is None:
        return ["The answer is the median of the trees' numbers by their weights."]
    if model.facts["algorithm"] == "SAMME" and len(classes) == 2:
        return ["Weights are scikit-learn's, twice the α of the books."]
    return []
