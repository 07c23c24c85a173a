"""Bagging's own part: the tree that it repeats, and columns drawn for each tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from treewright import trees
from treewright.fitting.members import restored_params
from treewright.fitting.rows import TrainingRows, row_subset
from treewright.fitting.tree_copies import is_plain_cart
from treewright.forests._any_tree import AnyTreeGrower, member_seed
from treewright.forests._bags import Bags, DrawnWhenAsked, bag_of, number_of_draws
from treewright.forests._growing import Grower
from treewright.forests.forest import BaseForest
from treewright.model import Forest, Model
from treewright.trees.single_tree import SingleTree
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Bagging"]


class Bagging(BaseForest):
    """Mixin: bags of a given tree."""

    _family: ClassVar[str] = "bagging"

    estimator: Any
    max_features: Any
    bootstrap_features: bool

    # --- the tree
    # ---------------------------------------------------------------------------------------------------

    @property
    def _template(self) -> SingleTree:
        """The tree to repeat."""
        if self.estimator is None:
            return self._tree_class(n_jobs=self.n_jobs)
        template: SingleTree = self.estimator
        return template

    @property
    def _is_plain(self) -> bool:
        """Whether the engine can grow all trees at once."""
        template = self._template
        return is_plain_cart(template, self._tree_class) and all(
            isinstance(getattr(template, name), Integral)
            for name in ("min_samples_split", "min_samples_leaf")
        )

    def _tree_params(self) -> dict[str, Any]:
        return dict(self._template.get_params(deep=False))

    @property
    def _measure(self) -> str:
        return self._template._measure

    def _check_together(self) -> None:
        super()._check_together()
        owner, template = type(self).__name__, self._template
        if not isinstance(template, SingleTree):
            raise InvalidParameterError(
                f"The 'estimator' parameter of {owner} must be a single tree of Treewright, e.g. "
                f"{self._tree_class.__name__}(), or None. Got {template!r} instead."
            )
        if is_classifier(template) != (self._task == "classification"):
            raise InvalidParameterError(
                f"The 'estimator' parameter of {owner} must be a tree for {self._task}. Got {template!r} "
                "instead."
            )
        template._validate_params()
        if self._is_plain:
            return
        for name, what in (("max_bins", "bins"), ("quantiles", "rows of leaves")):
            if getattr(self, name, None):
                raise InvalidParameterError(
                    f"{owner} has {what} only for CART without pruning, surrogates, priors, class weights "
                    f"and shares of rows: set {name} to its default, or use another estimator than "
                    f"{template!r}."
                )

    def _settings(self, rows: TrainingRows, bags: Bags) -> dict[str, Any]:
        settings = super()._settings(rows, bags)
        template: Any = self._template
        settings["missing"] = template.missing
        if template.min_gain is not None:
            settings["min_gain"] = float(template.min_gain)
            settings["gain_per_weight"] = rows.n_classes is not None
        return settings

    def _draws_ties(self, bags: Bags) -> bool:
        return bags.features > 0  # a tree that gets all columns is what a single one would be

    def _grower(self, rows: TrainingRows, y: Any, bags: Bags, n_threads: int) -> Grower:
        if self._is_plain:
            return super()._grower(rows, y, bags, n_threads)
        kept = None if rows.kept is None else rows.kept.astype(np.intp)
        return AnyTreeGrower(type(self).__name__, self._template, rows, row_subset(y, kept), self.n_jobs)

    # --- what is drawn
    # ----------------------------------------------------------------------------------------------

    @property
    def _read_categories(self) -> Any:
        own = self.categorical_features
        says_nothing = isinstance(own, str) and own == "from_dtype"
        return self._template.categorical_features if says_nothing else own

    def _row_draw(self, rows: TrainingRows) -> tuple[int, bool]:
        draws = number_of_draws(self.max_samples, rows.n_rows, rows.weights)
        if self.bootstrap:
            return draws, True
        if draws > rows.n_rows:
            raise ValueError(
                f"max_samples={self.max_samples!r} asks for {draws} different rows, but there are only "
                f"{rows.n_rows}: draw fewer, or set bootstrap=True."
            )
        if draws == rows.n_rows:
            return 0, False
        if rows.weights is not None:
            warn_at_caller(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use "
                f"bootstrap=True, got {self.bootstrap}: without replacement weights are not proportions."
            )
        return draws, False

    def _column_draw(self, n_features: int) -> tuple[int, bool]:
        whole = isinstance(self.max_features, Integral)
        columns = int(self.max_features) if whole else max(1, int(self.max_features * n_features))
        if columns > n_features:
            raise ValueError(
                f"max_features must be <= n_features. Got max_features={columns}, but X has {n_features} "
                "feature(s)."
            )
        if columns == n_features and not self.bootstrap_features:
            return 0, False
        return columns, bool(self.bootstrap_features)

    @property
    def estimators_features_(self) -> Sequence[NDArray[np.int64]]:
        """The columns of each tree, ascending, each once."""
        check_is_fitted(self, "model_")
        bags, n_features = self._bags_, self.n_features_in_
        return DrawnWhenAsked(
            len(self.model_.trees), lambda tree: bag_of(bags, tree).columns(tree, n_features)
        )

    # --- the model
    # --------------------------------------------------------------------------------------------------

    @classmethod
    def _own_params(cls, params: Mapping[str, Any], *others: type[SingleTree]) -> dict[str, Any]:
        return restored_params(params, (*(getattr(trees, name) for name in trees.__all__), *others))

    def _fitted_params(self, model: Model) -> dict[str, Any]:
        # The tree may be of a class that a user derived from ours.
        derived = () if self.estimator is None else (type(self.estimator),)
        return self._own_params(model.params, *derived)

    def _member_class(self, model: Model) -> type[SingleTree]:
        template = self._fitted_params(model).get("estimator")
        return self._tree_class if template is None else type(template)

    def _member_params(self, model: Model, bags: Bags, tree: int) -> dict[str, Any]:
        if isinstance(model.trees, Forest):
            return super()._member_params(model, bags, tree)
        template: SingleTree | None = self._fitted_params(model)["estimator"]
        if template is None:
            raise ValueError("its trees are not the default ones, and it does not say what grew them")
        params = dict(template.get_params(deep=False))
        return params | {"random_state": member_seed(bags, tree)} if "random_state" in params else params
