"""Booster: boosting by gradients: rows → rounds by the engine → model → attributes and answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.boosting._answers import last_round
from treewright.boosting._cross_answers import rows_to_ask, with_error_bands
from treewright.boosting._explained import ExplainedBooster
from treewright.boosting._held_out import TRAINING
from treewright.boosting._record import SCORE_ROWS, Validation, adopt_record, check_record, record
from treewright.boosting._refit import refitted
from treewright.boosting._rows import BoostRows, read_boost_rows, set_aside, warn_of_constant
from treewright.boosting._scoreboard import Answers, LossMean, Scoreboard, warn_of_worse_scores
from treewright.boosting._statistics import BoosterTrial, extended_rows
from treewright.boosting._warm_start import earlier_model
from treewright.boosting._watch import Watch, warn_of_stop
from treewright.boosting._watched_rows import coded
from treewright.boosting.losses import Loss, loss_of
from treewright.boosting.metrics import Metric, metrics_of
from treewright.boosting.plans import Plans, draws_features
from treewright.engine_results import BoostedTrees
from treewright.fitting.estimator import Estimator, all_or_nothing, helpful_fit, in_batches
from treewright.fitting.progress import is_heard, with_tasks
from treewright.fitting.rows import TrainingRows, read_rows
from treewright.fitting.statistics_choice import chosen_statistics
from treewright.model import Model
from treewright.model.booster_importances import booster_totals
from treewright.model.facts import BoosterFacts
from treewright.model.link import answers

__all__ = ["Booster"]

Floats = NDArray[np.float64]

# Parameters that draw features of a tree or a level when they are set.
DRAWN_FEATURES = ("max_features_tree", "max_features_level")


class Booster(ExplainedBooster, Estimator):
    """Base of the boosters by gradients. An algorithm adds its constructor and how it plans rounds."""

    _family: ClassVar[str] = "boosting"

    loss: Any
    n_estimators: int
    learning_rate: Any
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

    # Whether `apply` has an axis for classes when there is one score for two of them.
    _has_leaves_by_class: ClassVar[bool] = False
    # Only some boosters have these.
    class_weight: Any = None
    init: str | None = None
    quantiles: bool = False
    target_statistics: Any = False

    train_score_: Floats
    validation_score_: Floats
    validation_scores_: dict[str, dict[str, Floats]]
    oob_scores_: Floats
    oob_improvement_: Floats
    oob_score_: float
    n_iter_: int
    n_estimators_: int

    # --- fitting
    # ----------------------------------------------------------------------------------------------------

    @helpful_fit
    @with_tasks
    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any = None,
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
            early stopping goes by it. Of several sets dicts by name, or lists: `validation_scores_` has the
            scores of all, early stopping goes by the first.
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
        earlier = earlier_model(self) if self.warm_start else None
        rows = self._read(X, y, sample_weight, earlier)
        loss = loss_of(self, rows.n_classes)
        owner = type(self).__name__
        given = read_boost_rows(owner, rows, loss, offset, (X_val, y_val, sample_weight_val, offset_val))
        # Offsets may vary where numbers do not.
        if offset is None or rows.n_classes is not None:
            warn_of_constant(rows)
        seed = self._seed(earlier)
        metrics = metrics_of(self.scoring, owner)
        whole = rows_to_ask(given) if self.quantiles else None
        given = set_aside(self, given, seed, metrics)
        model = self._boosted(given, loss, metrics, seed, earlier)
        rows.check_learned(model)
        if whole is not None:
            model = with_error_bands(self, model, whole, loss, seed)
        self._adopt(model)
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
        return rows

    def _seed(self, earlier: Model | None) -> int:
        # Rounds that are added are those that one fit would have grown.
        if earlier is not None:
            return BoosterFacts.of(earlier).seed
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    @abstractmethod
    def _plans(self, rows: TrainingRows, seed: int) -> Plans:
        """Return how the rounds go."""

    @property
    def _draws(self) -> bool:
        """Whether rounds draw rows or features; the model must not depend on the seed otherwise."""
        return (
            self.subsample < 1
            or bool(getattr(self, "goss", False))
            or draws_features(self)
            or any(getattr(self, name, None) is not None for name in DRAWN_FEATURES)
        )

    @property
    def _stops_early(self) -> bool:
        # Friedman's boosters have no switch, as in scikit-learn: naming a number of rounds is enough.
        return bool(getattr(self, "early_stopping", self.n_iter_no_change is not None))

    def _boosted(
        self, given: BoostRows, loss: Loss, metrics: tuple[Metric, ...], seed: int, earlier: Model | None
    ) -> Model:
        done = 0 if earlier is None else BoosterFacts.of(earlier).n_rounds
        if earlier is not None and done == self.n_estimators:
            return earlier
        # What a loss of the user's makes smaller is not known, so nothing can be judged by it.
        trial = None if loss.own is not None else BoosterTrial(self, given, loss, seed)
        statistics = chosen_statistics(self.target_statistics, given.rows, trial, earlier)
        before = earlier
        if statistics is not None:
            given = extended_rows(given, statistics)
            if earlier is not None and statistics.continues(earlier):
                before = statistics.earlier_as_grown(earlier)
        rows, held_out, target = given.rows, given.held_out, given.target
        n_threads = int(effective_n_jobs(self.n_jobs))
        if earlier is None:
            start = loss.start(target, rows.weights, given.offset, self.init)
        else:
            start = earlier.arrays["start"]
        plans = self._plans(rows, seed if self._draws else 0)
        raw, watched = given.raw_scores(start, before, n_threads, single=plans.exact)
        by_histograms = plans.tree is None and not plans.exact
        dataset = rows.encode(plans.max_bins, n_threads, keep_sparse=by_histograms)
        # As scikit-learn's `train_score_`, least-squares trees have the deviance of two classes.
        of_mean = 2.0 if plans.tree is not None and loss.link == "logit" else loss.score_factor
        board = self._scoreboard(given, loss, metrics, of_mean)
        of_validation = of_mean if board is None else metrics[0].sign
        n_rounds = int(self.n_estimators) - done
        is_watched = bool(self.verbose or self.callbacks) or is_heard()
        # Rows in other processes know how to be boosted there, and keep the rows that are watched.
        is_here = isinstance(dataset, _core.Dataset)
        boost = partial(_core.boost, dataset) if is_here else dataset.boost  # type: ignore[attr-defined]
        seen: Any = None if held_out is None else held_out.rows
        code_values = None
        if held_out is not None and held_out.is_streamed and is_here:
            if by_histograms:
                seen, code_values = coded(held_out.rows, len(held_out.target), dataset)
            else:
                seen = held_out.matrix
        with Watch(self, done, of_mean, of_validation) if is_watched else nullcontext() as watch:
            try:
                grown = boost(
                    target,
                    rows.weights,
                    raw,
                    loss.objective,
                    plans.boost,
                    n_rounds,
                    first_round=done,
                    held_out=None if held_out is None else (seen, held_out.target, held_out.weights, watched),
                    code_values=code_values,
                    score_rows=0 if loss.own is not None else SCORE_ROWS,
                    patience=int(self.n_iter_no_change or 0) if self._stops_early else 0,
                    tolerance=float(self.tol) / abs(of_validation),
                    after_round=watch,
                    gradients=loss.gradients(target, rows.weights),
                    metric=board,
                    keep_partial=bool(self.keep_partial),
                    exact=plans.exact,
                    tree=plans.tree,
                    n_threads=n_threads,
                )
            except _core.Stopped:  # before the first round was done; only keep_partial leads here
                raise KeyboardInterrupt from None
        trees = cast(BoostedTrees, grown)
        n_kept = int(trees["n_rounds"])
        if trees["was_stopped"]:
            warn_of_stop(done + n_kept)
        elif self._stops_early and self.n_iter_no_change:
            n_kept = max(1, int(trees["best_round"]))
            warn_of_worse_scores(metrics[0], trees["validation_score"][1:] * of_validation)
        validation = self._validation(given, board, trees, of_mean)
        return record(
            self, given, loss, plans, trees, start, seed, earlier, n_kept, of_mean, validation, statistics
        )

    def _scoreboard(
        self, given: BoostRows, loss: Loss, metrics: tuple[Metric, ...], of_mean: float
    ) -> Scoreboard | None:
        """Return what scores the validation rows in place of the engine, which knows the loss of one set."""
        held_out = given.held_out
        if held_out is None or (len(held_out.sets) == 1 and [one.kind for one in metrics] == ["loss"]):
            return None

        of_rows = LossMean(loss.objective, of_mean)
        return Scoreboard(metrics, held_out, given.rows.classes, Answers(loss.link), of_rows)

    def _validation(
        self, given: BoostRows, board: Scoreboard | None, trees: BoostedTrees, of_mean: float
    ) -> Validation | None:
        """Return the scores of the rows that were watched, after each round."""
        if board is not None:
            return Validation(*board.names, board.scores[..., 1:])
        held_out = given.held_out
        if held_out is None and not (self._stops_early and self.n_iter_no_change):
            return None
        name = TRAINING if held_out is None else held_out.name
        scores = trees["train_score" if held_out is None else "validation_score"][1:] * of_mean
        return Validation([name], ["loss"], scores.reshape(1, 1, -1))

    # --- from the model
    # ----------------------------------------------------------------------------------------------

    def _lasting(self, model: Model) -> dict[str, tuple[Any, Any]]:
        """Return what a warm start must not change: by name, what it is now and what it was."""
        return {"loss": ("custom" if callable(self.loss) else self.loss, model.loss)}

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_model(model)
        adopt_record(self, model)

    def _adopt_stored(self, model: Model) -> None:
        check_record(model)
        self._adopt(model)

    def refit_leaves(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None, decay: float = 0.9
    ) -> Self:
        """Return a booster with the same splits, and leaf values that are learned from other rows.

        Round after round every leaf takes the step that is best for the new rows in it, at the scores that
        the refitted rounds before it have given them; its value is `decay` times the old one plus
        ``1 - decay`` times the new one. A leaf without new rows keeps its value. The start and what nodes say
        about the rows that they were grown from stay as they were.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The new rows, with the columns and the categories of `fit`.
        y : array-like of shape (n_rows,)
            Their targets; of classes, some that `fit` has seen.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.
        offset : array-like, optional
            Raw scores to add to, as in `fit`.
        decay : float, default=0.9
            How much of the old values stays, from 0 to 1.

        Returns
        -------
        booster : object
            A new estimator; this one stays as it is.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from treewright import LeafwiseBoostingRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> booster = LeafwiseBoostingRegressor(n_estimators=50).fit(X[:300], y[:300])
        >>> newer = booster.refit_leaves(X[300:], y[300:] + 100, decay=0.5)
        >>> bool(newer.predict(X).mean() > booster.predict(X).mean())
        True
        """
        check_is_fitted(self, "model_")
        newer: Self = clone(self)
        newer._adopt(refitted(self, X, y, sample_weight, offset, decay))
        return newer

    def _as_fitted(self) -> Self:
        """Return an estimator with the parameters of the fit, which may have been changed since."""
        own = type(self).from_model(self.model_)
        if self.model_.loss == "custom":  # the model keeps no functions
            if not callable(self.loss):
                raise ValueError(
                    "The booster was fitted with a loss of your own, which is not stored with the model: "
                    "set_params(loss=…) to that function first."
                )
            own.loss = self.loss
        return own

    # --- attributes
    # -------------------------------------------------------------------------------------------------

    @property
    def is_categorical_(self) -> NDArray[np.bool_] | None:
        """Which features are categories; None when none is."""
        check_is_fitted(self, "model_")
        found = np.array([feature.kind == "nominal" for feature in self.model_.schema.features])
        return found if found.any() else None

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Gain of each feature over all tests, normalised to sum to 1 (all 0 without a split)."""
        return self.importances("gain")

    def _tree_importances(
        self, kind: str, by_tree: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        sums = booster_totals(self.model_, kind)
        whole = sums.sum()
        mean = sums / whole if whole > 0 else sums
        if not by_tree:
            return mean, None
        lines = booster_totals(self.model_, kind, by_tree=True)
        return mean, lines * (len(lines) / whole if whole > 0 else 0.0)

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def _scores(self, X: Any, n_rounds: int | None = None) -> Floats:
        """Return the raw scores of the first rounds, one column per output."""
        model, matrix, n_threads = self._encode(X)
        return model.raw_scores(matrix, n_threads, last=last_round(n_rounds, self.n_iter_))

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """Return the raw scores after each round."""
        model, matrix, n_threads = self._encode(X)
        yield from model.staged_raw_scores(matrix, n_threads)

    def _answers(self, scores: Floats) -> Floats:
        """Return the probability of each class or, in one column, numbers."""
        return answers(scores, BoosterFacts.of(self.model_).link)

    @in_batches
    def apply(self, X: Any, *, n_rounds: int | None = None) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Only the trees of so many rounds; by default those of all rounds.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_rounds), or (n_rows, n_rounds, n_classes) for several raw scores
            Ids of leaves within their trees. GradientBoostingClassifier has the last axis, of length 1, for
            two classes, too, as in scikit-learn.
        """
        model, matrix, n_threads = self._encode(X)
        n_outputs = len(model.arrays["start"])
        leaves = model.apply(matrix, n_threads)[:, : last_round(n_rounds, self.n_iter_) * n_outputs]
        if n_outputs == 1 and not self._has_leaves_by_class:
            return leaves
        return leaves.reshape(len(leaves), -1, n_outputs)
