"""`from_catboost`: models of CatBoost, from a model or a JSON file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.imported.catboost_binary import START, json_of_binary
from treewright.imported.catboost_columns import read_columns
from treewright.imported.catboost_trees import catboost_trees
from treewright.imported.faults import fault, named_faults, unsupported
from treewright.imported.fields import number_list, read_json, sub_list
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
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
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
    categories : mapping of str to sequence, optional
        Categories of columns, in any order: CatBoost keeps their hashes alone, unless the file was written
        with ``save_model(…, format="json", pool=…)``. Those that are not named count as unseen; a missing
        value, which CatBoost does not take, too.

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
        return estimator_of(_reading(found, feature_names, classes, categories or {}))


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
    found: dict[str, Any],
    feature_names: Sequence[str] | None,
    labels: Sequence[Any] | None,
    categories: Mapping[str, Sequence[Any]],
) -> Reading:
    loss = _loss(found)
    scale, bias = _scale_and_bias(found)
    n_outputs = len(bias)
    columns = read_columns(found, feature_names, categories)
    trees = catboost_trees(found, columns, scale, n_outputs)
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
        schema=columns.schema,
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
