"""What all single trees share: validate → encode → grow → prune → Model, and what a fitted tree answers.

An algorithm adds its recipe and its constructor.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright.data import RowWeights, Table, read_table
from treewright.model import Model, Tree
from treewright.pruning import pruning_path
from treewright.recipe import Recipe
from treewright.trees._explained import Explained, show_tree
from treewright.trees._fitted import Fitted
from treewright.trees._grown import Grown
from treewright.trees._parameters import Parameters
from treewright.trees._pruned import Pruned
from treewright.trees._pruning_plan import FitData, PruningPlan
from treewright.trees._pruning_rules import check_pruning
from treewright.trees._settings import feature_count, growth_settings

__all__ = ["Arrays", "SingleTree"]

Arrays: TypeAlias = dict[str, NDArray[Any]]


class SingleTree(Explained, Pruned, Fitted, Parameters, BaseEstimator):
    """Base of the single trees: everything that does not depend on the task."""

    # Parameters that every single tree has; they are set by the constructors of the subclasses.
    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    min_gain: float | None
    min_impurity_decrease: float
    categorical_features: Any
    prune: str | None
    ccp_alpha: float
    alpha_total: float | None
    pruning_rule: str
    path_method: str
    cv: Any
    validation_fraction: float
    early_stopping: str | None
    tol: float
    n_candidates: int
    n_jobs: int | None
    random_state: Any

    # Only some algorithms have these.
    monotonic_cst: Any = None
    pruning_risk: str = "impurity"

    max_features_: int

    # --- fitting
    # ----------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """How the algorithm grows a tree."""

    @abstractmethod
    def _grow(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        rows: NDArray[np.intp] | None = None,
        warn: bool = True,
    ) -> Grown:
        """Grow the tree on some of the rows (None: all); fit prunes it. Changes nothing in the estimator."""

    def _fit(self, data: FitData) -> Self:
        """Grow the tree, prune it and take it over as the fitted model."""
        self._validate_params()
        plan = PruningPlan(self, data)
        return self._finish(plan, self._grow(data.X, data.y, data.sample_weight, rows=plan.rows))

    def _finish(self, plan: PruningPlan, grown: Grown) -> Self:
        """Prune a grown tree and take it over as the fitted model."""
        tree, facts = plan.prune(grown)
        params = {name: getattr(self, name) for name in self._defaults}
        if "cv" in params and not isinstance(params["cv"], Integral):
            # A splitter, or lists of rows, belong to the data and not to the model.
            params["cv"] = self._defaults["cv"]
        self._adopt(
            Model(
                algorithm=type(self).__name__,
                params=params,
                schema=grown.schema,
                trees=(tree,),
                facts={"max_features": feature_count(self.max_features, len(grown.schema.features)), **facts},
                **grown.outputs,
            )
        )
        return self

    def _validate_params(self) -> None:
        super()._validate_params()
        check_pruning(self)

    @property
    def _pruning_method(self) -> str | None:
        """How the tree is pruned: the parameter, unless it has no effect."""
        return self.prune

    @property
    def _risk(self) -> str:
        return self.pruning_risk

    def _read(self, X: Any, rows: NDArray[np.intp] | None = None) -> Table:
        return read_table(
            X, estimator_name=type(self).__name__, categorical_features=self.categorical_features, rows=rows
        )

    def _settings(self, table: Table, weights: RowWeights, n_classes: int | None) -> dict[str, Any]:
        """Return what the parameters mean for this table, under the names of the native plan."""
        total_weight = float(table.n_rows if weights.values is None else weights.values.sum())
        settings = growth_settings(self, table.schema, table.n_rows, total_weight, n_classes)
        settings["criterion"] = self.recipe.criterion or self.criterion
        settings["n_candidates"] = int(self.n_candidates)
        if self.min_gain is not None:
            # The books' ε is bits or Gini in classification, but a total of squared errors in regression.
            settings["min_gain"] = float(self.min_gain)
            settings["gain_per_weight"] = n_classes is not None
        if "max_features" in settings:
            settings["seed"] = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return settings

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_schema(model)
        self.max_features_ = model.facts["max_features"]

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
        estimator = cls(**model.params)
        estimator._validate_params()
        max_features = model.facts.get("max_features")
        if type(max_features) is not int or len(model.trees) != 1:
            raise ValueError(f"it lacks what a {cls.__name__} needs")
        estimator._adopt(model)
        return estimator

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row falls into.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows,)
            Node ids in `tree_`.
        """
        model, matrix, n_threads = self._encode(X)
        return model.apply(matrix, n_threads)[:, 0].astype(np.int64)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node.
        """
        model, matrix, _ = self._encode(X)
        indptr, indices = model.predictor.decision_path(matrix)
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(matrix), model.trees[0].node_count))

    # --- the fitted tree
    # --------------------------------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The fitted tree, with the attribute names of scikit-learn's; shows itself as text or as a table."""
        check_is_fitted(self, "model_")
        return show_tree(self.model_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Total gain of each feature, normalised to sum to 1 (all 0 for a tree without a split)."""
        return self.tree_.compute_feature_importances()

    def get_depth(self) -> int:
        """Return the number of tests on the longest way from the root to a leaf.

        Returns
        -------
        depth : int
            0 for a single leaf.
        """
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        n_leaves : int
            Number of leaves.
        """
        return self.tree_.n_leaves

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow the full tree on the data and return how minimal cost-complexity pruning shrinks it.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row.

        Returns
        -------
        path : Bunch
            ``ccp_alphas``: the prices of a leaf at which the tree shrinks, ascending, from 0 on;
            ``impurities``: the total impurity of the leaves from each price on.
        """
        full = self._changed(**self._unpruned())
        full._validate_params()
        return Bunch(**pruning_path(full._grow(X, y, sample_weight).tree, self._risk)._asdict())

    def _changed(self, **params: Any) -> Self:
        """Return an unfitted copy with other parameters, whether or not a subclass lets the user set them."""
        copy: Self = clone(self)
        for name, value in params.items():
            setattr(copy, name, value)
        return copy

    def _unpruned(self) -> dict[str, Any]:
        """Return the parameters of the tree that all pruning starts from."""
        return {"prune": None, "ccp_alpha": 0.0, "alpha_total": None, "early_stopping": None}
