"""BoostRows: what a booster learns from and what it is watched on, read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting.losses import Loss
from treewright.data import encode_labels, encode_numbers, encode_weights, read_table
from treewright.fitting.rows import TrainingRows
from treewright.model import Model

__all__ = [
    "BoostRows",
    "HeldOut",
    "check_classes",
    "check_varied",
    "read_boost_rows",
    "read_held_out",
    "set_aside",
]

Floats = NDArray[np.float64]
NO_VALIDATION = (None, None, None, None)


@dataclass(eq=False)
class HeldOut:
    """Rows that a booster is watched on.

    Attributes
    ----------
    matrix : ndarray
        The features, encoded for prediction.
    target : ndarray of float64
        Numbers, or positions of classes.
    weights : ndarray of float64 or None
        Weight of each row; None: each counts 1.
    offset : ndarray or None
        Raw scores to start from.
    """

    matrix: NDArray[Any]
    target: Floats
    weights: Floats | None
    offset: Floats | None


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
    """

    rows: TrainingRows
    offset: Floats | None = None
    held_out: HeldOut | None = None

    @property
    def target(self) -> Floats:
        """The target as the losses take it."""
        return np.ascontiguousarray(self.rows.target, dtype=np.float64)

    def raw_scores(
        self, start: Floats, earlier: Model | None, n_threads: int
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
        """
        raw = _from_start(start, self.offset, self.rows.n_rows)
        held_out = self.held_out
        watched = None if held_out is None else _from_start(start, held_out.offset, len(held_out.target))
        if earlier is not None:
            raw = earlier.raw_scores(self.rows.whole_table.to_matrix(), n_threads, start=raw)
            if held_out is not None:
                watched = earlier.raw_scores(held_out.matrix, n_threads, start=watched)
        return raw, watched

    def divided(self, share: float, seed: int) -> BoostRows:
        """Set a share of the rows aside, of each class alike."""
        classes = self.rows.outputs.get("classes")
        numbers = np.arange(self.rows.n_rows)
        from sklearn.model_selection import train_test_split  # noqa: PLC0415 - heavy, rarely needed

        learned, watched = train_test_split(
            numbers,
            test_size=share,
            random_state=seed,
            stratify=None if classes is None else self.rows.target,
        )
        learned.sort()
        watched.sort()
        if classes is not None and len(np.unique(self.rows.target[learned])) < len(classes):
            raise ValueError(
                "With validation_fraction set aside, the training rows lack a class: pass X_val and y_val, "
                "or a smaller validation_fraction."
            )
        weights, offset = self.rows.weights, self.offset
        held_out = HeldOut(
            self.rows.whole_table.take(watched).to_matrix(),
            self.target[watched],
            None if weights is None else weights[watched],
            None if offset is None else offset[watched],
        )
        kept = learned if self.rows.kept is None else self.rows.kept[learned]
        rows = self.rows.take(learned, None if weights is None else weights[learned])
        rows.kept = kept
        return BoostRows(rows, None if offset is None else offset[learned], held_out)


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
    if offset is None or rows.n_classes is not None:
        check_varied(owner, rows)
    scores = read_offset(offset, rows.n_rows_read, loss.outputs)
    if scores is not None and rows.kept is not None:
        scores = scores[rows.kept]
    held_out = read_held_out(owner, rows, loss.outputs, *validation)
    if held_out is not None:
        check_target(loss, held_out.target, None, "y_val")
    return BoostRows(rows, scores, held_out)


def read_offset(offset: Any, n_rows: int, outputs: int, name: str = "offset") -> Floats | None:
    """Return raw scores of rows as an array of shape (n_rows, n_outputs).

    Parameters
    ----------
    offset : array-like or None
        What the user passed.
    n_rows, outputs : int
        The shape that is wanted.
    name : str, default="offset"
        Name of the argument, for messages.
    """
    if offset is None:
        return None
    array = np.asarray(offset, dtype=np.float64)
    if array.ndim == 1 and outputs == 1:
        array = array[:, np.newaxis]
    if array.shape != (n_rows, outputs):
        wanted = f"({n_rows},)" if outputs == 1 else f"({n_rows}, {outputs})"
        raise ValueError(f"{name} has shape {np.shape(offset)}, expected {wanted}: a raw score for each row.")
    wrong = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(wrong):
        raise ValueError(f"{name} must be finite, but row {int(wrong[0])} has {array[wrong[0]].tolist()}.")
    return np.ascontiguousarray(array)


def read_held_out(
    owner: str, rows: TrainingRows, outputs: int, X_val: Any, y_val: Any, sample_weight: Any, offset: Any
) -> HeldOut | None:
    """Read the rows that the user set aside.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    rows : TrainingRows
        The training rows, whose columns and classes count.
    outputs : int
        Raw scores of a row.
    X_val, y_val, sample_weight, offset : object
        What the user passed.
    """
    if X_val is None and y_val is None:
        if sample_weight is not None or offset is not None:
            raise ValueError("sample_weight_val and offset_val belong to X_val and y_val: pass those, too.")
        return None
    if X_val is None or y_val is None:
        given, lacking = ("y_val", "X_val") if X_val is None else ("X_val", "y_val")
        raise ValueError(f"{given} was passed without {lacking}.")
    table = read_table(X_val, estimator_name=owner, schema=rows.schema)
    classes = rows.outputs.get("classes")
    if classes is None:
        target = encode_numbers(y_val, table.n_rows, estimator_name=owner)
    else:
        labels = encode_labels(y_val, table.n_rows, estimator_name=owner)
        place = {label: position for position, label in enumerate(classes.tolist())}
        new = [label for label in labels.classes.tolist() if label not in place]
        if new:
            raise ValueError(
                f"y_val has the label(s) {new[:5]}, which y does not have; its classes are "
                f"{classes.tolist()[:20]}."
            )
        target = np.array([place[label] for label in labels.classes.tolist()], dtype=np.float64)[labels.codes]
    weights = encode_weights(sample_weight, table.n_rows)
    scores = read_offset(offset, table.n_rows, outputs, "offset_val")
    keep = weights.keep
    matrix = table.to_matrix()
    if keep is not None:
        matrix, target = matrix[keep], target[keep]
        scores = None if scores is None else scores[keep]
    return HeldOut(matrix, np.ascontiguousarray(target), weights.values, scores)


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


def set_aside(estimator: Any, given: BoostRows, seed: int) -> BoostRows:
    """Return the rows, some of them held out when early stopping needs that.

    Parameters
    ----------
    estimator : object
        The booster.
    given : BoostRows
        The rows of the fit.
    seed : int
        Of the rows that are drawn.
    """
    if callable(getattr(estimator, "loss", None)) and not callable(estimator.scoring):
        if given.held_out is not None or estimator._stops_early:
            raise ValueError(
                "A loss of your own says nothing about the score of validation rows: pass scoring=metric, a "
                "callable metric(y, prediction, weight)."
            )
    if not estimator._stops_early or given.held_out is not None:
        return given
    if estimator.validation_fraction is None:
        if callable(estimator.scoring):
            raise ValueError(
                "early_stopping needs validation data: pass X_val, y_val or validation_fraction > 0."
            )
        return given
    return given.divided(float(estimator.validation_fraction), seed)


def check_classes(rows: TrainingRows) -> None:
    """Raise ValueError when there are several classes in the rows, but not all of them.

    Parameters
    ----------
    rows : TrainingRows
        The rows of positive weight.
    """
    classes = rows.outputs.get("classes")
    if classes is None:
        return
    present = np.unique(rows.target)
    if 1 < len(present) < len(classes):
        absent = [label for i, label in enumerate(classes.tolist()) if i not in present]
        raise ValueError(f"Every class needs rows of positive weight; {absent[:5]} has none.")


def check_varied(owner: str, rows: TrainingRows) -> None:
    """Raise ValueError when all rows have the same target: there would be nothing to boost.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    rows : TrainingRows
        The rows of positive weight.
    """
    classes = rows.outputs.get("classes")
    if rows.n_rows == 0 or rows.target.min() < rows.target.max():
        return
    if classes is not None:
        only = classes[[rows.target[0]]].tolist()
        raise ValueError(f"{owner} needs at least two classes, but y has one class only: {only}.")
    raise ValueError(
        f"{owner} needs a target that varies, but y is {float(rows.target[0]):g} in every row "
        f"(n_samples={rows.n_rows}): there is nothing to boost. A single tree, or scikit-learn's "
        "DummyRegressor, would predict the constant."
    )


def _from_start(start: Floats, offset: Floats | None, n_rows: int) -> Floats:
    # One row that stands for all: the rounds copy it, and a million rows would be 8 MB twice.
    return np.broadcast_to(start, (n_rows, len(start))) if offset is None else start + offset
