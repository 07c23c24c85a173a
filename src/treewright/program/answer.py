"""Answer: from the sums of all trees to numbers, probabilities and the chosen class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.model.link import answers, split_link
from treewright.program.voice import chosen

__all__ = ["Answer", "Calibration"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """What corrects the probabilities of a forest: one curve per class, or one for the second of two.

    Attributes
    ----------
    kind : {"isotonic", "sigmoid"}
        Straight lines between points, or 1 / (1 + exp(-(slope * p + offset))).
    curves : tuple of pairs of tuples of float
        The points (probabilities, corrected ones); or ((slope,), (offset,)).
    """

    kind: Literal["isotonic", "sigmoid"]
    curves: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]

    def __call__(self, shares: Floats) -> Floats:
        """Return corrected probabilities."""
        if not self.curves:
            return shares
        if len(self.curves) == 1:
            second = self._curve(0, shares[:, 1])
            return np.column_stack([1.0 - second, second])
        found = np.column_stack([self._curve(k, shares[:, k]) for k in range(shares.shape[1])])
        total = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1 / found.shape[1])
        corrected: Floats = np.divide(found, total, out=even, where=total > 0)
        return corrected

    def _curve(self, place: int, shares: Floats) -> Floats:
        first, second = self.curves[place]
        if self.kind == "isotonic":
            return np.interp(shares, first, second)
        line = first[0] * shares + second[0]
        curve: Floats = np.exp(-np.logaddexp(0.0, -line))
        return curve


@dataclass(frozen=True, eq=False)
class Answer:
    """From sums to what the model predicts.

    Attributes
    ----------
    classes : tuple or None
        The labels (str, int, float or bool); None where a number is predicted.
    link : str
        What sums become: "identity" the number or the probabilities; "log" e to the sum; "logit" and
        "half_logit" two classes from one sum; "softmax"; "shares" divided by their sum;
        "votes" the softmax of sums divided by the number of classes but one; and all others of
        `treewright.model.link`.
    begin : int
        The sums that the link is about start here; those before are only compared.
    calibration : Calibration or None
        What the probabilities go through then.
    choice : {"sums", "probabilities", "sign"}
        Which class is predicted: the one with the largest sum, the largest probability, or the second of
        two when the only sum is above 0.
    single : bool
        Whether sums are compared in single precision.
    order : tuple of int
        The classes in the order in which the first of equals is chosen; () for their own.
    """

    classes: tuple[Any, ...] | None
    link: str
    begin: int = 0
    calibration: Calibration | None = None
    choice: Literal["sums", "probabilities", "sign"] = "probabilities"
    single: bool = False
    order: tuple[int, ...] = ()

    @property
    def named_link(self) -> tuple[str, float]:
        """The name of the link, and what sums are multiplied with before it."""
        return (self.link, 1.0) if self.link in ("shares", "votes") else split_link(self.link)

    @property
    def n_outputs(self) -> int:
        """Numbers per answer: one per class, or one."""
        return 1 if self.classes is None else len(self.classes)

    def numbers(self, sums: Floats) -> Floats:
        """Return the probability of each class or, in one column, numbers."""
        found = sums[:, self.begin :]
        if self.link == "shares":
            found = found / found.sum(axis=1, keepdims=True)
        elif self.link == "votes":
            powers = np.exp(found / max(1, found.shape[1] - 1))
            found = powers / powers.sum(axis=1, keepdims=True)
        else:
            found = answers(found, self.link)
        return found if self.calibration is None else self.calibration(found)

    def chosen(self, sums: Floats, probabilities: Floats) -> NDArray[np.intp]:
        """Return the place of the predicted class in `classes`."""
        if self.choice == "sign":
            return (sums[:, 0] > 0).astype(np.intp)
        if self.choice == "probabilities":
            return chosen(probabilities, self.single, self.order)
        return chosen(sums[:, : self.n_outputs], self.single, self.order)
