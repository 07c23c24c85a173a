"""What a node of an extremely randomised tree chose from: the random test of each feature that it drew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright.engine_results import DrawnTest
from treewright.explain.split_reasons import below_limits
from treewright.explain.split_report import Candidate, SplitReport
from treewright.explain.split_search import branch_with, some_rows
from treewright.explain.training import NodeRows, Training
from treewright.explain.words import branch_words, number
from treewright.model.arrays import KIND_LEAF, KIND_SUBSET, KIND_THRESHOLD
from treewright.model.node import Node
from treewright.model.split import KIND_NAMES

__all__ = ["with_drawn_tests"]

NO_BRANCH = np.iinfo(np.uint32).max


def with_drawn_tests(
    report: SplitReport,
    training: Training,
    node: NodeRows,
    place: Node,
    names: Sequence[str],
    tolerance: float,
) -> SplitReport:
    """Return a report whose candidates are the tests that the node drew.

    The report stays as it is where nothing was drawn: in leaves that no test was looked for, and in trees
    that an earlier version grew, which drew differently.

    Parameters
    ----------
    report : SplitReport
        With the best test of every feature.
    training : Training
        The rows and the plan; it knows how to draw again.
    node : NodeRows
        The rows of the node.
    place : Node
        The node in the fitted tree.
    names : sequence of str
        Names of the features.
    tolerance : float
        Up to which difference two tests are equally good, per unit of weight.
    """
    assert training.draw_again is not None, "only trees of random tests are asked"
    tests = training.draw_again(node.path)
    tree = place.view.tree
    own = None if place.is_leaf else int(tree.feature[place.id])
    if not any(_is_test_of(test, place) for test in tests) and (own is not None or not tests):
        return report
    curves = {candidate.index: candidate.cuts for candidate in report.candidates}
    candidates = []
    for test in tests:
        index = test["feature"]
        found = _candidate(report, training, node, names[index], test)
        candidates.append(replace(found, chosen=index == own, cuts=curves[index]))
    chosen = next((candidate for candidate in candidates if candidate.chosen), None)
    paid = {test["feature"]: test["price"] / report.weight for test in tests}

    def rank(candidate: Candidate) -> float:
        return candidate.gain - paid[candidate.index]

    ties = [
        candidate.feature
        for candidate in candidates
        if chosen is not None
        and candidate.admissible
        and not candidate.chosen
        and rank(chosen) - rank(candidate) <= tolerance
    ]
    candidates.sort(key=lambda c: (not c.chosen, not c.admissible, not c.offers_test, -rank(c), c.index))
    notes = [
        *report.notes,
        *_prices(tests, names, report.weight),
        *_not_drawn(tests, names),
        *_best_of_all(report, chosen),
    ]
    return replace(report, candidates=tuple(candidates), ties=tuple(ties), notes=tuple(notes))


def _is_test_of(test: DrawnTest, place: Node) -> bool:
    """Tell whether a drawn test is the one that the tree has."""
    tree = place.view.tree
    if place.is_leaf or test["feature"] != tree.feature[place.id] or test["kind"] != tree.kind[place.id]:
        return False
    return test["kind"] != KIND_THRESHOLD or bool(test["threshold"] == tree.threshold[place.id])


def _candidate(
    report: SplitReport, training: Training, node: NodeRows, name: str, test: DrawnTest
) -> Candidate:
    index, kind = test["feature"], KIND_NAMES.get(test["kind"])
    empty = Candidate(
        feature=name, index=index, kind=None, threshold=None, branches=(), n_branches=0, known=1.0,
        impurity_before=report.impurity, impurity_after=report.impurity, decrease=0.0, gain=0.0, cost=0.0,
        tries=None, split_info=None, gain_ratio=None, admissible=False, reason="constant here", chosen=False,
    )  # fmt: skip
    if test["kind"] == KIND_LEAF:
        return empty
    feature = replace(training.schema.features[index], name=name)
    codes = training.dataset.codes(index)[node.rows]
    if test["kind"] == KIND_SUBSET:
        right = np.isin(codes, test["right"])
    else:
        right = (training.matrix[node.rows, index] if feature.kind == "numeric" else codes) > test[
            "threshold"
        ]
    missing = codes == 0
    right[missing] = test["missing"] == 1
    branch_of = np.full(len(feature.categories or ()), NO_BRANCH, np.uint32)
    if feature.kind == "nominal":
        branch_of[codes[~missing].astype(np.intp) - 1] = right[~missing]
    words = branch_words(feature, kind, test["threshold"], branch_of, 2, test["missing"])
    sides = [
        branch_with(words[side], training, some_rows(node, rows)) for side, rows in enumerate((~right, right))
    ]
    weight = report.weight
    gain = test["gain"]
    reason = below_limits(
        gain,
        own=gain / weight,
        total_weight=training.total_weight,
        floor=training.settings.get("min_impurity_decrease", 0.0),
        least=training.settings.get("min_gain"),
    )
    if not test["allowed"]:
        reason = "not allowed by the limits of leaves or by monotonic_cst"
    return replace(
        empty,
        kind=kind,
        threshold=test["threshold"] if test["kind"] == KIND_THRESHOLD else None,
        branches=tuple(sides),
        n_branches=2,
        impurity_after=sum(side.weight * side.impurity for side in sides) / weight,
        decrease=gain / weight,
        gain=gain / weight,
        admissible=not reason,
        reason=reason,
    )


def _prices(tests: Sequence[DrawnTest], names: Sequence[str], weight: float) -> list[str]:
    """Say which tests had to be better than others by their price."""
    paid = [
        f"{names[test['feature']]} {number(test['gain'] / weight)} − {number(test['price'] / weight)}"
        for test in tests
        if test["price"]
    ]
    return [f"Tests of several categories paid for their number: {', '.join(paid)}."] if paid else []


def _not_drawn(tests: Sequence[DrawnTest], names: Sequence[str]) -> list[str]:
    drawn = {test["feature"] for test in tests}
    others = [name for index, name in enumerate(names) if index not in drawn]
    if not others:
        return []
    shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    return [f"Not drawn here: {shown}."]


def _best_of_all(report: SplitReport, chosen: Candidate | None) -> list[str]:
    """Say what a search among all cuts of all features would have found."""
    found = [candidate for candidate in report.candidates if candidate.admissible and candidate.offers_test]
    best = max(found, key=lambda candidate: candidate.gain, default=None)
    if best is None or chosen is None or best.gain <= chosen.gain:
        return []
    words = best.branches[0].words
    test = words if best.kind == "threshold" else f"in {{{words}}}"
    return [
        f"The best of all tests, {best.feature} {test}, would have a decrease of {number(best.decrease)}."
    ]
