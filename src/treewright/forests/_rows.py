"""TrainingRows: what a forest learns from, read once: a table, targets and weights without zeros."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema, Table, encode_labels, encode_numbers, encode_weights, read_table
from treewright.data.dataset import Dataset
from treewright.model import Model

__all__ = ["TrainingRows", "read_rows"]


@dataclass(eq=False)
class TrainingRows:
    """The rows of positive weight.

    Attributes
    ----------
    table : Table or None
        The features; None once they are encoded.
    schema : Schema
        Their names, kinds and categories.
    n_rows : int
        Number of rows.
    target : ndarray of int32 or float64
        Position of each row's class in `classes`, or its number.
    outputs : dict
        Task and classes, as `Model` takes them.
    n_rows_read : int
        Rows of X, those of weight 0 included.
    weights : ndarray of float64 or None
        Weight of each row; None: each counts 1.
    kept : ndarray of int or None
        Which rows of X these are; None: all.
    """

    table: Table | None
    schema: Schema
    n_rows: int
    target: NDArray[Any]
    outputs: dict[str, Any]
    n_rows_read: int
    weights: NDArray[np.float64] | None = None
    kept: NDArray[np.int64] | None = None

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for numbers."""
        classes = self.outputs.get("classes")
        return None if classes is None else len(classes)

    @property
    def checksum(self) -> int:
        """A number that two different targets hardly share."""
        return zlib.crc32(self.target.tobytes())

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    def take(
        self, rows: NDArray[np.int64] | None, weights: NDArray[np.float64] | None = None
    ) -> TrainingRows:
        """Return some of the rows (None: all), with their weights."""
        if rows is None:
            return replace(self, weights=weights)
        return replace(
            self,
            table=self.whole_table.take(rows),
            n_rows=len(rows),
            target=self.target[rows],
            weights=weights,
            kept=rows,
        )

    @property
    def whole_table(self) -> Table:
        """The table, which must not have been encoded yet."""
        assert self.table is not None, "the table is read before it is encoded"
        return self.table

    def encode(self, max_bins: int, n_threads: int, *, keep: bool = False) -> Dataset:
        """Return the features as codes and, unless `keep` is set, let go of the table."""
        dataset = self.whole_table.to_dataset(max_bins, n_threads)
        if not keep:
            self.table = None  # while trees grow its columns would only take up memory
        return dataset


def read_rows(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    owner: str,
    task: str,
    class_weight: Any = None,
    categorical_features: Any = "from_dtype",
    model: Model | None = None,
) -> TrainingRows:
    """Read X, y and weights.

    Parameters
    ----------
    X, y, sample_weight : object
        What the user passed.
    owner : str
        Name of the estimator class, for messages.
    task : {"classification", "regression"}
        What is predicted.
    class_weight, categorical_features : object
        The parameters.
    model : Model or None
        A forest that is to have more trees, or whose rows these are: columns, categories and classes must be
        the ones that it knows.
    """
    if model is None:
        table = read_table(X, estimator_name=owner, categorical_features=categorical_features)
    else:
        table = read_table(X, estimator_name=owner, schema=model.schema)
        _check_categories(table, owner)
    if task == "regression":
        target: NDArray[Any] = encode_numbers(y, table.n_rows, estimator_name=owner)
        outputs: dict[str, Any] = {"task": task}
        weights = encode_weights(sample_weight, table.n_rows)
    else:
        labels = encode_labels(y, table.n_rows, estimator_name=owner)
        target = labels.codes if model is None else _known_codes(labels.classes, model)[labels.codes]
        outputs = {"task": task, "classes": labels.classes, "class_order": labels.class_order}
        weights = encode_weights(sample_weight, table.n_rows, labels=labels, class_weight=class_weight)
    if model is not None:
        outputs = {"task": task, "classes": model.classes, "class_order": model.class_order}
    rows = TrainingRows(table, table.schema, table.n_rows, target, outputs, table.n_rows)
    kept = None if weights.keep is None else weights.keep.astype(np.int64)
    return rows.take(kept, weights.values)


def _known_codes(labels: NDArray[Any], model: Model) -> NDArray[np.int32]:
    """Return the position of each label in the classes of the model."""
    known = [] if model.classes is None else model.classes.tolist()
    place = {label: position for position, label in enumerate(known)}
    new = [label for label in labels.tolist() if label not in place]
    if new:
        raise ValueError(
            f"y has the class(es) {new[:5]}, which the fitted forest does not know; its classes are {known}. "
            "Trees can only be added for the same classes: fit anew with warm_start=False."
        )
    return np.array([place[label] for label in labels.tolist()], dtype=np.int32)


def _check_categories(table: Table, owner: str) -> None:
    if table.schema.all_numeric:
        return
    columns = table.columns
    for position, feature in enumerate(table.schema.features):
        if feature.kind != "numeric" and (np.asarray(columns[position]) > feature.n_codes).any():
            raise ValueError(
                f"Column {feature.name!r} has categories that the fitted {owner} does not know. Its trees "
                "can only be added to, or examined, with the categories of its first fit: declare all of "
                "them there (e.g. with a pandas Categorical), or fit anew with warm_start=False."
            )
