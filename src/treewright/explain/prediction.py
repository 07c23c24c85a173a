"""Explain a prediction: follow one row down the tree, down several branches where its value is shared out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.explain.changes import find_changes
from treewright.explain.path_report import PathReport, PathStep
from treewright.explain.words import UNSEEN, algorithm_words, number, row_words
from treewright.model.arrays import EVERY_BRANCH, KIND_THRESHOLD, STOP_HERE
from treewright.model.model import Model
from treewright.model.node import Node, with_missing
from treewright.model.text import MAX_LISTED
from treewright.reports.frame import frame_library

__all__ = ["Choose", "check_one_row", "explain_prediction"]

Choose = Callable[[NDArray[np.float64]], NDArray[np.intp]]


def explain_prediction(
    model: Model,
    matrix: NDArray[Any],
    choose: Choose | None,
    *,
    tree: int | None = None,
    changes: bool = True,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> PathReport:
    """Explain what one tree of a model predicts for one row.

    Estimators offer the same as their method ``explain_prediction``.

    Parameters
    ----------
    model : Model
        The model.
    matrix : ndarray of shape (1, n_features)
        The row as the model reads it.
    choose : callable or None
        The position of the predicted class for rows of class shares; None for numbers.
    tree : int or None
        Which tree; a model of several trees must be told.
    changes : bool, default=True
        Whether to look for changes of single features that would change the answer.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    check_one_row(matrix)
    of_many = "" if len(model.trees) == 1 else f", tree {model.tree_number(tree)} of {len(model.trees)}"
    model = model.alone(tree)
    names = model.names(feature_names)
    row = np.asarray(matrix[0], dtype=np.float64)
    values = row_words(model.schema.features, row)

    def answers(rows: NDArray[Any]) -> list[str]:
        found = model.values(np.ascontiguousarray(rows))
        if model.classes is None:
            return [number(value) for value in found[:, 0]]
        assert choose is not None, "who answers with a class chooses it"
        return [str(model.classes[k]) for k in choose(found)]

    root = model.view().root
    return PathReport(
        algorithm=f"{algorithm_words(model.algorithm)}{of_many}",
        answer=answers(row[np.newaxis])[0],
        classes=None if model.classes is None else tuple(str(label) for label in model.classes.tolist()),
        prediction=tuple(float(value) for value in model.values(row[np.newaxis])[0]),
        start=tuple(float(value) for value in root.value),
        n=root.rows,
        steps=tuple(_steps(model, row, values, names)),
        changes=find_changes(model, row, values, names, answers) if changes else (),
        _frame=frame_library(X, model.schema),
    )


def check_one_row(matrix: NDArray[Any]) -> None:
    """Refuse anything but one row."""
    if len(matrix) != 1:
        raise ValueError(
            f"explain_prediction explains one row, got {len(matrix)}: pass X[[0]] or X.iloc[[0]]."
        )


def _steps(
    model: Model, row: NDArray[np.float64], values: Sequence[str], names: Sequence[str]
) -> list[PathStep]:
    view = model.view()
    arrays = view.tree.to_arrays()
    entry_of = _entries(model, arrays)
    steps: list[PathStep] = []
    waiting: list[tuple[Node, int, float, str]] = [(view.root, 0, 1.0, "")]
    while waiting:
        node, depth, share, routing = waiting.pop()
        ways = [] if node.is_leaf else _ways(arrays, node, row, entry_of(node, row), values, names)
        if node.parent is not None:
            feature = int(arrays["feature"][node.parent.id])
            split = node.parent.split
            assert split is not None and node.branch is not None, "a parent has a split"
            split = replace(split, feature=replace(split.feature, name=names[feature]))
            words = with_missing(split.describe(node.branch), node.takes_missing)
            steps.append(
                PathStep(
                    node=node.id,
                    depth=depth,
                    feature=names[feature],
                    value=values[feature],
                    words=words,
                    routing=routing,
                    share=share,
                    n=node.rows,
                    weight=node.weight,
                    prediction=tuple(float(value) for value in node.value),
                    is_end=not ways,
                    missing=(node.parent.missing_rows or 0) if words.endswith(" or missing") else 0,
                    _short=with_missing(split.describe(node.branch, MAX_LISTED), node.takes_missing),
                )
            )
        waiting += [(child, depth + 1, share * part, why) for child, part, why in reversed(ways)]
    return steps


def _entries(model: Model, arrays: dict[str, NDArray[Any]]) -> Callable[[Node, NDArray[np.float64]], int]:
    """Return what says where a node sends a row: a branch, or the entry for every branch or for none."""
    made: list[_core.TreeRows] = []

    def entry_of(node: Node, row: NDArray[np.float64]) -> int:
        feature = int(arrays["feature"][node.id])
        value = row[feature]
        is_number = model.schema.features[feature].categories is None
        if is_number and arrays["kind"][node.id] == KIND_THRESHOLD and not np.isnan(value):
            return int(value > arrays["threshold"][node.id])
        if not made:  # it looks at every node of the tree
            made.append(_core.TreeRows(arrays, model.schema.n_codes))
        return int(made[0].branches(node.id, row[np.newaxis])[0])

    return entry_of


def _ways(
    arrays: dict[str, NDArray[Any]],
    node: Node,
    row: NDArray[np.float64],
    entry: int,
    values: Sequence[str],
    names: Sequence[str],
) -> list[tuple[Node, float, str]]:
    """Return the children that a row goes to, each with its share and why, if that needs a word."""
    feature = int(arrays["feature"][node.id])
    unknown = f"{names[feature]} is {values[feature]}"
    if entry == STOP_HERE:
        return []
    if entry == EVERY_BRANCH:
        children = [child for child in node.children if child.weight > 0]
        why = f"{unknown}: the row goes down every branch, with the branch's share of the training rows."
        return [(child, child.weight / node.weight, why) for child in children]
    if np.isnan(row[feature]) and len(arrays["surrogate_feature"]):
        return [(node.children[entry], 1.0, f"{unknown}: {_substitute(arrays, node, row, names)}")]
    if not np.isnan(row[feature]) and values[feature] != UNSEEN:
        return [(node.children[entry], 1.0, "")]
    return [(node.children[entry], 1.0, f"{unknown}: such rows go this way.")]


def _substitute(
    arrays: dict[str, NDArray[Any]], node: Node, row: NDArray[np.float64], names: Sequence[str]
) -> str:
    begin, end = arrays["surrogate_begin"][node.id], arrays["surrogate_begin"][node.id + 1]
    for place in range(int(begin), int(end)):
        feature = int(arrays["surrogate_feature"][place])
        if not np.isnan(row[feature]):
            agreement = float(arrays["surrogate_agreement"][place])
            return f"{names[feature]} decides in its place (it agrees for {agreement:.0%} of the rows)."
    return "no substitute is known either, so the row goes with most training rows."
