"""plot_waterfall: how features lead from the base value to the answer for one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Bars, Chart, Rule
from treewright.draw.colours import BLUE, ORANGE
from treewright.draw.scale import axis_around
from treewright.explain import ShapReport
from treewright.explain.shap.one_class import one_output
from treewright.explain.words import number, row_words, signed
from treewright.model.text import printable
from treewright.plot._shap import shap_of
from treewright.plot.display import Display

__all__ = ["WaterfallDisplay", "plot_waterfall"]


@dataclass(eq=False)
class WaterfallDisplay(Display):
    """What each feature adds to the answer for one row, one after the other.

    Attributes
    ----------
    report : ShapReport
        Where the numbers come from.
    row : int
        The row.
    meaning : str
        What is explained.
    base_value : float
        The answer when nothing is known about the row.
    values : ndarray of shape (n_features,)
        What each feature adds.
    top : int
        How many features are drawn; the others are one bar.
    """

    report: ShapReport
    row: int
    meaning: str
    base_value: float
    values: NDArray[np.float64]
    top: int = 12

    @classmethod
    def compute(
        cls, estimator: Any, X: Any = None, *, row: int = 0, label: Any = None, top: int = 12, **options: Any
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_waterfall`."""
        check_count("top", top, 1)
        report = shap_of(estimator, X, options, "plot_waterfall")
        check_count("row", row, 0)
        if row >= len(report):
            raise ValueError(f"row={row} does not exist: there are {len(report)} rows, counted from 0.")
        values, base, meaning = one_output(report, label, row)
        return cls(report, row, meaning, float(base[row]), values[row], top)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        shown = order[: self.top]
        words = row_words(self.report._features, self.report.data[self.row])
        names = [f"{printable(self.report.feature_names[f])} = {words[f]}" for f in shown]
        steps = self.values[shown].tolist()
        hidden = len(order) - len(shown)
        if hidden:
            names.append(f"{hidden} other {'feature' if hidden == 1 else 'features'}")
            steps.append(float(self.values[order[self.top :]].sum()))
        ends = self.base_value + np.cumsum(steps)
        begins = np.append(self.base_value, ends[:-1])
        answer = float(ends[-1])
        return Chart(
            title=f"From {number(self.base_value)} to {number(answer)}: {self.meaning} for row {self.row}",
            sentence=f"Starting from {number(self.base_value)}, "
            + ", ".join(f"{name} adds {signed(step)}" for name, step in zip(names, steps, strict=True))
            + ".",
            x=axis_around(self.meaning, [*begins.tolist(), answer], room=0.08),
            y=Axis("", -0.6, len(names) - 0.4, reverse=True, ticks=list(enumerate(names))),
            layers=[
                Rule(self.base_value, lying=False),
                Rule(answer, lying=False, colour="mark", dashed=False),
                Bars(
                    list(range(len(names))),
                    begins.tolist(),
                    ends.tolist(),
                    [ORANGE if step > 0 else BLUE for step in steps],
                    words=[signed(step) for step in steps],
                ),
            ],
            remark="Dashed: the answer when nothing is known about the row. Solid: the answer.",
            height=max(60.0, 24.0 * len(names)),
            width=420.0,
        )


def plot_waterfall(
    estimator: Any,
    X: Any = None,
    *,
    row: int = 0,
    label: Any = None,
    top: int = 12,
    ax: Any = None,
    **options: Any,
) -> WaterfallDisplay:
    """Draw how features lead from the base value to the answer for one row.

    Parameters
    ----------
    estimator : estimator or ShapReport
        A fitted estimator, or what its method `shap` returned.
    X : object, optional
        Rows, for an estimator.
    row : int, default=0
        Which of them.
    label : object, optional
        Which class; by default the most probable one.
    top : int, default=12
        How many features to draw; the others are one bar.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    **options : object
        Further arguments of `shap`, e.g. ``background``.

    Returns
    -------
    WaterfallDisplay
        With ``base_value`` and ``values``.

    Examples
    --------
    >>> from treewright import CARTRegressor
    >>> from treewright.plot import WaterfallDisplay
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> tree = CARTRegressor().fit(X, [0, 0, 0, 4])
    >>> display = WaterfallDisplay.compute(tree, X, row=3)
    >>> display.base_value, display.values.tolist()
    (1.0, [1.5, 1.5])
    """
    return WaterfallDisplay.from_estimator(estimator, X, row=row, label=label, top=top, ax=ax, **options)
