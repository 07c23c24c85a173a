"""Warm start: which rounds a fit keeps, and what must stay the same so that more can be added."""

from __future__ import annotations

from typing import Any

from treewright.model import Model
from treewright.warn_at_caller import warn_at_caller

__all__ = ["earlier_model"]


def earlier_model(estimator: Any) -> Model | None:
    """Return the model that this fit adds rounds to; None when it begins anew.

    Parameters
    ----------
    estimator : Booster or WeightBooster
        With valid parameters.
    """
    if not estimator.warm_start or not hasattr(estimator, "model_"):
        return None
    model: Model = estimator.model_
    n_rounds = int(estimator.n_iter_)
    if estimator.n_estimators < n_rounds:
        raise ValueError(
            f"n_estimators={estimator.n_estimators} must be larger or equal to the {n_rounds} rounds of the "
            "fitted model when warm_start==True. To have fewer rounds, fit anew with warm_start=False."
        )
    if estimator.n_estimators == n_rounds:
        warn_at_caller("Warm-start fitting without increasing n_estimators does not fit new trees.")
    for name, (now, then) in estimator._lasting(model).items():
        if now != then:
            raise ValueError(
                f"{name}={now!r} cannot be added to rounds with {name}={then!r}: keep the {name} or fit anew "
                "with warm_start=False."
            )
    if repr(estimator._kept_params().get("estimator")) != repr(model.params.get("estimator")):
        raise ValueError(
            "All trees must have the same `estimator`: keep it or fit anew with warm_start=False."
        )
    return model
