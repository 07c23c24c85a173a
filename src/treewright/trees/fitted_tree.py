"""FittedTree: what a fitted single tree answers: predictions, reports about itself, smaller trees."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from treewright.explain import PathReport, SplitReport, Training, explain_prediction, explain_split
from treewright.export import export_text, tree_to_page, tree_to_svg
from treewright.fitting.classes import choice_of
from treewright.fitting.estimator import Estimator, in_batches
from treewright.model import Model, Tree
from treewright.model.facts import TreeFacts
from treewright.model.tree import Words
from treewright.pruning import NodePruningReport, PruningReport, alpha_collapse, explain_pruning
from treewright.trees import _smaller_trees as smaller_trees
from treewright.trees._set_aside import rows_left
from treewright.trees.growing import read_training
from treewright.trees.pruning_plan import FitData

if TYPE_CHECKING:
    from treewright.trees.single_tree import SingleTree

__all__ = ["FittedTree"]

SHOWN_NODES = 60


def show_tree(model: Model) -> Tree:
    """Return the model's tree, able to print itself with the model's names."""
    tree = model.trees[0]
    if tree._words is None:
        frame = replace(model, trees=())  # without the tree, which would otherwise keep itself alive
        tree.show_in(
            Words(
                lambda own: export_text(frame.with_trees((own,)), max_nodes=SHOWN_NODES),
                lambda own: tree_to_page(frame.with_trees((own,))),
                lambda own: tree_to_svg(frame.with_trees((own,))),
            )
        )
    return tree


RANDOM_CUTS = (
    "At each node one random cut of each feature was tried, so its test need not be the best of all."
)


class FittedTree(Estimator):
    """An estimator around a model of one tree."""

    # Classifiers by the names that `as_` takes; the registry sets it (`treewright.algorithms`).
    _others: ClassVar[Mapping[str, type[Any]]] = {}
    # A tree of a forest knows the bag that it was grown on.
    _bag_: Any = None

    _task: ClassVar[str]
    pruning_risk: str

    @property
    def _model(self) -> Model:
        """The fitted model; NotFittedError when there is none."""
        if "model_" not in self.__dict__:  # asked first, because scikit-learn's check takes its time
            check_is_fitted(self, "model_")
        return self.model_

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    @in_batches
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row falls into.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows,)
            Node ids in `tree_`.
        """
        model, matrix, n_threads = self._encode(X)
        return model.apply(matrix, n_threads)[:, 0].astype(np.int64)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node.
        """
        model, matrix, _ = self._encode(X)
        indptr, indices = model.predictor.decision_path(matrix)
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(matrix), model.trees[0].node_count))

    # --- the tree
    # --------------------------------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The fitted tree, with the attribute names of scikit-learn's; shows itself as text or a picture."""
        return show_tree(self._model)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Total gain of each feature, normalised to sum to 1 (all 0 for a tree without a split)."""
        return self.tree_.compute_feature_importances()

    def get_depth(self) -> int:
        """Return the number of tests on the longest way from the root to a leaf.

        Returns
        -------
        depth : int
            0 for a single leaf.
        """
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        n_leaves : int
            Number of leaves.
        """
        return self.tree_.n_leaves

    # --- reports
    # ---------------------------------------------------------------------------------------------

    def explain_split(
        self,
        node: int,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        as_: str | None = None,
        cuts: bool = False,
        top: int | None = 20,
        tree: int | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> SplitReport:
        """Explain why a node tests what it tests.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features), optional
            The rows of `fit`: all features are searched again at the node, by the engine that grew the tree.
            Without them the report knows the stored tree alone.
        y : array-like of shape (n_rows,), optional
            Their target.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights in `fit`.
        as_ : {"cart", "c45", "id3"}, optional
            Show what this algorithm, with its default parameters, would choose here instead.
        cuts : bool, default=False
            Whether the report holds the gain of every cut of numeric features.
        top : int or None, default=20
            How many candidates the text shows; None: all. The dict and the DataFrame have all of them.
        tree : int, optional
            Which tree of an ensemble.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        SplitReport
            Print it, show it in a notebook, or read its attributes.

        Examples
        --------
        >>> from treewright import C45Classifier
        >>> from treewright.datasets import load_tennis
        >>> X, y, names, _ = load_tennis()
        >>> print(C45Classifier().fit(X, y).explain_split(0, X, y, feature_names=names))
        Node 0   14 rows: yes 9, no 5                                        C4.5, gain ratio
          entropy  H = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403 bits
        <BLANKLINE>
          feature       branches     gain   split info   gain ratio
          outlook              3   0.2467       1.5774       0.1564   ← chosen
          humidity             2   0.1518       1.0000       0.1518     margin 0.0046
          wind                 2   0.0481       0.9852       0.0488     gain below average, not eligible
          temperature          3   0.0292       1.5567       0.0188     gain below average, not eligible
          average gain 0.1190
        <BLANKLINE>
          outlook: 5/14·0.97095 (sunny) + 4/14·0.0000 (overcast) + 5/14·0.97095 (rain) = 0.6935
                   gain 0.94029 − 0.69354 = 0.24675      ratio 0.2467 / 1.5774 = 0.1564
          ID3 would choose outlook (gain 0.2467).  CART would first test binary groupings:
          explain_split(0, X, y, as_="cart")
        """
        if (X is None) != (y is None):
            raise ValueError("Pass X and y together: both are needed to search a node again.")
        if X is not None and self._bag_ is not None:
            sample_weight = self._bag_.weights(self._model, X, y, sample_weight)
        rows = None if X is None else self._rows_of_fit(X, y, sample_weight)
        training = None if X is None else self._own_training(X, y, sample_weight, rows)
        if as_ is not None and not self._others:
            import_module("treewright.algorithms")  # fills the table, which unpickling a tree alone does not
        if as_ is not None and not (isinstance(as_, str) and as_ in self._others):
            raise ValueError(f"as_ must be one of {', '.join(map(repr, sorted(self._others)))}, got {as_!r}.")
        return explain_split(
            self._model,
            node,
            training,
            other=None if as_ is None else lambda: self._other_training(as_, X, y, sample_weight, rows),
            cuts=cuts,
            top=top,
            tree=tree,
            feature_names=feature_names,
            draws_ties=self._draws_ties,
            X=X,
        )

    @property
    def _draws_ties(self) -> bool:
        """Whether the order in which nodes compared their features was drawn."""
        of_forest = self._bag_ is not None and self._bag_.draws_ties
        return bool(of_forest or self.max_features_ < self._model.n_features)

    def _as_in_fit(self) -> Any:
        """Return an estimator with the parameters of the fit, which may have been changed since."""
        learner: Any = object.__new__(type(self))
        vars(learner).update({**vars(self), **self._model.params})
        return learner

    def _rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> NDArray[np.intp] | None:
        """Set the rows aside again that fit set aside for pruning; None: it grew on all of these."""
        if self._model.params.get("prune") != "reduced_error":
            return None
        facts = TreeFacts.of(self._model)
        if facts.aside_seed is None:  # nothing was, or groups decided
            return None
        learner = self._as_in_fit()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of columns: fit has said it
            rows = learner._read(X, y, sample_weight)
        n_grown = int(self._model.trees[0].n_node_samples[0])
        # Others are the rows that were left already, or none of this fit.
        is_whole = rows.n_rows == n_grown + facts.aside_rows
        return rows_left(learner, rows, facts.aside_seed) if is_whole else None

    def _own_training(
        self, X: Any, y: Any, sample_weight: Any, rows: NDArray[np.intp] | None = None
    ) -> Training:
        training = read_training(self._as_in_fit(), X, y, sample_weight, model=self._model, rows=rows)
        if self._bag_ is not None:
            bagged: Training = self._bag_.training(training, self._model, X, y, sample_weight)
            return bagged
        is_random = self._model.params.get("splitter") == "random"
        return replace(training, chance=RANDOM_CUTS) if is_random else training

    def _other_training(
        self, name: str, X: Any, y: Any, sample_weight: Any, rows: NDArray[np.intp] | None
    ) -> Training:
        if self._task != "classification":
            raise ValueError(f"{name!r} is an algorithm for classes; this tree predicts numbers.")
        params = {
            key: value
            for key, value in self._model.params.items()
            if key in ("categorical_features", "class_weight", "n_jobs")
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # ID3 on numbers: what it would do is the question
            return read_training(self._others[name](**params), X, y, sample_weight, rows=rows)

    def explain_prediction(
        self, X: Any, *, changes: bool = True, feature_names: Sequence[str] | None = None
    ) -> PathReport:
        """Explain the prediction for one row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        changes : bool, default=True
            Whether to look for the smallest change of a single feature that would change the answer.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        PathReport
            The tests on the way, in words, and what the tree would answer at each of them.

        Examples
        --------
        >>> from treewright import C45Classifier
        >>> from treewright.datasets import load_tennis
        >>> X, y, names, _ = load_tennis()
        >>> tree = C45Classifier().fit(X, y)
        >>> report = tree.explain_prediction([["sunny", "mild", "normal", "weak"]], feature_names=names)
        >>> report.answer, [step.words for step in report.steps]
        ('yes', ['outlook = sunny', 'humidity = normal'])
        """
        model, matrix, _ = self._encode(X)
        return explain_prediction(
            model,
            matrix,
            choice_of(self),
            changes=changes,
            feature_names=feature_names,
            X=X,
        )

    @property
    def is_edited_(self) -> bool:
        """Whether a hand chose or removed splits of the tree (see `treewright.Grower`)."""
        return self._model.edited is not None

    # --- smaller trees
    # ---------------------------------------------------------------------------------------------

    def pruned(
        self,
        *,
        alpha: float | None = None,
        n_leaves: int | None = None,
        rule: str | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: Any = None,
        groups: Any = None,
    ) -> Self:
        """Return a smaller tree of the cost-complexity path as a new fitted estimator.

        Pass one of `alpha`, `n_leaves` and `rule`.

        Parameters
        ----------
        alpha : float, optional
            Price of a leaf, as `ccp_alpha`: the subtree that minimises risk + alpha * leaves.
        n_leaves : int, optional
            The largest subtree of the path with at most so many leaves.
        rule : {"min", "1se"}, optional
            The subtree with the best cross-validated error, or the smallest one within one standard error of
            it. A tree that was fitted with ``prune="cost_complexity"`` knows its cross-validation; for
            others, pass the rows.
        X, y, sample_weight : object, optional
            The rows of fit, to cross-validate with.
        cv : int, splitter or list of (train, test), optional
            The folds; by default those of the parameter `cv`.
        groups : array-like of shape (n_rows,), optional
            Rows of one group stay together in a fold.

        Returns
        -------
        estimator : object
            A new estimator; this one stays as it is.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import CARTClassifier
        >>> tree = CARTClassifier().fit(*load_iris(return_X_y=True))
        >>> [smaller.get_n_leaves() for smaller in (tree, tree.pruned(n_leaves=4), tree.pruned(alpha=0.02))]
        [9, 4, 4]
        """
        model = smaller_trees.pruned(
            self._model,
            # Parameters may have been changed since fit; the model keeps those of its fit.
            lambda: cast("SingleTree", type(self).from_model(self._model)),
            alpha=alpha,
            n_leaves=n_leaves,
            rule=rule,
            data=FitData(X, y, sample_weight, groups),
            cv=cv,
        )
        return type(self).from_model(model)

    def explain_pruning(
        self,
        *,
        by: Literal["loss", "pessimistic_error"] | None = None,
        alpha: float | None = None,
        alpha_total: float | None = None,
        risk: str | None = None,
        confidence_factor: float | None = None,
    ) -> PruningReport | NodePruningReport:
        """Report how the tree can shrink, and how it was pruned and why.

        Parameters
        ----------
        by : {"loss", "pessimistic_error"} or None, default=None
            Judge every node of the tree as it stands, instead of reporting what `fit` did. "loss": C_α(T),
            g(t) of each inner node, and what a price of α would prune. "pessimistic_error": N, e and U(N, e)
            of each node, and which ones C4.5 would replace by a leaf.
        alpha, alpha_total : float, optional
            With ``by="loss"``, one of them: the price of a leaf, per unit of weight (scikit-learn's) or in
            total (the books').
        risk : str, optional
            With ``by="loss"``: what H is, "impurity", "misclassification", "entropy" or "gini"; by default
            `pruning_risk`.
        confidence_factor : float, optional
            With ``by="pessimistic_error"``: by default that of the estimator, 0.25 where it has none.

        Returns
        -------
        PruningReport or NodePruningReport
            After ``prune="loss"`` and ``prune="pessimistic_error"``, which judge each node by itself: for
            each node of the kept tree what it would count as a leaf and what is below it. Otherwise for each
            subtree of the cost-complexity path the price of a leaf, the leaves, the risk and, if the
            tree was chosen by cross-validation, mean error ± standard error. Print it, show it in a notebook,
            or take ``to_frame()`` or ``to_svg()``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import CARTClassifier
        >>> tree = CARTClassifier(prune="cost_complexity", cv=5, random_state=0)
        >>> print(tree.fit(*load_iris(return_X_y=True)).explain_pruning())
        CARTClassifier   150 rows, 4 features → 9 leaves before pruning
        leaves    alpha  alpha_total    R(T)   train  CV error    ± SE
             9  0.00000        0.000  0.0000  0.0000    0.0667  0.0204
             7  0.00652        0.978  0.0130  0.0067    0.0667  0.0204
             5  0.00889        1.333  0.0308  0.0200    0.0667  0.0204 ← lowest (fewest leaves of a tie)
             4  0.01306        1.958  0.0439  0.0267    0.0733  0.0213
             3  0.02966        4.449  0.0735  0.0400    0.0733  0.0213 ← chosen: within 1 SE (≤ 0.0870)
             2  0.25980       38.969  0.3333  0.3333    0.3333  0.0385
             1  0.33333       50.000  0.6667  0.6667    0.6667  0.0385
        5 leaves have the lowest cross-validated error, 0.0667 ± 0.0204; 3 leaves, 0.0733, are within one
        standard error (≤ 0.0870) and easier to read.

        The loss of a tree for a given price, and every node's g(t):

        >>> full = CARTClassifier(max_depth=2).fit(*load_iris(return_X_y=True))
        >>> print(full.explain_pruning(by="loss", alpha_total=2.0))
        CARTClassifier   150 rows, 4 features → 3 leaves
        node    N       N·H     g(t)  as leaf: N·H + α  leaves  best below  test
           0  150  100.0000  44.4847          102.0000       3     17.0306  all rows
           1   50    0.0000                     2.0000       1              x2 ≤ 2.45
           2  100   50.0000  38.9694           52.0000       2     15.0306  x2 > 2.45
           3   54    9.0741                    11.0741       1              x3 ≤ 1.75
           4   46    1.9565                     3.9565       1              x3 > 1.75
        C_α(T) = Σ N_t·H_t + α·|T| = 11.0306 + 2·3 = 17.0306. From the leaves upwards, a node collapses when
        C_α does not rise: 0 inner nodes are no better than a leaf; pruning would keep 3 of 3 leaves, C_α =
        17.0306.
        """
        return explain_pruning(
            self._model,
            by=by,
            alpha=alpha,
            alpha_total=alpha_total,
            risk=risk,
            confidence_factor=confidence_factor,
        )

    def simplify(self) -> Self:
        """Merge leaves side by side that predict the same, as a new fitted estimator.

        Predictions of whole rows stay the same; class probabilities become those of the merged leaf.

        Returns
        -------
        estimator : object
            A new estimator; this one stays as it is.
        """
        order = getattr(self, "_tie_order_", None)
        return type(self).from_model(smaller_trees.simplified(self._model, order))

    @property
    def alpha_collapse_(self) -> NDArray[np.float64]:
        """For each node the price of a leaf (`alpha`) from which on it is no longer split; 0 for leaves."""
        return alpha_collapse(self.tree_, self.pruning_risk)
