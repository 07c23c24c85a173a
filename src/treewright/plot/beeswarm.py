"""plot_beeswarm: what each feature adds, a dot for every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Chart, Layer, Points, Rule
from treewright.draw.colours import OTHER, blend
from treewright.draw.scale import axis_around
from treewright.explain import ShapReport
from treewright.explain.shap.one_class import one_output
from treewright.explain.words import number
from treewright.model.text import printable
from treewright.plot._shap import shap_of, value_colours
from treewright.plot.display import Display

__all__ = ["BeeswarmDisplay", "plot_beeswarm"]

Floats = NDArray[np.float64]
MOST_DOTS = 2400
BINS = 60  # along the axis, in which dots are stacked
HALF = 0.38  # of a line that dots may fill


@dataclass(eq=False)
class BeeswarmDisplay(Display):
    """What each feature adds to the answers, row by row.

    Attributes
    ----------
    report : ShapReport
        Where the numbers come from.
    meaning : str
        What is explained.
    values : ndarray of shape (n_rows, n_features)
        What each feature adds.
    order : ndarray of int
        Features by the mean size of their values, the largest first.
    top : int
        How many features are drawn.
    """

    report: ShapReport
    meaning: str
    values: Floats
    order: NDArray[np.intp]
    top: int = 12

    @classmethod
    def compute(
        cls, estimator: Any, X: Any = None, *, label: Any = None, top: int = 12, **options: Any
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_beeswarm`."""
        check_count("top", top, 1)
        report = shap_of(estimator, X, options, "plot_beeswarm")
        if not len(report):
            raise ValueError("There are no rows to draw.")
        values, _, meaning = one_output(report, label)
        return cls(report, meaning, values, np.argsort(-np.abs(values).mean(axis=0), kind="stable"), top)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        shown = self.order[: self.top]
        most = max(MOST_DOTS // len(shown), 20)
        n_rows = len(self.values)
        rows = np.arange(n_rows)
        if n_rows > most:
            rows = np.linspace(0, n_rows - 1, most).astype(np.intp)
        layers: list[Layer] = [Rule(0.0, lying=False)]
        has_grey = False
        drawn = self.values[np.ix_(rows, shown)]
        low, high = float(drawn.min()), float(drawn.max())
        for place, feature in enumerate(shown):
            own = drawn[:, place]
            colours = value_colours(self.report, int(feature))
            has_grey = has_grey or OTHER in colours
            layers.append(
                Points(
                    own.tolist(),
                    (place + _stacked(own, low, high)).tolist(),
                    [colours[row] for row in rows],
                    2.2,
                    0.9,
                )
            )
        names = [printable(self.report.feature_names[f]) for f in shown]
        size = number(float(np.abs(self.values[:, shown[0]]).mean()))
        remarks = [] if len(rows) == n_rows else [f"{len(rows)} of {n_rows} rows are drawn."]
        hidden = len(self.order) - len(shown)
        if hidden:
            remarks.append(f"{hidden} more {'feature' if hidden == 1 else 'features'} not shown.")
        legend = [(blend(0.0), "low value"), (blend(0.5), "middle"), (blend(1.0), "high value")]
        if has_grey:
            legend.append((OTHER, "missing, or a category without order"))
        return Chart(
            title=f"What features add: {self.meaning}",
            sentence=f"{names[0]} adds most, {size} on average in size.",
            x=axis_around(f"adds to the {self.meaning}", [0.0, low, high]),
            y=Axis("", -0.6, len(names) - 0.4, reverse=True, ticks=list(enumerate(names))),
            layers=layers,
            legend=legend,
            remark=" ".join(remarks),
            height=max(80.0, 34.0 * len(names)),
            width=460.0,
        )


def _stacked(values: Floats, low: float, high: float) -> Floats:
    """Return how far dots stand above or below their line, so that near ones do not hide each other."""
    span = high - low if high > low else 1.0
    bins = np.clip(((values - low) / span * BINS).astype(np.intp), 0, BINS - 1)
    offsets = np.zeros(len(values))
    fullest = max(int(np.bincount(bins).max()), 1)
    step = min(0.11, 2 * HALF / fullest)
    for one in np.unique(bins):
        own = np.flatnonzero(bins == one)
        ranks = np.arange(len(own))
        offsets[own] = np.where(ranks % 2 == 0, ranks // 2, -(ranks // 2 + 1)) * step
    return offsets


def plot_beeswarm(
    estimator: Any,
    X: Any = None,
    *,
    label: Any = None,
    top: int = 12,
    ax: Any = None,
    **options: Any,
) -> BeeswarmDisplay:
    """Draw what each feature adds, a dot for every row, coloured by the row's value of the feature.

    Parameters
    ----------
    estimator : estimator or ShapReport
        A fitted estimator, or what its method `shap` returned.
    X : object, optional
        Rows, for an estimator.
    label : object, optional
        Which class; by default the second of two, or the one whose values are largest.
    top : int, default=12
        How many features to draw.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    **options : object
        Further arguments of `shap`, e.g. ``background``.

    Returns
    -------
    BeeswarmDisplay
        With ``values`` and ``order``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> from treewright.plot import BeeswarmDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> BeeswarmDisplay.compute(forest, X, label=0).values.shape
    (150, 4)
    """
    return BeeswarmDisplay.from_estimator(estimator, X, label=label, top=top, ax=ax, **options)
