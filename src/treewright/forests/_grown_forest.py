"""GrownForest: what a fitted forest is made of and answers, whatever grew it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.forests import _state
from treewright.forests._bag import Bag
from treewright.forests._bags import Bags, bag_of
from treewright.forests._drawn_again import DrawnAgain
from treewright.forests._examined import Examined
from treewright.forests._explained import ExplainedForest
from treewright.forests._members import Members
from treewright.forests._paths import Paths
from treewright.model import Forest, Model
from treewright.trees._base import SingleTree
from treewright.trees._fitted import Fitted
from treewright.trees._parameters import Parameters
from treewright.trees._settings import feature_count, row_limits

__all__ = ["GrownForest"]


class GrownForest(ExplainedForest, Examined, Paths, Fitted, Parameters, BaseEstimator):
    """Base of the forests: from the model to attributes and answers."""

    # Whether a node tries one random cut of each feature instead of all.
    _random_cuts: ClassVar[bool] = False
    # Whether a test of many categories pays for their number.
    _prices_categories: ClassVar[bool] = False
    _tree_class: ClassVar[type[SingleTree]]

    oob_score_: float
    _bags_: tuple[Bags, ...]
    _members_: Members

    @abstractmethod
    def _tree_params(self) -> dict[str, Any]:
        """Return the parameters of a single tree of the forest."""

    # --- from the model
    # ----------------------------------------------------------------------------------------------

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_schema(model)
        bags = _state.model_bags(model)
        self._bags_ = bags
        self._members_ = Members(model, lambda tree: self._member(model, bags, tree))
        if "oob_score" in model.facts:
            self.oob_score_ = float(model.facts["oob_score"])
        else:
            self.__dict__.pop("oob_score_", None)

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Return a fitted estimator around a model, e.g. one that was read from a file.

        Parameters
        ----------
        model : Model
            A model that an estimator of this class made.

        Returns
        -------
        estimator : object
            The estimator, with the parameters of the model.
        """
        estimator = cls(**cls._own_params(dict(model.params)))
        estimator._validate_params()
        try:
            if type(model.facts.get("max_features")) is not int:
                raise ValueError("it does not say how many features are drawn")
            _state.check_state(model, _state.model_bags(model))
            estimator._adopt(model)
            estimator._members_[0]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it lacks what a {cls.__name__} needs: {error}") from None
        return estimator

    @classmethod
    def _own_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Undo `_kept_params`."""
        return params

    def _member(self, model: Model, bags: Sequence[Bags], tree: int) -> Any:
        """Return a tree as an estimator."""
        own = bag_of(bags, tree)
        params = self._member_params(model, own, tree)
        facts = {"max_features": feature_count(params.get("max_features"), model.n_features)}
        member = self._member_class(model).from_model(
            Model(
                algorithm=self._member_class(model).__name__,
                params=params,
                task=model.task,
                schema=model.schema,
                trees=(model.trees[tree],),
                classes=model.classes,
                class_order=model.class_order,
                facts=facts,
            )
        )
        member._bag_ = Bag(own, tree, self._chance(model, own, tree, facts["max_features"]))
        return member

    def _member_class(self, model: Model) -> type[SingleTree]:
        return self._tree_class

    def _fitted_params(self, model: Model) -> dict[str, Any]:
        """Return the parameters of the fit, which may have been changed since."""
        return self._own_params(dict(model.params))

    def _member_params(self, model: Model, bags: Bags, tree: int) -> dict[str, Any]:
        params = type(self)(**self._fitted_params(model))._tree_params()
        # Shares of rows are those of the whole table and not of the bag.
        split, leaf = row_limits(params["min_samples_split"], params["min_samples_leaf"], bags.n_kept)
        # A forest remembers no candidates.
        params |= {"min_samples_split": split, "min_samples_leaf": leaf, "n_candidates": 0}
        if bags.draws and "class_weight" in params:
            params["class_weight"] = None  # drawn with the rows
        return params

    def _chance(self, model: Model, bags: Bags, tree: int, max_features: int) -> str:
        """Say what was drawn besides rows, so that a test need not be the best; empty when nothing was."""
        sentences = []
        if bags.features:
            names = [model.schema.features[i].name for i in bags.columns(tree, model.n_features).tolist()]
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            sentences.append(f"This tree was given {len(names)} of {model.n_features} columns: {shown}.")
        drawn = []
        if max_features < model.n_features:
            drawn.append(f"{max_features} of {model.n_features} features were drawn")
        if self._random_cuts:
            drawn.append("one random cut of each was tried")
        if model.params.get("max_bins"):
            drawn.append(f"numbers were cut into at most {model.params['max_bins']} bins")
        if self._prices_categories and any(
            feature.kind == "nominal" and len(feature.categories or ()) > _core.FREE_CATEGORIES
            for feature in model.schema.features
        ):
            drawn.append("tests of many categories paid for their number")
        if drawn:
            sentences.append(f"At each node {' and '.join(drawn)}, so its test need not be the best of all.")
        return " ".join(sentences)

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators: a read-only list that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        return self._members_

    @property
    def estimator_(self) -> SingleTree:
        """The estimator that every tree is a fitted copy of."""
        check_is_fitted(self, "model_")
        params = type(self)(**self._fitted_params(self.model_))._tree_params()
        return self._member_class(self.model_)(**params)

    @property
    def estimators_samples_(self) -> Sequence[NDArray[np.int64]]:
        """The rows of each tree, as often as they were drawn; drawn again when asked for."""
        check_is_fitted(self, "model_")
        bags = self._bags_
        return DrawnAgain(len(self.model_.trees), lambda tree: bag_of(bags, tree).rows(tree))

    @property
    def n_outputs_(self) -> int:
        """Number of targets: always one."""
        check_is_fitted(self, "model_")
        return 1

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of the gain of each feature, normalised to sum to 1 (all 0 without a split)."""
        check_is_fitted(self, "model_")
        importances = self.model_.arrays[_state.IMPORTANCES]
        split = importances[importances.sum(axis=1) > 0]
        if not len(split):
            return np.zeros(self.n_features_in_)
        mean = split.mean(axis=0)
        normalised: NDArray[np.float64] = mean / mean.sum()
        return normalised

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return class shares or, in one column, numbers."""
        model, matrix, n_threads = self._encode(X)
        if isinstance(model.trees, Forest):
            return model.values(matrix, n_threads)
        return self._members_.values(matrix, model.facts["aggregation"] == "votes", n_threads)

    def _threads(self, n_rows: int) -> int:
        # What a single tree does with a row, a forest does as often as it has trees.
        return super()._threads(n_rows * len(self.model_.trees))

    # --- scikit-learn
    # -----------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        # What is made from the model is not stored beside it.
        made = ("_bags_", "_members_", "_quantiles_")
        return {name: value for name, value in super().__getstate__().items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._adopt(state["model_"])
