"""ID3 (Quinlan 1986): one branch for each value of the feature with the largest information gain."""

from __future__ import annotations

from typing import Any, ClassVar

from joblib import effective_n_jobs

from treewright.data import Schema, to_symbols
from treewright.exceptions import ManySymbolsWarning
from treewright.fitting.rows import TrainingRows
from treewright.recipe import Recipe, least_gain
from treewright.trees.classifier import TreeClassifier
from treewright.trees.pruning_plan import pruner_names
from treewright.warn_at_caller import warn_at_caller

__all__ = ["ID3Classifier"]

# A numeric column with more distinct values than this is warned about.
MANY_SYMBOLS = 20


class ID3Classifier(TreeClassifier):
    """Quinlan's first decision tree (1986), for features that are symbols.

    A node tests the feature with the largest information gain and has one branch for each of its values;
    ties go to the first column. It stays a leaf when no gain exceeds `min_gain`. A feature is not tested
    again below its own test, because it no longer gains anything there. There is no pruning and no minimum
    size unless one is asked for (`prune`, `ccp_alpha`).

    Every column counts as symbols: each distinct number is a value of its own, ordered categories and
    booleans too. Numbers are the same symbol when they are equal as float64. A numeric column with more than
    20 distinct values is warned about, once for all such columns; list it in `categorical_features` if its
    numbers are names. Missing is a value of its own.

    Notes
    -----
    - Categories that a categorical dtype declares have a branch whether or not a row has them. A branch
      without rows answers with the classes of its parent. (WEKA's Id3 leaves such a row unclassified.)
    - A value that training did not have ends at the node that asks for it and takes that node's classes; so
      does a missing value where the column had none.
    - A categorical `y` declares the classes: `class_order_`. Of classes that are equally frequent, the first
      in that order is predicted.
    - A gain below 1e-6 bits counts as none, as in WEKA.

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
    C45Classifier : Its successor: numbers, missing values, pruning.

    References
    ----------
    Quinlan: Induction of Decision Trees. Machine Learning 1, 1986.

    Examples
    --------
    >>> from treewright import ID3Classifier
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, _ = load_tennis()
    >>> tree = ID3Classifier().fit(X, y)
    >>> names[tree.tree_.feature[0]], round(float(tree.tree_.gain[0]) / 14, 4)
    ('outlook', 0.2467)
    >>> tree.get_depth(), tree.get_n_leaves()
    (2, 5)
    >>> tree.predict([["sunny", "mild", "normal", "weak"], ["overcast", "hot", "high", "strong"]])
    array(['yes', 'yes'], dtype=object)
    """

    _choices: ClassVar = {"prune": pruner_names("classification")}
    _declared: ClassVar = True
    recipe = Recipe(criterion="entropy", ranking="gain", categories="multiway", missing="own_branch")

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_gain: float | None = 0.0,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
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
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.categorical_features = categorical_features
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

    def _prepare(self, rows: TrainingRows, *, warn: bool = True) -> None:
        read = rows.schema
        rows.table = to_symbols(rows.whole_table, effective_n_jobs(self.n_jobs))
        rows.schema = rows.table.schema
        many = _many_symbols(read, rows.schema)
        if warn and many:
            warn_at_caller(
                f"ID3 takes each number for a symbol: {many}. A number that is not in the training data "
                "stops at the node that asks for it. Use C45Classifier, which finds thresholds, cut the "
                "numbers into intervals first, for example with sklearn.preprocessing.KBinsDiscretizer, or "
                "list the column in categorical_features if its numbers are names.",
                ManySymbolsWarning,
            )

    def _settings(self, rows: TrainingRows) -> dict[str, Any]:
        settings = super()._settings(rows)
        if self.min_gain is not None:
            settings["min_gain"] = least_gain(self.min_gain)
        return settings


def _many_symbols(numbers: Schema, symbols: Schema) -> str:
    """Name the columns of numbers with many distinct values; the empty text when there are none."""
    many = [
        f"{symbol.name!r} ({symbol.n_codes} distinct values)"
        for number, symbol in zip(numbers.features, symbols.features, strict=True)
        if number.kind == "numeric" and symbol.n_codes > MANY_SYMBOLS
    ]
    shown = ", ".join(many[:5])
    return shown if len(many) <= 5 else f"{shown} and {len(many) - 5} more columns"
