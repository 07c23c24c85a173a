"""plot_dependence: how answers depend on one or two features, on average and row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from treewright.draw.chart import Chart
from treewright.explain import DependenceReport
from treewright.explain.dependence import dependence_chart
from treewright.plot.display import Display

__all__ = ["DependenceDisplay", "plot_dependence"]


@dataclass(eq=False)
class DependenceDisplay(Display):
    """Partial dependence, or accumulated effects, with the curves of single rows.

    Attributes
    ----------
    report : DependenceReport
        The numbers: ``values``, ``average`` and ``individual``.
    label : str or None
        The class that is drawn alone.
    centred : bool
        Whether every line begins at 0.
    """

    report: DependenceReport
    label: str | None = None
    centred: bool = False

    @classmethod
    def compute(
        cls,
        estimator: Any,
        features: Any = None,
        X: Any = None,
        *,
        label: Any = None,
        centred: bool = False,
        **options: Any,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_dependence`."""
        name = None if label is None else str(label)
        if isinstance(estimator, DependenceReport):
            if features is not None or X is not None or options:
                raise TypeError("plot_dependence of a report draws it: leave features, X and others out.")
            return cls(estimator, name, centred)
        if not hasattr(estimator, "partial_dependence"):
            raise TypeError(
                "plot_dependence takes a fitted Treewright estimator or a DependenceReport, not "
                f"{type(estimator).__name__}."
            )
        if features is None:
            found = np.asarray(estimator.feature_importances_)
            features = int(np.argmax(found))
        return cls(estimator.partial_dependence(features, X, **options), name, centred)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        return dependence_chart(self.report, self.label, centred=self.centred)


def plot_dependence(
    estimator: Any,
    features: Any = None,
    X: Any = None,
    *,
    label: Any = None,
    centred: bool = False,
    ax: Any = None,
    **options: Any,
) -> DependenceDisplay:
    """Draw how answers depend on one or two features.

    Parameters
    ----------
    estimator : estimator or DependenceReport
        A fitted estimator, or what its methods `partial_dependence` and `accumulated_effects` returned.
    features : str, int or pair of them, optional
        The feature or both; by default the most important one.
    X : object, optional
        Rows, for an estimator.
    label : object, optional
        The class to draw alone; by default all, the second of two, and the last on a map of two features.
    centred : bool, default=False
        Whether every line begins at 0, so that shapes can be compared.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    **options : object
        Further arguments of `partial_dependence`, e.g. ``kind="both"`` for single rows.

    Returns
    -------
    DependenceDisplay
        With the ``report``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTClassifier
    >>> from treewright.plot import DependenceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(max_depth=3).fit(X, y)
    >>> DependenceDisplay.compute(tree, 2, X, values=[1, 4, 6]).report.average.shape
    (3, 3)
    """
    return DependenceDisplay.from_estimator(
        estimator, features, X, label=label, centred=centred, ax=ax, **options
    )
