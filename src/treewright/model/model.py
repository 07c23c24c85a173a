"""Model: schema, trees, classes and what made them. Immutable; its native predictor is built on first use."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema
from treewright.model.node import TreeView
from treewright.model.tree import Tree

__all__ = ["Model", "Task"]

Task = Literal["classification", "regression"]

# One lock for all models: it is held for the moment of building, and a lock of its own would stop a model
# from pickling.
_BUILDING = threading.Lock()


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model without the estimator around it.

    Attributes
    ----------
    algorithm : str
        Name of the estimator class that made it.
    params : mapping of str to object
        The estimator's parameters when it was fitted.
    task : {"classification", "regression"}
        What is predicted.
    schema : Schema
        Names, kinds and categories of the features.
    trees : tuple of Tree
        The trees.
    classes : ndarray or None
        The labels in the order of the trees' values; None for regression.
    class_order : ndarray or None
        The declared classes in their declared order, classes without rows included; None when none were
        declared.
    facts : mapping of str to object
        What else the fit found out, e.g. ``{"max_features": 4}``.
    """

    algorithm: str
    params: Mapping[str, Any]
    task: Task
    schema: Schema
    trees: tuple[Tree, ...]
    classes: NDArray[Any] | None = None
    class_order: NDArray[Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze = object.__setattr__
        # Arrays and dicts among the parameters belong to the caller, who may change them later.
        freeze(self, "params", MappingProxyType({name: _own(value) for name, value in self.params.items()}))
        freeze(self, "facts", MappingProxyType(dict(self.facts)))
        freeze(self, "trees", tuple(self.trees))
        for name in ("classes", "class_order"):
            array = getattr(self, name)
            if array is not None:
                array = np.array(array)
                array.flags.writeable = False
                freeze(self, name, array)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.schema.features)

    @property
    def n_outputs(self) -> int:
        """Numbers per prediction: one per class, or one."""
        return self.trees[0].n_values

    def view(self, tree: int = 0) -> TreeView:
        """Return a tree as nodes and splits in words."""
        return TreeView(self.trees[tree], self.schema)

    def with_trees(self, trees: tuple[Tree, ...], **facts: Any) -> Self:
        """Return the same model with other trees, e.g. pruned ones."""
        return replace(self, trees=trees, facts={**self.facts, **facts})

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    @property
    def predictor(self) -> _core.Predictor:
        """The native form of the trees; built once, safe to use from several threads."""
        if "_predictor" not in self.__dict__:
            with _BUILDING:
                if "_predictor" not in self.__dict__:
                    trees = [tree.to_arrays() for tree in self.trees]
                    object.__setattr__(self, "_predictor", _core.Predictor(trees, self.schema.n_codes))
        return cast(_core.Predictor, self.__dict__["_predictor"])

    def values(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return class distributions, or predicted numbers in one column, for an encoded matrix."""
        return self.predictor.values(matrix, n_threads)

    def apply(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree."""
        return self.predictor.apply(matrix, n_threads)

    # --- copying
    # ----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_predictor"}
        state["params"] = dict(self.params)
        state["facts"] = dict(self.facts)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __repr__(self) -> str:
        nodes = sum(tree.node_count for tree in self.trees)
        return (
            f"<Model: {self.algorithm}, {self.n_features} features, {len(self.trees)} tree(s), {nodes} nodes>"
        )


def _own(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else copy.deepcopy(value)
