"""What pruning would do with the tree at hand: every node as a leaf against the best that is below it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

from treewright import _core
from treewright.model.node import TreeView
from treewright.pruning.node_report import NodePruningReport, PrunedNode, loss_report, pessimistic_report
from treewright.pruning.path import SAME_ALPHA, check_alpha

__all__ = ["judge_by_loss", "judge_by_pessimistic_error"]

#: By how many errors C4.5 prefers a leaf.
PREFERENCE: Final = 0.1


def judge_by_loss(view: TreeView, *, algorithm: str, alpha_total: float, risk: str) -> NodePruningReport:
    """Report the loss C_α(T) of a tree, g(t) of its inner nodes, and what pruning at this price would do.

    Parameters
    ----------
    view : TreeView
        The tree.
    algorithm : str
        Name of the estimator.
    alpha_total : float
        Price of a leaf, in units of the total loss.
    risk : str
        What H is.
    """
    price = check_alpha(alpha_total, "alpha_total")
    report = loss_report(view, {}, algorithm=algorithm, alpha_total=price, risk=risk)
    # Equal within rounding is not a rise, as in `prune_by_loss`.
    slack = 1e-14 * abs(report.rows[0].loss)
    return _judged(report, view, lambda row, leaves: SAME_ALPHA * price * (leaves - 1) + slack)


def judge_by_pessimistic_error(
    view: TreeView, *, algorithm: str, confidence_factor: float, program: _core.PruneProgram
) -> NodePruningReport:
    """Report N, e and U(N, e) of every node of a tree, and which ones C4.5 would replace by a leaf.

    Whether a branch would take its parent's place depends on the rows, which are not here.

    Parameters
    ----------
    view : TreeView
        The tree.
    algorithm : str
        Name of the estimator.
    confidence_factor : float
        Confidence of the limit.
    program : PruneProgram
        Whose U(N, e).
    """
    if not 0.0 < confidence_factor <= 0.5:
        raise ValueError(
            f"confidence_factor must be above 0 and at most 0.5. Got {confidence_factor!r} instead."
        )
    report = pessimistic_report(
        view,
        algorithm=algorithm,
        leaves_before=int(view.tree.n_leaves),
        confidence_factor=confidence_factor,
        program=program,
    )
    return _judged(report, view, lambda row, leaves: PREFERENCE)


def _judged(report: NodePruningReport, view: TreeView, slack: Any) -> NodePruningReport:
    """Return the report with what pruning from the leaves upwards compares and decides at each node."""
    first, count = view.tree.first_child.tolist(), view.tree.n_children.tolist()
    best = [row.as_leaf for row in report.rows]
    leaves, losses = [1] * len(best), [row.loss for row in report.rows]
    rows: list[PrunedNode] = list(report.rows)
    for node in range(len(rows) - 1, -1, -1):  # children come after their parents
        if not count[node]:
            continue
        children = slice(first[node], first[node] + count[node])
        row, below, kept = rows[node], math.fsum(best[children]), sum(leaves[children])
        losses[node] = math.fsum(losses[children])
        collapses = row.as_leaf <= below + slack(row, kept)
        link = (row.loss - losses[node]) / (row.leaves - 1) if row.leaves > 1 else None
        rows[node] = replace(row, g=link, best=below, collapses=collapses)
        if not collapses:
            best[node], leaves[node] = below, kept
    return replace(
        report,
        rows=tuple(rows),
        judged=True,
        leaves_before=report.rows[0].leaves,
        leaves_after=leaves[0],
        cost_before=report.rows[0].below,
        cost_after=best[0],
    )
