"""The best test of each feature at a node of a booster's tree, found by the engine that grows the trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema
from treewright.explain.boosted import Offer
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD
from treewright.model.split import branches_of_codes

if TYPE_CHECKING:
    from treewright.boosting._booster import Plans

__all__ = ["mean_search", "newton_search"]

Floats = NDArray[np.float64]
Rows = NDArray[np.uint32]
Search = Callable[[Rows], Sequence[Offer]]

NOMINAL, ORDINAL = 1, 2
CONSTANT = "all rows have the same value"
NO_TEST = "no cut that gains anything leaves both sides enough"
# All limits of a plan that do not concern one node and one column.
ONE_TEST: dict[str, Any] = {
    "max_depth": 1,
    "min_gain": 0.0,
    "max_features_tree": 0,
    "max_features_level": 0,
    "max_features_node": 0,
    "subsample": 1.0,
    "top_share": 0.0,
    "other_share": 0.0,
    "interactions": [],
}


def newton_search(dataset: Any, schema: Schema, gradient: Floats, hessian: Floats, plans: Plans) -> Search:
    """Return a search by gradients and hessians: a tree of one test is grown on each column.

    Parameters
    ----------
    dataset : _core.Dataset
        The rows as codes.
    schema : Schema
        Their columns.
    gradient, hessian : ndarray of shape (n_rows,)
        Of the tree's output.
    plans : Plans
        How the trees grow.
    """
    signs = list(plans.boost.monotone)

    def search(rows: Rows) -> list[Offer]:
        plan = plans.boost
        for name, value in ONE_TEST.items():
            setattr(plan, name, value)
        found = []
        g, h = gradient[rows], hessian[rows]
        for feature in range(dataset.n_features):
            plan.monotone = [signs[feature]] if signs else []
            codes = np.asarray(dataset.codes(feature))[rows].astype(np.uint32)
            if len(np.unique(codes)) < 2:
                found.append(Offer(feature, None, reason=CONSTANT))
                continue
            nominal = schema.features[feature].kind == "nominal"
            found.append(_best(dataset, feature, codes, nominal, g, h, plan, plans.exact))
        return found

    return search


def _best(
    dataset: Any,
    feature: int,
    codes: NDArray[np.uint32],
    nominal: bool,
    g: Floats,
    h: Floats,
    plan: _core.BoostPlan,
    exact: bool,
) -> Offer:
    n_codes = int(dataset.n_codes(feature))
    # Bins in their order are an ordered category: the search sees the codes that the fit saw.
    column = _core.Dataset.from_columns([codes], [NOMINAL if nominal else ORDINAL], [n_codes])
    grow = _core.boost_exact_tree if exact else _core.boost_histogram_tree
    tree = grow(column, g.astype(np.float32), h.astype(np.float32), plan)
    kind, missing = int(tree["kind"][0]), int(tree["missing"][0])
    if kind == KIND_LEAF:
        return Offer(feature, None, reason=NO_TEST)
    threshold, branches = float("nan"), None
    if kind == KIND_THRESHOLD:
        at = float(tree["threshold"][0])
        right = codes > at
        threshold = _threshold(dataset, feature, codes, at, exact)
    else:
        every = np.arange(n_codes + 1, dtype=np.int64)
        of_codes = branches_of_codes(tree["tables"], int(tree["table"][0]), every)
        right, branches = of_codes[codes] == 1, of_codes[1:]
    right = np.where(codes == 0, missing == 1, right)
    sides = (~right, right)
    return Offer(
        feature,
        "threshold" if kind == KIND_THRESHOLD else "subset",
        threshold,
        branches,
        missing,
        tuple(int(side.sum()) for side in sides),
        tuple(float(g[side].sum()) for side in sides),
        tuple(float(h[side].sum()) for side in sides),
    )


def _threshold(dataset: Any, feature: int, codes: NDArray[np.uint32], at: float, exact: bool) -> float:
    """Return the threshold between two codes in the units of the column."""
    lower, upper = (np.asarray(side) for side in dataset.values(feature))
    if not np.isfinite(at):
        return at
    if len(lower) == 0:  # categories in an order: their codes are the values
        return at
    if exact:
        known = codes[codes > 0]
        left, right = int(known[known <= at].max()), int(known[known > at].min())
    else:
        left, right = int(at), int(at) + 1
    return float(upper[left - 1] / 2 + lower[right - 1] / 2)


def mean_search(
    dataset: Any, gradient: Floats, weight: Floats, plan: _core.GrowPlan, n_threads: int
) -> Search:
    """Return a search by least squares on negative gradients.

    Parameters
    ----------
    dataset : _core.Dataset
        The rows as codes.
    gradient, weight : ndarray of shape (n_rows,)
        Gradients of the tree's output, weights included, and the weights.
    plan : _core.GrowPlan
        How the trees grow.
    n_threads : int
        Threads to use.
    """
    residual = np.ascontiguousarray(-gradient / weight)

    def search(rows: Rows) -> list[Offer]:
        answer = _core.mean_candidates(
            dataset,
            residual,
            plan,
            rows,
            np.ascontiguousarray(weight[rows]),
            float(weight.sum()),
            n_threads=n_threads,
        )
        return [_offer(facts) for facts in answer["features"]]

    return search


def _offer(facts: dict[str, Any]) -> Offer:
    feature, kind = int(facts["feature"]), int(facts["kind"])
    if kind == KIND_LEAF:
        return Offer(feature, None, reason=NO_TEST)
    sides = facts["branches"]
    weights = [float(weight) for weight in sides["weight"]]
    means = [float(amounts[0]) for amounts in sides["amounts"]]
    is_threshold = kind == KIND_THRESHOLD
    return Offer(
        feature,
        "threshold" if is_threshold else "subset",
        float(facts["threshold"]) if is_threshold else float("nan"),
        None if is_threshold else np.asarray(facts["code_branches"]),
        int(facts["missing"]),
        tuple(int(n) for n in sides["rows"]),
        tuple(-mean * weight for mean, weight in zip(means, weights, strict=True)),
        tuple(weights),
    )
