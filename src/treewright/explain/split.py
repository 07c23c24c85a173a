"""Explain a split: why a node of a fitted tree tests what it tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.argument import check_count
from treewright.explain.split_drawn import with_drawn_tests
from treewright.explain.split_reasons import comparison, other_choices
from treewright.explain.split_report import SplitReport
from treewright.explain.split_search import recomputed_report, tie_tolerance
from treewright.explain.split_stored import stored_report
from treewright.explain.training import NodeRows, Training
from treewright.explain.words import missing_notes
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.reports.frame import frame_library

__all__ = ["explain_split", "node_of"]


def explain_split(
    model: Model,
    node: int,
    training: Training | None = None,
    *,
    other: Callable[[], Training] | None = None,
    tree: int | None = None,
    cuts: bool = False,
    top: int | None = None,
    feature_names: Sequence[str] | None = None,
    draws_ties: bool = False,
    X: Any = None,
) -> SplitReport:
    """Explain why a node of a model tests what it tests.

    Estimators offer the same as their method ``explain_split``.

    Parameters
    ----------
    model : Model
        The model.
    node : int
        Number of the node, 0 for the root.
    training : Training or None
        What the model was grown from; None: the report knows the stored tree alone.
    other : callable or None
        Gives the same rows as another algorithm sees them; the report is then about its choice.
    tree : int or None
        Which tree; a model of several trees must be told.
    cuts : bool, default=False
        Whether the report holds every cut of numeric features.
    top : int or None
        How many candidates the text shows; None: all of them.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    draws_ties : bool, default=False
        Whether the order in which nodes compared their features was drawn, if `training` does not say it.
    X : object, optional
        The user's own table; ``to_frame`` answers in its library.
    """
    number_of_tree = model.tree_number(tree)
    which = () if len(model.trees) == 1 else (f"Tree {number_of_tree} of {len(model.trees)}.",)
    model = model.alone(tree)
    place = node_of(model, node)
    names = model.names(feature_names)
    check_count("top", top, 1, optional=True)
    if training is None:
        if cuts or other is not None:
            raise ValueError("Other candidates are searched in data: pass X and y, those of fit.")
        if place.is_leaf:
            raise ValueError(
                f"Node {node} is a leaf: it tests nothing. Pass X and y of fit to see what was considered, "
                f"or one of the inner nodes: {_inner_nodes(place)}."
            )
        report = stored_report(model, place, names, number_of_tree, draws_ties)
        notes = (*which, *report.notes, *missing_notes(place, names))
        return replace(report, top=top, notes=notes, _frame=frame_library(X, model.schema))
    if place.rows == 0:
        raise ValueError(
            f"Node {node} is a leaf without training rows: it answers what the node above it says."
        )
    rows = training.rows_of(place)
    _check_rows(rows, place, model)
    where: dict[str, Any] = {
        "number_of_tree": number_of_tree,
        "depth": place.depth,
        "node_id": place.id,
        "condition": tuple(step.condition for step in place.path[1:]),
        "cuts": cuts,
    }
    edited = model.edited is not None
    report = recomputed_report(training, rows, names, place=place, by_hand=edited, **where)
    if training.draw_again is not None and other is None:
        tolerance = tie_tolerance("exact", report.impurity)
        report = with_drawn_tests(report, training, rows, place, names, tolerance)
    if other is None:
        gaps = [] if place.is_leaf else _missing_notes(place, names, training, rows)
        report = replace(report, notes=(*report.notes, *gaps, *other_choices(report)))
    else:
        theirs = recomputed_report(other(), rows, names, **where)
        report = replace(theirs, notes=(*theirs.notes, *comparison(report, theirs)))
    return replace(report, top=top, notes=(*which, *report.notes), _frame=frame_library(X, model.schema))


def _missing_notes(place: Node, names: Sequence[str], training: Training, rows: NodeRows) -> list[str]:
    """Count in the rows of fit: trees of forests do not know how many rows had no value."""
    values = training.matrix[rows.rows, int(place.view.tree.feature[place.id])]
    return missing_notes(place, names, (int(np.count_nonzero(np.isnan(values))), place.rows))


def node_of(model: Model, node: int) -> Node:
    """Return a node of a model of one tree, or say why it does not exist."""
    view = model.view()
    if isinstance(node, bool) or not hasattr(node, "__index__"):
        raise TypeError(f"node must be the number of a node, got {node!r}.")
    return view[node.__index__()]


def _inner_nodes(place: Node) -> str:
    inner = [str(node.id) for node in place.view if not node.is_leaf]
    return (", ".join(inner[:8]) + (", …" if len(inner) > 8 else "")) or "there are none"


def _check_rows(rows: NodeRows, place: Node, model: Model) -> None:
    aside = ""
    if model.params.get("prune") == "reduced_error":
        aside = ", without the rows that it set aside for pruning"
    if len(rows.rows) != place.rows:
        raise ValueError(
            f"{len(rows.rows)} of these rows reach node {place.id}, but {place.rows} did in fit: "
            f"pass the X, y and sample_weight of fit{aside}."
        )
    weight = float(len(rows.rows) if rows.weights is None else rows.weights.sum())
    if abs(weight - place.weight) > 1e-6 * max(1.0, place.weight):
        raise ValueError(
            f"These rows weigh {weight:.6g} in node {place.id}, but {place.weight:.6g} in fit: "
            "pass the X, y and sample_weight of fit."
        )
