"""What AdaBoost for classes and for numbers share: rounds of trees on rows whose weights change."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from treewright import trees
from treewright.boosting import _warm_start
from treewright.boosting._explained_weights import ExplainedWeights
from treewright.boosting._kept_params import kept_params
from treewright.boosting._members import MemberGrower, member_grower, prepare
from treewright.boosting._patience import Patience
from treewright.boosting._rows import BoostRows, check_classes, check_varied, read_held_out, set_aside
from treewright.boosting._scores import adopt_scores, check_scores, score_arrays
from treewright.boosting._tally import RoundScores
from treewright.boosting._watch import Watch, warn_of_stop
from treewright.boosting._weight_rounds import Verdict, WeightRounds
from treewright.forests._members import Members
from treewright.forests._progress import Progress
from treewright.forests._rows import TrainingRows, read_rows
from treewright.model import Model, Tree
from treewright.trees._base import SingleTree
from treewright.trees._fitted import Fitted
from treewright.trees._parameters import Parameters
from treewright.trees._row_subset import row_subset
from treewright.trees._settings import feature_count

__all__ = ["WeightBooster"]

Floats = NDArray[np.float64]


class Grown(NamedTuple):
    """A finished round: its tree, and the scores after it, NaN where nobody asked for them."""

    tree: Tree
    error: float
    weight: float
    train: float
    validation: float


class WeightBooster(ExplainedWeights, Fitted, Parameters, BaseEstimator):
    """Base of AdaBoost."""

    _family: ClassVar[str] = "adaboost"
    _task: ClassVar[str]

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

    def _validate_params(self) -> None:
        super()._validate_params()
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

    def fit(
        self,
        X: Any,
        y: Any,
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
            early stopping goes by it.
        sample_weight_val : array-like, optional
            Their weights.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        owner = type(self).__name__
        earlier = _warm_start.earlier_model(self)
        rows = self._read(X, y, sample_weight, earlier)
        check_varied(owner, rows)
        prepare(self._template, rows)
        held_out = read_held_out(owner, rows, 1, X_val, y_val, sample_weight_val, None)
        seed = self._seed(earlier)
        given = set_aside(self, BoostRows(rows, held_out=held_out), seed or 0)
        rows = given.rows
        kept = None if rows.kept is None else rows.kept.astype(np.intp)
        grower = member_grower(self._template, rows, row_subset(y, kept), self.n_jobs, bool(self.resample))
        self._adopt(self._boosted(given, grower, seed, earlier))
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
        if earlier is not None:
            check_classes(rows)
        return rows

    def _seed(self, earlier: Model | None) -> int | None:
        """Return what makes the draws of the fit repeatable; None: they just go on.

        A generator of the user is drawn from as scikit-learn does, unless early stopping has to know later
        which rows it set aside.
        """
        if earlier is not None and "seed" in earlier.facts:
            return int(earlier.facts["seed"])
        if earlier is None and isinstance(self.random_state, Integral):
            return int(self.random_state)
        if not self._stops_early:
            return None
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _boosted(
        self, given: BoostRows, grower: MemberGrower, seed: int | None, earlier: Model | None
    ) -> Model:
        done = 0 if earlier is None else len(earlier.trees)
        if earlier is not None and done == self.n_estimators:
            return earlier
        n_threads = int(effective_n_jobs(self.n_jobs))
        rounds = WeightRounds(self, given.rows, n_threads)
        scores = RoundScores(self, given, n_threads)
        random = check_random_state(self.random_state if seed is None else seed)
        if earlier is not None:
            self._go_through_again(earlier, rounds, scores, None if seed is None else random)
        patience = Patience(
            int(self.n_iter_no_change or 0) if self._stops_early else 0,
            float(self.tol),
            scores.watched(*scores.now()) if self._stops_early else math.inf,
        )
        grown: list[Grown] = []
        was_stopped = False
        n_rounds = int(self.n_estimators) - done
        with Progress(type(self).__name__, n_rounds, bool(self.verbose), "rounds") as progress:
            watch = Watch(self, done, 1.0, callable(self.scoring), progress)
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
                    grown.append(Grown(tree, verdict.error, verdict.weight, *scores.now()))
                    train, validation = grown[-1].train, grown[-1].validation
                    if watch(number + 1, train, validation, f", error {verdict.error:.4g}"):
                        break
                    if patience.is_over(scores.watched(train, validation)):
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
        return self._model(given.rows, grown, n_kept, seed, earlier)

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
        rows: TrainingRows,
        grown: Sequence[Grown],
        n_kept: int,
        seed: int | None,
        earlier: Model | None,
    ) -> Model:
        """Return the model: earlier rounds and the first ones of this fit, with the scores of all of them."""
        kept = grown[:n_kept]
        trees = tuple(one.tree for one in kept)
        weights = np.array([one.weight for one in kept], dtype=np.float64)
        errors = np.array([one.error for one in kept], dtype=np.float64)
        if earlier is not None:
            trees = (*earlier.trees, *trees)
            weights = np.concatenate([earlier.arrays["estimator_weights"], weights])
            errors = np.concatenate([earlier.arrays["estimator_errors"], errors])
        facts = {
            "aggregation": "weighted",
            "algorithm": getattr(self, "algorithm", "R2"),
            "criterion": self._template.recipe.criterion or self._template.criterion,
        }
        # A generator has moved on since: without a seed more rounds draw other numbers.
        is_known = seed is not None and (earlier is None or "seed" in earlier.facts)
        return Model(
            algorithm=type(self).__name__,
            params=self._kept_params(),
            schema=rows.schema,
            trees=trees,
            facts={**facts, "seed": seed} if is_known else facts,
            arrays={
                "estimator_weights": weights,
                "estimator_errors": errors,
                **score_arrays(earlier, _known(grown, "train"), _known(grown, "validation")),
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

    def _kept_params(self) -> dict[str, Any]:
        """Return the parameters as a model keeps them: in plain values."""
        params = kept_params(self)
        if self.estimator is not None:
            own = {name: getattr(self.estimator, name) for name in self.estimator._defaults}
            if "cv" in own and not isinstance(own["cv"], Integral):
                own["cv"] = self.estimator._defaults["cv"]  # belongs to the data and not to the model
            params["estimator"] = {"class": type(self.estimator).__name__, "params": own}
        return params

    @classmethod
    def _own_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Undo `_kept_params`."""
        stored = params.get("estimator")
        if stored is None:
            return params
        known = {name: getattr(trees, name) for name in trees.__all__}
        if not isinstance(stored, dict) or set(stored) != {"class", "params"} or stored["class"] not in known:
            raise ValueError("its estimator is none that this library has")
        return {**params, "estimator": known[stored["class"]](**stored["params"])}

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Return a fitted estimator around a model, e.g. one that was read from a file.

        Parameters
        ----------
        model : Model
            A model that an estimator of this class made.

        Returns
        -------
        estimator : object
            The estimator, with the parameters of the model.
        """
        estimator = cls(**cls._own_params(dict(model.params)))
        estimator._validate_params()
        try:
            errors = model.arrays["estimator_errors"]
            if model.aggregation != "weighted" or errors.shape != (len(model.trees),):
                raise ValueError("its trees have no weights or errors")
            if model.facts["algorithm"] not in ("SAMME", "SAMME.R", "R2"):
                raise ValueError("it does not say how its trees vote")
            _check_seed(model)
            check_scores(model)
            estimator._adopt(model)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it lacks what a {cls.__name__} needs: {error}") from None
        return estimator

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_schema(model)
        self.estimator_weights_ = model.arrays["estimator_weights"]
        self.estimator_errors_ = model.arrays["estimator_errors"]
        self.n_iter_ = self.n_estimators_ = len(model.trees)
        adopt_scores(self, model)
        self._members_ = Members(model, lambda tree: self._member(model, tree))

    def _member(self, model: Model, tree: int) -> Any:
        template = type(self)(**self._own_params(dict(model.params)))._template
        params = dict(template.get_params(deep=False))
        return type(template).from_model(
            Model(
                algorithm=type(template).__name__,
                params=params,
                task=model.task,
                schema=model.schema,
                trees=(model.trees[tree],),
                classes=model.classes,
                class_order=model.class_order,
                facts={"max_features": feature_count(params.get("max_features"), model.n_features)},
            )
        )

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_iter_)
            Ids of leaves within their trees.
        """
        model, matrix, n_threads = self._encode(X)
        return model.apply(matrix, n_threads)

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators: a read-only list that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        return self._members_

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

    def _threads(self, n_rows: int) -> int:
        return super()._threads(n_rows * len(self.model_.trees))

    def __getstate__(self) -> dict[str, Any]:
        # What is made from the model is not stored beside it.
        return {name: value for name, value in super().__getstate__().items() if name != "_members_"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._adopt(state["model_"])


def _known(grown: Sequence[Grown], name: str) -> Floats:
    """Return the scores after the rounds; none when nobody asked for them."""
    scores = np.array([getattr(one, name) for one in grown], dtype=np.float64)
    return scores[~np.isnan(scores)]


def _check_seed(model: Model) -> None:
    seed = model.facts.get("seed", 0)
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise ValueError("its seed is not one")
