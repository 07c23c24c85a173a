"""RoundsReport: errors, weights of trees and weights of rows, round by round (AdaBoost)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.series import draw_series
from treewright.explain.boosted.rounds_formula import rounds_steps
from treewright.explain.boosted.weighted import books_alpha
from treewright.explain.report import WorkedReport
from treewright.explain.words import algorithm_words, number
from treewright.model.facts import WeightedFacts
from treewright.model.model import Model
from treewright.model.text import printable
from treewright.reports.frame import frame_library
from treewright.reports.page import Column, Page, Row, Step, Table

__all__ = [
    "Replay",
    "RoundsReport",
    "RowWeight",
    "WeightedRound",
    "explain_rounds",
    "rounds_page",
]

WORKED_ROUNDS = 3
ROW_ROUNDS = 6  # rounds whose weights of rows fit on a line
WRONG = "✗"
Floats = NDArray[np.float64]
FEW_ROWS = 10


@dataclass(frozen=True)
class RowWeight:
    """One row in one round.

    Attributes
    ----------
    row : int
        Number of the row in X.
    target : str
        Its class or number.
    answer : str
        What the round's tree says.
    loss : float
        1 where a class is wrong, 0 where it is right; for numbers the loss, 0 to 1.
    weight : float
        Its weight in the round; those of all rows add up to 1.
    next_weight : float or None
        Its weight after the round; None when it was the last that could be made.
    """

    row: int
    target: str
    answer: str
    loss: float
    weight: float
    next_weight: float | None


@dataclass(frozen=True)
class WeightedRound:
    """One round.

    Attributes
    ----------
    round : int
        Its number, from 0; also that of its tree.
    test : str
        What the root of the tree tests, in words; empty for a tree without a test.
    n_leaves : int
        Leaves of the tree.
    error : float
        e: the weight of the rows that the tree gets wrong; for numbers the mean loss.
    weight : float
        The tree's weight, as scikit-learn has it.
    alpha : float or None
        The books' α: half the weight for two classes, the weight for more; None where there is none.
    normalizer : float or None
        Z: what the weights of all rows add up to before they are made to add up to 1 again, when they were
        changed by `alpha`: for two classes those of right rows × e^−α and of wrong ones × e^α, as the books
        have it, else as `weight` says; only with data.
    training_score : float or None
        Accuracy or R² of the trees so far on the rows of the fit; only with data.
    rows : tuple of RowWeight
        Some rows; only with data.
    """

    round: int
    test: str
    n_leaves: int
    error: float
    weight: float
    alpha: float | None
    normalizer: float | None
    training_score: float | None
    rows: tuple[RowWeight, ...]


@dataclass(frozen=True)
class RoundsReport(WorkedReport):
    """The rounds of AdaBoost.

    Its DataFrame has one row per round.

    Attributes
    ----------
    algorithm : str
        ``AdaBoost``.
    variant : {"SAMME", "SAMME.R", "R2"}
        How trees vote.
    classes : tuple of str, or None
        The classes; None for numbers.
    learning_rate : float
        What the logarithms of the weights are multiplied with.
    loss : str or None
        The loss of a row, for numbers.
    rounds : tuple of WeightedRound
        The rounds.
    n_rows : int or None
        Rows of the fit of positive weight; only with data.
    recomputed : bool
        Whether the rounds were gone through again with data.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    variant: Literal["SAMME", "SAMME.R", "R2"]
    classes: tuple[str, ...] | None
    learning_rate: float
    loss: str | None
    rounds: tuple[WeightedRound, ...]
    n_rows: int | None
    recomputed: bool
    notes: tuple[str, ...] = ()
    top: int = field(default=10, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The weight of every tree with its numbers put in."""
        return rounds_steps(self)

    def _columns(self) -> dict[str, list[Any]]:
        names = ("round", "test", "n_leaves", "error", "weight", "alpha", "normalizer", "training_score")
        return {name: [getattr(one, name) for one in self.rounds] for name in names}

    def _page(self) -> Page:
        return rounds_page(self)

    def to_svg(self) -> str:
        """Return the errors of the rounds as SVG, with data also the score of the trees so far."""
        lines = {"error": [one.error for one in self.rounds]}
        if self.recomputed:
            name = "R² so far" if self.classes is None else "right so far"
            scores = (one.training_score for one in self.rounds)
            lines[name] = [math.nan if score is None else score for score in scores]
        first, last = number(self.rounds[0].error), number(self.rounds[-1].error)
        return draw_series(
            lines,
            title=f"{self.algorithm}: errors round by round",
            sentence=f"The error goes from {first} to {last} in {len(self.rounds)} rounds.",
            unit="round",
        )


def rounds_page(report: RoundsReport) -> Page:
    """Lay out the report."""
    n = len(report.rounds)
    tables = [_round_table(report)]
    if report.recomputed and report.rounds[0].rows:
        tables.append(_row_table(report))
    steps = rounds_steps(report)
    rate = "" if report.learning_rate == 1 else f", learning rate {report.learning_rate:g}"
    return Page(
        title=f"{n} {'round' if n == 1 else 'rounds'}",
        subject=f"{report.algorithm}, {report.variant}{rate}",
        facts=(),
        tables=tuple(tables),
        worked=tuple(_worked(steps)),
        latex=tuple(step.latex for step in steps),
        notes=tuple(printable(note) for note in report.notes),
    )


def _worked(steps: Sequence[Step]) -> list[str]:
    lines = [f"{step.name}: {step.text}" for step in steps[:WORKED_ROUNDS]]
    return lines + _more_rounds(len(steps) - len(lines))


def _more_rounds(hidden: int) -> list[str]:
    return [f"… {hidden} more {'round' if hidden == 1 else 'rounds'}"] if hidden > 0 else []


def _round_table(report: RoundsReport) -> Table:
    shown = report.rounds[: report.top]
    has_alpha = any(one.alpha is not None for one in shown)
    columns = [Column("round"), Column("first test"), Column("error", True)]
    columns += [Column("α of the books", True)] if has_alpha else []
    columns.append(Column("weight", True))
    score = "R² so far" if report.classes is None else "right so far"
    columns += [Column("Z", True), Column(score, True)] if report.recomputed else []
    rows = []
    for one in shown:
        cells = [str(one.round), printable(one.test) or "none", number(one.error)]
        cells += [number(one.alpha) if one.alpha is not None else ""] if has_alpha else []
        cells.append(number(one.weight))
        if report.recomputed:
            cells.append("" if one.normalizer is None else number(one.normalizer))
            cells.append("" if one.training_score is None else number(one.training_score))
        rows.append(Row(tuple(cells)))
    below = _more_rounds(len(report.rounds) - len(shown))
    return Table("The rounds", tuple(columns), tuple(rows), tuple(below))


def _row_table(report: RoundsReport) -> Table:
    shown = report.rounds[: min(ROW_ROUNDS, report.top)]
    columns = [Column("row"), Column("y")]
    columns += [Column(f"round {one.round}", True) for one in shown]
    last = shown[-1]
    has_next = any(own.next_weight is not None for own in last.rows)
    columns += [Column("then", True)] if has_next else []
    rows = []
    for place, first in enumerate(shown[0].rows):
        cells = [str(first.row), printable(first.target)]
        for one in shown:
            own = one.rows[place]
            mark = WRONG if report.classes is not None and own.loss > 0 else " "
            cells.append(f"{number(own.weight)} {mark}")
        following = last.rows[place].next_weight
        cells += [number(following) if following is not None else ""] if has_next else []
        rows.append(Row(tuple(cells)))
    below = [f"{WRONG} the round's tree is wrong about the row"] if report.classes is not None else []
    hidden = (report.n_rows or 0) - len(rows)
    if hidden > 0:
        below.append(f"… {hidden} more {'row' if hidden == 1 else 'rows'} (rows=[…] names those to show)")
    below += _more_rounds(len(report.rounds) - len(shown))
    return Table("Weights of rows", tuple(columns), tuple(rows), tuple(below))


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
    check_count("top", top, 1)
    names = model.names(feature_names)
    classes = None if model.classes is None else tuple(str(label) for label in model.classes.tolist())
    shown: list[tuple[int, int]] = []
    if replays is not None:
        assert target is not None, "rows have targets"
        shown = _shown(rows, kept, len(target))
    found = []
    for number_of_round in range(len(model.trees)):
        replay = None if replays is None else replays[number_of_round]
        weight = float(model.arrays["estimator_weights"][number_of_round])
        alpha = books_alpha(model, weight)
        normalizer = None
        if replay is not None and replay.next_weights is not None:
            # Rows were changed by the weight: wrong ones alone. The books share the same between both.
            normalizer = float(replay.next_weights.sum()) * math.exp(0.0 if alpha is None else alpha - weight)
        found.append(
            WeightedRound(
                round=number_of_round,
                test=_first_test(model, number_of_round, names),
                n_leaves=int(model.trees[number_of_round].n_leaves),
                error=float(model.arrays["estimator_errors"][number_of_round]),
                weight=weight,
                alpha=alpha,
                normalizer=normalizer,
                training_score=None if replay is None else replay.score,
                rows=() if replay is None else _rows(replay, shown, target, classes),
            )
        )
    return RoundsReport(
        algorithm=algorithm_words(model.algorithm),
        variant=WeightedFacts.of(model).algorithm,
        classes=classes,
        learning_rate=float(model.params.get("learning_rate", 1.0)),
        loss=None if classes is not None else str(model.params.get("loss")),
        rounds=tuple(found),
        n_rows=None if replays is None or target is None else len(target),
        recomputed=replays is not None,
        notes=() if replays is not None else ("Pass X and y of fit to see how the weights of rows change.",),
        top=top,
        _frame=frame_library(X, model.schema),
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
