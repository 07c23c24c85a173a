"""Predicates: which rows take a branch of a node, as PMML asks it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.export.pmml.fields import Fields
from treewright.export.pmml.page import Page, number_text
from treewright.program import Steps, Substitute

__all__ = ["Ask", "branch_predicates", "codes_of", "one_of"]

Ask = Callable[[Page], None]
LARGEST = 1.7976931348623157e308
# Some readers take backslashes and quotes of arrays in ways of their own.
_HARD = re.compile(r"""[\\"]""")


def simple(field: str, operator: str, value: str | None = None) -> Ask:
    """Return a comparison with a constant."""
    return lambda page: page.add("SimplePredicate", {"field": field, "operator": operator, "value": value})


def compound(operator: str, parts: Sequence[Ask]) -> Ask:
    """Return several predicates as one."""
    if len(parts) == 1:
        return parts[0]

    def write(page: Page) -> None:
        with page.inside("CompoundPredicate", {"booleanOperator": operator}):
            for part in parts:
                part(page)

    return write


def at_most(field: str, threshold: float, above: bool) -> Ask:
    """Return ``x <= threshold``, or its opposite; unknown where x is missing."""
    if math.isinf(threshold):
        # No constant of PMML is infinite; a number is beyond the largest one, or not.
        if threshold > 0:
            both = [simple(field, name, number_text(0.0)) for name in ("lessOrEqual", "greaterThan")]
            return compound("and" if above else "or", both)
        return simple(field, "greaterOrEqual" if above else "lessThan", number_text(-LARGEST))
    return simple(field, "greaterThan" if above else "lessOrEqual", number_text(threshold))


def one_of(fields: Fields, field: str, column: int, codes: Sequence[int], negated: bool = False) -> Ask:
    """Return whether a category is among some, or is not; unknown where it is missing."""
    words = fields.words(column, codes)
    domain = fields.domains[column]
    assert domain is not None, "a category"
    if len(words) == 1:
        return simple(field, "notEqual" if negated else "equal", words[0])
    if any(_HARD.search(text) or not text for text in words):
        parts = [simple(field, "notEqual" if negated else "equal", text) for text in words]
        return compound("and" if negated else "or", parts)
    quoted = domain.data_type in ("string", "boolean")
    kind = "string" if quoted else "real"
    text = " ".join(f'"{one}"' if quoted else one for one in words)

    def write(page: Page) -> None:
        operator = "isNotIn" if negated else "isIn"
        with page.inside("SimpleSetPredicate", {"field": field, "booleanOperator": operator}):
            page.add("Array", {"type": kind, "n": len(words)}, text)

    return write


def codes_of(fields: Fields, tree: Steps, node: int) -> NDArray[np.int64] | None:
    """Return the branch of each code of a column of categories, unseen last; None for numbers."""
    column = fields.program.columns[int(tree.feature[node])]
    if column.is_numeric:
        return None
    ways = tree.ways.get(node)
    if ways is not None:
        return ways
    codes = np.arange(1, len(column.categories) + 2)
    found: NDArray[np.int64] = (codes > tree.threshold[node]).astype(np.int64)
    return found


def branch_predicates(fields: Fields, tree: Steps, node: int, branches: Sequence[int]) -> list[Ask]:
    """Return the predicates of branches of a node, in this order; `NO_WAY` may be among them.

    A missing value makes all of them unknown, once the substitutes have nothing to say.
    """
    column = int(tree.feature[node])
    ways = codes_of(fields, tree, node)
    field = fields.name(column)
    substitutes = tree.substitutes.get(node, ())
    found = []
    for branch in branches:
        if ways is None:
            own = at_most(field, float(tree.threshold[node]), branch == 1)
        else:
            own = _categories(fields, field, column, ways, branch)
        tests = [own, *(_substitute(fields, test, branch) for test in substitutes)]
        found.append(compound("surrogate", tests))
    return found


def _categories(fields: Fields, field: str, column: int, ways: NDArray[np.int64], branch: int) -> Ask:
    """Return whether a category takes a branch; unseen ones are not in any list."""
    inside = [code for code in range(1, len(ways)) if ways[code - 1] == branch]
    outside = [code for code in range(1, len(ways)) if ways[code - 1] != branch]
    if fields.program.columns[column].kind == "nominal" and ways[-1] == branch:
        if not outside:
            return _always(fields, field, column, True)
        return one_of(fields, field, column, outside, negated=True)
    return one_of(fields, field, column, inside) if inside else _always(fields, field, column, False)


def _always(fields: Fields, field: str, column: int, answer: bool) -> Ask:
    """Return a predicate that is true, or false, for all categories, and unknown where there is none."""
    first = fields.words(column, [1])[0]
    parts = [simple(field, operator, first) for operator in ("equal", "notEqual")]
    return compound("or" if answer else "and", parts)


def _substitute(fields: Fields, test: Substitute, branch: int) -> Ask:
    field = fields.name(test.feature)
    if test.ways is None:
        if fields.program.columns[test.feature].is_numeric:
            return at_most(field, test.threshold, above=branch == test.above)
        codes = np.arange(1, len(fields.program.columns[test.feature].categories) + 1)
        ways = np.where(codes > test.threshold, test.above, test.below)
    else:
        ways = test.ways
    field = fields.seen.get(test.feature, field)
    inside = [code for code in range(1, len(ways) + 1) if ways[code - 1] == branch]
    if not inside:
        return _always(fields, field, test.feature, False)
    return one_of(fields, field, test.feature, inside)
