"""CartForest: forests whose trees are CARTs by nature, so that their parameters are the forest's own."""

from __future__ import annotations

from typing import Any, ClassVar

from treewright.criteria import REAL_NAMES
from treewright.fitting.rows import TrainingRows
from treewright.forests._bags import Bags
from treewright.forests.forest import BaseForest

__all__ = ["CartForest"]

# Parameters that a tree has from its forest.
OF_THE_TREE = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "categorical_features",
    "monotonic_cst",
    "ccp_alpha",
    "n_jobs",
)
# Trees that are grown to single rows would learn chance from columns of many categories: what a test of them
# pays, and how many rows a category needs to count by itself. docs/decisions/0013 has the measurements.
MANY_CATEGORIES: dict[str, Any] = {"category_price": 1.0, "min_category_rows": 5}


class CartForest(BaseForest):
    """Mixin: random forests and extremely randomised trees."""

    _prices_categories: ClassVar[bool] = True

    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    monotonic_cst: Any

    def _tree_params(self) -> dict[str, Any]:
        params = {name: getattr(self, name) for name in OF_THE_TREE}
        params["criterion"] = REAL_NAMES.get(self.criterion, self.criterion)
        if self.class_weight is not None:
            balanced = self.class_weight == "balanced_subsample"
            params["class_weight"] = "balanced" if balanced else self.class_weight
        return params

    def _settings(self, rows: TrainingRows, bags: Bags) -> dict[str, Any]:
        return super()._settings(rows, bags) | MANY_CATEGORIES
