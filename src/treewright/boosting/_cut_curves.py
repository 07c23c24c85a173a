"""The gain of every cut of one feature at a node of a boosted tree: the curve behind its best test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Feature, Schema
from treewright.explain.boosted.split_formula import Shrinkage
from treewright.explain.split_report import Cuts
from treewright.explain.split_search import cuts_of

if TYPE_CHECKING:
    from treewright.boosting._round_candidates import MeanTree, Round
    from treewright.boosting.plans import Plans

__all__ = ["Curve", "mean_curve", "newton_curve"]

Floats = NDArray[np.float64]
Rows = NDArray[np.uint32]
Curve = Callable[[int, Rows, Shrinkage], Cuts | None]


def newton_curve(dataset: _core.Dataset, plans: Plans, tree: Round, schema: Schema) -> Curve:
    """Return the curves of trees that are grown on gradients and hessians.

    Parameters
    ----------
    dataset : _core.Dataset
        The rows as codes: every border between two codes is a cut.
    plans : Plans
        How the trees grow.
    tree : Round
        What the tree was grown on.
    schema : Schema
        Kinds and categories of the columns.
    """
    plan = plans.boost

    def curve(feature: int, rows: Rows, shrinkage: Shrinkage) -> Cuts | None:
        codes = dataset.codes(feature)[rows].astype(np.intp)
        sums = _Sums(codes, tree.gradient[rows], tree.hessian[rows])
        column = schema.features[feature]
        direction = plan.monotone[feature] if plan.monotone else 0
        judge = _Judge(sums, shrinkage, plan, int(direction))
        if column.kind == "nominal":
            return _category_cuts(column, sums, judge, plan, shrinkage)
        return _threshold_cuts(dataset.values(feature), sums, judge, plans.exact)

    return curve


def mean_curve(tree: MeanTree, schema: Schema) -> Curve:
    """Return the curves of trees of least squares on negative gradients, by the engine's own search.

    Parameters
    ----------
    tree : MeanTree
        What the tree was grown on.
    schema : Schema
        Kinds and categories of the columns.
    """

    def curve(feature: int, rows: Rows, shrinkage: Shrinkage) -> Cuts | None:
        found = tree.candidates(rows, features=[feature], cuts=True)[0]
        return cuts_of(schema.features[feature], found["curve"], 1.0)

    return curve


class _Sums:
    """Rows, gradients and hessians of every code that occurs in the node."""

    def __init__(self, codes: NDArray[np.intp], gradient: Floats, hessian: Floats) -> None:
        n = np.bincount(codes)
        self.present: NDArray[np.intp] = np.flatnonzero(n)
        self.n: NDArray[np.intp] = n[self.present]
        # The type of bincount with weights is float64, whatever its stub says.
        self.gradient: Floats = np.asarray(np.bincount(codes, gradient)[self.present], dtype=np.float64)
        self.hessian: Floats = np.asarray(np.bincount(codes, hessian)[self.present], dtype=np.float64)


class _Judge:
    """The gain of sending some rows left, and whether the limits allow it."""

    def __init__(self, sums: _Sums, shrinkage: Shrinkage, plan: _core.BoostPlan, direction: int) -> None:
        self._n, self._g, self._h = sums.n.sum(), sums.gradient.sum(), sums.hessian.sum()
        self._shrinkage, self._plan, self._direction = shrinkage, plan, direction

    def gains(self, gradient: Floats, hessian: Floats, more_l2: float = 0.0) -> Floats:
        """Return the gains of left sides with these sums."""
        score, own = self._shrinkage.score, self._shrinkage.score(self._g, self._h)
        pairs = zip(gradient.tolist(), hessian.tolist(), strict=True)
        return np.array(
            [score(g, h, more_l2) + score(self._g - g, self._h - h, more_l2) - own for g, h in pairs]
        )

    def allows(self, n: NDArray[np.intp], gradient: Floats, hessian: Floats) -> NDArray[np.bool_]:
        """Tell which left sides respect the limits of rows, hessians and directions."""
        plan, value = self._plan, self._shrinkage.value
        allowed = np.minimum(n, self._n - n) >= max(1, plan.min_rows_leaf)
        # As sums: whole numbers of small units in the engine, so a last digit may differ here.
        least = plan.min_hessian_leaf * (1 - 1e-6)
        allowed &= np.minimum(hessian, self._h - hessian) >= least
        if self._direction:
            rises = [
                value(self._g - g, self._h - h) - value(g, h)
                for g, h in zip(gradient.tolist(), hessian.tolist(), strict=True)
            ]
            allowed &= self._direction * np.array(rises) >= 0
        return cast(NDArray[np.bool_], allowed)


def _threshold_cuts(values: tuple[Floats, Floats], sums: _Sums, judge: _Judge, exact: bool) -> Cuts | None:
    has_missing = bool(len(sums.present)) and sums.present[0] == 0
    known = slice(1 if has_missing else 0, None)
    codes = sums.present[known]
    if len(codes) < 2:
        return None
    low, high = values
    # Histograms cut at the end of a bin, the exact method between two values of the node.
    above = low[codes[1:] - 1] if exact else low[np.minimum(codes[:-1] + 1, len(low)) - 1]
    below = high[codes[:-1] - 1]
    threshold = below + (above - below) / 2
    n, g, h = (np.cumsum(part[known])[:-1] for part in (sums.n, sums.gradient, sums.hessian))
    sides = [False, True] if has_missing else [False]
    parts = [
        (n + left * sums.n[0], g + left * sums.gradient[0], h + left * sums.hessian[0]) for left in sides
    ]
    return Cuts(
        threshold=tuple(threshold.tolist() * len(sides)),
        gain=tuple(np.concatenate([judge.gains(g, h) for _, g, h in parts]).tolist()),
        left=tuple(int(count) for n, _, _ in parts for count in n),
        missing_left=tuple(left for left in sides for _ in threshold),
        admissible=tuple(np.concatenate([judge.allows(*part) for part in parts]).tolist()),
    )


def _category_cuts(
    column: Feature, sums: _Sums, judge: _Judge, plan: _core.BoostPlan, shrinkage: Shrinkage
) -> Cuts | None:
    """Return the gains along the order of the categories; a missing value is one of them."""
    n_codes = column.n_codes
    few = n_codes <= max(plan.one_against_rest, plan.few_categories)
    alone = n_codes <= plan.one_against_rest
    kept: Any = np.ones(len(sums.present), np.bool_) if few else sums.n >= plan.min_rows_category
    smoothing = shrinkage.l2 if few else plan.category_smoothing
    key = sums.gradient / np.maximum(sums.hessian + smoothing, np.finfo(float).tiny)
    order = np.flatnonzero(kept)[np.argsort(key[kept], kind="stable")]
    if len(order) == 0 or len(sums.present) < 2:
        return None
    last = len(order) if alone or len(order) < len(sums.present) else len(order) - 1
    n, g, h = sums.n[order], sums.gradient[order], sums.hessian[order]
    if not alone:
        n, g, h = np.cumsum(n), np.cumsum(g), np.cumsum(h)
    n, g, h = n[:last], g[:last], h[:last]
    allowed = judge.allows(n, g, h)
    if not alone:
        named = np.arange(1, last + 1)
        most = min(int(plan.max_categories_side), (len(order) + 1) // 2)
        allowed &= (named <= most) | (len(order) - named <= most)
    names = column.categories or ()
    words = [str(names[code - 1]) if code else "missing" for code in sums.present[order]]
    places = np.arange(1, last + 1)
    missing = np.flatnonzero(sums.present[order] == 0)
    at = int(missing[0]) + 1 if len(missing) else last + 1
    return Cuts(
        threshold=tuple(places.astype(float).tolist()),
        gain=tuple(judge.gains(g, h, _core.more_l2_of(plan, n_codes)).tolist()),
        left=tuple(n.tolist()),
        missing_left=tuple(((places == at) if alone else (places >= at)).tolist()),
        admissible=tuple(allowed.tolist()),
        categories=tuple(words),
        alone=alone,
    )
