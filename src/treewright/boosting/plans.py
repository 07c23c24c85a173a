"""Plans: what the parameters of a booster mean to the engine; Newton steps are planned here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema
from treewright.fitting.rows import TrainingRows, feature_count, monotone_signs, row_limits
from treewright.model import Model
from treewright.model.learning_rate import RATES, rates_of_rounds

__all__ = [
    "Plans",
    "draws_columns",
    "draws_features",
    "feature_groups",
    "kept_rate",
    "learning_rates",
    "most_bins",
    "newton_plan",
    "node_features",
    "rate_arrays",
    "set_rates",
]

Floats = NDArray[np.float64]

#: More leaves than this are no limit.
MOST_NODES: Final = np.iinfo(np.int32).max
#: γ of "auto" for one column, as a multiple of what a division by chance gains (docs/decisions/0014).
CHANCE: Final = 0.35
#: λ of "auto" times the number of classes.
CLASSES_PENALTY: Final = 6.0
#: Most leaves of "auto": times the cube root of the number of rows, at least and at most.
LEAVES_PER_ROOT: Final = 1.8
FEWEST_LEAVES: Final = 8
MOST_LEAVES: Final = 127
#: Share of the features that "auto" draws at a node, and the largest learning rate that it does so with.
DRAWN_SHARE: Final = 0.6
SMALL_RATE: Final = 0.05
#: The share for three and more classes, and so many features there as long as the other share allows it.
DRAWN_SHARE_CLASSES: Final = 0.2
DRAWN_CLASSES: Final = 5


#: Most bins of a column that histograms have.
MOST_BINS: Final = 65_535


class Plans(NamedTuple):
    """How the rounds go, for the native core.

    `tree` says how least-squares trees grow (gradient boosting); without it trees take Newton steps, by
    histograms or, if `exact`, by every distinct value.
    """

    boost: _core.BoostPlan
    tree: _core.GrowPlan | None = None
    exact: bool = False
    max_bins: int = 0

    @property
    def most_leaves(self) -> int | None:
        """Most leaves of a tree, where parameters leave that to the rows and for trees of Newton steps."""
        limited = self.tree is None and self.boost.max_leaves <= MOST_NODES
        return int(self.boost.max_leaves) if limited else None


def most_bins(max_bins: int | None) -> int:
    """Return the most bins of a histogram; None: as many as there may be.

    Parameters
    ----------
    max_bins : int or None
        The parameter.
    """
    return MOST_BINS if max_bins is None else int(max_bins)


def newton_plan(params: Any, rows: TrainingRows, seed: int) -> _core.BoostPlan:
    """Return the plan of trees whose leaves take Newton steps, as far as all such boosters share it.

    Parameters
    ----------
    params : object
        The booster.
    rows : TrainingRows
        The rows that it learns from.
    seed : int
        Of what rounds draw.
    """
    plan = _core.BoostPlan()
    plan.seed = seed
    set_rates(plan, params.learning_rate, int(params.n_estimators))
    plan.subsample = float(params.subsample)
    plan.l2 = _penalty(params.reg_lambda, rows.n_classes)
    plan.l1 = float(params.reg_alpha)
    plan.max_step = float(params.max_delta_step)
    plan.min_hessian_leaf = float(params.min_child_weight)
    plan.min_rows_leaf = row_limits(2, params.min_samples_leaf, rows.n_rows)[1]
    if params.max_depth is not None:
        plan.max_depth = int(params.max_depth)
    if params.max_leaf_nodes is not None:
        plan.max_leaves = _most_leaves(params.max_leaf_nodes, rows.total_weight)
    # Shares are shares of what the step before has drawn.
    left = len(rows.schema.features)
    drawn = {"max_features_tree": params.max_features_tree, "max_features_level": params.max_features_level}
    for name, share in drawn.items():
        count = min(left, feature_count(share, left))
        setattr(plan, name, count if count < left else 0)
        left = count
    count = feature_count(node_features(params, left, rows.n_classes), left)
    plan.max_features_node = count if count < left else 0
    if isinstance(params.gamma, str):
        plan.chance_gain = CHANCE
    else:
        plan.min_gain = float(params.gamma)
    signs = monotone_signs(params.monotonic_cst, rows.own_schema, rows.n_classes)
    if signs is not None:
        plan.monotone = [*signs.tolist(), *[0] * len(rows.statistic_sources)]
    if params.interaction_cst is not None:
        groups = feature_groups(params.interaction_cst, rows.own_schema)
        # A statistic of a column is where the column is.
        sources = list(enumerate(rows.statistic_sources, start=len(rows.own_schema.features)))
        plan.interactions = [
            [*group, *(place for place, source in sources if source in group)] for group in groups
        ]
    return plan


def _penalty(reg_lambda: float | str, n_classes: int | None) -> float:
    if not isinstance(reg_lambda, str):
        return float(reg_lambda)
    return 1.0 if n_classes is None else CLASSES_PENALTY / n_classes


def _most_leaves(max_leaf_nodes: int | str, total_weight: float) -> int:
    if not isinstance(max_leaf_nodes, str):
        return int(max_leaf_nodes)
    # By weight, so that a row of weight 2 is the row twice.
    return min(MOST_LEAVES, max(FEWEST_LEAVES, round(LEAVES_PER_ROOT * math.cbrt(total_weight))))


def draws_features(params: Any) -> bool:
    """Tell whether nodes draw features: `max_features` says so, or "auto" does beside the other parameters.

    Drawing features pays where many small steps of trees that follow the rows would learn by heart. Who says
    how large trees are, or takes larger steps, has chosen by themselves how much is learned: drawing would
    only take away from it. The number of rounds does not count, so that a warm start goes on as it began.

    Parameters
    ----------
    params : object
        The booster, or the parameters of a model.
    """
    if params.max_features != "auto":
        return params.max_features is not None
    return bool(learning_rates(params.learning_rate, 1)[0] <= SMALL_RATE) and params.max_leaf_nodes == "auto"


def node_features(params: Any, n_features: int, n_classes: int | None) -> Any:
    """Return `max_features`; for "auto" what it stands for beside the other parameters.

    Three and more classes have a tree each in every round, so a feature that one node does not see is seen by
    many others soon: fewer at a time make the trees differ more (docs/decisions/0014).

    Parameters
    ----------
    params : object
        The booster, or the parameters of a model.
    n_features : int
        The features that there are to draw from.
    n_classes : int or None
        The classes, None for numbers.
    """
    if params.max_features != "auto" or not draws_features(params):
        return None if params.max_features == "auto" else params.max_features
    if n_classes is None or n_classes < 3:
        return DRAWN_SHARE
    fewest = min(DRAWN_CLASSES, feature_count(DRAWN_SHARE, n_features))
    return max(fewest, feature_count(DRAWN_SHARE_CLASSES, n_features))


def _no_feature(feature: Any, n_features: int) -> str:
    return (
        f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, "
        f"{n_features - 1}], specifying the position of features, or of names of columns: interaction_cst "
        f"has {feature!r:.80}, which is neither."
    )


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
            raise ValueError(
                f"Interaction constraints must be a sequence of tuples or lists of features: {group!r:.80} "
                "of interaction_cst is none."
            )
        positions = []
        for feature in group:
            if isinstance(feature, Integral):
                position = int(feature)
                if not 0 <= position < n_features:
                    raise ValueError(_no_feature(feature, n_features))
            elif feature in names:
                position = names[feature]
            else:
                raise ValueError(_no_feature(feature, n_features))
            positions.append(position)
        found.append(sorted(set(positions)))
    listed = {position for group in found for position in group}
    rest = [position for position in range(n_features) if position not in listed]
    return [*found, rest] if rest else found


def draws_columns(model: Model) -> bool:
    """Tell whether a booster's trees, levels or nodes drew some of the columns.

    Parameters
    ----------
    model : Model
        The booster's model.
    """
    left = model.n_features
    # Not every booster has all of them, and a file may be from before there were some.
    absent = {
        "max_features": None,
        "max_features_tree": None,
        "max_features_level": None,
        "max_leaf_nodes": None,
        "learning_rate": 1.0,
    }
    params = SimpleNamespace(**{**absent, **model.params})
    for drawn in (params.max_features_tree, params.max_features_level):
        left = min(left, feature_count(drawn, left))
    n_classes = None if model.classes is None else len(model.classes)
    left = min(left, feature_count(node_features(params, left, n_classes), left))
    return left < model.n_features


# --- learning rates
# ----------------------------------------------------------------------------------------------------------


def learning_rates(given: Any, n_rounds: int) -> Floats:
    """Return the learning rate of each round.

    Parameters
    ----------
    given : float, callable or array-like
        The parameter: one for all, a function of the number of the round (from 1), or a list, whose last
        rate goes on.
    n_rounds : int
        How many rounds there may be.
    """
    if callable(given):
        rates = [given(number) for number in range(1, n_rounds + 1)]
    elif isinstance(given, Real):
        return np.full(n_rounds, float(given))
    else:
        rates = list(given)
        if not rates:
            raise ValueError("learning_rate is an empty list: it must have at least one rate.")
        rates = [*rates[:n_rounds], *[rates[-1]] * (n_rounds - len(rates))]
    for number, rate in enumerate(rates, start=1):
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 <= float(rate) < math.inf:
            raise ValueError(
                f"The learning rate of round {number} must be a number of at least 0. learning_rate says "
                f"{rate!r}."
            )
    return np.array(rates, dtype=np.float64)


def set_rates(plan: _core.BoostPlan, given: Any, n_rounds: int) -> None:
    """Tell the engine the learning rates.

    Parameters
    ----------
    plan : BoostPlan
        How rounds go.
    given : float, callable or array-like
        The parameter.
    n_rounds : int
        How many rounds there may be.
    """
    rates = learning_rates(given, n_rounds)
    plan.learning_rate = float(rates[0])
    if (rates != rates[0]).any():
        plan.learning_rates = rates.tolist()


def rate_arrays(earlier: Model | None, rates: Floats, n_rounds: int) -> tuple[float, dict[str, Floats]]:
    """Return the rate of the last round and, where rounds have different ones, the array of a model.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    rates : ndarray of float64
        What the parameter says about each round.
    n_rounds : int
        Rounds of the model, those of the earlier one included.
    """
    known = np.empty(0) if earlier is None else rates_of_rounds(earlier)
    used = np.concatenate([known, rates[len(known) : n_rounds]])
    return float(used[-1]), {RATES: used} if (used != used[0]).any() else {}


def kept_rate(given: Any, used: Sequence[float]) -> Any:
    """Return the parameter as a model keeps it: of a function the values that it gave.

    Parameters
    ----------
    given : float, callable or array-like
        The parameter.
    used : sequence of float
        Rates of the rounds.
    """
    return given if isinstance(given, Real) else [float(rate) for rate in used]
