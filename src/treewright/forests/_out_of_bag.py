"""Out of bag: every row predicted by the trees that did not see it, as good as a held-out test set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.fitting.members import Members
from treewright.fitting.rows import TrainingRows, read_rows
from treewright.forests import _record
from treewright.forests._bags import Bags
from treewright.forests._calibration import Calibration, best_method
from treewright.forests._statistics import ForestStatistics
from treewright.model import Forest, Model
from treewright.model.level_means import LevelMeans
from treewright.warn_at_caller import warn_at_caller

__all__ = ["OutOfBag", "learning_curve", "out_of_bag_facts", "permutation_importance"]

Floats = NDArray[np.float64]
# Points of a learning curve.
POINTS = 50


class OutOfBag:
    """Predictions for the training rows by the trees that did not see them.

    Parameters
    ----------
    model : Model
        The trees.
    members : Members
        The same trees as estimators.
    bags : sequence of Bags
        How the rows of the trees were drawn; trees that others rows were drawn for do not count.
    data : Dataset or ndarray
        The rows: as codes for a `Forest`, otherwise as a matrix.
    votes : bool
        Whether each tree votes for one class.
    n_threads : int
        Threads to use.
    """

    def __init__(
        self,
        model: Model,
        members: Members,
        bags: Sequence[Bags],
        data: Any,
        votes: bool,
        n_threads: int,
    ) -> None:
        self._model = model
        self._members = members
        self._bags = bags
        self._data = data
        self._votes = votes
        self._n_threads = n_threads

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return self._bags[-1].n_kept

    def sums(self, first: int, last: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return the sum of the answers of some trees for each row, and how many trees answered."""
        total = np.zeros((self.n_rows, self._model.n_outputs))
        answered = np.zeros(self.n_rows, dtype=np.int64)
        for bags in self._bags:
            begin, end = max(first, bags.first), min(last, bags.last)
            if begin < end:
                some, count = self._of_bags(bags, begin, end)
                total += some
                answered += count
        return total, answered

    def values(self) -> Floats:
        """Return the mean answer for each row; NaN for a row that is in all bags."""
        return mean_answers(*self.sums(0, len(self._model.trees)))

    def _of_bags(self, bags: Bags, first: int, last: int) -> tuple[Floats, NDArray[Any]]:
        if isinstance(self._model.trees, Forest):
            return _core.oob_values(
                self._model.predictor, self._data, bags.rule, first, last, self._votes, self._n_threads
            )
        total = np.zeros((self.n_rows, self._model.n_outputs))
        answered = np.zeros(self.n_rows, dtype=np.int64)
        for tree in range(first, last):
            outside = bags.counts(tree) == 0
            if outside.any():
                matrix = np.ascontiguousarray(self._data[outside])
                total[outside] += self._members.answers(tree, matrix, self._votes, self._n_threads)
                answered += outside
        return total, answered

    def permutation(self, target: NDArray[Any], n_repeats: int, seed: int) -> Floats:
        """Return how much worse each tree becomes on its rows when a feature is shuffled among them.

        Parameters
        ----------
        target : ndarray
            Class codes or numbers.
        n_repeats : int
            How often each feature is shuffled.
        seed : int
            What shuffles.

        Returns
        -------
        ndarray of shape (n_trees, n_features)
            Decrease of the accuracy, or increase of the mean squared error; mean over the repeats.
        """
        if isinstance(self._model.trees, Forest):
            rule = self._bags[0].rule
            found = _core.oob_permutation(
                self._model.predictor, self._data, rule, target, n_repeats, seed, self._n_threads
            )
            mean: Floats = found.mean(axis=2)
            return mean
        return np.array(
            [self._shuffled(tree, target, n_repeats, seed) for tree in range(len(self._model.trees))]
        )

    def _shuffled(self, tree: int, target: NDArray[Any], n_repeats: int, seed: int) -> Floats:
        outside = self._bags[0].counts(tree) == 0
        if not outside.any():
            return np.full(self._model.n_features, np.nan)
        worse = np.zeros(self._model.n_features)
        generator = np.random.default_rng([seed, tree])
        matrix, known = np.array(self._data[outside]), target[outside]
        before = self._loss(tree, matrix, known)
        for feature in range(self._model.n_features):
            column = matrix[:, feature].copy()
            for _ in range(n_repeats):
                matrix[:, feature] = generator.permutation(column)
                worse[feature] += (self._loss(tree, matrix, known) - before) / n_repeats
            matrix[:, feature] = column
        return worse

    def _loss(self, tree: int, matrix: NDArray[Any], target: NDArray[Any]) -> float:
        found = self._members.answers(tree, matrix, True, self._n_threads)
        if self._model.classes is None:
            return float(np.mean((found[:, 0] - target) ** 2))
        return 1.0 - float(np.mean(found.argmax(axis=1) == target))


def mean_answers(total: Floats, answered: NDArray[np.int64]) -> Floats:
    """Return the mean of the answers; NaN where there was none."""
    values: Floats = np.divide(
        total, answered[:, np.newaxis], out=np.full_like(total, np.nan), where=answered[:, np.newaxis] > 0
    )
    return values


def score_of(values: Floats, target: NDArray[Any], is_class: bool, metric: Any = None) -> float:
    """Return accuracy or R² (or another metric) over the rows that have an answer; NaN when none has.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        What was predicted.
    target : ndarray
        Class codes or numbers.
    is_class : bool
        Whether they are classes.
    metric : callable or None
        What to compute instead: ``metric(y_true, y_pred)``.
    """
    known = np.isfinite(values[:, 0])
    if not known.any():
        return float("nan")
    truth = target[known]
    found = values[known].argmax(axis=1) if is_class else values[known, 0]
    if metric is not None:
        return float(metric(truth, found))
    if is_class:
        return float(np.mean(found == truth))
    squares = float(np.sum((truth - found) ** 2))
    spread = float(np.sum((truth - truth.mean()) ** 2))
    if spread == 0.0:
        return 1.0 if squares == 0.0 else 0.0
    return 1.0 - squares / spread


def out_of_bag_facts(
    forest: Any, values: Floats, rows: TrainingRows
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return facts and arrays that follow from the out-of-bag answers: score, calibration, the answers.

    Parameters
    ----------
    forest : BaseForest
        Its parameters count.
    values : ndarray of shape (n_rows, n_outputs)
        The answers; NaN for a row that is in all bags.
    rows : TrainingRows
        The rows.
    """
    facts: dict[str, Any] = {}
    known = np.isfinite(values[:, 0])
    _warn_of_unanswered(known)
    if forest.calibrate and known.any():
        weights = None if rows.weights is None else rows.weights[known]
        scores, codes = values[known], rows.target[known]
        method = forest.calibration_method
        if forest.calibrate == "auto":
            method = best_method(scores, codes, weights)
        if method is not None:
            facts["calibration"] = Calibration.learned(method, scores, codes, weights).to_facts()
    if not forest.oob_score:
        return facts, {}
    metric = forest.oob_score if callable(forest.oob_score) else None
    facts["oob_score"] = score_of(values, rows.target, rows.n_classes is not None, metric)
    whole = values
    if rows.kept is not None:
        whole = np.full((rows.n_rows_read, values.shape[1]), np.nan)
        whole[rows.kept] = values
    return facts, {_record.OOB: whole}


def _warn_of_unanswered(known: NDArray[np.bool_]) -> None:
    """Warn when rows were in the bags of all trees."""
    if known.all():
        return
    warn_at_caller(
        "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
        f"reliable oob estimates: {int(np.count_nonzero(~known))} of {len(known)} rows are in the bag of "
        "every tree, and their out-of-bag predictions are NaN. Grow more trees."
    )


# --- what a fitted forest tells about itself
# ----------------------------------------------------------------------------------------------------------


def permutation_importance(forest: Any, X: Any, y: Any, n_repeats: Any, random_state: Any) -> Bunch:
    """Return `oob_permutation_importance` of a fitted forest."""
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, int | np.integer) or n_repeats < 1:
        raise ValueError(f"n_repeats must be an int in the range [1, inf). Got {n_repeats!r} instead.")
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    check_is_fitted(forest, "model_")
    means = LevelMeans.of(forest.model_)
    if means is not None and len(means.node):
        raise ValueError(
            "The trees of this forest test target statistics, which know the targets of rows out of the bag: "
            "shuffle rows that fit has not seen, with sklearn.inspection.permutation_importance, or fit with "
            "target_statistics=False."
        )
    out, target = _examined(forest, X, y)
    if len(forest._bags_) > 1:
        raise ValueError(
            "The trees of this forest were grown on different rows (warm_start): there is no table that "
            "is out of all their bags. Fit anew on all rows."
        )
    found = out.permutation(target, int(n_repeats), seed).T
    known = found[:, np.isfinite(found).all(axis=0)]
    if not known.shape[1]:
        raise ValueError("Every tree has seen every row: draw fewer rows (max_samples) to have some left.")
    return Bunch(importances_mean=known.mean(axis=1), importances_std=known.std(axis=1), importances=found)


def learning_curve(forest: Any, X: Any, y: Any, n_trees: Sequence[int] | None) -> Bunch:
    """Return `oob_learning_curve` of a fitted forest."""
    out, target = _examined(forest, X, y)
    total = len(forest.model_.trees)
    points = _points(n_trees, total)
    is_class = forest.model_.classes is not None
    sums, answered = (
        np.zeros((out.n_rows, forest.model_.n_outputs)),
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


def _examined(forest: Any, X: Any, y: Any) -> tuple[OutOfBag, NDArray[Any]]:
    check_is_fitted(forest, "model_")
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
    statistics = ForestStatistics.of_model(model, rows)
    if statistics is not None:
        seen, table = statistics.seen(model)
        return forest._out_of_bag(seen, forest._bags_, rows, table.to_dataset(0, n_threads), n_threads), (
            rows.target
        )
    data: Any = (
        rows.encode(0, n_threads)  # without bins, which do not say on which side of a threshold a row is
        if isinstance(model.trees, Forest)
        else rows.whole_table.to_matrix()
    )
    return forest._out_of_bag(model, forest._bags_, rows, data, n_threads), rows.target
