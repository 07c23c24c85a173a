"""Examined: what out-of-bag rows tell about a fitted forest, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright.forests._out_of_bag import OutOfBag, mean_answers, score_of
from treewright.forests._rows import read_rows
from treewright.model import Forest

if TYPE_CHECKING:
    from treewright.forests._forest import BaseForest

__all__ = ["Examined"]

POINTS = 50


class Examined:
    """Mixin: importance and learning curve, from the rows of fit that each tree did not see."""

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
        if isinstance(n_repeats, bool) or not isinstance(n_repeats, int | np.integer) or n_repeats < 1:
            raise ValueError(f"n_repeats must be an int in the range [1, inf). Got {n_repeats!r} instead.")
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        out, target = _examined(self, X, y)
        if len(_forest(self)._bags_) > 1:
            raise ValueError(
                "The trees of this forest were grown on different rows (warm_start): there is no table that "
                "is out of all their bags. Fit anew on all rows."
            )
        found = out.permutation(target, int(n_repeats), seed).T
        known = found[:, np.isfinite(found).all(axis=0)]
        if not known.shape[1]:
            raise ValueError(
                "Every tree has seen every row: draw fewer rows (max_samples) to have some left."
            )
        return Bunch(
            importances_mean=known.mean(axis=1), importances_std=known.std(axis=1), importances=found
        )

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
        out, target = _examined(self, X, y)
        total = len(_forest(self).model_.trees)
        points = _points(n_trees, total)
        is_class = _forest(self).model_.classes is not None
        sums, answered = (
            np.zeros((out.n_rows, _forest(self).model_.n_outputs)),
            np.zeros(out.n_rows, np.int64),
        )
        scores, shares, done = [], [], 0
        for point in points:
            more, count = out.sums(done, point)
            sums += more
            answered += count
            done = point
            scores.append(score_of(mean_answers(sums, answered), target, is_class))
            shares.append(float(np.mean(answered > 0)))
        return Bunch(n_trees=np.array(points), scores=np.array(scores), answered=np.array(shares))


def _points(asked: Sequence[int] | None, total: int) -> list[int]:
    if asked is None:
        return sorted({int(number) for number in np.geomspace(1, total, POINTS).round()} | {total})
    points = [number.__index__() for number in asked]
    if not points or sorted(set(points)) != points or points[0] < 1 or points[-1] > total:
        raise ValueError(f"n_trees must be rising numbers from 1 to {total}. Got {list(asked)!r}.")
    return points


def _examined(estimator: Any, X: Any, y: Any) -> tuple[OutOfBag, NDArray[Any]]:
    forest = _forest(estimator)
    model, last = forest.model_, forest._bags_[-1]
    if last.draws == 0 or not any(bags.draws for bags in forest._bags_):
        raise ValueError("Out of bag estimation only available if bootstrap=True")
    rows = read_rows(X, y, owner=type(forest).__name__, task=model.task, model=model)
    if rows.n_rows_read != last.n_rows:
        raise ValueError(
            f"X has {rows.n_rows_read} rows, but fit had {last.n_rows}: pass the X and y of fit. Only they "
            "have trees that did not see them."
        )
    rows = rows.take(last.kept)
    if rows.checksum != last.checksum:
        raise ValueError(
            "y differs from the y of fit: pass the X and y of fit. Only they have trees that did not see "
            "them."
        )
    n_threads = effective_n_jobs(forest.n_jobs)
    data: Any = (
        rows.encode(0, n_threads)  # without bins, which do not say on which side of a threshold a row is
        if isinstance(model.trees, Forest)
        else rows.whole_table.to_matrix()
    )
    return forest._out_of_bag(model, forest._bags_, rows, data, n_threads), rows.target


def _forest(estimator: Any) -> BaseForest:
    check_is_fitted(estimator, "model_")
    return cast("BaseForest", estimator)
