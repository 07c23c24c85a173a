"""RoundMembers: the trees of gradient boosting as fitted regressors, made when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.fitting.rows import feature_count
from treewright.model import Forest, Model, Tree
from treewright.model.arrays import KIND_LEAF
from treewright.model.facts import BoosterFacts, TreeFacts
from treewright.model.learning_rate import rate_of_tree
from treewright.trees import CARTRegressor

__all__ = ["RoundMembers", "earlier_fits", "round_members"]

# How a tree grows.
TREE_PARAMS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "max_features",
    "max_leaf_nodes",
)
# What a warm start may change.
FIT_PARAMS = (*TREE_PARAMS, "ccp_alpha")
# Those, and what else a tree has from its booster.
MEMBER_PARAMS = (*FIT_PARAMS, "categorical_features", "n_jobs")


class RoundMembers:
    """A read-only table of estimators: a row for each round, a column for each raw score.

    It is indexed as the array of objects that scikit-learn has: ``[3, 0]`` is an estimator, ``[3]`` and
    ``[:, 0]`` are arrays of them.

    Parameters
    ----------
    n_rounds, n_outputs : int
        The shape.
    make : callable
        Makes the estimator of a tree from its number.
    """

    def __init__(self, n_rounds: int, n_outputs: int, make: Callable[[int], Any]) -> None:
        self._numbers = np.arange(n_rounds * n_outputs).reshape(n_rounds, n_outputs)
        self._make = make

    @property
    def shape(self) -> tuple[int, int]:
        """Rounds, and trees of a round."""
        n_rounds, n_outputs = self._numbers.shape
        return n_rounds, n_outputs

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def size(self) -> int:
        """Number of trees."""
        return self._numbers.size

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        chosen = self._numbers[place]
        return self._made(chosen) if isinstance(chosen, np.ndarray) else self._make(int(chosen))

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self._made(numbers) for numbers in self._numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the estimators are made when they are asked for: an array of them is a copy")
        return self._made(self._numbers)

    @property
    def flat(self) -> Iterator[Any]:
        """All trees, round by round."""
        return iter(self.ravel())

    def ravel(self) -> NDArray[Any]:
        """Return all trees, round by round."""
        return self._made(self._numbers.ravel())

    def _made(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        members = np.empty(numbers.shape, dtype=object)
        for place, number in np.ndenumerate(numbers):
            members[place] = self._make(int(number))
        # Nobody shall think that a change of the array changes the booster.
        members.flags.writeable = False
        return members

    def __repr__(self) -> str:
        n_rounds, n_outputs = self.shape
        return f"<{n_rounds} rounds of {n_outputs} fitted trees, each one a {type(self[0, 0]).__name__}>"


def round_members(model: Model) -> RoundMembers:
    """Return the trees of a model of gradient boosting.

    Parameters
    ----------
    model : Model
        Its trees are least-squares CARTs.
    """
    n_outputs = len(model.arrays["start"])
    return RoundMembers(len(model.trees) // n_outputs, n_outputs, lambda number: _member(model, number))


def earlier_fits(earlier: Model | None, params: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return how the trees of rounds grew that a warm start was added to, where that differs.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    params : mapping of str to object
        The parameters of the new rounds.
    """
    if earlier is None:
        return None
    facts = BoosterFacts.of(earlier)
    then = {name: earlier.params[name] for name in FIT_PARAMS if name in earlier.params}
    if facts.earlier_fits is None and all(params[name] == value for name, value in then.items()):
        return None
    return [*(facts.earlier_fits or []), {"n_rounds": facts.n_rounds, "params": then}]


def _member(model: Model, number: int) -> CARTRegressor:
    """Return a tree as an estimator."""
    params = {name: model.params[name] for name in MEMBER_PARAMS if name in model.params}
    round_number = number // len(model.arrays["start"])
    for fit in BoosterFacts.of(model).earlier_fits or ():
        if round_number < fit["n_rounds"]:
            params |= {name: value for name, value in fit["params"].items() if name in FIT_PARAMS}
            break
    return CARTRegressor.from_model(
        Model(
            algorithm=CARTRegressor.__name__,
            # A booster remembers no candidates.
            params=CARTRegressor(n_candidates=0, **params).get_params(deep=False),
            task="regression",
            schema=model.schema,
            trees=(_tree(model, number),),
            facts=vars(
                TreeFacts(
                    max_features=feature_count(params["max_features"], model.n_features),
                    criterion=model.criterion,
                    missing_features=model.missing_features,
                )
            ),
        )
    )


def _tree(model: Model, number: int) -> Tree:
    """Return a tree as scikit-learn has it: leaves say their steps before the learning rate.

    Inner nodes say the mean of their negative gradients, and the gains are those by which the tree was grown.
    """
    forest, tree, rate = model.trees, model.trees[number], rate_of_tree(model, number)
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    first, end = forest.arrays["begin"][number : number + 2].tolist()
    gradient = forest.arrays["gradient"][first:end]
    arrays = tree.to_arrays()
    inner = np.flatnonzero(arrays["kind"] != KIND_LEAF)
    value, gain, weight = arrays["value"] / (rate or 1.0), arrays["gain"].copy(), arrays["weight"]
    # Nodes whose weights are below the smallest number of single precision have 0.
    mean, score = (
        np.divide(part, weight, out=np.zeros_like(gradient), where=weight > 0)
        for part in (gradient, gradient * gradient)
    )
    value[inner, 0], left = -mean[inner], arrays["first_child"][inner]
    gain[inner] = np.maximum(score[left] + score[left + 1] - score[inner], 0.0)
    return Tree({**arrays, "value": value, "gain": gain}, tree.n_codes)
