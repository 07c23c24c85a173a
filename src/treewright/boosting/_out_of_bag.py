"""What the rows say that a round did not draw, in the arrays of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.boosting._scores import adopt_scores, check_scores
from treewright.model import Model

__all__ = ["adopt_out_of_bag", "check_out_of_bag", "out_of_bag"]

Floats = NDArray[np.float64]

# Their names in a model; with an underscore at the end, those of the attributes.
OOB_ARRAYS = ("oob_scores", "oob_improvement")


def out_of_bag(losses: Floats, n_rounds: int, earlier: Model | None) -> dict[str, Floats]:
    """Return `oob_scores` and `oob_improvement`, one number per round; nothing when no round drew rows.

    Both are scikit-learn's: an improvement is the score of the round before minus that of the round, although
    each round leaves other rows out; for the first round it is the score of its own rows before it.

    Parameters
    ----------
    losses : ndarray
        Of the rows that a round did not draw: those of the first round before it, then after each round.
        Empty when rounds see all rows.
    n_rounds : int
        Rounds of this fit that the model keeps.
    earlier : Model or None
        The model that this fit adds rounds to.
    """
    before = {} if earlier is None else {name: earlier.arrays.get(name) for name in OOB_ARRAYS}
    known = before.get("oob_scores")
    if not len(losses) and known is None:
        return {}
    # NaN: rounds that saw all rows.
    scores, improvement = np.full(n_rounds, np.nan), np.full(n_rounds, np.nan)
    after = losses[1 : n_rounds + 1]
    if len(after):
        first = losses[0] if known is None or np.isnan(known[-1]) else known[-1]
        scores[: len(after)] = after
        improvement[: len(after)] = np.concatenate([[first], after[:-1]]) - after
    if earlier is None:
        return {"oob_scores": scores, "oob_improvement": improvement}
    nothing = np.full(int(earlier.facts["n_rounds"]), np.nan)
    return {
        name: np.concatenate([nothing if before[name] is None else before[name], more])
        for name, more in (("oob_scores", scores), ("oob_improvement", improvement))
    }


def adopt_out_of_bag(estimator: Any, model: Model) -> None:
    """Set the attributes, or take away what an earlier fit has left.

    Parameters
    ----------
    estimator : object
        The booster.
    model : Model
        Its model.
    """
    adopt_scores(estimator, model, OOB_ARRAYS)
    estimator.__dict__.pop("oob_score_", None)
    if "oob_scores" in model.arrays:
        estimator.oob_score_ = float(model.arrays["oob_scores"][-1])


def check_out_of_bag(model: Model) -> None:
    """Raise ValueError unless each array, where there is one, has a number for every round.

    Parameters
    ----------
    model : Model
        From a file that may hold anything.
    """
    check_scores(model, OOB_ARRAYS)
    for name in OOB_ARRAYS:
        if name in model.arrays and len(model.arrays[name]) != int(model.facts["n_rounds"]):
            raise ValueError(f"its {name} has not one number for each round")
