"""plot_depths: which features are tested at which depth, over all trees of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.draw.chart import Axis, Cells, Chart
from treewright.draw.colours import heat
from treewright.export.source import model_of
from treewright.model.text import printable
from treewright.plot.display import Display

__all__ = ["DepthsDisplay", "plot_depths"]


@dataclass(eq=False)
class DepthsDisplay(Display):
    """Which share of the rows meets a test of each feature at each depth.

    Attributes
    ----------
    algorithm : str
        Name of the estimator.
    n_trees : int
        Number of trees.
    features : list of str
        Names, in the order of the columns.
    shares : ndarray of shape (n_features, n_depths)
        The share of the training weight that meets a test of the feature at the depth, mean over all trees.
        A column sums up to the share of the weight that gets to a test at that depth: 1 at the root, unless
        a tree is a single leaf.
    top : int
        How many features are drawn.
    max_depth : int
        How many depths are drawn.
    """

    algorithm: str
    n_trees: int
    features: list[str]
    shares: NDArray[np.float64]
    top: int = 15
    max_depth: int = 12

    @classmethod
    def compute(
        cls,
        estimator: Any,
        *,
        top: int = 15,
        max_depth: int = 12,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Return the display without drawing it; the parameters are those of `plot_depths`."""
        model = model_of(estimator, "plot_depths")
        check_count("top", top, 1)
        check_count("max_depth", max_depth, 0)
        sums = np.zeros((model.n_features, 1))
        for tree in model.trees:
            inner = tree.n_children > 0
            weights = tree.weighted_n_node_samples
            if not inner.any() or not weights[0] > 0:
                continue
            depths = tree.node_depths[inner]
            if depths.max() >= sums.shape[1]:
                sums = np.pad(sums, ((0, 0), (0, int(depths.max()) + 1 - sums.shape[1])))
            np.add.at(sums, (tree.feature[inner], depths), weights[inner] / weights[0])
        return cls(
            model.algorithm,
            len(model.trees),
            model.names(feature_names),
            sums / len(model.trees),
            top,
            max_depth,
        )

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data."""
        n_depths = min(self.shares.shape[1], self.max_depth + 1)
        order = np.argsort(-self.shares.sum(axis=1), kind="stable")[: self.top]
        shown = self.shares[order][:, :n_depths]
        most = float(shown.max()) or 1.0
        first = order[int(np.argmax(shown[:, 0]))] if shown[:, 0].max() > 0 else order[0]
        left_out = []
        if len(order) < len(self.features):
            left_out.append(f"{len(self.features) - len(order)} more features")
        if n_depths < self.shares.shape[1]:
            left_out.append(f"depths {n_depths} to {self.shares.shape[1] - 1}")
        remark = "Share of the rows that meet a test of the feature at the depth, mean over trees."
        if left_out:
            remark += f" Not shown: {', '.join(left_out)}."
        trees = "1 tree" if self.n_trees == 1 else f"{self.n_trees} trees"
        return Chart(
            title=f"{self.algorithm}, {trees}: which features at which depth",
            sentence=f"At the root {printable(self.features[first])} is tested most.",
            x=Axis(
                "depth (0: root)",
                -0.5,
                n_depths - 0.5,
                ticks=[(float(depth), str(depth)) for depth in range(n_depths)],
            ),
            y=Axis(
                "",
                -0.5,
                len(order) - 0.5,
                reverse=True,
                ticks=[(float(row), printable(self.features[at])) for row, at in enumerate(order)],
            ),
            layers=[
                Cells(
                    (np.arange(n_depths + 1) - 0.5).tolist(),
                    (np.arange(len(order) + 1) - 0.5).tolist(),
                    [[heat(share / most) if share > 0 else None for share in row] for row in shown.tolist()],
                    [[_share(share) for share in row] for row in shown.tolist()],
                    outlined=True,
                )
            ],
            remark=remark,
            width=max(120.0, 44.0 * n_depths),
            height=max(44.0, 22.0 * len(order)),
        )


def plot_depths(
    estimator: Any,
    *,
    top: int = 15,
    max_depth: int = 12,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> DepthsDisplay:
    """Draw which features are tested at which depth, over all trees: a picture of a whole forest.

    Parameters
    ----------
    estimator : estimator or Model
        Any fitted Treewright estimator, or its ``model_``.
    top : int, default=15
        How many features to draw, those that most rows meet.
    max_depth : int, default=12
        The deepest level to draw.
    feature_names : sequence of str, optional
        Names to show instead of those of the training data.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    DepthsDisplay
        With ``shares`` of shape (n_features, n_depths).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier
    >>> from treewright.plot import DepthsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DepthsDisplay.compute(RandomForestClassifier(random_state=0).fit(X, y))
    >>> round(float(display.shares[:, 0].sum()), 9)
    1.0
    """
    return DepthsDisplay.from_estimator(
        estimator, top=top, max_depth=max_depth, feature_names=feature_names, ax=ax
    )


def _share(share: float) -> str:
    return "" if share <= 0 else "<.01" if share < 0.005 else f"{share:.2f}"
