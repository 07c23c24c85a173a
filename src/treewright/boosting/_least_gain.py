"""γ of every tree, in the arrays of a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.exceptions import SingleLeafWarning
from treewright.model import Forest, Model
from treewright.user_line import warn_user

__all__ = ["check_least_gains", "least_gains", "warn_of_small_weights"]

Floats = NDArray[np.float64]

NAME = "least_gain"
#: Mean weights below this may be why there is no split.
SMALL = 0.5


def least_gains(earlier: Model | None, found: Floats) -> dict[str, Floats]:
    """Return what the splits of each tree had to gain; nothing for trees of least squares.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    found : ndarray of float64
        γ of the trees of this fit that the model keeps.
    """
    if not len(found):
        return {}
    if earlier is None:
        return {NAME: found}
    before = earlier.arrays.get(NAME)
    if before is None:  # a file from before γ could depend on the round
        before = np.full(len(earlier.trees), float(earlier.params["gamma"]))
    return {NAME: np.concatenate([before, found])}


def warn_of_small_weights(forest: Forest, found: Floats, weights: Floats | None) -> None:
    """Warn when weights are so small that γ, which the rounds decided, left no split in any tree.

    Parameters
    ----------
    forest : Forest
        The trees of a fit.
    found : ndarray of float64
        Their γ.
    weights : ndarray of float64 or None
        Weights of the rows.
    """
    mean = 1.0 if weights is None else float(np.mean(weights))
    if mean >= SMALL or forest.node_count > len(forest):
        return
    warn_user(
        f'All trees are single leaves: with gamma="auto" a split must gain more than {found[0]:.3g} in the '
        f"first round. The weights are small, {mean:.3g} on average, and a weight counts as so many rows: "
        "scale them so that their mean is 1, or pass gamma=0.",
        SingleLeafWarning,
    )


def check_least_gains(model: Model) -> None:
    """Raise ValueError unless there is one number for each tree, or none at all.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    gains = model.arrays.get(NAME)
    if gains is None:
        return
    n_trees = len(model.trees) if isinstance(model.trees, Forest) else 0
    if gains.dtype != np.float64 or gains.shape != (n_trees,):
        raise ValueError(f"its {NAME} has not one number for each tree")
