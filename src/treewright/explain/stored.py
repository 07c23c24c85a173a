"""A SplitReport from the stored tree alone: the test of the node, its children, and what it remembers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.explain.candidate import branch_words
from treewright.explain.compare import other_choices
from treewright.explain.recompute import TIE_RULE, algorithm_words, other_origin
from treewright.explain.remembered import remembered, tie_tolerance
from treewright.explain.report import Branch, Candidate, Ranking, SplitReport
from treewright.model.model import Model
from treewright.model.node import Node

__all__ = ["stored_report"]

RANKINGS: dict[str, Ranking] = {"gain": "gain", "gain_ratio": "gain_ratio"}


def stored_report(model: Model, place: Node, names: Sequence[str], number_of_tree: int = 0) -> SplitReport:
    """Report what the model itself knows about a node's split."""
    split = place.split
    assert split is not None, "only inner nodes have a split"
    index = int(place.view.tree.feature[place.id])
    criterion = model.criterion
    ranking: Ranking = (
        "gain_ratio" if criterion == "gain_ratio" else "gain" if criterion == "gain" else "decrease"
    )
    loss_name = "entropy" if ranking != "decrease" else criterion
    words = branch_words(
        replace(split.feature, name=names[index]), split.kind, split.threshold,
        split.code_branches if split.code_branches is not None else np.zeros(0, dtype=np.uint32),
        split.n_branches, -1 if split.missing_branch is None else split.missing_branch,
    )  # fmt: skip
    branches = tuple(
        Branch(text, child.rows, child.weight, child.impurity, **_amounts(model, child))
        for text, child in zip(words, place.children, strict=True)
        if child.rows > 0
    )
    decrease = place.gain / place.weight
    split_info = None
    if ranking == "gain_ratio":
        shares = np.array([branch.weight for branch in branches]) / place.weight
        split_info = float(-(shares * np.log2(shares)).sum())
    own = Candidate(
        feature=names[index],
        index=index,
        kind=split.kind,
        threshold=split.threshold if split.kind == "threshold" else None,
        branches=branches,
        n_branches=split.n_branches,
        known=1.0,
        impurity_before=place.impurity,
        impurity_after=place.impurity - decrease,
        decrease=decrease,
        gain=decrease,
        cost=0.0,
        tries=None,
        split_info=split_info,
        gain_ratio=decrease / split_info if split_info else None,
        admissible=True,
        reason="",
        chosen=True,
    )
    others, tested, average = remembered(model, place, names, ranking)
    notes = []
    if others and tested != 0:
        notes.append(other_origin("edited" in model.facts, others[0].feature))
    if tested is not None:
        own = _with_memory(own, others.pop(tested))
    elif ranking == "gain_ratio":
        notes.append("From the stored tree: without the cost of choosing a cut, missing rows shared out.")
    if math.isnan(place.impurity):
        notes.append(f"A forest does not keep the {loss_name.replace('_', ' ')} of its nodes.")
    if len({own.index, *(other.index for other in others)}) < model.n_features:
        what = "the other features" if not others else "all features"
        notes.append(f"Pass X and y of fit to see what {what} offered.")
    report = SplitReport(
        node=place.id,
        tree=number_of_tree,
        depth=place.depth,
        condition=tuple(node.condition for node in place.path[1:]),
        algorithm=algorithm_words(model.algorithm),
        criterion=loss_name,
        ranking=ranking,
        n=place.rows,
        weight=place.weight,
        classes=None if model.classes is None else tuple(str(label) for label in model.classes.tolist()),
        impurity=place.impurity,
        candidates=(own, *others),
        average_gain=average,
        ties=() if tested is None else _ties(model, place, own, others, ranking),
        tie_rule=TIE_RULE,
        recomputed=False,
        notes=tuple(notes),
        **_amounts(model, place),
    )
    complete = len({candidate.index for candidate in report.candidates}) == model.n_features
    return replace(report, notes=(*report.notes, *other_choices(report))) if complete else report


def _with_memory(own: Candidate, remembered: Candidate) -> Candidate:
    """Return the test with the gain that the search computed, from rows with a known value, less its cost."""
    known = remembered.known
    if math.isnan(known) and abs(remembered.gain + remembered.cost - own.decrease) < 1e-6:
        known = 1.0
    return replace(
        own,
        known=known,
        gain=remembered.gain,
        cost=remembered.cost,
        tries=remembered.tries,
        split_info=remembered.split_info,
        gain_ratio=remembered.gain_ratio,
        admissible=remembered.admissible,
        reason=remembered.reason,
    )


def _ties(
    model: Model, place: Node, own: Candidate, others: Sequence[Candidate], ranking: Ranking
) -> tuple[str, ...]:
    # Gains compete as totals, except in the programs of C4.5, which compare them per row.
    faithful = model.params.get("faithful") in ("r8", "j48")
    scale = 1.0 if ranking == "gain_ratio" or faithful else place.weight
    most = tie_tolerance(model, place.loss)
    best = own.score(ranking) * scale
    return tuple(
        other.feature
        for other in sorted(others, key=lambda other: other.index)
        if other.admissible and abs(other.score(ranking) * scale - best) <= most
    )


def _amounts(model: Model, node: Node) -> dict[str, Any]:
    if model.classes is None:
        return {"class_weights": None, "value": float(node.value[0])}
    return {"class_weights": tuple(float(share) * node.weight for share in node.value), "value": None}
