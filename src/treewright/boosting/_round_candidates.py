"""The candidates of a round: the best test of each feature at a node, by the engine that grew the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.engine_results import ColumnTest, FeatureFacts, NodeCandidates
from treewright.explain.boosted import Offer
from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD

if TYPE_CHECKING:
    from treewright.boosting.plans import Plans

__all__ = ["MeanTree", "Round", "mean_search", "newton_search"]

Floats = NDArray[np.float64]
Rows = NDArray[np.uint32]
Search = Callable[[Rows, float, float], Sequence[Offer]]

CONSTANT = "all rows have the same value"
NO_TEST = "no cut that gains anything leaves both sides enough"


@dataclass(frozen=True, eq=False)
class Round:
    """One tree of a round as its grower saw it.

    Attributes
    ----------
    number, output : int
        The round, and the raw score that the tree adds to.
    gradient, hessian : ndarray of shape (n_rows,)
        Of all rows, for that output.
    equal_hessians : bool
        Whether all hessians are the same.
    seen : ndarray of bool or None
        Which rows the round drew; None: all of them, or it is not known.
    """

    number: int
    output: int
    gradient: Floats
    hessian: Floats
    equal_hessians: bool
    seen: NDArray[np.bool_] | None


class MeanTree:
    """A tree of least squares on negative gradients as its grower saw it.

    Parameters
    ----------
    dataset : _core.Dataset
        The rows as codes.
    gradient, weight : ndarray of shape (n_rows,)
        Gradients of the tree's output, weights included, and the weights.
    plan : _core.GrowPlan
        How the trees grow.
    """

    def __init__(
        self, dataset: _core.Dataset, gradient: Floats, weight: Floats, plan: _core.GrowPlan
    ) -> None:
        self._dataset, self._weight, self._plan = dataset, weight, plan
        self._residual = np.ascontiguousarray(-gradient / weight)

    def candidates(self, rows: Rows, **asked: Any) -> list[FeatureFacts]:
        """Return each feature's best test for some of the rows, by the engine's own search."""
        weight = np.ascontiguousarray(self._weight[rows])
        total = float(self._weight.sum())
        found = _core.mean_candidates(self._dataset, self._residual, self._plan, rows, weight, total, **asked)
        return cast(NodeCandidates, found)["features"]


def newton_search(dataset: _core.Dataset, plans: Plans, tree: Round, n_threads: int) -> Search:
    """Return a search by gradients and hessians: that of the grower, with its units.

    Parameters
    ----------
    dataset : _core.Dataset
        The rows as codes.
    plans : Plans
        How the trees grow.
    tree : Round
        What the tree was grown on.
    n_threads : int
        Threads to use.
    """
    gradient, hessian = tree.gradient.astype(np.float32), tree.hessian.astype(np.float32)

    def search(rows: Rows, lower: float = -np.inf, upper: float = np.inf) -> list[Offer]:
        tests = _core.boost_candidates(
            dataset,
            gradient,
            hessian,
            plans.boost,
            rows,
            round=tree.number,
            output=tree.output,
            exact=plans.exact,
            equal_hessians=tree.equal_hessians,
            drawn=None if tree.seen is None else tree.seen.astype(np.uint8),
            lower=lower,
            upper=upper,
            n_threads=n_threads,
        )
        return [_newton_offer(feature, test) for feature, test in enumerate(cast(list[ColumnTest], tests))]

    return search


def _newton_offer(feature: int, test: ColumnTest) -> Offer:
    if test["kind"] == KIND_LEAF:
        return Offer(feature, None, reason=CONSTANT if test["is_constant"] else NO_TEST)
    is_threshold = test["kind"] == KIND_THRESHOLD
    return Offer(
        feature,
        "threshold" if is_threshold else "subset",
        float(test["threshold"]),
        None if is_threshold else test["branches"][1:],
        int(test["branches"][0]),
        tuple(test["rows"]),
        tuple(test["gradient"]),
        tuple(test["hessian"]),
    )


def mean_search(tree: MeanTree, n_threads: int) -> Search:
    """Return a search by least squares on negative gradients.

    Parameters
    ----------
    tree : MeanTree
        What the tree was grown on.
    n_threads : int
        Threads to use.
    """

    def search(rows: Rows, lower: float = -np.inf, upper: float = np.inf) -> list[Offer]:
        found = tree.candidates(rows, lower=lower, upper=upper, n_threads=n_threads)
        return [_mean_offer(facts) for facts in found]

    return search


def _mean_offer(facts: FeatureFacts) -> Offer:
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
