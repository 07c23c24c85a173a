"""C4.5 (Quinlan 1993, Release 8 of 1996): gain ratio, thresholds, fractional rows, pessimistic pruning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.exceptions import SingleLeafWarning
from treewright.fitting.rows import TrainingRows
from treewright.model import Model, Tree
from treewright.model.tree import parent_ids
from treewright.recipe import Recipe, least_gain
from treewright.trees._c45_modes import MODES, check_groupable, check_mode, least_branch, mode_recipe
from treewright.trees.classifier import TreeClassifier
from treewright.trees.growing import Arrays, Grown
from treewright.trees.pruning_plan import Pessimism, pruner_names
from treewright.warn_at_caller import warn_at_caller

__all__ = ["C45Classifier"]

# The constants of the program: specification §1.4 and §3.3.
MANY_VALUES_SHARE = 0.3
MIN_VALUE_GAP = 1e-5
# Mean weights below this may be why there is no split.
SMALL = 0.5


class C45Classifier(TreeClassifier):
    """C4.5: Quinlan's Release 8, WEKA's J48 or the algorithm of the textbooks.

    A categorical feature has one branch for each of its categories, a number or an ordered category is cut at
    a threshold. Tests compete on the gain ratio, the information gain divided by the entropy of the branch
    sizes. A row whose value is missing goes down every branch, with a share of its weight, in training and in
    prediction; so does a row whose category has no branch. Three versions:

    - ``faithful="r8"``, Quinlan's last free program: only tests of at least average gain compete; a numeric
      test pays for the cuts it tried; two branches need `min_samples_branch` rows; a subtree that errs no
      less than a leaf collapses; then pruning by pessimistic errors replaces subtrees by leaves or by their
      largest branch. It computes in single precision, which decides near ties.
    - ``faithful="j48"``, WEKA's version in Java: the same in double precision with a tolerance of 1e-6, an
      exact confidence limit, and options of its own (`subtree_raising`, `collapse`, `mdl_correction`,
      `binary_splits`, `laplace`).
    - ``faithful="textbook"``, the plain recurrent algorithm: the test with the best ratio, until none exceeds
      `min_gain`. No pruning (`prune` has no effect), no filter, no minimum size. A categorical feature occurs
      once on a path, since it gains nothing a second time; a numeric one may be cut again. The threshold of a
      numeric feature, half-way between two values, is chosen by gain; then features compete by ratio. Where
      values are missing, two branches of a test must each weigh as much as one row (the lightest one), or
      the tree would go on splitting crumbs of rows that are whole elsewhere.

    Options that a version fixes cannot be changed; the message says which version has them.

    Notes
    -----
    - Categories that a categorical dtype declares have a branch whether or not a row has them. A branch
      without rows answers with the most frequent class of its parent (``"r8"``) or with its parent's classes.
    - A categorical `y` declares the classes, `class_order_`. Their number enters the smallest size of a
      numeric branch, and of classes that are equally frequent the first in that order is predicted.
    - Limits of C4.5 count weight, so a row of weight two is the row twice. The exceptions count rows: the
      rule that leaves categorical features with very many values (30 % of the rows) out of the average gain,
      the number that J48 asks for before it cuts a numeric feature, and scikit-learn's `min_samples_split`
      and `min_samples_leaf`.
    - ±inf is the largest or smallest value.

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
    ID3Classifier : Its predecessor, for symbols only.
    CARTClassifier : Binary splits and cost-complexity pruning.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993.
    Quinlan: Improved Use of Continuous Attributes in C4.5. J. Artificial Intelligence Research 4, 1996.
    Witten, Frank, Hall: Data Mining. Morgan Kaufmann, 2011 (J48).

    Examples
    --------
    >>> from treewright import C45Classifier
    >>> from treewright.datasets import load_tennis
    >>> X, y, names, _ = load_tennis()
    >>> tree = C45Classifier().fit(X, y)
    >>> names[tree.tree_.feature[0]], tree.get_n_leaves()
    ('outlook', 5)
    >>> tree.predict([["sunny", "mild", "normal", "weak"]])
    array(['yes'], dtype=object)

    Without the outlook, the row is shared among its branches:

    >>> tree.predict_proba([[None, "mild", "normal", "strong"]]).round(4)
    array([[0.3571, 0.6429]])
    """

    _choices: ClassVar = {
        "faithful": MODES,
        "criterion": ("gain_ratio", "gain"),
        "prune": pruner_names("classification"),
    }
    _declared: ClassVar = True

    faithful: str
    min_samples_branch: float
    prune: str | None

    def __init__(
        self,
        *,
        faithful: str = "r8",
        criterion: str = "gain_ratio",
        min_samples_branch: float = 2,
        confidence_factor: float = 0.25,
        subtree_raising: bool = True,
        collapse: bool = True,
        mdl_correction: bool = True,
        group_values: bool = False,
        binary_splits: bool = False,
        laplace: bool = False,
        prune: str | None = "pessimistic_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_gain: float | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
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
        self.faithful = faithful
        self.criterion = criterion
        self.min_samples_branch = min_samples_branch
        self.confidence_factor = confidence_factor
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.group_values = group_values
        self.binary_splits = binary_splits
        self.laplace = laplace
        self.prune = prune
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

    def _check_together(self) -> None:
        super()._check_together()
        check_mode(self._own_params(), self._defaults, type(self).__name__)

    def _own_params(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in C45Classifier._defaults}

    # --- growing
    # ----------------------------------------------------------------------------------------------------

    @property
    def recipe(self) -> Recipe:
        """How this version grows a tree."""
        return mode_recipe(self._own_params())

    def _settings(self, rows: TrainingRows) -> dict[str, Any]:
        settings = super()._settings(rows)
        if self.faithful == "textbook":
            # The ε of the books is compared with what tests compete on: the ratio, or the gain in bits.
            epsilon = least_gain(self.min_gain or 0.0)
            return settings | {"min_gain": epsilon, "gain_per_weight": True} | least_branch(rows)
        if self.group_values:
            check_groupable(rows.schema)
        smallest = float(self.min_samples_branch)
        declared = rows.declared_classes
        present = int(np.count_nonzero(np.bincount(rows.target)))
        return settings | {
            "min_weight_split": 2 * smallest,
            "min_branch_weight": smallest,
            "min_value_gap": MIN_VALUE_GAP,
            "many_values_share": MANY_VALUES_SHARE,
            "relative_tie": 0.0,
            # J48's binary splits come from a class that always corrects.
            "cut_penalty": bool(self.mdl_correction or self.binary_splits),
            "declared_classes": present if declared is None else len(declared),
        }

    def _collapsed(self, arrays: Arrays, n_codes: NDArray[np.uint32]) -> Arrays:
        plain = self.faithful == "textbook" or not self.collapse
        return arrays if plain else _core.collapse(arrays, n_codes)

    def _finish(self, grown: Grown, tree: Tree, facts: dict[str, Any]) -> Self:
        weights = grown.rows.weights
        mean = 1.0 if weights is None else float(weights.mean())
        # The textbook has no limit on weight.
        if mean < SMALL and tree.node_count == 1 and tree.impurity[0] > 0 and self.faithful != "textbook":
            warn_at_caller(
                f"The tree is a single leaf: min_samples_branch={self.min_samples_branch:g} and pruning "
                f"count weight. The weights are small, {mean:.3g} on average, and a weight counts as so many "
                "rows: scale them so that their mean is 1.",
                SingleLeafWarning,
            )
        return super()._finish(grown, tree, facts)

    # --- pruning
    # ----------------------------------------------------------------------------------------------------

    def _pessimism(self, arrays: Arrays) -> Pessimism:
        program = _core.PruneProgram.release_8 if self.faithful == "r8" else _core.PruneProgram.j48
        return Pessimism(program, bool(self.subtree_raising), narrows_groups=self.group_values)

    @property
    def _pruning_method(self) -> str | None:
        # The textbook does not prune by itself.
        return None if self.faithful == "textbook" and self.prune == "pessimistic_error" else self.prune

    # --- probabilities
    # ----------------------------------------------------------------------------------------------

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        # The tree itself keeps the shares of the leaves: they are what `predict` compares.
        self._smoothed_ = (
            replace(model, trees=tuple(_smoothed(tree, len(self.class_order_)) for tree in model.trees))
            if model.params["laplace"]
            else None
        )

    def _compared(self, values: NDArray[np.float64]) -> NDArray[Any]:
        # Release 8 adds shares of rows in single precision: what is equal there is a tie.
        return values.astype(np.float32) if self.faithful == "r8" else values

    def _probabilities(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        if self._smoothed_ is not None:
            # Classes that were declared and never seen have their part too, but no column.
            found = self._smoothed_.values(matrix, n_threads)
        else:
            found = super()._probabilities(matrix, n_threads)
            if self.faithful != "r8":
                return found
            # Branches weigh together what their node does only within single precision. What is compared
            # stays as it is, so the program's decisions do; probabilities add up to 1.
        shares: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
        return shares

    def _node_values(self) -> list[NDArray[np.float64]] | None:
        if self._smoothed_ is None:
            return None
        return [np.asarray(tree.to_arrays()["value"]) for tree in self._smoothed_.trees]

    @property
    def _sums_to_one(self) -> bool:
        return self._smoothed_ is not None or self.faithful == "r8"

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_smoothed_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._adopt(state["model_"])


def _smoothed(tree: Tree, n_declared: int) -> Tree:
    """Return the tree with Laplace's correction: a leaf says (rows of the class + 1) / (rows + classes).

    All declared classes count; a branch without rows has its parent's counts.
    """
    arrays = tree.to_arrays()
    weight = arrays["weight"]
    # The root has rows, so its "parent" (the last node, by index -1) is never asked.
    weight = np.where(weight > 0, weight, weight[parent_ids(arrays)])[:, np.newaxis]
    value = arrays["value"]
    return Tree({**arrays, "value": (value * weight + 1.0) / (weight + n_declared)}, tree.n_codes)
