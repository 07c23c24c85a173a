"""Growing bags of any single tree of the library, one after the other, on a common table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.forests._bags import Bags
from treewright.forests._growing import GrownTrees, Report
from treewright.forests._rows import TrainingRows
from treewright.forests._size import check_trees
from treewright.model import Model, Tree
from treewright.trees._settings import monotone_signs

__all__ = ["AnyTreeGrower", "member_seed"]


def member_seed(bags: Bags, tree: int) -> int:
    """Return the `random_state` of a tree."""
    return int(np.random.SeedSequence([bags.seed, tree]).generate_state(1)[0] >> 1)


class AnyTreeGrower:
    """Fits a copy of an estimator to each bag.

    All copies see the same columns, categories and classes, whether or not their bag has them.

    Parameters
    ----------
    owner : str
        Name of the estimator class, for messages.
    template : estimator
        A single tree of the library.
    rows : TrainingRows
        The rows; their table is changed to what the algorithm sees of it.
    y : object
        Their targets as the user has them, so that declared classes stay declared.
    n_jobs : int or None
        Threads for each tree, unless the template says something else.
    """

    def __init__(self, owner: str, template: Any, rows: TrainingRows, y: Any, n_jobs: int | None) -> None:
        self._owner = owner
        self._template = clone(template)
        if self._template.n_jobs is None:
            _set(self._template, n_jobs=n_jobs)
        self._rows = rows
        self._y = y
        if hasattr(template, "_prepared"):
            read = rows.schema
            rows.table = template._prepared(rows.whole_table)
            rows.schema = rows.table.schema
            template._warn_of_symbols(read, rows.schema)
        signs = monotone_signs(template.monotonic_cst, rows.schema, rows.n_classes)
        self._signs = None if signs is None else signs.astype(np.int64)

    def grow(self, bags: Bags, report: Report | None) -> GrownTrees:
        """Grow the trees of the bags.

        Parameters
        ----------
        bags : Bags
            Which trees, on which rows and columns.
        report : callable or None
            Is told how many trees are done.
        """
        trees: list[Tree] = []
        importances: list[NDArray[np.float64]] = []
        for tree in range(bags.first, bags.last):
            grown = self._tree(bags, tree)
            if not trees:
                check_trees(self._owner, bags.last - bags.first, grown)
            trees.append(grown)
            importances.append(grown.compute_feature_importances())
            if report is not None:
                report(tree + 1 - bags.first)
        return GrownTrees(tuple(trees), np.array(importances))

    def _tree(self, bags: Bags, tree: int) -> Tree:
        table = self._rows.whole_table
        learner: Any = clone(self._template)
        _set(learner, random_state=member_seed(bags, tree))
        weights = self._rows.weights if bags.draws == 0 else bags.counts(tree).astype(np.float64)
        columns = None
        if bags.features:
            columns = bags.columns(tree, len(table.schema.features))
            table = table.select(columns.tolist())
            if self._signs is not None:
                _set(learner, monotonic_cst=self._signs[columns])
        with warnings.catch_warnings():
            # What is odd about the data was said when they were read; what is odd about a bag is chance.
            warnings.simplefilter("ignore", UserWarning)
            model: Model = learner.fit(table, self._y, sample_weight=weights).model_
        return _common(model, self._rows, columns)


def _set(estimator: Any, **params: Any) -> None:
    """Set parameters that the estimator has; a class that a user derived may have others."""
    own = estimator.get_params(deep=False)
    estimator.set_params(**{name: value for name, value in params.items() if name in own})


def _common(model: Model, rows: TrainingRows, columns: NDArray[np.int64] | None) -> Tree:
    """Return the tree of a bag in terms of all columns and classes."""
    arrays = model.trees[0].to_arrays()
    if columns is not None:
        for name in [name for name in arrays if name == "feature" or name.endswith("_feature")]:
            feature = arrays[name]
            arrays[name] = np.where(feature < 0, feature, columns[feature]).astype(feature.dtype)
    if model.classes is not None:
        labels: list[Any] = rows.outputs["classes"].tolist()
        own = model.classes.tolist()
        if own != labels:
            value = np.zeros((len(arrays["value"]), len(labels)))
            value[:, [labels.index(label) for label in own]] = arrays["value"]
            arrays["value"] = value
    return Tree(arrays, rows.schema.n_codes)
