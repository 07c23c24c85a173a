"""CART (Breiman, Friedman, Olshen, Stone 1984): the binary split that decreases the loss most, repeatedly."""

from __future__ import annotations

from typing import Any, ClassVar

from treewright.criteria import choices
from treewright.recipe import Recipe
from treewright.trees.classifier import TreeClassifier
from treewright.trees.pruning_plan import pruner_names
from treewright.trees.regressor import TreeRegressor

__all__ = ["CARTClassifier", "CARTRegressor"]

CART = Recipe(ranking="gain", selection="best", categories="subset", cut="midpoint")
MISSING_RULES = ("learned", "surrogate", "majority")


class CARTClassifier(TreeClassifier):
    """Classification and regression tree for classes (Breiman et al. 1984).

    Binary splits: a threshold on a number, a subset of categories. The split that decreases the criterion
    most wins; ties go to the first column and the lowest threshold, so nothing is random unless
    `max_features` draws columns or `splitter` draws cuts. On numeric data the tree equals scikit-learn's
    DecisionTreeClassifier except where that breaks ties at random.

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
    max_features_ : int
        Number of features searched at each node.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Total gain of each feature, normalised to sum to 1.
    tree_ : Tree
        The tree, with the attribute names of scikit-learn's.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    CARTRegressor : The same for numbers.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees. Wadsworth, 1984.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> X = [["sunny", 85], ["sunny", 80], ["overcast", 83], ["rain", 70], ["rain", 65], ["overcast", 64]]
    >>> y = ["no", "no", "yes", "yes", "no", "yes"]
    >>> tree = CARTClassifier().fit(X, y)
    >>> tree.predict([["overcast", 72]])
    array(['yes'], dtype='<U3')
    >>> tree.get_depth(), tree.get_n_leaves()
    (3, 4)
    """

    recipe = CART
    _choices: ClassVar = {
        "criterion": choices(classes=True, aliases=True),
        "missing": MISSING_RULES,
        "prune": pruner_names("classification"),
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        priors: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "learned",
        surrogates: int = 5,
        monotonic_cst: Any = None,
        prune: str | None = None,
        confidence_factor: float = 0.25,
        ccp_alpha: float = 0.0,
        alpha_total: float | None = None,
        pruning_risk: str = "impurity",
        pruning_rule: str = "1se",
        path_method: str = "exact",
        cv: Any = 10,
        validation_fraction: float = 0.25,
        early_stopping: str | None = None,
        tol: float = 0.0,
        n_candidates: int = 4,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.priors = priors
        self.categorical_features = categorical_features
        self.missing = missing
        self.surrogates = surrogates
        self.monotonic_cst = monotonic_cst
        self.prune = prune
        self.confidence_factor = confidence_factor
        self.ccp_alpha = ccp_alpha
        self.alpha_total = alpha_total
        self.pruning_risk = pruning_risk
        self.pruning_rule = pruning_rule
        self.path_method = path_method
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.tol = tol
        self.n_candidates = n_candidates
        self.n_jobs = n_jobs
        self.random_state = random_state


class CARTRegressor(TreeRegressor):
    """Classification and regression tree for numbers (Breiman et al. 1984).

    Binary splits: a threshold on a number, a subset of categories. The split that decreases the criterion
    most wins; ties go to the first column and the lowest threshold, so nothing is random unless
    `max_features` draws columns or `splitter` draws cuts. On numeric data the tree equals scikit-learn's
    DecisionTreeRegressor except where that breaks ties at random.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, verbatim; only when X had names that are all text.
    max_features_ : int
        Number of features searched at each node.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Total gain of each feature, normalised to sum to 1.
    tree_ : Tree
        The tree, with the attribute names of scikit-learn's.
    model_ : Model
        Everything that was learned, without the estimator.

    See Also
    --------
    CARTClassifier : The same for classes.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees. Wadsworth, 1984.

    Examples
    --------
    >>> from treewright import CARTRegressor
    >>> X = [[1], [2], [3], [4], [5], [6]]
    >>> tree = CARTRegressor(max_depth=1).fit(X, [5.6, 5.7, 5.8, 8.9, 8.7, 9.0])
    >>> tree.predict([[3.4], [3.6]]).round(4)
    array([5.7   , 8.8667])
    """

    recipe = CART
    _choices: ClassVar = {
        "criterion": choices(classes=False, aliases=True),
        "missing": MISSING_RULES,
        "prune": pruner_names("regression"),
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        categorical_features: Any = "from_dtype",
        missing: str = "learned",
        surrogates: int = 5,
        monotonic_cst: Any = None,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        alpha_total: float | None = None,
        pruning_rule: str = "1se",
        path_method: str = "exact",
        cv: Any = 10,
        validation_fraction: float = 0.25,
        early_stopping: str | None = None,
        tol: float = 0.0,
        n_candidates: int = 4,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.categorical_features = categorical_features
        self.missing = missing
        self.surrogates = surrogates
        self.monotonic_cst = monotonic_cst
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.alpha_total = alpha_total
        self.pruning_rule = pruning_rule
        self.path_method = path_method
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.tol = tol
        self.n_candidates = n_candidates
        self.n_jobs = n_jobs
        self.random_state = random_state
