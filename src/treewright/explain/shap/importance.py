"""ShapImportance: how large the Shapley values of each feature are over the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.bars import Bar, draw_bars
from treewright.explain.report import Report
from treewright.explain.words import algorithm_words, number
from treewright.model.text import printable
from treewright.reports.page import Column, Page, Row, Table

if TYPE_CHECKING:
    from treewright.explain.shap.report import ShapReport

__all__ = ["FeatureSize", "ShapImportance", "importance_of", "importance_table"]

MAX_FEATURES = 20
MAX_CLASSES = 6


@dataclass(frozen=True)
class FeatureSize:
    """How much a feature moves the answers.

    Attributes
    ----------
    feature : str
        The feature.
    mean : float
        Mean size of its values over the rows; of several classes the sum over the classes.
    sd : float
        Standard deviation of the sizes over the rows.
    largest : float
        The largest of them.
    by_class : tuple of float or None
        The mean size for each class; None where a row has one number.
    """

    feature: str
    mean: float
    sd: float
    largest: float
    by_class: tuple[float, ...] | None


@dataclass(frozen=True)
class ShapImportance(Report):
    """The mean size of each feature's Shapley values, the largest first.

    Attributes
    ----------
    algorithm : str
        The algorithm.
    meaning : str
        What is explained, e.g. ``raw score``.
    classes : tuple of str or None
        The classes, where each has a number.
    n_rows : int
        Number of rows.
    features : tuple of FeatureSize
        One entry per feature.
    """

    schema_version = 1

    algorithm: str
    meaning: str
    classes: tuple[str, ...] | None
    n_rows: int
    features: tuple[FeatureSize, ...]
    _order: tuple[int, ...] = field(default=(), repr=False)
    _frame: Any = field(default=None, repr=False, compare=False)

    @property
    def importances_mean(self) -> NDArray[np.float64]:
        """The mean sizes in the order of the features of X."""
        return self._by_position("mean")

    @property
    def importances_std(self) -> NDArray[np.float64]:
        """Their standard deviations in the order of the features of X."""
        return self._by_position("sd")

    def _by_position(self, name: str) -> NDArray[np.float64]:
        found = np.empty(len(self.features))
        found[list(self._order)] = [getattr(one, name) for one in self.features]
        return found

    def _columns(self) -> dict[str, list[Any]]:
        columns = {
            name: [getattr(one, name) for one in self.features]
            for name in ("feature", "mean", "sd", "largest")
        }
        for position, label in enumerate(self.classes or ()):
            columns[f"mean({label})"] = [(one.by_class or ())[position] for one in self.features]
        return columns

    def to_svg(self) -> str:
        """Return a bar for every feature, as long as its mean size."""
        bars = [Bar(printable(one.feature), one.mean, number(one.mean)) for one in self.features]
        return draw_bars(
            bars,
            title=f"Mean size of Shapley values over {self.n_rows} rows",
            sentence=", ".join(f"{bar.label}: {bar.words}" for bar in bars[:MAX_FEATURES]),
            unit="mean |value|",
        )

    def _page(self) -> Page:
        return Page(
            title=f"Mean size of Shapley values over {self.n_rows} rows: {self.meaning}",
            subject=algorithm_words(self.algorithm),
            facts=(),
            tables=(importance_table(self),),
            worked=(),
            latex=(),
            notes=(),
        )


def importance_of(report: ShapReport) -> ShapImportance:
    """Return the sizes of the values of a report."""
    if not len(report):
        raise ValueError("A report without rows has no importances.")
    sizes = np.abs(report.values)
    by_class = None if report.classes is None else sizes.mean(axis=0)
    total = sizes if by_class is None else sizes.sum(axis=2)
    mean, sd, largest = total.mean(axis=0), total.std(axis=0), total.max(axis=0)
    order = np.argsort(-mean, kind="stable").tolist()
    features = tuple(
        FeatureSize(
            report.feature_names[f],
            float(mean[f]),
            float(sd[f]),
            float(largest[f]),
            None if by_class is None else tuple(by_class[f].tolist()),
        )
        for f in order
    )
    return ShapImportance(
        report.algorithm,
        report.meaning,
        report.classes,
        len(report),
        features,
        tuple(order),
        report._frame,
    )


def importance_table(found: ShapImportance) -> Table:
    """Lay the sizes out."""
    classes = (found.classes or ())[:MAX_CLASSES]
    rows = [
        Row(
            (
                printable(one.feature),
                number(one.mean),
                number(one.sd),
                number(one.largest),
                *(number(size) for size in (one.by_class or ())[: len(classes)]),
            )
        )
        for one in found.features[:MAX_FEATURES]
    ]
    hidden = len(found.features) - len(rows)
    below = [f"… {hidden} more features"] if hidden else []
    if len(found.classes or ()) > len(classes):
        below.append(f"… {len(found.classes or ()) - len(classes)} more classes")
    columns = (
        Column("feature"),
        Column("mean |value|", True),
        Column("sd", True),
        Column("largest", True),
        *(Column(printable(label), True) for label in classes),
    )
    return Table("Mean size of the Shapley values of each feature", columns, tuple(rows), tuple(below))
