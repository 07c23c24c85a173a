"""BoostRows: what a booster learns from and what it is watched on, read once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting._held_out import TRAINING, HeldOut, read_held_out, read_offset
from treewright.boosting._watched_rows import matrices, watched
from treewright.boosting.losses import Loss
from treewright.boosting.metrics import Metric
from treewright.exceptions import ConstantTargetWarning
from treewright.fitting.rows import TrainingRows
from treewright.model import Model
from treewright.warn_at_caller import warn_at_caller

__all__ = [
    "BoostRows",
    "is_varied",
    "read_boost_rows",
    "set_aside",
    "warn_of_constant",
]

Floats = NDArray[np.float64]
NO_VALIDATION = (None, None, None, None)


@dataclass(eq=False)
class BoostRows:
    """Training rows, their offset, and rows that are held out.

    Attributes
    ----------
    rows : TrainingRows
        The rows of positive weight.
    offset : ndarray of shape (n_rows, n_outputs) or None
        Raw scores to start from.
    held_out : HeldOut or None
        The rows to watch.
    n_set_aside : int
        How many of the rows of `fit` these are; 0 where others are watched, or none.
    """

    rows: TrainingRows
    offset: Floats | None = None
    held_out: HeldOut | None = None
    n_set_aside: int = 0

    @property
    def target(self) -> Floats:
        """The target as the losses take it."""
        return np.ascontiguousarray(self.rows.target, dtype=np.float64)

    def raw_scores(
        self, start: Floats, earlier: Model | None, n_threads: int, *, single: bool = False
    ) -> tuple[Floats, Floats | None]:
        """Return the raw scores of training and held-out rows before the rounds of a fit.

        Parameters
        ----------
        start : ndarray of shape (n_outputs,)
            Those before the first round of all.
        earlier : Model or None
            The model whose rounds come before.
        n_threads : int
            Threads to use.
        single : bool, default=False
            Whether training adds in single precision, as the exact method does; watching never does.
        """
        raw = _from_start(start, self.offset, self.rows.n_rows)
        held_out = self.held_out
        seen = None if held_out is None else _from_start(start, held_out.offset, len(held_out.target))
        if earlier is not None:
            # Target statistics of other rows than the earlier model's stand behind its columns.
            n_own = earlier.n_features
            matrix = self.rows.whole_table.to_matrix()
            raw = earlier.raw_scores(_first(matrix, n_own), n_threads, start=raw, single=single)
            if held_out is not None and seen is not None:
                parts, begin = [], 0
                for part in matrices(held_out.rows):
                    end = begin + len(part)
                    parts.append(earlier.raw_scores(_first(part, n_own), n_threads, start=seen[begin:end]))
                    begin = end
                seen = np.concatenate(parts)
        return raw, seen

    def watching_itself(self) -> BoostRows:
        """Watch the training rows."""
        rows = self.rows
        itself = HeldOut(watched(rows.whole_table), self.target, rows.weights, self.offset, TRAINING)
        return replace(self, held_out=itself)

    def divided(self, share: float, seed: int) -> BoostRows:
        """Set a share of the rows aside, of each class alike."""
        classes = self.rows.outputs.get("classes")
        numbers = np.arange(self.rows.n_rows)
        from sklearn.model_selection import train_test_split  # noqa: PLC0415 - heavy, rarely needed

        learned, others = train_test_split(
            numbers,
            test_size=share,
            random_state=seed,
            stratify=None if classes is None else self.rows.target,
        )
        learned.sort()
        others.sort()
        present = np.unique(self.rows.target) if classes is not None else ()
        if len(np.unique(self.rows.target[learned])) < len(present):
            raise ValueError(
                "The training data after the early stopping split lack a class: pass X_val and y_val, or a "
                "smaller validation_fraction."
            )
        weights, offset = self.rows.weights, self.offset
        held_out = HeldOut(
            watched(self.rows.whole_table.take(others)),
            self.target[others],
            None if weights is None else weights[others],
            None if offset is None else offset[others],
        )
        return replace(self.only(learned), held_out=held_out, n_set_aside=len(others))

    def only(self, learned: NDArray[np.int64]) -> BoostRows:
        """Return some of the rows, with nobody watching."""
        weights, offset = self.rows.weights, self.offset
        kept = learned if self.rows.kept is None else self.rows.kept[learned]
        rows = self.rows.take(learned, None if weights is None else weights[learned])
        rows.kept = kept
        return BoostRows(rows, None if offset is None else offset[learned])


def read_boost_rows(
    owner: str, rows: TrainingRows, loss: Loss, offset: Any, validation: tuple[Any, ...] = NO_VALIDATION
) -> BoostRows:
    """Read what belongs to the rows of a booster, and check that the loss can deal with their targets.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    rows : TrainingRows
        The training rows.
    loss : Loss
        What the rounds make smaller.
    offset : array-like or None
        Raw scores of the rows.
    validation : tuple, optional
        X_val, y_val, their weights and their offset, as the user passed them.
    """
    check_target(loss, np.asarray(rows.target, dtype=np.float64), rows.kept)
    given = BoostRows(rows)
    if offset is not None:
        given.offset = read_offset(offset, rows.n_rows_read, loss.outputs)
        if rows.kept is not None:
            given.offset = given.offset[rows.kept]
    if any(part is not None for part in validation):
        given.held_out = read_held_out(owner, rows, loss.outputs, *validation)
        if given.held_out is not None:
            check_target(loss, given.held_out.target, None, "y_val")
    return given


def check_target(loss: Loss, target: Floats, kept: NDArray[np.int64] | None, name: str = "y") -> None:
    """Raise ValueError that names row and value when a target is outside of the range of the loss.

    Parameters
    ----------
    loss : Loss
        The loss.
    target : ndarray of float64
        The targets.
    kept : ndarray of int or None
        The numbers of their rows; None: all rows in their order.
    name : str, default="y"
        Name of the argument, for messages.
    """
    if loss.own is not None:
        return
    try:
        loss.objective.check(target, None)
    except _core.RowError as error:
        row = error.row if kept is None else int(kept[error.row])
        raise ValueError(f"{name}: row {row} {error.reason}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def set_aside(estimator: Any, given: BoostRows, seed: int, metrics: tuple[Metric, ...]) -> BoostRows:
    """Return the rows, some of them held out when early stopping needs that.

    Parameters
    ----------
    estimator : object
        The booster.
    given : BoostRows
        The rows of the fit.
    seed : int
        Of the rows that are drawn.
    metrics : tuple of Metric
        What rows are scored by.
    """
    needs_loss = any(metric.kind == "loss" for metric in metrics)
    if callable(getattr(estimator, "loss", None)) and needs_loss:
        if given.held_out is not None or estimator._stops_early:
            raise ValueError(
                "A loss of your own says nothing about the score of validation rows: pass scoring=metric, a "
                "callable metric(y, prediction, weight), or the name of a scorer of scikit-learn."
            )
    if not estimator._stops_early or given.held_out is not None:
        return given
    if estimator.validation_fraction is not None:
        return given.divided(float(estimator.validation_fraction), seed)
    # The loss of the training rows is known anyway.
    return given if len(metrics) == 1 and needs_loss else given.watching_itself()


def warn_of_constant(rows: TrainingRows) -> None:
    """Warn when all rows have the same target: there is nothing to boost.

    Parameters
    ----------
    rows : TrainingRows
        The rows of positive weight.
    """
    if rows.n_rows == 0 or is_varied(rows):
        return
    classes = rows.outputs.get("classes")
    found = (
        f"y is {float(rows.target[0]):g} in every row"
        if classes is None
        else f"y has one class only, {classes[[rows.target[0]]].tolist()[0]!r}"
    )
    where = "" if rows.kept is None else " among the rows of positive weight"
    warn_at_caller(
        f"{found}{where}: there is nothing to boost, and the model predicts the constant.",
        ConstantTargetWarning,
    )


def is_varied(rows: TrainingRows) -> bool:
    """Tell whether rows have different targets.

    Parameters
    ----------
    rows : TrainingRows
        The rows of positive weight.
    """
    return bool(rows.target.min() < rows.target.max())


def _first(matrix: NDArray[Any], n_columns: int) -> NDArray[Any]:
    return matrix if matrix.shape[1] == n_columns else np.ascontiguousarray(matrix[:, :n_columns])


def _from_start(start: Floats, offset: Floats | None, n_rows: int) -> Floats:
    # One row that stands for all: the rounds copy it, and a million rows would be 8 MB twice.
    return np.broadcast_to(start, (n_rows, len(start))) if offset is None else start + offset
