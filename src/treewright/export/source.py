"""What every exporter is given: an estimator or its model, one tree of it, names of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.model.model import Model
from treewright.model.node import TreeView

__all__ = ["model_of", "names_of", "view_of"]


def model_of(model: Any, exporter: str) -> Model:
    """Return the model of a fitted estimator, or the model itself."""
    if isinstance(model, Model):
        return model
    if not hasattr(type(model), "from_model"):  # only Treewright's estimators can be made from a model
        raise TypeError(f"{exporter} takes a Treewright estimator or its model_, not {type(model).__name__}.")
    check_is_fitted(model, "model_")
    found: Model = model.model_
    return found


def view_of(model: Model, tree: int) -> TreeView:
    """Return one tree, or say that it does not exist."""
    if not 0 <= tree < len(model.trees):
        raise IndexError(
            f"tree={tree} does not exist; the model has {len(model.trees)} tree(s), counted from 0."
        )
    return model.view(tree)


def names_of(view: TreeView, feature_names: Sequence[str] | None) -> list[str]:
    """Return the names to print."""
    if feature_names is None:
        return [feature.name for feature in view.schema.features]
    given, needed = len(feature_names), len(view.schema.features)
    if given != needed:
        raise ValueError(f"feature_names has {given} names, but the model has {needed} features.")
    return [str(name) for name in feature_names]
