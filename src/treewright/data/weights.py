"""Row weights: sample weights, class weights and priors become one float64 per row, without zeros."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.array import as_array
from treewright.data.column import Array, examples
from treewright.data.dataframe import to_series
from treewright.data.target import Labels

Floats = NDArray[np.float64]

# Ensembles keep the weight of a node in single precision; within these bounds that stays a number, for as
# many rows as there can be, and so does everything that criteria make of it.
SMALLEST, LARGEST = 1e-30, 1e28


@dataclass(frozen=True, slots=True)
class RowWeights:
    """The weights to grow with.

    Attributes
    ----------
    values : ndarray of float64 or None
        One positive weight per kept row; None when every weight is 1.
    keep : ndarray of int or None
        The rows of positive weight, to be taken from X and y before anything is encoded; None when all are.
    """

    values: Floats | None
    keep: NDArray[np.intp] | None


_UNIT = RowWeights(None, None)


def encode_weights(
    sample_weight: Any,
    n_rows: int,
    *,
    labels: Labels | None = None,
    class_weight: Any = None,
    priors: Any = None,
) -> RowWeights:
    """Fold all weights into one per row.

    Parameters
    ----------
    sample_weight : array-like of length n_rows, number or None
        The user's weights.
    n_rows : int
        Number of rows of X.
    labels : Labels or None, default=None
        The classes; needed by the two parameters below.
    class_weight : mapping of label to weight, "balanced" or None, default=None
        Factor per class; labels not listed count 1. "balanced": every class gets the same total weight. The
        classes are counted with their sample weights, so that a weight of 2 equals the row twice.
    priors : mapping of label to share, array-like aligned with the classes, or None, default=None
        The classes' shares of the total weight (Breiman et al. 1984, section 4.4), applied before
        `class_weight`.
    """
    if sample_weight is None and class_weight is None and priors is None:
        return _UNIT
    weights = _sample_weights(sample_weight, n_rows)
    if labels is not None and (class_weight is not None or priors is not None):
        weights = weights * _class_factors(labels, weights, class_weight, priors)[labels.codes]
    keep = None
    if not weights.all():
        keep = np.flatnonzero(weights)
        if keep.size == 0:
            raise ValueError(
                "Sample weights must contain at least one non-zero number: every row has weight zero."
            )
        weights = weights[keep]
    lightest, heaviest = float(weights.min()), float(weights.max())
    if lightest < SMALLEST or heaviest > LARGEST:
        shown = heaviest if heaviest > LARGEST else lightest
        raise ValueError(
            f"A row has weight {shown:.3g}, but sums of weights would overflow or vanish beyond "
            f"{SMALLEST:g} and {LARGEST:g}. Divide the weights by their mean."
        )
    if np.all(weights == 1.0):
        return RowWeights(None, keep)
    return RowWeights(weights, keep)


def _sample_weights(sample_weight: Any, n_rows: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, numbers.Real):
        weights = np.full(n_rows, _floats(sample_weight, "sample_weight"))
    else:
        series = None if isinstance(sample_weight, np.ndarray | list | tuple) else to_series(sample_weight)
        given = as_array(sample_weight if series is None else series.to_numpy(), "sample_weight")
        if isinstance(sample_weight, np.ndarray) and sample_weight.ndim == 0:
            raise TypeError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
                f"`{sample_weight.astype(float)!r}` instead. Pass one weight per row, or a number."
            )
        if given.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{given}\n")
        weights = np.ascontiguousarray(_floats(given, "sample_weight"))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {n_rows}."
        )
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    if np.isnan(weights).any():
        raise ValueError("Input sample_weight contains NaN.")
    if np.isinf(weights).any():
        raise ValueError(f"Input sample_weight contains infinity or a value too large for {weights.dtype!r}.")
    if weights.min(initial=0.0) < 0:
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number: every row has weight zero."
        )
    return weights


def _floats(values: Any, what: str) -> Floats:
    """Return numbers as float64, with the name of the parameter when they are none."""
    array = np.asarray(values)
    if array.dtype.kind in "fiubO":
        try:
            return array.astype(np.float64)
        except OverflowError as error:
            raise ValueError(f"{what} holds a number that is too large for float64.") from error
        except (TypeError, ValueError):
            pass
    shown = examples(list(values) if isinstance(values, list | tuple) else array.ravel().tolist())
    raise ValueError(f"{what} must hold numbers. Got {shown}.")


def _class_factors(labels: Labels, weights: Floats, class_weight: Any, priors: Any) -> Floats:
    """Return the factor of each class."""
    totals = np.bincount(labels.codes, weights=weights, minlength=len(labels.classes))
    present = totals > 0  # a class all of whose rows have weight 0 is absent
    factors = np.ones(len(totals))
    if priors is not None:
        shares = _shares(priors, labels.classes)
        for label, share, total in zip(
            labels.classes.tolist(), shares.tolist(), totals.tolist(), strict=True
        ):
            if share > 0 and total == 0:
                raise ValueError(
                    f"priors gives the class {label!r} a share, but all its rows have weight zero."
                )
        factors[present] = shares[present] * totals.sum() / totals[present]
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f'class_weight must be "balanced", a dict or None. Got {class_weight!r} instead.'
            )
        if priors is not None:
            raise ValueError(
                'class_weight="balanced" and priors both set the shares of the classes: pass only one.'
            )
        factors[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    elif class_weight is not None:
        factors = factors * _listed_weights(class_weight, labels.classes)
    return factors


def _listed_weights(class_weight: Any, classes: Array) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be "balanced", a dict or None. Got {class_weight!r} instead.')
    names = classes.tolist()
    # scikit-learn's rule: unlisted classes count 1, but a listed class that does not exist hints at a
    # mistake.
    unlisted = [name for name in names if name not in class_weight]
    if unlisted and len(names) - len(unlisted) != len(class_weight):
        raise ValueError(f"The classes, {unlisted}, are not in class_weight")
    factors = _floats([class_weight.get(name, 1.0) for name in names], "class_weight")
    if not np.all(np.isfinite(factors)) or np.any(factors < 0):
        raise ValueError(
            f"class_weight must hold finite numbers that are not negative. Got {class_weight!r}."
        )
    return factors


def _shares(priors: Any, classes: Array) -> Floats:
    names = classes.tolist()
    if isinstance(priors, Mapping):
        if set(priors) != set(names):
            raise ValueError(
                f"priors must have exactly one entry per class. Got {list(priors)}; the classes are {names}."
            )
        shares = _floats([priors[name] for name in names], "priors")
    else:
        shares = _floats(priors, "priors")
        if shares.shape != (len(names),):
            raise ValueError(
                f"priors must hold one share per class, in the order {names}. Got an array of shape "
                f"{shares.shape}."
            )
    if not np.all(np.isfinite(shares)) or np.any(shares < 0) or abs(shares.sum() - 1.0) > 1e-6:
        raise ValueError(f"priors must not be negative and must sum to 1. Got {priors!r}.")
    normalised: Floats = shares / shares.sum()
    return normalised
