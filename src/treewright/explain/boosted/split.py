"""Explain a split of a booster: the way in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from treewright.explain.boosted.place import tree_of_booster
from treewright.explain.boosted.recompute import recomputed_report
from treewright.explain.boosted.report import BoostSplitReport
from treewright.explain.boosted.stored import stored_report
from treewright.explain.boosted.training import BoostTraining
from treewright.explain.frame import frame_library
from treewright.explain.split import feature_names_of
from treewright.model.model import Model

__all__ = ["explain_boosted_split"]


def explain_boosted_split(
    model: Model,
    node: int,
    training: Callable[[int], BoostTraining] | None = None,
    *,
    tree: int | None = None,
    round: int | None = None,
    output: Any = None,
    top: int | None = None,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> BoostSplitReport:
    """Explain a node of one of a booster's trees.

    Estimators offer the same as their method ``explain_split``.

    Parameters
    ----------
    model : Model
        The model; its trees add up to raw scores.
    node : int
        Number of the node, 0 for the root.
    training : callable or None
        Gives, for the number of a tree, the rows of the fit as the tree saw them; None: the report knows what
        the model has stored.
    tree, round, output : object, optional
        Which tree: its number, or round and class.
    top : int or None
        How many candidates the text shows; None: all of them.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own table; ``to_frame`` answers in its library.
    """
    number = tree_of_booster(model, tree, round, output)
    if isinstance(node, bool) or not hasattr(node, "__index__"):
        raise TypeError(f"node must be the number of a node, got {node!r}.")
    if top is not None and top < 1:
        raise ValueError(f"top must be 1 or more, got {top}.")
    view = model.view(number)
    if not 0 <= node.__index__() < len(view):
        raise IndexError(f"node {node} does not exist; tree {number} has the nodes 0 to {len(view) - 1}.")
    names = feature_names_of(model, feature_names)
    place = view[node.__index__()]
    report = stored_report(model, number, place, names)
    if training is not None:
        report = recomputed_report(report, model, place, names, training(number))
    elif model.n_features > 1 and not place.is_leaf:
        report = replace(
            report, notes=(*report.notes, "Pass X and y of fit to see what the other features offered.")
        )
    return replace(report, top=top, _frame=frame_library(X))
