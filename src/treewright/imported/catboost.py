"""`from_catboost`: models of CatBoost, from a model or a JSON file."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature, Schema
from treewright.imported.catboost_binary import START, json_of_binary
from treewright.imported.catboost_trees import catboost_trees
from treewright.imported.columns import given_names
from treewright.imported.faults import fault, named_faults, unsupported
from treewright.imported.fields import number_list, read_json, sub_list, sub_object, whole_number
from treewright.imported.files import read_file
from treewright.imported.imported_model import ImportedClassifier, ImportedRegressor, estimator_of
from treewright.imported.record import Reading

__all__ = ["from_catboost"]

# Loss → link. Those that are not named here give their raw scores.
CLASS_LINKS: Final = {
    "Logloss": "logit",
    "CrossEntropy": "logit",
    "MultiClass": "softmax",
    "MultiClassOneVsAll": "one_vs_rest",
}
LOG_LOSSES: Final = ("Poisson", "Tweedie")


def from_catboost(
    model: Any, *, feature_names: Sequence[str] | None = None, classes: Sequence[Any] | None = None
) -> ImportedClassifier | ImportedRegressor:
    """Return a model of CatBoost as an estimator of ours, which predicts the same.

    Parameters
    ----------
    model : model of CatBoost, or path-like
        The model, a JSON file that ``save_model(…, format="json")`` wrote, or a file in CatBoost's own format
        (``.cbm``), which CatBoost, if it is installed, reads in a process of its own. The file may come
        from anywhere: nothing in it is executed or trusted.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the model.
    classes : sequence, optional
        The labels instead of those of the model.

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Fitted. Ranking models give their raw scores.

    Raises
    ------
    treewright.exceptions.UnsupportedModelError
        When the model tests categories, texts or embeddings, or predicts several numbers: CatBoost keeps
        hashes of categories and statistics of them (CTR) instead of the categories.
    treewright.exceptions.ModelFileError
        When the file is damaged, contradictory or no model of CatBoost.
    """
    content, name = _content(model)
    with named_faults(name):
        if content.startswith(START):
            content = json_of_binary(content)
        found = read_json(content)
        if not isinstance(found, dict):
            fault("the file", "it holds no object")
        return estimator_of(_reading(found, feature_names, classes))


def _content(model: Any) -> tuple[bytes, str]:
    """Return the JSON of a model, and what messages call it."""
    if isinstance(model, str | os.PathLike):
        return read_file(model), os.fspath(model)
    if not hasattr(model, "save_model") or not hasattr(model, "calc_leaf_indexes"):
        raise TypeError(
            "from_catboost takes a fitted model of CatBoost or the path of a JSON file, not "
            f"{type(model).__name__}."
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return path.read_bytes(), f"This {type(model).__name__}"


def _reading(
    found: dict[str, Any], feature_names: Sequence[str] | None, labels: Sequence[Any] | None
) -> Reading:
    loss = _loss(found)
    scale, bias = _scale_and_bias(found)
    n_outputs = len(bias)
    columns, names, missing_right = _columns(sub_object(found, "features_info", "the file"))
    shown, named = given_names(names, feature_names, re.compile(r"\d+"))
    schema = Schema(tuple(Feature(name, "numeric") for name in shown), named)
    trees = catboost_trees(found, columns, missing_right, scale, n_outputs)
    link = CLASS_LINKS.get(loss, "log" if loss in LOG_LOSSES else "identity")
    classes = None
    if loss in CLASS_LINKS:
        n_classes = 2 if link == "logit" else n_outputs
        classes = _classes(found, n_classes) if labels is None else np.asarray(labels)
        if len(classes) != n_classes:
            raise ValueError(f"classes names {len(classes)} labels for {n_classes} classes")
    if n_outputs > 1 and (classes is None or link == "logit"):
        unsupported(f"the loss {loss!r} has {n_outputs} outputs, and only one can be imported")
    return Reading(
        source="CatBoost",
        source_kind=loss,
        schema=schema,
        trees=trees,
        aggregation="sum",
        classes=classes,
        link=link,
        loss=loss,
        start=bias,
    )


def _loss(found: dict[str, Any]) -> str:
    info = found.get("model_info")
    params = info.get("params") if isinstance(info, dict) else None
    if isinstance(params, str):
        params = read_json(params.encode())
    loss = params.get("loss_function") if isinstance(params, dict) else None
    kind = loss.get("type") if isinstance(loss, dict) else None
    if not isinstance(kind, str):
        fault("model_info", "the loss function is missing")
    return kind


def _scale_and_bias(found: dict[str, Any]) -> tuple[float, NDArray[np.float64]]:
    both = sub_list(found, "scale_and_bias", "the file")
    if len(both) != 2 or isinstance(both[0], bool) or not isinstance(both[0], int | float):
        fault("scale_and_bias", "it is not a number and a list of numbers")
    bias = both[1] if isinstance(both[1], list) else [both[1]]
    numbers = number_list({"bias": bias}, "bias", "scale_and_bias", np.float64)
    if not len(numbers) or not np.isfinite([*numbers, both[0]]).all():
        fault("scale_and_bias", "it holds something else than finite numbers")
    return float(both[0]), numbers


def _classes(found: dict[str, Any], n_classes: int) -> NDArray[Any]:
    info = found.get("model_info")
    params = info.get("class_params") if isinstance(info, dict) else None
    if isinstance(params, str):
        params = read_json(params.encode())
    names = params.get("class_names") if isinstance(params, dict) else None
    if not isinstance(names, list) or not names or not all(isinstance(n, str | int | float) for n in names):
        return np.arange(n_classes)
    return np.asarray(names)


def _columns(info: dict[str, Any]) -> tuple[dict[int, int], list[str], dict[int, bool]]:
    """Return where each feature of numbers stands in the table, all names, and where missing values go."""
    columns: dict[int, int] = {}
    missing_right: dict[int, bool] = {}
    named: dict[int, str] = {}
    for kind in ("float_features", "categorical_features", "text_features", "embedding_features"):
        for one in sub_list(info, kind, "features_info") if kind in info else []:
            if not isinstance(one, dict):
                fault("features_info", f"the field {kind!r} holds something else than features")
            place = whole_number(one, "flat_feature_index", kind)
            index = whole_number(one, "feature_index", kind)
            if place in named or place > MOST_FEATURES:
                fault(kind, f"the feature {place} is there twice, or too far")
            name = one.get("feature_id")
            named[place] = name if isinstance(name, str) and name else str(place)
            if kind == "float_features":
                columns[index] = place
                missing_right[index] = one.get("nan_value_treatment") == "AsTrue"
    if not named:
        fault("features_info", "the model has no features")
    n = max(named) + 1
    if n > 2 * len(named) + 1000:
        fault("features_info", "features are numbered with gaps")
    return columns, [named.get(i, str(i)) for i in range(n)], missing_right


MOST_FEATURES = 2**29
