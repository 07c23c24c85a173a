"""Links: from the raw scores of a booster to what it answers.

A name, and for ``logit`` and ``one_vs_rest`` a factor behind a colon where it is not 1: ``logit:0.5``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["LINKS", "answers", "link_outputs", "probabilities", "split_link"]

Floats = NDArray[np.float64]

NUMBER_LINKS: Final = ("identity", "log", "sigmoid", "square", "softplus", "step")
CLASS_LINKS: Final = ("logit", "half_logit", "softmax", "one_vs_rest")
LINKS: Final = (*NUMBER_LINKS, *CLASS_LINKS)
# Scores may be multiplied with a number of their own.
SCALED: Final = ("logit", "one_vs_rest")


def split_link(link: str) -> tuple[str, float]:
    """Return the name of a link and what scores are multiplied with first; ValueError when there is none.

    Parameters
    ----------
    link : str
        One of `LINKS`, or ``logit`` or ``one_vs_rest`` with a factor above 0.

    Examples
    --------
    >>> from treewright.model.link import split_link
    >>> split_link("half_logit"), split_link("logit:0.5")
    (('logit', 2.0), ('logit', 0.5))
    """
    name, colon, factor = link.partition(":")
    if name == "half_logit" and not colon:
        return "logit", 2.0
    if name not in LINKS or (colon and name not in SCALED):
        raise ValueError(f"there is no link {link[:40]!r}")
    if not colon:
        return name, 1.0
    try:
        number = float(factor)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"there is no link {link[:40]!r}")
    return name, number


def link_outputs(link: object, n_classes: int | None) -> int | None:
    """Return how many raw scores a link takes for so many classes; None when it does not serve them.

    Parameters
    ----------
    link : object
        What a file says.
    n_classes : int or None
        The classes; None for numbers.
    """
    try:
        name = split_link(link)[0] if isinstance(link, str) else ""
    except ValueError:
        return None
    if n_classes is None:
        return 1 if name in NUMBER_LINKS else None
    if name == "logit":
        return 1 if n_classes == 2 else None
    return n_classes if name in ("softmax", "one_vs_rest") else None


def answers(raw: Floats, link: str) -> Floats:
    """Return predicted numbers in one column, or the probability of each class.

    Parameters
    ----------
    raw : ndarray of shape (n_rows, n_outputs)
        Raw scores.
    link : str
        ``identity``: the score is the number; ``log``: its logarithm; ``logit``: the logarithm of the odds of
        the second class, ``half_logit``: half of it; ``softmax``: the logarithm of each class's probability,
        up to a constant. Of imported models also: ``sigmoid``, the logarithm of the odds of a share;
        ``square``, the root of the number, with its sign; ``softplus``, the number is log(1 + e^score);
        ``step``, 1 above 0 and otherwise 0; ``one_vs_rest``, of each class the logarithm of its own odds.
    """
    if link == "identity":
        return raw
    # Beyond the largest number the answer is infinite, which is no reason to warn.
    with np.errstate(over="ignore"):
        if link == "log":
            return np.exp(raw)
        if link == "square":
            return np.sign(raw) * raw * raw
        if link == "softplus":
            return np.logaddexp(0.0, raw)
    if link == "step":
        return (raw > 0).astype(np.float64)
    return _shares(raw) if link == "sigmoid" else probabilities(raw, link)


def probabilities(raw: Floats, link: str) -> Floats:
    """Return the probability of each class.

    Parameters
    ----------
    raw : ndarray of shape (n_rows, n_outputs)
        Raw scores.
    link : str
        ``logit``, ``half_logit``, ``softmax`` or ``one_vs_rest``, as for `answers`.
    """
    name, factor = split_link(link)
    if name == "softmax":
        # A score that is lower by more than the largest number has the share 0.
        with np.errstate(over="ignore"):
            powers: Floats = np.exp(raw - raw.max(axis=1, keepdims=True))
        powers /= powers.sum(axis=1, keepdims=True)
        return powers
    with np.errstate(over="ignore"):
        scores = raw * factor
    if name == "one_vs_rest":
        return _shares(scores)
    both = np.empty((len(raw), 2))
    both[:, 1] = _shares(scores[:, 0])
    both[:, 0] = 1.0 - both[:, 1]
    return both


def _shares(scores: Floats) -> Floats:
    """Return 1 / (1 + e^−score)."""
    # e^−|score| cannot overflow.
    small = np.exp(-np.abs(scores))
    smaller = small / (1.0 + small)
    return np.where(scores > 0, 1.0 - smaller, smaller)
