"""Why a tree of Release 8 differs from ours: the reference weighs both tests on the rows of the node."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.golden.c45_compare import LEAF_TEST, Difference, same_test, stored_branches, stored_test
from tests.golden.c45_runs import Run
from tests.golden.oracle_data import OracleTable, load
from tests.oracle.reference_c45 import (
    ColumnTest,
    Ints,
    Leak,
    Node,
    Settings,
    Table,
    distribute,
    grow,
    ranked_tests,
    used_below,
)
from tests.oracle.reference_c45_arithmetic import Arithmetic, Floats

#: Two tests whose values are this close are equally good in single precision.
NEAR = 1e-5


@dataclass(frozen=True)
class Place:
    """The rows of a node, with their shares."""

    rows: Ints
    weight: Floats
    used: frozenset[int]


class Replay:
    """Sends the training rows down a stored tree."""

    def __init__(self, run: Run, stored: dict[str, Any]) -> None:
        self.data: OracleTable = load(run.name)
        self.settings, self.stored = run.settings(), stored
        self.table = Table.build(self.data.x, self.data.y, self.data.n_codes, len(self.data.classes))

    def reach(self, path: str) -> tuple[Place, dict[str, Any]]:
        """Return the rows of the node at a path, and the stored node."""
        node = self.stored
        place = Place(np.arange(len(self.table.y)), np.ones(len(self.table.y)), frozenset())
        for branch in map(int, re.findall(r"\[(\d+)\]/", path)):
            place = self.below(place, node, branch)
            node = node["children"][branch]
        return place, node

    def below(self, place: Place, node: dict[str, Any], branch: int) -> Place:
        """Go down one branch."""
        feature = node["attribute_index"]
        branches = stored_branches(node, self.data) if self.table.n_values[feature] else ()
        cut = float(np.float32(node.get("threshold_f32", np.nan)))
        test = ColumnTest(feature, 0.0, 0.0, cut, branches)
        rows, weight, _ = distribute(self.table, test, place.rows, place.weight)[branch]
        return Place(rows, weight, used_below(self.table, feature, place.used, self.settings))

    def values(self, place: Place) -> dict[str, float]:
        """Return the value on which each column competes, in doubles."""
        ranked = ranked_tests(self.table, place.rows, place.weight, place.used, self.settings)
        return {self.data.names[test.feature]: value for value, test in ranked}

    def test_of(self, node: Node) -> Any:
        """Return what a node of the reference asks, in the words of `stored_test`."""
        if node.feature < 0:
            return LEAF_TEST
        name = self.data.names[node.feature]
        return (name, node.branches) if node.branches else (name, node.cut)

    # ------------------------------------------------------------------ explanations

    def explain(self, difference: Difference) -> str | None:
        """Say with numbers why two tests differ; None when single precision is not the reason."""
        place, _ = self.reach(difference.path)
        if LEAF_TEST in (difference.ours, difference.theirs):
            return self.divergence(place, difference.path)
        return self.near_tie(place, difference.ours[0], difference.theirs[0])

    def near_tie(self, place: Place, ours: str, theirs: str) -> str | None:
        """Compare the values of two columns."""
        values = self.values(place)
        first, second = values.get(ours, -np.inf), values.get(theirs, -np.inf)
        if ours == theirs or not abs(first - second) <= NEAR:
            return None
        word = "gain ratio" if self.settings.use_ratio else "gain"
        total = float(place.weight.sum())
        return (
            f"near tie, weight {total:.6g}: {word} of {ours} {first:.15g}, of {theirs} {second:.15g}, "
            f"apart by {abs(first - second):.1e}"
        )

    def divergence(self, place: Place, path: str) -> str | None:
        """A leaf against a subtree: find below, before the collapse, where doubles and float32 part."""
        arguments = self.table, self.settings, place.rows, place.weight, place.used
        exact = grow(*arguments, collapse=False)
        single = grow(self.table, replace(self.settings, single=True), *arguments[2:], collapse=False)
        stack = [(exact, single, place, path)]
        while stack:
            one, other, here, at = stack.pop()
            if not same_test(self.test_of(one), self.test_of(other), single=True):
                return self.parting(one, other, here, at)
            if one.feature < 0:
                continue
            used = used_below(self.table, one.feature, here.used, self.settings)
            parts = distribute(self.table, one, here.rows, here.weight)
            for number in reversed(range(len(parts))):
                rows, weight, amount = parts[number]
                name = f"{at}{self.data.names[one.feature]}[{number}]/"
                if amount > 0:
                    stack.append(
                        (one.children[number], other.children[number], Place(rows, weight, used), name)
                    )
        return None

    def parting(self, one: Node, other: Node, here: Place, at: str) -> str | None:
        """Explain the first node that doubles and float32 decide differently."""
        if one.feature >= 0 and other.feature >= 0:
            names = self.data.names
            reason = self.near_tie(here, names[one.feature], names[other.feature])
            return reason and f"collapse follows from the test at `{at}`: {reason}"
        total, least = float(here.weight.sum()), self.settings.min_objects
        margins = {
            "weight - 2m": total - 2 * least,
            "weight - largest class": total - float(one.dist.max()),
            **self.branch_margins(here, least),
        }
        close = {name: value for name, value in margins.items() if abs(value) <= NEAR}
        if not close:
            return None
        figures = ", ".join(f"{name} = {value:.1e}" for name, value in close.items())
        return f"weight boundary at `{at}` (weight {total:.9g}, m = {least:g}): {figures}"

    def branch_margins(self, here: Place, least: float) -> dict[str, float]:
        """How far the second largest branch of each nominal column is from the minimum."""
        margins = {}
        for feature, n_values in enumerate(self.table.n_values):
            if n_values and feature not in here.used:
                codes = np.nan_to_num(self.table.x[here.rows, feature], nan=0.0).astype(np.int64)
                sizes = np.sort(Arithmetic().count(codes, here.weight, n_values + 1)[1:])
                if len(sizes) > 1:
                    margins[f"second branch of {self.data.names[feature]} - m"] = float(sizes[-2]) - least
        return margins

    def leak(self) -> str | None:
        """Repeat the program's bug; the stored tree must come out, but for a near tie."""
        settings: Settings = replace(self.settings, single=True, leak=Leak())
        stack = [(grow(self.table, settings), self.stored, "/")]
        while stack:
            node, mate, path = stack.pop()
            ours, theirs = self.test_of(node), stored_test(mate, self.data)
            if not same_test(ours, theirs, single=True):
                place, _ = self.reach(path)
                both = LEAF_TEST not in (ours, theirs)
                reason = self.near_tie(place, ours[0], theirs[0]) if both else None
                return reason and (
                    "the program forgot `-m` (minobjs_leak); the reference that repeats the bug first "
                    f"differs at `{path}`: {reason}"
                )
            for number, child in reversed(list(enumerate(node.children))):
                stack.append((child, mate["children"][number], f"{path}{mate.get('attribute')}[{number}]/"))
        return "the program forgot `-m` (minobjs_leak); the reference that repeats the bug gives its tree"
