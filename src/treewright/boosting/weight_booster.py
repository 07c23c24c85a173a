"""What AdaBoost for classes and for numbers share: rounds of trees on rows whose weights change."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from treewright import trees
from treewright.boosting._answers import last_round
from treewright.boosting._explained_weights import ExplainedWeights
from treewright.boosting._held_out import TRAINING, read_held_out
from treewright.boosting._members import MemberGrower, member_grower, seeded
from treewright.boosting._record import (
    Validation,
    adopt_scores,
    check_scores,
    joined_validation,
    train_scores,
)
from treewright.boosting._rows import BoostRows, set_aside, warn_of_constant
from treewright.boosting._running_votes import RoundScore, RoundScores
from treewright.boosting._scoreboard import warn_of_worse_scores
from treewright.boosting._warm_start import earlier_model
from treewright.boosting._watch import Patience, Watch, warn_of_stop
from treewright.boosting._weight_rounds import Verdict, WeightRounds
from treewright.boosting.metrics import Metric, metrics_of
from treewright.fitting.estimator import Estimator, all_or_nothing, helpful_fit, in_batches
from treewright.fitting.members import Members, member_of, restored_params
from treewright.fitting.progress import with_tasks
from treewright.fitting.rows import TrainingRows, read_rows, row_subset
from treewright.model import Model, Tree
from treewright.model.facts import WeightedFacts
from treewright.model.weighted import decision_probabilities
from treewright.trees.single_tree import SingleTree

__all__ = ["WeightBooster"]

Floats = NDArray[np.float64]


class Grown(NamedTuple):
    """A finished round: its tree, and the scores after it."""

    tree: Tree
    error: float
    weight: float
    score: RoundScore


class WeightBooster(ExplainedWeights, Estimator):
    """Base of AdaBoost."""

    _family: ClassVar[str] = "adaboost"

    estimator: Any
    n_estimators: int
    learning_rate: float
    random_state: Any
    verbose: int
    categorical_features: Any
    early_stopping: bool
    scoring: Any
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float
    warm_start: bool
    callbacks: Any
    keep_partial: bool
    resample: bool = False

    estimator_weights_: Floats
    estimator_errors_: Floats
    train_score_: Floats
    validation_score_: Floats
    validation_scores_: dict[str, dict[str, Floats]]
    n_iter_: int
    n_estimators_: int
    _members_: Members

    @property
    @abstractmethod
    def _default_tree(self) -> SingleTree:
        """The tree that is grown when none is given."""

    @abstractmethod
    def _verdict(
        self,
        values: Floats,
        target: NDArray[Any],
        weights: Floats,
        is_first: bool,
        error: float | None = None,
    ) -> Verdict:
        """Judge a tree by its answers on the training rows and, if it is known already, by its error."""

    def _weights_to_grow(self, weights: Floats, random: np.random.RandomState) -> Floats:
        """Return the weights that the next tree is grown with; 1 on average."""
        return weights * len(weights)

    @property
    def _stops_early(self) -> bool:
        return bool(self.early_stopping)

    @property
    def _template(self) -> SingleTree:
        template: SingleTree = self._default_tree if self.estimator is None else self.estimator
        return template

    def _check_together(self) -> None:
        owner, template = type(self).__name__, self._template
        if not isinstance(template, SingleTree) or is_classifier(template) != (
            self._task == "classification"
        ):
            raise InvalidParameterError(
                f"The 'estimator' parameter of {owner} must be a single tree of Treewright for {self._task}, "
                f"e.g. {type(self._default_tree).__name__}(max_depth=2), or None. Got {template!r} instead."
            )
        template._validate_params()

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
    ) -> Self:
        """Grow tree after tree; each gives more weight to the rows that those before it got wrong.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row, or the number to predict.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row before the first round. Rows of weight 0 are left out.
        X_val, y_val : like X and y, optional
            Rows that are not learned from: `validation_score_` says how well each round predicts them, and
            early stopping goes by it. Of several sets dicts by name, or lists: `validation_scores_` has the
            scores of all, early stopping goes by the first.
        sample_weight_val : array-like, optional
            Their weights.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        owner = type(self).__name__
        earlier = earlier_model(self)
        rows = self._read(X, y, sample_weight, earlier)
        warn_of_constant(rows)
        self._template._prepare(rows)
        held_out = read_held_out(owner, rows, 1, X_val, y_val, sample_weight_val, None)
        seed = self._seed(earlier)
        metrics = metrics_of(self.scoring, owner)
        given = set_aside(self, BoostRows(rows, held_out=held_out), seed or 0, metrics)
        rows = given.rows
        kept = None if rows.kept is None else rows.kept.astype(np.intp)
        grower = member_grower(self._template, rows, row_subset(y, kept), self.n_jobs, bool(self.resample))
        self._adopt(self._boosted(given, grower, metrics, seed, earlier))
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, earlier: Model | None) -> TrainingRows:
        own = self.categorical_features
        says_nothing = isinstance(own, str) and own == "from_dtype"
        rows = read_rows(
            X,
            y,
            sample_weight,
            owner=type(self).__name__,
            task=self._task,
            categorical_features=self._template.categorical_features if says_nothing else own,
            model=earlier,
        )
        return rows

    def _seed(self, earlier: Model | None) -> int | None:
        """Return what makes the draws of the fit repeatable; None: they just go on.

        A generator of the user is drawn from as scikit-learn does, unless early stopping has to know later
        which rows it set aside. Without a seed nothing is kept, so that equal fits give equal models.
        """
        if earlier is not None and (known := WeightedFacts.of(earlier).seed) is not None:
            return known
        if earlier is None and isinstance(self.random_state, Integral):
            return int(self.random_state)
        if not self._stops_early:
            return None
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _boosted(
        self,
        given: BoostRows,
        grower: MemberGrower,
        metrics: tuple[Metric, ...],
        seed: int | None,
        earlier: Model | None,
    ) -> Model:
        done = 0 if earlier is None else len(earlier.trees)
        if earlier is not None and done == self.n_estimators:
            return earlier
        n_threads = int(effective_n_jobs(self.n_jobs))
        rounds = WeightRounds(self, given.rows, n_threads)
        scores = RoundScores(self, given, metrics, n_threads)
        random = check_random_state(self.random_state if seed is None else seed)
        if earlier is not None:
            self._go_through_again(earlier, rounds, scores, None if seed is None else random)
        patience = Patience(
            int(self.n_iter_no_change or 0) if self._stops_early else 0,
            float(self.tol),
            scores.now().watched if self._stops_early else math.inf,
        )
        grown: list[Grown] = []
        was_stopped = False
        n_rounds = int(self.n_estimators) - done
        sign = 1.0 if given.held_out is None else metrics[0].sign
        with Watch(self, done, 1.0, sign) as watch:
            try:
                while len(grown) < n_rounds and not rounds.is_over:
                    number = done + len(grown)
                    tree_seed = int(random.randint(np.iinfo(np.int32).max))
                    tree = grower.grow(self._weights_to_grow(rounds.weights, random), tree_seed)
                    values, verdict = rounds.judge(tree, number == 0)
                    if not verdict.keep:
                        break
                    scores.add(tree, values, verdict.weight)
                    # Scores and tree come together: Ctrl-C may come between any two lines.
                    grown.append(Grown(tree, verdict.error, verdict.weight, scores.now()))
                    score = grown[-1].score
                    validation = math.nan if score.validation is None else score.watched
                    if watch(number + 1, score.train, validation, f", error {verdict.error:.4g}"):
                        break
                    if patience.is_over(score.watched):
                        break
            except KeyboardInterrupt:
                if not self.keep_partial or not grown:
                    raise
                was_stopped = True
        n_kept = len(grown)
        if was_stopped:
            warn_of_stop(done + n_kept)
        elif self._stops_early and self.n_iter_no_change:
            n_kept = max(1, patience.best_round)
            if given.held_out is not None:
                warn_of_worse_scores(
                    metrics[0], np.array([one.score.watched for one in grown]) * metrics[0].sign
                )
        found = joined_validation(earlier, self._validation(given, grown, metrics))
        model = self._model(given, grown, n_kept, seed, earlier, found)
        given.rows.check_learned(model)
        return model

    def _validation(
        self, given: BoostRows, grown: Sequence[Grown], metrics: tuple[Metric, ...]
    ) -> Validation | None:
        """Return the scores of the rows that were watched, after each round."""
        if not grown:
            return None
        if given.held_out is not None:
            scores = np.array([one.score.validation for one in grown])
            sets = [one.name for one in given.held_out.sets]
            return Validation(sets, [one.name for one in metrics], np.moveaxis(scores, 0, -1).copy())
        if not (self._stops_early and self.n_iter_no_change):
            return None
        train = np.array([one.score.train for one in grown])
        return Validation([TRAINING], ["loss"], train.reshape(1, 1, -1))

    def _go_through_again(
        self,
        earlier: Model,
        rounds: WeightRounds,
        scores: RoundScores,
        random: np.random.RandomState | None,
    ) -> None:
        """Bring weights, scores and draws to where the rounds of a model have left them."""
        errors, weights = earlier.arrays["estimator_errors"], earlier.arrays["estimator_weights"]
        for number, tree in enumerate(earlier.trees):
            if random is not None:
                random.randint(np.iinfo(np.int32).max)
                self._weights_to_grow(rounds.weights, random)
            values, _ = rounds.judge(tree, number == 0, float(errors[number]))
            scores.add(tree, values, float(weights[number]))

    def _model(
        self,
        given: BoostRows,
        grown: Sequence[Grown],
        n_kept: int,
        seed: int | None,
        earlier: Model | None,
        validation: Validation | None,
    ) -> Model:
        """Return the model: earlier rounds and the first ones of this fit, with the scores of all of them."""
        rows = given.rows
        kept = grown[:n_kept]
        trees = tuple(one.tree for one in kept)
        weights = np.array([one.weight for one in kept], dtype=np.float64)
        errors = np.array([one.error for one in kept], dtype=np.float64)
        if earlier is not None:
            trees = (*earlier.trees, *trees)
            weights = np.concatenate([earlier.arrays["estimator_weights"], weights])
            errors = np.concatenate([earlier.arrays["estimator_errors"], errors])
        # A generator has moved on since: without a seed more rounds draw other numbers.
        is_known = earlier is None or WeightedFacts.of(earlier).seed is not None
        return Model(
            algorithm=type(self).__name__,
            params=self._kept_params(),
            schema=rows.schema,
            trees=trees,
            facts=vars(
                WeightedFacts(
                    algorithm=getattr(self, "algorithm", "R2"),
                    criterion=self._template._measure,
                    seed=seed if is_known else None,
                    validation=None if validation is None else validation.fact,
                    rows_set_aside=given.n_set_aside,
                )
            ),
            arrays={
                "estimator_weights": weights,
                "estimator_errors": errors,
                **train_scores(earlier, _known_train_scores(grown)),
                **({} if validation is None else validation.arrays),
            },
            **rows.outputs,
        )

    # --- the model
    # --------------------------------------------------------------------------------------------------

    def _lasting(self, model: Model) -> dict[str, tuple[Any, Any]]:
        """Return what a warm start must not change: by name, what it is now and what it was.

        The weights of the rows follow from all of it: rounds that differ could not be gone through again.
        """
        names = [
            name for name in ("algorithm", "loss", "learning_rate", "resample") if name in self._defaults
        ]
        return {name: (getattr(self, name), model.params[name]) for name in names}

    @classmethod
    def _params_of(cls, model: Model) -> dict[str, Any]:
        return restored_params(model.params, (getattr(trees, name) for name in trees.__all__))

    def _adopt_stored(self, model: Model) -> None:
        errors = model.arrays["estimator_errors"]
        if model.aggregation != "weighted" or errors.shape != (len(model.trees),):
            raise ValueError("its trees have no weights or errors")
        WeightedFacts.of(model)
        check_scores(model)
        self._adopt(model)

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_model(model)
        self.estimator_weights_ = model.arrays["estimator_weights"]
        self.estimator_errors_ = model.arrays["estimator_errors"]
        self.n_iter_ = self.n_estimators_ = len(model.trees)
        adopt_scores(self, model)
        self._members_ = Members(model, lambda tree: self._member(model, tree))

    def _member(self, model: Model, tree: int) -> Any:
        template = type(self)(**self._params_of(model))._template
        params = seeded(template.get_params(deep=False), model, tree)
        return member_of(model, tree, type(template), params)

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
        leaves : ndarray of shape (n_rows, n_rounds)
            Ids of leaves within their trees.
        """
        model, matrix, n_threads = self._encode(X)
        return model.apply(matrix, n_threads)[:, : last_round(n_rounds, self.n_iter_)]

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators: a read-only list that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        return self._members_

    @property
    def refit_leaves(self) -> NoReturn:
        """Boosters of gradients have it: their leaves take new values. Here weights follow from errors."""
        raise AttributeError(
            f"{type(self).__name__} has no refit_leaves: its trees vote with weights that follow from their "
            "errors, and each round was grown on what those before got wrong, so other rows need a new fit."
        )

    @property
    def estimator_(self) -> SingleTree:
        """The estimator that every tree is a fitted copy of."""
        check_is_fitted(self, "model_")
        return self._template

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the trees' importances by their weights."""
        check_is_fitted(self, "model_")
        each = np.array([tree.compute_feature_importances() for tree in self.model_.trees])
        mean: Floats = self.estimator_weights_ @ each / self.estimator_weights_.sum()
        return mean

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def _scores(self, X: Any, n_rounds: int | None = None) -> Floats:
        """Return the votes for each class by the weights of the first trees or, in one column, numbers."""
        model, matrix, n_threads = self._encode(X)
        last = last_round(n_rounds, self.n_iter_)
        if model.classes is not None:
            return model.weighted.decision(matrix, n_threads, last)
        return model.weighted.medians(matrix, n_threads, last)[:, np.newaxis]

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """Return the same after each round."""
        model, matrix, n_threads = self._encode(X)
        if model.classes is not None:
            yield from model.weighted.decisions(matrix, n_threads)
            return
        for last in range(1, len(model.trees) + 1):
            yield model.weighted.medians(matrix, n_threads, last)[:, np.newaxis]

    def _answers(self, scores: Floats) -> Floats:
        """Return the probability of each class, the softmax of its votes; numbers as they are."""
        return scores if self.model_.classes is None else decision_probabilities(scores)

    def __getstate__(self) -> dict[str, Any]:
        # What is made from the model is not stored beside it.
        return {name: value for name, value in super().__getstate__().items() if name != "_members_"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._adopt(state["model_"])


def _known_train_scores(grown: Sequence[Grown]) -> Floats:
    """Return the scores of training rows after the rounds; none when nobody asked for them."""
    scores = np.array([one.score.train for one in grown], dtype=np.float64)
    return scores[~np.isnan(scores)]
