"""plot_pruning: the curve behind the choice of a pruned tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.draw.chart import Chart
from treewright.draw.curve import chart_of_curve
from treewright.plot.display import Display
from treewright.pruning import NodePruningReport, PruningReport

__all__ = ["PruningDisplay", "plot_pruning"]


@dataclass(eq=False)
class PruningDisplay(Display):
    """Values by number of leaves: cross-validated means with a band of one standard error, or R(T).

    Attributes
    ----------
    report : PruningReport or NodePruningReport
        What is shown.
    leaves : ndarray of int
        Sizes of the trees, the largest first.
    values : ndarray of float
        The value of each.
    spread : ndarray of float or None
        Its standard error.
    """

    report: PruningReport | NodePruningReport
    leaves: NDArray[np.int64]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None

    @classmethod
    def compute(cls, estimator: Any, X: Any = None, y: Any = None, *, cv: Any = 10) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_pruning`."""
        if isinstance(estimator, PruningReport | NodePruningReport):
            report = estimator
        elif X is not None or y is not None:
            if X is None or y is None:
                raise ValueError("X and y belong together: pass both to cross-validate, or neither.")
            again = clone(_tree(estimator)).set_params(prune="cost_complexity", cv=cv)
            report = again.fit(X, y).explain_pruning()
        else:
            report = _tree(estimator).explain_pruning()
        curve = report.to_curve()
        return cls(report, np.array(curve.leaves), np.asarray(curve.values), curve.band)

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        return chart_of_curve(self.report.to_curve())


def plot_pruning(
    estimator: Any, X: Any = None, y: Any = None, *, cv: Any = 10, ax: Any = None
) -> PruningDisplay:
    """Draw what pruning compared: the cross-validated error by number of leaves, its band and the 1-SE limit.

    Parameters
    ----------
    estimator : estimator or report
        A fitted single tree, or what its ``explain_pruning()`` returned.
    X, y : table and target, optional
        Cross-validate the cost-complexity path on these rows, also of a tree that was not pruned so.
        Without them the curve is the one that the model stores.
    cv : int or cross-validation generator, default=10
        The folds, if X and y are given.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    PruningDisplay
        With ``report``, ``leaves``, ``values`` and ``spread``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CARTClassifier
    >>> from treewright.plot import PruningDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(prune="cost_complexity", random_state=0).fit(X, y)
    >>> display = PruningDisplay.compute(tree)
    >>> display.leaves.tolist()
    [9, 7, 5, 4, 3, 2, 1]
    >>> display.to_svg().startswith("<svg")
    True
    """
    return PruningDisplay.from_estimator(estimator, X, y, cv=cv, ax=ax)


def _tree(estimator: Any) -> Any:
    if not hasattr(estimator, "explain_pruning"):
        raise TypeError(
            f"plot_pruning takes a fitted single tree or its explain_pruning(), not "
            f"{type(estimator).__name__}: ensembles are not pruned; their trees may be "
            "(estimators_[17])."
        )
    return estimator
