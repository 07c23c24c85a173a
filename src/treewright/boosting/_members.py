"""Growing the trees of AdaBoost: CARTs on columns that are encoded once, other trees by their own fit."""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from treewright import _core
from treewright.data import RowWeights
from treewright.forests._any_tree import _common, _set
from treewright.forests._bagging import PLAIN_CART
from treewright.forests._rows import TrainingRows
from treewright.model import Tree
from treewright.trees import CARTClassifier, CARTRegressor
from treewright.trees._base import SingleTree

__all__ = ["MemberGrower", "member_grower", "prepare"]

Floats = NDArray[np.float64]


class MemberGrower(Protocol):
    """Grows a tree on weighted rows."""

    def grow(self, weights: Floats, seed: int) -> Tree:
        """Return the tree."""


class CartMembers:
    """CART trees: the rows are encoded once.

    Parameters
    ----------
    template : CARTClassifier or CARTRegressor
        The tree to grow, without pruning.
    rows : TrainingRows
        The rows; their table is read and stays.
    n_jobs : int or None
        Threads to use, unless the template says something else.
    """

    def __init__(self, template: Any, rows: TrainingRows, n_jobs: int | None) -> None:
        self._rows = rows
        self._n_threads = int(effective_n_jobs(n_jobs if template.n_jobs is None else template.n_jobs))
        self._dataset = rows.encode(template.recipe.max_bins, self._n_threads, keep=True)
        weights = RowWeights(np.ones(rows.n_rows), None)
        self._settings = template._settings(rows.whole_table, weights, rows.n_classes)
        self._recipe = template.recipe
        self._settings["missing"] = template.missing

    def grow(self, weights: Floats, seed: int) -> Tree:
        """Grow a tree.

        Parameters
        ----------
        weights : ndarray of float64
            Positive; 1 on average.
        seed : int
            Of the features that are drawn.
        """
        rows, settings = self._rows, self._settings
        if "seed" in settings:
            settings = {**settings, "seed": seed}
        plan = self._recipe.plan(**settings)
        if rows.n_classes is None:
            arrays = _core.grow_means(self._dataset, rows.target, weights, plan, self._n_threads)
        else:
            arrays = _core.grow_classes(
                self._dataset, rows.target, rows.n_classes, weights, plan, self._n_threads
            )
        return Tree(arrays, rows.schema.n_codes)


class AnyMembers:
    """Copies of any single tree, fitted one after the other.

    Parameters
    ----------
    template : SingleTree
        The tree.
    rows : TrainingRows
        The rows, prepared.
    y : object
        Their targets as the user has them, so that declared classes stay declared.
    n_jobs : int or None
        Threads to use, unless the template says something else.
    """

    def __init__(self, template: Any, rows: TrainingRows, y: Any, n_jobs: int | None) -> None:
        self._template = clone(template)
        if self._template.n_jobs is None:
            _set(self._template, n_jobs=n_jobs)
        self._rows = rows
        self._y = y

    def grow(self, weights: Floats, seed: int) -> Tree:
        """Grow a tree.

        Parameters
        ----------
        weights : ndarray of float64
            Positive; 1 on average.
        seed : int
            Of what the tree draws.
        """
        learner: Any = clone(self._template)
        _set(learner, random_state=seed)
        with warnings.catch_warnings():
            # What is odd about the data was said when they were read.
            warnings.simplefilter("ignore", UserWarning)
            model = learner.fit(self._rows.whole_table, self._y, sample_weight=weights).model_
        return _common(model, self._rows, None)


def prepare(template: Any, rows: TrainingRows) -> None:
    """Change the table to what the trees see of it: to some, each number is a symbol.

    Parameters
    ----------
    template : SingleTree
        The tree.
    rows : TrainingRows
        The rows as they were read.
    """
    if hasattr(template, "_prepared"):
        read = rows.schema
        rows.table = template._prepared(rows.whole_table)
        rows.schema = rows.table.schema
        template._warn_of_symbols(read, rows.schema)


def member_grower(
    template: SingleTree, rows: TrainingRows, y: Any, n_jobs: int | None, drawn: bool
) -> MemberGrower:
    """Return what grows copies of a tree.

    Parameters
    ----------
    template : SingleTree
        The tree.
    rows : TrainingRows
        The rows, prepared.
    y : object
        Their targets as the user has them.
    n_jobs : int or None
        Threads to use, unless the template says something else.
    drawn : bool
        Whether weights may be 0, because rows are drawn.
    """
    own = {name: getattr(template, name, values[0]) for name, values in PLAIN_CART.items()}
    plain = type(template) in (CARTClassifier, CARTRegressor) and not float(template.ccp_alpha)
    if plain and not drawn and all(own[name] in values for name, values in PLAIN_CART.items()):
        return CartMembers(template, rows, n_jobs)
    return AnyMembers(template, rows, y, n_jobs)
