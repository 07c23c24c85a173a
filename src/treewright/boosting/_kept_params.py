"""The parameters of a booster as its model keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["kept_params"]


def kept_params(estimator: Any) -> dict[str, Any]:
    """Return the parameters in plain values, functions left out.

    Parameters
    ----------
    estimator : object
        The booster.
    """
    params = {name: getattr(estimator, name) for name in estimator._defaults}
    for name in ("loss", "scoring"):
        if callable(params.get(name)):
            params[name] = estimator._defaults[name]
    params["callbacks"] = None
    if isinstance(params.get("random_state"), np.random.RandomState):
        params["random_state"] = None
    return params
