"""The verdict on one stored run: identical, explained (with the reason and its numbers) or not explained."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.golden.c45_compare import (
    LEAF_TEST,
    Difference,
    FittedTree,
    answer_differences,
    node_differences,
    stored_test,
)
from tests.golden.c45_explain import Replay
from tests.golden.c45_runs import OLDER, Run
from tests.golden.oracle_data import golden

IDENTICAL, EXPLAINED, NOT_EXPLAINED = "identical", "explained", "not explained"
#: Class weights this close are a tie of classes.
CLASS_TIE = 1e-4


@dataclass
class Outcome:
    """What was found in one run."""

    run: Run
    notes: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return the verdict."""
        if self.unexplained:
            return NOT_EXPLAINED
        return EXPLAINED if self.notes else IDENTICAL

    def add(self, difference: Difference, reason: str | None) -> None:
        """Note a disagreement with its reason, or as one that has none."""
        if reason is None:
            self.unexplained.append(str(difference))
        else:
            self.notes.append(f"{difference}. {reason[:1].upper()}{reason[1:]}.")


def judge(run: Run) -> Outcome:
    """Fit, compare and explain."""
    stored, tree = run.stored(), FittedTree(run)
    outcome = Outcome(run)
    differences = [*node_differences(tree, stored["tree"]), *answer_differences(tree, stored)]
    if differences:
        explain = {"c45": explain_release_8, "j48": explain_j48, "id3": explain_id3}[run.program]
        explain(outcome, differences, tree, stored)
    return outcome


# --------------------------------------------------------------------------- Release 8


def explain_release_8(
    outcome: Outcome, differences: list[Difference], tree: FittedTree, stored: dict[str, Any]
) -> None:
    """Single precision, a tie of classes, or the bug that some runs have."""
    run = outcome.run
    unpruned = Run(run.variant, run.name, "unpruned")
    replay = Replay(run, unpruned.stored()["tree"])
    if run.leaks:
        reason = replay.leak()
        summary = Difference(f"{len(differences)} differences, the first test is", *first(differences))
        outcome.add(summary, reason)
        return
    tests = [difference for difference in differences if difference.kind == "test"]
    causes = [difference.path for difference in tests]
    if run.stage == "pruned" and tests:
        causes = growing_causes(unpruned, replay)
    for difference in differences:
        if difference.kind == "test":
            reason = replay.explain(difference) if run.stage == "unpruned" else None
            if run.stage == "pruned" and related(difference.path, causes):
                reason = "follows from the unpruned trees, which differ there"
            outcome.add(difference, reason)
        elif difference.kind == "class":
            outcome.add(difference, class_tie(tree, difference))
        elif difference.kind == "errors" and any(path.startswith(difference.path) for path in causes):
            continue  # the sum of the branches below
        elif not difference.path and causes:
            continue  # answers of the subtree that differs
        else:
            outcome.add(difference, None)
    add_answers(outcome, differences)


def first(differences: list[Difference]) -> tuple[str, Any, Any]:
    """Return the place and figures of the first difference in a test."""
    tests = [one for one in differences if one.kind == "test"] or differences
    return tests[0].path, tests[0].ours, tests[0].theirs


def growing_causes(unpruned: Run, replay: Replay) -> list[str]:
    """Return where the unpruned tree differs for a known reason."""
    tree = FittedTree(unpruned)
    return [
        difference.path
        for difference in node_differences(tree, unpruned.stored()["tree"])
        if difference.kind == "test" and replay.explain(difference)
    ]


def related(path: str, causes: list[str]) -> bool:
    """Whether a node lies above or below one of these."""
    return any(path.startswith(cause) or cause.startswith(path) for cause in causes)


def class_tie(tree: FittedTree, difference: Difference) -> str | None:
    """Return whether two classes weigh the same in a node: pruning keeps the class it had before."""
    node = 0
    steps = [int(step.split("[")[1].rstrip("]")) for step in difference.path.split("/") if step]
    for step in steps:
        node = tree.view.children(node)[step]
    weights, classes = tree.weights(node), tree.data.classes
    ours, theirs = weights[classes.index(difference.ours)], weights[classes.index(difference.theirs)]
    if abs(ours - theirs) > CLASS_TIE:
        return None
    return (
        f"tie of classes: {difference.ours} {ours:.9g}, {difference.theirs} {theirs:.9g}; "
        "the program keeps the class from before, and predicts by class weights, which are the same"
    )


def add_answers(outcome: Outcome, differences: list[Difference]) -> None:
    """Count the rows whose answers differ."""
    answers = [one for one in differences if not one.path]
    if answers and not outcome.unexplained:
        outcome.notes.append("Consequence: " + "; ".join(short_answer(one) for one in answers) + ".")


def short_answer(difference: Difference) -> str:
    """Return one difference in answers without its lists."""
    kind, _, rows = difference.kind.partition(" of rows ")
    if not rows:
        return f"{kind} {difference.ours} against {difference.theirs}"
    numbers = json.loads(rows.split("]")[0] + "]")
    return f"{kind} of {len(numbers)} rows"


# --------------------------------------------------------------------------- J48


def explain_j48(
    outcome: Outcome, differences: list[Difference], tree: FittedTree, stored: dict[str, Any]
) -> None:
    """WEKA 3.6 where it is not 3.9; probabilities where a declared class has no row."""
    run = outcome.run
    for difference in differences:
        if run.variant in OLDER and difference.kind == "test":
            newer = golden(OLDER[run.variant], run.name)["tree"]
            place = follow(newer, difference.path)
            agrees = place is not None and stored_test(place, tree.data) == difference.ours
            outcome.add(
                difference, "WEKA 3.9.6 has our threshold; 3.6 compares with a tolerance" if agrees else None
            )
        elif "class_probs" in difference.kind and tree.estimator.get_params().get("laplace"):
            explain_laplace(outcome, difference, tree, stored)
        else:
            outcome.add(difference, None)


def follow(node: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the stored node at a path."""
    for step in path.split("/")[1:-1]:
        name, _, branch = step.partition("[")
        if node["kind"] == LEAF_TEST or node["attribute"] != name:
            return None
        node = node["children"][int(branch.rstrip("]"))]
    return node


def explain_laplace(
    outcome: Outcome, difference: Difference, tree: FittedTree, stored: dict[str, Any]
) -> None:
    """Check that the probabilities are J48's, shared out among the classes that have rows."""
    absent = [name for name, place in zip(tree.data.classes, tree.positions, strict=True) if place < 0]
    part = difference.kind.split(" ")[0]
    theirs = np.array(stored[f"{part}_class_probs"])
    theirs[:, [place < 0 for place in tree.positions]] = 0.0
    frame, _ = tree.problem(part)
    ours = tree.declared(tree.estimator.predict_proba(frame))
    if absent and np.allclose(ours, theirs / theirs.sum(axis=1, keepdims=True), rtol=0, atol=2e-9):
        outcome.notes.append(
            f"Probabilities of {len(ours)} {part} rows: J48 gives classes without rows "
            f"({', '.join(absent)}) a share of 1/(n+K) in every leaf; `predict_proba` has no column for "
            "them. Divided by the sum of the others, J48's numbers are ours, to 2e-9."
        )
    else:
        outcome.add(difference, None)


# --------------------------------------------------------------------------- Id3


def explain_id3(
    outcome: Outcome, differences: list[Difference], tree: FittedTree, stored: dict[str, Any]
) -> None:
    """A branch without rows: WEKA has no class there, the book has the parent's."""
    empty = 0
    for difference in differences:
        if difference.path:
            mate = follow(stored["tree"], difference.path)
            if mate is None or mate["class"] is not None or any(mate["dist_normalized"]):
                outcome.add(difference, None)
            empty += 1
        elif not only_unclassified(difference, stored):
            outcome.add(difference, None)
    if empty and not outcome.unexplained:
        rows = [
            f"{stored[f'{part}_unclassified']} {part} rows end there"
            for part in ("train", "test")
            if f"{part}_unclassified" in stored
        ]
        outcome.notes.append(
            f"{empty} branches without rows: WEKA has no class there, here they answer for their parent; "
            + ", ".join(rows)
            + "."
        )


def only_unclassified(difference: Difference, stored: dict[str, Any]) -> bool:
    """Whether answers differ only in rows that WEKA leaves without a class."""
    part = difference.kind.split(" ")[0]
    none = {row for row, one in enumerate(stored[f"{part}_pred"]) if one is None or one < 0}
    _, _, rows = difference.kind.partition(" of rows ")
    if rows:
        return set(json.loads(rows.split("]")[0] + "]")) <= none
    # WEKA counts a row without a class as an error.
    fewest = difference.theirs - stored[f"{part}_unclassified"]
    return bool(fewest <= difference.ours <= difference.theirs)
