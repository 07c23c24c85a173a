"""Value grouping of Release 8 (`-s`): merge the values of a nominal column, two blocks at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracle.reference_c45_arithmetic import EPSILON, Arithmetic, Floats

STEP = 1e-5


@dataclass(frozen=True)
class Block:
    """Values that share a branch, with their class weights."""

    values: tuple[int, ...]
    counts: Floats
    weight: float


@dataclass(frozen=True)
class Score:
    """What a partition gains, what its outcome tells, and the value by which partitions compete."""

    gain: float
    split_info: float
    value: float


@dataclass(frozen=True)
class GroupingNode:
    """What the search knows of the node and the column."""

    counts: Floats  # (values, classes) of the rows with known value
    sizes: Floats  # weight of every value
    unknown: float
    total: float
    known: float
    before: float
    unknown_rate: float
    min_objects: float
    use_ratio: bool
    numbers: Arithmetic

    def score(self, blocks: Sequence[Block], min_objects: float = 1.0) -> Score:
        """Score a partition; -epsilon stands for "no test"."""
        sizes = [block.weight for block in blocks]
        split_info = float(self.numbers.split_info(self.unknown, sizes, self.total))
        gain = -EPSILON
        if sum(size >= min_objects for size in sizes) >= 2:
            infos = self.numbers.info(list(np.array([block.counts for block in blocks]).T))
            gain = float(self.numbers.gain(self.before, self.unknown_rate, list(infos), self.known))
        return Score(gain, split_info, self.worth(gain, split_info))

    def worth(self, gain: float, split_info: float) -> float:
        """Return the gain ratio, or the gain."""
        if self.use_ratio:
            return (
                float(self.numbers.store(gain / split_info))
                if gain >= 0 and split_info > EPSILON
                else -EPSILON
            )
        return gain if split_info > 0 and gain > -EPSILON else -EPSILON

    def join(self, blocks: Sequence[Block], first: int, second: int) -> list[Block]:
        """Merge two blocks; the last block takes the place of the second."""
        joined, absorbed = blocks[first], blocks[second]
        result = list(blocks)
        result[first] = Block(
            tuple(sorted(joined.values + absorbed.values)),
            self.numbers.store(joined.counts + absorbed.counts),
            float(self.numbers.store(joined.weight + absorbed.weight)),
        )
        result[second] = result[-1]
        return result[:-1]


def group_values(node: GroupingNode) -> tuple[float, float, tuple[tuple[int, ...], ...]] | None:
    """Return gain, split info and the values (1, 2, ...) of every branch; None when there is no test."""
    if node.known < EPSILON:
        return None
    every = [
        Block((value,), counts, float(size))
        for value, (counts, size) in enumerate(zip(node.counts, node.sizes, strict=True), start=1)
    ]
    absent = tuple(block.values[0] for block in every if block.weight <= 0.5)
    blocks = [block for block in every if block.weight > 0.5]
    best = node.score(every)
    merged = merge_single_class(node, blocks)
    if len(merged) < len(blocks):
        blocks, best = merged, node.score(merged)
    least_gain = node.numbers.store(best.gain / 2)
    while len(blocks) > 2:
        reasonable = sum(block.weight >= node.min_objects for block in blocks)
        found = best_pair(node, blocks, reasonable, least_gain)
        hopeless = found is None or found[0].value < best.value + STEP
        if node.use_ratio and reasonable >= 2 and hopeless:
            break
        if found is None:
            break
        best, first, second = found
        blocks = node.join(blocks, first, second)
    if best.value <= 0:
        return None
    gain = node.score(blocks, node.min_objects).gain
    if gain <= -EPSILON:
        return None
    branches = tuple(block.values for block in blocks)
    return gain, best.split_info, (*branches, absent) if absent else branches


def merge_single_class(node: GroupingNode, blocks: Sequence[Block]) -> list[Block]:
    """Merge blocks that hold rows of one and the same class."""
    blocks = list(blocks)
    first = 0
    while first < len(blocks) - 1:
        dominant = np.flatnonzero(blocks[first].counts >= 0.1)
        label = int(dominant[0]) if len(dominant) else 0
        if blocks[first].counts[label] >= blocks[first].weight - 0.1:
            second = first + 1
            while second < len(blocks):
                if blocks[second].counts[label] >= blocks[second].weight - 0.1:
                    blocks = node.join(blocks, first, second)
                else:
                    second += 1
        first += 1
    return blocks


def best_pair(
    node: GroupingNode, blocks: Sequence[Block], reasonable: int, least_gain: float
) -> tuple[Score, int, int] | None:
    """Try to merge every pair; with fewer than three sizable blocks the heaviest one stays alone."""
    barred = int(np.argmax([block.weight for block in blocks])) if reasonable < 3 else -1
    found, value, gain = None, 0.0, -EPSILON
    for first in range(len(blocks) - 1):
        for second in range(first + 1, len(blocks)):
            if barred in (first, second):
                continue
            score = node.score(node.join(blocks, first, second))
            forced = found is None and (not node.use_ratio or reasonable < 2)
            if (score.gain >= least_gain and gain < least_gain) or score.value >= value or forced:
                found, value, gain = (score, first, second), score.value, score.gain
    return found
