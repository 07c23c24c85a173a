"""Why two trees that were grown from the same scores part: every candidate again, in double precision.

Both sides split the leaf with the largest gain, and neither asks a column again below a node where it offered
nothing. They differ in what they know of rows. We count those of a side. The package guesses them: it knows
the hessian of a side only, takes the node's rows per hessian times the hessian of each bin, rounds bin by bin
and adds up. So its guess of a side may be short of `min_data_in_leaf`, or leave fewer than no rows for the
other side, and its scan ends there. Where all hessians are equal the guess is right.

Where hessians differ, we judge whether a column offered anything before rows are counted: it is kept for a
cut that would leave too few rows. The package drops it.

The package adds 1e-15 to the hessian of a side, so a side that has exactly the least hessian may fail.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden.lightgbm_leafwise.trees import FIXED, Floats, GrownTree, Rows, Split, Table, partition

#: Gains that differ by less, relatively, are a tie.
TIE = 1e-6
#: Gains that are a smaller share of the node's own score may be more or less than nothing by rounding alone.
NOTHING = 1e-9


class Verdict(enum.Enum):
    """What became of a tree."""

    SAME = "the same leaves"
    TIE = "two gains are equal"
    NOTHING = "a gain is nothing but rounding"
    LIMIT = "a side has the least hessian to the last digits"
    GUESS = "the package's guess of rows rules our choice out"
    KEPT = "further up, our choice's column only offered cuts that leave too few rows"
    DIFFERENT = "no reason found"


@dataclass(frozen=True)
class Parting:
    """The first split that differs, with both gains and the best gain that each rule allows.

    `dropped`: the package does not ask the column of our choice in that leaf any more.
    """

    verdict: Verdict
    step: int = -1
    ours: float = np.nan
    theirs: float = np.nan
    our_best: float = np.nan
    their_best: float = np.nan
    dropped: bool = False


@dataclass(frozen=True)
class Cuts:
    """Gains of the cuts of a column, and which of them count.

    `enough`: both sides have enough; `offered`: enough for us to ask the column again further down;
    `guessed`: enough by the package's guess.
    """

    gains: Floats
    enough: NDArray[np.bool_]
    offered: NDArray[np.bool_]
    guessed: NDArray[np.bool_]


@dataclass
class Leaf:
    """An open leaf and the columns that are not asked there any more, by either rule.

    `kept` are columns that we would not ask if we counted rows first. `doubtful` are columns whose best gain
    here or above is nothing but rounding: dropped or not by chance.
    """

    rows: Rows
    ours_dropped: set[int] = field(default_factory=set)
    theirs_dropped: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    our_best: dict[int, float] = field(default_factory=dict)
    their_best: dict[int, float] = field(default_factory=dict)


def derivatives(table: Table, raw: Floats, objective: str) -> tuple[Floats, Floats]:
    """Return gradients and hessians in single precision, as both sides add them up."""
    if objective == "regression":
        g, h = raw - table.y, np.ones(len(raw))
    else:
        sign = np.where(table.y > 0, 1.0, -1.0)
        g = -sign / (1.0 + np.exp(sign * raw))
        h = np.abs(g) * (1.0 - np.abs(g))
    if table.weights is not None:
        g, h = g * table.weights, h * table.weights
    return g.astype(np.float32).astype(np.float64), h.astype(np.float32).astype(np.float64)


class Search:
    """All candidates of a node."""

    def __init__(self, table: Table, settings: dict[str, Any], raw: Floats) -> None:
        params = FIXED | settings
        self.x = table.x
        self.g, self.h = derivatives(table, raw, params["objective"])
        self.l2: float = params["lambda_l2"]
        self.min_gain: float = params["min_gain_to_split"]
        self.min_hessian: float = params["min_sum_hessian_in_leaf"]
        self.min_rows: int = params["min_data_in_leaf"]
        # Our engine knows rows from hessians only where the loss says that all are equal.
        self.counts_rows = params["objective"] == "regression" and table.weights is None

    def score(self, g: Any, h: Any) -> Any:
        """Return G² / (H + λ); a side without hessian is ruled out elsewhere."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return g * g / (h + self.l2)

    def gain(self, split: Split) -> float:
        """Return what a split gains."""
        both = np.concatenate([split.left, split.right])
        sums = [
            self.score(self.g[rows].sum(), self.h[rows].sum()) for rows in (split.left, split.right, both)
        ]
        return float(sums[0] + sums[1] - sums[2] - self.min_gain)

    def is_at_limit(self, split: Split) -> bool:
        """Tell whether rounding decides if a side has enough hessian."""
        sides = [self.h[rows].sum() for rows in (split.left, split.right)]
        return any(abs(side - self.min_hessian) <= 1e-9 * self.min_hessian for side in sides)

    def cuts(self, rows: Rows, feature: int) -> Iterator[Cuts]:
        """Yield all cuts with missing values on the left, and where there are some on the right."""
        value = self.x[rows, feature]
        known = rows[~np.isnan(value)]
        missing = rows[np.isnan(value)]
        if len(known) == 0:
            return
        code = np.unique(self.x[known, feature], return_inverse=True)[1]
        g, h = np.bincount(code, self.g[known]), np.bincount(code, self.h[known])
        counts = np.bincount(code)
        total_g, total_h = self.g[rows].sum(), self.h[rows].sum()
        before = self.score(total_g, total_h) + self.min_gain
        guess = np.floor(h * (len(rows) / total_h) + 0.5).astype(int)
        # Only columns with missing values somewhere are scanned upwards too, the missing ones on the right.
        ways = [True, False] if np.isnan(self.x[:, feature]).any() else [True]
        for downwards in ways:
            extra = missing if downwards else missing[:0]
            left_g = np.cumsum(g) + self.g[extra].sum()
            left_h = np.cumsum(h) + self.h[extra].sum()
            left_n = np.cumsum(counts) + len(extra)
            enough_h = (left_h >= self.min_hessian) & (total_h - left_h >= self.min_hessian)
            least = max(self.min_rows, 1)
            enough = enough_h & (left_n >= least) & (len(rows) - left_n >= least)
            if downwards:
                guessed_right = guess.sum() - np.cumsum(guess)
                guessed_left = len(rows) - guessed_right
            else:
                guessed_left = np.cumsum(guess)
                guessed_right = len(rows) - guessed_left
            guessed = enough_h & (guessed_left >= self.min_rows) & (guessed_right >= self.min_rows)
            gains = self.score(left_g, left_h) + self.score(total_g - left_g, total_h - left_h) - before
            some = (left_n > 0) & (left_n < len(rows))
            yield Cuts(gains, enough, enough if self.counts_rows else enough_h & some, guessed & some)

    def open(self, rows: Rows, parent: Leaf | None = None) -> Leaf:
        """Return a leaf with the best gain of each column that either side still asks."""
        leaf = Leaf(rows)
        if parent is not None:
            leaf.ours_dropped |= parent.ours_dropped
            leaf.theirs_dropped |= parent.theirs_dropped
            leaf.kept |= parent.kept
            leaf.doubtful |= parent.doubtful
        nothing = NOTHING * self.score(self.g[rows].sum(), self.h[rows].sum())
        for feature in range(self.x.shape[1]):
            found = list(self.cuts(rows, feature))
            ours = _highest((cuts.gains, cuts.enough) for cuts in found)
            offered = _highest((cuts.gains, cuts.offered) for cuts in found)
            theirs = _highest((cuts.gains, cuts.guessed) for cuts in found)
            if min(abs(ours), abs(offered), abs(theirs)) <= nothing:
                leaf.doubtful.add(feature)
            if not offered > 0:
                leaf.ours_dropped.add(feature)
            elif not ours > 0:
                leaf.kept.add(feature)
            if not theirs > 0:
                leaf.theirs_dropped.add(feature)
            leaf.our_best[feature], leaf.their_best[feature] = ours, theirs
        return leaf


def _highest(found: Any) -> float:
    return max((float(gains[allowed].max()) for gains, allowed in found if allowed.any()), default=-np.inf)


def judge(table: Table, settings: dict[str, Any], raw: Floats, ours: GrownTree, theirs: GrownTree) -> Parting:
    """Say whether two trees from the same scores are the same, and if not, why the first split differs."""
    if np.array_equal(partition(ours), partition(theirs)):
        return Parting(Verdict.SAME)
    search = Search(table, settings, raw)
    label = np.zeros(len(raw), dtype=np.intp)
    leaves = {0: search.open(np.arange(len(raw)))}
    step = 0
    for step, (our, their) in enumerate(zip(ours.splits, theirs.splits, strict=False)):
        if not our.divides_as(their):
            break
        parent = leaves[label[our.left[0]]]
        label[our.right] = step + 1
        leaves[label[our.left[0]]] = search.open(our.left, parent)
        leaves[step + 1] = search.open(our.right, parent)
    else:
        step = min(len(ours.splits), len(theirs.splits))
    return _parting(search, leaves, label, step, ours, theirs)


def _parting(
    search: Search,
    leaves: dict[int, Leaf],
    label: NDArray[np.intp],
    step: int,
    ours: GrownTree,
    theirs: GrownTree,
) -> Parting:
    gains = []
    doubtful = kept = dropped = False
    for tree in (ours, theirs):
        if step >= len(tree.splits):
            gains.append(0.0)  # it found nothing worth a split
            continue
        split = tree.splits[step]
        leaf = leaves[label[split.left[0]]]
        gains.append(search.gain(split))
        score = search.score(search.g[leaf.rows].sum(), search.h[leaf.rows].sum())
        kept |= tree is ours and split.feature in leaf.kept
        dropped |= tree is ours and split.feature in leaf.theirs_dropped
        doubtful |= split.feature in leaf.doubtful or abs(gains[-1]) <= NOTHING * score
    our_gain, their_gain = gains
    our_best = _best((leaf.our_best, leaf.ours_dropped) for leaf in leaves.values())
    their_best = _best((leaf.their_best, leaf.theirs_dropped) for leaf in leaves.values())
    facts = (step, our_gain, their_gain, our_best, their_best, dropped)
    if doubtful:
        return Parting(Verdict.NOTHING, *facts)
    if _equal(our_gain, their_gain) and our_gain > 0:
        return Parting(Verdict.TIE, *facts)
    if any(search.is_at_limit(tree.splits[step]) for tree in (ours, theirs) if step < len(tree.splits)):
        return Parting(Verdict.LIMIT, *facts)
    if _equal(our_gain, our_best) and _equal(their_gain, their_best):
        return Parting(Verdict.KEPT if kept else Verdict.GUESS, *facts)
    return Parting(Verdict.DIFFERENT, *facts)


def _best(found: Any) -> float:
    every = (gain for gains, dropped in found for feature, gain in gains.items() if feature not in dropped)
    return max(every, default=0.0)


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= TIE * max(abs(one), abs(other))
