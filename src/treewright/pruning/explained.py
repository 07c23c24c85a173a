"""The report about pruning, from a model alone: it keeps what its fit wrote down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright import _core
from treewright.model import Model
from treewright.model.facts import TreeFacts
from treewright.pruning.judged import judge_by_loss, judge_by_pessimistic_error
from treewright.pruning.node_report import NodePruningReport, loss_report, pessimistic_report
from treewright.pruning.path import PruningSequence, check_alpha
from treewright.pruning.report import PruningReport, pruning_report
from treewright.pruning.sequence import pruning_sequence
from treewright.reports.frame import frame_library

__all__ = ["explain_pruning", "sequence_of", "stored_pruning"]


def explain_pruning(
    model: Model,
    *,
    by: str | None = None,
    alpha: float | None = None,
    alpha_total: float | None = None,
    risk: str | None = None,
    confidence_factor: float | None = None,
) -> PruningReport | NodePruningReport:
    """Report how the tree of a model can shrink, and how it was pruned and why.

    Parameters
    ----------
    model : Model
        Of one tree.
    by : {"loss", "pessimistic_error"} or None
        How to judge every node of the tree as it stands; None reports what the fit did.
    alpha, alpha_total : float, optional
        With "loss": the price of a leaf, per unit of weight as in scikit-learn or in total. One of them.
    risk : str, optional
        With "loss": what H is; that of the fit if it is not given.
    confidence_factor : float, optional
        With "pessimistic_error": confidence of the limit; that of the fit if it is not given.
    """
    given = {"alpha": alpha, "alpha_total": alpha_total, "risk": risk, "confidence_factor": confidence_factor}
    _check_arguments(by, {name for name, value in given.items() if value is not None})
    report: PruningReport | NodePruningReport
    if by == "loss":
        price = model.view().root.weight * check_alpha(alpha or 0.0, "alpha")
        report = judge_by_loss(
            model.view(),
            algorithm=model.algorithm,
            alpha_total=price if alpha_total is None else alpha_total,
            risk=str(risk or model.params.get("pruning_risk", "impurity")),
        )
    elif by == "pessimistic_error":
        own = model.params.get("confidence_factor", 0.25)
        report = judge_by_pessimistic_error(
            model.view(),
            algorithm=model.algorithm,
            confidence_factor=float(own if confidence_factor is None else confidence_factor),
            program=_program_of(model),
        )
    else:
        report = _report_of(model)
    return replace(report, _frame=frame_library(None, model.schema))


def _report_of(model: Model) -> PruningReport | NodePruningReport:
    """Report what the fit did."""
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
        return pessimistic_report(
            model.view(),
            algorithm=model.algorithm,
            leaves_before=int(stored.get("leaves_before", model.trees[0].n_leaves)),
            confidence_factor=float(params.get("confidence_factor", 0.25)),
            program=_program_of(model),
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


def _check_arguments(by: str | None, given: set[str]) -> None:
    """Raise ValueError for arguments that belong to another way to judge, or that are missing."""
    belong = {
        None: set(),
        "loss": {"alpha", "alpha_total", "risk"},
        "pessimistic_error": {"confidence_factor"},
    }
    if by not in belong:
        raise ValueError(f"by must be None, 'loss' or 'pessimistic_error'. Got {by!r} instead.")
    odd = sorted(given - belong[by])
    if odd:
        home = next(name for name, known in belong.items() if odd[0] in known)
        raise ValueError(f"{odd[0]} belongs to by={home!r}; by is {by!r}.")
    if by == "loss" and len(given & {"alpha", "alpha_total"}) != 1:
        raise ValueError("by='loss' needs the price of a leaf: pass either alpha or alpha_total.")


def _program_of(model: Model) -> _core.PruneProgram:
    """Return whose U(N, e) the parameters of a fit ask for."""
    released = model.params.get("faithful", "r8") == "r8"
    return _core.PruneProgram.release_8 if released else _core.PruneProgram.j48


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
