"""A SplitReport from data: every feature is searched again at the node, by the engine that grew the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Feature
from treewright.engine_results import BranchSums, CutCurve, FeatureFacts, NodeCandidates
from treewright.explain.split_reasons import find_missing_tests, leaf_reason, refusal
from treewright.explain.split_report import Branch, Candidate, Cuts, Ranking, SplitReport
from treewright.explain.training import NodeRows, Training
from treewright.explain.words import algorithm_words, branch_words, tie_rule
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.node import Node
from treewright.model.split import KIND_NAMES

__all__ = [
    "branch_with",
    "cuts_of",
    "given_candidate",
    "make_candidate",
    "other_origin",
    "ranking_by",
    "ranking_of",
    "recomputed_report",
    "some_rows",
    "tie_tolerance",
]


def ranking_by(measure: str) -> Ranking:
    """Return what tests compete on in words of the report; `measure` is what a model keeps."""
    if measure == "gain_ratio":
        return "gain_ratio"
    return "gain" if measure == "gain" else "decrease"


def ranking_of(training: Training) -> Ranking:
    """Return what tests compete on, in words of the report."""
    return ranking_by(training.recipe.measure(str(training.settings["criterion"])))


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

    def build(facts: FeatureFacts) -> Candidate:
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
        is_winner = is_found and (chosen == answer["winner"] or _won_tie(training, answer, found, loss))
        notes = _origin(training, answer, names, is_winner, by_hand)
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
        # A ratio has no unit, so its tolerance does not grow with the weight.
        by_ratio = training.recipe.ranking == "gain_ratio"
        unit = float(answer["node"]["weight"][0]) if by_ratio else 1.0
        ties = _ties(training, facts_of, candidates, chosen, loss / unit)
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
        tie_rule=tie_rule(training.draws_ties),
        recomputed=True,
        notes=tuple(notes),
    )


def _searched(
    training: Training, answer: NodeCandidates, place: Node | None, depth: int, names: Sequence[str]
) -> tuple[int | None, list[str]]:
    """Return the place of the search's winner among the candidates; None for a leaf, and why it is one."""
    winner = int(answer["winner"])
    if place is None and answer["accepted"] and answer["may_split"]:
        return winner, []
    would = "" if winner < 0 else names[answer["features"][winner]["feature"]]
    return None, [leaf_reason(training, answer, depth, would)]


def _origin(
    training: Training, answer: NodeCandidates, names: Sequence[str], is_winner: bool, by_hand: bool
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


def _is_test_of(training: Training, node: NodeRows, facts: FeatureFacts, place: Node) -> bool:
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
    best = facts_of[candidates[chosen].index]
    return [
        candidate.feature
        for candidate in candidates
        if candidate.admissible
        and not candidate.chosen
        and _is_tie(training, facts_of[candidate.index], best, loss)
    ]


def tie_tolerance(arithmetic: str, loss: float) -> float:
    """Return up to which difference two tests are equally good at a node of this loss, as the engine says.

    Parameters
    ----------
    arithmetic : {"exact", "single", "tolerant"}
        How candidates are compared.
    loss : float
        Total loss of the node.
    """
    if arithmetic == "exact":
        plan = _core.GrowPlan()
        return plan.relative_tie * abs(loss) + plan.absolute_tie
    return {"single": 0.0, "tolerant": _core.TOLERANCE}[arithmetic]


def _is_tie(training: Training, one: FeatureFacts, other: FeatureFacts, loss: float) -> bool:
    """Tell whether two tests of a node with this loss are equally good."""
    return bool(abs(one["rank"] - other["rank"]) <= tie_tolerance(training.recipe.arithmetic, loss))


def _won_tie(training: Training, answer: NodeCandidates, found: FeatureFacts, loss: float) -> bool:
    """Tell whether a test is as good as the winner's, where another order of features could be drawn.

    Forests that were saved by earlier versions kept the order of the columns.
    """
    winner = int(answer["winner"])
    drawn = training.draws_ties and winner >= 0
    return drawn and _is_tie(training, found, answer["features"][winner], loss)


def make_candidate(
    training: Training, name: str, facts: FeatureFacts, node: BranchSums, cuts: bool
) -> Candidate:
    """Return the candidate that the engine found for one feature; not chosen, no reason against it yet.

    Parameters
    ----------
    training : Training
        Where it was found.
    name : str
        The feature's name as it is to be shown.
    facts : dict
        One entry of ``Training.candidates(…)["features"]``.
    node : dict
        The node itself, ``Training.candidates(…)["node"]``.
    cuts : bool
        Whether every cut is part of the report.
    """
    index = int(facts["feature"])
    weight, impurity = float(node["weight"][0]), float(node["loss"][0] / node["weight"][0])
    by_ratio = training.recipe.ranking == "gain_ratio"
    curve = cuts_of(training.schema.features[index], facts["curve"], weight) if cuts else None
    tries = int(facts["tries"]) if training.pays_for_cuts and facts["tries"] else None
    if facts["kind"] == KIND_LEAF:
        return Candidate(
            feature=name, index=index, kind=None, threshold=None, branches=(), n_branches=0, known=1.0,
            impurity_before=impurity, impurity_after=impurity, decrease=0.0, gain=0.0, cost=0.0, tries=tries,
            split_info=None, gain_ratio=None, admissible=False, reason="", chosen=False, cuts=curve,
        )  # fmt: skip
    is_threshold = facts["kind"] == KIND_THRESHOLD
    branches = _branches(replace(training.schema.features[index], name=name), facts, training)
    compared = float(facts["known"]["weight"][0])
    losses = float(facts["branches"]["loss"].sum())
    ratio = float(facts["rank"])
    return Candidate(
        feature=name,
        index=index,
        kind=KIND_NAMES[facts["kind"]],
        threshold=float(facts["threshold"]) if is_threshold else None,
        branches=branches,
        n_branches=int(facts["n_children"]),
        known=1.0 if facts["known"]["rows"][0] == node["rows"][0] else compared / weight,
        impurity_before=float(facts["known"]["loss"][0]) / compared,
        impurity_after=losses / compared,
        decrease=float(facts["decrease"]) / weight,
        gain=float(facts["mean_gain"]),
        cost=float(np.log2(tries)) / weight if is_threshold and tries else 0.0,
        tries=tries if is_threshold else None,
        split_info=float(facts["split_info"]) / weight if by_ratio else None,
        gain_ratio=(ratio if np.isfinite(ratio) else 0.0) if by_ratio else None,
        admissible=True,
        reason="",
        chosen=False,
        cuts=curve,
    )


def _branches(feature: Feature, facts: FeatureFacts, training: Training) -> tuple[Branch, ...]:
    sides = facts["branches"]
    words = branch_words(
        feature, KIND_NAMES[facts["kind"]], float(facts["threshold"]), facts["code_branches"],
        int(facts["n_children"]), int(facts["missing"]),
    )  # fmt: skip
    found = []
    for side in range(len(words)):
        n, weight = int(sides["rows"][side]), float(sides["weight"][side])
        if n == 0:
            continue
        amounts = tuple(float(amount) for amount in sides["amounts"][side])
        is_class = training.class_names is not None
        found.append(
            Branch(
                words=words[side],
                n=n,
                weight=weight,
                impurity=float(sides["loss"][side]) / weight if weight > 0 else 0.0,
                class_weights=amounts if is_class else None,
                value=None if is_class else amounts[0],
            )
        )
    return tuple(found)


def cuts_of(feature: Feature, curve: CutCurve, unit: float) -> Cuts | None:
    """Return the curve of a feature in words of the report; None where it has no cut.

    Parameters
    ----------
    feature : Feature
        Its kind and categories.
    curve : dict
        What the engine found.
    unit : float
        What gains are divided by.
    """
    if len(curve["gain"]) == 0:
        return None
    return Cuts(
        threshold=tuple(curve["threshold"].tolist()),
        gain=tuple((curve["gain"] / unit).tolist()),
        left=tuple(curve["left_rows"].tolist()),
        missing_left=tuple(curve["missing_left"].astype(bool).tolist()),
        admissible=tuple(curve["admissible"].astype(bool).tolist()),
        categories=tuple(
            str((feature.categories or ())[code - 1]) if code else "rare ones"
            for code in curve["order"].tolist()
        ),
    )


def given_candidate(
    training: Training, node: NodeRows, place: Node, name: str, facts: FeatureFacts
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
    tree = _core.TreeRows(place.view.tree.to_arrays(), training.schema.n_codes)
    entries = tree.branches(place.id, training.matrix, node.rows)
    rule = training.settings.get("missing", training.recipe.missing)
    compared = np.ones(len(column), np.bool_) if rule in ("learned", "own_branch") else ~np.isnan(column)
    whole, known = _sums(training, node), _sums(training, some_rows(node, compared))
    words = branch_words(
        replace(split.feature, name=name), split.kind, split.threshold,
        np.zeros(0, np.uint32) if split.code_branches is None else split.code_branches,
        split.n_branches, -1 if split.missing_branch is None else split.missing_branch,
    )  # fmt: skip
    branches, after, final = [], 0.0, 0.0
    for branch in range(split.n_branches):
        side = some_rows(node, compared & (entries == branch))
        if len(side.rows) == 0:
            continue
        sums = _sums(training, side)
        after += float(sums["loss"][0])
        child = tree.down(
            place.id, branch, training.matrix, node.rows, node.weights, single=training.is_single
        )
        final += float(_sums(training, NodeRows(*child))["loss"][0])
        branches.append(_branch(words[branch], sums, training.class_names is not None))
    weight, known_weight = float(whole["weight"][0]), float(known["weight"][0])
    tries = int(facts["tries"]) if training.pays_for_cuts and split.kind == "threshold" else 0
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


def some_rows(node: NodeRows, chosen: NDArray[np.bool_]) -> NodeRows:
    """Return some of the rows of a node."""
    return NodeRows(node.rows[chosen], None if node.weights is None else node.weights[chosen])


def _sums(training: Training, rows: NodeRows) -> BranchSums:
    found = training.candidates(rows, features=[])["node"]
    return found


def branch_with(words: str, training: Training, rows: NodeRows) -> Branch:
    """Return a branch that gets these rows."""
    return _branch(words, _sums(training, rows), training.class_names is not None)


def _branch(words: str, sums: BranchSums, is_class: bool) -> Branch:
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
