"""The state of a session as the page sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.criteria import center_of
from treewright.web.choices import TITLES
from treewright.web.code import command_lines, python_lines
from treewright.web.session import Session
from treewright.web.tree_nodes import grown_tree, model_tree, tree_error

__all__ = ["state"]


def state(session: Session, root: int = 0) -> dict[str, Any]:
    """Return everything that the page shows of a session, but the rows.

    Parameters
    ----------
    session : Session
        The session.
    root : int
        The node that the drawn part of the tree starts at.
    """
    smaller = session.kept.get("pruned")
    return {
        "session": session.id,
        "revision": session.revision,
        "data": data_state(session),
        "algorithm": session.algorithm,
        "title": _title(session),
        "params": session.params,
        "tree": tree_state(session, root),
        "growing": session.grower is not None,
        "model": None if session.model is None else type(session.model).__name__,
        "before": _before(session),
        "pruned": session.pruned or None,
        "pruned_leaves": None if smaller is None else int(smaller.get_n_leaves()),
        "python": python_lines(session),
        "command": command_lines(session),
    }


def _title(session: Session) -> str:
    if session.grower is None and session.model is not None:
        return type(session.model).__name__
    return TITLES.get(session.algorithm, session.algorithm)


def _before(session: Session) -> str | None:
    """Return the tree of before in words, where there is one to bring back."""
    if session.before is None:
        return None
    leaves = len(session.before["grower"].leaves)
    title = TITLES.get(session.before["algorithm"], session.before["algorithm"])
    return f"{session.before['source'].name} · {title} · {leaves} {'leaf' if leaves == 1 else 'leaves'}"


def data_state(session: Session) -> dict[str, Any] | None:
    """Return what is known of the table."""
    source = session.source
    if source is None:
        return None
    return {
        "name": source.name,
        "origin": source.origin,
        "rows": source.table.n_rows,
        "columns": source.columns,
        "target": source.target,
        "weight": source.weight,
        "task": source.task,
        "fixed": source.given is not None,
    }


def tree_state(session: Session, root: int = 0) -> dict[str, Any] | None:
    """Return the drawn part of the tree, and what can be done to it."""
    grower = session.grower
    if grower is None:
        if session.model is None:
            return None
        model = session.model.model_
        if len(model.trees) != 1:
            return None
        return {**model_tree(model, root=root), **_about_model(session.model)}
    found = grown_tree(grower, root)
    estimator = grower.estimator
    return {
        **found,
        "undo": grower.n_undo,
        "redo": grower.n_redo,
        "edited": grower.is_edited,
        "log": list(grower.log),
        "measure": estimator._measure,
        "center": None if found["classes"] else center_of(estimator._measure),
        "error": _training_error(grower.nodes, found["classes"] is not None),
    }


def _about_model(estimator: Any) -> dict[str, Any]:
    model = estimator.model_
    measure = model.criterion
    return {
        "undo": 0,
        "redo": 0,
        "edited": bool(getattr(estimator, "is_edited_", False)),
        "log": [],
        "measure": measure,
        "center": None if model.classes is not None else center_of(measure),
        "error": tree_error(model),
    }


def _training_error(nodes: Any, is_class: bool) -> float | None:
    """Return the share of training weight that the leaves get wrong, or their mean loss."""
    leaves = [node for node in nodes.values() if node.test is None]
    weight = sum(node.weight for node in leaves)
    if weight <= 0:
        return None
    if is_class:
        return float(sum(node.weight * (1 - float(np.max(node.value))) for node in leaves) / weight)
    return float(sum(node.loss for node in leaves) / weight)
