"""FittedForest: what a fitted forest is made of, answers and says about itself, whatever grew it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright.explain import PathReport, SplitReport, VotesReport, explain_prediction, explain_votes
from treewright.fitting.classes import choice_of
from treewright.fitting.estimator import Estimator, in_batches
from treewright.fitting.members import Members, member_of
from treewright.fitting.rows import row_limits
from treewright.forests import _out_of_bag, _record
from treewright.forests._bag import Bag
from treewright.forests._bags import Bags, DrawnWhenAsked, bag_of
from treewright.forests._calibration import Calibration
from treewright.forests._paths import forest_paths, tree_paths
from treewright.forests._quantiles import Quantiles
from treewright.model import Forest, Model
from treewright.model.facts import ForestFacts
from treewright.model.level_means import LevelMeans
from treewright.trees import CARTClassifier, CARTRegressor
from treewright.trees.single_tree import SingleTree

__all__ = ["FittedForest"]


class FittedForest(Estimator):
    """Base of the forests: from the model to attributes, answers and reports."""

    # Whether a node tries one random cut of each feature instead of all.
    _random_cuts: ClassVar[bool] = False
    # Whether a test of many categories pays for their number.
    _prices_categories: ClassVar[bool] = False

    oob_score_: float
    oob_decision_function_: NDArray[np.float64]
    oob_prediction_: NDArray[np.float64]
    _bags_: tuple[Bags, ...]
    _members_: Members
    _calibration_: Calibration | None
    _quantiles_: Quantiles

    @abstractmethod
    def _tree_params(self) -> dict[str, Any]:
        """Return the parameters of a single tree of the forest."""

    @property
    def _tree_class(self) -> type[SingleTree]:
        """The tree that forests grow unless they are told otherwise."""
        return CARTClassifier if self._task == "classification" else CARTRegressor

    # --- from the model
    # ----------------------------------------------------------------------------------------------

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_model(model)
        bags = _record.model_bags(model)
        self._bags_ = bags
        self._members_ = Members(model, lambda tree: self._member(model, bags, tree))
        self.__dict__.pop("oob_score_", None)
        facts = ForestFacts.of(model)
        if facts.oob_score is not None:
            self.oob_score_ = float(facts.oob_score)
        answers = model.arrays.get(_record.OOB)
        if self._task == "classification":
            learned = facts.calibration
            self._calibration_ = None if learned is None else Calibration.from_facts(learned, self.n_classes_)
            self._show("oob_decision_function_", answers)
        else:
            self._quantiles_ = Quantiles(model, bags[0])
            self._show("oob_prediction_", None if answers is None else answers[:, 0])

    def _show(self, name: str, values: NDArray[np.float64] | None) -> None:
        """Set an attribute, or take away what an earlier fit has left."""
        if values is None:
            self.__dict__.pop(name, None)
        else:
            setattr(self, name, values)

    def _adopt_stored(self, model: Model) -> None:
        _record.check_record(model, _record.model_bags(model))
        self._adopt(model)
        self._members_[0]

    @classmethod
    def _params_of(cls, model: Model) -> dict[str, Any]:
        return cls._own_params(model.params)

    @classmethod
    def _own_params(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        """Undo `_kept_params`."""
        return dict(params)

    def _member(self, model: Model, bags: Sequence[Bags], tree: int) -> Any:
        """Return a tree as an estimator."""
        own = bag_of(bags, tree)
        params = self._member_params(model, own, tree)
        member = member_of(model, tree, self._member_class(model), params)
        chance = own.chance(
            model, tree, member.max_features_, random_cuts=self._random_cuts, prices=self._prices_categories
        )
        by_engine = isinstance(model.trees, Forest)
        forest = type(self)(**self._fitted_params(model)) if by_engine and self._random_cuts else None
        member._bag_ = Bag(own, tree, chance, by_engine, by_engine and self._draws_ties(own), forest)
        return member

    def _draws_ties(self, bags: Bags) -> bool:
        """Tell whether nodes that look at all features compare them in an order that is drawn."""
        return True

    def _member_class(self, model: Model) -> type[SingleTree]:
        return self._tree_class

    def _fitted_params(self, model: Model) -> dict[str, Any]:
        """Return the parameters of the fit, which may have been changed since."""
        return self._own_params(model.params)

    def _member_params(self, model: Model, bags: Bags, tree: int) -> dict[str, Any]:
        params = type(self)(**self._fitted_params(model))._tree_params()
        # Shares of rows are those of the whole table and not of the bag.
        split, leaf = row_limits(params["min_samples_split"], params["min_samples_leaf"], bags.n_kept)
        # A forest remembers no candidates.
        params |= {"min_samples_split": split, "min_samples_leaf": leaf, "n_candidates": 0}
        if bags.draws and "class_weight" in params:
            params["class_weight"] = None  # drawn with the rows
        return params

    # --- attributes
    # -------------------------------------------------------------------------------------------------

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators: a read-only list that makes each one when it is asked for.

        They answer with the labels of y, where scikit-learn's answer with positions in `classes_`.
        """
        check_is_fitted(self, "model_")
        return self._members_

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.estimators_)

    def __bool__(self) -> bool:
        """Return True: an estimator is something, however many trees it has so far."""
        return True

    def __getitem__(self, index: Any) -> Any:
        """Return a tree by its number, or several by a slice."""
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the trees."""
        return iter(self.estimators_)

    @property
    def estimator_(self) -> SingleTree:
        """The estimator that every tree is a fitted copy of."""
        check_is_fitted(self, "model_")
        params = type(self)(**self._fitted_params(self.model_))._tree_params()
        return self._member_class(self.model_)(**params)

    @property
    def estimators_samples_(self) -> Sequence[NDArray[np.int64]]:
        """The rows of each tree, as often as they were drawn; drawn again when asked for."""
        check_is_fitted(self, "model_")
        bags = self._bags_
        return DrawnWhenAsked(len(self.model_.trees), lambda tree: bag_of(bags, tree).rows(tree))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of the gain of each feature, normalised to sum to 1 (all 0 without a split)."""
        check_is_fitted(self, "model_")
        importances = self.model_.arrays[_record.IMPORTANCES]
        split = importances[importances.sum(axis=1) > 0]
        if not len(split):
            return np.zeros(self.n_features_in_)
        mean = split.mean(axis=0)
        normalised: NDArray[np.float64] = mean / mean.sum()
        return normalised

    # --- prediction
    # -------------------------------------------------------------------------------------------------

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return class shares or, in one column, numbers."""
        _, matrix, n_threads = self._encode(X)
        return self._matrix_values(matrix, n_threads)

    def _matrix_values(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        model = self.model_
        if isinstance(model.trees, Forest):
            return model.values(matrix, n_threads)
        return self._members_.values(matrix, model.aggregation == "votes", n_threads)

    def _calibrated(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        calibration = self._calibration_ if self._task == "classification" else None
        return values if calibration is None else calibration(values)

    def _class_probabilities(self, X: Any) -> NDArray[np.float64]:
        """Return the mean or the votes of the trees, calibrated if that was asked for."""
        return self._calibrated(self._values(X))

    def _node_values(self) -> list[NDArray[np.float64]] | None:
        model = self.model_
        if isinstance(model.trees, Forest) or model.classes is None:
            return None
        found = []
        for member in self._members_:
            smoothed = member._node_values()
            values = np.asarray(member.model_.trees[0].to_arrays()["value"], dtype=np.float64)
            if model.aggregation == "votes":
                chosen = member._chosen_classes(values)
                values = np.zeros_like(values)
                values[np.arange(len(values)), chosen] = 1.0
            elif smoothed is not None:
                values = smoothed[0]
            found.append(values)
        return found

    @property
    def _sums_to_one(self) -> bool:
        model = self.model_
        if isinstance(model.trees, Forest) or model.aggregation == "votes":
            return False
        return bool(self._members_[0]._sums_to_one)

    def _shap_notes(self) -> tuple[str, ...]:
        if self._task != "classification" or self._calibration_ is None:
            return ()
        return ("Explained is the mean of the trees, before calibration.",)

    @in_batches
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row falls into, in each tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_estimators)
            Node ids in the tree of each of `estimators_`.
        """
        model, matrix, n_threads = self._encode(X)
        return model.apply(matrix, n_threads).astype(np.int64)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Return the nodes that each row passes, in all trees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns from ``n_nodes_ptr[i]`` to before ``n_nodes_ptr[i + 1]`` belong to tree i.
        """
        model, matrix, n_threads = self._encode(X)
        if isinstance(model.trees, Forest):
            return forest_paths(model.trees, model.apply(matrix, n_threads))
        return tree_paths(model, matrix)

    # --- reports
    # ----------------------------------------------------------------------------------------------------

    def explain_prediction(
        self,
        X: Any,
        *,
        tree: int | None = None,
        changes: bool = True,
        feature_names: Sequence[str] | None = None,
    ) -> VotesReport | PathReport:
        """Explain the prediction for one row: the votes, the trees that disagree, the most typical way.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        tree : int, optional
            Explain the way through this tree instead.
        changes : bool, default=True
            Whether to look for the smallest change of a single feature that would change the predicted class.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        VotesReport
            Print it, show it in a notebook, or read its attributes. A `PathReport` when `tree` is given.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> report = RandomForestClassifier(random_state=0).fit(X, y).explain_prediction(X[:1])
        >>> report.answer, report.n_trees
        ('0', 100)
        """
        model, matrix, _ = self._encode(X)
        if tree is not None:
            model, rows, feature_names = LevelMeans.as_grown(model, matrix, feature_names)
            matrix = matrix if rows is None else rows
            return explain_prediction(
                model, matrix, choice_of(self), tree=tree, changes=changes, feature_names=feature_names, X=X
            )
        final = self._values(X) if model.classes is None else self._class_probabilities(X)
        return explain_votes(
            model,
            matrix,
            choice_of(self),
            prediction=final[0],
            changes=changes,
            feature_names=feature_names,
            X=X,
        )

    def explain_split(
        self,
        node: int,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int | None = None,
        **options: Any,
    ) -> SplitReport:
        """Explain why a node of one of the trees tests what it tests.

        The same as ``estimators_[tree].explain_split(node, X, y)``. Of extremely randomised trees the report
        shows the random test of each feature that the node drew, as `fit` drew it.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X, y, sample_weight : object, optional
            What `fit` was given; the tree's bag is drawn again. Without them the report knows the stored
            tree alone.
        tree : int
            Which tree.
        **options : object
            ``as_``, ``cuts``, ``top`` and ``feature_names``, as the single trees have them.

        Returns
        -------
        SplitReport
            Print it, show it in a notebook, or read its attributes.
        """
        check_is_fitted(self, "model_")
        number = self.model_.tree_number(tree)
        means = LevelMeans.of(self.model_)
        if X is not None and means is not None and len(means.node):
            raise ValueError(
                "The trees of this forest were grown on cross-fitted target statistics, which rows that are "
                "sent down the finished trees do not have: explain the split without X and y."
            )
        report: SplitReport = self.estimators_[number].explain_split(node, X, y, sample_weight, **options)
        notes = (f"Tree {number} of {len(self.model_.trees)}.", *report.notes)
        return replace(report, tree=number, notes=notes)

    def oob_permutation_importance(
        self, X: Any, y: Any, *, n_repeats: int = 1, random_state: Any = None
    ) -> Bunch:
        """Return how much worse trees predict their out-of-bag rows when a feature is shuffled among them.

        Breiman's importance (2001): unlike `feature_importances_` it does not favour features with many
        values, and it needs no rows held out.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows of `fit`.
        y : array-like of shape (n_rows,)
            Their target.
        n_repeats : int, default=1
            How often each feature is shuffled for each tree.
        random_state : int, RandomState instance or None, default=None
            What shuffles.

        Returns
        -------
        importance : Bunch
            ``importances`` of shape (n_features, n_estimators): for each tree the decrease of its accuracy,
            or for numbers the increase of its mean squared error; ``importances_mean`` and
            ``importances_std``: mean and standard deviation over the trees. NaN for a tree that has seen
            every row; it counts in neither.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> found = forest.oob_permutation_importance(X, y, random_state=0)
        >>> bool(found.importances_mean[2:].min() > found.importances_mean[:2].max())
        True
        """
        return _out_of_bag.permutation_importance(self, X, y, n_repeats, random_state)

    def oob_learning_curve(self, X: Any, y: Any, *, n_trees: Sequence[int] | None = None) -> Bunch:
        """Return the out-of-bag score of the first trees: whether more trees would help.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows of `fit`.
        y : array-like of shape (n_rows,)
            Their target.
        n_trees : sequence of int, optional
            After how many trees; by default up to 50 numbers up to all of them.

        Returns
        -------
        curve : Bunch
            ``n_trees``; ``scores``: accuracy or R² of the first so many trees; ``answered``: the share of
            rows that at least one of them did not see, which the score is about.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> curve = forest.oob_learning_curve(X, y, n_trees=[10, 100])
        >>> bool((curve.scores > 0.9).all()), curve.answered[-1]
        (True, np.float64(1.0))
        """
        return _out_of_bag.learning_curve(self, X, y, n_trees)

    # --- scikit-learn
    # -----------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        # What is made from the model is not stored beside it.
        made = ("_bags_", "_members_", "_quantiles_")
        return {name: value for name, value in super().__getstate__().items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._adopt(state["model_"])
