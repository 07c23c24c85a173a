"""Keys of rows: numbers that follow from what a row holds, wherever it stands and whoever has read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Array
from treewright.data.schema import Feature

__all__ = ["mixed", "row_keys"]

Keys = NDArray[np.uint64]

# The steps of splitmix64 (Steele, Lea, Flood 2014).
STEP: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND: Final = np.uint64(0x94D049BB133111EB)


def mixed(values: Keys) -> Keys:
    """Return numbers without a pattern, each from one of `values`.

    Parameters
    ----------
    values : ndarray of uint64
        Any numbers.
    """
    with np.errstate(over="ignore"):
        z = values + STEP
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
    return np.asarray(z ^ (z >> np.uint64(31)))


def _category_words(feature: Feature) -> Keys:
    """Return a word for each code, by the category itself: codes follow the order in which rows came."""
    words = ["missing", *(f"{type(value).__name__} {value}" for value in feature.categories or ()), "unseen"]
    digests = b"".join(
        blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def row_keys(columns: Iterable[Array], features: Sequence[Feature], n_rows: int) -> Keys:
    """Return a key for each row. The order of the columns does not matter.

    Parameters
    ----------
    columns : iterable of ndarray
        One array per feature: numbers, or codes.
    features : sequence of Feature
        What they are.
    n_rows : int
        Number of rows.
    """
    keys = np.zeros(n_rows, dtype=np.uint64)
    for column, feature in zip(columns, features, strict=True):
        if feature.kind == "numeric":
            numbers = np.asarray(column, dtype=np.float64) + 0.0  # -0.0 is 0.0
            numbers[np.isnan(numbers)] = np.nan
            words = numbers.view(np.uint64)
        else:
            words = _category_words(feature)[np.minimum(column, feature.n_codes + 1)]
        with np.errstate(over="ignore"):
            keys += mixed(words)
    return keys
