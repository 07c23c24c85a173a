"""How much worse a booster predicts given rows when the values of a feature are shuffled among them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["permuted_importances"]


def permuted_importances(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
) -> NDArray[np.float64]:
    """Return the mean decrease of the score, one number per feature, by scikit-learn's own function.

    Parameters
    ----------
    estimator : object
        A fitted estimator.
    X, y, sample_weight : object
        The rows to look at, best some that `fit` has not seen.
    scoring : str, callable or None
        As in scikit-learn; None: accuracy or R².
    n_repeats : int, default=5
        How often each feature is shuffled.
    random_state : object, optional
        What shuffles.
    """
    if X is None or y is None:
        raise ValueError(
            "kind='permutation' shuffles features among given rows: pass X and y, best rows that fit has not "
            "seen."
        )
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and not hasattr(X, "iloc"):
        X = frame.to_pandas()  # scikit-learn would make an array without names of other frames
    # Loaded when asked for: it takes a good part of a second.
    found = import_module("sklearn.inspection").permutation_importance(
        estimator,
        X,
        y,
        scoring=scoring,
        n_repeats=n_repeats,
        random_state=random_state,
        sample_weight=sample_weight,
    )
    means: NDArray[np.float64] = found.importances_mean
    return means
