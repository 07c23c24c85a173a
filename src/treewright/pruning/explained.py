"""The report about pruning, from a model alone: it keeps what its fit wrote down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright import _core
from treewright.model import Model
from treewright.model.facts import TreeFacts
from treewright.pruning.node_report import NodePruningReport, loss_report, pessimistic_report
from treewright.pruning.path import PruningSequence
from treewright.pruning.report import PruningReport, pruning_report
from treewright.pruning.sequence import pruning_sequence
from treewright.reports.frame import frame_library

__all__ = ["explain_pruning", "sequence_of", "stored_pruning"]


def explain_pruning(model: Model) -> PruningReport | NodePruningReport:
    """Report how the tree of a model can shrink, and how it was pruned and why.

    Parameters
    ----------
    model : Model
        Of one tree.
    """
    return replace(_report_of(model), _frame=frame_library(None, model.schema))


def _report_of(model: Model) -> PruningReport | NodePruningReport:
    stored, params = stored_pruning(model), model.params
    method = stored.get("method")
    if "schema_version" not in stored and method == "loss":
        return loss_report(
            model.view(),
            stored,
            algorithm=model.algorithm,
            alpha_total=float(params.get("alpha_total") or 0.0),
            risk=str(params.get("pruning_risk", "impurity")),
        )
    if "schema_version" not in stored and method == "pessimistic_error":
        released = params.get("faithful", "r8") == "r8"
        return pessimistic_report(
            model.view(),
            algorithm=model.algorithm,
            leaves_before=int(stored.get("leaves_before", model.trees[0].n_leaves)),
            confidence_factor=float(params.get("confidence_factor", 0.25)),
            program=_core.PruneProgram.release_8 if released else _core.PruneProgram.j48,
        )
    if "schema_version" in stored:
        return PruningReport.from_dict(stored)
    tree, sequence = model.trees[0], sequence_of(model)
    method = str(stored.get("method", "none"))
    report = pruning_report(
        tree,
        sequence,
        algorithm=model.algorithm,
        method="cost_complexity" if method == "ccp_alpha" else method,
        leaves_after=tree.n_leaves,
        selected=0 if sequence.leaves[0] == tree.n_leaves else None,
        rule="alpha" if method == "ccp_alpha" else "",
    )
    return replace(report, leaves_before=int(stored.get("leaves_before", tree.n_leaves)))


def sequence_of(model: Model) -> PruningSequence:
    """Return the subtrees of a model's only tree, by the parameters of its fit."""
    risk = model.params.get("pruning_risk", "impurity")
    return pruning_sequence(model.trees[0], risk, model.params.get("path_method", "exact"))


def stored_pruning(model: Model) -> dict[str, Any]:
    """Return what the fit wrote down about pruning; the model may come from a file."""
    stored = TreeFacts.of(model).pruning or {}
    if not isinstance(stored, dict):
        raise ValueError("this model has no pruning report that can be read")
    return stored
