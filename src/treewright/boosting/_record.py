"""The record of a fit: what a booster's model keeps of its rounds, and the attributes that show it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting._error_bands import ErrorBands
from treewright.boosting._round_members import earlier_fits
from treewright.boosting._rows import BoostRows, is_varied
from treewright.boosting.losses import Loss
from treewright.boosting.plans import Plans, kept_rate, learning_rates, rate_arrays
from treewright.engine_results import BoostedTrees
from treewright.exceptions import SingleLeafWarning
from treewright.fitting.rows import TrainingRows
from treewright.fitting.target_statistics import TrainingStatistics
from treewright.model import Forest, Model
from treewright.model.facts import BoosterFacts, ValidationFacts
from treewright.model.learning_rate import rates_of_rounds
from treewright.model.level_means import LevelMeans
from treewright.warn_at_caller import warn_at_caller

__all__ = [
    "SCORE_ROWS",
    "Validation",
    "adopt_record",
    "adopt_scores",
    "check_record",
    "check_scores",
    "joined_validation",
    "record",
    "train_scores",
]

Floats = NDArray[np.float64]

# Training rows that the train score looks at.
SCORE_ROWS: Final = 10_000
# Names of arrays in a model, one number per round; with an underscore at the end, those of the attributes.
TRAIN: Final = "train_score"
OUT_OF_BAG: Final = ("oob_scores", "oob_improvement")
# γ of each tree.
LEAST_GAIN: Final = "least_gain"
# The array of a model with the scores that early stopping goes by, and that with all of them, metric after
# metric of each set.
FIRST_SCORES: Final = "validation_score"
ALL_SCORES: Final = "validation_scores"
# Who made a file that does not say it had one set and, as far as anybody knows, the loss.
UNNAMED: Final = {"sets": ["validation"], "metrics": ["loss"]}
#: Mean weights below this may be why there is no split.
SMALL: Final = 0.5


def record(
    estimator: Any,
    given: BoostRows,
    loss: Loss,
    plans: Plans,
    grown: BoostedTrees,
    start: Floats,
    seed: int,
    earlier: Model | None,
    n_rounds: int,
    of_mean: float,
    validation: Validation | None,
    statistics: TrainingStatistics | None = None,
) -> Model:
    """Return the model of a fit: the rounds of an earlier one, and those that the engine has grown.

    Parameters
    ----------
    estimator : object
        The booster.
    given : BoostRows
        What it learned from, and what it was watched on.
    loss, plans : object
        What the rounds made smaller, and how.
    grown : dict
        What the engine returned.
    start : ndarray of float64
        Raw scores before the first round.
    seed : int
        The seed of the fit.
    earlier : Model or None
        The model that rounds were added to.
    n_rounds : int
        How many of the new rounds the model keeps.
    of_mean : float
        What mean losses are multiplied with.
    validation : Validation or None
        Scores of the rows that were watched.
    statistics : TrainingStatistics or None
        Target statistics that the trees may test.
    """
    rows = given.rows
    validation = joined_validation(earlier, validation)
    forest = Forest(cast(dict[str, Any], grown), rows.schema.n_codes, "squared_error")
    if plans.tree is None:
        _warn_of_small_weights(forest, grown["least_gain"], rows, plans.boost)
    if n_rounds * loss.outputs < len(forest):
        forest = forest[: n_rounds * loss.outputs]
    means = None if earlier is None else LevelMeans.of(earlier)
    if statistics is not None:
        forest, means = statistics.compiled(forest, rows.own_schema, earlier)
    done = 0
    if earlier is not None:
        assert isinstance(earlier.trees, Forest), "a booster's trees are a forest"
        forest = earlier.trees.extended(forest)
        done = BoosterFacts.of(earlier).n_rounds
    rates = learning_rates(estimator.learning_rate, int(estimator.n_estimators))
    last_rate, rate_array = rate_arrays(earlier, rates, done + n_rounds)
    params = estimator._kept_params()
    params["learning_rate"] = kept_rate(estimator.learning_rate, rates[: done + n_rounds].tolist())
    return Model(
        algorithm=type(estimator).__name__,
        params=params,
        schema=rows.own_schema,
        trees=forest,
        facts=vars(
            BoosterFacts(
                loss=loss.name,
                link=loss.link,
                n_rounds=done + n_rounds,
                learning_rate=last_rate,
                l2=float(plans.boost.l2) if plans.tree is None else 0.0,
                l1=float(plans.boost.l1) if plans.tree is None else 0.0,
                chance_gain=float(grown["chance_gain"]),
                max_leaves=plans.most_leaves,
                seed=seed,
                validation=None if validation is None else validation.fact,
                rows_set_aside=given.n_set_aside,
                earlier_fits=None if plans.tree is None else earlier_fits(earlier, params),
                missing_features=rows.missing_features
                if earlier is None
                else earlier.missing_with(rows.missing_features),
            )
        ),
        arrays={
            "start": start,
            # The first score is that of the start, which earlier rounds have.
            **train_scores(earlier, grown["train_score"][1:] * of_mean),
            **({} if validation is None else validation.arrays),
            **_out_of_bag(grown["oob_score"] * of_mean, n_rounds, earlier),
            **rate_array,
            **_least_gains(earlier, grown["least_gain"][: n_rounds * loss.outputs]),
            **({} if means is None else means.to_arrays()),
        },
        **rows.outputs,
    )


def check_record(model: Model) -> None:
    """Raise ValueError unless the model says what a booster needs to know, however hostile its file was.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    if model.aggregation != "sum" or not isinstance(model.trees, Forest):
        raise ValueError("its trees do not add up to raw scores")
    if "gradient" not in model.trees.arrays:
        raise ValueError("its trees do not know their gradients")
    n_rounds = BoosterFacts.of(model).n_rounds
    if n_rounds * len(model.arrays["start"]) != len(model.trees):
        raise ValueError(f"it says that {str(n_rounds)[:20]} rounds made {len(model.trees)} trees")
    check_scores(model)
    check_scores(model, OUT_OF_BAG)
    for name in OUT_OF_BAG:
        if name in model.arrays and len(model.arrays[name]) != n_rounds:
            raise ValueError(f"its {name} has not one number for each round")
    rates_of_rounds(model)
    gains = model.arrays.get(LEAST_GAIN)
    if gains is not None and (gains.dtype != np.float64 or gains.shape != (len(model.trees),)):
        raise ValueError(f"its {LEAST_GAIN} has not one number for each tree")
    ErrorBands.from_arrays(model.arrays)
    LevelMeans.of(model)


def adopt_record(estimator: Any, model: Model) -> None:
    """Set the attributes that show the rounds, or take away what an earlier fit has left.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    """
    estimator.n_iter_ = estimator.n_estimators_ = len(model.trees) // len(model.arrays["start"])
    adopt_scores(estimator, model, (TRAIN, *OUT_OF_BAG))
    estimator.__dict__.pop("oob_score_", None)
    if "oob_scores" in model.arrays:
        estimator.oob_score_ = float(model.arrays["oob_scores"][-1])


# --- scores
# ------------------------------------------------------------------------------------------------------------


def train_scores(earlier: Model | None, found: Floats) -> dict[str, Floats]:
    """Return the scores of training rows as an array of a model, after those of earlier rounds.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    found : ndarray of float64
        Scores of the rounds of this fit; none where nobody asked for them.
    """
    before = None if earlier is None else earlier.arrays.get(TRAIN)
    scores = found if before is None else np.concatenate([before, found])
    return {TRAIN: scores} if len(scores) else {}


def adopt_scores(estimator: Any, model: Model, names: tuple[str, ...] = (TRAIN,)) -> None:
    """Set an attribute for each array of scores, or take away what an earlier fit has left.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    names : tuple of str
        Names of the arrays.
    """
    for name in names:
        if name in model.arrays:
            setattr(estimator, f"{name}_", model.arrays[name])
        else:
            estimator.__dict__.pop(f"{name}_", None)
    adopt_validation(estimator, model)


def check_scores(model: Model, names: tuple[str, ...] = (TRAIN,)) -> None:
    """Raise ValueError unless scores, where there are some, are lists of numbers.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    names : tuple of str
        Names of the arrays.
    """
    for name in names:
        scores = model.arrays.get(name)
        if scores is not None and (scores.ndim != 1 or scores.dtype != np.float64):
            raise ValueError(f"its {name} is not a list of numbers")
    check_validation(model)


def _out_of_bag(losses: Floats, n_rounds: int, earlier: Model | None) -> dict[str, Floats]:
    """Return `oob_scores` and `oob_improvement`, one number per round; nothing when no round drew rows.

    `losses` are those of the rows that a round did not draw: before the first round, then after each. Both
    arrays are scikit-learn's: an improvement is the score of the round before minus that of the round,
    although each round leaves other rows out; for the first round it is the score of its own rows before it.
    """
    before = {} if earlier is None else {name: earlier.arrays.get(name) for name in OUT_OF_BAG}
    known = before.get("oob_scores")
    if not len(losses) and known is None:
        return {}
    # NaN: rounds that saw all rows.
    scores, improvement = np.full(n_rounds, np.nan), np.full(n_rounds, np.nan)
    after = losses[1 : n_rounds + 1]
    if len(after):
        first = losses[0] if known is None or np.isnan(known[-1]) else known[-1]
        scores[: len(after)] = after
        improvement[: len(after)] = np.concatenate([[first], after[:-1]]) - after
    if earlier is None:
        return {"oob_scores": scores, "oob_improvement": improvement}
    nothing = np.full(BoosterFacts.of(earlier).n_rounds, np.nan)
    return {
        name: np.concatenate([nothing if before[name] is None else before[name], more])
        for name, more in (("oob_scores", scores), ("oob_improvement", improvement))
    }


class Validation(NamedTuple):
    """Scores of validation rows.

    `scores` has the shape (n_sets, n_metrics, n_rounds); early stopping goes by the first metric of the first
    set.
    """

    sets: list[str]
    metrics: list[str]
    scores: Floats

    @property
    def arrays(self) -> dict[str, Floats]:
        """The arrays of a model."""
        if not self.scores.shape[2]:
            return {}
        first = {FIRST_SCORES: self.scores[0, 0].copy()}
        return (
            first
            if self.scores[..., 0].size == 1
            else {**first, ALL_SCORES: self.scores.reshape(-1, self.scores.shape[2])}
        )

    @property
    def fact(self) -> dict[str, Any] | None:
        """The names, for the facts of a model."""
        return {"sets": self.sets, "metrics": self.metrics} if self.scores.shape[2] else None

    def of(self, name: str, metric: str) -> Floats | None:
        """Return the scores of one set by one metric; None when it has none."""
        if name not in self.sets or metric not in self.metrics:
            return None
        found: Floats = self.scores[self.sets.index(name), self.metrics.index(metric)]
        return found

    @classmethod
    def of_model(cls, model: Model) -> Validation | None:
        """Return the scores that a model keeps; ValueError when they cannot be."""
        first = model.arrays.get(FIRST_SCORES)
        if first is None:
            return None
        names = ValidationFacts.of(model).validation or UNNAMED
        scores = model.arrays.get(ALL_SCORES, first[np.newaxis])
        shape = (len(names["sets"]), len(names["metrics"]), len(first))
        if scores.dtype != np.float64 or scores.shape != (shape[0] * shape[1], shape[2]):
            raise ValueError("its validation scores are not those of its sets and metrics")
        return cls(names["sets"], names["metrics"], scores.reshape(shape))


def joined_validation(earlier: Model | None, found: Validation | None) -> Validation | None:
    """Return the scores of a fit after those of the rounds that it was added to.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    found : Validation or None
        Scores of this fit; None: nobody was watching.
    """
    before = None if earlier is None else Validation.of_model(earlier)
    if before is None or found is None:
        return found or before
    # Of sets and metrics that are new nobody knows what earlier rounds did.
    unknown = np.full(before.scores.shape[2], np.nan)
    scores = [
        [
            np.concatenate([unknown if (known := before.of(one, metric)) is None else known, now])
            for metric, now in zip(found.metrics, of_set, strict=True)
        ]
        for one, of_set in zip(found.sets, found.scores, strict=True)
    ]
    return Validation(found.sets, found.metrics, np.array(scores))


def adopt_validation(estimator: Any, model: Model) -> None:
    """Set the attributes that show the scores; they are empty where nothing was watched.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    """
    found = Validation.of_model(model)
    if found is None:
        estimator.validation_score_, estimator.validation_scores_ = np.zeros(0), {}
        return
    estimator.validation_score_ = model.arrays[FIRST_SCORES]
    estimator.validation_scores_ = {
        one: dict(zip(found.metrics, of_set, strict=True))
        for one, of_set in zip(found.sets, found.scores, strict=True)
    }


def check_validation(model: Model) -> None:
    """Raise ValueError unless validation scores, where there are some, are such.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    first = model.arrays.get(FIRST_SCORES)
    if first is not None and (first.ndim != 1 or first.dtype != np.float64):
        raise ValueError(f"its {FIRST_SCORES} is not a list of numbers")
    if first is None and ALL_SCORES in model.arrays:
        raise ValueError(f"it has {ALL_SCORES}, but no {FIRST_SCORES}")
    Validation.of_model(model)


# --- γ of the trees
# ----------------------------------------------------------------------------------------------------------


def _least_gains(earlier: Model | None, found: Floats) -> dict[str, Floats]:
    """Return what the splits of each tree had to gain; nothing for trees of least squares."""
    if not len(found):
        return {}
    if earlier is None:
        return {LEAST_GAIN: found}
    before = earlier.arrays.get(LEAST_GAIN)
    if before is None:  # a file from before γ could depend on the round
        before = np.full(len(earlier.trees), float(earlier.params["gamma"]))
    return {LEAST_GAIN: np.concatenate([before, found])}


def _warn_of_small_weights(forest: Forest, found: Floats, rows: TrainingRows, plan: _core.BoostPlan) -> None:
    """Warn when weights are so small that γ or the least sum of hessians left no split in any tree."""
    mean = 1.0 if rows.weights is None else float(np.mean(rows.weights))
    if mean >= SMALL or forest.node_count > len(forest) or not is_varied(rows):
        return
    by_chance = plan.chance_gain > 0
    if by_chance:
        rule = f'with gamma="auto" a split must gain more than {found[0]:.3g} in the first round'
    else:
        rule = (
            f"a split must gain more than gamma={float(plan.min_gain):g}, and each side must keep a sum of "
            f"hessians of at least min_child_weight={float(plan.min_hessian_leaf):g}"
        )
    warn_at_caller(
        f"All trees are single leaves: {rule}. The weights are small, {mean:.3g} on average, and a weight "
        "counts as so many rows: scale them so that their mean is 1, or pass "
        f"{'gamma=0' if by_chance else 'a smaller min_child_weight'}.",
        SingleLeafWarning,
    )
