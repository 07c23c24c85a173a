"""Bags: which rows and columns some trees of a forest got; whoever needs a bag draws it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model import Model
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Bags", "DrawnWhenAsked", "are_weights", "bag_of", "number_of_draws"]

# What a model's facts keep of the bags, besides the two arrays below.
PLAIN = {
    "first": int,
    "last": int,
    "seed": int,
    "draws": int,
    "replace": bool,
    "balanced": bool,
    "features": int,
    "replace_features": bool,
    "n_rows": int,
    "checksum": int,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Bags:
    """The bags of trees that were grown by one call of `fit`.

    Attributes
    ----------
    first, last : int
        The trees: from `first` to before `last`.
    seed : int
        With a tree's number, all that its bag depends on.
    draws : int
        Rows drawn for each tree; 0: every row once.
    replace : bool
        Whether a row can be drawn again.
    balanced : bool
        Whether the classes weigh the same in each bag.
    features : int
        Columns drawn for each tree; 0: all of them.
    replace_features : bool
        Whether a column can be drawn again.
    n_rows : int
        Rows of the X of that fit.
    checksum : int
        Of their targets, to tell whether rows are those of that fit.
    probabilities : ndarray of float64 or None
        Rows of positive weight are drawn in proportion to these; None: all alike.
    kept : ndarray of int or None
        The rows of positive weight; None: all.
    """

    first: int
    last: int
    seed: int
    draws: int
    replace: bool
    balanced: bool = False
    features: int = 0
    replace_features: bool = False
    n_rows: int
    checksum: int
    probabilities: NDArray[np.float64] | None = None
    kept: NDArray[np.int64] | None = None

    @property
    def n_kept(self) -> int:
        """Number of rows of positive weight."""
        return self.n_rows if self.kept is None else len(self.kept)

    @cached_property
    def rule(self) -> _core.BagRule:
        """The native rule that draws."""
        rule = _core.BagRule()
        rule.seed, rule.draws, rule.replace = self.seed, self.draws, self.replace
        rule.balanced = self.balanced
        rule.features, rule.replace_features = self.features, self.replace_features
        if self.probabilities is not None:
            rule.probabilities = self.probabilities
        return rule

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "rule"}

    def counts(self, tree: int) -> NDArray[np.uint32]:
        """Return how often each row of positive weight is in the bag of a tree."""
        return _core.draw_bag(self.rule, self.n_kept, tree)

    def rows(self, tree: int) -> NDArray[np.int64]:
        """Return the rows of a tree by their numbers in X, ascending, as often as they were drawn."""
        drawn = np.repeat(np.arange(self.n_kept, dtype=np.int64), self.counts(tree))
        return drawn if self.kept is None else self.kept[drawn]

    def columns(self, tree: int, n_features: int) -> NDArray[np.int64]:
        """Return the columns of a tree, ascending, each once."""
        return _core.draw_features(self.rule, n_features, tree).astype(np.int64)

    def are_of(self, n_rows: int, checksum: int) -> bool:
        """Tell whether these are the bags of a fit on the same rows."""
        return (self.n_rows, self.checksum) == (n_rows, checksum)

    def joined(self, later: Bags) -> tuple[Bags, ...]:
        """Return these bags and later ones, as one if they follow the same rule."""
        same = all(
            getattr(self, name) == getattr(later, name) for name in PLAIN if name not in ("first", "last")
        )
        if same and all(
            _equal(getattr(self, name), getattr(later, name)) for name in ("probabilities", "kept")
        ):
            return (replace(self, last=later.last),)
        return self, later

    def chance(self, model: Model, tree: int, max_features: int, *, random_cuts: bool, prices: bool) -> str:
        """Say what was drawn besides rows, so that a test need not be the best; empty when nothing was.

        Parameters
        ----------
        model : Model
            The forest.
        tree : int
            The tree's number.
        max_features : int
            Features drawn at each node.
        random_cuts : bool
            Whether a node tries one random cut of each feature.
        prices : bool
            Whether a test of many categories pays for their number.
        """
        sentences = []
        if self.features:
            names = [model.schema.features[i].name for i in self.columns(tree, model.n_features).tolist()]
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            sentences.append(f"This tree was given {len(names)} of {model.n_features} columns: {shown}.")
        drawn = []
        if max_features < model.n_features:
            drawn.append(f"{max_features} of {model.n_features} features were drawn")
        if random_cuts:
            drawn.append("one random cut of each was tried")
        if model.params.get("max_bins"):
            drawn.append(f"numbers were cut into at most {model.params['max_bins']} bins")
        if prices and any(
            feature.kind == "nominal" and len(feature.categories or ()) > _core.FREE_CATEGORIES
            for feature in model.schema.features
        ):
            drawn.append("tests of many categories paid for their number")
        if drawn:
            sentences.append(f"At each node {' and '.join(drawn)}, so its test need not be the best of all.")
        return " ".join(sentences)

    # --- in a model
    # -------------------------------------------------------------------------------------------------

    def to_facts(self) -> dict[str, Any]:
        """Return the plain values, for a model's facts."""
        return {name: kind(getattr(self, name)) for name, kind in PLAIN.items()}

    @classmethod
    def from_facts(
        cls,
        facts: Mapping[str, Any],
        probabilities: NDArray[Any] | None = None,
        kept: NDArray[Any] | None = None,
    ) -> Self:
        """Undo `to_facts`; ValueError when a file says something else."""
        if not isinstance(facts, Mapping) or set(facts) != set(PLAIN):
            raise ValueError("a bag has other fields than it should")
        for name, kind in PLAIN.items():
            if type(facts[name]) is not kind or (kind is int and not 0 <= facts[name] < 2**63):
                raise ValueError(f"the field {name!r} of a bag is not what it should be")
        bags = cls(**facts, probabilities=probabilities, kept=kept)
        for array, dtype in ((bags.probabilities, np.float64), (bags.kept, np.int64)):
            if array is not None and (array.dtype != dtype or array.ndim != 1):
                raise ValueError("an array of a bag is not what it should be")
        if bags.probabilities is not None and len(bags.probabilities) != bags.n_kept:
            raise ValueError("a bag has another number of probabilities than of rows")
        if bags.probabilities is not None and not are_weights(bags.probabilities):
            raise ValueError("the probability of a row of a bag is not a finite number above 0")
        if bags.kept is not None and not _are_positions(bags.kept, bags.n_rows):
            raise ValueError("a bag keeps rows that its fit did not have")
        return bags


class DrawnWhenAsked(Sequence[NDArray[np.int64]]):
    """A read-only list whose entries are drawn when asked for, because all would take much memory."""

    def __init__(self, length: int, entry: Callable[[int], NDArray[np.int64]]) -> None:
        self._length = length
        self._entry = entry

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._entry(i) for i in range(*index.indices(self._length))]
        position = index.__index__()
        if not -self._length <= position < self._length:
            raise IndexError(f"tree {position} does not exist; the forest has {self._length} trees")
        return self._entry(position % self._length)


def bag_of(bags: Sequence[Bags], tree: int) -> Bags:
    """Return the bags that a tree is among."""
    return next(some for some in bags if some.first <= tree < some.last)


def number_of_draws(max_samples: Any, n_rows: int, weights: NDArray[np.float64] | None) -> int:
    """Return how many rows are drawn for each tree, by scikit-learn's rules.

    Parameters
    ----------
    max_samples : int, float or None
        The parameter.
    n_rows : int
        Rows of positive weight.
    weights : ndarray or None
        Their weights.
    """
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, Integral):
        return int(max_samples)
    whole = float(n_rows if weights is None else weights.sum())
    draws = max(1, int(max_samples * whole))
    if draws < max(10, n_rows ** (1 / 3)):
        of_what = (
            f"there are {n_rows} rows"
            if weights is None
            else f"the total sum of sample weights is {whole:.6g}"
        )
        warn_at_caller(
            f"Using the fractional value max_samples={max_samples!r} when {of_what} results in a low number "
            f"({draws}) of bootstrap indices. We recommend passing `max_samples` as an integer: the number "
            "of rows to draw, e.g. max_samples=100."
        )
    return draws


def are_weights(numbers: NDArray[np.float64]) -> bool:
    """Tell whether all numbers are above 0, and their sum is finite."""
    with np.errstate(over="ignore"):
        return bool((numbers > 0).all() and np.isfinite(numbers.sum()))


def _are_positions(rows: NDArray[np.int64], n_rows: int) -> bool:
    """Tell whether rows ascend from 0 to below their number."""
    return len(rows) > 0 and bool(rows[0] >= 0 and rows[-1] < n_rows and (np.diff(rows) > 0).all())


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))
