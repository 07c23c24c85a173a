"""A SplitReport from data: every feature is searched again at the node, by the engine that grew the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.explain.candidate import make_candidate
from treewright.explain.given_test import given_candidate
from treewright.explain.reasons import find_missing_tests, leaf_reason, refusal
from treewright.explain.report import Candidate, Ranking, SplitReport
from treewright.explain.training import NodeRows, Training
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.node import Node

__all__ = ["TIE_RULE", "algorithm_words", "other_origin", "ranking_of", "recomputed_report"]

TIE_RULE = "first column wins"


def algorithm_words(name: str) -> str:
    """Return the name of an algorithm as people write it."""
    short = name.removesuffix("Classifier").removesuffix("Regressor")
    return {"C45": "C4.5"}.get(short, short)


def ranking_of(training: Training) -> Ranking:
    """Return what tests compete on, in words of the report."""
    if training.recipe.ranking == "gain_ratio":
        return "gain_ratio"
    return "gain" if training.recipe.criterion == "entropy" else "decrease"


def recomputed_report(
    training: Training,
    node: NodeRows,
    names: Sequence[str],
    *,
    place: Node | None = None,
    number_of_tree: int = 0,
    depth: int = 0,
    node_id: int = 0,
    condition: tuple[str, ...] = (),
    cuts: bool = False,
    by_hand: bool = False,
) -> SplitReport:
    """Search a node again.

    Parameters
    ----------
    training : Training
        The rows and the plan.
    node : NodeRows
        The rows of the node.
    names : sequence of str
        Names of the features.
    place : Node or None
        The node in the fitted tree, whose test is then the chosen one; None: what the search would choose.
    number_of_tree, depth, node_id, condition
        Where the node is.
    cuts : bool
        Whether every cut of numeric features is part of the report.
    by_hand : bool
        Whether a test that is not the search's own was chosen by hand; otherwise pruning raised it.
    """
    answer = training.candidates(node, cuts=cuts)
    facts_of = {facts["feature"]: facts for facts in answer["features"]}
    weight, loss = float(answer["node"]["weight"][0]), float(answer["node"]["loss"][0])
    average = float(answer["average_gain"]) if training.recipe.selection == "above_average_gain" else None

    def build(facts: dict[str, Any]) -> Candidate:
        return make_candidate(training, names[facts["feature"]], facts, answer["node"], cuts)

    without = [facts for facts in answer["features"] if facts["kind"] == KIND_LEAF]
    replaced = find_missing_tests(training, node, without, build)
    candidates = []
    for index, facts in facts_of.items():
        if index in replaced:
            candidate, reason = replaced[index]
            candidates.append(replace(candidate, admissible=False, reason=reason, cuts=build(facts).cuts))
            continue
        reason = refusal(training, facts, average, weight)
        candidates.append(replace(build(facts), admissible=not reason, reason=reason))
    if place is None or place.is_leaf:
        chosen, notes = _searched(training, answer, place, depth, names)
    else:
        chosen = list(facts_of).index(int(place.view.tree.feature[place.id]))
        found = answer["features"][chosen]
        is_found = _is_test_of(training, node, found, place)
        notes = _origin(training, answer, names, is_found and chosen == answer["winner"], by_hand)
        if not is_found:
            candidates.append(given_candidate(training, node, place, names[found["feature"]], found))
            chosen = None
        else:
            # Pruning may have taken an empty branch away.
            tested = replace(candidates[chosen], n_branches=int(place.view.tree.n_children[place.id]))
            if training.settings.get("missing") == "surrogate":
                # Rows without a value followed substitutes, which only the tree knows.
                tested = replace(tested, decrease=place.gain / place.weight)
            candidates[chosen] = tested
    ties: list[str] = []
    if chosen is not None:
        candidates[chosen] = replace(candidates[chosen], chosen=True)
        ties = _ties(training, facts_of, candidates, chosen, loss)
    ranking = ranking_of(training)
    candidates.sort(
        key=lambda c: (not c.chosen, not c.admissible, not c.offers_test, -c.score(ranking), c.index)
    )
    amounts = tuple(float(amount) for amount in answer["node"]["amounts"][0])
    is_class = training.class_names is not None
    return SplitReport(
        node=node_id,
        tree=number_of_tree,
        depth=depth,
        condition=condition,
        algorithm=algorithm_words(training.algorithm),
        criterion=str(training.settings["criterion"]),
        ranking=ranking,
        n=int(answer["node"]["rows"][0]),
        weight=weight,
        classes=training.class_names,
        class_weights=amounts if is_class else None,
        value=None if is_class else amounts[0],
        impurity=loss / weight,
        candidates=tuple(candidates),
        average_gain=None if average is None or average >= 1e6 else average,
        ties=tuple(ties),
        tie_rule=TIE_RULE,
        recomputed=True,
        notes=tuple(notes),
    )


def _searched(
    training: Training, answer: dict[str, Any], place: Node | None, depth: int, names: Sequence[str]
) -> tuple[int | None, list[str]]:
    """Return the place of the search's winner among the candidates; None for a leaf, and why it is one."""
    winner = int(answer["winner"])
    if place is None and answer["accepted"] and answer["may_split"]:
        return winner, []
    would = "" if winner < 0 else names[answer["features"][winner]["feature"]]
    return None, [leaf_reason(training, answer, depth, would)]


def _origin(
    training: Training, answer: dict[str, Any], names: Sequence[str], is_winner: bool, by_hand: bool
) -> list[str]:
    """Say what is special about how the node came to its test."""
    if training.chance:
        return [training.chance]
    if not training.draw_is_known:
        return ["Which features max_features drew is not known, because random_state is no integer."]
    if is_winner:
        return []
    winner = int(answer["winner"])
    return [other_origin(by_hand, "" if winner < 0 else names[answer["features"][winner]["feature"]])]


def other_origin(by_hand: bool, would: str) -> str:
    """Say where a test comes from that is not the search's own choice."""
    origin = "A hand chose this test" if by_hand else "Pruning raised this test from below"
    return f"{origin}. The search itself would test {would or 'nothing'}."


def _is_test_of(training: Training, node: NodeRows, facts: dict[str, Any], place: Node) -> bool:
    """Tell whether the engine's best test of a feature is the one that the tree has."""
    tree = place.view.tree
    if facts["kind"] != tree.kind[place.id]:
        return False
    if facts["missing"] != place.view.tree.to_arrays()["missing"][place.id]:
        # A test from below may send missing values elsewhere; with substitutes its own branch comes last.
        codes = training.dataset.codes(facts["feature"])[node.rows]
        if training.settings.get("missing") != "surrogate" and (codes == 0).any():
            return False
    if facts["kind"] == KIND_THRESHOLD:
        return bool(facts["threshold"] == tree.threshold[place.id])
    split = place.split
    assert split is not None and split.code_branches is not None, "a test of categories has branches"
    codes = np.unique(training.dataset.codes(facts["feature"])[node.rows])
    seen = codes[codes > 0].astype(np.intp) - 1
    return bool(np.array_equal(facts["code_branches"][seen], split.code_branches[seen]))


def _ties(
    training: Training, facts_of: dict[int, Any], candidates: Sequence[Candidate], chosen: int, loss: float
) -> list[str]:
    plan = training.recipe.plan(**training.settings)
    tolerance = plan.relative_tie * abs(loss) + plan.absolute_tie
    if training.recipe.arithmetic != "exact":
        tolerance = 1e-6 if training.recipe.arithmetic == "tolerant" else 0.0
    best = facts_of[candidates[chosen].index]["rank"]
    return [
        candidate.feature
        for candidate in candidates
        if candidate.admissible
        and not candidate.chosen
        and abs(facts_of[candidate.index]["rank"] - best) <= tolerance
    ]
