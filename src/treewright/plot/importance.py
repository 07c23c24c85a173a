"""plot_importance: which features matter, and how much trees differ about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Bars, Chart
from treewright.draw.colours import BLUE
from treewright.draw.scale import axis_around
from treewright.export.source import model_of
from treewright.fitting.importances import permuted
from treewright.model.model import Model
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.plot.display import Display

__all__ = ["ImportanceDisplay", "plot_importance"]

Kind = Literal["gain", "count", "cover", "permutation", "oob_permutation", "shap"]
Floats = NDArray[np.float64]

NAMES = {
    "gain": "share of the gain of all tests",
    "count": "share of all tests",
    "cover": "share of the weight that tests divide",
    "permutation": "decrease of the score when shuffled",
    "oob_permutation": "loss of the trees out of bag when shuffled",
    "shap": "mean size of Shapley values",
}


@dataclass(eq=False)
class ImportanceDisplay(Display):
    """Importances of features, with their spread.

    Attributes
    ----------
    kind : str
        What was added up.
    features : list of str
        Names, in the order of the columns.
    importances : ndarray of shape (n_features,)
        The importances.
    by_tree : ndarray of shape (n_trees, n_features), or None
        One line per tree (for "permutation" per shuffling) whose mean is `importances`; of AdaBoost the
        mean by the weights of the trees. None for a single tree.
    spread : ndarray of shape (n_features,), or None
        Standard deviation over these lines.
    top : int
        How many features are drawn.
    """

    kind: str
    features: list[str]
    importances: Floats
    by_tree: Floats | None
    spread: Floats | None
    top: int = 20

    @classmethod
    def compute(
        cls,
        estimator: Any,
        kind: Kind = "gain",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        scoring: Any = None,
        n_repeats: int = 5,
        random_state: Any = None,
        top: int = 20,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_importance`."""
        model = model_of(estimator, "plot_importance")
        if estimator is model:
            raise TypeError("plot_importance takes the fitted estimator, not its model_.")
        if kind not in NAMES:
            raise ValueError(f"kind must be one of {', '.join(map(repr, NAMES))}, got {kind!r}.")
        check_count("top", top, 1)
        names = model.names(feature_names)
        by_tree: Floats | None
        if kind in ("permutation", "oob_permutation"):
            if X is None or y is None:
                raise ValueError(
                    f"kind={kind!r} shuffles features among given rows: pass X and y, "
                    + ("those of fit." if kind == "oob_permutation" else "best rows that fit has not seen.")
                )
            if kind == "oob_permutation":
                by_tree = _out_of_bag(estimator, X, y, n_repeats, random_state)
            else:
                by_tree = permuted(
                    estimator,
                    X,
                    y,
                    sample_weight,
                    scoring=scoring,
                    n_repeats=n_repeats,
                    random_state=random_state,
                )
            importances = np.asarray(np.nanmean(by_tree, axis=0), dtype=np.float64)
        elif kind == "shap":
            importances, by_tree = estimator.importances(kind, X=X, sample_weight=sample_weight), None
        else:
            if X is not None or y is not None:
                raise ValueError(f"kind={kind!r} is about the trees alone: X and y belong to 'permutation'.")
            importances, by_tree = _from_trees(estimator, model, kind)
        spread = None if by_tree is None or len(by_tree) < 2 else np.asarray(np.nanstd(by_tree, axis=0))
        return cls(kind, names, importances, by_tree, spread, top)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        order = np.argsort(-self.importances, kind="stable")[: self.top]
        values = self.importances[order]
        names = [printable(self.features[place]) for place in order]
        spread: list[tuple[float, float]] = []
        if self.spread is not None:
            least = -np.inf if self.kind.endswith("permutation") else 0.0
            spread = [
                (max(float(value - sd), least), float(value + sd))
                for value, sd in zip(values, self.spread[order], strict=True)
            ]
        ends = [0.0, *values.tolist(), *(end for pair in spread for end in pair)]
        rest = len(self.features) - len(order)
        of_what = "shufflings" if self.kind == "permutation" else "trees"
        remarks = [f"Whiskers: one standard deviation over {of_what}."] if spread else []
        if rest:
            remarks.append(f"{rest} more {'feature' if rest == 1 else 'features'} not shown.")
        return Chart(
            title=f"Importance of features: {NAMES[self.kind]}",
            sentence=f"{names[0]} comes first with {format_threshold(float(values[0]), 4)}.",
            x=axis_around(NAMES[self.kind], ends, from_zero=min(ends) >= 0),
            y=Axis("", -0.6, len(order) - 0.4, reverse=True, ticks=list(enumerate(names))),
            layers=[
                Bars(
                    list(range(len(order))),
                    [0.0] * len(order),
                    values.tolist(),
                    [BLUE],
                    spread=spread,
                    words=[format_threshold(float(value), 3) for value in values],
                )
            ],
            remark=" ".join(remarks),
            height=max(60.0, 22.0 * len(order)),
            width=420.0,
        )


def plot_importance(
    estimator: Any,
    kind: Kind = "gain",
    *,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    top: int = 20,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> ImportanceDisplay:
    """Draw the importances of features, with their spread over the trees.

    Parameters
    ----------
    estimator : estimator
        Any fitted Treewright estimator.
    kind : {"gain", "count", "cover", "permutation", "oob_permutation", "shap"}, default="gain"
        What tests gain (``feature_importances_``), their number, the weight of the rows they divide; by how
        much the score of given rows falls when a feature is shuffled; or the same for each tree of a forest
        on the rows that it has not seen; or the mean size of the feature's Shapley values over given rows.
    X, y, sample_weight : object, optional
        The rows for "permutation", best some that `fit` has not seen; the rows of `fit` for
        "oob_permutation".
    scoring : str, callable or None, default=None
        The score for "permutation"; None: accuracy or R².
    n_repeats : int, default=5
        How often each feature is shuffled.
    random_state : int, RandomState instance or None, default=None
        What shuffles.
    top : int, default=20
        How many features to draw.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    ImportanceDisplay
        With ``importances``, ``by_tree`` and ``spread``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> from treewright.plot import ImportanceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> display = ImportanceDisplay.compute(forest)
    >>> display.by_tree.shape
    (100, 4)
    >>> bool((display.importances == forest.feature_importances_).all())
    True
    """
    return ImportanceDisplay.from_estimator(
        estimator,
        kind,
        X=X,
        y=y,
        sample_weight=sample_weight,
        scoring=scoring,
        n_repeats=n_repeats,
        random_state=random_state,
        top=top,
        feature_names=feature_names,
        ax=ax,
    )


def _from_trees(estimator: Any, model: Model, kind: str) -> tuple[Floats, Floats | None]:
    """Return the importances, and the same for each tree."""
    whole: Floats = estimator.importances(kind)
    alone = len(model.trees) == 1 and model.aggregation == "one"
    told = kind == "gain" and hasattr(estimator, "source_")  # another library's sum
    return whole, None if alone or told else estimator.importances(kind, by_tree=True)


def _out_of_bag(estimator: Any, X: Any, y: Any, n_repeats: int, random_state: Any) -> Floats:
    if not hasattr(estimator, "oob_permutation_importance"):
        raise ValueError(
            f"kind='oob_permutation' is for forests, and this is a {type(estimator).__name__}: "
            "use kind='permutation'."
        )
    found = estimator.oob_permutation_importance(X, y, n_repeats=n_repeats, random_state=random_state)
    each = np.asarray(found.importances, dtype=np.float64).T
    return each[np.isfinite(each).all(axis=1)]
