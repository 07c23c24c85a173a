"""The user's own rows and targets as a model knows them: an encoded matrix, class codes or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import encode_labels, encode_numbers, read_table
from treewright.model.model import Model

__all__ = ["encoded_rows", "encoded_target"]


def encoded_rows(model: Model, X: Any) -> NDArray[Any]:
    """Return rows as the engine predicts them: numbers, and codes of categories.

    Parameters
    ----------
    model : Model
        Its schema says what the columns are.
    X : object
        The rows, as `fit` takes them.
    """
    table = read_table(X, estimator_name=model.algorithm, schema=model.schema)
    matrix: NDArray[Any] = np.ascontiguousarray(table.to_matrix())
    return matrix


def encoded_target(model: Model, y: Any, n_rows: int) -> NDArray[Any]:
    """Return the codes of classes, or numbers.

    Parameters
    ----------
    model : Model
        It knows the classes.
    y : object
        The target, as `fit` takes it.
    n_rows : int
        How many there must be.
    """
    if model.classes is None:
        return encode_numbers(y, n_rows, estimator_name=model.algorithm)
    labels = encode_labels(y, n_rows, estimator_name=model.algorithm)
    place = {label: k for k, label in enumerate(model.classes.tolist())}
    unknown = [label for label in labels.classes.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y has the class {unknown[0]!r}, which the model does not know; it knows "
            f"{', '.join(map(repr, list(place)[:10]))}. Pass the y that the model was fitted on."
        )
    new = np.array([place[label] for label in labels.classes.tolist()], dtype=np.int64)
    codes: NDArray[Any] = new[np.asarray(labels.codes, dtype=np.int64)]
    return codes
