"""SingleTree: what all single trees share when they are fitted: read the rows, grow, prune, keep the model.

An algorithm adds its recipe, its constructor and what it does differently.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch, check_random_state

from treewright.criteria import REAL_NAMES
from treewright.fitting.estimator import all_or_nothing
from treewright.fitting.progress import with_tasks
from treewright.fitting.rows import TrainingRows, feature_count, growth_settings, read_rows
from treewright.model import Model, Tree
from treewright.model.facts import TreeFacts
from treewright.pruning import pruning_path
from treewright.recipe import Recipe
from treewright.trees._smaller_trees import check_stored_pruning
from treewright.trees.fitted_tree import FittedTree
from treewright.trees.growing import Arrays, Grown, grow, tie_order
from treewright.trees.pruning_plan import UNPRUNED, FitData, PruningPlan, check_pruning

__all__ = ["SingleTree"]


class SingleTree(FittedTree):
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

    # Only some algorithms have these; the values stand for "not at all".
    splitter: str = "best"
    class_weight: Any = None
    priors: Any = None
    missing: str | None = None
    surrogates: int = 0
    monotonic_cst: Any = None
    pruning_risk: str = "impurity"

    max_features_: int
    # The declared classes that have rows, by their position in `classes_`; None when they stand in that order
    # or do not count.
    _tie_order_: NDArray[np.int32] | None = None

    # Whether classes and categories that y and X declare count, whether or not a row has them. Then the
    # declared order of the classes breaks ties, and a row of weight 0 declares nothing.
    _declared: ClassVar[bool] = False

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """How the algorithm grows a tree."""

    @property
    def _measure(self) -> str:
        """What tests compete on, as models keep it."""
        return self.recipe.measure(getattr(self, "criterion", None))

    @with_tasks
    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row, any labels, or the number to predict.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row; rows of weight 0 are left out.
        groups : array-like of shape (n_rows,), optional
            Group of each row. Rows of one group stay together where pruning cross-validates or sets some
            aside.
        X_val, y_val : object, optional
            Rows to prune with, for ``prune="reduced_error"``; by default a part of the rows is set aside.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        if self._stays_whole and X_val is None and y_val is None:
            grown = grow(self, self._read(X, y, sample_weight))
            return self._finish(grown, grown.tree, {})
        plan = PruningPlan(self, FitData(X, y, sample_weight, groups, X_val, y_val))
        grown = grow(self, self._read(X, y, sample_weight, rows=plan.rows), keep=plan.looks_at_rows_again)
        return self._finish(grown, *plan.prune(grown))

    def _check_together(self) -> None:
        if self.splitter == "random" and self.missing == "surrogate":
            raise ValueError(
                "missing='surrogate' looks for tests that imitate the best one, and splitter='random' has no "
                "best one: use missing='learned' or splitter='best'."
            )
        if not self._stays_whole or self.alpha_total is not None:
            check_pruning(self)

    @property
    def _loss_name(self) -> str:
        """The loss that splits decrease, as the table of criteria calls it."""
        return self.recipe.criterion or REAL_NAMES.get(self.criterion, self.criterion)

    @property
    def _pruning_method(self) -> str | None:
        """How the tree is pruned: the parameter, unless it has no effect."""
        return self.prune

    @property
    def _stays_whole(self) -> bool:
        """Whether the parameters leave the grown tree as it is."""
        return self._pruning_method is None and self.early_stopping is None and not self.ccp_alpha > 0

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        rows: NDArray[np.intp] | None = None,
        model: Model | None = None,
        warn: bool = True,
    ) -> TrainingRows:
        """Read some of the rows (None: all), for fit or as those of a fitted model."""
        return read_rows(
            X,
            y,
            sample_weight,
            owner=type(self).__name__,
            task=self._task,
            class_weight=self.class_weight,
            priors=self.priors,
            categorical_features=self.categorical_features,
            rows=rows,
            zeros_declare=not self._declared,
            model=model,
            same_rows=True,
            warn=warn,
        )

    def _settings(self, rows: TrainingRows) -> dict[str, Any]:
        """Return what the parameters mean for these rows, under the names of the native plan."""
        settings = growth_settings(self, rows)
        settings["criterion"] = self._loss_name
        settings["n_candidates"] = int(self.n_candidates)
        if self.missing is not None:
            settings["missing"] = self.missing
            settings["surrogates"] = int(self.surrogates) if self.missing == "surrogate" else 0
        if self.min_gain is not None:
            # The books' ε is bits or Gini in classification, but a total of squared errors in regression.
            settings["min_gain"] = float(self.min_gain)
            settings["gain_per_weight"] = rows.n_classes is not None
        if self.splitter == "random":
            settings |= {"random_cuts": True, "n_candidates": 0}
        if "max_features" in settings or self.splitter == "random":
            settings["seed"] = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return settings

    def _finish(self, grown: Grown, tree: Tree, facts: dict[str, Any]) -> Self:
        """Take the tree that is left of a grown one over as the fitted model."""
        params = {name: getattr(self, name) for name in self._defaults}
        if "cv" in params and not isinstance(params["cv"], Integral):
            # A splitter, or lists of rows, belong to the data and not to the model.
            params["cv"] = self._defaults["cv"]
        rows = grown.rows
        model = Model(
            algorithm=type(self).__name__,
            params=params,
            schema=rows.schema,
            trees=(tree,),
            facts=vars(
                TreeFacts(
                    max_features=feature_count(self.max_features, len(rows.schema.features)),
                    criterion=self._measure,
                    **facts,
                )
            ),
            **rows.outputs,
        )
        rows.check_learned(model)
        self._adopt(model)
        return self

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_model(model)
        self.max_features_ = model.max_features
        if self._declared:
            self._tie_order_ = tie_order(self.classes_, self.class_order_)

    def _adopt_stored(self, model: Model) -> None:
        if len(model.trees) != 1:
            raise ValueError(f"it has {len(model.trees)} trees")
        facts = TreeFacts.of(model)
        if facts.pruning is not None or facts.pruning_best is not None:
            check_stored_pruning(model)
        self._adopt(model)

    # --- what an algorithm may do differently, in the order in which growing does it
    # ----------------------------------------------------------------------------------------------------

    def _check_target(self, rows: TrainingRows) -> None:
        """Refuse numbers that the criterion cannot work with."""

    def _prepare(self, rows: TrainingRows, *, warn: bool = True) -> None:
        """Change the table to what the algorithm sees of it, and warn when that is not what it looks like."""

    def _collapsed(self, arrays: Arrays, n_codes: NDArray[np.uint32]) -> Arrays:
        """Return the tree without the splits that the algorithm takes back; may empty `arrays`."""
        return arrays

    # --- pruning by hand
    # --------------------------------------------------------------------------------------------

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
        full = self._changed(**UNPRUNED)
        full._validate_params()
        tree = grow(full, full._read(X, y, sample_weight)).tree
        return Bunch(**pruning_path(tree, self.pruning_risk)._asdict())

    def _changed(self, **params: Any) -> Self:
        """Return an unfitted copy with other parameters, whether or not a subclass lets the user set them."""
        copy: Self = clone(self)
        for name, value in params.items():
            setattr(copy, name, value)
        return copy
