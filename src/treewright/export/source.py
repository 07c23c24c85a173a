"""What every exporter is given: an estimator or its model, and names of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.data import Schema
from treewright.model.model import Model

__all__ = ["model_of", "names_of"]


def model_of(model: Any, exporter: str) -> Model:
    """Return the model of a fitted estimator, or the model itself."""
    if isinstance(model, Model):
        return model
    if not hasattr(type(model), "from_model"):  # only Treewright's estimators can be made from a model
        raise TypeError(f"{exporter} takes a Treewright estimator or its model_, not {type(model).__name__}.")
    check_is_fitted(model, "model_")
    found: Model = model.model_
    return found


def names_of(schema: Schema, feature_names: Sequence[str] | None) -> list[str]:
    """Return the names to print."""
    if feature_names is None:
        return [feature.name for feature in schema.features]
    given, needed = len(feature_names), len(schema.features)
    if given != needed:
        raise ValueError(f"feature_names has {given} names, but the model has {needed} features.")
    return [str(name) for name in feature_names]
