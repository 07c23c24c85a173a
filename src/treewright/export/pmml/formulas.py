"""Formulas: what PMML has no model for: rows that go several ways, voices, links, calibration, the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.export.pmml.fields import Fields
from treewright.export.pmml.page import Expression, apply, numeral, ref
from treewright.export.pmml.predicates import codes_of
from treewright.program import Answer, Calibration, Steps, Voice
from treewright.program.steps import EVERY_WAY, NO_WAY

__all__ = ["Derived", "Formulas"]

SMALLEST_SHARE = 2.220446049250313e-16  # of SAMME.R

# A field that is worked out: its name, how, and its type.
Derived = tuple[str, Expression, str]
ZERO, ONE = numeral(0.0), numeral(1.0)


class Formulas:
    """Fields that are worked out one after the other.

    Parameters
    ----------
    fields : Fields
        Whose names are taken.
    """

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self.derived: list[Derived] = []

    def let(self, name: str, expression: Expression, data_type: str = "double") -> Expression:
        """Give an expression a name, and return the field."""
        name = self._fields.fresh(name)
        self.derived.append((name, expression, data_type))
        return ref(name)

    # --- trees whose rows go several ways

    def tree(self, number: int, tree: Steps) -> list[Expression]:
        """Return the values of a tree: of each end its share of the row times its value, summed up."""
        ends: list[tuple[int, Expression]] = []
        waiting: list[tuple[int, Expression | None]] = [(0, ONE)]
        while waiting:
            node, share = waiting.pop()
            assert share is not None, "a share"
            if tree.feature[node] < 0:
                ends.append((node, share))
                continue
            below = []
            for branch, child in enumerate(tree.children(node)):
                part = self._part(tree, node, branch, share)
                below.append((child, self.let(f"share({number}, {child})", part)))
            if (tree.ends == node).any():
                part = self._part(tree, node, NO_WAY, share)
                ends.append((node, self.let(f"share({number}, {node})", part)))
            waiting.extend(reversed(below))
        if len(ends) == 1:
            return [numeral(x) for x in tree.values[ends[0][0]]]
        return [
            self.let(
                f"value({number}, {k})",
                apply("sum", *(apply("*", share, numeral(tree.values[node, k])) for node, share in ends)),
            )
            for k in range(tree.n_values)
        ]

    def _part(self, tree: Steps, node: int, branch: int, share: Expression) -> Expression:
        """Return how much of a row goes on by a branch, or ends (`NO_WAY`)."""
        column = int(tree.feature[node])
        value = ref(self._fields.name(column))
        parts = tree.shares.get(node)
        mixes = parts is not None and bool((parts > 0).any())

        def goes(way: int) -> Expression:
            if way == EVERY_WAY and mixes and parts is not None:
                whole = branch >= 0 and parts[branch] > 0
                return apply("*", share, numeral(float(parts[branch]))) if whole else ZERO
            return share if branch == (NO_WAY if way == EVERY_WAY else way) else ZERO

        missing = goes(int(tree.missing[node]))
        ways = codes_of(self._fields, tree, node)
        if ways is None:
            low, high = goes(0), goes(1)
            known = low
            if low != high:
                known = apply("if", apply("lessOrEqual", value, numeral(tree.threshold[node])), low, high)
        else:
            known = self._by_category(column, value, ways, goes)
        return apply("if", apply("isMissing", value), missing, known)

    def _by_category(
        self, column: int, value: Expression, ways: NDArray[np.int64], goes: Callable[[int], Expression]
    ) -> Expression:
        is_nominal = self._fields.program.columns[column].kind == "nominal"
        last = goes(int(ways[-1])) if is_nominal else ZERO
        found = last
        for way in sorted(set(ways[:-1].tolist())):
            part = goes(way)
            if part == last:
                continue
            codes = [code for code in range(1, len(ways)) if ways[code - 1] == way]
            found = apply("if", apply("isIn", value, *self._fields.constants(column, codes)), part, found)
        return found

    # --- what trees say

    def voice(self, number: int, voice: Voice, values: Sequence[Expression]) -> list[Expression]:
        """Return how the class shares of a tree count."""
        if voice.kind == "shares":
            total = self.let(f"total({number})", apply("sum", *values))
            return [apply("/", value, total) for value in values]
        if voice.kind == "logs":
            logs = [
                self.let(f"log({number}, {k})", apply("ln", apply("max", value, numeral(SMALLEST_SHARE))))
                for k, value in enumerate(values)
            ]
            mean = self.let(f"mean log({number})", apply("/", apply("sum", *logs), numeral(len(logs))))
            return [apply("*", numeral(voice.right), apply("-", log, mean)) for log in logs]
        first = self.first_best(f"{number}, ", values, voice.single, voice.order)
        return [apply("if", is_it, numeral(voice.right), numeral(voice.wrong)) for is_it in first]

    def best(self, name: str, scores: Sequence[Expression], single: bool) -> list[Expression]:
        """Return for each score whether it is as large as any."""
        if single:
            scores = [self.let(f"single({name}{k})", score, "float") for k, score in enumerate(scores)]
        most = self.let(f"largest({name}any)", apply("max", *scores), "float" if single else "double")
        return [
            self.let(f"best({name}{k})", apply("equal", score, most), "boolean")
            for k, score in enumerate(scores)
        ]

    def first_best(
        self, name: str, scores: Sequence[Expression], single: bool, order: Sequence[int]
    ) -> list[Expression]:
        """Return for each score whether it is the first in order that is as large as any."""
        best = self.best(name, scores, single)
        found: list[Expression] = list(best)
        before: list[Expression] = []
        for k in order or range(len(scores)):
            if before:
                earlier = before[0] if len(before) == 1 else apply("or", *before)
                found[k] = apply("and", best[k], apply("not", earlier))
            before.append(best[k])
        return found

    # --- from sums to the answer

    def numbers(self, answer: Answer, sums: Sequence[Expression]) -> list[Expression]:
        """Return the probability of each class or, alone, the number."""
        found = self._linked(answer, list(sums[answer.begin :]))
        calibration = answer.calibration
        return (
            found if calibration is None or not calibration.curves else self._calibrated(calibration, found)
        )

    def _linked(self, answer: Answer, sums: list[Expression]) -> list[Expression]:
        name, factor = answer.named_link
        if name == "identity":
            return sums
        if name == "log":
            return [apply("exp", sums[0])]
        if name == "square":
            return [apply("*", sums[0], apply("abs", sums[0]))]
        if name == "softplus":
            rest = apply("ln1p", apply("exp", apply("-", ZERO, apply("abs", sums[0]))))
            return [apply("+", apply("max", sums[0], ZERO), rest)]
        if name == "step":
            return [apply("if", apply("greaterThan", sums[0], ZERO), ONE, ZERO)]
        if name in ("logit", "sigmoid", "one_vs_rest"):
            shares = [self._share(k, one, factor) for k, one in enumerate(sums)]
            return [apply("-", ONE, shares[0]), shares[0]] if name == "logit" else shares
        if name == "shares":
            total = self.let("total", apply("sum", *sums))
            return [apply("/", one, total) for one in sums]
        if name == "votes":
            others = numeral(max(1, answer.n_outputs - 1))
            powers = [
                self.let(f"power({k})", apply("exp", apply("/", s, others))) for k, s in enumerate(sums)
            ]
        else:
            most = self.let("largest sum", apply("max", *sums))
            powers = [self.let(f"power({k})", apply("exp", apply("-", s, most))) for k, s in enumerate(sums)]
        total = self.let("total", apply("sum", *powers))
        return [apply("/", power, total) for power in powers]

    def _share(self, place: int, value: Expression, factor: float) -> Expression:
        score = value if factor == 1.0 else self.let(f"score({place})", apply("*", value, numeral(factor)))
        small = self.let(f"small({place})", apply("exp", apply("-", ZERO, apply("abs", score))))
        smaller = self.let(f"smaller({place})", apply("/", small, apply("+", ONE, small)))
        share = apply("if", apply("greaterThan", score, ZERO), apply("-", ONE, smaller), smaller)
        return self.let(f"share({place})", share)

    def _calibrated(self, calibration: Calibration, shares: list[Expression]) -> list[Expression]:
        if len(calibration.curves) == 1:
            second = self._curve(calibration, 0, shares[1])
            return [apply("-", ONE, second), second]
        found = [self._curve(calibration, k, share) for k, share in enumerate(shares)]
        total = self.let("total of curves", apply("sum", *found))
        even = numeral(1 / len(found))
        return [apply("if", apply("greaterThan", total, ZERO), apply("/", one, total), even) for one in found]

    def _curve(self, calibration: Calibration, place: int, share: Expression) -> Expression:
        first, second = calibration.curves[place]
        if calibration.kind == "sigmoid":
            line = apply("+", apply("*", numeral(first[0]), share), numeral(second[0]))
            return self._share(place, self.let(f"line({place})", line), 1.0)
        if len(first) == 1:
            return numeral(second[0])
        given = self.let(f"uncorrected({place})", share)
        points = tuple(
            Expression("LinearNorm", {"orig": repr(float(x)), "norm": repr(float(y))})
            for x, y in zip(first, second, strict=True)
        )
        told = {"field": given.attributes["field"], "outliers": "asExtremeValues"}
        return self.let(f"corrected({place})", Expression("NormContinuous", told, points))
