"""From parameters to the plan of gradient boosting: least-squares CART trees."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.boosting._booster import BaseBooster, Plans
from treewright.boosting._loss import Loss
from treewright.boosting._round_members import RoundMembers
from treewright.forests._rows import TrainingRows
from treewright.model import Forest, Model, Tree
from treewright.model.arrays import KIND_LEAF
from treewright.trees._settings import feature_count, growth_settings
from treewright.trees.cart import CART, CARTRegressor

__all__ = ["MeanBooster"]

TREE_PARAMS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "max_features",
    "max_leaf_nodes",
)
# Those, and what else a tree has from its booster.
MEMBER_PARAMS = (*TREE_PARAMS, "ccp_alpha", "categorical_features", "n_jobs")
# What keeps tests of many categories from learning chance (docs/decisions/0016). Rounds see the same rows
# again and again: categories need more of them than in a forest.
MANY_CATEGORIES: dict[str, Any] = {"category_price": 1.0, "min_category_rows": 20}


class MeanBooster(BaseBooster):
    """Mixin: trees are least-squares CART trees on negative gradients."""

    max_bins: int | None
    ccp_alpha: float

    def _validate_params(self) -> None:
        # scikit-learn accepts estimators: who passes one is told what to do instead.
        if hasattr(self.init, "fit"):
            raise InvalidParameterError(
                f"The 'init' parameter of {type(self).__name__} must be 'zero' or None. Got {self.init!r} "
                "instead, an estimator, which a model file could not keep. Fit it first and pass the raw "
                "scores that it gives the rows: fit(X, y, offset=…). Predictions are without them."
            )
        super()._validate_params()

    @property
    def _stops_early(self) -> bool:
        return self.n_iter_no_change is not None

    def _factor(self, loss: Loss) -> float:
        # As scikit-learn's `train_score_`: mean squared error, and the deviance of two classes.
        return 2.0 if loss.name == "squared_error" or loss.link == "logit" else 1.0

    def _plans(self, rows: TrainingRows, seed: int) -> Plans:
        boost = _core.BoostPlan()
        boost.learning_rate = float(self.learning_rate)
        boost.subsample = float(self.subsample)
        boost.seed = seed
        params: dict[str, Any] = {name: getattr(self, name) for name in TREE_PARAMS}
        drawn_weight = rows.total_weight * float(self.subsample)
        settings = growth_settings(
            SimpleNamespace(monotonic_cst=None, **params), rows.schema, rows.n_rows, drawn_weight, None
        )
        settings["ccp_alpha"] = float(self.ccp_alpha)
        tree = CART.plan(criterion="squared_error", **settings, **MANY_CATEGORIES)
        return Plans(boost, tree, max_bins=self.max_bins or 0)

    # --- the trees
    # --------------------------------------------------------------------------------------------------

    @property
    def estimators_(self) -> RoundMembers:
        """The trees as fitted regressors: a read-only table that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        model = self.model_
        n_outputs = len(model.arrays["start"])
        return RoundMembers(len(model.trees) // n_outputs, n_outputs, lambda number: _member(model, number))


def _member(model: Model, number: int) -> CARTRegressor:
    """Return a tree as an estimator."""
    params = {name: model.params[name] for name in MEMBER_PARAMS if name in model.params}
    return CARTRegressor.from_model(
        Model(
            algorithm=CARTRegressor.__name__,
            # A booster remembers no candidates.
            params=CARTRegressor(n_candidates=0, **params).get_params(deep=False),
            task="regression",
            schema=model.schema,
            trees=(_tree(model, number),),
            facts={"max_features": feature_count(params["max_features"], model.n_features)},
        )
    )


def _tree(model: Model, number: int) -> Tree:
    """Return a tree as scikit-learn has it: leaves say their steps before the learning rate.

    Inner nodes say the mean of their negative gradients, and the gains are those by which the tree was grown.
    """
    forest, tree, rate = model.trees, model.trees[number], float(model.facts["learning_rate"])
    assert isinstance(forest, Forest), "a booster's trees are a forest"
    first, end = forest.arrays["begin"][number : number + 2].tolist()
    gradient = forest.arrays["gradient"][first:end]
    arrays = tree.to_arrays()
    inner = np.flatnonzero(arrays["kind"] != KIND_LEAF)
    value, gain, weight = arrays["value"] / (rate or 1.0), arrays["gain"].copy(), arrays["weight"]
    value[inner, 0] = -gradient[inner] / weight[inner]
    left, score = arrays["first_child"][inner], gradient * gradient / weight
    gain[inner] = np.maximum(score[left] + score[left + 1] - score[inner], 0.0)
    return Tree({**arrays, "value": value, "gain": gain}, tree.n_codes)
