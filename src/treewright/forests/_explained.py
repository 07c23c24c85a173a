"""ExplainedForest: what a fitted forest says about itself, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.explain import PathReport, SplitReport, VotesReport, explain_prediction, explain_votes

if TYPE_CHECKING:
    from treewright.forests._forest import BaseForest

__all__ = ["ExplainedForest"]


class ExplainedForest:
    """Mixin: reports about the fitted forest."""

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
        forest = _forest(self)
        model, matrix, _ = forest._encode(X)
        if tree is not None:
            return explain_prediction(
                model, matrix, _most_probable, tree=tree, changes=changes, feature_names=feature_names, X=X
            )
        final = forest.predict_proba(X) if hasattr(forest, "predict_proba") else forest._values(X)
        return explain_votes(
            model,
            matrix,
            _most_probable,
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

        The same as ``estimators_[tree].explain_split(node, X, y)``.

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
        forest = _forest(self)
        number = forest.model_.tree_number(tree)
        report: SplitReport = forest.estimators_[number].explain_split(node, X, y, sample_weight, **options)
        notes = (f"Tree {number} of {len(forest.model_.trees)}.", *report.notes)
        return replace(report, tree=number, notes=notes)


def _most_probable(shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the position of the predicted class in each row of class shares."""
    return np.asarray(shares.argmax(axis=1), dtype=np.intp)


def _forest(estimator: Any) -> BaseForest:
    check_is_fitted(estimator, "model_")
    return cast("BaseForest", estimator)
