"""The steps of a program carried out: what exported code must say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.weighted import weighted_medians
from treewright.program.program import Program
from treewright.program.steps import EVERY_WAY, NO_WAY, Steps

__all__ = ["Evaluated", "answers_of", "evaluate", "tree_values", "walk"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What a program says about rows.

    Attributes
    ----------
    sums : ndarray of shape (n_rows, n_sums)
        What the trees add up to.
    numbers : ndarray of shape (n_rows, n_outputs)
        Probabilities, or numbers in one column.
    chosen : ndarray of int or None
        The place of the predicted class; None for numbers.
    """

    sums: Floats
    numbers: Floats
    chosen: NDArray[np.intp] | None


def evaluate(program: Program, rows: NDArray[Any]) -> Evaluated:
    """Return what a program says about rows of numbers and codes.

    Parameters
    ----------
    program : Program
        The program.
    rows : ndarray of shape (n_rows, n_columns)
        Numbers with NaN for missing; codes of categories, NaN or 0 for missing, n + 1 for never seen.
    """
    rows = np.asarray(rows, dtype=np.float64)
    if program.median_weights is not None:
        said = np.column_stack([tree_values(tree, rows)[:, 0] for tree in program.trees])
        return answers_of(program, weighted_medians(said, program.median_weights)[:, np.newaxis])
    sums = np.tile(program.start, (len(rows), 1))
    for tree, voice, first in zip(program.trees, program.voices, program.first_sum, strict=True):
        values = tree_values(tree, rows)
        sums[:, first : first + tree.n_values] += values if voice is None else voice(values)
        if program.single_sums:
            sums = sums.astype(np.float32).astype(np.float64)
    if program.divisor != 1.0:
        sums /= program.divisor
    return answers_of(program, sums)


def answers_of(program: Program, sums: Floats) -> Evaluated:
    """Return what sums mean."""
    answer = program.answer
    numbers = answer.numbers(sums)
    return Evaluated(sums, numbers, None if answer.classes is None else answer.chosen(sums, numbers))


def tree_values(tree: Steps, rows: Floats) -> Floats:
    """Return the values of one tree: those of the node where a row ends, or their mean by shares."""
    found = np.zeros((len(rows), tree.n_values))
    for node, here, shares in walk(tree, rows):
        if tree.mixes:
            found[here] += shares[:, np.newaxis] * tree.values[node]
        else:
            found[here] = tree.values[node]
    return found


def walk(tree: Steps, rows: Floats) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield the nodes where rows end, which rows and with which shares; for each row in branch order."""
    waiting = [(0, np.arange(len(rows)), np.ones(len(rows)))]
    while waiting:
        node, here, shares = waiting.pop()
        if not len(here):
            continue
        if tree.feature[node] < 0:
            yield node, here, shares
            continue
        branch = _branches(tree, node, rows[here])
        parts = tree.shares.get(node)
        everywhere = branch == EVERY_WAY
        ends = branch == NO_WAY
        if parts is None or not (parts > 0).any():
            ends |= everywhere
            everywhere = np.zeros_like(everywhere)
        if ends.any():
            yield node, here[ends], shares[ends]
        below = []
        for number, child in enumerate(tree.children(node)):
            goes = branch == number
            if parts is None or not everywhere.any() or not parts[number] > 0:
                below.append((child, here[goes], shares[goes]))
                continue
            both = goes | everywhere
            below.append((child, here[both], np.where(goes, shares, shares * parts[number])[both]))
        waiting.extend(reversed(below))


def _branches(tree: Steps, node: int, rows: Floats) -> Ints:
    """Return the branch of each row at a node."""
    x = rows[:, tree.feature[node]]
    ways = tree.ways.get(node)
    if ways is None:
        missing = np.isnan(x)
        branch: Ints = (x > tree.threshold[node]).astype(np.int64)
    else:
        missing = ~(x >= 1.0)
        codes = np.where(missing, 1, np.minimum(np.nan_to_num(x), len(ways))).astype(np.int64)
        branch = ways[codes - 1].copy()
    if not missing.any():
        return branch
    branch[missing] = tree.missing[node]
    undecided = missing
    for test in tree.substitutes.get(node, ()):
        x = rows[:, test.feature]
        if test.ways is None:
            says = undecided & ~np.isnan(x)
            branch[says] = np.where(x[says] > test.threshold, test.above, test.below)
        else:
            says = undecided & (x >= 1.0) & (x < len(test.ways) + 1.0)
            branch[says] = test.ways[x[says].astype(np.int64) - 1]
        undecided = undecided & ~says
    return branch
