"""Voice: what a tree says about classes, when that is not its class shares themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.model.weighted import class_votes

__all__ = ["Voice"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Voice:
    """How the class shares of a tree count.

    Attributes
    ----------
    kind : {"shares", "choice", "logs"}
        Shares divided by their sum; `right` for the most probable class and `wrong` for the others; or
        ``right * (log(share) - mean of the logs)``, shares at least 2**-52 (SAMME.R).
    right, wrong : float
        As `kind` says.
    single : bool
        Whether classes are compared in single precision.
    order : tuple of int
        The classes in the order in which the first of equals is chosen; () for their own.
    """

    kind: Literal["shares", "choice", "logs"]
    right: float = 1.0
    wrong: float = 0.0
    single: bool = False
    order: tuple[int, ...] = ()

    def __call__(self, shares: Floats) -> Floats:
        """Return what rows of class shares count."""
        if self.kind == "shares":
            found: Floats = shares / shares.sum(axis=1, keepdims=True)
            return found
        if self.kind == "logs":
            return class_votes(shares, self.right / max(1, shares.shape[1] - 1), real=True)
        counted = np.full(shares.shape, self.wrong)
        counted[np.arange(len(shares)), chosen(shares, self.single, self.order)] = self.right
        return counted


def chosen(scores: Floats, single: bool = False, order: tuple[int, ...] = ()) -> NDArray[np.intp]:
    """Return the place of the largest score of each row, the first in `order` among equals."""
    compared = scores.astype(np.float32) if single else scores
    if not order:
        return np.asarray(compared.argmax(axis=1), dtype=np.intp)
    ordered = np.array(order, dtype=np.intp)
    best: NDArray[np.intp] = ordered[compared[:, ordered].argmax(axis=1)]
    return best
