"""Estimators for rows on a Dask cluster: the same parameters, the same models.

What is not said here is said by the estimator of the same name in `treewright`.
"""

from __future__ import annotations

import pickle
from typing import Any, ClassVar, Self

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import config, delayed
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright import algorithms
from treewright.boosting.losses import loss_of
from treewright.dask.collections import client_of, computed, is_collection, names_of, of_each, partitions_of
from treewright.dask.table import DaskRows
from treewright.fitting.estimator import Estimator

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]

DEADLINE = 60.0  # seconds; dask.config.set({"treewright.deadline": …}) says otherwise
COLLECTIONS = (dd.DataFrame, dd.Series, da.Array)


class Distributed(Estimator):
    """What the estimators of this module share: fitting partitions, answers as collections."""

    # Whether workers boost shares of the rows; otherwise they grow trees of a forest from all of them.
    _boosts: ClassVar[bool] = False
    _local: ClassVar[type[Any]]
    client: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from partitions of rows.

        Parameters
        ----------
        X : Dask DataFrame, Dask Array or list of delayed partitions
            The rows.
        y : Dask Series, Dask Array, list of delayed parts or array-like
            The targets, in the order of the rows. They are collected by the client.
        sample_weight : like y, optional
            Weight of each row.
        **fit_params : dict
            As of the estimator of the same name in `treewright`; validation rows may be collections, which
            stay on the workers.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        owner = type(self).__name__
        client = client_of(self.client, owner)
        local = self._unfitted()
        if self._boosts:
            _check_loss(local)
        parts = partitions_of(X, owner)
        if y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
        deadline = float(config.get("treewright.deadline", DEADLINE))
        y, sample_weight = computed(y, client, deadline), computed(sample_weight, client, deadline)
        watched: list[DaskRows] = []

        def streamed(X_val: Any) -> Any:
            if not is_collection(X_val):
                return X_val
            watched.append(DaskRows(client, partitions_of(X_val, owner), names_of(X_val), deadline=deadline))
            return watched[-1]

        if "X_val" in fit_params:
            fit_params["X_val"] = of_each(fit_params["X_val"], streamed)
        fit_params = {
            name: of_each(value, lambda given: computed(given, client, deadline))
            for name, value in fit_params.items()
        }
        # Workers need the loss; functions of a notebook could not even be sent.
        booster = clone(local).set_params(callbacks=None, scoring=None) if self._boosts else None
        rows = DaskRows(
            client,
            parts,
            names_of(X),
            estimator=booster,
            grows_forests=not self._boosts,
            deadline=deadline,
        )
        try:
            local.fit(rows, y, sample_weight, **fit_params)
        finally:
            for some in (rows, *watched):
                some.let_go()
        self._adopt(local.model_)
        return self

    def _unfitted(self) -> Any:
        params = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        return self._local(**params)

    def to_local(self) -> Any:
        """Return the plain estimator with the same model."""
        check_is_fitted(self, "model_")
        return self._local.from_model(self.model_)

    def _kept_params(self) -> dict[str, Any]:
        kept = super()._kept_params()
        kept.pop("client", None)
        return kept

    def _answer(self, method: str, X: Any, options: dict[str, Any]) -> Any:
        """Return what the plain estimator answers; for a collection, one that is not computed yet."""
        local = self.to_local()
        if not isinstance(X, COLLECTIONS):
            return getattr(local, method)(X, **options)
        model = delayed(pickle.dumps(local), pure=True)
        if isinstance(X, da.Array):
            return _array_answers(local, model, method, X, options)
        meta = _meta(local, method, X)
        return X.map_partitions(_frame_answers, model, method, options, meta=meta, enforce_metadata=False)

    def predict(self, X: Any, **options: Any) -> Any:
        """Return the predictions; of a Dask collection as one, with its index.

        Parameters
        ----------
        X : Dask DataFrame, Dask Array, or any table
            The rows.
        **options : dict
            As of the estimator of the same name in `treewright`.
        """
        return self._answer("predict", X, options)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class DistributedClassifier(Distributed):
    """Adds probabilities."""

    def predict_proba(self, X: Any, **options: Any) -> Any:
        """Return the probability of each class; of a Dask collection as one, with its index.

        Parameters
        ----------
        X : Dask DataFrame, Dask Array, or any table
            The rows.
        **options : dict
            As of the estimator of the same name in `treewright`.
        """
        return self._answer("predict_proba", X, options)


def _check_loss(local: Any) -> None:
    """Refuse, before any work, a loss that rows in several processes cannot have."""
    local._validate_params()
    if callable(local.loss):
        raise ValueError(
            "A loss of your own cannot be used on a cluster: it would run on the workers. Use "
            "treewright.scan on one machine."
        )
    if loss_of(local, 2 if local._task == "classification" else None).objective.renews_leaves:
        raise ValueError(
            f"loss={local.loss!r} gives a leaf a value that needs all of its rows, which are on several "
            "workers. Use another loss, or treewright.scan on one machine."
        )


def _frame_answers(part: Any, pickled: bytes, method: str, options: dict[str, Any]) -> Any:
    local = pickle.loads(pickled)
    if len(part) == 0:
        return _meta(local, method, part)
    found = getattr(local, method)(part, **options)
    if found.ndim == 1:
        return pd.Series(found, index=part.index, name="prediction")
    return pd.DataFrame(found, index=part.index, columns=[str(label) for label in local.classes_])


def _meta(local: Any, method: str, X: Any) -> Any:
    index = X.index[:0] if isinstance(X, pd.DataFrame) else X._meta.index
    if method == "predict_proba":
        columns = [str(label) for label in local.classes_]
        return pd.DataFrame(np.empty((0, len(columns))), index=index, columns=columns)
    kind = local.classes_.dtype if hasattr(local, "classes_") else np.dtype(np.float64)
    return pd.Series(np.empty(0, dtype=kind), index=index, name="prediction")


def _block_answers(block: Any, pickled: bytes, method: str, options: dict[str, Any]) -> Any:
    local = pickle.loads(pickled)
    if len(block) == 0:
        width = () if method == "predict" else (len(local.classes_),)
        return np.empty((0, *width))
    return getattr(local, method)(block, **options)


def _array_answers(local: Any, model: Any, method: str, X: Any, options: dict[str, Any]) -> Any:
    whole = X.rechunk({1: -1})
    if method == "predict_proba":
        chunks: Any = (whole.chunks[0], (len(local.classes_),))
        return whole.map_blocks(_block_answers, model, method, options, dtype=np.float64, chunks=chunks)
    kind = local.classes_.dtype if hasattr(local, "classes_") else np.dtype(np.float64)
    return whole.map_blocks(
        _block_answers, model, method, options, dtype=kind, drop_axis=1, chunks=(whole.chunks[0],)
    )


class LeafwiseBoostingClassifier(DistributedClassifier, algorithms.LeafwiseBoostingClassifier):
    """`treewright.LeafwiseBoostingClassifier` on a cluster; `client`: the one to use, or None."""

    _boosts = True
    _local = algorithms.LeafwiseBoostingClassifier

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class LeafwiseBoostingRegressor(Distributed, algorithms.LeafwiseBoostingRegressor):
    """`treewright.LeafwiseBoostingRegressor` on a cluster; `client`: the one to use, or None."""

    _boosts = True
    _local = algorithms.LeafwiseBoostingRegressor

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class NewtonBoostingClassifier(DistributedClassifier, algorithms.NewtonBoostingClassifier):
    """`treewright.NewtonBoostingClassifier` on a cluster; `client`: the one to use, or None."""

    _boosts = True
    _local = algorithms.NewtonBoostingClassifier

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class NewtonBoostingRegressor(Distributed, algorithms.NewtonBoostingRegressor):
    """`treewright.NewtonBoostingRegressor` on a cluster; `client`: the one to use, or None."""

    _boosts = True
    _local = algorithms.NewtonBoostingRegressor

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class RandomForestClassifier(DistributedClassifier, algorithms.RandomForestClassifier):
    """`treewright.RandomForestClassifier` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.RandomForestClassifier

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class RandomForestRegressor(Distributed, algorithms.RandomForestRegressor):
    """`treewright.RandomForestRegressor` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.RandomForestRegressor

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class ExtraTreesClassifier(DistributedClassifier, algorithms.ExtraTreesClassifier):
    """`treewright.ExtraTreesClassifier` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.ExtraTreesClassifier

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class ExtraTreesRegressor(Distributed, algorithms.ExtraTreesRegressor):
    """`treewright.ExtraTreesRegressor` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.ExtraTreesRegressor

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class BaggingClassifier(DistributedClassifier, algorithms.BaggingClassifier):
    """`treewright.BaggingClassifier` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.BaggingClassifier

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client


class BaggingRegressor(Distributed, algorithms.BaggingRegressor):
    """`treewright.BaggingRegressor` on a cluster; `client`: the one to use, or None."""

    _local = algorithms.BaggingRegressor

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client
