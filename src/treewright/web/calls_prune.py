"""Calls of the screen Prune: the path with its prices, the choice by cross-validation, C4.5's confidence."""

from __future__ import annotations

from typing import Any

from treewright.pruning import NodePruningReport, PruningReport, pruning_report, pruning_sequence
from treewright.web.calls import Body, Progress, all_cores, base_estimator, need_grower, need_source
from treewright.web.session import Session
from treewright.web.state import state
from treewright.web.tree_nodes import model_tree

__all__ = ["CALLS"]

MOST_NODES = 600
MOST_STEPS = 2000


def pruning(session: Session, body: Body, progress: Progress) -> Any:
    """Return the tree as grown with the price at which each node goes, and all steps of the path."""
    estimator = base_estimator(session)
    if not hasattr(estimator, "pruned"):
        what = "has many trees" if estimator.model_.source is None else "comes from another library"
        raise ValueError(f"This {type(estimator).__name__} {what}: only single trees of our own are pruned.")
    tree, risk = estimator.model_.trees[0], estimator.model_.params.get("pruning_risk", "impurity")
    sequence = pruning_sequence(tree, risk, estimator.model_.params.get("path_method", "exact"))
    report = session.kept.get("validated")
    if report is None:
        report = pruning_report(
            tree, sequence, algorithm=estimator.model_.algorithm, method="none", leaves_after=tree.n_leaves
        )
        stored = estimator.explain_pruning()
        errors = _errors_of(stored) if isinstance(stored, PruningReport) else {}
    else:
        errors = _errors_of(report)
    steps = [
        {
            "alpha": row.alpha,
            "leaves": row.leaves,
            "risk": row.risk,
            "train": row.train,
            "cv": errors.get(row.leaves, (None, None))[0],
            "se": errors.get(row.leaves, (None, None))[1],
        }
        for row in report.rows
    ]
    places = _places(len(steps), report.index_min, report.index_1se)
    return {
        "tree": model_tree(estimator.model_, alphas=sequence.alpha_collapse, most=MOST_NODES),
        "steps": [steps[place] for place in places],
        "n_steps": len(steps),
        "index_min": None if report.index_min is None else places.index(report.index_min),
        "index_1se": None if report.index_1se is None else places.index(report.index_1se),
        "limit": report.limit,
        "measure": report.measure,
        "folds": report.n_folds,
        "risk": risk,
        "why": report.why if report.index_min is not None else "",
        "chosen": session.pruned or None,
        "nodes": _node_report(session, estimator),
        "confidence": _confidence(session, estimator),
        "edited": bool(estimator.is_edited_),
        "has_data": session.source is not None,
        "python": "print(est.explain_pruning())",
    }


def _errors_of(report: PruningReport) -> dict[int, tuple[float | None, float | None]]:
    return {row.leaves: (row.cv_mean, row.cv_se) for row in report.rows}


def _places(n_steps: int, *marked: int | None) -> list[int]:
    """Return the steps that the slider has: all, or as many as it has places, with those that are marked."""
    if n_steps <= MOST_STEPS:
        return list(range(n_steps))
    spread = {round(i * (n_steps - 1) / (MOST_STEPS - 1)) for i in range(MOST_STEPS)}
    return sorted(spread | {place for place in marked if place is not None})


def _confidence(session: Session, estimator: Any) -> float | None:
    """Return the confidence factor where the tree is pruned by it; None elsewhere."""
    if session.grower is None or estimator.model_.params.get("prune") != "pessimistic_error":
        return None
    return float(session.pruned.get("confidence_factor", estimator.model_.params["confidence_factor"]))


def _node_report(session: Session, estimator: Any) -> list[dict[str, Any]]:
    """Return what pessimistic pruning counts at each node of the kept tree."""
    report = (session.kept.get("pruned") or estimator).explain_pruning()
    if not isinstance(report, NodePruningReport):
        return []
    return [
        {
            "node": row.node, "words": row.words or "all rows", "weight": row.weight, "loss": row.loss,
            "as_leaf": row.as_leaf, "below": row.below, "leaves": row.leaves,
        }
        for row in report.rows[:200]
    ]  # fmt: skip


def validate(session: Session, body: Body, progress: Progress) -> Any:
    """Cross-validate the path; the tree stays as it is until a size is chosen."""
    source = need_source(session)
    estimator = base_estimator(session)
    folds = body.get("folds", 10)
    if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= source.rows.n_rows:
        raise ValueError(f"Folds are a whole number from 2 to the number of rows, got {folds!r}.")
    X, y, weights = source.fit_arguments()
    progress(0, None, "")
    with all_cores():
        smaller = estimator.pruned(rule="1se", X=X, y=y, sample_weight=weights, cv=folds)
    session.kept["validated"] = smaller.explain_pruning()
    session.kept["folds"] = folds
    session.kept["1se"] = smaller
    return pruning(session, body, progress)


def choose(session: Session, body: Body, progress: Progress) -> Any:
    """Take a smaller tree: by a rule, a price or a number of leaves; nothing of these: the whole tree."""
    estimator = base_estimator(session)
    rule, alpha = body.get("rule"), body.get("alpha")
    if rule is not None:
        if rule not in ("1se", "min"):
            raise ValueError(f"The rule is 1se or min, not {rule!r}.")
        if "1se" not in session.kept and estimator.get_n_leaves() > 1:
            validate(session, body, progress)
        kept = session.kept.get("1se")
        smaller = estimator if kept is None else kept.pruned(rule=rule)
        session.kept["pruned"] = smaller
        session.pruned = {"rule": rule, "cv": session.kept.get("folds", 10)}
    elif alpha is not None:
        session.kept["pruned"] = estimator.pruned(alpha=alpha)
        session.pruned = {"alpha": float(alpha)}
    else:
        session.kept.pop("pruned", None)
        session.pruned = {}
    return _chosen(session)


def confidence(session: Session, body: Body, progress: Progress) -> Any:
    """Prune the grown tree by pessimistic errors with another confidence factor."""
    grower = need_grower(session)
    factor = body.get("confidence_factor")
    with all_cores():
        smaller = grower.to_estimator(confidence_factor=factor)
    session.kept["pruned"] = smaller
    session.pruned = {"confidence_factor": factor}
    return {**_chosen(session), "nodes": _node_report(session, smaller)}


def _chosen(session: Session) -> dict[str, Any]:
    found = session.kept.get("pruned") or base_estimator(session)
    return {
        "chosen": session.pruned or None,
        "leaves": int(found.get_n_leaves()),
        "depth": int(found.get_depth()),
        "tree": model_tree(found.model_),
        "state": state(session),
    }


CALLS = {"pruning": pruning, "validate": validate, "choose": choose, "confidence": confidence}
