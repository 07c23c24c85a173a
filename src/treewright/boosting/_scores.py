"""Scores of the rounds: how a model keeps them and an estimator shows them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.model import Model

__all__ = ["SCORE_ROWS", "adopt_scores", "check_scores", "score_arrays"]

Floats = NDArray[np.float64]

# Training rows that the train score looks at.
SCORE_ROWS: Final = 10_000
NAMES: Final = ("train_score", "validation_score")


def score_arrays(earlier: Model | None, train: Floats, validation: Floats) -> dict[str, Floats]:
    """Return the scores as arrays of a model, after those of earlier rounds; none where there are none.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    train, validation : ndarray of float64
        Scores of the rounds of this fit.
    """
    found = {}
    for name, scores in zip(NAMES, (train, validation), strict=True):
        before = None if earlier is None else earlier.arrays.get(name)
        joined = scores if before is None else np.concatenate([before, scores])
        if len(joined):
            found[name] = joined
    return found


def adopt_scores(estimator: Any, model: Model, names: tuple[str, ...] = NAMES) -> None:
    """Set an attribute for each array of scores, or take away what an earlier fit has left.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    names : tuple of str
        Names of the arrays; with an underscore at the end, those of the attributes.
    """
    for name in names:
        if name in model.arrays:
            setattr(estimator, f"{name}_", model.arrays[name])
        else:
            estimator.__dict__.pop(f"{name}_", None)


def check_scores(model: Model, names: tuple[str, ...] = NAMES) -> None:
    """Raise ValueError unless scores, where there are some, are lists of numbers.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    names : tuple of str
        Names of the arrays.
    """
    for name in names:
        scores = model.arrays.get(name)
        if scores is not None and (scores.ndim != 1 or scores.dtype != np.float64):
            raise ValueError(f"its {name} is not a list of numbers")
