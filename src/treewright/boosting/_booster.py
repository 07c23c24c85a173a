"""What all boosters of gradients share in fitting: validate → read → encode once → rounds → Model."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treewright import _core
from treewright.boosting import _warm_start
from treewright.boosting._boosted import Boosted
from treewright.boosting._kept_params import kept_params
from treewright.boosting._least_gain import least_gains, warn_of_small_weights
from treewright.boosting._loss import Loss, loss_of
from treewright.boosting._out_of_bag import out_of_bag
from treewright.boosting._rows import (
    BoostRows,
    HeldOut,
    check_classes,
    check_target,
    check_varied,
    read_held_out,
    read_offset,
    set_aside,
)
from treewright.boosting._scores import SCORE_ROWS, score_arrays
from treewright.boosting._watch import Watch, metric_of, warn_of_stop
from treewright.forests._progress import Progress
from treewright.forests._rows import TrainingRows, read_rows
from treewright.model import Forest, Model

__all__ = ["BaseBooster", "Plans"]

Floats = NDArray[np.float64]
#: More leaves than this are no limit.
MOST_NODES = np.iinfo(np.int32).max


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
    def limits(self) -> dict[str, int]:
        """Limits that parameters leave to the rows, as facts of the model."""
        limited = self.tree is None and self.boost.max_leaves <= MOST_NODES
        return {"max_leaves": int(self.boost.max_leaves)} if limited else {}


class BaseBooster(Boosted):
    """Base of the boosters: from rows to the model, as far as it depends on neither task nor algorithm."""

    _family: ClassVar[str] = "boosting"
    _task: ClassVar[str]

    loss: Any
    n_estimators: int
    learning_rate: float
    subsample: float
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float
    scoring: Any
    callbacks: Any
    keep_partial: bool
    warm_start: bool
    verbose: int
    random_state: Any
    categorical_features: Any
    monotonic_cst: Any

    # Only some boosters have these.
    early_stopping: bool = False
    class_weight: Any = None
    init: str | None = None

    @abstractmethod
    def _plans(self, rows: TrainingRows, seed: int) -> Plans:
        """Return how the rounds go."""

    @property
    def _draws(self) -> bool:
        """Whether rounds draw rows or features; the model must not depend on the seed otherwise."""
        drawn = ("max_features", "max_features_tree", "max_features_level")
        return (
            self.subsample < 1
            or bool(getattr(self, "goss", False))
            or any(getattr(self, name, None) is not None for name in drawn)
        )

    @property
    def _stops_early(self) -> bool:
        return bool(self.early_stopping)

    def _factor(self, loss: Loss) -> float:
        """Return what a mean loss is multiplied with to be the score: the core halves squared errors."""
        return 2.0 if loss.name == "squared_error" else 1.0

    # --- fitting
    # ----------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        offset: Any = None,
        offset_val: Any = None,
    ) -> Self:
        """Learn round after round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row, or the number to predict.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row. Rows of weight 0 are left out.
        X_val, y_val : like X and y, optional
            Rows that are not learned from: `validation_score_` says how well each round predicts them, and
            early stopping goes by it.
        sample_weight_val : array-like, optional
            Their weights.
        offset : array-like of shape (n_rows,) or (n_rows, n_classes), optional
            A raw score for each row that the trees add to, e.g. the logarithm of the exposure with
            ``loss="poisson"``. Predictions are without it.
        offset_val : array-like, optional
            The same for the rows of X_val.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        earlier = _warm_start.earlier_model(self)
        rows = self._read(X, y, sample_weight, earlier)
        loss = loss_of(self, rows.n_classes)
        check_target(loss, np.asarray(rows.target, dtype=np.float64), rows.kept)
        if offset is None or rows.n_classes is not None:
            check_varied(type(self).__name__, rows)
        scores = read_offset(offset, rows.n_rows_read, loss.outputs)
        if scores is not None and rows.kept is not None:
            scores = scores[rows.kept]
        held_out = read_held_out(
            type(self).__name__, rows, loss.outputs, X_val, y_val, sample_weight_val, offset_val
        )
        if held_out is not None:
            check_target(loss, held_out.target, None, "y_val")
        seed = self._seed(earlier)
        given = self._watched(BoostRows(rows, scores, held_out), loss, seed)
        self._adopt(self._boosted(given, loss, seed, earlier))
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, earlier: Model | None) -> TrainingRows:
        rows = read_rows(
            X,
            y,
            sample_weight,
            owner=type(self).__name__,
            task=self._task,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            model=earlier,
        )
        check_classes(rows)
        return rows

    def _lasting(self, model: Model) -> dict[str, tuple[Any, Any]]:
        """Return what a warm start must not change: by name, what it is now and what it was."""
        return {"loss": ("custom" if callable(self.loss) else self.loss, model.facts["loss"])}

    def _seed(self, earlier: Model | None) -> int:
        # Rounds that are added are those that one fit would have grown.
        if earlier is not None:
            return int(earlier.facts["seed"])
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _watched(self, given: BoostRows, loss: Loss, seed: int) -> BoostRows:
        """Return the rows, some of them set aside when early stopping needs that."""
        if loss.own is not None and not callable(self.scoring):
            if given.held_out is not None or self._stops_early:
                raise ValueError(
                    "A loss of your own says nothing about the score of validation rows: pass "
                    "scoring=metric, a callable metric(y, prediction, weight)."
                )
        return set_aside(self, given, seed)

    def _boosted(self, given: BoostRows, loss: Loss, seed: int, earlier: Model | None) -> Model:
        rows, held_out = given.rows, given.held_out
        n_threads = int(effective_n_jobs(self.n_jobs))
        done = 0 if earlier is None else int(earlier.facts["n_rounds"])
        target, weights = given.target, rows.weights
        start = (
            loss.start(target, weights, given.offset, self.init)
            if earlier is None
            else earlier.arrays["start"]
        )
        if done == self.n_estimators and earlier is not None:
            return earlier
        raw = _raw(start, given.offset, rows.n_rows)
        watched = None if held_out is None else _raw(start, held_out.offset, len(held_out.target))
        if earlier is not None:
            raw = earlier.raw_scores(rows.whole_table.to_matrix(), n_threads, start=raw)
            if held_out is not None:
                watched = earlier.raw_scores(held_out.matrix, n_threads, start=watched)
        plans = self._plans(rows, seed if self._draws else 0)
        dataset = rows.encode(plans.max_bins, n_threads)
        factor = self._factor(loss)
        n_rounds = int(self.n_estimators) - done
        with Progress(type(self).__name__, n_rounds, bool(self.verbose), "rounds") as progress:
            watch = Watch(self, done, factor, callable(self.scoring), progress)
            try:
                grown = _core.boost(
                    dataset,
                    target,
                    weights,
                    raw,
                    loss.objective,
                    plans.boost,
                    n_rounds,
                    first_round=done,
                    held_out=_held_out(held_out, watched),
                    score_rows=0 if loss.own is not None else SCORE_ROWS,
                    patience=int(self.n_iter_no_change or 0) if self._stops_early else 0,
                    tolerance=float(self.tol) / (1.0 if callable(self.scoring) else factor),
                    after_round=watch if watch.is_needed else None,
                    gradients=loss.gradients(target, weights),
                    metric=None
                    if held_out is None
                    else metric_of(self.scoring, held_out.target, held_out.weights, loss.link),
                    keep_partial=bool(self.keep_partial),
                    exact=plans.exact,
                    tree=plans.tree,
                    n_threads=n_threads,
                )
            except RuntimeError as error:
                if self.keep_partial and str(error) == "stopped on request":
                    raise KeyboardInterrupt from None  # before the first round was done
                raise
        return self._model(rows, loss, grown, start, seed, earlier, plans)

    def _model(
        self,
        rows: TrainingRows,
        loss: Loss,
        grown: dict[str, Any],
        start: Floats,
        seed: int,
        earlier: Model | None,
        plans: Plans,
    ) -> Model:
        forest = Forest(grown, rows.schema.n_codes, "squared_error")
        if plans.boost.chance_gain > 0:
            warn_of_small_weights(forest, grown["least_gain"], rows.weights)
        n_rounds = int(grown["n_rounds"])
        done = 0 if earlier is None else int(earlier.facts["n_rounds"])
        if grown["was_stopped"]:
            warn_of_stop(done + n_rounds)
        elif self._stops_early and self.n_iter_no_change:
            n_rounds = max(1, int(grown["best_round"]))
            forest = forest[: n_rounds * loss.outputs]
        factor = self._factor(loss)
        # The first score is that of the start, which earlier rounds have.
        train = grown["train_score"][1:] * factor
        validation = grown["validation_score"][1:] * (1.0 if callable(self.scoring) else factor)
        oob = out_of_bag(grown["oob_score"] * factor, n_rounds, earlier)
        if earlier is not None:
            assert isinstance(earlier.trees, Forest), "a booster's trees are a forest"
            forest = earlier.trees.extended(forest)
        return Model(
            algorithm=type(self).__name__,
            params=self._kept_params(),
            schema=rows.schema,
            trees=forest,
            facts={
                "aggregation": "sum",
                "loss": loss.name,
                "link": loss.link,
                "n_rounds": done + n_rounds,
                "learning_rate": float(self.learning_rate),
                "l2": float(plans.boost.l2) if plans.tree is None else 0.0,
                "l1": float(plans.boost.l1) if plans.tree is None else 0.0,
                "chance_gain": float(grown["chance_gain"]),
                **plans.limits,
                "seed": seed,
            },
            arrays={
                "start": start,
                **score_arrays(earlier, train, validation),
                **oob,
                **least_gains(earlier, grown["least_gain"][: n_rounds * loss.outputs]),
            },
            **rows.outputs,
        )

    def _kept_params(self) -> dict[str, Any]:
        """Return the parameters as a model keeps them: in plain values, functions left out."""
        return kept_params(self)


def _raw(start: Floats, offset: Floats | None, n_rows: int) -> Floats:
    # One row that stands for all: the rounds copy it, and a million rows would be 8 MB twice.
    return np.broadcast_to(start, (n_rows, len(start))) if offset is None else start + offset


def _held_out(held_out: HeldOut | None, raw: Floats | None) -> tuple[Any, ...] | None:
    return None if held_out is None else (held_out.matrix, held_out.target, held_out.weights, raw)
