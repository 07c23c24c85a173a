"""A test that the search did not choose (raised by pruning, or made by hand) as a candidate of its node."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.candidate import branch_words, pays_for_cuts
from treewright.explain.report import Branch, Candidate
from treewright.explain.rows import branch_entries, send_down
from treewright.explain.training import NodeRows, Training
from treewright.model.node import Node

__all__ = ["given_candidate"]


def given_candidate(
    training: Training, node: NodeRows, place: Node, name: str, facts: dict[str, Any]
) -> Candidate:
    """Return the test of a fitted node as a candidate, worked out from the rows of the node.

    Parameters
    ----------
    training : Training
        The rows and the plan.
    node : NodeRows
        The rows of the node.
    place : Node
        The node in the fitted tree.
    name : str
        The name of the tested feature as it is to be shown.
    facts : dict
        What the engine says about that feature here.
    """
    split = place.split
    assert split is not None, "only inner nodes have a test"
    index = int(place.view.tree.feature[place.id])
    column = training.matrix[node.rows, index]
    entries = branch_entries(place.view.tree.to_arrays(), place.id, column)
    rule = training.settings.get("missing", training.recipe.missing)
    compared = np.ones(len(column), np.bool_) if rule in ("learned", "own_branch") else ~np.isnan(column)
    whole, known = _sums(training, node), _sums(training, _some(node, compared))
    words = branch_words(
        replace(split.feature, name=name), split.kind, split.threshold,
        np.zeros(0, np.uint32) if split.code_branches is None else split.code_branches,
        split.n_branches, -1 if split.missing_branch is None else split.missing_branch,
    )  # fmt: skip
    single = training.recipe.arithmetic == "single"
    branches, after, final = [], 0.0, 0.0
    for branch in range(split.n_branches):
        side = _some(node, compared & (entries == branch))
        if len(side.rows) == 0:
            continue
        sums = _sums(training, side)
        after += float(sums["loss"][0])
        final += float(_sums(training, send_down(node, entries, branch, single))["loss"][0])
        branches.append(_branch(words[branch], sums, training.class_names is not None))
    weight, known_weight = float(whole["weight"][0]), float(known["weight"][0])
    tries = int(facts["tries"]) if pays_for_cuts(training) and split.kind == "threshold" else 0
    cost = float(np.log2(tries)) / weight if tries else 0.0
    share = 1.0 if compared.all() else known_weight / weight
    before, after = float(known["loss"][0]) / known_weight, after / known_weight
    gain = share * (before - after) - cost
    by_ratio = training.recipe.ranking == "gain_ratio"
    sizes = np.array([*(b.weight for b in branches), *([] if share == 1.0 else [weight - known_weight])])
    info = float(-(sizes / weight * np.log2(sizes / weight)).sum()) if by_ratio else None
    return Candidate(
        feature=name,
        index=index,
        kind=split.kind,
        threshold=split.threshold if split.kind == "threshold" else None,
        branches=tuple(branches),
        n_branches=split.n_branches,
        known=share,
        impurity_before=before,
        impurity_after=after,
        decrease=max(0.0, float(whole["loss"][0]) - final) / weight,
        gain=gain,
        cost=cost,
        tries=tries or None,
        split_info=info,
        gain_ratio=None if info is None else gain / info if info > 0 else 0.0,
        admissible=True,
        reason="",
        chosen=True,
    )


def _some(node: NodeRows, chosen: NDArray[np.bool_]) -> NodeRows:
    return NodeRows(node.rows[chosen], None if node.weights is None else node.weights[chosen])


def _sums(training: Training, rows: NodeRows) -> dict[str, Any]:
    found: dict[str, Any] = training.candidates(rows, features=[])["node"]
    return found


def _branch(words: str, sums: dict[str, Any], is_class: bool) -> Branch:
    amounts = tuple(float(amount) for amount in sums["amounts"][0])
    weight = float(sums["weight"][0])
    return Branch(
        words=words,
        n=int(sums["rows"][0]),
        weight=weight,
        impurity=float(sums["loss"][0]) / weight if weight > 0 else 0.0,
        class_weights=amounts if is_class else None,
        value=None if is_class else amounts[0],
    )
