"""A SplitReport from the stored tree alone: the test of the node and its children, no other candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.explain.candidate import branch_words
from treewright.explain.recompute import TIE_RULE, algorithm_words
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
    criterion = str(model.params.get("criterion", "gain"))
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
    candidate = Candidate(
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
    notes = ["Pass X and y of fit to see what the other features offered."]
    if ranking == "gain_ratio":
        notes.insert(0, "From the stored tree: without the cost of choosing a cut, missing rows shared out.")
    return SplitReport(
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
        candidates=(candidate,),
        average_gain=None,
        ties=(),
        tie_rule=TIE_RULE,
        recomputed=False,
        notes=tuple(notes),
        **_amounts(model, place),
    )


def _amounts(model: Model, node: Node) -> dict[str, Any]:
    if model.classes is None:
        return {"class_weights": None, "value": float(node.value[0])}
    return {"class_weights": tuple(float(share) * node.weight for share in node.value), "value": None}
