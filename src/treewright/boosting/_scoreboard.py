"""Scoreboard: what metrics say about sets of validation rows, after each round."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.boosting._held_out import HeldOut
from treewright.boosting._stage import stage_of
from treewright.boosting.losses import Loss
from treewright.boosting.metrics import Metric
from treewright.model.link import answers
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Answers", "LossMean", "Scoreboard", "warn_of_worse_scores"]

Floats = NDArray[np.float64]
# From targets, scores and weights to the loss that the booster's users know.
MeanLoss = Callable[[Floats, Floats, Floats | None], float]


class LossMean:
    """The mean loss of rows. Travels without the engine's objective, which is made anew where it is used."""

    def __init__(self, objective: Any, factor: float) -> None:
        self.objective, self._factor = objective, factor

    def __call__(self, target: Floats, raw: Floats, weights: Floats | None) -> float:
        """Return the mean loss as users know it."""
        total = len(target) if weights is None else weights.sum()
        return float(self.objective.total(target, weights, raw) / total * self._factor)

    def __getstate__(self) -> dict[str, Any]:
        return {"objective": None, "_factor": self._factor}


class Answers:
    """From scores to probabilities or numbers, by the name of a link."""

    def __init__(self, link: str) -> None:
        self._link = link

    def __call__(self, raw: Floats) -> Floats:
        """Return the answers."""
        return answers(raw, self._link)


class Scoreboard:
    """Is called with the scores of the validation rows after each round, and remembers what metrics say.

    Parameters
    ----------
    metrics : tuple of Metric
        What the rows are scored by.
    held_out : HeldOut
        The rows.
    classes : ndarray or None
        The labels; None for numbers.
    answers : callable
        From scores of rows to probabilities or numbers.
    loss : callable
        What the metric "loss" says.
    """

    def __init__(
        self,
        metrics: tuple[Metric, ...],
        held_out: HeldOut,
        classes: NDArray[Any] | None,
        answers: Callable[[Floats], Floats],
        loss: MeanLoss,
    ) -> None:
        self._metrics = metrics
        self._sets = held_out.sets
        self._classes = classes
        self._answers = answers
        self._loss = loss
        # As users have them, for scorers.
        self._targets = [
            one.target if classes is None else classes[one.target.astype(np.intp)] for one in self._sets
        ]
        self._seen: list[list[list[float]]] = []

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Names of the sets and of the metrics."""
        return [one.name for one in self._sets], [metric.name for metric in self._metrics]

    def for_a_worker(self) -> Self:
        """Return a board without scores and rows, which can travel to where the answers are."""
        other = copy(self)
        other._sets = tuple(one.without_rows() for one in self._sets)
        other._seen = []
        return other

    def use(self, loss: Loss) -> None:
        """Score the loss, after the board has travelled, by an objective that is here."""
        if isinstance(self._loss, LossMean):
            self._loss.objective = loss.objective

    def adopt(self, seen: list[list[list[float]]]) -> None:
        """Take over what a board elsewhere has seen."""
        self._seen = seen

    @property
    def seen(self) -> list[list[list[float]]]:
        """Scores of all calls."""
        return self._seen

    @property
    def last(self) -> list[list[float]]:
        """Scores of the last call: a list for each set, with a number for each metric."""
        return self._seen[-1]

    @property
    def scores(self) -> Floats:
        """All scores, of shape (n_sets, n_metrics, calls)."""
        shape = (-1, len(self._sets), len(self._metrics))
        return np.moveaxis(np.array(self._seen, dtype=np.float64).reshape(shape), 0, -1).copy()

    def __call__(self, scores: Floats) -> float:
        """Score all sets; return what early stopping goes by: the first metric of the first set.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_outputs)
            What the rounds have added up to.
        """
        begin, found = 0, []
        for number, one in enumerate(self._sets):
            end = begin + len(one.target)
            found.append(self._of_set(number, np.ascontiguousarray(scores[begin:end])))
            begin = end
        # At once: Ctrl-C may come between any two metrics.
        self._seen.append(found)
        return found[0][0] * self._metrics[0].sign

    def _of_set(self, number: int, scores: Floats) -> list[float]:
        one = self._sets[number]
        answer = self._answers(scores)
        found = []
        for metric in self._metrics:
            if metric.kind == "loss":
                found.append(self._loss(one.target, scores, one.weights))
            elif metric.kind == "function":
                found.append(metric.by_function(one.target, answer, one.weights))
            else:
                stage = stage_of(scores, self._answers, self._classes)
                found.append(metric.by_scorer(stage, one.shown, self._targets[number], one.weights))
        return found


def warn_of_worse_scores(metric: Metric, scores: Floats) -> None:
    """Warn when early stopping has seen nothing better than the first round, and worse.

    Parameters
    ----------
    metric : Metric
        What early stopping went by.
    scores : ndarray of float64
        What it said after each round.
    """
    signed = scores * metric.sign
    if metric.kind == "loss" or len(signed) < 2 or signed.min() < signed[0] or signed.max() == signed[0]:
        return
    hint = (
        "If greater is better, say so: set metric.greater_is_better = True on the function, or pass the name "
        "of a scorer of scikit-learn."
        if metric.kind == "function"
        else "A longer n_iter_no_change waits for more rounds."
    )
    warn_at_caller(
        f"By {metric.name!r} no round was better than the first ({scores[0]:.6g}, then up to "
        f"{scores[signed.argmax()]:.6g}), so that early stopping kept one round. {hint}"
    )
