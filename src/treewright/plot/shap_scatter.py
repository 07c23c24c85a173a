"""plot_shap_scatter: what a feature adds by its value, coloured by the feature that it acts with most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart import Axis, Chart, Points, Rule
from treewright.draw.colours import BLUE, OTHER, blend, class_colours
from treewright.draw.scale import axis_around
from treewright.explain import ShapReport
from treewright.explain.shap.one_class import class_place, one_output
from treewright.model.feature_index import feature_index
from treewright.model.text import printable
from treewright.plot._shap import shap_of, value_colours
from treewright.plot.display import Display

__all__ = ["ShapScatterDisplay", "plot_shap_scatter"]

Floats = NDArray[np.float64]
MOST_DOTS = 1500
ROWS_ASKED = 200  # about interactions
MOST_COLOURS = 7  # categories with a colour of their own


@dataclass(eq=False)
class ShapScatterDisplay(Display):
    """What a feature adds to the answers, by its value.

    Attributes
    ----------
    report : ShapReport
        Where the numbers come from.
    feature, partner : str
        The feature, and the one by which dots are coloured; None: no other acts together with it.
    meaning : str
        What is explained.
    data : ndarray of shape (n_rows,)
        The feature's values: numbers, or codes of categories.
    values : ndarray of shape (n_rows,)
        What it adds.
    together : ndarray of shape (n_features,)
        Mean size of what it adds together with each other feature.
    """

    report: ShapReport
    feature: str
    partner: str | None
    meaning: str
    data: Floats
    values: Floats
    together: Floats

    @classmethod
    def compute(
        cls,
        estimator: Any,
        feature: Any,
        X: Any = None,
        *,
        colour: Any = None,
        label: Any = None,
        **options: Any,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_shap_scatter`."""
        report = shap_of(estimator, X, options, "plot_shap_scatter")
        names = report.feature_names
        own = feature_index(feature, names)
        values, _, meaning = one_output(report, label)
        together = np.zeros(len(names))
        if colour is None:
            together = _together(estimator, report, X, own, label, options)
            partner = int(np.argmax(together)) if together.max(initial=0.0) > 0 else None
        else:
            partner = feature_index(colour, names)
        return cls(
            report,
            names[own],
            None if partner is None else names[partner],
            meaning,
            report.data[:, own],
            values[:, own],
            together,
        )

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        report, names = self.report, list(self.report.feature_names)
        own = names.index(self.feature)
        known = np.flatnonzero(np.isfinite(self.data) & np.isfinite(self.values))
        rows = known
        if len(known) > MOST_DOTS:
            rows = known[np.linspace(0, len(known) - 1, MOST_DOTS).astype(np.intp)]
        kind = report._features[own]
        name, at = printable(self.feature), self.data.copy()
        if kind.kind == "numeric":
            x_axis = axis_around(name, at[known].tolist())
        else:
            labels = [*map(str, kind.categories or ()), "not seen in training"]
            codes = np.unique(np.clip(at[known], 1, len(labels)).astype(np.intp))
            place = {int(code): float(number) for number, code in enumerate(codes)}
            at[known] = [place[int(code)] for code in np.clip(at[known], 1, len(labels))]
            wiggle = np.resize(np.linspace(-0.25, 0.25, 11), len(at))  # so that rows do not hide each other
            at = at + wiggle
            ticks = [(place[int(code)], printable(labels[int(code) - 1])) for code in codes]
            x_axis = Axis(name, -0.6, max(len(codes), 1) - 0.4, ticks=ticks)
        colours, legend = self._colours(names)
        missing = len(self.data) - len(known)
        remarks = [] if len(rows) == len(known) else [f"{len(rows)} of {len(known)} rows are drawn."]
        if missing:
            remarks.append(f"{missing} rows without a value are not drawn.")
        return Chart(
            title=f"What {name} adds: {self.meaning}",
            sentence=f"From {self.values.min(initial=0.0):.4g} to {self.values.max(initial=0.0):.4g}"
            + (f"; coloured by {printable(self.partner)}." if self.partner else "."),
            x=x_axis,
            y=axis_around(f"adds to the {self.meaning}", [0.0, *self.values[known].tolist()]),
            layers=[
                Rule(0.0, lying=True),
                Points(
                    at[rows].tolist(), self.values[rows].tolist(), [colours[row] for row in rows], 2.6, 0.85
                ),
            ],
            legend=legend,
            remark=" ".join(remarks),
        )

    def _colours(self, names: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
        """Return a colour per row, and what colours mean."""
        if self.partner is None:
            return [BLUE] * len(self.data), []
        partner = names.index(self.partner)
        kind, name = self.report._features[partner], printable(self.partner)
        if kind.kind != "nominal":
            colours = value_colours(self.report, partner)
            legend = [(blend(0.0), f"{name}: low"), (blend(0.5), "middle"), (blend(1.0), "high")]
            return colours, [*legend, (OTHER, "missing")] if OTHER in colours else legend
        codes = np.nan_to_num(self.report.data[:, partner]).astype(np.intp)
        labels = kind.categories or ()
        counts = np.bincount(codes, minlength=len(labels) + 1)[1 : len(labels) + 1]
        chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_COLOURS]) + 1
        palette = dict(zip(chosen.tolist(), class_colours(len(chosen)), strict=True))
        legend = [(palette[code], f"{name} = {printable(str(labels[code - 1]))}") for code in palette]
        colours = [palette.get(int(code), OTHER) for code in codes]
        return colours, [*legend, (OTHER, "others")] if OTHER in colours else legend


def _together(
    estimator: Any, report: ShapReport, X: Any, own: int, label: Any, options: dict[str, Any]
) -> Floats:
    """Return the mean size of what the feature adds together with each other one."""
    pairs = report.interactions
    if pairs is None and estimator is not report:
        some = np.linspace(0, len(report) - 1, min(len(report), ROWS_ASKED)).astype(np.intp)
        rows = _taken(X, some)
        pairs = estimator.shap(rows, **{**options, "interactions": True}).interactions
    if pairs is None:  # a report without them says nothing about it
        return np.zeros(len(report.feature_names))
    k = class_place(report, label)
    if k is not None:
        pairs = pairs[..., k]
    sizes: Floats = np.abs(pairs[:, own]).mean(axis=0)
    sizes[own] = 0.0
    return sizes


def _taken(X: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(rows)
    return X[rows.tolist()] if hasattr(X, "shape") else [X[row] for row in rows]


def plot_shap_scatter(
    estimator: Any,
    feature: Any,
    X: Any = None,
    *,
    colour: Any = None,
    label: Any = None,
    ax: Any = None,
    **options: Any,
) -> ShapScatterDisplay:
    """Draw what a feature adds by its value, coloured by the feature that it acts with most.

    Parameters
    ----------
    estimator : estimator or ShapReport
        A fitted estimator, or what its method `shap` returned.
    feature : str or int
        The feature, by name or column.
    X : object, optional
        Rows, for an estimator.
    colour : str or int, optional
        The feature by which dots are coloured; by default the one with the largest interaction values, which
        an estimator is asked for about 200 rows, and a report holds if it was made with interactions.
    label : object, optional
        Which class; by default the second of two, or the one whose values are largest.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    **options : object
        Further arguments of `shap`, e.g. ``background``.

    Returns
    -------
    ShapScatterDisplay
        With ``data``, ``values``, ``partner`` and ``together``.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import LeafwiseBoostingRegressor
    >>> from treewright.plot import ShapScatterDisplay
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> booster = LeafwiseBoostingRegressor(n_estimators=20).fit(X, X[:, 0] * X[:, 2])
    >>> ShapScatterDisplay.compute(booster, 0, X).partner
    'x2'
    """
    return ShapScatterDisplay.from_estimator(
        estimator, feature, X, colour=colour, label=label, ax=ax, **options
    )
