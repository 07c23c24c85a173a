"""A model as a fitted estimator of scikit-learn: trees and forests that compare numbers with thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.tree._tree import NODE_DTYPE, Tree

from treewright.exceptions import UnsupportedExportError
from treewright.export.checking import Source
from treewright.model.tree import Tree as OwnTree
from treewright.program import Program, Steps

__all__ = ["to_sklearn"]

NO_CHILD, NO_FEATURE, NO_THRESHOLD = -1, -2, -2.0  # as scikit-learn marks leaves
CRITERIA = {
    True: {"gini": "gini", "entropy": "entropy"},
    False: {"squared_error": "squared_error", "absolute_error": "absolute_error", "poisson": "poisson"},
}


def to_sklearn(model: Any) -> Any:
    """Return a fitted model as a fitted tree or forest of scikit-learn.

    A single tree becomes a ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``; extremely randomised
    trees become ``ExtraTrees``, other forests and bagging ``RandomForest``. Predictions are equal to the bit
    for inputs of single precision. scikit-learn rounds all others to it first, so a number may land on the
    other side of a threshold that is nearer to it than that. Missing values go where the model sends them.
    The parameters of the result are scikit-learn's defaults apart from the criterion: they are for a new fit.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.

    Returns
    -------
    estimator of scikit-learn
        Fitted.

    Raises
    ------
    UnsupportedExportError
        When scikit-learn's trees cannot say it: tests of categories (booleans are 0 and 1), several branches,
        rows that go several ways or stop half way, surrogates, boosters, calibration.

    Examples
    --------
    >>> from treewright import CARTClassifier, to_sklearn
    >>> tree = to_sklearn(CARTClassifier().fit([[1.0], [2.0]], ["a", "b"]))
    >>> type(tree).__name__, tree.predict([[1.2]]).tolist()
    ('DecisionTreeClassifier', ['a'])
    """
    source = Source.of(model, "to_sklearn")
    program = source.program
    _refuse(program)
    trees = [_tree(program, steps, own) for steps, own in zip(program.trees, source.model.trees, strict=True)]
    is_class = program.answer.classes is not None
    criterion = CRITERIA[is_class].get(str(source.model.params.get("criterion")), None)
    settings = {} if criterion is None else {"criterion": criterion}
    is_forest = source.model.aggregation != "one"
    is_extra = is_forest and "ExtraTrees" in program.algorithm
    member: type[Any]
    if is_class:
        member = ExtraTreeClassifier if is_extra else DecisionTreeClassifier
    else:
        member = ExtraTreeRegressor if is_extra else DecisionTreeRegressor
    classes = source.model.classes
    if not is_forest:
        return _fitted(
            member(**settings), source, classes, tree_=trees[0], max_features_=len(program.columns)
        )
    codes = None if classes is None else np.arange(len(classes), dtype=np.float64)
    members = [
        _fitted(member(**settings), source, codes, tree_=tree, max_features_=len(program.columns), bare=True)
        for tree in trees
    ]
    kind: type[Any]
    if is_class:
        kind = ExtraTreesClassifier if is_extra else RandomForestClassifier
    else:
        kind = ExtraTreesRegressor if is_extra else RandomForestRegressor
    forest = kind(n_estimators=len(trees), **settings)
    return _fitted(forest, source, classes, estimator_=member(**settings), estimators_=members)


def _fitted(
    estimator: BaseEstimator,
    source: Source,
    classes: NDArray[Any] | None,
    *,
    bare: bool = False,
    **attributes: Any,
) -> BaseEstimator:
    """Return an estimator with what a fit would have left; names are for the outermost alone."""
    told: dict[str, Any] = {"n_features_in_": len(source.program.columns), "n_outputs_": 1, **attributes}
    if classes is not None:
        told |= {"classes_": np.array(classes), "n_classes_": len(classes)}
    names: Sequence[str] | None = getattr(source.estimator, "feature_names_in_", None)
    if names is not None and not bare:
        told["feature_names_in_"] = np.array(names, dtype=object)
    vars(estimator).update(told)
    return estimator


def _refuse(program: Program) -> None:
    """Refuse what trees and forests of scikit-learn cannot say."""
    answer = program.answer
    cannot = None
    if program.median_weights is not None or answer.link != "identity" or program.start.any():
        cannot = (
            f"{program.algorithm} adds up or weighs its trees, where scikit-learn's forests take the mean"
        )
    elif program.single_sums or program.divisor != len(program.trees):
        cannot = f"{program.algorithm} adds up its trees, where scikit-learn's forests take the mean"
    elif answer.calibration is not None and answer.calibration.curves:
        cannot = "its probabilities are calibrated"
    elif answer.order or answer.single or answer.begin:
        cannot = "it chooses among equal classes by an order of its own"
    for column in program.columns:
        if column.zero_is_missing:
            cannot = f"zeros of column {column.name!r} count as missing"
        elif not column.is_numeric and not _is_boolean(column.categories):
            cannot = f"column {column.name!r} holds categories"
    for tree in program.trees:
        inner = tree.feature >= 0
        if (tree.n_children[inner] != 2).any():
            cannot = "it has tests with more than two branches"
        elif tree.mixes:
            cannot = "rows with missing values go down several branches"
        elif (tree.feature[tree.ends] >= 0).any():
            cannot = "rows may end at an inner node"
        elif tree.substitutes:
            cannot = "it has surrogate tests for missing values"
    if cannot is not None:
        raise UnsupportedExportError(
            f"scikit-learn's trees cannot say this model: {cannot}. Other exporters can: "
            "treewright.export_python, for example."
        )


def _is_boolean(categories: Sequence[Any]) -> bool:
    return set(categories) <= {False, True} and all(isinstance(one, bool) for one in categories)


def _tree(program: Program, steps: Steps, own: OwnTree) -> Any:
    """Return a tree of scikit-learn."""
    n_nodes, inner = len(steps), steps.feature >= 0
    nodes = np.zeros(n_nodes, dtype=NODE_DTYPE)
    first = steps.first_child.copy()
    threshold = steps.threshold.copy()
    swapped = np.zeros(n_nodes, dtype=bool)
    for node, ways in steps.ways.items():
        threshold[node], swapped[node] = _boolean_test(
            program.columns[int(steps.feature[node])].categories, ways
        )
    nodes["left_child"] = np.where(inner, first + swapped, NO_CHILD)
    nodes["right_child"] = np.where(inner, first + ~swapped, NO_CHILD)
    nodes["feature"] = np.where(inner, steps.feature, NO_FEATURE)
    nodes["threshold"] = np.where(inner, threshold, NO_THRESHOLD)
    nodes["impurity"] = own.impurity
    nodes["n_node_samples"] = own.n_node_samples
    nodes["weighted_n_node_samples"] = own.weighted_n_node_samples
    nodes["missing_go_to_left"] = inner & ((steps.missing == 1) == swapped)
    n_classes = np.array([steps.n_values if program.answer.classes is not None else 1], dtype=np.intp)
    tree = Tree(len(program.columns), n_classes, 1)
    state = {
        "max_depth": int(steps.depths.max()),
        "node_count": n_nodes,
        "nodes": nodes,
        "values": np.ascontiguousarray(steps.values[:, np.newaxis, :]),
    }
    tree.__setstate__(state)
    return tree


def _boolean_test(categories: Sequence[bool], ways: NDArray[np.int64]) -> tuple[float, bool]:
    """Return the threshold of a test of booleans, as 0 and 1, and whether False takes the second branch."""
    branch = {value: int(way) for value, way in zip(categories, ways[:-1], strict=True)}
    no = branch.get(False, int(ways[-1]))
    yes = branch.get(True, int(ways[-1]))
    if no == yes:
        return np.inf, no == 1
    return 0.5, no == 1
