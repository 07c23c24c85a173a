"""All trees of a program in a few arrays, for code that loops over nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.program import Program, Steps
from treewright.program.steps import EVERY_WAY, NO_WAY

__all__ = ["Places", "Tables", "set_words"]

END, NUMBER, BITS, WAYS = 0, 1, 2, 3


class Tables:
    """All trees, one after the other.

    Parameters
    ----------
    program : Program
        The program.

    Attributes
    ----------
    kind : list of int
        END: a leaf. NUMBER: ``x <= threshold`` goes to branch 0. BITS: bit `x` of the words from `at` on is
        the branch. WAYS: entry `at + x` of `ways` is the branch.
    feature, threshold, at, child, missing : list
        Of the nodes; `child` is the place of branch 0. A branch may be -1 (every branch, with shares) or
        -2 (the row ends here).
    value : list of int
        Which row of `values` a row that ends at the node counts; -1 where none can.
    share : list of int
        Where the shares of the branches begin in `shares`; -1 for none.
    substitutes : list of int
        Where the substitutes of a node begin; one entry more than nodes.
    """

    def __init__(self, program: Program) -> None:
        self.kind: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.at: list[int] = []
        self.child: list[int] = []
        self.missing: list[int] = []
        self.value: list[int] = []
        self.share: list[int] = []
        self.count: list[int] = []
        self.substitutes: list[int] = [0]
        self.roots: list[int] = []
        self.words: list[int] = []
        self.ways: list[int] = []
        self.shares: list[float] = []
        self.test_feature: list[int] = []
        self.test_threshold: list[float] = []
        self.test_at: list[int] = []
        self.test_below: list[int] = []
        self.test_above: list[int] = []
        self._words_at: dict[bytes, int] = {}
        self._ways_at: dict[bytes, int] = {}
        self._values: dict[bytes, int] = {}
        self._rows: list[NDArray[np.float64]] = []
        for tree in program.trees:
            self._append(tree)
        self.values = np.array(self._rows)
        self.most_waiting = max((_most_waiting(tree) for tree in program.trees if tree.mixes), default=0)

    @property
    def mixes(self) -> bool:
        """Whether a row may go down several branches."""
        return bool(self.shares)

    @property
    def ends_early(self) -> bool:
        """Whether a row may end at a node that is no leaf."""
        return NO_WAY in self.missing or NO_WAY in self.ways or self.mixes

    @property
    def is_lean(self) -> bool:
        """Whether all tests are thresholds and sets of two branches, missing values take one of them."""
        return not (self.ways or self.mixes or self.test_feature or self.ends_early)

    def _append(self, tree: Steps) -> None:
        begin = len(self.kind)
        self.roots.append(begin)
        ends = set(tree.ends.tolist())
        for node in range(len(tree)):
            feature = int(tree.feature[node])
            kind, at = (END, -1) if feature < 0 else (NUMBER, -1)
            if node in tree.ways:
                kind, at = self._look_up(tree.ways[node])
            self.kind.append(kind)
            self.at.append(at)
            self.feature.append(max(feature, 0))
            self.threshold.append(float(tree.threshold[node]) if kind == NUMBER else 0.0)
            self.child.append(begin + int(tree.first_child[node]) if kind != END else 0)
            self.count.append(int(tree.n_children[node]))
            self.missing.append(int(tree.missing[node]))
            self.value.append(self._value(tree.values[node]) if node in ends else -1)
            self.share.append(len(self.shares) if node in tree.shares else -1)
            self.shares.extend(tree.shares[node].tolist() if node in tree.shares else ())
            for test in tree.substitutes.get(node, ()):
                self.test_feature.append(test.feature)
                self.test_threshold.append(0.0 if test.ways is not None else test.threshold)
                self.test_at.append(-1 if test.ways is None else self._bits(test.ways))
                self.test_below.append(test.below)
                self.test_above.append(test.above)
            self.substitutes.append(len(self.test_feature))

    def _look_up(self, ways: NDArray[np.int64]) -> tuple[int, int]:
        if ways.min() >= 0 and ways.max() <= 1:
            return BITS, self._bits(ways)
        key = ways.tobytes()
        if key not in self._ways_at:
            self._ways_at[key] = len(self.ways)
            self.ways.extend([NO_WAY, *ways.tolist()])  # entry 0 is never asked: a missing value has its own
        return WAYS, self._ways_at[key]

    def _bits(self, ways: NDArray[np.int64]) -> int:
        words = set_words(ways)
        key = words.tobytes()
        if key not in self._words_at:
            self._words_at[key] = len(self.words)
            self.words.extend(words.tolist())
        return self._words_at[key]

    def _value(self, row: NDArray[np.float64]) -> int:
        key = row.tobytes()
        if key not in self._values:
            self._values[key] = len(self._rows)
            self._rows.append(row)
        return self._values[key]


class Places:
    """The rows of values of one tree, by node, as text."""

    def __init__(self, value: list[int], root: int) -> None:
        self._value, self._root = value, root

    def __call__(self, node: int) -> str:
        """Return where the values of a node stand."""
        return str(self._value[self._root + node])


def set_words(ways: NDArray[np.int64] | Sequence[int]) -> NDArray[np.uint32]:
    """Return the codes 1, 2, … that take branch 1 as bits of words; a code is the number of its bit."""
    bits = np.zeros((len(ways) + 1 + 31) // 32 * 32, dtype=np.uint32)
    bits[1 : len(ways) + 1] = np.asarray(ways) == 1
    places = np.arange(32, dtype=np.uint32)
    words: NDArray[np.uint32] = (bits.reshape(-1, 32) << places).sum(axis=1, dtype=np.uint32)
    return words


def _most_waiting(tree: Steps) -> int:
    """Return how many parts of a row may wait at once on a stack, branch 0 being taken first."""
    most = np.zeros(len(tree), dtype=np.int64)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children(node)
        if node in tree.shares:
            left = len(children)
            for place, child in enumerate(children):
                most[node] = max(most[node], left - place, left - place - 1 + most[child])
        elif len(children):
            most[node] = max(most[child] for child in children)
    return int(most[0]) + 1


assert EVERY_WAY == -1 and NO_WAY == -2, "the numbers are written into code"
