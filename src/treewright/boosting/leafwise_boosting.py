"""Leaf-wise boosting (Ke et al. 2017, LightGBM's algorithm): the leaf with the largest gain comes first."""

from __future__ import annotations

from typing import Any, ClassVar

from treewright import _core
from treewright.boosting._answers import BoostedClassAnswers, BoostedNumberAnswers
from treewright.boosting.booster import Booster
from treewright.boosting.losses import LOSSES_OF_CLASSES, LOSSES_OF_NUMBERS
from treewright.boosting.plans import Plans, most_bins, newton_plan
from treewright.fitting.rows import TrainingRows

__all__ = ["LeafwiseBoostingClassifier", "LeafwiseBoostingRegressor"]


def leaf_plans(params: Any, rows: TrainingRows, seed: int) -> Plans:
    """Return the plan of trees whose leaf with the largest gain is divided next.

    Parameters
    ----------
    params : object
        The booster.
    rows : TrainingRows
        The rows that it learns from.
    seed : int
        Of what rounds draw.
    """
    if params.goss and float(params.goss_top) + float(params.goss_other) > 1:
        raise ValueError(
            f"goss_top={params.goss_top} and goss_other={params.goss_other} are more than all rows together."
        )
    if params.goss and params.subsample < 1:
        raise ValueError("goss and subsample both draw rows: leave subsample at 1.0, or set goss=False.")
    plan = newton_plan(params, rows, seed)
    plan.order = _core.BoostOrder.leaf_wise
    # LightGBM's rule; under a γ that weighs chance a column may pay below a node where it does not.
    plan.drop_hopeless = params.gamma != "auto"
    plan.category_smoothing = float(params.cat_smooth)
    if params.goss:
        plan.top_share, plan.other_share = float(params.goss_top), float(params.goss_other)
    return Plans(plan, max_bins=most_bins(params.max_bins))


class LeafwiseBoostingClassifier(BoostedClassAnswers, Booster):
    """Boosting for classes (Ke et al. 2017, the algorithm of LightGBM).

    Every round grows trees on histograms of gradients and hessians of the loss; of all leaves the one whose
    test gains most is divided next, until there are `max_leaf_nodes`. A leaf with sums G and H has the value
    −G / (H + λ). Missing values take the better side; categories are put in order by gradient and hessian and
    cut in two. With `goss` a round learns from rows with large gradients and drawn ones of the others. The
    model does not depend on the number of threads.

    By default a split must gain more than chance would (`gamma`), a node looks at some of the features (at
    all of them when rates or leaves of your own are set), and trees have the more leaves the more rows there
    are; `random_state` is 0, so that the same rows give the same model. The defaults were chosen on real
    tables; docs/boosting.md says which ones come near to LightGBM's.

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
    LeafwiseBoostingRegressor : The same for numbers.
    NewtonBoostingClassifier : Level by level.
    GradientBoostingClassifier : Least-squares trees and a step of the loss for each leaf.

    References
    ----------
    Ke et al.: LightGBM: A Highly Efficient Gradient Boosting Decision Tree. NIPS 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import LeafwiseBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> booster = LeafwiseBoostingClassifier(n_estimators=20).fit(X, y)
    >>> booster.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _family: ClassVar[str] = "leafwise"
    _choices: ClassVar = {"loss": LOSSES_OF_CLASSES}
    _plans = leaf_plans

    def __init__(
        self,
        *,
        loss: Any = "log_loss",
        learning_rate: Any = 0.025,
        n_estimators: int = 1000,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        min_child_weight: float = 1e-3,
        reg_lambda: float | str = "auto",
        reg_alpha: float = 0.0,
        gamma: float | str = "auto",
        max_delta_step: float = 0.0,
        subsample: float = 1.0,
        goss: bool = False,
        goss_top: float = 0.2,
        goss_other: float = 0.1,
        max_features: Any = "auto",
        max_features_tree: Any = None,
        max_features_level: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
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
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.subsample = subsample
        self.goss = goss
        self.goss_top = goss_top
        self.goss_other = goss_other
        self.max_features = max_features
        self.max_features_tree = max_features_tree
        self.max_features_level = max_features_level
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.cat_smooth = cat_smooth
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


class LeafwiseBoostingRegressor(BoostedNumberAnswers, Booster):
    """Boosting for numbers (Ke et al. 2017, the algorithm of LightGBM).

    Every round grows trees on histograms of gradients and hessians of the loss; of all leaves the one whose
    test gains most is divided next, until there are `max_leaf_nodes`. A leaf with sums G and H has the value
    −G / (H + λ). Missing values take the better side; categories are put in order by gradient and hessian and
    cut in two. With `goss` a round learns from rows with large gradients and drawn ones of the others. The
    model does not depend on the number of threads.

    By default a split must gain more than chance would (`gamma`), a node looks at some of the features (at
    all of them when rates or leaves of your own are set), and trees have the more leaves the more rows there
    are; `random_state` is 0, so that the same rows give the same model. The defaults were chosen on real
    tables; docs/boosting.md says which ones come near to LightGBM's.

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
    LeafwiseBoostingClassifier : The same for classes.
    NewtonBoostingRegressor : Level by level.
    GradientBoostingRegressor : Least-squares trees and a step of the loss for each leaf.

    References
    ----------
    Ke et al.: LightGBM: A Highly Efficient Gradient Boosting Decision Tree. NIPS 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import LeafwiseBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> booster = LeafwiseBoostingRegressor(n_estimators=50, early_stopping=True, random_state=0).fit(X, y)
    >>> bool(booster.validation_score_.min() < y.var())
    True
    """

    _family: ClassVar[str] = "leafwise"
    _choices: ClassVar = {"loss": LOSSES_OF_NUMBERS}
    _plans = leaf_plans

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        learning_rate: Any = 0.025,
        n_estimators: int = 1000,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        min_child_weight: float = 1e-3,
        reg_lambda: float | str = 1.0,
        reg_alpha: float = 0.0,
        gamma: float | str = "auto",
        max_delta_step: float = 0.0,
        subsample: float = 1.0,
        goss: bool = False,
        goss_top: float = 0.2,
        goss_other: float = 0.1,
        max_features: Any = "auto",
        max_features_tree: Any = None,
        max_features_level: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
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
        random_state: Any = 0,
        verbose: int = 0,
        quantiles: bool = False,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.subsample = subsample
        self.goss = goss
        self.goss_top = goss_top
        self.goss_other = goss_other
        self.max_features = max_features
        self.max_features_tree = max_features_tree
        self.max_features_level = max_features_level
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.cat_smooth = cat_smooth
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
