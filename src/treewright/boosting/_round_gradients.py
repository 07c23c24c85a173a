"""The gradients of a round: what a tree was grown on, computed from the rows of the fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting._cut_curves import mean_curve, newton_curve
from treewright.boosting._leaf_steps import LeafSteps
from treewright.boosting._round_candidates import MeanTree, Round, mean_search, newton_search
from treewright.boosting._rows import BoostRows, read_boost_rows
from treewright.boosting._statistics import extended_rows
from treewright.boosting.losses import Loss, loss_of
from treewright.boosting.plans import draws_columns, draws_features
from treewright.explain.boosted import BoostTraining
from treewright.explain.words import tie_rule
from treewright.fitting.target_statistics import TrainingStatistics, parts_of
from treewright.model import Model
from treewright.model.facts import BoosterFacts, WeightedFacts
from treewright.model.level_means import LevelMeans

if TYPE_CHECKING:
    from treewright.boosting.booster import Booster
    from treewright.boosting.plans import Plans

__all__ = ["learned_rows", "training_of"]

Floats = NDArray[np.float64]


def training_of(
    booster: Booster, X: Any, y: Any, sample_weight: Any, offset: Any
) -> Callable[[int], BoostTraining]:
    """Read the rows of the fit; the result gives for each tree what it was grown from.

    Parameters
    ----------
    booster : Booster
        The fitted booster.
    X, y, sample_weight, offset : object
        What `fit` was given.
    """
    model = booster.model_
    own = booster._as_fitted()
    rows = own._read(X, y, sample_weight, model)
    loss = loss_of(own, rows.n_classes)
    given = read_boost_rows(type(booster).__name__, rows, loss, offset)
    given = learned_rows(own, given, BoosterFacts.of(model).seed)
    known = LevelMeans.of(model)
    if known is not None and len(known.node):
        sources = np.unique(known.feature).tolist()
        statistics = TrainingStatistics.learned(given.rows, sources, parts_of(given.rows))
        if statistics is None or not statistics.continues(model):
            raise ValueError(
                "The target statistics of these rows are not those of the model: pass the X, y and weights "
                "of its only fit."
            )
        model, given = known.grown(model), extended_rows(given, statistics)
    rounds = RoundGradients(own, model, given, loss)
    return rounds.training


def learned_rows(own: Any, given: BoostRows, seed: int) -> BoostRows:
    """Return the rows without those that early stopping set aside, unless it was given others to watch.

    Parameters
    ----------
    own : Booster or WeightBooster
        The fitted booster, with the parameters of its fit.
    given : BoostRows
        The rows that `fit` was given.
    seed : int
        The seed of the fit.
    """
    if not own._stops_early or own.validation_fraction is None:
        return given
    share = float(own.validation_fraction)
    return given.divided(share, seed) if _set_rows_aside(own, given.rows.n_rows, share) else given


def _set_rows_aside(own: Any, n_rows: int, share: float) -> bool:
    """Tell whether early stopping set a share of the rows aside, or was given rows to watch.

    A model from a file of format 1 does not say it: there the rows of the first tree must.
    """
    model = own.model_
    facts = BoosterFacts if model.aggregation == "sum" else WeightedFacts
    known: int | None = facts.of(model).rows_set_aside
    if known is not None:
        return known > 0
    drawn = own.goss_top + own.goss_other if getattr(own, "goss", False) else getattr(own, "subsample", 1.0)
    seen = int(model.trees[0].n_node_samples[0])
    return bool(abs(seen - drawn * (1.0 - share) * n_rows) < abs(seen - drawn * n_rows))


class RoundGradients:
    """The rows, and the way from the number of a tree to its gradients."""

    def __init__(self, own: Booster, model: Model, given: BoostRows, loss: Loss) -> None:
        self._own = own
        self._model = model
        self._given = given
        self._loss = loss
        self._matrix = given.rows.whole_table.to_matrix()
        self._n_threads = int(effective_n_jobs(own.n_jobs))

    def training(self, tree: int) -> BoostTraining:
        """Return what a tree was grown from."""
        number, output = divmod(tree, self._loss.outputs)
        plans = self._own._plans(self._given.rows, BoosterFacts.of(self._model).seed)
        raw = self._scores(number, plans.exact)
        g, h = self._derivatives(raw, plans.exact)
        gradient, hessian = np.ascontiguousarray(g[:, output]), np.ascontiguousarray(h[:, output])
        dataset = self._given.rows.encode(plans.max_bins, self._n_threads, keep=True)
        if plans.tree is None:
            # As trees see them: in single precision.
            gradient, hessian = _singles(gradient), _singles(hessian)
            seen = self._seen(number, plans)
            tree_of_round = Round(number, output, gradient, hessian, self._has_equal_hessians, seen)
            search = newton_search(dataset, plans, tree_of_round, self._n_threads)
            curve = newton_curve(dataset, plans, tree_of_round, self._model.schema)
            weight = hessian
        else:
            weights = self._given.rows.weights
            weight = np.ones(len(gradient)) if weights is None else weights
            tree_of_means = MeanTree(dataset, gradient, weight, plans.tree)
            search = mean_search(tree_of_means, self._n_threads)
            curve = mean_curve(tree_of_means, self._model.schema)
        return BoostTraining(
            matrix=self._matrix,
            gradient=gradient,
            hessian=weight,
            search=search,
            directions=tuple(plans.boost.monotone),
            leaf_step=self._leaf_step(raw, output, gradient, hessian, plans),
            seen=self._seen(number, plans),
            unseen=self._unseen(number, plans),
            chance=tuple(_chance(self._own, plans)),
            curve=curve,
        )

    def _scores(self, number: int, single: bool) -> Floats:
        """Return the raw scores before a round; the exact method adds them up in single precision."""
        start: Floats = np.repeat(self._model.arrays["start"][np.newaxis], len(self._matrix), axis=0)
        if self._given.offset is not None:
            start = start + self._given.offset
        if number == 0 and not single:
            return start
        return self._model.raw_scores(self._matrix, self._n_threads, 0, number, start, single=single)

    def _derivatives(self, raw: Floats, single: bool) -> tuple[Floats, Floats]:
        target, weights = self._given.target, self._given.rows.weights
        if single:
            target, weights = _singles(target), None if weights is None else _singles(weights)
        own = self._loss.gradients(target, weights)
        if own is not None:
            return own(raw)
        objective = self._loss.objective
        objective.begin_round(target, weights, raw)
        found: Any = objective.gradients(target, weights, raw)
        # The exact method takes twice the hessian of several classes, as the xgboost package.
        return found[0], found[1] * (2.0 if single and self._loss.outputs > 1 else 1.0)

    @property
    def _has_equal_hessians(self) -> bool:
        unweighted = self._given.rows.weights is None and self._loss.own is None
        return unweighted and bool(self._loss.objective.hessian_is_weight)

    def _leaf_step(
        self, raw: Floats, output: int, gradient: Floats, hessian: Floats, plans: Plans
    ) -> LeafSteps | None:
        """Return what gives the values of leaves where they are not the quotients of their sums."""
        objective = self._loss.objective
        grows_means = plans.tree is not None
        if self._loss.own is not None:
            differs = grows_means
        else:
            differs = objective.renews_leaves or (grows_means and not objective.hessian_is_weight)
        if not differs:
            return None
        target, weights = self._given.target, self._given.rows.weights
        return LeafSteps(self._loss, self._own, target, weights, raw, output, gradient, hessian)

    def _seen(self, number: int, plans: Plans) -> NDArray[np.bool_] | None:
        """Draw the rows of a round again."""
        if plans.boost.subsample >= 1 or self._unseen(number, plans):
            return None
        return np.asarray(_core.boost_sample(plans.boost, self._given.rows.n_rows, number), dtype=bool)

    def _unseen(self, number: int, plans: Plans) -> str:
        own: Any = self._own
        if getattr(own, "goss", False):
            why = f"goss=True (goss_top={own.goss_top:g}, goss_other={own.goss_other:g})"
        elif plans.tree is not None and plans.boost.subsample < 1:
            why = f"subsample={plans.boost.subsample:g}"
        else:
            return ""
        return f"{why}: which rows round {number} saw is not known, the numbers are those of all rows."


def _singles(numbers: Floats) -> Floats:
    """Round to single precision."""
    return numbers.astype(np.float32).astype(np.float64)


def _chance(own: Any, plans: Plans) -> list[str]:
    """Say what the search for the best tests does not know."""
    words = []
    drawn = [
        name for name in ("max_features_tree", "max_features_level") if getattr(own, name, None) is not None
    ]
    if draws_features(own):
        drawn.append("max_features")
    if drawn:
        words.append(f"{', '.join(drawn)} drew the columns")
    if plans.tree is None:
        words += [
            f"{name} rules others out"
            for name in ("monotonic_cst", "interaction_cst")
            if getattr(own, name, None) is not None
        ]
        if plans.boost.drop_hopeless:
            words.append("a column that gained nothing further up is not asked again")
        if not plans.exact:
            words.append("gains compete as sums of rounded steps")
    return [*words, f"of equal gains the {tie_rule(draws_columns(own.model_))}"]
