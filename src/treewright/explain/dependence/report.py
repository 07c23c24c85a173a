"""DependenceReport: what a model answers, on average or row by row, when features take certain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart_picture import draw_chart
from treewright.draw.svg import to_svg
from treewright.explain.dependence.picture import dependence_chart
from treewright.explain.report import Report, to_plain
from treewright.explain.words import algorithm_words, number, number_words
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["DependenceReport"]

Floats = NDArray[np.float64]
MAX_VALUES = 15
MAX_COLUMNS = 6


@dataclass(frozen=True, eq=False, repr=False)
class DependenceReport(Report):
    """How the answers of a model depend on one or two features.

    Its DataFrame has one row per value (or pair of values) and class; with `individual` one per row of X,
    too.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``RandomForestClassifier``.
    method : {"brute", "recursion", "accumulated"}
        Averages over the rows; over the training rows as they went down the trees; or effects that are
        accumulated from bin to bin, whose mean is 0.
    output : {"answer", "raw"}
        Whether it is about predictions and probabilities or about the sum of the trees before them.
    meaning : str
        The same in words, e.g. ``probability``.
    features : tuple of str
        The feature, or both.
    values : tuple of tuple
        For each feature the values that it takes: numbers or categories, None for a missing one.
    classes : tuple of str or None
        The classes, where each has a number.
    n_rows : int
        Rows that were averaged over; 0 for "recursion".
    average : ndarray of shape (n_values,) or (n_values, n_values), classes as last dimension
        The average answer.
    individual : ndarray of shape (n_rows, …) or None
        The answer for each row.
    deciles : tuple of tuple of float
        For each feature the deciles of the rows; empty for categories.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    method: Literal["brute", "recursion", "accumulated"]
    output: Literal["answer", "raw"]
    meaning: str
    features: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    classes: tuple[str, ...] | None
    n_rows: int
    average: Floats
    individual: Floats | None
    deciles: tuple[tuple[float, ...], ...] = ()
    notes: tuple[str, ...] = ()
    _numeric: tuple[bool, ...] = ()
    _frame: Any = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """What it is about, in one line."""
        what = "Accumulated effect" if self.method == "accumulated" else "Partial dependence"
        return f"{what} of {' and '.join(map(printable, self.features))}: {self.meaning}"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/dependence_report.json describes them."""
        plain: dict[str, Any] = to_plain(self)
        plain["average"] = self.average.tolist()
        plain["individual"] = None if self.individual is None else self.individual.tolist()
        return plain

    def _columns(self) -> dict[str, list[Any]]:
        cells = list(product(*self.values))
        n_classes = 1 if self.classes is None else len(self.classes)
        n_rows = 1 if self.individual is None else len(self.individual)
        numbers = self.average if self.individual is None else self.individual
        name = "average" if self.individual is None else "answer"
        columns: dict[str, list[Any]] = {}
        if self.individual is not None:
            columns["row"] = np.repeat(np.arange(n_rows), len(cells) * n_classes).tolist()
        for place, feature in enumerate(self.features):
            own = [cell[place] for cell in cells for _ in range(n_classes)]
            if self._numeric[place]:
                own = [float("nan") if value is None else value for value in own]
            columns[feature] = own * n_rows
        taken = set(self.features)
        if self.classes is not None:
            columns["class_" if "class" in taken else "class"] = list(self.classes) * (len(cells) * n_rows)
        columns[f"{name}_" if name in taken else name] = numbers.ravel().tolist()
        return columns

    def to_svg(self) -> str:
        """Return lines over a number, dots over categories, or a map over two features."""
        return to_svg(draw_chart(dependence_chart(self)))

    def _page(self) -> Page:
        tables = (_map_table(self),) if len(self.features) == 2 else (_line_table(self),)
        facts = [f"averaged over {self.n_rows} rows"] if self.n_rows else ["averaged over the training rows"]
        if self.individual is not None:
            facts.append(f"each of the {len(self.individual)} rows stands in to_frame() and individual")
        return Page(
            title=self.title,
            subject=algorithm_words(self.algorithm),
            facts=tuple(facts),
            tables=tables,
            notes=tuple(printable(note) for note in self.notes),
        )


def value_words(value: Any) -> str:
    """Write a value of a grid."""
    if value is None:
        return "missing"
    return number_words(value) if isinstance(value, float) else printable(str(value))


def _some(count: int, most: int) -> list[int]:
    """Return evenly spread places, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return [int(place) for place in np.unique(np.linspace(0, count - 1, most).round())]


def _line_table(report: DependenceReport) -> Table:
    average = report.average if report.classes is not None else report.average[:, np.newaxis]
    shown, classes = _some(len(average), MAX_VALUES), range(min(average.shape[1], MAX_COLUMNS))
    rows = [
        Row((value_words(report.values[0][i]), *(number(float(average[i, k])) for k in classes)))
        for i in shown
    ]
    below = [f"… {len(average) - len(shown)} more values"] if len(shown) < len(average) else []
    if len(classes) < average.shape[1]:
        below.append(f"… {average.shape[1] - len(classes)} more classes")
    titles = ("average",) if report.classes is None else tuple(printable(report.classes[k]) for k in classes)
    columns = (Column(printable(report.features[0])), *(Column(title, True) for title in titles))
    what = "Effect" if report.method == "accumulated" else f"Average {report.meaning}"
    return Table(f"{what} by value", columns, tuple(rows), tuple(below))


def _map_table(report: DependenceReport) -> Table:
    average, of_class = report.average, ""
    if report.classes is not None:
        average, of_class = average[:, :, -1], f" of {printable(report.classes[-1])}"
    down, across = _some(average.shape[0], MAX_VALUES), _some(average.shape[1], MAX_COLUMNS)
    first, second = map(printable, report.features)
    columns = (
        Column(f"{first} \\ {second}"),
        *(Column(value_words(report.values[1][j]), True) for j in across),
    )
    rows = [
        Row((value_words(report.values[0][i]), *(number(float(average[i, j])) for j in across))) for i in down
    ]
    hidden = average.size - len(down) * len(across)
    below = (f"… {hidden} more pairs of values",) if hidden else ()
    is_effect = report.method == "accumulated"
    what = "Effect of both together" if is_effect else f"Average {report.meaning}"
    return Table(f"{what}{of_class}", columns, tuple(rows), below)
