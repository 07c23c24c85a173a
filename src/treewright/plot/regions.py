"""plot_regions: what a model answers over one or two features, with the rows that it learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Bars, Cells, Chart, Layer, Line, Points
from treewright.draw.colours import BLUE, ORANGE, class_colours, heat
from treewright.draw.scale import axis_around
from treewright.export.source import model_of
from treewright.model.encoded import encoded_target
from treewright.model.feature_index import feature_index
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.plot._grid import Grid, Varied
from treewright.plot.display import Display

__all__ = ["RegionsDisplay", "plot_regions"]

Floats = NDArray[np.float64]
MOST_POINTS = 1500
OPACITIES = (0.18, 0.32, 0.46, 0.6)  # from an even answer to a sure one
MOST_FIXED = 3


@dataclass(eq=False)
class RegionsDisplay(Display):
    """Answers over a grid of one or two features.

    Attributes
    ----------
    algorithm : str
        Name of the estimator.
    features : list of str
        The one or two features.
    axes : list of Varied
        Their cells: ``edges``, ``values`` and names of categories.
    classes : list of str or None
        The classes; None for numbers.
    answers : ndarray
        Probabilities of shape (n_cells, n_classes), or numbers of shape (n_cells,); the cells of the first
        feature one after the other, for each cell of the second.
    points : ndarray of shape (n_rows, n_features)
        Where the rows stand; NaN where they have no place.
    target : ndarray or None
        Their class codes or numbers.
    fixed : list of (str, str)
        The values of the other features.
    colours : list of str
        One per class.
    """

    algorithm: str
    features: list[str]
    axes: list[Varied]
    classes: list[str] | None
    answers: Floats
    points: Floats
    target: NDArray[Any] | None
    fixed: list[tuple[str, str]]
    colours: list[str]

    @classmethod
    def compute(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: Any = None,
        resolution: int = 150,
        palette: str | Sequence[str] = "okabe_ito",
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_regions`."""
        model = model_of(estimator, "plot_regions")
        if estimator is model:
            raise TypeError("plot_regions takes the fitted estimator, not its model_.")
        check_count("resolution", resolution, 2)
        names = model.names(feature_names)
        columns = _columns(estimator, features, names)
        grid = Grid(model, X, columns, names, resolution)
        table = grid.table()
        classes = None if model.classes is None else [str(label) for label in model.classes.tolist()]
        answers = estimator.predict(table) if classes is None else estimator.predict_proba(table)
        target = None if y is None else encoded_target(model, y, len(grid.matrix))
        places = np.stack([one.place(grid.matrix[:, one.index]) for one in grid.varied], axis=1)
        return cls(
            model.algorithm,
            [names[column] for column in columns],
            grid.varied,
            classes,
            np.asarray(answers, dtype=np.float64),
            places,
            target,
            grid.fixed,
            class_colours(len(classes or ()), palette),
        )

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        if len(self.axes) == 2:
            return self._two()
        return self._one_of_classes() if self.classes is not None else self._one_of_numbers()

    def _words(self) -> tuple[str, str, str]:
        """Return title, sentence and remark."""
        names = [printable(name) for name in self.features]
        what = "answer" if self.classes is None else "classes"
        title = f"{self.algorithm}: {what} over {' and '.join(names)}"
        remark = ""
        if self.fixed:
            shown = ", ".join(f"{name} = {value}" for name, value in self.fixed[:MOST_FIXED])
            more = f" and {len(self.fixed) - MOST_FIXED} more" if len(self.fixed) > MOST_FIXED else ""
            remark = f"The other features stay at their middle or most frequent value: {shown}{more}."
        if self.classes is None:
            sentence = f"The answers go from {self.answers.min():.4g} to {self.answers.max():.4g}."
        else:
            first = np.bincount(self.answers.argmax(axis=1), minlength=len(self.classes))
            regions = ", ".join(printable(self.classes[k]) for k in np.flatnonzero(first))
            sentence = f"Classes with a region: {regions}."
        return title, sentence, remark

    def _drawn(self) -> NDArray[np.intp]:
        """Return the rows that are drawn: those with a place, evenly thinned where they are many."""
        known = np.flatnonzero(np.isfinite(self.points).all(axis=1))
        if len(known) <= MOST_POINTS:
            return known
        return known[np.linspace(0, len(known) - 1, MOST_POINTS).astype(np.intp)]

    def _jittered(self, axis: int, rows: NDArray[np.intp]) -> Floats:
        """Return where rows stand, categories shaken a little so that rows do not hide each other."""
        places: Floats = self.points[rows, axis].astype(np.float64)
        if self.axes[axis].categories is None:
            return places
        golden = 0.6180339887 if axis == 0 else 0.7548776662
        shaken: Floats = places + 0.7 * ((np.arange(len(rows)) * golden) % 1 - 0.5)
        return shaken

    # --- two features
    # ------------------------------------------------------------------------------------------------

    def _two(self) -> Chart:
        title, sentence, remark = self._words()
        shape = (len(self.axes[1].values), len(self.axes[0].values))
        x, y = (axis.edges.tolist() for axis in self.axes)
        rows = self._drawn()
        at = [self._jittered(axis, rows).tolist() for axis in (0, 1)]
        layers: list[Layer] = []
        if self.classes is None:
            low, room = _range(self.answers, self.target)
            colours = [
                [heat((value - low) / room) for value in row] for row in self.answers.reshape(shape).tolist()
            ]
            layers.append(Cells(x, y, colours))
            legend = [
                (heat(share), format_threshold(low + room * share, 3)) for share in (0, 0.25, 0.5, 0.75, 1)
            ]
            if self.target is not None:
                dots = [heat((value - low) / room) for value in self.target[rows].tolist()]
                layers.append(Points(at[0], at[1], dots, 2.8, outline="ink"))
        else:
            layers += self._confident_cells(x, y, shape)
            legend = list(zip(self.colours, map(printable, self.classes), strict=True))
            if self.target is not None:
                dots = [self.colours[int(code)] for code in self.target[rows]]
                layers.append(Points(at[0], at[1], dots, 2.8, outline="ink"))
        return Chart(
            title=title,
            sentence=sentence,
            x=_axis(self.axes[0]),
            y=_axis(self.axes[1]),
            layers=layers,
            legend=legend,
            remark=remark,
            width=460.0,
            height=360.0,
        )

    def _confident_cells(self, x: list[float], y: list[float], shape: tuple[int, int]) -> list[Layer]:
        """Return one layer per degree of sureness: the surer, the deeper the colour."""
        chosen = self.answers.argmax(axis=1).reshape(shape)
        least = 1.0 / len(self.colours)
        sure = (self.answers.max(axis=1).reshape(shape) - least) / max(1.0 - least, 1e-9)
        degree = np.clip((sure * len(OPACITIES)).astype(int), 0, len(OPACITIES) - 1)
        layers: list[Layer] = []
        for number, opacity in enumerate(OPACITIES):
            if (degree == number).any():
                colours = [
                    [self.colours[k] if d == number else None for k, d in zip(*line, strict=True)]
                    for line in zip(chosen.tolist(), degree.tolist(), strict=True)
                ]
                layers.append(Cells(x, y, colours, opacity=opacity))
        return layers

    # --- one feature
    # -------------------------------------------------------------------------------------------------

    def _one_of_classes(self) -> Chart:
        title, sentence, remark = self._words()
        assert self.classes is not None, "of classes"
        axis = self.axes[0]
        layers: list[Layer] = []
        floor = -0.16 if self.target is not None else 0.0
        if axis.categories is None:
            for k, colour in enumerate(self.colours):
                values = self.answers[:, k]
                layers.append(
                    Line(axis.edges.tolist(), [*values.tolist(), float(values[-1])], colour, stepped=True)
                )
        else:
            places = list(range(len(axis.values)))
            begin = np.zeros(len(places))
            for k, colour in enumerate(self.colours):
                end = begin + self.answers[:, k]
                layers.append(Bars(places, begin.tolist(), end.tolist(), [colour], lying=False))
                begin = end
        if self.target is not None:
            rows = self._drawn()
            heights = -0.03 - 0.11 * ((np.arange(len(rows)) * 0.7548776662) % 1)
            dots = [self.colours[int(code)] for code in self.target[rows]]
            layers.append(
                Points(self._jittered(0, rows).tolist(), heights.tolist(), dots, 2.4, outline="ink")
            )
            remark = f"{remark} Below 0: the rows, by class.".strip()
        return Chart(
            title=title,
            sentence=sentence,
            x=_axis(axis),
            y=Axis("probability", floor, 1.02, ticks=[(k / 4, f"{k / 4:g}") for k in range(5)]),
            layers=layers,
            legend=list(zip(self.colours, map(printable, self.classes), strict=True)),
            remark=remark,
        )

    def _one_of_numbers(self) -> Chart:
        title, sentence, remark = self._words()
        axis = self.axes[0]
        layers: list[Layer] = []
        inside = self.answers.tolist()
        legend = [(ORANGE, "answer")]
        if self.target is not None:
            rows = self._drawn()
            heights = self.target[rows].tolist()
            inside += heights
            layers.append(Points(self._jittered(0, rows).tolist(), heights, [BLUE], 2.5, 0.55))
            legend.append((BLUE, "rows"))
        if axis.categories is None:
            steps = [*self.answers.tolist(), float(self.answers[-1])]
            layers.append(Line(axis.edges.tolist(), steps, ORANGE, stepped=True, thick=2.5))
        else:
            for place, value in enumerate(self.answers.tolist()):
                layers.append(Line([place - 0.38, place + 0.38], [value, value], ORANGE, thick=3.0))
        return Chart(
            title=title,
            sentence=sentence,
            x=_axis(axis),
            y=axis_around("answer", inside),
            layers=layers,
            legend=legend,
            remark=remark,
        )


def plot_regions(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    features: Any = None,
    resolution: int = 150,
    palette: str | Sequence[str] = "okabe_ito",
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> RegionsDisplay:
    """Draw what a model answers over one or two features, and the rows that it learned from.

    All other features stay at the middle value of X, or the most frequent category, and the picture says
    so. Where a model has up to 200 thresholds on a feature, its regions are drawn exactly; otherwise on a
    grid.

    Parameters
    ----------
    estimator : estimator
        Any fitted Treewright estimator.
    X : table
        Rows like those of `fit`; they give the range of the picture.
    y : target, optional
        Their target; draws the rows.
    features : str, int, or sequence of one or two of them, optional
        The features, by name or column; by default all of a model with one or two features, otherwise the
        two most important ones.
    resolution : int, default=150
        Cells along a feature whose thresholds are too many.
    palette : "okabe_ito" or sequence of str, default="okabe_ito"
        Colours of the classes, as ``#rrggbb``.
    feature_names : sequence of str, optional
        Names to show and to accept instead of those of the training data.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    RegionsDisplay
        With ``axes`` (the cells) and ``answers``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTClassifier
    >>> from treewright.plot import RegionsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(max_depth=2, random_state=0).fit(X[:, 2:], y)
    >>> display = RegionsDisplay.compute(tree, X[:, 2:], y)
    >>> [len(axis.values) for axis in display.axes], display.answers.shape
    ([2, 2], (4, 3))
    """
    return RegionsDisplay.from_estimator(
        estimator,
        X,
        y,
        features=features,
        resolution=resolution,
        palette=palette,
        feature_names=feature_names,
        ax=ax,
    )


def _columns(estimator: Any, features: Any, names: Sequence[str]) -> list[int]:
    if features is None:
        if len(names) <= 2:
            return list(range(len(names)))
        importances = np.asarray(estimator.feature_importances_)
        best = np.argsort(-importances, kind="stable")[:2]
        return [int(column) for column in best]
    if isinstance(features, str) or hasattr(features, "__index__"):
        features = [features]
    columns = [feature_index(feature, names) for feature in features]
    if not 1 <= len(columns) <= 2 or len(set(columns)) != len(columns):
        raise ValueError(f"features must be one feature or two different ones, got {features!r}.")
    return columns


def _range(answers: Floats, target: NDArray[Any] | None) -> tuple[float, float]:
    """Return the least of all numbers, and how far they reach."""
    every = answers if target is None else np.concatenate([answers, target])
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    return low, (high - low if 0 < high - low < np.inf else 1.0)


def _axis(varied: Varied) -> Axis:
    name = printable(varied.name)
    ends = float(varied.edges[0]), float(varied.edges[-1])
    if varied.categories is None:
        return Axis(name, *ends)
    return Axis(name, *ends, ticks=[(float(at), words) for at, words in enumerate(varied.categories)])
