"""Parameters in the user's terms become numbers for one table: shares become rows, names become positions."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema

__all__ = ["feature_count", "growth_settings", "least_gain", "monotone_signs", "row_limits"]

# What Quinlan's followers take for no gain at all; a split has to gain more than the number below it.
NO_GAIN = 1e-6


def growth_settings(
    params: Any, schema: Schema, n_rows: int, total_weight: float, n_classes: int | None
) -> dict[str, Any]:
    """Return what the parameters that all trees share mean for a table, under the names of the native plan.

    Parameters
    ----------
    params : object
        An estimator, or anything with its parameters as attributes.
    schema : Schema
        The features.
    n_rows : int
        Number of rows that shares of rows refer to.
    total_weight : float
        Their weight.
    n_classes : int or None
        Number of classes, None for regression.
    """
    n_features = len(schema.features)
    min_rows_split, min_rows_leaf = row_limits(params.min_samples_split, params.min_samples_leaf, n_rows)
    settings: dict[str, Any] = {
        "min_rows_split": min_rows_split,
        "min_rows_leaf": min_rows_leaf,
        "min_weight_leaf": params.min_weight_fraction_leaf * total_weight,
        "min_impurity_decrease": params.min_impurity_decrease,
    }
    if params.max_depth is not None:
        settings["max_depth"] = int(params.max_depth)
    if params.max_leaf_nodes is not None:
        settings["max_leaves"] = int(params.max_leaf_nodes)
        settings["order"] = "best_first"
    if feature_count(params.max_features, n_features) < n_features:
        settings["max_features"] = feature_count(params.max_features, n_features)
    signs = monotone_signs(params.monotonic_cst, schema, n_classes)
    if signs is not None:
        settings["monotone"] = signs.tolist()
    return settings


def row_limits(min_samples_split: float, min_samples_leaf: float, n_rows: int) -> tuple[int, int]:
    """Return the fewest rows of a node that is split and of a leaf, by scikit-learn's rules."""
    leaf = _rows(min_samples_leaf, n_rows)
    return max(2, _rows(min_samples_split, n_rows), 2 * leaf), leaf


def _rows(limit: Any, n_rows: int) -> int:
    return int(limit) if isinstance(limit, Integral) else math.ceil(limit * n_rows)


def feature_count(max_features: Any, n_features: int) -> int:
    """Return how many features are searched at each node, by scikit-learn's rules."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_features))


def least_gain(min_gain: float) -> float:
    """Return what the gain must exceed where a gain below 1e-6 counts as none."""
    return max(float(min_gain), math.nextafter(NO_GAIN, 0.0))


def monotone_signs(monotonic_cst: Any, schema: Schema, n_classes: int | None) -> NDArray[np.int8] | None:
    """Return -1, 0 or 1 for each feature, None when nothing is constrained.

    Parameters
    ----------
    monotonic_cst : array-like, dict or None
        The parameter.
    schema : Schema
        The features.
    n_classes : int or None
        Number of classes, None for regression.
    """
    if monotonic_cst is None:
        return None
    signs = (
        _signs_by_name(monotonic_cst, schema)
        if isinstance(monotonic_cst, dict)
        else np.asarray(monotonic_cst)
    )
    n_features = len(schema.features)
    if signs.shape != (n_features,):
        raise ValueError(
            f"monotonic_cst has shape {signs.shape} but the input data X has {n_features} features."
        )
    wrong = sorted({repr(sign) for sign in signs.tolist() if sign not in (-1, 0, 1)})
    if wrong:
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {', '.join(wrong)}."
        )
    if not signs.any():
        return None
    if n_classes is not None and n_classes > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
    for feature, sign in zip(schema.features, signs.tolist(), strict=True):
        if sign and feature.kind == "nominal":
            raise ValueError(
                f"Categorical features cannot have monotonic constraints: column {feature.name!r}."
            )
    return signs.astype(np.int8)


def _signs_by_name(signs: dict[Any, Any], schema: Schema) -> NDArray[Any]:
    if schema.names is None:
        raise ValueError(
            "monotonic_cst was passed as a dict, but X has no feature names; pass an array instead."
        )
    names = schema.names.tolist()
    unknown = [str(name) for name in signs if name not in names]
    if unknown:
        raise ValueError(f"monotonic_cst contains {len(unknown)} unexpected feature names: {unknown[:5]}.")
    return np.array([signs.get(name, 0) for name in names])
