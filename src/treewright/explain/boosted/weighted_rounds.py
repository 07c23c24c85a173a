"""Go through the rounds of AdaBoost: from the model alone, or again with the rows of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.boosted.weighted_prediction import books_alpha
from treewright.explain.boosted.weighted_rounds_report import RoundsReport, RowWeight, WeightedRound
from treewright.explain.frame import frame_library
from treewright.explain.numbers import number
from treewright.explain.recompute import algorithm_words
from treewright.explain.split import feature_names_of
from treewright.model.model import Model

__all__ = ["Replay", "explain_rounds"]

Floats = NDArray[np.float64]
FEW_ROWS = 10


@dataclass(frozen=True, eq=False)
class Replay:
    """A round, gone through again.

    Attributes
    ----------
    weights : ndarray
        Weights of the rows in the round; they add up to 1.
    values : ndarray of shape (n_rows, n_values)
        What the tree says.
    loss : ndarray
        1 for a wrong class, 0 for a right one; for numbers the loss, 0 to 1.
    next_weights : ndarray or None
        Before they are made to add up to 1.
    score : float
        Accuracy or R² of the trees so far.
    """

    weights: Floats
    values: Floats
    loss: Floats
    next_weights: Floats | None
    score: float


def explain_rounds(
    model: Model,
    replays: Sequence[Replay] | None = None,
    *,
    target: NDArray[Any] | None = None,
    kept: NDArray[np.int64] | None = None,
    rows: Sequence[int] | None = None,
    top: int = 10,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> RoundsReport:
    """Report the rounds of a model whose trees vote with weights.

    Estimators offer the same as their method ``explain_rounds``.

    Parameters
    ----------
    model : Model
        The model.
    replays : sequence of Replay or None
        The rounds, gone through again; None: the report knows what the model has stored.
    target : ndarray, optional
        Classes by position, or numbers, of the rows.
    kept : ndarray of int64, optional
        The numbers of the rows in X; None: all in their order.
    rows : sequence of int, optional
        The rows of X whose weights are shown; by default the first ten.
    top : int, default=10
        How many rounds the text shows.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own table; ``to_frame`` answers in its library.
    """
    if top < 1:
        raise ValueError(f"top must be 1 or more, got {top}.")
    names = feature_names_of(model, feature_names)
    classes = None if model.classes is None else tuple(str(label) for label in model.classes.tolist())
    shown: list[tuple[int, int]] = []
    if replays is not None:
        assert target is not None, "rows have targets"
        shown = _shown(rows, kept, len(target))
    found = []
    for number_of_round in range(len(model.trees)):
        replay = None if replays is None else replays[number_of_round]
        normalizer = (
            None if replay is None or replay.next_weights is None else float(replay.next_weights.sum())
        )
        weight = float(model.arrays["estimator_weights"][number_of_round])
        found.append(
            WeightedRound(
                round=number_of_round,
                test=_first_test(model, number_of_round, names),
                n_leaves=int(model.trees[number_of_round].n_leaves),
                error=float(model.arrays["estimator_errors"][number_of_round]),
                weight=weight,
                alpha=books_alpha(model, weight),
                normalizer=normalizer,
                training_score=None if replay is None else replay.score,
                rows=() if replay is None else _rows(replay, shown, target, classes),
            )
        )
    return RoundsReport(
        algorithm=algorithm_words(model.algorithm),
        variant=model.facts["algorithm"],
        classes=classes,
        learning_rate=float(model.params.get("learning_rate", 1.0)),
        loss=None if classes is not None else str(model.params.get("loss")),
        rounds=tuple(found),
        recomputed=replays is not None,
        notes=() if replays is not None else ("Pass X and y of fit to see how the weights of rows change.",),
        top=top,
        _frame=frame_library(X),
    )


def _shown(rows: Sequence[int] | None, kept: NDArray[np.int64] | None, n_rows: int) -> list[tuple[int, int]]:
    """Return (number in X, place among the rows of positive weight) of the rows to show."""
    own = np.arange(n_rows) if kept is None else kept
    place = {int(row): i for i, row in enumerate(own.tolist())}
    if rows is None:
        return list(place.items())[:FEW_ROWS]
    asked = [row.__index__() for row in rows]
    for row in asked:
        if row not in place:
            raise ValueError(
                f"rows names row {row}, but the rows of positive weight are 0 to {int(own[-1])}."
            )
    return [(row, place[row]) for row in asked]


def _rows(
    replay: Replay, shown: Sequence[tuple[int, int]], target: Any, classes: Sequence[str] | None
) -> tuple[RowWeight, ...]:
    total = 1.0 if replay.next_weights is None else float(replay.next_weights.sum())
    found = []
    for row, i in shown:
        says = replay.values[i]
        following = None if replay.next_weights is None else float(replay.next_weights[i] / total)
        found.append(
            RowWeight(
                row=row,
                target=number(float(target[i])) if classes is None else classes[int(target[i])],
                answer=number(float(says[0])) if classes is None else classes[int(says.argmax())],
                loss=float(replay.loss[i]),
                weight=float(replay.weights[i]),
                next_weight=following,
            )
        )
    return tuple(found)


def _first_test(model: Model, tree: int, names: Sequence[str]) -> str:
    split = model.view(tree).root.split
    if split is None:
        return ""
    index = int(model.trees[tree].feature[0])
    return str(split).replace(split.feature.name, names[index], 1)
