"""Gradient boosting (Friedman 2001, 2002): least-squares trees on negative gradients, best leaves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.boosting._answers import BoostedClassAnswers, BoostedNumberAnswers
from treewright.boosting._round_members import TREE_PARAMS, RoundMembers, round_members
from treewright.boosting.booster import Booster
from treewright.boosting.losses import LOSSES_OF_CLASSES, LOSSES_OF_NUMBERS
from treewright.boosting.plans import Plans, set_rates
from treewright.fitting.rows import TrainingRows, feature_count, growth_settings
from treewright.trees.cart import CART

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

# What keeps tests of many categories from learning chance (docs/decisions/0016). Rounds see the same rows
# again and again: categories need more of them than in a forest.
MANY_CATEGORIES: dict[str, Any] = {"category_price": 1.0, "min_category_rows": 20}


def least_squares_plans(params: Any, rows: TrainingRows, seed: int) -> Plans:
    """Return the plan of least-squares CART trees on negative gradients.

    Parameters
    ----------
    params : object
        The booster.
    rows : TrainingRows
        The rows that it learns from.
    seed : int
        Of what rounds draw.
    """
    boost = _core.BoostPlan()
    set_rates(boost, params.learning_rate, int(params.n_estimators))
    boost.subsample = float(params.subsample)
    boost.seed = seed
    of_tree = SimpleNamespace(monotonic_cst=None, **{name: getattr(params, name) for name in TREE_PARAMS})
    drawn_weight = rows.total_weight * float(params.subsample)
    settings = growth_settings(of_tree, rows, drawn_weight)
    settings["ccp_alpha"] = float(params.ccp_alpha)
    tree = CART.plan(criterion="squared_error", **settings, **MANY_CATEGORIES)
    return Plans(boost, tree, max_bins=params.max_bins or 0)


class GradientBoostingClassifier(BoostedClassAnswers, Booster):
    """Gradient boosting for classes (Friedman 2001, 2002).

    Every round grows a least-squares CART on the negative gradients of the loss (one per class for more than
    two classes); every leaf then takes the Newton step of its rows. Parameters and defaults are those of
    scikit-learn's GradientBoostingClassifier, and so are the predictions where no two splits are equally
    good; categories and missing values need no preparation. The model does not depend on the number of
    threads. With `n_iter_no_change` the fit stops early, and the model has the rounds up to the best one.

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
        Loss of the training rows after each round: the deviance (twice the log loss) of two classes, the log
        loss of more, the mean exponential loss.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    oob_scores_ : ndarray of shape (n_iter_,)
        With ``subsample < 1`` the loss, after each round, of the rows that the round did not draw; not for a
        loss of your own.
    oob_improvement_ : ndarray of shape (n_iter_,)
        By how much that is less than after the round before; for the first round, than at the start.
    oob_score_ : float
        The last of `oob_scores_`.
    estimators_ : RoundMembers of shape (n_iter_, 1), or (n_iter_, n_classes) for more than two
        The trees as fitted `CARTRegressor`, each made when it is asked for, e.g. as ``estimators_[3, 0]``.
        What they predict, times `learning_rate`, is what they add to the raw scores.
    max_features_ : int
        Number of features that every node looks at.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Gain of each feature, normalised to sum to 1.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    GradientBoostingRegressor : The same for numbers.
    AdaBoostClassifier : Boosting by weights.

    References
    ----------
    Friedman: Greedy Function Approximation: A Gradient Boosting Machine. Annals of Statistics 29, 2001.
    Friedman: Stochastic Gradient Boosting. Computational Statistics & Data Analysis 38, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import GradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> booster = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> booster.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> bool(booster.train_score_[-1] < booster.train_score_[0])
    True
    """

    _has_leaves_by_class: ClassVar[bool] = True
    _choices: ClassVar = {"loss": LOSSES_OF_CLASSES}
    _plans = least_squares_plans

    def __init__(
        self,
        *,
        loss: Any = "log_loss",
        learning_rate: Any = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: str | None = None,
        random_state: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        scoring: Any = "loss",
        class_weight: Any = None,
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.scoring = scoring
        self.class_weight = class_weight
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs

    @property
    def estimators_(self) -> RoundMembers:
        """The trees as fitted regressors: a read-only table that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        return round_members(self.model_)

    @property
    def max_features_(self) -> int:
        """Number of features that every node looks at."""
        check_is_fitted(self, "model_")
        return feature_count(self.model_.params["max_features"], self.n_features_in_)


class GradientBoostingRegressor(BoostedNumberAnswers, Booster):
    """Gradient boosting for numbers (Friedman 2001, 2002).

    Every round grows a least-squares CART on the negative gradients of the loss; every leaf then takes the
    best step for its rows: the mean, the median or another quantile, or what the loss makes of them.
    Parameters and defaults are those of scikit-learn's GradientBoostingRegressor, and so are the predictions
    where no two splits are equally good; there are the losses poisson, gamma and tweedie besides, and
    categories and missing values need no preparation. The model does not depend on the number of threads.
    With `n_iter_no_change` the fit stops early, and the model has the rounds up to the best one.

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
        Loss of the training rows after each round: the mean squared error, the mean absolute error, …; half
        the mean deviance, without its constant, for poisson, gamma and tweedie.
    validation_score_ : ndarray
        What `scoring` says about the rows that are held out (with `validation_fraction=None` about the
        training rows) after each round; empty without `X_val` and early stopping.
    validation_scores_ : dict of dict of ndarray
        The same for every set of `X_val` and every metric of `scoring`, by their names.
    oob_scores_ : ndarray of shape (n_iter_,)
        With ``subsample < 1`` the loss, after each round, of the rows that the round did not draw; not for a
        loss of your own.
    oob_improvement_ : ndarray of shape (n_iter_,)
        By how much that is less than after the round before; for the first round, than at the start.
    oob_score_ : float
        The last of `oob_scores_`.
    estimators_ : RoundMembers of shape (n_iter_, 1)
        The trees as fitted `CARTRegressor`, each made when it is asked for, e.g. as ``estimators_[3, 0]``.
        What they predict, times `learning_rate`, is what they add to the raw scores.
    max_features_ : int
        Number of features that every node looks at.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Gain of each feature, normalised to sum to 1.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    GradientBoostingClassifier : The same for classes.
    AdaBoostRegressor : Boosting by weights.

    Notes
    -----
    The start of ``loss="quantile"`` is a quantile of the targets; scikit-learn interpolates between two of
    them when there are no weights. With ``subsample < 1`` its `train_score_` is that of the rows drawn,
    ours is that of all rows.

    References
    ----------
    Friedman: Greedy Function Approximation: A Gradient Boosting Machine. Annals of Statistics 29, 2001.
    Friedman: Stochastic Gradient Boosting. Computational Statistics & Data Analysis 38, 2002.

    Examples
    --------
    Boosted stumps, step by step:

    >>> from treewright import GradientBoostingRegressor
    >>> X = [[x] for x in range(1, 11)]
    >>> y = [5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]
    >>> stumps = GradientBoostingRegressor(init="zero", learning_rate=1.0, max_depth=1, n_estimators=6)
    >>> squared_errors = stumps.fit(X, y).train_score_ * len(y)
    >>> squared_errors.round(2).tolist()
    [1.93, 0.8, 0.48, 0.31, 0.23, 0.17]
    """

    _choices: ClassVar = {"loss": LOSSES_OF_NUMBERS}
    _plans = least_squares_plans

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        learning_rate: Any = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: str | None = None,
        random_state: Any = None,
        max_features: Any = None,
        alpha: float = 0.9,
        tweedie_power: float = 1.5,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        scoring: Any = "loss",
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        target_statistics: Any = False,
        callbacks: Any = None,
        keep_partial: bool = False,
        n_jobs: int | None = None,
        quantiles: bool = False,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.tweedie_power = tweedie_power
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.scoring = scoring
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.target_statistics = target_statistics
        self.callbacks = callbacks
        self.keep_partial = keep_partial
        self.n_jobs = n_jobs
        self.quantiles = quantiles

    @property
    def estimators_(self) -> RoundMembers:
        """The trees as fitted regressors: a read-only table that makes each one when it is asked for."""
        check_is_fitted(self, "model_")
        return round_members(self.model_)

    @property
    def max_features_(self) -> int:
        """Number of features that every node looks at."""
        check_is_fitted(self, "model_")
        return feature_count(self.model_.params["max_features"], self.n_features_in_)
