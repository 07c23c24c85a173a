"""What AdaBoost for classes and for numbers share: rounds of trees on rows whose weights change."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from treewright import _core, trees
from treewright.boosting._explained_weights import ExplainedWeights
from treewright.boosting._members import MemberGrower, member_grower
from treewright.boosting._rows import check_varied
from treewright.forests._members import Members
from treewright.forests._progress import Progress
from treewright.forests._rows import TrainingRows, read_rows
from treewright.model import Model, Tree
from treewright.trees._base import SingleTree
from treewright.trees._fitted import Fitted
from treewright.trees._parameters import Parameters
from treewright.trees._row_subset import row_subset
from treewright.trees._settings import feature_count

__all__ = ["Verdict", "WeightBooster"]

Floats = NDArray[np.float64]


class Verdict(NamedTuple):
    """What a round makes of its tree: its error and weight, and the rows' next weights (None: the end)."""

    error: float
    weight: float
    next_weights: Floats | None
    keep: bool = True


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
    resample: bool = False

    estimator_weights_: Floats
    estimator_errors_: Floats
    n_iter_: int
    _members_: Members

    @property
    @abstractmethod
    def _default_tree(self) -> SingleTree:
        """The tree that is grown when none is given."""

    @abstractmethod
    def _verdict(self, values: Floats, target: NDArray[Any], weights: Floats, is_first: bool) -> Verdict:
        """Judge a tree by its answers on the training rows."""

    def _weights_to_grow(self, weights: Floats, random: np.random.RandomState) -> Floats:
        """Return the weights that the next tree is grown with; 1 on average."""
        return weights * len(weights)

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow tree after tree; each gives more weight to the rows that those before it got wrong.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The class of each row, or the number to predict.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row before the first round. Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validate_params()
        own = self.categorical_features
        says_nothing = isinstance(own, str) and own == "from_dtype"
        rows = read_rows(
            X,
            y,
            sample_weight,
            owner=type(self).__name__,
            task=self._task,
            categorical_features=self._template.categorical_features if says_nothing else own,
        )
        check_varied(type(self).__name__, rows)
        kept = None if rows.kept is None else rows.kept.astype(np.intp)
        grower = member_grower(self._template, rows, row_subset(y, kept), self.n_jobs, bool(self.resample))
        self._adopt(self._boosted(rows, grower))
        return self

    def _boosted(self, rows: TrainingRows, grower: MemberGrower) -> Model:
        random = check_random_state(self.random_state)
        matrix = rows.whole_table.to_matrix()
        n_threads = int(effective_n_jobs(self.n_jobs))
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        weights = weights / weights.sum()
        grown: list[Tree] = []
        verdicts: list[Verdict] = []
        with Progress(type(self).__name__, self.n_estimators, bool(self.verbose), "rounds") as progress:
            for number in range(int(self.n_estimators)):
                # Weights that have all but vanished stay numbers.
                weights = np.maximum(weights, np.finfo(np.float64).eps)
                seed = int(random.randint(np.iinfo(np.int32).max))
                tree = grower.grow(self._weights_to_grow(weights, random), seed)
                values = _core.Predictor([tree.to_arrays()], rows.schema.n_codes).values(matrix, n_threads)
                verdict = self._verdict(values, rows.target, weights, number == 0)
                if verdict.keep:
                    grown.append(tree)
                    verdicts.append(verdict)
                progress(number + 1, f", error {verdict.error:.4g}")
                if verdict.next_weights is None:
                    break
                total = verdict.next_weights.sum()
                if not np.isfinite(total) or total <= 0:
                    break
                weights = verdict.next_weights / total
        return Model(
            algorithm=type(self).__name__,
            params=self._kept_params(),
            schema=rows.schema,
            trees=tuple(grown),
            facts={
                "aggregation": "weighted",
                "algorithm": getattr(self, "algorithm", "R2"),
                "criterion": self._template.recipe.criterion or self._template.criterion,
            },
            arrays={
                "estimator_weights": np.array([verdict.weight for verdict in verdicts]),
                "estimator_errors": np.array([verdict.error for verdict in verdicts]),
            },
            **rows.outputs,
        )

    # --- the model
    # --------------------------------------------------------------------------------------------------

    def _kept_params(self) -> dict[str, Any]:
        """Return the parameters as a model keeps them: in plain values."""
        params = {name: getattr(self, name) for name in self._defaults}
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
            estimator._adopt(model)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it lacks what a {cls.__name__} needs: {error}") from None
        return estimator

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_schema(model)
        self.estimator_weights_ = model.arrays["estimator_weights"]
        self.estimator_errors_ = model.arrays["estimator_errors"]
        self.n_iter_ = len(model.trees)
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
