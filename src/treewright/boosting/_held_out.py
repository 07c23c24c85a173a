"""HeldOut: rows that a booster is watched on, in one set or in several that have names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.boosting._watched_rows import WatchedRows, matrices, watched
from treewright.data import encode_labels, encode_numbers, encode_weights, read_table
from treewright.data.scan import Scan
from treewright.data.table import TableMaker
from treewright.fitting.rows import TrainingRows

__all__ = ["HeldOut", "read_held_out", "read_offset"]

Floats = NDArray[np.float64]
# What sets are called when the user has not named them.
VALIDATION: Final = "validation"
TRAINING: Final = "training"
# Of raw scores: their squares, times any weights, are numbers with all digits.
LARGEST_OFFSET: Final = 1e100


@dataclass(eq=False)
class HeldOut:
    """Rows that a booster is watched on.

    Attributes
    ----------
    rows : ndarray, StreamedTable or tuple of them
        The features, encoded for prediction or read when they are asked for.
    target : ndarray of float64
        Numbers, or positions of classes.
    weights : ndarray of float64 or None
        Weight of each row; None: each counts 1.
    offset : ndarray or None
        Raw scores to start from.
    name : str, default="validation"
        What the set is called.
    parts : tuple of HeldOut
        The sets that these rows are, one after the other; empty when they are one.
    """

    rows: WatchedRows
    target: Floats
    weights: Floats | None
    offset: Floats | None
    name: str = VALIDATION
    parts: tuple[HeldOut, ...] = ()

    @property
    def is_streamed(self) -> bool:
        """Whether rows are read part by part."""
        return not isinstance(self.rows, np.ndarray)

    @property
    def matrix(self) -> NDArray[Any]:
        """The features of all rows, in memory."""
        return self.rows if isinstance(self.rows, np.ndarray) else np.concatenate([*matrices(self.rows)])

    @property
    def shown(self) -> NDArray[Any]:
        """What scorers are shown of the features, which they do not look at: none where they are streamed."""
        return self.rows if isinstance(self.rows, np.ndarray) else np.empty((len(self.target), 0))

    def without_rows(self) -> HeldOut:
        """Return the targets alone, for whoever has the answers."""
        parts = tuple(part.without_rows() for part in self.parts)
        return replace(self, rows=np.empty((len(self.target), 0)), parts=parts)

    @property
    def sets(self) -> tuple[HeldOut, ...]:
        """The sets, at least one."""
        return self.parts or (self,)


def read_held_out(
    owner: str, rows: TrainingRows, outputs: int, X_val: Any, y_val: Any, sample_weight: Any, offset: Any
) -> HeldOut | None:
    """Read the rows that the user set aside, all sets of them.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    rows : TrainingRows
        The training rows, whose columns and classes count.
    outputs : int
        Raw scores of a row.
    X_val, y_val, sample_weight, offset : object
        What the user passed: of one set, or dicts or lists of several.
    """
    if isinstance(X_val, Scan):
        y_val, sample_weight = X_val.targets(y_val, sample_weight)
    if X_val is None and y_val is None:
        if sample_weight is not None or offset is not None:
            raise ValueError("sample_weight_val and offset_val belong to X_val and y_val: pass those, too.")
        return None
    if X_val is None or y_val is None:
        given, lacking = ("y_val", "X_val") if X_val is None else ("X_val", "y_val")
        raise ValueError(f"{given} is provided, but {lacking} was not provided: pass both.")
    names = _names(X_val)
    if names is None:
        return _read_set(owner, rows, outputs, X_val, y_val, sample_weight, offset)
    tables = _by_name(X_val, names, "X_val")
    targets = _by_name(y_val, names, "y_val")
    weights = _by_name(sample_weight, names, "sample_weight_val", may_lack=True)
    offsets = _by_name(offset, names, "offset_val", may_lack=True)
    sets = [
        _read_set(owner, rows, outputs, tables[name], targets[name], weights[name], offsets[name], name)
        for name in names
    ]
    return sets[0] if len(sets) == 1 else _joined(sets)


def _names(X_val: Any) -> list[str] | None:
    """Return the names of several sets; None for one."""
    if isinstance(X_val, Mapping):
        if not X_val:
            raise ValueError("X_val is an empty dict: pass at least one set of rows, or None.")
        wrong = next((name for name in X_val if not isinstance(name, str) or not name), None)
        if wrong is not None:
            raise ValueError(f"The keys of X_val are names of sets, but one is {wrong!r}.")
        return list(X_val)
    # A list of lists is a table, a list of tables is several.
    if isinstance(X_val, list | tuple) and X_val and all(_is_table(one) for one in X_val):
        return [f"{VALIDATION}_{number}" for number in range(len(X_val))]
    return None


def _is_table(value: Any) -> bool:
    if isinstance(value, TableMaker):
        return True
    shape = getattr(value, "shape", None)
    if shape is not None:
        return isinstance(shape, tuple) and len(shape) == 2
    return isinstance(value, list) and bool(value) and all(isinstance(row, list | tuple) for row in value)


def _by_name(given: Any, names: list[str], argument: str, *, may_lack: bool = False) -> dict[str, Any]:
    """Return what belongs to each set."""
    if given is None and may_lack:
        return dict.fromkeys(names)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        lacking = [] if may_lack else [name for name in names if name not in given]
        if unknown or lacking:
            what = f"has {unknown[0]!r}, which X_val has not" if unknown else f"lacks {lacking[0]!r}"
            raise ValueError(f"{argument} {what}; the sets of X_val are {names}.")
        return {name: given.get(name) for name in names}
    if not isinstance(given, list | tuple) or len(given) != len(names):
        raise ValueError(
            f"X_val has the {len(names)} sets {names}: {argument} must be a dict with these names, or a list "
            "with one entry for each."
        )
    return dict(zip(names, given, strict=True))


def _read_set(
    owner: str,
    rows: TrainingRows,
    outputs: int,
    X_val: Any,
    y_val: Any,
    sample_weight: Any,
    offset: Any,
    name: str = VALIDATION,
) -> HeldOut:
    if isinstance(X_val, Scan) and y_val is None:  # one of several sets
        y_val, sample_weight = X_val.targets(y_val, sample_weight)
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
    scores = None if offset is None else read_offset(offset, table.n_rows, outputs, "offset_val")
    keep = weights.keep
    if keep is not None:
        table, target = table.take(keep), target[keep]
        scores = None if scores is None else scores[keep]
    return HeldOut(watched(table), np.ascontiguousarray(target), weights.values, scores, name)


def _joined(sets: list[HeldOut]) -> HeldOut:
    """Return all sets as one, for whoever sends rows down trees."""
    weights = offset = None
    if any(one.weights is not None for one in sets):
        weights = np.concatenate(
            [np.ones(len(one.target)) if one.weights is None else one.weights for one in sets]
        )
    if (outputs := next((one.offset.shape[1] for one in sets if one.offset is not None), None)) is not None:
        offset = np.concatenate(
            [np.zeros((len(one.target), outputs)) if one.offset is None else one.offset for one in sets]
        )
    is_streamed = any(one.is_streamed for one in sets)
    return HeldOut(
        tuple(one.rows for one in sets) if is_streamed else np.concatenate([one.matrix for one in sets]),
        np.concatenate([one.target for one in sets]),
        weights,
        offset,
        parts=tuple(sets),
    )


def read_offset(offset: Any, n_rows: int, outputs: int, name: str = "offset") -> Floats:
    """Return raw scores of rows as an array of shape (n_rows, n_outputs).

    Parameters
    ----------
    offset : array-like
        What the user passed.
    n_rows, outputs : int
        The shape that is wanted.
    name : str, default="offset"
        Name of the argument, for messages.
    """
    array = np.asarray(offset, dtype=np.float64)
    if array.ndim == 1 and outputs == 1:
        array = array[:, np.newaxis]
    if array.shape != (n_rows, outputs):
        wanted = f"({n_rows},)" if outputs == 1 else f"({n_rows}, {outputs})"
        raise ValueError(f"{name} has shape {np.shape(offset)}, expected {wanted}: a raw score for each row.")
    wrong = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(wrong):
        raise ValueError(f"{name} must be finite, but row {int(wrong[0])} has {array[wrong[0]].tolist()}.")
    wrong = np.flatnonzero((np.abs(array) > LARGEST_OFFSET).any(axis=1))
    if len(wrong):
        raise ValueError(
            f"{name} is added to raw scores, whose squares would overflow beyond ±{LARGEST_OFFSET:g}, but "
            f"row {int(wrong[0])} has {array[wrong[0]].tolist()}. Divide y and {name} by a constant."
        )
    return np.ascontiguousarray(array)
