"""Which tree of a booster is meant, by its number or by round and output."""

from __future__ import annotations

from typing import Any

from treewright.model.model import Model

__all__ = ["output_of", "tree_of_booster"]


def tree_of_booster(model: Model, tree: Any = None, round: Any = None, output: Any = None) -> int:
    """Return the number of a tree.

    Parameters
    ----------
    model : Model
        A booster's model: the trees of round r are ``r * n_outputs`` and those that follow.
    tree : int or None
        The number itself.
    round : int or None
        The round, counted from 0.
    output : object, optional
        The class whose raw score the tree adds to, or its position; needed with `round` for several outputs.
    """
    n_outputs = len(model.arrays["start"])
    n_rounds = len(model.trees) // n_outputs
    trees = f"the booster has the trees 0 to {len(model.trees) - 1}, {_rounds(n_rounds, n_outputs)}"
    if tree is not None:
        if round is not None or output is not None:
            raise ValueError("Say which tree by its number or by round and output, not by both.")
        number = _index("tree", tree)
        if not 0 <= number < len(model.trees):
            raise IndexError(f"tree={number} does not exist; {trees}.")
        return number
    if round is None:
        if len(model.trees) == 1:
            return 0
        example = min(17, len(model.trees) - 1)
        raise ValueError(f"Say which tree is meant, e.g. tree={example}; {trees}.")
    number = _index("round", round)
    if not 0 <= number < n_rounds:
        raise IndexError(f"round={number} does not exist; the booster has the rounds 0 to {n_rounds - 1}.")
    if output is None:
        if n_outputs > 1:
            labels = [] if model.classes is None else model.classes.tolist()
            raise ValueError(
                f"Round {number} has a tree for each of {n_outputs} classes: say which, e.g. "
                f"output={labels[0]!r}. The classes are {labels[:20]}."
            )
        return number
    return number * n_outputs + output_of(model, output)


def output_of(model: Model, output: Any) -> int:
    """Return the position of an output that is named by its class or its position."""
    n_outputs = len(model.arrays["start"])
    labels = [] if model.classes is None else model.classes.tolist()
    if n_outputs > 1 and output in labels:
        return int(labels.index(output))
    if not isinstance(output, bool) and hasattr(output, "__index__") and 0 <= output.__index__() < n_outputs:
        return int(output.__index__())
    if n_outputs == 1:
        raise ValueError(
            f"output={output!r} does not exist; the booster has one raw score: leave output out."
        )
    raise ValueError(f"output={output!r} does not exist; the classes are {labels[:20]}.")


def _index(name: str, number: Any) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be the number of a {name}, got {number!r}.")
    return int(number.__index__())


def _rounds(n_rounds: int, n_outputs: int) -> str:
    return "one per round" if n_outputs == 1 else f"{n_outputs} in each of its {n_rounds} rounds"
