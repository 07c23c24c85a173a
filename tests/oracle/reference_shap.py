"""Shapley values by their definition: the worth of every set of features, and all orders of adding one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.arrays import EVERY_BRANCH, KIND_LEAF, STOP_HERE

Floats = NDArray[np.float64]
Worth = Callable[[frozenset[int]], Floats]


def shapley(worth: Worth, players: list[int], n_features: int) -> tuple[Floats, Floats]:
    """Return the values of the players and their interactions, n_features (squared) * outputs."""
    worths = {
        frozenset(some): worth(frozenset(some))
        for size in range(len(players) + 1)
        for some in itertools.combinations(players, size)
    }
    n, n_outputs = len(players), len(worths[frozenset()])
    values, pairs = np.zeros((n_features, n_outputs)), np.zeros((n_features, n_features, n_outputs))
    for one in players:
        others = [player for player in players if player != one]
        for some in subsets(others):
            share = math.factorial(len(some)) * math.factorial(n - len(some) - 1) / math.factorial(n)
            values[one] += share * (worths[some | {one}] - worths[some])
    for one, two in itertools.combinations(players, 2):
        others = [player for player in players if player not in (one, two)]
        for some in subsets(others):
            share = math.factorial(len(some)) * math.factorial(n - len(some) - 2) / math.factorial(n - 1)
            both = worths[some | {one, two}] - worths[some | {one}] - worths[some | {two}] + worths[some]
            pairs[one, two] += share / 2 * both
        pairs[two, one] = pairs[one, two]
    for one in range(n_features):
        pairs[one, one] = values[one] - pairs[one].sum(axis=0)
    return values, pairs


def subsets(players: list[int]) -> list[frozenset[int]]:
    return [
        frozenset(some) for size in range(len(players) + 1) for some in itertools.combinations(players, size)
    ]


class PlainTree:
    """A tree as the definition reads it: node by node, recursively."""

    def __init__(self, arrays: dict[str, Any], n_codes: NDArray[np.uint32], values: Floats) -> None:
        self.kind, self.feature = arrays["kind"], arrays["feature"]
        self.first, self.n_children = arrays["first_child"], arrays["n_children"]
        self.weight, self.values = arrays["weight"], values
        self.rows = _core.TreeRows(arrays, n_codes)
        self.longest = 0  # features of a path that leaf_by_leaf has met

    @property
    def players(self) -> list[int]:
        return sorted(set(self.feature[self.kind != KIND_LEAF].tolist()))

    def branches(self, row: NDArray[Any]) -> dict[int, int]:
        inner = np.nonzero(self.kind != KIND_LEAF)[0]
        return {int(node): int(self.rows.branches(int(node), row[np.newaxis])[0]) for node in inner}

    def path_dependent(self, row: NDArray[Any]) -> Worth:
        """Features that are not known are averaged over by the weights of the branches."""
        taken = self.branches(row)

        def below(node: int, known: frozenset[int]) -> Floats:
            if self.kind[node] == KIND_LEAF:
                return self.values[node]
            return self.mixed(node, taken[node] if self.feature[node] in known else None, known, below)

        return lambda known: below(0, known)

    def interventional(self, row: NDArray[Any], background: NDArray[Any]) -> Worth:
        """Features that are not known have the values of a row of the background."""
        own, others = self.branches(row), [self.branches(one) for one in background]

        def worth(known: frozenset[int]) -> Floats:
            total = np.zeros(self.values.shape[1])
            for other in others:

                def below(node: int, known: frozenset[int], other: dict[int, int] = other) -> Floats:
                    if self.kind[node] == KIND_LEAF:
                        return self.values[node]
                    taken = own if self.feature[node] in known else other
                    return self.mixed(node, taken[node], known, below)

                total = total + below(0, known)
            return total / len(others)

        return worth

    def mixed(
        self, node: int, branch: int | None, known: frozenset[int], below: Callable[..., Floats]
    ) -> Floats:
        children = range(self.first[node], self.first[node] + self.n_children[node])
        if branch == STOP_HERE:
            return self.values[node]
        if branch is not None and branch != EVERY_BRANCH:
            return below(children[branch], known)
        weights = np.array([self.weight[child] for child in children])
        rest = 1 - weights.sum() / self.weight[node]
        shares = weights / self.weight[node]
        parts = [share * below(child, known) for share, child in zip(shares, children, strict=True)]
        ending = rest * self.values[node] if branch is None and rest > 1e-4 else 0.0
        return np.sum(parts, axis=0) + ending

    def leaf_by_leaf(self, row: NDArray[Any], n_features: int, other: NDArray[Any] | None = None) -> Floats:
        """Return the values of a row that takes one branch everywhere: each leaf's game is a product.

        What a feature adds is averaged over the sizes of the sets before it; sets of one size are counted by
        the coefficients of a polynomial, all of them sums of positive numbers. other: a row that stands for
        what is not known, instead of the training rows.
        """
        taken = self.branches(row)
        instead = None if other is None else self.branches(other)
        values = np.zeros((n_features, self.values.shape[1]))
        waiting: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
        while waiting:
            node, factors = waiting.pop()
            if self.kind[node] == KIND_LEAF:
                self.longest = max(self.longest, len(factors))
                for feature, share in shares_of_product(factors).items():
                    values[feature] += share * self.values[node]
                continue
            children = range(self.first[node], self.first[node] + self.n_children[node])
            total = sum(float(self.weight[child]) for child in children)
            for branch, child in enumerate(children):
                passed, share = factors.get(int(self.feature[node]), (1.0, 1.0))
                passed *= float(taken[node] == branch)
                share *= (
                    float(self.weight[child]) / total if instead is None else float(instead[node] == branch)
                )
                if passed == 0 and share == 0:
                    continue
                waiting.append((child, {**factors, int(self.feature[node]): (passed, share)}))
        return values


def shares_of_product(factors: dict[int, tuple[float, float]]) -> dict[int, float]:
    """Return what each feature adds to a product of o (known) and z (not known)."""
    found, n = {}, len(factors)
    for one, (passed, share) in factors.items():
        sums = [1.0]  # by the number of known features
        for other, (o, z) in factors.items():
            if other == one:
                continue
            sums = [z * a + o * b for a, b in zip([*sums, 0.0], [0.0, *sums], strict=True)]
        mean = sum(worth / math.comb(n - 1, size) for size, worth in enumerate(sums)) / n
        found[one] = (passed - share) * mean
    return found
