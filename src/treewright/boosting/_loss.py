"""Loss: what the rounds make smaller, with the link from raw scores to answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright import _core

__all__ = ["LOSSES_OF_CLASSES", "LOSSES_OF_NUMBERS", "Loss", "loss_of"]

LOSSES_OF_NUMBERS: Final = (
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
)
LOSSES_OF_CLASSES: Final = ("log_loss", "exponential")
LOG_LINKED: Final = ("poisson", "gamma", "tweedie")

Floats = NDArray[np.float64]
Derivatives = Callable[[Floats, Floats, Floats | None], Any]


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss for one target.

    Attributes
    ----------
    name : str
        Its word, or "custom".
    link : str
        From raw scores to answers, see `treewright.model.link`.
    objective : _core.Objective
        The native form; of a custom loss only the number of outputs counts.
    own : callable or None
        The user's function.
    """

    name: str
    link: str
    objective: _core.Objective
    own: Derivatives | None = None

    @property
    def outputs(self) -> int:
        """Raw scores of a row, and trees per round."""
        return int(self.objective.outputs)

    def start(self, y: Floats, weights: Floats | None, offset: Floats | None, init: str | None) -> Floats:
        """Return the raw scores before the first round."""
        if init == "zero" or self.own is not None:
            return np.zeros(self.outputs)
        found: Floats = self.objective.start(y, weights, offset)
        return found

    def gradients(
        self, y: Floats, weights: Floats | None
    ) -> Callable[[Floats], tuple[Floats, Floats]] | None:
        """Return the user's function as the native core calls it: from raw scores alone, with checks."""
        if self.own is None:
            return None
        own, shape = self.own, (len(y), self.outputs)
        name = getattr(own, "__name__", type(own).__name__)

        def checked(raw: Floats) -> tuple[Floats, Floats]:
            given = raw[:, 0] if self.outputs == 1 else raw
            result = own(y, given, weights)
            if not isinstance(result, tuple | list) or len(result) != 2:
                raise ValueError(
                    f"The loss {name!r} must return two arrays, first and second derivatives. It returned "
                    f"{type(result).__name__}."
                )
            arrays = []
            for word, values in zip(("first", "second"), result, strict=True):
                array = np.asarray(values, dtype=np.float64)
                if array.shape != given.shape:
                    raise ValueError(
                        f"The {word} derivatives of the loss {name!r} have shape {array.shape}, expected "
                        f"{given.shape}, that of the raw scores."
                    )
                wrong = np.flatnonzero(~np.isfinite(array).reshape(len(y), -1).all(axis=1))
                if len(wrong):
                    raise ValueError(
                        f"The {word} derivatives of the loss {name!r} are not finite: row {int(wrong[0])} "
                        f"has {array[wrong[0]]}."
                    )
                arrays.append(array.reshape(shape))
            if (arrays[1] < 0).any():
                raise ValueError(f"The second derivatives of the loss {name!r} must not be negative.")
            return arrays[0], arrays[1]

        return checked


def loss_of(params: Any, n_classes: int | None) -> Loss:
    """Return the loss that the parameters of an estimator name.

    Parameters
    ----------
    params : object
        Has `loss` and, where the loss needs them, `alpha` and `tweedie_power`.
    n_classes : int or None
        Number of classes; None for numbers.
    """
    name = params.loss
    if callable(name):
        objective = _core.Objective("log_loss" if n_classes else "squared_error", n_classes or 2)
        return Loss(
            "custom", _class_link("log_loss", n_classes) if n_classes else "identity", objective, name
        )
    if n_classes is None:
        power, quantile = getattr(params, "tweedie_power", 1.5), getattr(params, "alpha", 0.5)
        objective = _core.Objective(name, quantile=float(quantile), power=float(power))
        return Loss(name, "log" if name in LOG_LINKED else "identity", objective)
    if name == "exponential" and n_classes > 2:
        raise ValueError(
            f"loss='exponential' is for two classes, but y has {n_classes} classes: use loss='log_loss'."
        )
    return Loss(name, _class_link(name, n_classes), _core.Objective(name, n_classes))


def _class_link(name: str, n_classes: int) -> str:
    if n_classes > 2:
        return "softmax"
    return "half_logit" if name == "exponential" else "logit"
