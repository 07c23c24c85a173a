"""Members: the trees of an ensemble as fitted estimators, made when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from treewright.fitting.rows import feature_count
from treewright.model import Forest, Model
from treewright.model.facts import TreeFacts

__all__ = ["Members", "member_of", "restored_params"]

Floats = NDArray[np.float64]


class Members(Sequence[Any]):
    """A read-only list of estimators.

    Parameters
    ----------
    model : Model
        The model of all trees.
    make : callable
        Makes the estimator of a tree from its number.
    """

    def __init__(self, model: Model, make: Callable[[int], Any]) -> None:
        self._model = model
        self._make = make
        # Trees in lean arrays are unpacked again when needed; others are there anyway.
        self._kept: dict[int, Any] | None = None if isinstance(model.trees, Forest) else {}

    def __len__(self) -> int:
        return len(self._model.trees)

    @overload
    def __getitem__(self, tree: int) -> Any: ...

    @overload
    def __getitem__(self, tree: slice) -> list[Any]: ...

    def __getitem__(self, tree: int | slice) -> Any:
        if isinstance(tree, slice):
            return [self[i] for i in range(*tree.indices(len(self)))]
        index = tree.__index__()
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"tree {index} does not exist; the forest has the trees 0 to {len(self) - 1}")
        if self._kept is None:
            return self._make(position)
        if position not in self._kept:
            # Two threads may both make one: they are alike, and everybody gets the first.
            self._kept.setdefault(position, self._make(position))
        return self._kept[position]

    def __repr__(self) -> str:
        kind = type(self[0]).__name__.removeprefix("BagTree")
        return f"<{len(self)} fitted trees, each one a {kind}>"

    # --- prediction, for trees that the engine does not hold as a forest
    # --------------------------------------------

    def answers(self, tree: int, matrix: NDArray[Any], votes: bool, n_threads: int) -> Floats:
        """Return what one tree says: class distributions, or with `votes` 1 for its class; or numbers."""
        member = self[tree]
        model: Model = member.model_
        if model.classes is None:
            return model.values(matrix, n_threads)
        if not votes:
            shares: Floats = member._probabilities(matrix, n_threads)
            return shares
        values = model.values(matrix, n_threads)
        chosen = np.zeros_like(values)
        chosen[np.arange(len(values)), member._chosen_classes(values)] = 1.0
        return chosen

    def values(self, matrix: NDArray[Any], votes: bool, n_threads: int) -> Floats:
        """Return the mean over all trees."""
        total = self.answers(0, matrix, votes, n_threads)
        for tree in range(1, len(self)):
            total = total + self.answers(tree, matrix, votes, n_threads)
        return total / len(self)


def member_of(model: Model, tree: int, tree_class: type[Any], params: Mapping[str, Any]) -> Any:
    """Return a tree of an ensemble as a fitted estimator.

    Parameters
    ----------
    model : Model
        The ensemble.
    tree : int
        The tree's number.
    tree_class : type
        Class of the estimator.
    params : mapping of str to object
        Its parameters.
    """
    return tree_class.from_model(
        Model(
            algorithm=tree_class.__name__,
            params=params,
            task=model.task,
            schema=model.schema,
            trees=(model.trees[tree],),
            classes=model.classes,
            class_order=model.class_order,
            facts=vars(
                TreeFacts(
                    max_features=feature_count(params.get("max_features"), model.n_features),
                    criterion=model.criterion,
                    missing_features=model.missing_features,
                )
            ),
        )
    )


def restored_params(params: Mapping[str, Any], known: Iterable[type[Any]]) -> dict[str, Any]:
    """Return the parameters of a model as its estimator takes them: `estimator` is one again.

    Parameters
    ----------
    params : mapping of str to object
        As a model keeps them, perhaps from a file that may hold anything.
    known : iterable of type
        Classes that `estimator` may have.
    """
    stored = params.get("estimator")
    if stored is None:
        return dict(params)
    by_name = {one.__name__: one for one in known}
    if not isinstance(stored, dict) or set(stored) != {"class", "params"} or stored["class"] not in by_name:
        raise ValueError("its estimator is none that this library has")
    return {**params, "estimator": by_name[stored["class"]](**stored["params"])}
