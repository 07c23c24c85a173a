"""plot_gain_curve: how the gain of a test depends on its threshold, or on which categories go left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart import Axis, Bars, Chart, Layer, Line, Note, Points, Rule
from treewright.draw.colours import BLUE, GREEN, ORANGE, OTHER
from treewright.draw.scale import axis_around
from treewright.explain import BoostSplitReport, SplitReport
from treewright.grower import Grower
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.plot.display import Display

__all__ = ["GainCurveDisplay", "plot_gain_curve"]

MOST_DOTS = 120
MOST_BARS = 20


@dataclass(eq=False)
class GainCurveDisplay(Display):
    """The gain of every cut of a feature.

    Attributes
    ----------
    report : SplitReport or BoostSplitReport
        Where the numbers come from.
    feature : str
        The feature that is shown.
    thresholds, gains : ndarray of float
        Every cut of the feature and its gain, before any cost: per unit of weight in trees, in boosters
        G²/(H + λ) of both sides less that of the node. Of categories: how many of them go left. Empty where
        the feature has no cuts.
    admissible : ndarray of bool
        Whether a cut respects all limits.
    missing_left : ndarray of bool
        Whether rows without a value were tried on the left.
    categories : list of str
        Of a nominal feature its categories, in the order in which they go left; for a test with a branch per
        category, and for one against the others, in the order that is drawn.
    parts : ndarray of float
        Of a test with a branch per category: what each adds to the gain; else empty.
    alone : bool
        Whether each category is tried against all others.
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
    missing_left: NDArray[np.bool_]
    categories: list[str]
    parts: NDArray[np.float64]
    alone: bool
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
            chosen = _asked(every, feature, node)
        cuts = chosen.cuts
        order = sorted(with_test, key=lambda one: (-one.gain, one.index))
        names, parts = _parts(chosen) if cuts is None else (list(cuts.categories), [])
        return cls(
            report=report,
            feature=chosen.feature,
            thresholds=np.array(cuts.threshold if cuts else (), dtype=np.float64),
            gains=np.array(cuts.gain if cuts else (), dtype=np.float64),
            admissible=np.array(cuts.admissible if cuts else (), dtype=bool),
            missing_left=np.array(cuts.missing_left if cuts else (), dtype=bool),
            categories=names,
            parts=np.array(parts, dtype=np.float64),
            alone=bool(cuts and cuts.alone),
            features=[one.feature for one in order],
            feature_gains=np.array([one.gain for one in order], dtype=np.float64),
            tree=None if tree is None else tree.__index__(),
        )

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        if len(self.parts):
            return self._part_bars()
        if not len(self.thresholds):
            return self._bars()
        few = len(self.categories) <= MOST_BARS
        return self._category_bars() if self.categories and (few or self.alone) else self._curve()

    def _sides(self) -> list[tuple[NDArray[np.bool_], str]]:
        """Return which cuts belong to one line, and what the line is called."""
        if self.categories or not self.missing_left.any():
            return [(np.ones(len(self.gains), dtype=bool), "gain of a cut")]
        return [(~self.missing_left, "missing rows on the right"), (self.missing_left, "… on the left")]

    def _best(self) -> int | None:
        allowed = np.flatnonzero(self.admissible & np.isfinite(self.gains))
        return int(allowed[np.argmax(self.gains[allowed])]) if len(allowed) else None

    def _sentence(self, words: str | None) -> str:
        name = printable(self.feature)
        if words is None:
            return f"No cut of {name} is allowed at node {self.report.node}."
        return f"Of {len(self.gains)} cuts of {name} the {words}."

    def _curve(self) -> Chart:
        name, best = printable(self.feature), self._best()
        layers: list[Layer] = []
        legend = []
        finite = np.isfinite(self.gains) & np.isfinite(self.thresholds)
        for (side, line), colour in zip(self._sides(), (BLUE, GREEN), strict=False):
            at, gains = self.thresholds[side & finite], self.gains[side & finite]
            layers.append(Line(at.tolist(), gains.tolist(), colour))
            if len(at) <= MOST_DOTS:
                layers.append(Points(at.tolist(), gains.tolist(), [colour], 2.5))
            legend.append((colour, line))
        refused = finite & ~self.admissible
        if refused.any():
            layers.append(
                Points(self.thresholds[refused].tolist(), self.gains[refused].tolist(), [OTHER], 2.5)
            )
            legend.append((OTHER, "a limit forbids it"))
        words = None
        if best is not None:
            words = f"best: {self._cut_words(best)}, gain {format_threshold(self.gains[best], 4)}"
            layers.append(Note(float(self.thresholds[best]), float(self.gains[best]), words, ORANGE))
        gamma = getattr(self.report, "gamma", 0.0)
        highest = float(np.max(self.gains[finite], initial=0.0))
        if 0 < gamma <= highest:
            layers.append(Rule(float(gamma), True))
            legend.append(("grey", f"γ = {format_threshold(float(gamma), 4)}: what a gain must exceed"))
        by = "number of categories on the left" if self.categories else "threshold"
        return Chart(
            title=f"Gain by {by} of {name}, {self._where()}",
            sentence=self._sentence(words),
            x=axis_around(
                f"categories of {name} on the left, in their order" if self.categories else name,
                self.thresholds[finite].tolist(),
            ),
            y=axis_around("gain", [0.0, *self.gains[finite].tolist()], from_zero=True),
            layers=layers,
            legend=legend if len(legend) > 1 else (),
        )

    def _cut_words(self, cut: int) -> str:
        if not self.categories:
            return f"≤ {format_threshold(float(self.thresholds[cut]))}"
        return f"{int(self.thresholds[cut])} of {len(self.categories)} categories"

    def _category_bars(self) -> Chart:
        """Draw a bar per category: what is gained when it goes left, alone or with all before it."""
        name, best = printable(self.feature), self._best()
        # Missing rows were tried on both sides: a bar shows the better one.
        places = np.unique(self.thresholds)
        shown, words = [], []
        for place in places:
            both = np.flatnonzero((self.thresholds == place) & np.isfinite(self.gains))
            key = [(bool(self.admissible[cut]), float(self.gains[cut])) for cut in both]
            shown.append(int(both[max(range(len(both)), key=key.__getitem__)]))
        if self.alone:
            shown = sorted(shown, key=lambda cut: -self.gains[cut])[:MOST_BARS]
        for cut in shown:
            place = int(self.thresholds[cut])
            text = printable(self.categories[place - 1])
            words.append(text if place == 1 or self.alone else f"+ {text}")
        colours = [ORANGE if cut == best else BLUE if self.admissible[cut] else OTHER for cut in shown]
        sentence = None
        if best is not None:
            last = printable(self.categories[int(self.thresholds[best]) - 1])
            group = f"{last} alone" if self.alone or self.thresholds[best] == 1 else f"all up to {last}"
            sentence = f"best: {group} on the left, gain {format_threshold(self.gains[best], 4)}"
        rest = len(places) - len(shown)
        remarks = [f"{rest} more categories are not shown."] if rest else []
        if not all(self.admissible[cut] for cut in shown):
            remarks.append("Grey: a limit forbids it.")
        if not self.alone and len(places) < len(self.categories):
            remarks.append(f"{printable(self.categories[-1])}, the last of the order, stays on the right.")
        title = f"Gain as categories of {name} go left"
        if self.alone:
            title = f"Gain of each category of {name} against the others"
        return _lying(
            f"{title}, {self._where()}",
            self._sentence(sentence),
            words,
            self.gains[shown],
            colours,
            " ".join(remarks),
        )

    def _part_bars(self) -> Chart:
        """Draw a bar per branch: weight · (impurity of the node − impurity of the branch)."""
        name, total = printable(self.feature), float(self.parts.sum())
        order = np.argsort(-self.parts, kind="stable")[:MOST_BARS]
        rest = len(self.parts) - len(order)
        return _lying(
            f"What each category of {name} adds to the gain, {self._where()}",
            f"Share of the rows times how much purer their branch is: {format_threshold(total, 4)} in all.",
            [printable(self.categories[place]) for place in order],
            self.parts[order],
            [BLUE] * len(order),
            f"{rest} more categories are not shown." if rest else "",
        )

    def _bars(self) -> Chart:
        shown = list(range(min(len(self.features), MOST_BARS)))
        if self.feature in self.features and self.features.index(self.feature) >= MOST_BARS:
            shown[-1] = self.features.index(self.feature)
        gains = self.feature_gains[shown]
        names = [printable(self.features[place]) for place in shown]
        colours = [ORANGE if self.features[place] == self.feature else BLUE for place in shown]
        rest = len(self.features) - len(shown)
        return _lying(
            f"Gain of the best test of each feature, {self._where()}",
            f"{names[0]} gains most: {format_threshold(float(gains[0]), 4)}.",
            names,
            gains,
            colours,
            f"{rest} more features are not shown." if rest else "",
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

    Categories go left one after the other, in the order in which the search tries them; of a test with a
    branch per category (ID3, C4.5) the chart shows what each adds to the gain. In gradient boosters the gain
    is that of the sums G and H, and a line shows γ. Where the feature has no cut at all, the chart compares
    the best tests of all features.

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
        With ``thresholds``, ``gains``, ``admissible``, ``categories`` and the ``report``.

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
    report: SplitReport | BoostSplitReport = estimator.explain_split(
        node, X, y, sample_weight, cuts=True, **options
    )
    return report


def _asked(every: list[Any], feature: str | int, node: int) -> Any:
    """Return the candidate of a feature; a node may have looked at some of them only."""
    by_index = {one.index: one for one in every}
    if isinstance(feature, str):
        names = {one.feature: one for one in every}
        if feature in names:
            return names[feature]
        some = ", ".join(repr(name) for name in list(names)[:5])
        raise ValueError(f"There is no test of {feature!r} at node {node}; there are tests of {some}.")
    if feature.__index__() in by_index:
        return by_index[feature.__index__()]
    raise ValueError(f"There is no test of column {feature} at node {node}.")


def _parts(candidate: Any) -> tuple[list[str], list[float]]:
    """Return the categories of a test with a branch for each, and what each adds to its gain."""
    if candidate.kind != "multiway":
        return [], []
    weight = sum(branch.weight for branch in candidate.branches)
    before, known = candidate.impurity_before, candidate.known
    parts = [known * b.weight / weight * (before - b.impurity) for b in candidate.branches]
    return [branch.words for branch in candidate.branches], parts


def _lying(
    title: str, sentence: str, names: list[str], gains: NDArray[np.float64], colours: list[str], remark: str
) -> Chart:
    """Return a chart of lying bars, one per name."""
    return Chart(
        title=title,
        sentence=sentence,
        x=axis_around("gain", [0.0, *gains.tolist()], from_zero=True),
        y=Axis("", -0.6, len(names) - 0.4, reverse=True, ticks=list(enumerate(names))),
        layers=[
            Bars(
                list(range(len(names))),
                [0.0] * len(names),
                gains.tolist(),
                colours,
                words=[format_threshold(float(gain), 4) for gain in gains],
            )
        ],
        remark=remark,
        height=max(60.0, 22.0 * len(names)),
        width=420.0,
    )
