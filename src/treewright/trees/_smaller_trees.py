"""Smaller trees from the model of a fitted one, without growing it again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from treewright import _core
from treewright.model import Model, Tree
from treewright.model.facts import TreeFacts
from treewright.params import param_of
from treewright.pruning import (
    PruningReport,
    PruningSequence,
    choose,
    merge_equal_leaves,
    pruning_report,
    pruning_sequence,
    sequence_of,
    stored_pruning,
)
from treewright.trees.pruning_plan import FitData, validated

if TYPE_CHECKING:
    from treewright.trees.single_tree import SingleTree

__all__ = ["check_stored_pruning", "pruned", "simplified"]

RULES = ("min", "1se")


def pruned(
    model: Model,
    learner: Callable[[], SingleTree],
    *,
    alpha: float | None,
    n_leaves: int | None,
    rule: str | None,
    data: FitData,
    cv: Any,
) -> Model:
    """Return the model with a smaller tree of the cost-complexity path; one of three things says which.

    Parameters
    ----------
    model : Model
        Of one tree.
    learner : callable
        Returns an estimator with the parameters of its fit.
    alpha, n_leaves, rule : object
        A price, a number of leaves, or a rule to choose by cross-validation.
    data : FitData
        Rows to cross-validate with, if the model knows no cross-validation of its own.
    cv : int, splitter, list of (train, test) or None
        The folds; None: those of the parameter.
    """
    given = [
        name
        for name, value in (("alpha", alpha), ("n_leaves", n_leaves), ("rule", rule))
        if value is not None
    ]
    if len(given) != 1:
        raise ValueError(
            f"Pass one of alpha, n_leaves and rule. Got {' and '.join(given) or 'none of them'}."
        )
    if rule is None:
        sequence = sequence_of(model)
        index = (
            sequence.index_at(cast(float, alpha)) if n_leaves is None else sequence.index_of_leaves(n_leaves)
        )
        return _at(model, sequence, index, given[0])
    if rule not in RULES:
        raise ValueError(f"rule must be 'min' or '1se'. Got {rule!r} instead.")
    if data.X is None and data.y is None:
        return _by_stored_rule(model, rule)
    if data.X is None or data.y is None:
        raise ValueError("Pass X and y together: both are needed to cross-validate.")
    sequence = sequence_of(model)
    if len(sequence) == 1:
        return _at(model, sequence, 0, rule)
    estimator = learner()
    rows = estimator._read(data.X, data.y, data.sample_weight)
    if cv is not None:
        param_of("cv").check("cv", cv, "pruned")
    validation = validated(estimator, sequence, rows, data, estimator.cv if cv is None else cv)
    choice = choose(validation, rule)
    return _at(model, sequence, choice.index, rule, validation=validation, choice=choice)


def check_stored_pruning(model: Model) -> None:
    """Raise ValueError when what a file says about pruning cannot be read, or its larger tree is none."""
    stored = stored_pruning(model)
    if "schema_version" in stored:
        PruningReport.from_dict(stored)
    elif not isinstance(stored.get("method", ""), str) or type(stored.get("leaves_before", 0)) is not int:
        raise ValueError("what it says about pruning cannot be read")
    elif stored.get("method") == "pessimistic_error" and model.classes is None:
        raise ValueError("it was pruned by errors of classes, and it has none")
    else:
        _check_grown(model, stored)
    _best_tree(model)


def _check_grown(model: Model, stored: dict[str, Any]) -> None:
    """Raise ValueError unless what pruning by the loss wrote down is about this tree, where it is there."""
    loss, leaves = stored.get("loss_before"), stored.get("node_leaves_before")
    if loss is not None and (type(loss) is not float or not math.isfinite(loss)):
        raise ValueError("its loss before pruning is not a number")
    if leaves is not None and (
        not isinstance(leaves, list)
        or len(leaves) != model.trees[0].node_count
        or not all(type(count) is int and count >= 1 for count in leaves)
    ):
        raise ValueError("its leaves before pruning are not one number for each node")


def simplified(model: Model, tie_order: NDArray[Any] | None) -> Model:
    """Return the model with leaves side by side merged that predict the same."""
    classes = model.task == "classification"
    tree = merge_equal_leaves(model.trees[0], classes=classes, class_order=tie_order)
    return _with_tree(model, tree)


def _at(model: Model, sequence: PruningSequence, index: int, rule: str, **validation: Any) -> Model:
    """Return the model with a subtree of its tree's own sequence, and the report."""
    tree = sequence.subtree(model.trees[0], index)
    report = pruning_report(
        model.trees[0],
        sequence,
        algorithm=model.algorithm,
        method="cost_complexity",
        leaves_after=tree.n_leaves,
        selected=index,
        rule=rule,
        **validation,
    )
    choice = validation.get("choice")
    best = None if choice is None else sequence.subtree(model.trees[0], choice.index_min)
    return _with_tree(model, tree, report, keep=best)


def _by_stored_rule(model: Model, rule: str) -> Model:
    stored = stored_pruning(model)
    report = PruningReport.from_dict(stored) if "schema_version" in stored else None
    index = None if report is None else (report.index_min if rule == "min" else report.index_1se)
    if report is None or index is None:
        if model.trees[0].node_count == 1:
            return _with_tree(model, model.trees[0])  # nothing to choose from
        raise ValueError(
            f"rule={rule!r} needs a cross-validation, which this tree lacks: pass X and y (and cv), "
            'or fit with prune="cost_complexity".'
        )
    best = _best_tree(model)
    sequence = pruning_sequence(best, report.risk_name, report.path_method)
    tree = sequence.subtree(best, sequence.index_of_leaves(report.rows[index].leaves))
    report = replace(report, selected=index, rule=rule, leaves_after=tree.n_leaves)
    return _with_tree(model, tree, report, keep=best)


def _best_tree(model: Model) -> Tree:
    """Return the larger tree that is kept beside the chosen one, or the tree itself."""
    arrays = TreeFacts.of(model).pruning_best
    if arrays is None:
        return model.trees[0]
    # It may come from a file.
    _core.check_tree(dict(arrays), model.schema.n_codes)
    return Tree(arrays, model.schema.n_codes)


def _with_tree(
    model: Model, tree: Tree, report: PruningReport | None = None, keep: Tree | None = None
) -> Model:
    is_larger = keep is not None and keep.node_count > tree.node_count
    facts = TreeFacts.changed(
        model,
        pruning=None if report is None else report.to_dict(),
        pruning_best=keep.to_arrays() if keep is not None and is_larger else None,
    )
    return replace(model, trees=(tree,), facts=facts)
