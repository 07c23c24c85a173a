"""ExplainedBooster: what a fitted booster says about itself, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from sklearn.utils.validation import check_is_fitted

from treewright.boosting._round_gradients import training_of
from treewright.boosting.plans import draws_columns
from treewright.explain import PathReport
from treewright.explain.boosted import (
    BoostSplitReport,
    SumReport,
    explain_boosted_split,
    explain_step,
    explain_sum,
    tree_of_booster,
)
from treewright.model.level_means import LevelMeans

if TYPE_CHECKING:
    from treewright.boosting.booster import Booster

__all__ = ["ExplainedBooster"]


class ExplainedBooster:
    """Mixin: reports about the fitted booster."""

    def explain_split(
        self,
        node: int,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int | None = None,
        round: int | None = None,
        output: Any = None,
        offset: Any = None,
        top: int | None = 20,
        feature_names: Sequence[str] | None = None,
        cuts: bool = False,
    ) -> BoostSplitReport:
        """Explain a node of one of the trees: sums of gradients, penalties, value, gain, with the arithmetic.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X, y, sample_weight : object, optional
            What `fit` was given: the gradients before the round are computed again, and every feature is
            searched. Without them the report knows the sums that are stored with the trees.
        tree : int, optional
            Number of the tree.
        round : int, optional
            Instead of `tree`: the round, counted from 0.
        output : object, optional
            With `round`, for more than two classes: the class.
        offset : array-like, optional
            The offset of `fit`.
        top : int or None, default=20
            How many candidates the text shows; None: all. The dict and the DataFrame have all of them.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.
        cuts : bool, default=False
            Whether the candidates have the gain of every cut, with X and y; `plot_gain_curve` draws them.

        Returns
        -------
        BoostSplitReport
            Print it, show it in a notebook, or read its attributes.

        Examples
        --------
        >>> from treewright import NewtonBoostingRegressor
        >>> X = [[1.0], [2.0], [3.0], [4.0]]
        >>> booster = NewtonBoostingRegressor(n_estimators=2, max_depth=1).fit(X, [1.0, 1.0, 2.0, 4.0])
        >>> report = booster.explain_split(0, tree=0)
        >>> [(side.words, side.gradient, side.hessian) for side in report.winner.branches]
        [('≤ 3.5', 2.0, 3.0), ('> 3.5', -2.0, 1.0)]
        >>> report.winner.gain  # 2²/(3 + 1) + 2²/(1 + 1) − 0
        3.0
        """
        booster = _fitted(self)
        if (X is None) != (y is None):
            raise ValueError("Pass X and y together: both are needed to compute the gradients again.")
        training = None
        if X is not None:
            training = training_of(booster, X, y, sample_weight, offset)
        elif sample_weight is not None or offset is not None:
            raise ValueError("sample_weight and offset belong to X and y of fit: pass those, too.")
        elif cuts:
            raise ValueError("The gain of every cut is searched in data: pass the X and y of fit.")
        model, _, feature_names = LevelMeans.as_grown(booster.model_, None, feature_names)
        return explain_boosted_split(
            model,
            node,
            training,
            tree=tree,
            round=round,
            output=output,
            top=top,
            feature_names=feature_names,
            draws_ties=draws_columns(booster.model_),
            X=X,
            cuts=cuts,
        )

    def explain_prediction(
        self,
        X: Any,
        *,
        tree: int | None = None,
        offset: Any = None,
        top: int = 8,
        feature_names: Sequence[str] | None = None,
    ) -> SumReport | PathReport:
        """Explain the prediction for one row: the start, what the trees add, and what features add.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        tree : int, optional
            Explain the way through this tree instead.
        offset : array-like, optional
            A raw score of the row to add, as in `fit`; `predict` is without it.
        top : int, default=8
            How many trees and features the text shows.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        SumReport
            Print it, show it in a notebook, or read its attributes. A `PathReport` when `tree` is given.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import NewtonBoostingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> report = NewtonBoostingClassifier(n_estimators=20).fit(X, y).explain_prediction(X[:1])
        >>> report.answer, len(report.trees)
        ('0', 60)
        """
        booster = _fitted(self)
        model, matrix, _ = booster._encode(X)
        if tree is not None:
            number = tree_of_booster(model, tree)
            model, rows, feature_names = LevelMeans.as_grown(model, matrix, feature_names)
            row = matrix if rows is None else rows
            return explain_step(model, row, number, feature_names=feature_names, X=X)
        return explain_sum(model, matrix, offset=offset, top=top, feature_names=feature_names, X=X)


def _fitted(estimator: Any) -> Booster:
    check_is_fitted(estimator, "model_")
    return cast("Booster", estimator)
