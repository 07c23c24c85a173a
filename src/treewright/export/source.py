"""What every exporter is given: an estimator or its model."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.model.model import Model

__all__ = ["model_of"]


def model_of(model: Any, exporter: str) -> Model:
    """Return the model of a fitted estimator, or the model itself."""
    if isinstance(model, Model):
        return model
    if not hasattr(type(model), "from_model"):  # only Treewright's estimators can be made from a model
        raise TypeError(f"{exporter} takes a Treewright estimator or its model_, not {type(model).__name__}.")
    check_is_fitted(model, "model_")
    found: Model = model.model_
    return found
