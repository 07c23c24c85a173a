"""`from_xgboost`: models of XGBoost, from a booster, an estimator, or a JSON or UBJSON file."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature, Schema
from treewright.imported.columns import given_names, listed_categories
from treewright.imported.faults import fault, named_faults, unsupported
from treewright.imported.fields import number_list, read_json, sub_list, sub_object, text_of, whole_number
from treewright.imported.files import read_file
from treewright.imported.imported_model import ImportedClassifier, ImportedRegressor, estimator_of
from treewright.imported.record import Reading
from treewright.imported.ubjson import read_ubjson
from treewright.imported.xgboost_trees import category_lists, xgboost_trees

__all__ = ["from_xgboost"]

# Objective → link. base_score is an answer: what makes a raw score of it follows from the link.
LINKS: Final = {
    "reg:squarederror": "identity",
    "reg:linear": "identity",
    "reg:squaredlogerror": "identity",
    "reg:pseudohubererror": "identity",
    "reg:absoluteerror": "identity",
    "reg:quantileerror": "identity",
    "reg:logistic": "sigmoid",
    "binary:logistic": "logit",
    "binary:logitraw": "identity",
    "binary:hinge": "step",
    "count:poisson": "log",
    "reg:gamma": "log",
    "reg:tweedie": "log",
    "survival:cox": "log",
    "survival:aft": "log",
    "multi:softmax": "softmax",
    "multi:softprob": "softmax",
    "rank:pairwise": "identity",
    "rank:ndcg": "identity",
    "rank:map": "identity",
}
# Those whose base_score is turned into a raw score by another function than that of the link.
OF_PROBABILITIES: Final = ("reg:logistic", "binary:logistic")


def from_xgboost(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
) -> ImportedClassifier | ImportedRegressor:
    """Return a model of XGBoost as an estimator of ours, which predicts the same.

    Parameters
    ----------
    model : xgboost.Booster, estimator of XGBoost, or path-like
        The model, or a file that ``save_model`` wrote, JSON or UBJSON. The file may come from anywhere:
        nothing in it is executed or trusted. XGBoost need not be installed for files. After early stopping
        estimators and their files predict with the rounds up to the best one, boosters and theirs with all.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the model.
    classes : sequence, optional
        The labels; by default 0, 1, …, which is what XGBoost knows.
    categories : mapping of str to sequence, optional
        Categories of columns in the order of their codes, where the model does not tell: before XGBoost 3.1
        it keeps codes alone.

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Fitted. Ranking models give their raw scores; of ``binary:logitraw`` and ``binary:hinge`` the number
        that XGBoost predicts is given.

    Raises
    ------
    treewright.exceptions.UnsupportedModelError
        When the model has linear terms, several outputs, or leaves of several numbers.
    treewright.exceptions.ModelFileError
        When the file is damaged, contradictory or no model of XGBoost.
    """
    content, name = _content(model)
    with named_faults(name):
        found = read_json(content) if content[:2] in (b"{\n", b'{"', b"{ ") else _binary(content)
        if not isinstance(found, dict):
            fault("the file", "it holds no object")
        stops = hasattr(model, "get_booster")
        return estimator_of(_reading(found, feature_names, classes, categories or {}, stops_at_best=stops))


def _content(model: Any) -> tuple[bytes, str]:
    """Return the model as bytes, and what messages call it."""
    if isinstance(model, str | os.PathLike):
        return read_file(model), os.fspath(model)
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if not hasattr(booster, "save_raw"):
        raise TypeError(
            "from_xgboost takes an xgboost.Booster, a fitted estimator of XGBoost or the path of a JSON or "
            f"UBJSON file, not {type(model).__name__}."
        )
    if booster is not model:
        missing = getattr(model, "missing", math.nan)
        if missing is not None and not math.isnan(missing):
            unsupported(f"This {type(model).__name__} takes {missing} for a missing value (missing=…)")
    return bytes(booster.save_raw("ubj")), f"This {type(model).__name__}"


def _binary(content: bytes) -> Any:
    if content[:1] != b"{":
        fault("byte 0", "it is neither JSON nor UBJSON. Save it as *.json or *.ubj with a recent XGBoost")
    return read_ubjson(content)


def _reading(
    found: dict[str, Any],
    feature_names: Sequence[str] | None,
    labels: Sequence[Any] | None,
    given: Mapping[str, Sequence[Any]],
    *,
    stops_at_best: bool,
) -> Reading:
    learner = sub_object(found, "learner", "the file")
    booster = sub_object(learner, "gradient_booster", "learner")
    kind = text_of(booster, "name", "gradient_booster")
    if kind not in ("gbtree", "dart"):
        unsupported(f"the booster {kind[:40]!r} has no trees")
    params = sub_object(learner, "learner_model_param", "learner")
    objective = text_of(sub_object(learner, "objective", "learner"), "name", "objective")
    if objective not in LINKS:
        unsupported(f"the objective {objective[:40]!r} cannot be imported")
    version = number_list(found, "version", "the file", np.int64) if "version" in found else np.zeros(2, int)
    if objective == "binary:logitraw" and tuple(version[:2].tolist()) < (3, 1):
        unsupported(
            "before XGBoost 3.1 the base_score of binary:logitraw had another meaning",
            "Load the model with a later XGBoost and save it again.",
        )
    inner = sub_object(booster, "gbtree", "gradient_booster") if kind == "dart" else booster
    model = sub_object(inner, "model", "gradient_booster")
    trees = sub_list(model, "trees", "model")
    if not all(isinstance(tree, dict) for tree in trees):
        fault("model", "the field 'trees' holds something else than trees")
    if not trees:
        fault("model", "it has no tree")
    weights = np.ones(len(trees), dtype=np.float32)
    if kind == "dart":
        weights = number_list(booster, "weight_drop", "gradient_booster", np.float32, len(trees))
    n_classes = whole_number(params, "num_class", "learner_model_param", 0)
    n_outputs = max(n_classes, 1)
    if whole_number(params, "num_target", "learner_model_param", 1) > 1:
        unsupported("the model has several targets (num_target), and only one can be imported")
    if (n_classes > 1) != (LINKS[objective] == "softmax"):
        unsupported(f"the objective {objective!r} with {n_outputs} outputs cannot be imported")
    group = number_list(model, "tree_info", "model", np.int64, len(trees))
    kept = _n_kept(learner, model, n_outputs, stops_at_best)
    trees, group = trees[:kept], group[:kept]
    order = _order(group, n_outputs)
    schema, codes = _schema(learner, model, params, trees, feature_names, given)
    of_classes = {"logit": 2, "softmax": n_outputs}.get(LINKS[objective])
    classes = None
    if of_classes is not None:
        classes = np.arange(of_classes) if labels is None else np.asarray(labels)
        if len(classes) != of_classes:
            raise ValueError(f"classes names {len(classes)} labels for {of_classes} classes")
    return Reading(
        source="XGBoost",
        source_kind=f"{objective}, {kind}",
        schema=schema,
        trees=xgboost_trees([trees[i] for i in order.tolist()], weights[order], codes, order),
        aggregation="sum",
        classes=classes,
        link=LINKS[objective],
        loss=objective,
        start=_start(params, objective, n_outputs),
        single=True,
        order=order,
        spare_nodes=True,
    )


def _n_kept(
    learner: dict[str, Any], model: dict[str, Any], n_outputs: int, stops_at_best: bool
) -> int | None:
    """Return how many trees are predicted with; None: all of them.

    Estimators stop at the best round, also when a file was loaded that an estimator has written.
    """
    attributes = sub_object(learner, "attributes", "learner") if "attributes" in learner else {}
    if "best_iteration" not in attributes or not (stops_at_best or "scikit_learn" in attributes):
        return None
    best = whole_number(attributes, "best_iteration", "attributes")
    size = sub_object(model, "gbtree_model_param", "model")
    at_once = max(whole_number(size, "num_parallel_tree", "gbtree_model_param", 1), 1)
    return (best + 1) * n_outputs * at_once


def _order(group: NDArray[np.int64], n_outputs: int) -> NDArray[np.int64]:
    """Return XGBoost's numbers of the trees such that one of each output follows the other."""
    if (group < 0).any() or (group >= n_outputs).any():
        fault("tree_info", "a tree belongs to an output that does not exist")
    counts = np.bincount(group, minlength=n_outputs)
    if (counts != counts[0]).any():
        fault("tree_info", "the outputs have different numbers of trees")
    return np.argsort(group, kind="stable").reshape(n_outputs, -1).T.ravel()


def _start(params: dict[str, Any], objective: str, n_outputs: int) -> NDArray[np.float64]:
    """Return the raw scores before the first tree, float32 numbers."""
    text = params.get("base_score")
    if not isinstance(text, str):
        fault("learner_model_param", "the field 'base_score' is missing")
    try:
        scores = np.array([float(one) for one in text.strip("[]").split(",")], dtype=np.float32)
    except ValueError:
        fault("learner_model_param", "the field 'base_score' is not a number")
    if len(scores) not in (1, n_outputs) or not np.isfinite(scores).all():
        fault("learner_model_param", f"the field 'base_score' has not {n_outputs} finite numbers")
    scores = np.broadcast_to(scores, (n_outputs,)).astype(np.float32)
    if objective in OF_PROBABILITIES:
        if ((scores <= 0) | (scores >= 1)).any():
            fault("learner_model_param", "the field 'base_score' is not a probability")
        odds = np.float32(1.0) / scores - np.float32(1.0)
        return (-np.log(odds.astype(np.float64))).astype(np.float32).astype(np.float64)
    if LINKS[objective] == "log":
        if (scores <= 0).any():
            fault("learner_model_param", "the field 'base_score' is not above 0")
        return np.log(scores.astype(np.float64)).astype(np.float32).astype(np.float64)
    return scores.astype(np.float64)


# --- columns
# ------------------------------------------------------------------------------------------------------------


def _schema(
    learner: dict[str, Any],
    model: dict[str, Any],
    params: dict[str, Any],
    trees: Sequence[dict[str, Any]],
    feature_names: Sequence[str] | None,
    given: Mapping[str, Sequence[Any]],
) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
    """Return the columns, and for those of categories the codes that XGBoost knows them by."""
    n_features = whole_number(params, "num_feature", "learner_model_param")
    if not 1 <= n_features < 2**29:
        fault("learner_model_param", "num_feature is not a number of features")
    names = sub_list(learner, "feature_names", "learner") if "feature_names" in learner else []
    if names and (len(names) != n_features or not all(isinstance(name, str) for name in names)):
        fault("learner", f"feature_names has not {n_features} names")
    if not names and n_features > MOST_UNNAMED:
        fault("learner_model_param", "num_feature is too large for a model without names of features")
    shown, named = given_names(names or None, feature_names, re.compile(r"f\d+"), n_features)
    if unknown := [name for name in given if name not in shown]:
        raise ValueError(f"categories has {unknown[0]!r}, which is no column of the model")
    types = sub_list(learner, "feature_types", "learner") if "feature_types" in learner else []
    listed = category_lists(trees)
    stored = _stored_categories(model, n_features)
    features, codes = [], {}
    for i, name in enumerate(shown):
        is_category = i in listed or i in stored or (len(types) == n_features and types[i] == "c")
        if not is_category:
            features.append(Feature(name, "numeric"))
            continue
        known = given.get(name, stored.get(i))
        if known is None:
            codes[i] = np.asarray(listed.get(i, []), dtype=np.int64)
            features.append(Feature(name, "nominal", tuple(codes[i].tolist())))
        else:
            if any(isinstance(one, str) and _is_broken(one) for one in known):
                unsupported(
                    f"XGBoost has cut the names of categories of {name!r} (it counts characters as bytes)",
                    "Pass categories={column: [first category, second, …]}.",
                )
            codes[i] = np.arange(len(known), dtype=np.int64)
            features.append(Feature(name, "nominal", listed_categories(known, name)))
    return Schema(tuple(features), named), codes


MOST_UNNAMED = 2**24


def _is_broken(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _stored_categories(model: dict[str, Any], n_features: int) -> dict[int, list[Any]]:
    """Return the categories of columns that XGBoost 3.1 and later keep."""
    cats = model.get("cats")
    if not isinstance(cats, dict):
        return {}
    encoded = sub_list(cats, "enc", "cats")
    if encoded and len(encoded) != n_features:
        fault("cats", f"it has {len(encoded)} columns for {n_features} features")
    found: dict[int, list[Any]] = {}
    for i, one in enumerate(encoded):
        if not isinstance(one, dict):
            fault("cats", "a column is not an object")
        if not len(one.get("values", ())):
            continue
        if "offsets" in one:
            found[i] = _texts(one, f"cats, column {i}")
        else:
            found[i] = number_list(one, "values", f"cats, column {i}", _kind_of(one["values"])).tolist()
    return found


def _kind_of(values: Any) -> Any:
    return np.float64 if np.asarray(values).dtype.kind == "f" else np.int64


def _texts(one: dict[str, Any], where: str) -> list[str]:
    letters = number_list(one, "values", where, np.int64)
    ends = number_list(one, "offsets", where, np.int64)
    whole = len(ends) > 0 and ends[0] == 0 and ends[-1] == len(letters) and (np.diff(ends) >= 0).all()
    if not whole or (np.abs(letters) > 255).any():
        fault(where, "the names of categories do not fit together")
    text = (letters & 255).astype(np.uint8).tobytes()
    pairs = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return [text[begin:end].decode("utf-8", "surrogateescape") for begin, end in pairs]
