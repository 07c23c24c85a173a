"""plot_gain_curve: how the gain of a test depends on its threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart import Axis, Bars, Chart, Layer, Line, Note, Points
from treewright.draw.colours import BLUE, ORANGE, OTHER
from treewright.draw.scale import axis_around
from treewright.explain import BoostSplitReport, SplitReport
from treewright.grower import Grower
from treewright.model.feature_index import feature_index
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.plot.display import Display

__all__ = ["GainCurveDisplay", "plot_gain_curve"]

MOST_DOTS = 120
MOST_BARS = 20


@dataclass(eq=False)
class GainCurveDisplay(Display):
    """The gain of every cut of a number, or the best gain of every feature.

    Attributes
    ----------
    report : SplitReport or BoostSplitReport
        Where the numbers come from.
    feature : str
        The feature that is shown.
    thresholds, gains : ndarray of float
        Every cut of the feature and its gain per unit of weight, before any cost; empty where the feature
        has no cuts (a category) or the report has none (boosters): the chart then compares features.
    admissible : ndarray of bool
        Whether a cut respects all limits.
    features : list of str
        All candidates, the best first.
    feature_gains : ndarray of float
        What the best test of each gains.
    tree : int or None
        The tree of an ensemble.
    """

    report: SplitReport | BoostSplitReport
    feature: str
    thresholds: NDArray[np.float64]
    gains: NDArray[np.float64]
    admissible: NDArray[np.bool_]
    features: list[str]
    feature_gains: NDArray[np.float64]
    tree: int | None = None

    @classmethod
    def compute(
        cls,
        estimator: Any,
        node: int = 0,
        feature: str | int | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int | None = None,
        feature_names: Any = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_gain_curve`."""
        report = _report(estimator, node, X, y, sample_weight, tree, feature_names)
        every: list[Any] = list(report.candidates)
        with_test = [one for one in every if np.isfinite(one.gain) and one.kind is not None]
        if not with_test:
            raise ValueError(f"Node {node} has no candidate: no feature offers a test there.")
        if feature is None:
            chosen = next((one for one in with_test if one.chosen), None)
            chosen = chosen or max(with_test, key=lambda one: one.gain)
        else:
            names = [one.feature for one in sorted(every, key=lambda one: one.index)]
            index = feature_index(feature, names)
            chosen = next(one for one in every if one.index == index)
        cuts = getattr(chosen, "cuts", None)
        order = sorted(with_test, key=lambda one: (-one.gain, one.index))
        return cls(
            report,
            chosen.feature,
            np.array(cuts.threshold if cuts else (), dtype=np.float64),
            np.array(cuts.gain if cuts else (), dtype=np.float64),
            np.array(cuts.admissible if cuts else (), dtype=bool),
            [one.feature for one in order],
            np.array([one.gain for one in order], dtype=np.float64),
            None if tree is None else tree.__index__(),
        )

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        return self._curve() if len(self.thresholds) else self._bars()

    def _curve(self) -> Chart:
        name = printable(self.feature)
        finite = np.isfinite(self.gains) & np.isfinite(self.thresholds)
        at, gains, allowed = self.thresholds[finite], self.gains[finite], self.admissible[finite]
        layers: list[Layer] = [Line(at.tolist(), gains.tolist(), BLUE)]
        legend = [(BLUE, "gain of a cut")]
        if len(at) <= MOST_DOTS:
            layers.append(Points(at.tolist(), gains.tolist(), [BLUE], 2.5))
        if not allowed.all():
            layers.append(Points(at[~allowed].tolist(), gains[~allowed].tolist(), [OTHER], 2.5))
            legend.append((OTHER, "a limit forbids it"))
        sentence = f"No cut of {name} is allowed at node {self.report.node}."
        if allowed.any():
            best = int(np.flatnonzero(allowed)[np.argmax(gains[allowed])])
            words = f"best: ≤ {format_threshold(float(at[best]))}, gain {format_threshold(gains[best], 4)}"
            layers.append(Note(float(at[best]), float(gains[best]), words, ORANGE))
            sentence = f"Of {len(at)} cuts of {name} the {words}."
        return Chart(
            title=f"Gain by threshold of {name}, {self._where()}",
            sentence=sentence,
            x=axis_around(name, at.tolist()),
            y=axis_around("gain", [0.0, *gains.tolist()], from_zero=True),
            layers=layers,
            legend=legend if len(legend) > 1 else (),
        )

    def _bars(self) -> Chart:
        shown = list(range(min(len(self.features), MOST_BARS)))
        if self.feature in self.features and self.features.index(self.feature) >= MOST_BARS:
            shown[-1] = self.features.index(self.feature)
        gains = self.feature_gains[shown]
        names = [printable(self.features[place]) for place in shown]
        colours = [ORANGE if self.features[place] == self.feature else BLUE for place in shown]
        rest = len(self.features) - len(shown)
        return Chart(
            title=f"Gain of the best test of each feature, {self._where()}",
            sentence=f"{names[0]} gains most: {format_threshold(float(gains[0]), 4)}.",
            x=axis_around("gain", [0.0, *gains.tolist()], from_zero=True),
            y=Axis("", -0.6, len(shown) - 0.4, reverse=True, ticks=list(enumerate(names))),
            layers=[
                Bars(
                    list(range(len(shown))),
                    [0.0] * len(shown),
                    gains.tolist(),
                    colours,
                    words=[format_threshold(float(gain), 4) for gain in gains],
                )
            ],
            remark=f"{rest} more features are not shown." if rest else "",
            height=max(60.0, 22.0 * len(shown)),
            width=420.0,
        )

    def _where(self) -> str:
        where = f"node {self.report.node}"
        return where if self.tree is None else f"{where} of tree {self.tree}"


def plot_gain_curve(
    estimator: Any,
    node: int = 0,
    feature: str | int | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    tree: int | None = None,
    feature_names: Any = None,
    ax: Any = None,
) -> GainCurveDisplay:
    """Draw how the gain of a test depends on its threshold, from the engine's own search.

    For a feature without thresholds (a category), and for gradient boosters, whose reports hold the best
    test of each feature only, the chart compares the best tests of all features.

    Parameters
    ----------
    estimator : estimator or Grower
        A fitted estimator, or a tree that is grown by hand; a `Grower` needs no X and y.
    node : int, default=0
        Number of the node.
    feature : str or int, optional
        The feature, by name or column; by default the one that the node tests.
    X, y, sample_weight : object, optional
        What `fit` was given.
    tree : int, optional
        Which tree of an ensemble.
    feature_names : sequence of str, optional
        Names to show and to accept instead of those of the training data.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    GainCurveDisplay
        With ``thresholds``, ``gains``, ``admissible`` and the ``report``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTClassifier
    >>> from treewright.plot import GainCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(random_state=0).fit(X, y)
    >>> display = GainCurveDisplay.compute(tree, 0, 2, X, y)
    >>> float(display.thresholds[display.gains.argmax()])
    2.45
    """
    return GainCurveDisplay.from_estimator(
        estimator, node, feature, X, y, sample_weight, tree=tree, feature_names=feature_names, ax=ax
    )


def _report(
    estimator: Any, node: int, X: Any, y: Any, sample_weight: Any, tree: int | None, feature_names: Any
) -> SplitReport | BoostSplitReport:
    if isinstance(estimator, Grower):
        return estimator.candidates(node, cuts=True)
    if not hasattr(estimator, "explain_split"):
        raise TypeError(
            "plot_gain_curve takes a fitted Treewright estimator or a Grower, not "
            f"{type(estimator).__name__}."
        )
    if X is None or y is None:
        raise ValueError("The gain of every cut is searched in data: pass the X and y of fit.")
    options: dict[str, Any] = {} if tree is None else {"tree": tree}
    if feature_names is not None:
        options["feature_names"] = feature_names
    model = getattr(estimator, "model_", None)
    if model is not None and model.aggregation == "sum":
        boosted: BoostSplitReport = estimator.explain_split(node, X, y, sample_weight, **options)
        return boosted
    report: SplitReport = estimator.explain_split(node, X, y, sample_weight, cuts=True, **options)
    return report
