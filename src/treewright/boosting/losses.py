"""Losses: what the rounds make smaller; one table of all of them, with their links to answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright import _core

__all__ = ["LOSSES", "LOSSES_OF_CLASSES", "LOSSES_OF_NUMBERS", "Loss", "LossKind", "loss_of"]

Floats = NDArray[np.float64]
Derivatives = Callable[[Floats, Floats, Floats | None], Any]


@dataclass(frozen=True)
class LossKind:
    """What the library knows about a loss; the engine has it, see `core/objective`.

    Attributes
    ----------
    task : {"classification", "regression"}
        What it is for.
    link : str
        From raw scores to answers, see `treewright.model.link`; for classes that of two.
    several_classes : bool, default=True
        Whether there may be more than two classes.
    score_factor : float, default=1.0
        What its mean is multiplied with to be the score that people know.
    settings : mapping of str to str
        Parameters of the estimator that it needs, by their names in the engine.
    """

    task: str
    link: str
    several_classes: bool = True
    score_factor: float = 1.0
    settings: Mapping[str, str] = field(default_factory=dict)


# Parameters of estimators that a loss needs, by their names in the engine.
SETTINGS: Final = {"quantile": "alpha", "power": "tweedie_power"}

# The engine's table.
LOSSES: Final[Mapping[str, LossKind]] = MappingProxyType(
    {
        loss.name: LossKind(
            task="classification" if loss.of_classes else "regression",
            link=loss.link,
            several_classes=loss.several_classes,
            score_factor=loss.score_factor,
            settings={loss.parameter: SETTINGS[loss.parameter]} if loss.parameter else {},
        )
        for loss in _core.losses()
    }
)
LOSSES_OF_NUMBERS: Final = tuple(name for name, kind in LOSSES.items() if kind.task == "regression")
LOSSES_OF_CLASSES: Final = tuple(name for name, kind in LOSSES.items() if kind.task == "classification")
# Whose shape and link a loss of the user has.
LIKE: Final = {"classification": "log_loss", "regression": "squared_error"}


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

    @property
    def score_factor(self) -> float:
        """What a mean loss is multiplied with to be the score."""
        return LOSSES[self.name].score_factor if self.own is None else 1.0

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
        Has `loss` and the parameters that the loss needs.
    n_classes : int or None
        Number of classes; None for numbers.
    """
    own = params.loss if callable(params.loss) else None
    name = LIKE["regression" if n_classes is None else "classification"] if own else params.loss
    kind = LOSSES[name]
    if n_classes is not None and n_classes > 2 and not kind.several_classes:
        raise ValueError(
            f"loss={name!r} is only suitable for a binary classification, but y has {n_classes} classes: "
            "use loss='log_loss'."
        )
    # Of one class the probability is 1, whatever its score.
    link = "softmax" if n_classes is not None and n_classes != 2 else kind.link
    settings = {
        theirs: float(getattr(params, ours))
        for theirs, ours in kind.settings.items()
        if hasattr(params, ours)
    }
    objective = _core.Objective(name, n_classes or 2, **settings)
    return Loss("custom" if own else name, link, objective, own)
