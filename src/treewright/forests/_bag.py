"""Bag: what one tree of a forest was grown on, so that the tree can explain itself with the forest's rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.engine_results import DrawnTest
from treewright.explain import Training
from treewright.fitting.rows import read_rows
from treewright.forests._bags import Bags
from treewright.model import Model

__all__ = ["Bag"]


@dataclass(frozen=True, eq=False)
class Bag:
    """The bag of a tree.

    Attributes
    ----------
    bags : Bags
        How rows were drawn.
    tree : int
        The tree's number.
    chance : str
        What else was drawn, in a sentence; empty when nothing was.
    by_engine : bool
        Whether the engine grew the whole forest; otherwise the tree is a single one with a seed of its own.
    draws_ties : bool
        Whether nodes that look at all features compare them in an order that is drawn.
    forest : estimator or None
        The forest as it was before fit, where a node tries random tests: they can be drawn again.
    """

    bags: Bags
    tree: int
    chance: str = ""
    by_engine: bool = True
    draws_ties: bool = False
    forest: Any = None

    def training(self, training: Training, model: Model, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return what the tree was grown from, if a single tree was grown from `training`.

        Parameters
        ----------
        training : Training
            The rows of the forest's fit as a single tree sees them.
        model : Model
            The tree.
        X, y, sample_weight : object
            What the forest's fit was given; its weights only where no rows were drawn.
        """
        settings = dict(training.settings)
        if self.by_engine:
            # What its nodes drew is not drawn again; the order of equally good features is.
            settings.pop("max_features", None)
            settings |= {"draw_ties": self.draws_ties, "seed": _core.node_seed(self.bags.rule, self.tree)}
        return replace(
            training,
            settings=settings,
            chance=self.chance,
            draws_ties=training.draws_ties or self.draws_ties,
            draw_again=None
            if self.forest is None
            else lambda path: self._drawn_tests(model, X, y, sample_weight, path),
        )

    def _drawn_tests(
        self, model: Model, X: Any, y: Any, sample_weight: Any, path: tuple[int, ...]
    ) -> list[DrawnTest]:
        """Grow the tree once more and note down what a node chose from."""
        bags = self.bags
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of columns: fit has said it
            rows = self.forest._read(X, y, None if bags.draws else sample_weight, model)
        if bags.draws:
            rows = rows.take(bags.kept)
        grower = self.forest._grower(rows, y, bags, 1)
        return list(grower.drawn_tests(replace(bags, first=self.tree, last=self.tree + 1), path))

    def weights(self, model: Model, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return the weights of the rows of the forest's fit in this tree.

        How often a row was drawn; the user's weights only where nothing was drawn, because otherwise they
        were the chances to be drawn.

        Parameters
        ----------
        model : Model
            The tree.
        X, y, sample_weight : object
            What the forest's fit was given.
        """
        bags = self.bags
        if bags.draws == 0:
            return sample_weight
        rows = read_rows(X, y, owner=model.algorithm, task=model.task, model=model).take(bags.kept)
        if not bags.are_of(rows.n_rows_read, rows.checksum):
            raise ValueError(
                "These are not the rows that the forest was fitted on: pass the X and y of its fit."
            )
        counts = bags.counts(self.tree).astype(np.float64)
        if bags.balanced and rows.n_classes is not None:
            counts *= _balance(rows.target, counts, rows.n_classes)[rows.target]
        if bags.kept is None:
            return counts
        weights = np.zeros(bags.n_rows)
        weights[bags.kept] = counts
        return weights


def _balance(codes: NDArray[Any], counts: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the factor of each class that makes all classes of a bag weigh the same."""
    totals = np.bincount(codes, weights=counts, minlength=n_classes)
    factors = np.zeros(n_classes)
    present = totals > 0
    factors[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    return factors
