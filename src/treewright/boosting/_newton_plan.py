"""From parameters to the plan of Newton boosting: trees on first and second derivatives."""

from __future__ import annotations

from collections.abc import Iterable
from math import cbrt
from numbers import Integral
from typing import Any, Final

from treewright import _core
from treewright.boosting._booster import BaseBooster, Plans
from treewright.data import Schema
from treewright.forests._rows import TrainingRows
from treewright.trees._settings import feature_count, monotone_signs, row_limits

__all__ = ["NewtonBooster", "feature_groups"]

#: γ of "auto" for one column, as a multiple of what a division by chance gains (docs/decisions/0014).
CHANCE: Final = 0.35
#: λ of "auto" times the number of classes.
CLASSES_PENALTY: Final = 6.0
#: Most leaves of "auto": times the cube root of the number of rows, at least and at most.
LEAVES_PER_ROOT: Final = 1.8
FEWEST_LEAVES: Final = 8
MOST_LEAVES: Final = 127


class NewtonBooster(BaseBooster):
    """Mixin: leaves take Newton steps; what both families of such boosters share."""

    reg_lambda: float | str
    reg_alpha: float
    gamma: float | str
    min_child_weight: float
    max_delta_step: float
    max_depth: int | None
    max_leaf_nodes: int | str | None
    min_samples_leaf: float
    max_features: Any
    max_features_tree: Any
    max_features_level: Any
    max_bins: int
    interaction_cst: Any

    def _boost_plan(self, rows: TrainingRows, seed: int) -> _core.BoostPlan:
        plan = _core.BoostPlan()
        plan.seed = seed
        plan.learning_rate = float(self.learning_rate)
        plan.subsample = float(self.subsample)
        plan.l2 = _penalty(self.reg_lambda, rows.n_classes)
        plan.l1 = float(self.reg_alpha)
        plan.max_step = float(self.max_delta_step)
        plan.min_hessian_leaf = float(self.min_child_weight)
        plan.min_rows_leaf = row_limits(2, self.min_samples_leaf, rows.n_rows)[1]
        if self.max_depth is not None:
            plan.max_depth = int(self.max_depth)
        if self.max_leaf_nodes is not None:
            plan.max_leaves = _most_leaves(self.max_leaf_nodes, rows.total_weight)
        # Shares are shares of what the step before has drawn.
        n_features = len(rows.schema.features)
        left = n_features
        for name, drawn in (
            ("max_features_tree", self.max_features_tree),
            ("max_features_level", self.max_features_level),
            ("max_features_node", self.max_features),
        ):
            count = min(left, feature_count(drawn, left))
            setattr(plan, name, count if count < left else 0)
            left = count
        if isinstance(self.gamma, str):
            plan.chance_gain = CHANCE
        else:
            plan.min_gain = float(self.gamma)
        signs = monotone_signs(self.monotonic_cst, rows.schema, rows.n_classes)
        if signs is not None:
            plan.monotone = signs.tolist()
        if self.interaction_cst is not None:
            plan.interactions = feature_groups(self.interaction_cst, rows.schema)
        return plan

    def _plans(self, rows: TrainingRows, seed: int) -> Plans:
        return Plans(self._boost_plan(rows, seed), max_bins=int(self.max_bins))


def _penalty(reg_lambda: float | str, n_classes: int | None) -> float:
    if not isinstance(reg_lambda, str):
        return float(reg_lambda)
    return 1.0 if n_classes is None else CLASSES_PENALTY / n_classes


def _most_leaves(max_leaf_nodes: int | str, total_weight: float) -> int:
    if not isinstance(max_leaf_nodes, str):
        return int(max_leaf_nodes)
    # By weight, so that a row of weight 2 is the row twice.
    return min(MOST_LEAVES, max(FEWEST_LEAVES, round(LEAVES_PER_ROOT * cbrt(total_weight))))


def feature_groups(groups: Any, schema: Schema) -> list[list[int]]:
    """Return the groups of `interaction_cst` as positions; features that are in none form one of their own.

    Parameters
    ----------
    groups : sequence of sequences
        The parameter.
    schema : Schema
        The features.
    """
    n_features = len(schema.features)
    names = {} if schema.names is None else {name: i for i, name in enumerate(schema.names.tolist())}
    found = []
    for group in groups:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise ValueError(f"interaction_cst must be groups of features, but one is {group!r}.")
        positions = []
        for feature in group:
            if isinstance(feature, Integral):
                position = int(feature)
                if not 0 <= position < n_features:
                    raise ValueError(
                        f"interaction_cst names feature {position}, but X has features 0 to {n_features - 1}."
                    )
            elif feature in names:
                position = names[feature]
            else:
                raise ValueError(f"interaction_cst names {feature!r}, which is no column of X.")
            positions.append(position)
        found.append(sorted(set(positions)))
    listed = {position for group in found for position in group}
    rest = [position for position in range(n_features) if position not in listed]
    return [*found, rest] if rest else found
