"""From parameters to the plan of gradient boosting: least-squares CART trees."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from treewright import _core
from treewright.boosting._booster import BaseBooster, Plans
from treewright.boosting._loss import Loss
from treewright.forests._rows import TrainingRows
from treewright.trees._settings import growth_settings
from treewright.trees.cart import CART

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


class MeanBooster(BaseBooster):
    """Mixin: trees are least-squares CART trees on negative gradients."""

    max_bins: int | None

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
        tree = CART.plan(criterion="squared_error", **settings)
        return Plans(boost, tree, max_bins=self.max_bins or 0)
