"""Explain a split of a booster, from the model alone or from the rows of the fit with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.explain.boosted.leaf_step import LETTERS
from treewright.explain.boosted.place import tree_of_booster
from treewright.explain.boosted.split_formula import Shrinkage, hessian_words, shrinkage_of
from treewright.explain.boosted.split_report import BoostBranch, BoostCandidate, BoostSplitReport, BoostSums
from treewright.explain.boosted.split_stored import OWN_VALUE, extra_l2, stored_report, sums_of, test_words
from treewright.explain.boosted.training import BoostTraining, Offer
from treewright.explain.words import missing_notes, number, tie_rule
from treewright.model.facts import BoosterFacts
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.split import Split, SplitKind
from treewright.reports.frame import frame_library

__all__ = ["explain_boosted_split", "recomputed_report"]

SAME = 1e-5  # gradients are in single precision while trees grow
CLOSE = 1e-6
Rows = NDArray[np.uint32]


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
    draws_ties: bool = False,
    X: Any = None,
    cuts: bool = False,
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
    draws_ties : bool, default=False
        Whether the order in which nodes compare their features was drawn.
    X : object, optional
        The user's own table; ``to_frame`` answers in its library.
    cuts : bool, default=False
        Whether every cut of each feature is part of the report; needs `training`.
    """
    number = tree_of_booster(model, tree, round, output)
    if isinstance(node, bool) or not hasattr(node, "__index__"):
        raise TypeError(f"node must be the number of a node, got {node!r}.")
    check_count("top", top, 1, optional=True)
    view = model.view(number)
    if not 0 <= node.__index__() < len(view):
        raise IndexError(f"node {node} does not exist; tree {number} has the nodes 0 to {len(view) - 1}.")
    names = model.names(feature_names)
    place = view[node.__index__()]
    report = stored_report(model, number, place, names)
    if training is not None:
        grown_from = training(number)
        report = recomputed_report(report, model, place, names, grown_from, cuts=cuts)
        gaps = [] if place.is_leaf else _missing_notes(place, names, grown_from)
    else:
        gaps = missing_notes(place, names)
    report = replace(report, notes=(*report.notes, *gaps))
    if training is None and model.n_features > 1 and not place.is_leaf:
        report = replace(
            report, notes=(*report.notes, "Pass X and y of fit to see what the other features offered.")
        )
    return replace(report, top=top, tie_rule=tie_rule(draws_ties), _frame=frame_library(X, model.schema))


def _missing_notes(place: Node, names: Sequence[str], training: BoostTraining) -> list[str]:
    rows = training.rows_at(place)
    values = training.matrix[rows, int(place.view.tree.feature[place.id])]
    return missing_notes(place, names, (int(np.count_nonzero(np.isnan(values))), len(rows)))


def recomputed_report(
    report: BoostSplitReport,
    model: Model,
    place: Node,
    names: Sequence[str],
    training: BoostTraining,
    *,
    cuts: bool = False,
) -> BoostSplitReport:
    """Work the report out again from the rows of the fit.

    Parameters
    ----------
    report : BoostSplitReport
        What the model has stored.
    model : Model
        The booster's model.
    place : Node
        The node.
    names : sequence of str
        Names of the features.
    training : BoostTraining
        The rows with their gradients before the round.
    cuts : bool, default=False
        Whether every cut of each feature is part of the report.
    """
    shrinkage = shrinkage_of(model, report.tree)
    rows = training.rows_at(place)
    if not training.unseen and len(rows) != place.rows:
        raise ValueError(
            f"{len(rows)} of these rows reach node {place.id} of tree {report.tree}, but {place.rows} did in "
            "fit: pass the X, y and sample_weight of fit."
        )
    own = _sums(shrinkage, training, rows)
    chosen = None if place.is_leaf else _given(model, place, names, training, rows, own, shrinkage)
    if not training.unseen:
        size = float(np.abs(training.gradient[rows]).sum())
        _compare(report, own, report.node_sums, size)
        if chosen is not None and report.winner is not None:
            # Sums of the whole node may agree by accident: those of the root do for any order of y.
            for again, stored in zip(chosen.branches, report.winner.branches, strict=True):
                _compare(report, again, stored, size)
    bounds = training.bounds_at(place, shrinkage.value)
    offers = training.search(rows, *bounds) if len(rows) else ()
    candidates = [_candidate(model, offer, names, own, shrinkage) for offer in offers]
    notes = [training.unseen] if training.unseen else []
    if chosen is not None:
        candidates, told = _with_chosen(candidates, chosen, names)
        notes += told
    if cuts and training.curve is not None and len(rows):
        curve = training.curve
        candidates = [replace(c, cuts=curve(c.index, rows, shrinkage)) for c in candidates]
    candidates.sort(key=lambda c: (not c.branches, not c.admissible, -c.competing_gain, not c.chosen))
    best = next((c for c in candidates if c.admissible), None)
    if chosen is not None and best is not None and not best.chosen and training.chance:
        notes.append(f"The best test found again is not the chosen one: {_listed(training.chance)}.")
    if place.is_leaf:
        notes += _why_leaf(model, place, best)
    own_value, leaf_step = report.own_value, None
    if place.is_leaf and training.leaf_step is not None and len(rows) and not training.unseen:
        leaf_step = training.leaf_step(rows)
        own_value = leaf_step.value
    dropped = ("H is stored",) if leaf_step is None else ("H is stored", OWN_VALUE)
    kept = [note for note in report.notes if not note.startswith(dropped)]
    if leaf_step is not None:
        notes.append(f"{LETTERS}.")
    return replace(
        report,
        node_sums=own,
        own_value=own_value,
        leaf_step=leaf_step,
        candidates=tuple(candidates),
        stored=report.node_sums,
        recomputed=True,
        notes=(*_stored_note(report, chosen), *notes, *kept),
    )


def _sums(shrinkage: Shrinkage, training: BoostTraining, rows: Rows) -> BoostSums:
    gradient, hessian = float(training.gradient[rows].sum()), float(training.hessian[rows].sum())
    return sums_of(shrinkage, len(rows), gradient, hessian)


def _compare(report: BoostSplitReport, own: BoostSums, stored: BoostSums, size: float) -> None:
    """Refuse rows that are not those of the fit."""
    wrong_gradient = abs(own.gradient - stored.gradient) > SAME * size + 1e-9
    if wrong_gradient or abs(own.hessian - stored.hessian) > SAME * stored.hessian + 1e-9:
        raise ValueError(
            f"In node {report.node} of tree {report.tree}, or below it, these rows have "
            f"G = {own.gradient:.6g} and H = {own.hessian:.6g}, but "
            f"G = {stored.gradient:.6g} and H = {stored.hessian:.6g} in fit: "
            "pass the X, y, sample_weight and offset of fit."
        )


def _given(
    model: Model,
    place: Node,
    names: Sequence[str],
    training: BoostTraining,
    rows: Rows,
    own: BoostSums,
    shrinkage: Shrinkage,
) -> BoostCandidate:
    """Return the test of the fitted node, with sums from the rows."""
    split = place.split
    assert split is not None, "only inner nodes have a split"
    index = int(place.view.tree.feature[place.id])
    entries = training.branches_of(place, rows)
    sides = [_sums(shrinkage, training, rows[entries == branch]) for branch in (0, 1)]
    offer = Offer(
        index,
        split.kind,
        split.threshold,
        split.code_branches,
        0 if split.missing_branch is None else split.missing_branch,
        tuple(side.n for side in sides),
        tuple(side.gradient for side in sides),
        tuple(side.hessian for side in sides),
    )
    return replace(_candidate(model, offer, names, own, shrinkage), admissible=True, reason="", chosen=True)


def _candidate(
    model: Model, offer: Offer, names: Sequence[str], own: BoostSums, shrinkage: Shrinkage
) -> BoostCandidate:
    name = names[offer.feature]
    if offer.kind is None:
        return BoostCandidate(
            name, offer.feature, None, None, None, (), 0.0, 0.0, 0.0, False, offer.reason, False
        )
    kind: SplitKind = "subset" if offer.kind == "subset" else "threshold"
    split = Split(
        model.schema.features[offer.feature], kind, 2, offer.threshold, offer.missing, offer.code_branches
    )
    branches = []
    for place, words in enumerate(test_words(model, offer.feature, name, split)):
        side = sums_of(shrinkage, offer.n[place], offer.gradient[place], offer.hessian[place])
        branches.append(BoostBranch(side.n, side.gradient, side.hessian, side.value, side.score, words))
    more = extra_l2(model, offer.feature, offer.kind)
    after = sum(shrinkage.score(b.gradient, b.hessian, more) for b in branches)
    competing = after - own.score
    below = competing <= shrinkage.gamma
    reason = ""
    if below:
        reason = f"gain not above γ = {shrinkage.gamma:g}" if shrinkage.gamma > 0 else "no gain"
    return BoostCandidate(
        feature=name,
        index=offer.feature,
        kind=kind,
        threshold=offer.threshold if kind == "threshold" else None,
        missing_branch=offer.missing,
        branches=tuple(branches),
        gain=sum(branch.score for branch in branches) - own.score,
        more_l2=more,
        competing_gain=competing,
        admissible=not below,
        reason=reason,
        chosen=False,
    )


def _with_chosen(
    candidates: Sequence[BoostCandidate], chosen: BoostCandidate, names: Sequence[str]
) -> tuple[list[BoostCandidate], list[str]]:
    """Put the tree's own test in the place of what was found for its feature."""
    others = [candidate for candidate in candidates if candidate.index != chosen.index]
    found = next((candidate for candidate in candidates if candidate.index == chosen.index), None)
    notes = []
    if found is not None and found.branches:
        better = found.competing_gain - chosen.competing_gain
        if better > CLOSE * max(1.0, abs(found.competing_gain)):
            notes.append(
                f"The best test of {names[chosen.index]} found again is {found.branches[0].words}, with gain "
                f"{number(found.competing_gain)}."
            )
    return [chosen, *others], notes


def _why_leaf(model: Model, place: Node, best: BoostCandidate | None) -> list[str]:
    if best is None:
        return ["The node is a leaf: no feature offers a test that may be made here."]
    deepest = model.params.get("max_depth")
    most = BoosterFacts.of(model).max_leaves
    if most is None:
        most = model.params.get("max_leaf_nodes")
    if deepest is not None and place.depth >= deepest:
        return [f"The node is a leaf: max_depth={deepest} is reached."]
    if most is not None and place.view.tree.n_leaves >= most:
        return [f"The node is a leaf: the tree has max_leaf_nodes={most} leaves; others gained more."]
    return [f"The node is a leaf, although {best.feature} would gain {number(best.competing_gain)}."]


def _stored_note(report: BoostSplitReport, chosen: BoostCandidate | None) -> list[str]:
    stored, newton = report.node_sums, report.method == "newton"
    sums = f"G = {number(stored.gradient)}, H = {hessian_words(stored.hessian)}"
    if not newton:
        sums = f"negative gradients {number(-stored.gradient)}, weight {hessian_words(stored.hessian)}"
    gain = ""
    if chosen is not None and report.winner is not None:
        gain = f", {'gain' if newton else 'squared error falls by'} {number(report.winner.gain)}"
    return [f"Stored in the model: {stored.n} rows, {sums}{gain}."]


def _listed(chance: Sequence[str]) -> str:
    return "; ".join(chance)
