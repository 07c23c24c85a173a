"""plot_learning: how a model becomes better with more rounds or more trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.boosting.metrics import metrics_of
from treewright.draw.chart import Axis, Chart, Layer, Line, Note, Points
from treewright.draw.colours import OKABE_ITO, ORANGE
from treewright.draw.scale import axis_around
from treewright.export.source import model_of
from treewright.model.encoded import encoded_rows, encoded_target
from treewright.model.model import Model
from treewright.plot.display import Display

__all__ = ["LearningDisplay", "plot_learning"]

Floats = NDArray[np.float64]
MOST_POINTS = 50  # numbers of trees of a forest that are scored
MOST_DOTS = 60
MOST_DRAWN = 500


@dataclass(eq=False)
class LearningDisplay(Display):
    """Scores or losses after so many rounds or trees.

    Attributes
    ----------
    algorithm : str
        Name of the estimator.
    measure : str
        What the curves show: "accuracy", "R²", or the loss of a booster.
    greater_is_better : bool or None
        Which end is the good one; None where a metric of the user does not say.
    counts : dict of str to ndarray of int
        Numbers of rounds or trees, for each curve.
    curves : dict of str to ndarray of float
        The values, by name: "training", "validation" (or the names of the sets), "out of bag".
    by : {"rounds", "trees"}
        What is counted.
    answered : ndarray of float or None
        For "out of bag": the share of rows that some tree has not seen, for each number of trees.
    """

    algorithm: str
    measure: str
    greater_is_better: bool | None
    counts: dict[str, NDArray[np.int64]]
    curves: dict[str, Floats]
    by: str
    answered: Floats | None = field(default=None)

    @classmethod
    def compute(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        metric: str | None = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_learning`."""
        model = model_of(estimator, "plot_learning")
        for name, one, other in (("X and y", X, y), ("X_val and y_val", X_val, y_val)):
            if (one is None) != (other is None):
                raise ValueError(f"{name} belong together: pass both, or neither.")
        if model.aggregation == "one":
            raise ValueError(
                f"{type(estimator).__name__} is a single tree: it has no rounds. plot_pruning shows how the "
                "error depends on its size."
            )
        if estimator is model:
            raise TypeError("plot_learning takes the fitted estimator, not its model_.")
        if model.aggregation in ("sum", "weighted"):
            return cls._of_booster(estimator, model, X, y, X_val, y_val, metric)
        if metric is not None:
            raise ValueError("metric names what a booster has stored; forests are scored by accuracy or R².")
        return cls._of_forest(estimator, model, X, y, X_val, y_val)

    @classmethod
    def _of_booster(
        cls, estimator: Any, model: Model, X: Any, y: Any, X_val: Any, y_val: Any, metric: str | None
    ) -> Self:
        curves: dict[str, Floats] = {}
        if X is None and X_val is None:
            measure, better, curves = _stored(estimator, metric)
        else:
            if metric is not None:
                raise ValueError("metric names what the fit has stored: pass either metric or rows.")
            if not hasattr(estimator, "staged_score"):
                raise TypeError(f"{type(estimator).__name__} does not score its rounds one by one.")
            measure, better = ("R²", True) if model.classes is None else ("accuracy", True)
            for name, rows, target in (("training", X, y), ("validation", X_val, y_val)):
                if rows is not None:
                    curves[name] = np.fromiter(estimator.staged_score(rows, target), dtype=np.float64)
        counts = {name: np.arange(1, len(values) + 1) for name, values in curves.items()}
        return cls(model.algorithm, measure, better, counts, curves, "rounds")

    @classmethod
    def _of_forest(cls, estimator: Any, model: Model, X: Any, y: Any, X_val: Any, y_val: Any) -> Self:
        if X is None and X_val is None:
            raise ValueError(
                "A forest stores no scores by number of trees: pass the X and y of fit (training and "
                "out-of-bag rows), or X_val and y_val."
            )
        curves: dict[str, Floats] = {}
        counts: dict[str, NDArray[np.int64]] = {}
        answered = None
        points = sorted({int(n) for n in np.geomspace(1, len(model.trees), MOST_POINTS).round()})
        for name, rows, target in (("training", X, y), ("validation", X_val, y_val)):
            if rows is not None:
                counts[name] = np.array(points)
                curves[name] = _forest_scores(model, rows, target, points)
        if X is not None and _draws_rows(estimator):
            found = estimator.oob_learning_curve(X, y, n_trees=points)
            counts["out of bag"], curves["out of bag"] = found.n_trees, found.scores
            answered = found.answered
        measure = "R²" if model.classes is None else "accuracy"
        return cls(model.algorithm, measure, True, counts, curves, "trees", answered)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        layers: list[Layer] = []
        legend: list[tuple[str, str]] = []
        every: list[float] = []
        sentences = []
        for number, (name, values) in enumerate(self.curves.items()):
            colour = COLOURS[number % len(COLOURS)]
            kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_DRAWN)).astype(int))
            x, y = self.counts[name][kept].tolist(), values[kept].tolist()
            layers.append(Line(x, y, colour))
            if len(kept) <= MOST_DOTS:
                layers.append(Points(x, y, [colour], 2.0))
            legend.append((colour, name))
            every += y
            if np.isfinite(values[-1]):
                sentences.append(f"{name} ends at {values[-1]:.4g}")
        watched = next((name for name in self.curves if name != "training"), None)
        if watched is not None and self.greater_is_better is not None:
            values = self.curves[watched]
            if np.isfinite(values).any():
                best = int(np.nanargmax(values) if self.greater_is_better else np.nanargmin(values))
                at = int(self.counts[watched][best])
                one = self.by.removesuffix("s") if at == 1 else self.by
                words = f"best {watched}: {values[best]:.4g} after {at} {one}"
                layers.append(Note(float(at), float(values[best]), words, ORANGE))
                sentences.append(words)
        most = max((int(counts[-1]) for counts in self.counts.values() if len(counts)), default=1)
        name = f"number of {self.by}"
        return Chart(
            title=f"{self.algorithm}: {self.measure} by number of {self.by}",
            sentence="; ".join(sentences) + ".",
            x=Axis(name, 0.0 if most > 1 else 0.5, most + (0.02 * most if most > 1 else 0.5)),
            y=axis_around(self.measure, every, from_zero=not self.greater_is_better),
            layers=layers,
            legend=legend,
            remark=self._remark(),
        )

    def _remark(self) -> str:
        if self.answered is None or not len(self.answered) or self.answered[0] >= 1:
            return ""
        first = int(self.counts["out of bag"][0])
        return (
            "Out of bag: each row is answered by the trees that did not see it. After "
            f"{first} {'tree' if first == 1 else 'trees'} that are {self.answered[0]:.0%} of the rows, "
            f"at the end {self.answered[-1]:.0%}."
        )


COLOURS = (OKABE_ITO[0], OKABE_ITO[5], OKABE_ITO[2], OKABE_ITO[3], OKABE_ITO[4], OKABE_ITO[1])


def plot_learning(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_val: Any = None,
    y_val: Any = None,
    metric: str | None = None,
    ax: Any = None,
) -> LearningDisplay:
    """Draw how good a model is after so many rounds or trees: whether more of them would help.

    A booster has stored its training loss and what its validation rows said; without rows these are drawn.
    With rows the curves are accuracy or R², after each round or, of a forest, after up to 50 numbers of
    trees. With the rows of `fit` a forest that draws bags adds its out-of-bag curve: each row is answered
    by those of the first trees that have not seen it.

    Parameters
    ----------
    estimator : estimator
        A fitted forest or booster.
    X, y : table and target, optional
        The rows of `fit`.
    X_val, y_val : table and target, optional
        Rows that `fit` has not seen.
    metric : str, optional
        Which of the stored metrics of a booster; by default the first.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    LearningDisplay
        With ``curves`` and ``counts`` by name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> from treewright.plot import LearningDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    >>> display = LearningDisplay.compute(forest, X, y)
    >>> sorted(display.curves)
    ['out of bag', 'training']
    >>> bool(display.curves["out of bag"][-1] == forest.oob_score_)
    True
    """
    return LearningDisplay.from_estimator(estimator, X, y, X_val=X_val, y_val=y_val, metric=metric, ax=ax)


def _stored(estimator: Any, metric: str | None) -> tuple[str, bool | None, dict[str, Floats]]:
    """Return what a booster remembers: the measure, whether greater is better, and the curves."""
    validation: dict[str, dict[str, Floats]] = getattr(estimator, "validation_scores_", {})
    train = np.asarray(getattr(estimator, "train_score_", ()), dtype=np.float64)
    metrics = list(dict.fromkeys(name for scores in validation.values() for name in scores))
    if metric is not None and metric not in {*metrics, "loss"}:
        known = ", ".join(map(repr, metrics or ["loss"]))
        raise ValueError(f"The fit has not stored the metric {metric!r}; it has {known}.")
    chosen = metric or (metrics[0] if metrics else "loss")
    curves: dict[str, Floats] = {}
    if chosen == "loss" and len(train):
        curves["training"] = train
    for name, scores in validation.items():
        if chosen in scores:
            curves[name] = np.asarray(scores[chosen], dtype=np.float64)
    if not curves:
        raise ValueError(
            f"{type(estimator).__name__} has stored no scores of its rounds: pass rows (X and y, X_val and "
            "y_val), or fit with X_val and y_val."
        )
    words = _loss_words(estimator) if chosen == "loss" else chosen
    return words, False if chosen == "loss" else _better(estimator, chosen), curves


def _loss_words(estimator: Any) -> str:
    loss = estimator.model_.loss
    return "loss" if loss is None else f"loss ({loss.replace('_', ' ')})"


def _better(estimator: Any, metric: str) -> bool | None:
    """Return whether greater is better; None where the estimator does not know the metric any more."""
    try:
        known = metrics_of(estimator.scoring, type(estimator).__name__)
    except (TypeError, ValueError):  # a model from a file has no functions
        return None
    return next((one.sign < 0 for one in known if one.name == metric), None)


def _draws_rows(estimator: Any) -> bool:
    return hasattr(estimator, "oob_learning_curve") and bool(getattr(estimator, "bootstrap", False))


def _forest_scores(model: Model, X: Any, y: Any, points: list[int]) -> Floats:
    """Return accuracy or R² of the first so many trees."""
    matrix = encoded_rows(model, X)
    target = encoded_target(model, y, len(matrix))
    total = np.zeros((len(matrix), model.n_outputs))
    scores = np.empty(len(points))
    done = 0
    for place, point in enumerate(points):
        for tree in range(done, point):
            total += _answers(model, tree, matrix)
        done = point
        if model.classes is not None:
            scores[place] = np.mean(total.argmax(axis=1) == target)
            continue
        rest = float(np.sum((target - total[:, 0] / point) ** 2))
        spread = float(np.sum((target - target.mean()) ** 2))
        scores[place] = 1 - rest / spread if spread > 0 else float(rest == 0)
    return scores


def _answers(model: Model, tree: int, matrix: NDArray[Any]) -> Floats:
    values = model.alone(tree).mean_values(matrix)
    if model.classes is None or model.aggregation != "votes":
        return values
    votes = np.zeros_like(values)
    votes[np.arange(len(values)), values.argmax(axis=1)] = 1.0
    return votes
