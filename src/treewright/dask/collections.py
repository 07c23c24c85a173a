"""Any collection of Dask as partitions of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from dask.delayed import Delayed
from distributed import Client, Future, default_client

from treewright.dask.watching import gathered

__all__ = ["client_of", "computed", "is_collection", "names_of", "of_each", "partitions_of"]


def client_of(client: Client | None, owner: str) -> Client:
    """Return the client to use: the one given, or the one that is there.

    Raises
    ------
    ValueError
        When there is none.
    """
    if client is not None:
        return client
    try:
        return default_client()
    except ValueError:
        raise ValueError(
            f"{owner} needs a client of Dask: make one, distributed.Client(…), or pass client=."
        ) from None


def partitions_of(X: Any, owner: str) -> list[Delayed]:
    """Return the partitions of a collection, none of them computed."""
    if isinstance(X, dd.DataFrame | dd.Series):
        return list(X.to_delayed())
    if isinstance(X, da.Array):
        whole = X.rechunk({axis: -1 for axis in range(1, X.ndim)}) if X.ndim > 1 else X
        return list(whole.to_delayed().ravel())
    if isinstance(X, Delayed | Future):
        return partitions_of([X], owner)
    if isinstance(X, list | tuple) and X and all(isinstance(part, Delayed | Future) for part in X):
        return [part if isinstance(part, Delayed) else delayed(_itself)(part) for part in X]
    raise TypeError(
        f"{owner} takes Dask DataFrames, Dask Arrays or lists of delayed partitions, not {type(X).__name__}. "
        "Rows that are here are fitted by the estimator of the same name in treewright."
    )


def _itself(part: Any) -> Any:
    return part


def is_collection(value: Any) -> bool:
    """Tell whether rows are partitions of Dask."""
    if isinstance(value, list | tuple) and value:
        return all(isinstance(part, Delayed | Future) for part in value)
    return isinstance(value, dd.DataFrame | dd.Series | da.Array | Delayed | Future)


def of_each(given: Any, change: Callable[[Any], Any]) -> Any:
    """Return validation rows, or what belongs to them, changed: of one set, or of each of several."""
    if isinstance(given, Mapping):
        return {name: change(one) for name, one in given.items()}
    if isinstance(given, list | tuple) and any(is_collection(one) for one in given):
        return [change(one) for one in given]
    return change(given)


def names_of(X: Any) -> tuple[str, ...] | None:
    """Return the names of the columns, where they are known without computing; None: none, or unknown."""
    if isinstance(X, dd.DataFrame):
        return tuple(str(name) for name in X.columns)
    return None


def computed(y: Any, client: Client, deadline: float) -> Any:
    """Return a column of all rows in one piece: what `fit` takes as y or sample_weight."""
    if isinstance(y, Future):
        return gathered(client, [y], deadline)[0]
    if isinstance(y, dd.DataFrame | dd.Series | da.Array | Delayed):
        return gathered(client, [client.compute(y)], deadline)[0]
    if isinstance(y, list | tuple) and y and all(isinstance(part, Delayed | Future) for part in y):
        parts = gathered(client, client.compute([delayed(_itself)(part) for part in y]), deadline)
        if all(hasattr(part, "iloc") for part in parts):
            return pd.concat(parts, ignore_index=True)
        return np.concatenate([np.asarray(part) for part in parts])
    return y
