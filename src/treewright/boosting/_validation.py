"""Validation: scores of validation rows as a model keeps them: every set by every metric after each round."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.model import Model
from treewright.model.facts import ValidationFacts

__all__ = ["Validation", "adopt_validation", "check_validation", "joined"]

Floats = NDArray[np.float64]
# The array of a model with the scores that early stopping goes by, and that with all of them, metric after
# metric of each set.
FIRST: Final = "validation_score"
ALL: Final = "validation_scores"
# Who made a file that does not say it had one set and, as far as anybody knows, the loss.
UNNAMED: Final = {"sets": ["validation"], "metrics": ["loss"]}


class Validation(NamedTuple):
    """Scores of validation rows.

    `scores` has the shape (n_sets, n_metrics, n_rounds); early stopping goes by the first metric of the first
    set.
    """

    sets: list[str]
    metrics: list[str]
    scores: Floats

    @property
    def arrays(self) -> dict[str, Floats]:
        """The arrays of a model."""
        if not self.scores.shape[2]:
            return {}
        first = {FIRST: self.scores[0, 0].copy()}
        return (
            first
            if self.scores[..., 0].size == 1
            else {**first, ALL: self.scores.reshape(-1, self.scores.shape[2])}
        )

    @property
    def fact(self) -> dict[str, Any] | None:
        """The names, for the facts of a model."""
        return {"sets": self.sets, "metrics": self.metrics} if self.scores.shape[2] else None

    def of(self, name: str, metric: str) -> Floats | None:
        """Return the scores of one set by one metric; None when it has none."""
        if name not in self.sets or metric not in self.metrics:
            return None
        found: Floats = self.scores[self.sets.index(name), self.metrics.index(metric)]
        return found

    @classmethod
    def of_model(cls, model: Model) -> Validation | None:
        """Return the scores that a model keeps; ValueError when they cannot be."""
        first = model.arrays.get(FIRST)
        if first is None:
            return None
        names = ValidationFacts.of(model).validation or UNNAMED
        scores = model.arrays.get(ALL, first[np.newaxis])
        shape = (len(names["sets"]), len(names["metrics"]), len(first))
        if scores.dtype != np.float64 or scores.shape != (shape[0] * shape[1], shape[2]):
            raise ValueError("its validation scores are not those of its sets and metrics")
        return cls(names["sets"], names["metrics"], scores.reshape(shape))


def joined(earlier: Model | None, found: Validation | None) -> Validation | None:
    """Return the scores of a fit after those of the rounds that it was added to.

    Parameters
    ----------
    earlier : Model or None
        The model that rounds were added to.
    found : Validation or None
        Scores of this fit; None: nobody was watching.
    """
    before = None if earlier is None else Validation.of_model(earlier)
    if before is None or found is None:
        return found or before
    # Of sets and metrics that are new nobody knows what earlier rounds did.
    unknown = np.full(before.scores.shape[2], np.nan)
    scores = [
        [
            np.concatenate([unknown if (known := before.of(one, metric)) is None else known, now])
            for metric, now in zip(found.metrics, of_set, strict=True)
        ]
        for one, of_set in zip(found.sets, found.scores, strict=True)
    ]
    return Validation(found.sets, found.metrics, np.array(scores))


def adopt_validation(estimator: Any, model: Model) -> None:
    """Set the attributes that show the scores, or take away what an earlier fit has left.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    """
    found = Validation.of_model(model)
    if found is None:
        for name in ("validation_score_", "validation_scores_"):
            estimator.__dict__.pop(name, None)
        return
    estimator.validation_score_ = model.arrays[FIRST]
    estimator.validation_scores_ = {
        one: dict(zip(found.metrics, of_set, strict=True))
        for one, of_set in zip(found.sets, found.scores, strict=True)
    }


def check_validation(model: Model) -> None:
    """Raise ValueError unless validation scores, where there are some, are such.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    first = model.arrays.get(FIRST)
    if first is not None and (first.ndim != 1 or first.dtype != np.float64):
        raise ValueError(f"its {FIRST} is not a list of numbers")
    if first is None and ALL in model.arrays:
        raise ValueError(f"it has {ALL}, but no {FIRST}")
    Validation.of_model(model)
