"""WeightedReport: how trees that vote with weights (AdaBoost) come to one answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.bars import Bar, draw_bars
from treewright.explain.prediction import check_one_row
from treewright.explain.report import Report
from treewright.explain.row_paths import follow_row
from treewright.explain.votes_report import range_bars
from treewright.explain.words import algorithm_words, number, signed
from treewright.model.equation import write_sum
from treewright.model.facts import WeightedFacts
from treewright.model.model import Model
from treewright.model.text import printable
from treewright.reports.frame import frame_library
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["Member", "WeightedReport", "books_alpha", "explain_weighted", "weighted_page"]

MAX_CLASSES = 8
MAX_TERMS = 12
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Member:
    """What one tree says.

    Attributes
    ----------
    tree : int
        Number of the tree, and of its round.
    error : float
        Its error in fitting, on the rows as they were weighted for it.
    weight : float
        Its weight, as scikit-learn has it.
    alpha : float or None
        The books' α: half the weight for two classes, the weight for more; None where trees have none
        (SAMME.R, numbers).
    answer : str
        What it predicts.
    prediction : tuple of float
        Its probability of each class, or its number.
    votes : tuple of float
        What it adds to the score of each class; empty for numbers.
    leaf : int
        The node in which the row ends.
    """

    tree: int
    error: float
    weight: float
    alpha: float | None
    answer: str
    prediction: tuple[float, ...]
    votes: tuple[float, ...]
    leaf: int


@dataclass(frozen=True)
class WeightedReport(Report):
    """How trees that vote with weights come to the answer for one row.

    Its DataFrame has one row per tree.

    Attributes
    ----------
    algorithm : str
        ``AdaBoost``.
    variant : {"SAMME", "SAMME.R", "R2"}
        Votes for classes, real-valued votes, or the weighted median of numbers.
    answer : str
        What is predicted.
    classes : tuple of str, or None
        The classes; None for numbers.
    prediction : tuple of float
        Probability of each class, or the predicted number.
    sums : tuple of float
        Sum of the votes for each class; empty for numbers.
    total_weight : float
        Sum of the trees' weights.
    members : tuple of Member
        What each tree says.
    median_tree : int or None
        For numbers: the tree whose number is the weighted median; None for classes.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    variant: Literal["SAMME", "SAMME.R", "R2"]
    answer: str
    classes: tuple[str, ...] | None
    prediction: tuple[float, ...]
    sums: tuple[float, ...]
    total_weight: float
    members: tuple[Member, ...]
    median_tree: int | None
    notes: tuple[str, ...] = ()
    top: int = field(default=8, repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, list[Any]]:
        names = ("tree", "error", "weight", "alpha", "answer", "leaf")
        columns = {name: [getattr(one, name) for one in self.members] for name in names}
        labels = ["prediction"] if self.classes is None else [f"p({label})" for label in self.classes]
        for position, label in enumerate(labels):
            columns[label] = [one.prediction[position] for one in self.members]
        for position, label in enumerate(self.classes or ()):
            columns[f"vote({label})"] = [one.votes[position] for one in self.members]
        return columns

    def _page(self) -> Page:
        return weighted_page(self)

    def to_svg(self) -> str:
        """Return as SVG the sum of votes for each class, or the weight of the trees by their numbers."""
        return _picture(self)


def weighted_page(report: WeightedReport) -> Page:
    """Lay out the report."""
    probability = "" if report.classes is None else f" ({number(max(report.prediction))})"
    trees = f"{len(report.members)} {'tree' if len(report.members) == 1 else 'trees'}"
    tables = [] if report.classes is None else [_class_table(report)]
    return Page(
        title=f"Predicted {printable(report.answer)}{probability}",
        subject=f"{report.algorithm}, {report.variant}, {trees}",
        facts=(),
        tables=(*tables, _member_table(report)),
        worked=_worked(report),
        latex=(),
        notes=tuple(printable(note) for note in report.notes),
    )


def _picture(report: WeightedReport) -> str:
    if report.classes is None:
        numbers = [one.prediction[0] for one in report.members]
        bars = range_bars(numbers, [one.weight for one in report.members], report.prediction[0])
        unit = "weight of the trees"
    else:
        order = sorted(range(len(report.classes)), key=lambda k: -report.sums[k])
        labels, unit = report.classes, "sum of votes"
        bars = [
            Bar(
                printable(labels[k]),
                report.sums[k],
                signed(report.sums[k]),
                "marked" if labels[k] == report.answer else "plain",
            )
            for k in order
        ]
    return draw_bars(
        bars,
        title=f"How {len(report.members)} trees vote on the row",
        sentence=f"Predicted {printable(report.answer)}; " + ", ".join(f"{b.label}: {b.words}" for b in bars),
        unit=unit,
    )


def _class_table(report: WeightedReport) -> Table:
    classes = report.classes or ()
    order = sorted(range(len(classes)), key=lambda k: -report.sums[k])
    rows = []
    for k in order[:MAX_CLASSES]:
        own = [one for one in report.members if one.answer == classes[k]]
        best = classes[k] == report.answer
        cells = (
            printable(classes[k]),
            str(len(own)),
            number(sum(one.weight for one in own)),
            signed(report.sums[k]),
            number(report.sums[k] / report.total_weight),
            number(report.prediction[k]),
        )
        rows.append(Row(cells, "← predicted" if best else "", best))
    hidden = len(classes) - len(rows)
    titles = ("trees", "their weight", "sum of votes", "per weight", "probability")
    return Table(
        "Votes for each class",
        (Column("class"), *(Column(title, True) for title in titles)),
        tuple(rows),
        (f"… {hidden} more classes",) if hidden else (),
    )


def _member_table(report: WeightedReport) -> Table:
    order = sorted(report.members, key=lambda one: (-one.weight, one.tree))
    has_alpha = report.members[0].alpha is not None
    columns = [Column("tree"), Column("error", True)]
    columns += [Column("α of the books", True)] if has_alpha else []
    columns += [Column("weight", True), Column("answer", report.classes is None)]
    rows = []
    for one in order[: report.top]:
        cells = [str(one.tree), number(one.error), *([number(one.alpha)] if one.alpha is not None else [])]
        median = one.tree == report.median_tree
        remark = "← the median" if median else ""
        rows.append(Row((*cells, number(one.weight), printable(one.answer)), remark, median))
    hidden = len(order) - len(rows)
    below = (f"… {hidden} more trees",) if hidden else ()
    return Table("The trees that weigh most", tuple(columns), tuple(rows), below)


def _worked(report: WeightedReport) -> tuple[str, ...]:
    classes = report.classes
    if classes is None:
        return _median_lines(report)
    if report.variant == "SAMME.R":
        return ("A tree's vote for a class is (K − 1)·(ln p − mean of ln p) of its probabilities.",)
    if len(classes) != 2:
        return (
            "A tree's weight counts for the class it names, "
            f"and −weight/{len(classes) - 1} for each other class.",
        )
    values = [_signed_alpha(one, classes[1]) for one in report.members]
    shown, hidden = values[:MAX_TERMS], values[MAX_TERMS:]
    total = math.fsum(values)
    found = write_sum(total, [*shown, *([math.fsum(hidden)] if hidden else [])])
    terms = [
        f"{'−' if value < 0 else '+'} {text}"
        for value, text in zip([*shown, math.fsum(hidden)], found.operands, strict=False)
    ]
    more = f" ({len(hidden)} more)" if hidden else ""
    relation = ">" if total > 0 else "≤"
    return (
        f"Σ α·h, h = +1 for {printable(classes[1])} and −1 for {printable(classes[0])}: "
        f"{' '.join(terms).removeprefix('+ ')}{more} {found.end} {relation} 0",
    )


def _signed_alpha(one: Member, second: str) -> float:
    alpha = one.alpha or 0.0
    return alpha if one.answer == second else -alpha


def _median_lines(report: WeightedReport) -> tuple[str, ...]:
    order = sorted(report.members, key=lambda one: one.prediction[0])
    so_far = 0.0
    for one in order:
        so_far += one.weight
        if one.tree == report.median_tree:
            break
    return (
        f"Of the trees in the order of their numbers, those up to {number(report.prediction[0])} weigh "
        f"{number(so_far)}, at least half of {number(report.total_weight)}.",
    )


def books_alpha(model: Model, weight: float) -> float | None:
    """Return the books' α of a tree: half its weight for two classes; None where there is none."""
    if WeightedFacts.of(model).algorithm != "SAMME" or model.classes is None:
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
    check_count("top", top, 1)
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
        variant=WeightedFacts.of(model).algorithm,
        answer=_answer(prediction if classes is None else sums, classes),
        classes=classes,
        prediction=tuple(float(value) for value in prediction),
        sums=tuple(float(value) for value in sums),
        total_weight=float(weights.sum()),
        members=members,
        median_tree=median,
        notes=tuple(_notes(model, classes)),
        top=top,
        _frame=frame_library(X, model.schema),
    )


def _answer(values: Floats, classes: Sequence[str] | None) -> str:
    return number(float(values[0])) if classes is None else classes[int(values.argmax())]


def _votes(model: Model, values: Floats, weights: Floats) -> Floats:
    """Return what each tree adds to the score of each class."""
    n_classes = values.shape[1]
    if WeightedFacts.of(model).algorithm == "SAMME.R":
        logs = np.log(np.maximum(values, np.finfo(np.float64).eps))
        real: Floats = weights[:, np.newaxis] * (n_classes - 1) * (logs - logs.mean(axis=1, keepdims=True))
        return real
    votes: Floats = np.repeat(-weights[:, np.newaxis] / max(1, n_classes - 1), n_classes, axis=1)
    votes[np.arange(len(votes)), values.argmax(axis=1)] = weights
    return votes


def _median(answers: Floats, weights: Floats) -> int:
    order = np.argsort(answers, kind="stable")
    so_far = np.cumsum(weights[order])
    return int(order[int((so_far >= 0.5 * so_far[-1]).argmax())])


def _notes(model: Model, classes: Sequence[str] | None) -> list[str]:
    if classes is None:
        return ["The answer is the median of the trees' numbers by their weights."]
    if WeightedFacts.of(model).algorithm == "SAMME" and len(classes) == 2:
        return ["Weights are scikit-learn's, twice the α of the books."]
    return []
