"""The learning rate of a booster's rounds, which may differ from round to round."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from treewright.model.facts import BoosterFacts
from treewright.model.model import Model

__all__ = ["rate_of_tree", "rates_of_rounds"]

#: The array of a model whose rounds have different rates.
RATES: Final = "learning_rates"


def rates_of_rounds(model: Model) -> NDArray[np.float64]:
    """Return the learning rate of each round; ValueError when a file says what cannot be.

    Parameters
    ----------
    model : Model
        Its trees add up to raw scores.
    """
    facts = BoosterFacts.of(model)
    rates = model.arrays.get(RATES)
    if rates is None:
        return np.full(facts.n_rounds, facts.learning_rate)
    if rates.dtype != np.float64 or rates.shape != (facts.n_rounds,) or not (rates >= 0).all():
        raise ValueError(f"its {RATES} has not one number of at least 0 for each round")
    return rates


def rate_of_tree(model: Model, tree: int) -> float:
    """Return the learning rate of the round that grew a tree.

    Parameters
    ----------
    model : Model
        Its trees add up to raw scores.
    tree : int
        Number of the tree.
    """
    if RATES not in model.arrays:
        return BoosterFacts.of(model).learning_rate
    return float(model.arrays[RATES][tree // len(model.arrays["start"])])
