"""ExplainedWeights: what a fitted AdaBoost says about itself, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.boosting._round_gradients import learned_rows
from treewright.boosting._rows import BoostRows
from treewright.boosting._weight_rounds import WeightRounds
from treewright.explain import PathReport, SplitReport
from treewright.explain.boosted import RoundsReport, WeightedReport, explain_rounds, explain_weighted
from treewright.explain.boosted.rounds import Replay
from treewright.fitting.rows import TrainingRows, read_rows
from treewright.model.facts import WeightedFacts

if TYPE_CHECKING:
    from treewright.boosting.weight_booster import WeightBooster

__all__ = ["ExplainedWeights"]

Floats = NDArray[np.float64]
SAME = 1e-6


class ExplainedWeights:
    """Mixin: reports about trees that vote with weights."""

    def explain_rounds(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        rows: Sequence[int] | None = None,
        top: int = 10,
        feature_names: Sequence[str] | None = None,
    ) -> RoundsReport:
        """Explain the rounds: errors, weights of the trees and, with data, how the weights of rows change.

        Parameters
        ----------
        X, y, sample_weight : object, optional
            What `fit` was given: the rounds are gone through again.
        rows : sequence of int, optional
            The rows of X whose weights are shown; by default the first ten.
        top : int, default=10
            How many rounds the text shows.
        feature_names : sequence of str, optional
            Names to show instead of those of the training data.

        Returns
        -------
        RoundsReport
            Print it, show it in a notebook, or read its attributes.

        Examples
        --------
        >>> from treewright import AdaBoostClassifier
        >>> X = [[x] for x in range(10)]
        >>> y = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
        >>> report = AdaBoostClassifier(n_estimators=3).fit(X, y).explain_rounds(X, y)
        >>> [(one.test, round(one.error, 4), round(one.alpha, 4)) for one in report.rounds]
        [('x0 ≤ 2.5', 0.3, 0.4236), ('x0 ≤ 8.5', 0.2143, 0.6496), ('x0 ≤ 5.5', 0.1818, 0.752)]
        >>> report.rounds[-1].training_score
        1.0
        """
        booster = _fitted(self)
        replays, given = None, None
        if (X is None) != (y is None):
            raise ValueError("Pass X and y together: both are needed to go through the rounds again.")
        if X is not None:
            given = _read(booster, X, y, sample_weight)
            replays = _replayed(booster, given)
        return explain_rounds(
            booster.model_,
            replays,
            target=None if given is None else given.target,
            kept=None if given is None else given.kept,
            rows=rows,
            top=top,
            feature_names=feature_names,
            X=X,
        )

    def explain_prediction(
        self, X: Any, *, tree: int | None = None, top: int = 8, feature_names: Sequence[str] | None = None
    ) -> WeightedReport | PathReport:
        """Explain the prediction for one row: what each tree says, with its weight.

        Parameters
        ----------
        X : DataFrame or array-like of shape (1, n_features)
            The row.
        tree : int, optional
            Explain the way through this tree instead.
        top : int, default=8
            How many trees the text shows.
        feature_names : sequence of str, optional
            Names to show, where a single tree is explained, instead of those of the training data.

        Returns
        -------
        WeightedReport
            Print it, show it in a notebook, or read its attributes. A `PathReport` when `tree` is given.

        Examples
        --------
        >>> from treewright import AdaBoostClassifier
        >>> X = [[x] for x in range(10)]
        >>> y = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
        >>> report = AdaBoostClassifier(n_estimators=3).fit(X, y).explain_prediction([[7]])
        >>> report.answer, [one.answer for one in report.members]
        ('1', ['-1', '1', '1'])
        """
        booster = _fitted(self)
        if tree is not None:
            number = _tree(booster, tree)
            path: PathReport = booster.estimators_[number].explain_prediction(X, feature_names=feature_names)
            return replace(path, algorithm=f"{path.algorithm}, tree {number} of {len(booster.model_.trees)}")
        model, matrix, _ = booster._encode(X)
        return explain_weighted(model, matrix, top=top, X=X)

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

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.
        X, y, sample_weight : object, optional
            What `fit` was given: the weights of the rows in the tree's round are computed again. Without them
            the report knows the stored tree alone.
        tree : int
            Which tree, and round.
        **options : object
            ``as_``, ``cuts``, ``top`` and ``feature_names``, as the single trees have them.

        Returns
        -------
        SplitReport
            Print it, show it in a notebook, or read its attributes.
        """
        booster = _fitted(self)
        number = _tree(booster, tree)
        weights = None
        if (X is None) != (y is None):
            raise ValueError("Pass X and y together: both are needed to search a node again.")
        if X is not None:
            rows = _read(booster, X, y, sample_weight)
            own = _replayed(booster, rows, number)[number].weights * rows.n_rows
            weights = own
            if rows.kept is not None:
                weights = np.zeros(rows.n_rows_read)
                weights[rows.kept] = own
        report: SplitReport = booster.estimators_[number].explain_split(node, X, y, weights, **options)
        error, weight = booster.estimator_errors_[number], booster.estimator_weights_[number]
        which = f"Tree {number} of {len(booster.model_.trees)}: error {error:.4f}, weight {weight:.4f}."
        return replace(report, tree=number, notes=(which, *report.notes))


def _read(booster: WeightBooster, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    if booster.model_.params.get("resample"):
        raise ValueError(
            "With resample=True every round draws rows, and which ones is not stored: leave X and y out."
        )
    model = booster.model_
    rows = read_rows(X, y, sample_weight, owner=type(booster).__name__, task=model.task, model=model)
    seed = WeightedFacts.of(model).seed
    if seed is None:
        return rows
    own = type(booster).from_model(model)  # with the parameters of the fit
    return learned_rows(own, BoostRows(rows), seed).rows


def _replayed(booster: WeightBooster, rows: TrainingRows, last: int | None = None) -> list[Replay]:
    """Go through the rounds again; ValueError when the rows are not those of the fit."""
    model = booster.model_
    own = type(booster).from_model(model)  # with the parameters of the fit
    scores = _scores_so_far(booster, rows.whole_table.to_matrix(), rows)
    rounds = WeightRounds(own, rows, 1)
    found: list[Replay] = []
    for number, tree in enumerate(model.trees[: len(model.trees) if last is None else last + 1]):
        weights = rounds.weights
        # Not as the first: other rows than those of the fit are to be called so, not a weak tree.
        values, verdict = rounds.judge(tree)
        stored = float(model.arrays["estimator_errors"][number])
        if abs(verdict.error - stored) > SAME:
            raise ValueError(
                f"Tree {number} has the error {verdict.error:.6g} on these rows, but {stored:.6g} in fit: "
                "pass the X, y and sample_weight of fit."
            )
        loss = _loss(own, values, rows.target)
        found.append(Replay(weights, values, loss, verdict.next_weights, scores[number]))
        if rounds.is_over:
            break
    return found


def _loss(own: Any, values: Floats, target: NDArray[Any]) -> Floats:
    if own.model_.classes is not None:
        wrong: Floats = (values.argmax(axis=1) != target).astype(np.float64)
        return wrong
    size = np.abs(values[:, 0] - target)
    size = size / size.max() if size.max() > 0 else size
    loss: Floats = (
        size**2 if own.loss == "square" else 1 - np.exp(-size) if own.loss == "exponential" else size
    )
    return loss


def _scores_so_far(booster: WeightBooster, matrix: NDArray[Any], rows: TrainingRows) -> list[float]:
    """Return accuracy, or R², of the first tree, the first two, and so on."""
    model, weights = booster.model_, rows.weights
    if model.classes is not None:
        decisions = model.weighted.decisions(matrix, 1)
        return [float(np.average(d.argmax(axis=1) == rows.target, weights=weights)) for d in decisions]
    mean = np.average(rows.target, weights=weights)
    whole = float(np.average((rows.target - mean) ** 2, weights=weights))
    found = []
    for last in range(1, len(model.trees) + 1):
        error = (rows.target - model.weighted.medians(matrix, 1, last)) ** 2
        left = float(np.average(error, weights=weights))
        found.append(1.0 - left / whole if whole > 0 else float(left == 0))
    return found


def _tree(booster: WeightBooster, tree: Any) -> int:
    n_trees = len(booster.model_.trees)
    if tree is None and n_trees > 1:
        raise ValueError(
            f"Say which tree is meant, e.g. tree={min(17, n_trees - 1)}; the booster has the trees 0 to "
            f"{n_trees - 1}, one per round."
        )
    if tree is not None and hasattr(tree, "__index__") and not 0 <= tree.__index__() < n_trees:
        raise IndexError(f"tree={tree} does not exist; the booster has the trees 0 to {n_trees - 1}.")
    return booster.model_.tree_number(tree)


def _fitted(estimator: Any) -> WeightBooster:
    check_is_fitted(estimator, "model_")
    return cast("WeightBooster", estimator)
