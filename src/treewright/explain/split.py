"""Explain a split: the best test of every feature at a node, recomputed by the engine on the node's rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from treewright.explain.report import Branch, Candidate, SplitReport
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.split import Split

__all__ = ["explain_split"]

# One level, and no limit that looks beyond the node; limits inside the node are set by `_stump_params`.
ONE_LEVEL: dict[str, Any] = {
    "max_depth": 1,
    "max_leaf_nodes": None,
    "max_features": None,
    "min_gain": None,
    "min_impurity_decrease": 0.0,
    "prune": None,
    "ccp_alpha": 0.0,
}
UNSUPPORTED = ("class_weight", "priors", "monotonic_cst")  # they depend on rows outside the node


def explain_split(
    estimator: BaseEstimator,
    node: int,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    feature_names: Sequence[str] | None = None,
) -> SplitReport:
    """Explain why a node of a fitted tree tests what it tests.

    For each feature the best test at the node is searched again, by the engine itself: it grows a tree of one
    level on this feature and the node's rows.

    Parameters
    ----------
    estimator : estimator
        A fitted single tree of Treewright.
    node : int
        Number of the node, 0 for the root.
    X : array or DataFrame of shape (n_rows, n_features)
        The rows it was fitted on.
    y : array-like of shape (n_rows,)
        Their labels or numbers.
    sample_weight : array-like of shape (n_rows,), optional
        Their weights.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.

    Returns
    -------
    SplitReport
        Print it, or read its attributes.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> from treewright.datasets import load_loans
    >>> from treewright.explain import explain_split
    >>> X, y, names, _ = load_loans()
    >>> report = explain_split(CARTClassifier().fit(X, y), 0, X, y, feature_names=names)
    >>> report.winner.feature, round(report.winner.impurity_after, 4)
    ('house', 0.2667)
    """
    if not hasattr(type(estimator), "from_model"):  # only Treewright's estimators can be made from a model
        raise TypeError(f"explain_split takes a Treewright estimator, not {type(estimator).__name__}.")
    check_is_fitted(estimator, "model_")
    model: Model = estimator.model_
    for name in UNSUPPORTED:
        if model.params.get(name) is not None:
            raise ValueError(f"explain_split cannot explain a tree that was fitted with {name}.")
    rows = np.asarray(estimator.decision_path(X)[:, [node]].toarray()).ravel().nonzero()[0]
    place = model.view()[node]
    if len(rows) != place.rows:
        raise ValueError(
            f"{len(rows)} of these rows reach node {node}, but {place.rows} did in fit: "
            "pass the X, y and sample_weight of fit."
        )
    labels = np.asarray(y)[rows]
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)[rows]
    names = (
        [f.name for f in model.schema.features] if feature_names is None else [str(n) for n in feature_names]
    )
    candidates = []
    for position, name in enumerate(names):
        stump = clone(estimator).set_params(**_stump_params(model, place, position))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "a single leaf": reported as no admissible test
            stump.fit(_column(X, rows, position), labels, sample_weight=weights)
        chosen = not place.is_leaf and int(place.view.tree.feature[node]) == position
        candidates.append(_candidate(name, stump.model_.view().root, place, chosen))
    candidates.sort(key=lambda candidate: (not candidate.branches, -candidate.decrease, not candidate.chosen))
    return _report(model, place, tuple(candidates))


def _stump_params(model: Model, place: Node, position: int) -> dict[str, Any]:
    """Return what to change so that one level on the node's rows obeys the limits of the whole tree."""
    params = model.params
    root = place.view.root
    changes = {name: value for name, value in ONE_LEVEL.items() if name in params}
    # Shares of all rows and of all weight, as numbers for the rows of the node.
    for name, least in (("min_samples_split", 2), ("min_samples_leaf", 1)):
        if isinstance(params.get(name), float):
            changes[name] = max(least, math.ceil(params[name] * root.rows))
    # Two sides cannot both have more than half of the node's weight: then no test is admissible.
    share = params.get("min_weight_fraction_leaf", 0.0) * root.weight / place.weight
    if share > 0.5:
        changes["min_samples_split"] = place.rows + 1
    elif share > 0:
        changes["min_weight_fraction_leaf"] = share
    chosen = params.get("categorical_features")
    if chosen is not None and not isinstance(chosen, str):
        changes["categorical_features"] = [0] if model.schema.features[position].kind == "nominal" else []
    return changes


def _column(X: Any, rows: NDArray[np.intp], position: int) -> Any:
    if sparse.issparse(X):
        matrix: Any = X  # the stubs know only what all sparse formats share
        return matrix.tocsc()[:, [position]].tocsr()[rows]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist()].select(frame.columns[position]).to_native()
    return np.asarray(X)[rows][:, [position]]


def _candidate(name: str, root: Node, place: Node, chosen: bool) -> Candidate:
    split = root.split
    if split is None:
        return Candidate(name, (), place.impurity, 0.0, chosen)
    branches = tuple(
        Branch(_side(split, branch), child.rows, child.weight, child.impurity)
        for branch, child in enumerate(root.children)
    )
    decrease = root.gain / root.weight
    return Candidate(name, branches, place.impurity - decrease, decrease, chosen)


def _side(split: Split, branch: int) -> str:
    # The feature's name stands beside it already.
    if split.kind != "threshold" and split.categories(branch):
        return ", ".join(str(category) for category in split.categories(branch))
    return split.describe(branch).removeprefix(f"{split.feature.name} ")


def _report(model: Model, place: Node, candidates: tuple[Candidate, ...]) -> SplitReport:
    class_weights = None
    if model.classes is not None:
        weights = place.value * place.weight
        order = np.argsort(-weights, kind="stable")
        class_weights = tuple((str(model.classes[k]), float(weights[k])) for k in order)
    return SplitReport(
        node=place.id,
        algorithm=model.algorithm.removesuffix("Classifier").removesuffix("Regressor"),
        criterion=str(model.params.get("criterion", "impurity")),
        n=place.rows,
        weight=place.weight,
        class_weights=class_weights,
        impurity=place.impurity,
        candidates=candidates,
    )
