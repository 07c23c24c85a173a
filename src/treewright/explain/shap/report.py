"""ShapReport: what every feature adds to the answers for some rows, compared with the answer on average."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature
from treewright.draw.bars import Bar, draw_bars
from treewright.explain.report import Report, to_plain
from treewright.explain.shap.force import force_text
from treewright.explain.shap.importance import ShapImportance, importance_of, importance_table
from treewright.explain.words import UNSEEN, algorithm_words, number, row_words, signed
from treewright.model.equation import write_sum
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

__all__ = ["ShapReport"]

Floats = NDArray[np.float64]
MAX_FEATURES = 12
MAX_CLASSES = 6


@dataclass(frozen=True, eq=False, repr=False)
class ShapReport(Report):
    """Shapley values of some rows: ``base_values`` and all ``values`` of a row add up to its answer.

    ``report[i]`` and ``report[2:5]`` are reports about some of the rows. Its DataFrame has one row per row
    of X (and class), with a column per feature.

    Attributes
    ----------
    algorithm : str
        The algorithm, e.g. ``RandomForestClassifier``.
    game : {"path_dependent", "interventional"}
        What stands for features that are not known: how the training rows went down the trees, or rows of a
        background.
    output : {"raw", "probability", "log_loss"}
        What is explained.
    meaning : str
        The same in words, e.g. ``raw score``.
    classes : tuple of str or None
        The classes, where each has a number; None where a row has one number.
    feature_names : tuple of str
        The features.
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_classes)
        What each feature adds.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_classes)
        What is answered when no feature is known.
    interactions : ndarray of shape (n_rows, n_features, n_features[, n_classes]) or None
        What two features add together, half on each side of the diagonal, and on it what a feature adds
        alone: a row adds up to the feature's value.
    data : ndarray of shape (n_rows, n_features)
        The rows as numbers: a category is its code, counted from 1; a missing value is NaN.
    notes : tuple of str
        What else is worth knowing.
    """

    schema_version = 1

    algorithm: str
    game: Literal["path_dependent", "interventional"]
    output: Literal["raw", "probability", "log_loss"]
    meaning: str
    classes: tuple[str, ...] | None
    feature_names: tuple[str, ...]
    values: Floats
    base_values: Floats
    interactions: Floats | None
    data: Floats
    notes: tuple[str, ...] = ()
    _features: tuple[Feature, ...] = ()
    _frame: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def __getitem__(self, rows: Any) -> ShapReport:
        """Return the report about one row, or about several by a slice, a mask or their numbers."""
        if isinstance(rows, int | np.integer) and not isinstance(rows, bool | np.bool_):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"row {rows} does not exist; the report has the rows 0 to {len(self) - 1}")
            rows = [int(rows)]
        return replace(
            self,
            values=self.values[rows],
            base_values=self.base_values[rows],
            interactions=None if self.interactions is None else self.interactions[rows],
            data=self.data[rows],
        )

    def __iter__(self) -> Iterator[ShapReport]:
        """Iterate over the rows, each one as a report."""
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return (
            f"<ShapReport: {self.algorithm}, {len(self)} rows, {len(self.feature_names)} features{classes}, "
            f"{self.output}, {self.game.replace('_', '-')}>"
        )

    @property
    def predictions(self) -> Floats:
        """What base values and values add up to, of shape (n_rows,) or (n_rows, n_classes)."""
        total: Floats = self.base_values + self.values.sum(axis=1)
        return total

    @property
    def display_data(self) -> NDArray[Any]:
        """The rows as people read them: labels of categories, numbers, None where a value is missing."""
        shown = self.data.astype(object)
        shown[np.isnan(self.data)] = None
        for column, feature in enumerate(self._features):
            if feature.kind == "numeric":
                continue
            labels = np.array([None, *map(str, feature.categories or ()), UNSEEN], dtype=object)
            codes = np.nan_to_num(self.data[:, column]).astype(np.intp)
            shown[:, column] = labels[np.clip(codes, 0, len(labels) - 1)]
        return shown

    def importance(self) -> ShapImportance:
        """Return the mean size of each feature's values, the largest first.

        Returns
        -------
        ShapImportance
            Print it, show it in a notebook, or read its attributes.
        """
        return importance_of(self)

    def force(self, row: int = 0, *, label: Any = None, top: int = 10, width: int = 30) -> str:
        """Return as text what pushes the answer for one row up, and what pulls it down.

        Parameters
        ----------
        row : int, default=0
            The row.
        label : object, optional
            Which class; by default the most probable one.
        top : int, default=10
            How many features have a line of their own.
        width : int, default=30
            Letters of the longest arrow.

        Examples
        --------
        >>> from treewright import CARTRegressor
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> tree = CARTRegressor().fit(X, [0, 0, 0, 4])
        >>> print(tree.shap(X).force(1, width=6))
        Prediction for row 1: 1.0000 → 0.0000
          up   +0.5000
            x1 = 1    +0.5000  ▶▶
          down −1.5000
            x0 = 0    −1.5000  ◀◀◀◀◀◀
        """
        return force_text(self, row, label, top, width)

    def to_explanation(self) -> Any:
        """Return the report as a ``shap.Explanation``, for the plots of the package shap.

        Returns
        -------
        explanation : shap.Explanation
            With the same values; categories are codes in ``data`` and labels in ``display_data``. With
            interactions its values are those, a square for every row.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about its own imports, which nobody here can change
                shap = import_module("shap")
        except ImportError:
            raise ImportError("to_explanation needs the package shap. Run: pip install shap") from None
        return shap.Explanation(
            values=self.values if self.interactions is None else self.interactions,
            base_values=self.base_values,
            data=self.data,
            display_data=self.display_data,
            feature_names=list(self.feature_names),
            output_names=None if self.classes is None else list(self.classes),
        )

    # --- as a report
    # ------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python values, as docs/schemas/shap_report.json describes them."""
        plain = to_plain(self)
        for name in ("values", "base_values", "interactions", "data"):
            array = getattr(self, name)
            plain[name] = None if array is None else _plain_array(array)
        return {**plain, "predictions": self.predictions.tolist()}

    def _columns(self) -> dict[str, list[Any]]:
        n_rows, n_classes = len(self), 1 if self.classes is None else len(self.classes)
        columns: dict[str, list[Any]] = {"row": np.repeat(np.arange(n_rows), n_classes).tolist()}
        if self.classes is not None:
            columns["class"] = list(self.classes) * n_rows
        columns["base_value"] = self.base_values.ravel().tolist()
        columns["prediction"] = self.predictions.ravel().tolist()
        taken = set(self.feature_names)
        columns = {f"{name}_" if name in taken else name: values for name, values in columns.items()}
        by_feature = self.values if self.classes is None else self.values.transpose(0, 2, 1)
        numbers = by_feature.reshape(-1, len(self.feature_names))
        for position, name in enumerate(self.feature_names):
            columns[name] = numbers[:, position].tolist()
        return columns

    def to_svg(self) -> str:
        """Return a bar for every feature: what it adds to one row, or its mean size over several."""
        return _row_picture(self) if len(self) == 1 else self.importance().to_svg()

    def _page(self) -> Page:
        return _row_page(self) if len(self) == 1 else _rows_page(self)


def _plain_array(array: Floats) -> list[Any]:
    """Return nested lists; None where a number is missing or infinite, because JSON has neither."""
    if np.isfinite(array).all():
        return list(array.tolist())
    plain = array.astype(object)
    plain[~np.isfinite(array)] = None
    return list(plain.tolist())


def _rows_page(report: ShapReport) -> Page:
    base = np.atleast_1d(report.base_values.mean(axis=0)) if len(report) else np.array([])
    words = ", ".join(number(value) for value in base[:MAX_CLASSES])
    return Page(
        title=f"Shapley values of {len(report)} rows: {report.meaning}",
        subject=algorithm_words(report.algorithm),
        facts=(f"base value  {words}{', …' if len(base) > MAX_CLASSES else ''}",) if len(report) else (),
        tables=(importance_table(report.importance()),) if len(report) else (),
        worked=(),
        latex=(),
        notes=tuple(printable(note) for note in report.notes),
    )


def _row_page(report: ShapReport) -> Page:
    values = report.values[0] if report.classes is not None else report.values[0][:, np.newaxis]
    base, total = np.atleast_1d(report.base_values[0]), np.atleast_1d(report.predictions[0])
    best = int(np.argmax(total)) if report.classes is not None else 0
    order = np.argsort(-np.abs(values).max(axis=1), kind="stable")
    shown = order[:MAX_FEATURES]
    classes = list(range(min(len(total), MAX_CLASSES)))
    if best not in classes:
        classes[-1] = best
    data = row_words(report._features, report.data[0])
    rows = [
        Row(
            (
                printable(report.feature_names[f]),
                data[f],
                *(signed(float(values[f, k])) for k in classes),
            )
        )
        for f in shown
    ]
    titles = ("adds",) if report.classes is None else tuple(printable(report.classes[k]) for k in classes)
    below = []
    if len(order) > len(shown):
        below.append(f"… {len(order) - len(shown)} more features")
    if len(classes) < len(total):
        below.append(f"… {len(total) - len(classes)} more classes")
    columns = (Column("feature"), Column("value"), *(Column(title, True) for title in titles))
    of_class = "" if report.classes is None else f" of {printable(report.classes[best])}"
    return Page(
        title=f"{report.meaning[0].upper()}{report.meaning[1:]}{of_class} {number(float(total[best]))}",
        subject=algorithm_words(report.algorithm),
        facts=(f"{number(float(base[best]))} when nothing is known about the row",),
        tables=(Table(f"What features add to the {report.meaning}", columns, tuple(rows), tuple(below)),),
        worked=(_sum_words(float(base[best]), values[:, best], float(total[best]), shown, of_class),),
        latex=(),
        notes=tuple(printable(note) for note in report.notes),
    )


def _row_picture(report: ShapReport) -> str:
    values, of_class = report.values[0], ""
    if report.classes is not None:
        best = int(np.argmax(report.predictions[0]))
        values, of_class = values[:, best], f" of {printable(report.classes[best])}"
    data = row_words(report._features, report.data[0])
    bars = [
        Bar(f"{printable(report.feature_names[f])} = {data[f]}", float(values[f]), signed(float(values[f])))
        for f in np.argsort(-np.abs(values), kind="stable")
    ]
    return draw_bars(
        bars,
        title=f"What features add to the {report.meaning}{of_class}",
        sentence=", ".join(f"{bar.label}: {bar.words}" for bar in bars[:MAX_FEATURES]),
        unit=f"{report.meaning}{of_class}",
    )


def _sum_words(base: float, values: Floats, total: float, shown: NDArray[np.intp], of_class: str) -> str:
    """Write the sum so that it holds as printed; features that add nothing are left out."""
    terms = [float(values[f]) for f in shown if values[f] != 0]
    rest = float(values.sum() - values[shown].sum())
    has_rest = len(shown) < len(values) and rest != 0
    written = write_sum(total, (base, *terms, *([rest] if has_rest else [])))
    signs = ["−" if term < 0 else "+" for term in (*terms, *([rest] if has_rest else []))]
    first = f"−{written.operands[0]}" if base < 0 else written.operands[0]
    others = " ".join(f"{sign} {text}" for sign, text in zip(signs, written.operands[1:], strict=True))
    which = " (the last: all other features)" if has_rest else ""
    start = f"{of_class.strip()}: " if of_class else ""
    return f"{start}{first} {others} {written.end}{which}".replace("  ", " ")
