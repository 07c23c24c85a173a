"""Model: schema, trees, classes and what made them. Immutable; its native predictor is built on first use."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.argument import check_list
from treewright.criteria import REAL_NAMES
from treewright.data import Schema
from treewright.data.schema import frozen
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.link import answers
from treewright.model.node import TreeView
from treewright.model.tree import Tree
from treewright.model.weighted import WeightedTrees, decision_probabilities

__all__ = ["Aggregation", "Model", "Task"]

Task = Literal["classification", "regression"]
Aggregation = Literal["one", "mean", "votes", "sum", "weighted"]

# Of a tree; its thresholds may be infinite.
TREE_NUMBERS = ("value", "weight", "loss", "gain", "candidate_gain")

# What is built when first needed, and neither copied nor pickled.
BUILT = ("_predictor", "_weighted", "_attributions")

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
    trees : tuple of Tree, or Forest
        The trees.
    classes : ndarray or None
        The labels in the order of the trees' values; None for regression.
    class_order : ndarray or None
        The declared classes in their declared order, classes without rows included; None when none were
        declared.
    facts : mapping of str to object
        What else the fit found out, in plain values, e.g. ``{"max_features": 4}``: what a file holds.
        `treewright.model.facts` gives them types.
    arrays : mapping of str to ndarray
        What else the fit found out, in numbers too many for `facts`, e.g. ``importances``. Saved with the
        model; read-only, not copied.
    target_name : str or None
        Name of what is predicted: that of the Series or of the single column that `fit` was given.
    """

    algorithm: str
    params: Mapping[str, Any]
    task: Task
    schema: Schema
    trees: tuple[Tree, ...] | Forest
    classes: NDArray[Any] | None = None
    class_order: NDArray[Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    target_name: str | None = None

    def __post_init__(self) -> None:
        freeze = object.__setattr__
        # Arrays and dicts among the parameters belong to the caller, who may change them later.
        freeze(self, "params", MappingProxyType({name: _own(value) for name, value in self.params.items()}))
        # A fact that is None is none: files do not have it.
        known = {name: value for name, value in self.facts.items() if value is not None}
        freeze(self, "facts", MappingProxyType(known))
        freeze(self, "arrays", MappingProxyType({name: frozen(a) for name, a in self.arrays.items()}))
        if not isinstance(self.trees, Forest):
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
        if self.aggregation == "sum":
            return 1 if self.classes is None else len(self.classes)
        return self.trees.n_values if isinstance(self.trees, Forest) else self.trees[0].n_values

    @property
    def aggregation(self) -> Aggregation:
        """How trees become an answer.

        There is one; the mean of all; each tree votes for one class; they add up to raw scores, which the
        link ``facts["link"]`` turns into the answer; or they vote with weights (numbers: the median).
        """
        default = "one" if len(self.trees) == 1 else "mean"
        return cast(Aggregation, self.facts.get("aggregation", default))

    @property
    def criterion(self) -> str:
        """What the trees were grown by; for gain and gain ratio the impurity is the entropy.

        A fit writes it down (`Recipe.measure`); only files of the first versions are asked for parameters.
        """
        if isinstance(self.trees, Forest):
            return self.trees.criterion
        named = self.facts.get("criterion", self.params.get("criterion"))
        # Bagged trees were grown by what the parameter `estimator` says.
        member = self.params.get("estimator")
        if named is None and isinstance(member, Mapping) and isinstance(member.get("params"), Mapping):
            named = member["params"].get("criterion")
        return "gain" if named is None else REAL_NAMES.get(str(named), str(named))

    @property
    def max_features(self) -> int:
        """Features that every node looked at, of a tree or a forest."""
        return int(self.facts["max_features"])

    @property
    def loss(self) -> str | None:
        """What a booster makes small, whatever its trees are grown by; None for other models."""
        return self._said("loss")

    @property
    def link(self) -> str | None:
        """What turns the sums of trees into answers; None where they are none."""
        return self._said("link")

    @property
    def single_sums(self) -> bool:
        """Whether every sum of trees is rounded to single precision, as in XGBoost."""
        return self._said("sums") == "float32"

    @property
    def edited(self) -> str | None:
        """What was changed by hand, in words; None when nothing was."""
        return self._said("edited")

    @property
    def source(self) -> str | None:
        """The library that has fitted it, where it was another one."""
        return self._said("source")

    @property
    def calibration(self) -> Mapping[str, Any] | None:
        """What turns a forest's shares into probabilities, in plain values; None where nothing does."""
        found: Mapping[str, Any] | None = self.facts.get("calibration")
        return found

    @property
    def missing_features(self) -> list[int] | None:
        """Features without a value in some row of the fit, where an ensemble has written them down."""
        found: list[int] | None = self.facts.get("missing_features")
        return found

    def missing_with(self, found: list[int] | None) -> list[int] | None:
        """Return the features with missing values of this model's fit together with those of a later one."""
        before = self.missing_features
        return None if before is None or found is None else sorted({*before, *found})

    def _said(self, fact: str) -> str | None:
        value = self.facts.get(fact)
        return None if value is None else str(value)

    @property
    def overflown(self) -> str | None:
        """Which number is not finite, of those that it keeps and that answers make of them; None: all are."""
        with np.errstate(all="ignore"):
            return next((words for words, values in self._numbers() if not np.isfinite(values).all()), None)

    def _numbers(self) -> Iterator[tuple[str, Any]]:
        start = self.arrays.get("start")
        if start is not None:
            yield "the start", start
            if self.facts.get("link") == "log":  # the answers of other links are finite
                yield "the first prediction", answers(start[np.newaxis], "log")
        if isinstance(self.trees, Forest):
            yield from self._numbers_of_forest(self.trees.arrays)
            return
        if "estimator_weights" in self.arrays:
            yield "the sum of the weights of trees", self.arrays["estimator_weights"].sum()
        for tree in self.trees:
            arrays = tree.to_arrays()
            for name in TREE_NUMBERS:
                yield f"the {name.replace('_', ' of a ')} of a node", arrays[name][~np.isnan(arrays[name])]
            loss, weight = arrays["loss"], arrays["weight"]
            known = ~np.isnan(loss) & (weight > 0)
            yield "the loss of a node for its weight", loss[known] / weight[known]
            gains = arrays["gain"] / max(float(weight[0]), np.finfo(float).tiny)
            yield "the sum of the gains of a tree", np.nansum(gains)

    def _numbers_of_forest(self, arrays: Mapping[str, NDArray[Any]]) -> Iterator[tuple[str, Any]]:
        leaves = arrays["feature"] == FOREST_LEAF
        values, weight = arrays["number"][leaves], arrays["weight"].astype(np.float64)
        yield "the value of a leaf", values
        yield "the weight of a node", weight
        if "gradient" not in arrays:
            yield "the square of a leaf's value", values**2 * weight[leaves]
            return
        gradient, known = arrays["gradient"], weight > 0
        yield "the square of a node's gradient", gradient**2
        yield "the gain of a node", (gradient[known] ** 2 / weight[known]).sum()
        yield "the mean gradient of a node", gradient[known] / weight[known]
        rate = self.facts.get("learning_rate")
        rates = self.arrays.get("learning_rates", np.atleast_1d(rate if isinstance(rate, float) else 1.0))
        yield "the step of a leaf", np.abs(values).max(initial=0.0) / rates[rates > 0]

    # --- single trees
    # -----------------------------------------------------------------------------------------------

    def tree_number(self, tree: int | None) -> int:
        """Return the number of the tree that is meant; None means the only one.

        Raises
        ------
        ValueError
            When there are several trees and `tree` is None.
        IndexError
            When there is no such tree.
        """
        n_trees = len(self.trees)
        if tree is None:
            if n_trees == 1:
                return 0
            what = "booster" if self.aggregation in ("sum", "weighted") else "forest"
            raise ValueError(
                f"This is a {what} of {n_trees} trees: say which one, e.g. tree={min(17, n_trees - 1)}."
            )
        if isinstance(tree, bool) or not hasattr(tree, "__index__"):
            raise TypeError(f"tree must be the number of a tree, got {tree!r}.")
        if not 0 <= tree.__index__() < n_trees:
            raise IndexError(f"tree={tree} does not exist; the model has {n_trees} tree(s), counted from 0.")
        return tree.__index__()

    def names(self, given: Sequence[str] | None = None) -> list[str]:
        """Return the names of the features to show: those given, or those of the training data."""
        if given is None:
            return [feature.name for feature in self.schema.features]
        check_list("feature_names", given, "names")
        if len(given) != self.n_features:
            raise ValueError(
                f"feature_names has {len(given)} names, but the model has {self.n_features} features."
            )
        return [str(name) for name in given]

    def view(self, tree: int | None = None) -> TreeView:
        """Return a tree as nodes and splits in words; a model of several trees must be told which one."""
        return TreeView(self.trees[self.tree_number(tree)], self.schema, self.missing_features)

    def alone(self, tree: int | None = None) -> Self:
        """Return the model of one of the trees, without what belongs to all of them."""
        number = self.tree_number(tree)
        if self.aggregation == "one" and not isinstance(self.trees, Forest):
            return self
        facts = {**self.facts, "aggregation": "one", "criterion": self.criterion}
        return replace(self, trees=(self.trees[number],), facts=facts, arrays={})

    def with_trees(self, trees: tuple[Tree, ...] | Forest, **facts: Any) -> Self:
        """Return the same model with other trees, e.g. pruned ones."""
        return replace(self, trees=trees, facts={**self.facts, **facts})

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    @property
    def predictor(self) -> Any:
        """The native form of the trees; built once, safe to use from several threads.

        A ``_core.ForestPredictor`` for a `Forest`, otherwise a ``_core.Predictor``, which adds up the values
        of its trees: see `values`.
        """
        if "_predictor" not in self.__dict__:
            with _BUILDING:
                if "_predictor" not in self.__dict__:
                    object.__setattr__(self, "_predictor", _built(self.trees, self.schema.n_codes))
        return self.__dict__["_predictor"]

    def values(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return class distributions, or predicted numbers in one column, for an encoded matrix."""
        way = self.aggregation
        if way in ("one", "mean"):
            return self.mean_values(matrix, n_threads)
        if way == "votes":
            return self.vote_shares(matrix, n_threads)
        if way == "sum":
            return answers(self.raw_scores(matrix, n_threads), self.facts["link"])
        if way == "weighted" and self.classes is None:
            return self.weighted.medians(matrix, n_threads)[:, np.newaxis]
        if way == "weighted":
            return decision_probabilities(self.weighted.decision(matrix, n_threads))
        raise ValueError(f"There is no way to make one answer of trees called {way!r}.")

    def mean_values(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return the mean of the trees' answers, whatever `aggregation` says."""
        values: NDArray[np.float64] = self.predictor.values(matrix, n_threads)
        if not isinstance(self.trees, Forest) and len(self.trees) > 1:
            values /= len(self.trees)
        return values

    def raw_scores(
        self,
        matrix: NDArray[Any],
        n_threads: int = 1,
        first: int = 0,
        last: int | None = None,
        start: NDArray[np.float64] | None = None,
        single: bool = False,
    ) -> NDArray[np.float64]:
        """Return the raw scores of some rounds, one column per output, of a model whose trees add up.

        They are added in the order of the rounds, as in fitting: to the last bit the scores that fitting had.

        Parameters
        ----------
        matrix : ndarray
            Encoded rows.
        n_threads : int, default=1
            Threads to use.
        first, last : int
            The rounds to add up, `last` not included; all by default.
        start : ndarray of shape (n_rows, n_outputs), optional
            Scores to add to; by default what the model starts from.
        single : bool, default=False
            Whether every sum is rounded to single precision, as the exact method's are in fitting and
            XGBoost's in prediction (the fact ``sums`` of an imported model).
        """
        n_outputs = len(self.arrays["start"])
        end = len(self.trees) if last is None else last * n_outputs
        scores: NDArray[np.float64] = self.arrays["start"][np.newaxis] if start is None else start
        single = single or self.facts.get("sums") == "float32"
        if single:
            scores = scores.astype(np.float32).astype(np.float64)
        scores = self.predictor.sums(matrix, scores, first * n_outputs, end, n_threads, single)
        return scores

    def staged_raw_scores(self, matrix: NDArray[Any], n_threads: int = 1) -> Iterator[NDArray[np.float64]]:
        """Return the raw scores after each round, of a model whose trees add up."""
        raw = None
        for number in range(len(self.trees) // len(self.arrays["start"])):
            raw = self.raw_scores(matrix, n_threads, number, number + 1, raw)
            yield raw

    @property
    def weighted(self) -> WeightedTrees:
        """The trees with their weights, of a model whose trees have some; built once."""
        if "_weighted" not in self.__dict__:
            real = self.facts.get("algorithm") == "SAMME.R"
            weights = self.arrays["estimator_weights"]
            built = WeightedTrees(tuple(self.trees), weights, self.schema.n_codes, real)
            with _BUILDING:
                self.__dict__.setdefault("_weighted", built)
        found: WeightedTrees = self.__dict__["_weighted"]
        return found

    def vote_shares(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return for each class the share of trees that find it most probable, the first among equals."""
        shares: NDArray[np.float64] = self.predictor.votes(matrix, n_threads)
        return shares

    def apply(self, matrix: NDArray[Any], n_threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree."""
        leaves: NDArray[np.int32] = self.predictor.apply(matrix, n_threads)
        return leaves

    # --- copying
    # ----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in BUILT}
        for name in ("params", "facts", "arrays"):
            state[name] = dict(state[name])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __repr__(self) -> str:
        trees = self.trees
        nodes = trees.node_count if isinstance(trees, Forest) else sum(tree.node_count for tree in trees)
        return (
            f"<Model: {self.algorithm}, {self.n_features} features, {len(self.trees)} tree(s), {nodes} nodes>"
        )


def _built(trees: tuple[Tree, ...] | Forest, n_codes: NDArray[np.uint32]) -> Any:
    if isinstance(trees, Forest):
        return _core.ForestPredictor(trees.to_arrays(), n_codes)
    return _core.Predictor([tree.to_arrays() for tree in trees], n_codes)


def _own(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else copy.deepcopy(value)
