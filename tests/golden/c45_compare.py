"""Compare a fitted tree with a stored one, node by node, and its answers, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden.c45_runs import Run, learning_problem
from tests.golden.oracle_data import OracleTable, load
from tests.oracle import reference_c45
from tests.oracle.reference_c45 import Branches
from tests.oracle.tree_view import EVERY_BRANCH, MULTIWAY, SUBSET, THRESHOLD, TreeView, branch_of

Floats = NDArray[np.float64]
LEAF_TEST = "leaf"


@dataclass(frozen=True)
class Difference:
    """One disagreement: where, in what, our figure and theirs."""

    kind: str
    path: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        """Return it as a sentence."""
        place = f"At `{self.path}`: " if self.path else ""
        return f"{place}{self.kind} {in_words(self.ours)}, the program has {in_words(self.theirs)}"


def in_words(figure: Any) -> Any:
    """Return a test as a reader would write it; values of a category are their numbers."""
    if not isinstance(figure, tuple):
        return figure
    name, rule = figure
    if isinstance(rule, float):
        return f"{name} <= {rule:g}"
    if all(len(values) == 1 for values in rule) and len(rule) > 1:
        return name
    return f"{name} {{{' | '.join(' '.join(map(str, values)) for values in rule)}}}"


@dataclass(frozen=True)
class Precision:
    """How exactly numbers were stored: (relative, absolute) for weights, absolute for shares."""

    relative: float
    absolute: float
    shares: float

    def same(self, ours: Any, theirs: Any) -> bool:
        """Whether all numbers agree."""
        return bool(np.allclose(ours, theirs, rtol=self.relative, atol=self.absolute))


#: Release 8 adds in float32 and prints six digits; the error of a collapsed node may be off by 1e-3.
PRECISIONS = {
    "c45": Precision(1e-5, 1e-4, 2e-6),
    "j48": Precision(1e-8, 1e-8, 1e-9),
    "id3": Precision(1e-9, 1e-9, 1e-9),
}


class FittedTree:
    """Our tree in the words of the stored ones: classes in declared order, weights instead of shares."""

    def __init__(self, run: Run) -> None:
        self.run, self.data = run, load(run.name)
        self.estimator = run.estimator().fit(*learning_problem(run.name))
        self.view = TreeView.of(self.estimator)
        labels = self.estimator.classes_.tolist()
        self.positions = [labels.index(c) if c in labels else -1 for c in self.data.classes]
        self.precision = PRECISIONS[run.program]

    def problem(self, part: str) -> Any:
        """Return the rows and labels of a part."""
        return learning_problem(self.run.name, part)

    def declared(self, shares: Floats) -> Floats:
        """Put columns into the declared order; a class without rows has none."""
        padded = np.concatenate([shares, np.zeros((len(shares), 1))], axis=1)
        result: Floats = padded[:, self.positions]
        return result

    def shares(self, node: int) -> Floats:
        """Return the class shares of a node."""
        result: Floats = self.declared(self.view.value[[node]])[0]
        return result

    def weights(self, node: int) -> Floats:
        """Return the class weights of a node."""
        result: Floats = self.view.weight[node] * self.shares(node)
        return result

    def branches(self, node: int) -> Branches:
        """Return the categories of each branch of a nominal test, as codes."""
        view = self.view
        assert view.table is not None and view.tables is not None
        found: list[list[int]] = [[] for _ in view.children(node)]
        for code in range(1, self.data.n_codes[view.feature[node]] + 1):
            branch = branch_of(view.tables, int(view.table[node]), code)
            if branch != EVERY_BRANCH:
                found[branch].append(code)
        return tuple(map(tuple, found))

    def test(self, node: int) -> Any:
        """Return what a node asks: "leaf", or the column with its threshold or branches."""
        view = self.view
        if view.is_leaf(node):
            return LEAF_TEST
        name = self.data.names[view.feature[node]]
        if view.kind[node] == THRESHOLD:
            return name, float(view.threshold[node])
        branches = self.branches(node)
        assert view.kind[node] in (SUBSET, MULTIWAY)
        return name, branches[:1] if view.kind[node] == SUBSET else branches

    def errors(self, node: int) -> float:
        """Errors as the program states them: of a leaf, of all leaves below, or estimated ones."""
        children = self.view.children(node)
        if children and self.run.program == "c45":
            return sum(self.errors(child) for child in children)
        weight = float(self.view.weight[node])
        if weight <= 0:
            return 0.0
        errors = weight - float(self.weights(node).max())
        if self.run.stage != "pruned":
            return errors
        return errors + reference_c45.extra_errors(weight, errors, self.run.settings().confidence)


def stored_test(node: dict[str, Any], data: OracleTable) -> Any:
    """Return what a stored node asks, in the words of `FittedTree.test`."""
    if node["kind"] == "leaf":
        return LEAF_TEST
    if node["kind"] == "numeric":
        return node["attribute"], float(node["threshold"])
    branches = stored_branches(node, data)
    return node["attribute"], branches[:1] if node["kind"] == "nominal-binary" else branches


def stored_branches(node: dict[str, Any], data: OracleTable) -> Branches:
    """Return the categories of each branch of a stored test, as codes."""
    categories = data.categories[node["attribute_index"]] or ()
    return tuple(
        tuple(categories.index(value) + 1 for value in ([values] if isinstance(values, str) else values))
        for _, values in node["tests"]
    )


def same_test(ours: Any, theirs: Any, *, single: bool) -> bool:
    """Whether two nodes ask the same; a threshold of Release 8 is known as a float32."""
    if ours == theirs:
        return True
    numeric = ours != LEAF_TEST and theirs != LEAF_TEST and isinstance(theirs[1], float)
    return bool(single and numeric and ours[0] == theirs[0] and np.float32(ours[1]) == np.float32(theirs[1]))


def node_differences(tree: FittedTree, stored: dict[str, Any]) -> Iterator[Difference]:
    """Walk both trees together while they ask the same."""
    run, data = tree.run, tree.data
    stack: list[tuple[int, dict[str, Any], str]] = [(0, stored, "/")]
    while stack:
        node, mate, path = stack.pop()
        ours, theirs = tree.test(node), stored_test(mate, data)
        yield from figure_differences(tree, node, mate, path)
        if not same_test(ours, theirs, single=run.program == "c45"):
            yield Difference("test", path, ours, theirs)
            continue
        for number, child in enumerate(tree.view.children(node)):
            stack.append((child, mate["children"][number], f"{path}{mate['attribute']}[{number}]/"))


def figure_differences(tree: FittedTree, node: int, mate: dict[str, Any], path: str) -> Iterator[Difference]:
    """Compare the numbers of two nodes: weight, class weights, class, errors."""
    precision, shares = tree.precision, tree.shares(node)
    if tree.run.program == "id3":
        if mate["kind"] == "leaf" and not np.allclose(shares, mate["dist_normalized"], atol=1e-9):
            yield Difference("class shares", path, shares.tolist(), mate["dist_normalized"])
        return
    weight = float(tree.view.weight[node])
    if not precision.same(weight, mate["n"]):
        yield Difference("weight", path, weight, mate["n"])
    if weight > 0 and not precision.same(tree.weights(node), mate["dist"]):
        yield Difference("class weights", path, tree.weights(node).tolist(), mate["dist"])
    label = tree.data.classes[int(np.argmax(shares))]
    if label != mate["class"]:
        yield Difference("class", path, label, mate["class"])
    slack = 2e-3 if tree.run.program == "c45" else 0.0
    errors = tree.errors(node)
    if weight > 0 and not precision.same(errors, mate["errors"]) and abs(errors - mate["errors"]) > slack:
        yield Difference("errors", path, errors, mate["errors"])


def answer_differences(tree: FittedTree, stored: dict[str, Any]) -> Iterator[Difference]:
    """Compare predictions, class weights and error counts on the training and the test rows."""
    classes = np.array([*tree.data.classes, "(none)"], dtype=object)
    for part in ("train", "test"):
        if f"{part}_pred" not in stored:
            continue
        frame, target = learning_problem(tree.run.name, part)
        predicted = tree.estimator.predict(frame)
        theirs = classes[[-1 if one is None else one for one in stored[f"{part}_pred"]]]
        rows = np.flatnonzero(predicted != theirs)
        if len(rows):
            figures = predicted[rows].tolist(), theirs[rows].tolist()
            yield Difference(f"{part} predictions of rows {rows.tolist()}", "", *figures)
        errors = int(np.count_nonzero(predicted != np.asarray(target)))
        if errors != stored[f"{part}_errors"]:
            yield Difference(f"{part} errors", "", errors, stored[f"{part}_errors"])
        for name in ("class_weights", "class_probs"):
            if f"{part}_{name}" in stored:
                ours = tree.declared(tree.estimator.predict_proba(frame))
                yield from share_differences(
                    f"{part} {name}", ours, np.array(stored[f"{part}_{name}"]), tree.precision.shares
                )


def share_differences(kind: str, ours: Floats, theirs: Floats, tolerance: float) -> Iterator[Difference]:
    """Compare class shares; report the rows and the worst of them."""
    apart = np.abs(ours - theirs).max(axis=1)
    rows = np.flatnonzero(apart > tolerance)
    if len(rows):
        worst = int(np.argmax(apart))
        yield Difference(
            f"{kind} of rows {rows.tolist()}, worst {worst}", "", ours[worst].tolist(), theirs[worst].tolist()
        )
