"""Warm start: which trees a fit keeps, and what must stay the same so that more can be added."""

from __future__ import annotations

from typing import Any

from treewright.model import Forest, Model
from treewright.warn_at_caller import warn_at_caller

__all__ = ["earlier_model"]


def earlier_model(estimator: Any) -> Model | None:
    """Return the model that this fit adds trees to; None when it begins anew.

    Parameters
    ----------
    estimator : BaseForest
        With valid parameters.
    """
    if not estimator.warm_start or not hasattr(estimator, "model_"):
        return None
    model: Model = estimator.model_
    n_trees = len(model.trees)
    if estimator.n_estimators < n_trees:
        raise ValueError(
            f"n_estimators={estimator.n_estimators} must be larger or equal to len(estimators_)={n_trees} "
            "when warm_start==True. To have fewer trees, fit anew with warm_start=False."
        )
    if estimator.n_estimators == n_trees:
        warn_at_caller("Warm-start fitting without increasing n_estimators does not fit new trees.")
    if estimator.class_weight in ("balanced", "balanced_subsample"):
        warn_at_caller(
            f"class_weight={estimator.class_weight!r} weighs the classes of the rows at hand. With "
            "warm_start and other rows, earlier and later trees weigh them differently: pass a dict."
        )
    criterion = estimator._tree_params().get("criterion")
    if isinstance(model.trees, Forest) and criterion is not None and criterion != model.trees.criterion:
        raise ValueError(
            f"criterion={criterion!r} cannot be added to trees grown by {model.trees.criterion!r}: keep the "
            "criterion or fit anew with warm_start=False."
        )
    if repr(estimator._kept_params().get("estimator")) != repr(model.params.get("estimator")):
        raise ValueError(
            "All trees must have the same `estimator`: keep it or fit anew with warm_start=False."
        )
    if bool(estimator.quantiles) != ("leaf_rows" in model.arrays):
        raise ValueError(
            "All trees must remember the rows of their leaves, or none: keep `quantiles` as it was or fit "
            "anew with warm_start=False."
        )
    return model
