"""GridAxis: the values that one feature takes, as people read them and as the engine does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count, check_list, is_number
from treewright.data import Feature
from treewright.model.feature_index import feature_index

__all__ = ["GridAxis", "axis_of", "deciles_of", "read_features", "shown_values"]

Floats = NDArray[np.float64]
TINY = 1e-35  # numbers that some imported models call zero, and zero missing


@dataclass(frozen=True, eq=False)
class GridAxis:
    """One feature and the values that it takes.

    Attributes
    ----------
    index : int
        Its column.
    name : str
        Its name.
    values : tuple
        The values: numbers, categories, None for missing.
    places : ndarray of float
        The same without repetition as the engine wants them: numbers or codes, ascending, NaN last.
    order : ndarray of int
        Where each of the values stands among the places.
    deciles : tuple of float
        Those of the rows, for a number; otherwise empty.
    is_number : bool
        Whether it is a number and no category.
    """

    index: int
    name: str
    values: tuple[Any, ...]
    places: Floats
    order: NDArray[np.intp]
    deciles: tuple[float, ...]
    is_number: bool


def read_features(features: Any, names: Sequence[str]) -> list[int]:
    """Return the columns of one or two features.

    Parameters
    ----------
    features : str, int, or list of one or two of them
        What the user passed.
    names : sequence of str
        Names of all columns.
    """
    given = [features] if isinstance(features, str) or hasattr(features, "__index__") else features
    check_list("features", given, "one or two features")
    columns = [feature_index(feature, names) for feature in given]
    if not 1 <= len(columns) <= 2:
        raise ValueError(f"features must be one feature or a pair of them, got {len(columns)}.")
    if len(set(columns)) < len(columns):
        raise ValueError(f"features must be two different ones, got {names[columns[0]]!r} twice.")
    return columns


def axis_of(
    feature: Feature,
    index: int,
    name: str,
    column: NDArray[Any] | None,
    *,
    values: Any = None,
    resolution: int = 100,
    percentiles: Any = (0.05, 0.95),
    dtype: Any = np.float64,
) -> GridAxis:
    """Return the values of an axis: given ones, or by the values of the rows as scikit-learn chooses them.

    Parameters
    ----------
    feature : Feature
        What the model knows of the column.
    index : int
        The column.
    name : str
        Its name.
    column : ndarray or None
        The encoded values of the rows; None without rows.
    values : array-like, optional
        The values to take.
    resolution : int, default=100
        How many values, where the rows have more.
    percentiles : pair of float, default=(0.05, 0.95)
        Between which quantiles of the rows they are spread then.
    dtype : dtype, default=float64
        In which precision the rows have numbers.
    """
    if values is not None:
        numbers = _given(feature, name, values, dtype)
    elif column is None:
        raise ValueError(f"There are no rows to choose values of {name!r} from: pass X, or values=.")
    else:
        numbers = _chosen(feature, name, column, resolution, percentiles, dtype)
    places, order = np.unique(numbers, return_inverse=True)
    return GridAxis(
        index,
        name,
        shown_values(feature, numbers),
        places.astype(np.float64),
        order.reshape(-1),
        () if column is None else deciles_of(feature, column),
        feature.kind == "numeric",
    )


def deciles_of(feature: Feature, column: NDArray[Any]) -> tuple[float, ...]:
    """Return the deciles of the values of a number; nothing of categories."""
    known = column[np.isfinite(column)].astype(np.float64)
    if feature.kind != "numeric" or not len(known):
        return ()
    return tuple(np.quantile(known, np.arange(1, 10) / 10).tolist())


def shown_values(feature: Feature, numbers: Floats) -> tuple[Any, ...]:
    """Return encoded values of a feature as people read them; None where one is missing."""
    if feature.kind == "numeric":
        return tuple(None if np.isnan(number) else float(number) for number in numbers)
    labels = feature.categories or ()
    mixed = len({type(label) for label in labels}) > 1
    shown = [str(label) if mixed else label for label in labels]
    return tuple(None if np.isnan(code) else shown[int(code) - 1] for code in numbers)


def _given(feature: Feature, name: str, values: Any, dtype: Any) -> Floats:
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"values of {name!r} must be a list of values, got {values!r:.80}.")
    listed = list(values)
    if not listed:
        raise ValueError(f"values of {name!r} are none: pass at least one.")
    found = np.empty(len(listed))
    for place, value in enumerate(listed):
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or value != value:
            found[place] = np.nan
        elif feature.kind == "numeric":
            if not is_number(value) and not isinstance(value, bool):
                raise ValueError(f"{name!r} is a number, and {value!r:.80} among its values is none.")
            found[place] = float(value)
        elif value in feature.index:
            found[place] = feature.index[value]
        else:
            known = ", ".join(map(repr, (feature.categories or ())[:8]))
            raise ValueError(f"{value!r:.80} is no category of {name!r} that fit has seen: {known}.")
    return _as_compared(feature, found, dtype)


def _as_compared(feature: Feature, numbers: Floats, dtype: Any) -> Floats:
    """Return numbers as the rows would hold them."""
    if feature.kind != "numeric":
        return numbers
    with np.errstate(over="ignore"):
        held: Floats = numbers.astype(dtype).astype(np.float64)
    if feature.zero_is_missing:
        held[np.abs(held) <= TINY] = np.nan
    return held


def _chosen(
    feature: Feature, name: str, column: NDArray[Any], resolution: int, percentiles: Any, dtype: Any
) -> Floats:
    check_count("grid_resolution", resolution, 2)
    missing = np.isnan(column)
    known = np.unique(column[~missing]).astype(np.float64)
    end = [np.nan] if missing.any() else []
    if feature.kind != "numeric":
        seen = known[(known >= 1) & (known <= feature.n_codes)]
        if not len(seen) and not end:
            raise ValueError(f"The rows have no category of {name!r} that fit has seen: pass values=.")
        return np.array([*seen, *end])
    if len(known) >= resolution:
        low, high = _quantiles(np.sort(column[~missing]).astype(np.float64), _shares(percentiles))
        if np.isfinite(high - low) and not np.isclose(low, high):
            known = np.linspace(low, high, resolution)
        else:  # nearly all rows have one value: some of those that occur
            known = known[np.linspace(0, len(known) - 1, resolution).astype(np.intp)]
    if not len(known) and not end:
        raise ValueError("X has no rows: the values of the grid come from them. Pass values= instead.")
    return _as_compared(feature, np.array([*known, *end]), dtype)


def _shares(percentiles: Any) -> tuple[float, float]:
    try:
        low, high = (float(share) for share in percentiles)
    except (TypeError, ValueError):
        raise TypeError(f"percentiles must be a pair of shares, got {percentiles!r:.80}.") from None
    if not 0 <= low < high <= 1:
        raise ValueError(f"percentiles must be shares from 0 to 1, the lower one first, got {(low, high)}.")
    return low, high


def _quantiles(ordered: Floats, shares: tuple[float, float]) -> list[float]:
    """Return quantiles by Cunnane's rule, which scipy's mquantiles and so scikit-learn's grids follow."""
    n = len(ordered)
    found = []
    for share in shares:
        place = n * share + 0.4 + 0.2 * share
        below = int(np.clip(np.floor(place), 1, n - 1)) if n > 1 else 1
        part = float(np.clip(place - below, 0.0, 1.0))
        found.append(float((1 - part) * ordered[below - 1] + part * ordered[min(below, n - 1)]))
    return found
