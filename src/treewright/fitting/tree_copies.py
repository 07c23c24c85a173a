"""TreeCopies: copies of any single tree of the library, fitted to weighted rows of one common table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.fitting.rows import TrainingRows, monotone_signs
from treewright.model import Model, Tree

__all__ = ["TreeCopies", "is_plain_cart"]

# What a CART must not do so that the engine can grow it on rows that others have encoded, with the values
# that mean "not".
PLAIN_CART: dict[str, tuple[Any, ...]] = {
    "splitter": ("best",),
    "missing": ("learned", "majority"),
    "prune": (None,),
    "early_stopping": (None,),
    "priors": (None,),
    "class_weight": (None,),
}


def is_plain_cart(template: Any, *classes: type[Any]) -> bool:
    """Tell whether the engine can grow the tree on rows that are encoded once, for all trees.

    Parameters
    ----------
    template : SingleTree
        The tree.
    *classes : type
        The CARTs.
    """
    return type(template) in classes and all(
        getattr(template, name, values[0]) in values for name, values in PLAIN_CART.items()
    )


class TreeCopies:
    """Fits copies of a tree; all see the same columns, categories and classes, whichever rows they get.

    Parameters
    ----------
    template : SingleTree
        The tree.
    rows : TrainingRows
        The rows, prepared.
    y : object
        Their targets as the user has them, so that declared classes stay declared.
    n_jobs : int or None
        Threads for each tree, unless the template says something else.
    """

    def __init__(self, template: Any, rows: TrainingRows, y: Any, n_jobs: int | None) -> None:
        self._template = clone(template)
        if self._template.n_jobs is None:
            _set(self._template, n_jobs=n_jobs)
        self._rows = rows
        self._y = y
        signs = monotone_signs(template.monotonic_cst, rows.schema, rows.n_classes)
        self._signs = None if signs is None else signs.astype(np.int64)

    def grow(
        self, weights: NDArray[np.float64] | None, seed: int, columns: NDArray[np.int64] | None = None
    ) -> Tree:
        """Grow a tree.

        Parameters
        ----------
        weights : ndarray of float64 or None
            Weight of each row; None: each counts 1.
        seed : int
            Of what the tree draws.
        columns : ndarray of int, optional
            The columns that the tree gets; by default all.
        """
        table = self._rows.whole_table
        learner: Any = clone(self._template)
        _set(learner, random_state=seed)
        if columns is not None:
            table = table.select(columns.tolist())
            if self._signs is not None:
                _set(learner, monotonic_cst=self._signs[columns])
        with warnings.catch_warnings():
            # What is odd about the data was said when they were read; what is odd about a bag is chance.
            warnings.simplefilter("ignore", UserWarning)
            model: Model = learner.fit(table, self._y, sample_weight=weights).model_
        return self._in_common_terms(model, columns)

    def _in_common_terms(self, model: Model, columns: NDArray[np.int64] | None) -> Tree:
        """Return a tree in terms of all columns and classes."""
        arrays = model.trees[0].to_arrays()
        if columns is not None:
            for name in [name for name in arrays if name == "feature" or name.endswith("_feature")]:
                feature = arrays[name]
                arrays[name] = np.where(feature < 0, feature, columns[feature]).astype(feature.dtype)
        if model.classes is not None:
            labels: list[Any] = self._rows.outputs["classes"].tolist()
            own = model.classes.tolist()
            if own != labels:
                value = np.zeros((len(arrays["value"]), len(labels)))
                value[:, [labels.index(label) for label in own]] = arrays["value"]
                arrays["value"] = value
        return Tree(arrays, self._rows.schema.n_codes)


def _set(estimator: Any, **params: Any) -> None:
    """Set parameters that the estimator has; a class that a user derived may have others."""
    own = estimator.get_params(deep=False)
    estimator.set_params(**{name: value for name, value in params.items() if name in own})
