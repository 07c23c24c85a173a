"""Small trees as nested tests: code that can be read. Each branch returns, so only some are indented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.program import Program, Steps
from treewright.program.steps import NO_WAY

__all__ = ["CodeSets", "Syntax", "can_nest", "nested_lines", "node_tests"]

MOST_NODES = 2000  # of all trees: beyond that tables are shorter and sooner compiled
MOST_DEPTH = 40


@dataclass(frozen=True)
class Syntax:
    """How a language writes tests of ``row[feature]``.

    Attributes
    ----------
    at_most, not_above : callable
        A number is at most a threshold, which a missing one is not; or not above it, which a missing one is.
    has : callable
        A code is in a set of codes, which a missing one is not.
    is_missing : callable
        The value of a feature is missing.
    test : str
        A line with ``{}`` for a condition, which opens what happens then.
    close : str
        The line that ends it; empty for none.
    leave : str
        A line with ``{}`` for a number, which ends the function.
    """

    at_most: Callable[[int, float], str]
    not_above: Callable[[int, float], str]
    has: Callable[[int, int], str]
    is_missing: Callable[[int], str]
    test: str
    close: str
    leave: str


class CodeSets:
    """Sets of codes that tests look into, each once."""

    def __init__(self) -> None:
        self.sets: dict[tuple[int, tuple[int, ...]], int] = {}

    def number(self, n_codes: int, codes: tuple[int, ...]) -> int:
        """Return the number of a set of codes 1 … n_codes + 1."""
        return self.sets.setdefault((n_codes, codes), len(self.sets))


def can_nest(program: Program) -> bool:
    """Tell whether nested tests are a good way to write all trees."""
    if sum(map(len, program.trees)) > MOST_NODES:
        return False
    return all(
        not tree.mixes and not tree.substitutes and int(tree.depths.max()) <= MOST_DEPTH
        for tree in program.trees
    )


def nested_lines(
    tree: Steps, value_of: Callable[[int], str], sets: CodeSets, syntax: Syntax, indent: str = "    "
) -> list[str]:
    """Return the lines of a function's body that finds where a row ends.

    Parameters
    ----------
    tree : Steps
        A tree that shares no rows and has no substitutes.
    value_of : callable
        What to return at a node.
    sets : CodeSets
        Takes the sets that tests need.
    syntax : Syntax
        How the language writes it.
    indent : str
        One level.
    """
    lines: list[str] = []
    waiting: list[tuple[int | str, int]] = [(0, 1)]
    while waiting:
        item, level = waiting.pop()
        if isinstance(item, str):
            lines.append(indent * level + item)
            continue
        leave = syntax.leave.format(value_of(item)) if item in tree.ends else ""
        if tree.feature[item] < 0:
            lines.append(indent * level + leave)
            continue
        tests, rest = node_tests(tree, item, sets, syntax)
        then: list[tuple[int | str, int]] = []
        for condition, child in tests:
            then.append((syntax.test.format(condition), level))
            then.append((leave if child is None else child, level + 1))
            if syntax.close:
                then.append((syntax.close, level))
        then.append((leave if rest is None else rest, level))
        waiting.extend(reversed(then))
    return lines


def node_tests(
    tree: Steps, node: int, sets: CodeSets, syntax: Syntax
) -> tuple[list[tuple[str, int | None]], int | None]:
    """Return conditions with the nodes that they lead to, and the node for what is left; None: this one."""
    feature, missing = int(tree.feature[node]), int(tree.missing[node])
    children = tree.children(node)
    tests: list[tuple[str, int | None]] = []
    ways = tree.ways.get(node)
    if ways is None:
        if missing == NO_WAY:
            tests.append((syntax.is_missing(feature), None))
        write = syntax.not_above if missing == 0 else syntax.at_most
        tests.append((write(feature, float(tree.threshold[node])), children[0]))
        return tests, children[1]
    if (ways == NO_WAY).any():  # what is left ends here, and a missing value is in no set
        last = None
        if missing >= 0:
            tests.append((syntax.is_missing(feature), children[missing]))
    elif missing == NO_WAY:
        last = len(children) - 1
        tests.append((syntax.is_missing(feature), None))
    else:
        last = missing
    for branch, child in enumerate(children):
        if branch != last:
            codes = tuple((np.flatnonzero(ways == branch) + 1).tolist())
            tests.append((syntax.has(feature, sets.number(len(ways) - 1, codes)), child))
    return tests, None if last is None else children[last]
