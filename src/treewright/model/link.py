"""Links: from the raw scores of a booster to what it answers."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["LINKS", "answers", "probabilities"]

# The logarithm of the odds of the second class, in raw scores.
ODDS: Final = {"logit": 1.0, "half_logit": 2.0}
LINKS: Final = ("identity", "log", "logit", "half_logit", "softmax")


def answers(raw: NDArray[np.float64], link: str) -> NDArray[np.float64]:
    """Return predicted numbers in one column, or the probability of each class.

    Parameters
    ----------
    raw : ndarray of shape (n_rows, n_outputs)
        Raw scores.
    link : {"identity", "log", "logit", "half_logit", "softmax"}
        The score is the number; its logarithm; the logarithm of the odds of the second class, or half of it;
        or the logarithm of each class's probability, up to a constant.
    """
    if link == "identity":
        return raw
    if link == "log":
        # Beyond the largest number the answer is infinite, which is no reason to warn.
        with np.errstate(over="ignore"):
            return np.exp(raw)
    return probabilities(raw, link)


def probabilities(raw: NDArray[np.float64], link: str) -> NDArray[np.float64]:
    """Return the probability of each class.

    Parameters
    ----------
    raw : ndarray of shape (n_rows, n_outputs)
        Raw scores.
    link : {"logit", "half_logit", "softmax"}
        As for `answers`.
    """
    if link == "softmax":
        # A score that is lower by more than the largest number has the share 0.
        with np.errstate(over="ignore"):
            powers: NDArray[np.float64] = np.exp(raw - raw.max(axis=1, keepdims=True))
        powers /= powers.sum(axis=1, keepdims=True)
        return powers
    with np.errstate(over="ignore"):
        scores = raw[:, 0] * ODDS[link]
    # e^−|score| cannot overflow.
    small = np.exp(-np.abs(scores))
    smaller = small / (1.0 + small)
    both = np.empty((len(raw), 2))
    both[:, 1] = np.where(scores > 0, 1.0 - smaller, smaller)
    both[:, 0] = 1.0 - both[:, 1]
    return both
