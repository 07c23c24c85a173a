"""Newton boosting (Chen & Guestrin 2016, XGBoost's algorithm): gradients, hessians, level by level."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from treewright import _core
from treewright.boosting._answers import BoostedClassAnswers, BoostedNumberAnswers
from treewright.boosting.booster import Booster
from treewright.boosting.losses import LOSSES_OF_CLASSES, LOSSES_OF_NUMBERS
from treewright.boosting.plans import Plans, most_bins, newton_plan
from treewright.fitting.rows import TrainingRows

__all__ = ["NewtonBoostingClassifier", "NewtonBoostingRegressor"]

LARGEST_GRADIENT = 1e19  # its square is just below the largest single-precision number


def level_plans(params: Any, rows: TrainingRows, seed: int) -> Plans:
    """Return the plan of trees that grow level by level.

    Parameters
    ----------
    params : object
        The booster.
    rows : TrainingRows
        The rows that it learns from.
    seed : int
        Of what rounds draw.
    """
    plan = newton_plan(params, rows, seed)
    plan.order = _core.BoostOrder.depth_wise
    is_exact = params.tree_method == "exact"
    if is_exact:
        _check_ordered(rows)
        _check_singles(rows)
    return Plans(plan, exact=is_exact, max_bins=0 if is_exact else most_bins(params.max_bins))


def _check_ordered(rows: TrainingRows) -> None:
    """Refuse columns whose values have no order."""
    for feature in rows.schema.features:
        if feature.kind == "nominal":
            raise ValueError(
                f'Column {feature.name!r} is nominal, and tree_method="exact" cuts ordered values only. Use '
                'tree_method="hist", or encode the categories as numbers.'
            )


def _check_singles(rows: TrainingRows) -> None:
    """Refuse rows whose gradients could add up to more than single precision can square."""
    sizes = np.ones(rows.n_rows) if rows.n_classes is not None else np.abs(rows.target - rows.target.mean())
    total = float(sizes.sum() if rows.weights is None else sizes @ rows.weights)
    if total > LARGEST_GRADIENT:
        what = "weights" if rows.n_classes is not None else "y and its weights"
        raise ValueError(
            f'tree_method="exact" works in single precision, as the package that it equals, and gradients '
            f"could add up to {total:.3g}, whose square is no such number. Divide {what} by a constant, or "
            'use tree_method="hist".'
        )


class NewtonBoostingClassifier(BoostedClassAnswers, Booster):
    """Boosting for classes (Chen & Guestrin 2016, the algorithm of XGBoost).

    Every round grows trees on gradients and hessians of the loss: a leaf with sums G and H has the value
    −G / (H + λ), and a test is made when it gains most and more than `gamma`. Trees grow level by level to
    `max_depth`. Numbers are searched in `max_bins` bins or, with ``tree_method="exact"``, value by value with
    the arithmetic of the xgboost package. Missing values take the better side; categories need no
    preparation. The model does not depend on the number of threads.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_order_ : ndarray
        The declared classes in declared order when y was categorical, otherwise the same as `classes_`.
    n_classes_ : int
        Number of classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    n_iter_ : int
        Rounds of the model; also as `n_estimators_`.
    n_estimators_ : int
        The same.
    train_score_ : ndarray
        Mean loss of (at most 10 000 of) the training rows after each round.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Gain of each feature, normalised to sum to 1.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    NewtonBoostingRegressor : The same for numbers.
    LeafwiseBoostingClassifier : The leaf with the largest gain first.
    GradientBoostingClassifier : Least-squares trees and a step of the loss for each leaf.

    References
    ----------
    Chen, Guestrin: XGBoost: A Scalable Tree Boosting System. KDD 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import NewtonBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> booster = NewtonBoostingClassifier(n_estimators=20).fit(X, y)
    >>> booster.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _family: ClassVar[str] = "newton"
    _choices: ClassVar = {"loss": LOSSES_OF_CLASSES}
    _plans = level_plans

    def __init__(
        self,
        *,
        loss: Any = "log_loss",
        learning_rate: Any = 0.1,
        n_estimators: int = 100,
        max_depth: int | None = 6,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        min_child_weight: float = 1.0,
        reg_lambda: float | str = 1.0,
        reg_alpha: float = 0.0,
        gamma: float = 0.0,
        max_delta_step: float = 0.0,
        subsample: float = 1.0,
        max_features: Any = None,
        max_features_tree: Any = None,
        max_features_level: Any = None,
        tree_method: str = "hist",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = "auto",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        class_weight: Any = None,
        init: str | None = None,
        early_stopping: bool = False,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_tree = max_features_tree
        self.max_features_level = max_features_level
        self.tree_method = tree_method
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.class_weight = class_weight
        self.init = init
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class NewtonBoostingRegressor(BoostedNumberAnswers, Booster):
    """Boosting for numbers (Chen & Guestrin 2016, the algorithm of XGBoost).

    Every round grows trees on gradients and hessians of the loss: a leaf with sums G and H has the value
    −G / (H + λ), and a test is made when it gains most and more than `gamma`. Trees grow level by level to
    `max_depth`. Numbers are searched in `max_bins` bins or, with ``tree_method="exact"``, value by value with
    the arithmetic of the xgboost package. Missing values take the better side; categories need no
    preparation. The model does not depend on the number of threads.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    n_iter_ : int
        Rounds of the model; also as `n_estimators_`.
    n_estimators_ : int
        The same.
    train_score_ : ndarray
        Mean loss of (at most 10 000 of) the training rows after each round: the mean squared error for the
        loss squared_error; half the mean deviance, without its constant, for poisson, gamma and tweedie.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Gain of each feature, normalised to sum to 1.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    NewtonBoostingClassifier : The same for classes.
    LeafwiseBoostingRegressor : The leaf with the largest gain first.
    GradientBoostingRegressor : Least-squares trees and a step of the loss for each leaf.

    References
    ----------
    Chen, Guestrin: XGBoost: A Scalable Tree Boosting System. KDD 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import NewtonBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> booster = NewtonBoostingRegressor(n_estimators=50, early_stopping=True, random_state=0).fit(X, y)
    >>> bool(booster.validation_score_.min() < y.var())
    True
    """

    _family: ClassVar[str] = "newton"
    _choices: ClassVar = {"loss": LOSSES_OF_NUMBERS}
    _plans = level_plans

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        learning_rate: Any = 0.1,
        n_estimators: int = 100,
        max_depth: int | None = 6,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        min_child_weight: float = 1.0,
        reg_lambda: float | str = 1.0,
        reg_alpha: float = 0.0,
        gamma: float = 0.0,
        max_delta_step: float = 0.0,
        subsample: float = 1.0,
        max_features: Any = None,
        max_features_tree: Any = None,
        max_features_level: Any = None,
        tree_method: str = "hist",
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = "auto",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        alpha: float = 0.9,
        tweedie_power: float = 1.5,
        init: str | None = None,
        early_stopping: bool = False,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        quantiles: bool = False,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_tree = max_features_tree
        self.max_features_level = max_features_level
        self.tree_method = tree_method
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.alpha = alpha
        self.tweedie_power = tweedie_power
        self.init = init
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.quantiles = quantiles
