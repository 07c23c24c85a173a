"""Outputs that are no sum of trees: probabilities of boosters and losses, against rows of a background.

Each row of the background gives a game of its own, whose values are those of the raw score, stretched so
that they add up to the difference of the outputs, as in the package shap. The result is their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from treewright.explain.shap.game import Game
from treewright.model.link import split_link
from treewright.model.model import Model

__all__ = [
    "OutputName",
    "PreparedBackground",
    "checked_output",
    "class_codes",
    "prepare_background",
    "stretched",
]

Floats = NDArray[np.float64]
OutputName = Literal["raw", "probability", "log_loss"]
OUTPUTS = ("raw", "probability", "log_loss")
NUMBERS_AT_ONCE = 8 << 20  # factors of pairs of rows
SAME = 1e-10  # raw scores that differ by less have the slope of the output as their quotient
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)  # as in scikit-learn's log_loss


@dataclass(frozen=True, eq=False)
class PreparedBackground:
    """Rows that stand for what is not known.

    Attributes
    ----------
    engine : _core.Background
        The rows, counted for each tree.
    raw : ndarray of shape (n_rows, n_outputs)
        What the sum of trees says about each of them.
    """

    engine: Any
    raw: Floats


def prepare_background(game: Game, matrix: NDArray[Any], n_threads: int) -> PreparedBackground:
    """Return the rows of a background, ready for any number of rows to explain."""
    return PreparedBackground(game.engine.background(matrix, n_threads), raw_answers(game, matrix, n_threads))


def raw_answers(game: Game, matrix: NDArray[Any], n_threads: int) -> Floats:
    """Return what the sum of trees says about rows."""
    values = game.engine.values(matrix, n_threads).reshape(len(matrix), -1, game.n_outputs)
    total: Floats = game.base + values.sum(axis=1)
    return total


def checked_output(
    model: Model, game: Game, output: Any, has_background: bool, has_y: bool, is_calibrated: bool
) -> OutputName:
    """Return the output; ValueError, with what to do, when this model or game does not define it.

    Parameters
    ----------
    model : Model
        The model.
    game : Game
        What its answer is a sum of.
    output : object
        What the user passed.
    has_background, has_y : bool
        Whether rows of a background and targets were passed.
    is_calibrated : bool
        Whether probabilities are a curve of what the trees say.
    """
    if not isinstance(output, str) or output not in OUTPUTS:
        raise ValueError(f"output must be one of {', '.join(map(repr, OUTPUTS))}, got {output!r}.")
    if output == "raw":
        return "raw"
    name = model.algorithm
    if model.classes is None:
        raise ValueError(f"{name} predicts numbers, so there is no output={output!r}: use output='raw'.")
    if is_calibrated:
        raise ValueError(
            f"The probabilities of this {name} are calibrated, a curve of what its trees say, for which "
            f"output={output!r} is not defined: use output='raw', the mean of the trees."
        )
    adds_up = game.link is None and game.meaning != "decision function"
    if output == "probability" and adds_up:
        return "probability"
    if not adds_up and game.n_outputs > 1:
        raise ValueError(
            f"output={output!r} is defined for one raw score, that of two classes; {name} has one for each "
            f"of {game.n_outputs} classes, and a probability mixes all of them: use output='raw'."
        )
    if not has_background:
        raise ValueError(
            f"output={output!r} is no sum over leaves, so averaging over branches does not define it; rows "
            "of a background do: pass background=X_b, e.g. 100 rows of the training data."
        )
    if output == "log_loss" and not has_y:
        raise ValueError("output='log_loss' compares with the truth: pass y, the classes of the rows.")
    return cast(OutputName, output)


def class_codes(model: Model, y: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the position of each row's class; ValueError for a class that the model does not know."""
    given = np.asarray(y).ravel().tolist()
    if len(given) != n_rows:
        raise ValueError(f"y has {len(given)} entries, but X has {n_rows} rows.")
    labels = [] if model.classes is None else model.classes.tolist()
    position = {label: place for place, label in enumerate(labels)}
    unknown = next((label for label in given if label not in position), None)
    if unknown is not None:
        raise ValueError(f"y holds {unknown!r}, which is none of the classes of the fit: {labels}.")
    return np.array([position[label] for label in given], dtype=np.intp)


def stretched(
    game: Game,
    matrix: NDArray[Any],
    background: PreparedBackground,
    output: OutputName,
    codes: NDArray[np.intp] | None,
    offset: Floats | None,
    n_threads: int,
) -> tuple[Floats, Floats]:
    """Return the values, (n_rows, n_features), and the base of each row.

    Parameters
    ----------
    game : Game
        What the raw score is a sum of.
    matrix : ndarray
        The rows.
    background : PreparedBackground
        What stands for features that are not known.
    output : {"probability", "log_loss"}
        What is explained.
    codes : ndarray or None
        The classes of the rows, for the loss.
    offset : ndarray of shape (n_rows, n_outputs) or None
        Raw scores to add.
    n_threads : int
        Threads to use.
    """
    n_rows, n_others = len(matrix), len(background.raw)
    size = max(1, NUMBERS_AT_ONCE // n_others)
    values, base = np.empty((n_rows, matrix.shape[1])), np.empty(n_rows)
    for begin in range(0, n_rows, size):
        rows = slice(begin, min(begin + size, n_rows))
        part = matrix[rows]
        own, others = raw_answers(game, part, n_threads), background.raw
        # Of several outputs the loss asks for one, that of the row's class.
        column = np.zeros(len(part), dtype=np.intp) if game.n_outputs == 1 or codes is None else codes[rows]
        shift = np.zeros(len(part)) if offset is None else offset[rows, 0]
        own_score = own[np.arange(len(part)), column] + shift
        scores = others[:, column].T + shift[:, None]
        signs = None if codes is None else np.where(codes[rows] == 1, 1.0, -1.0)
        own_output, slope = _output(game, output, own_score, signs)
        outputs, _ = _output(game, output, scores, None if signs is None else signs[:, None])
        difference = own_score[:, None] - scores
        same = np.abs(difference) <= SAME * np.maximum(1.0, np.abs(own_score[:, None]))
        quotient = (own_output[:, None] - outputs) / np.where(same, 1.0, difference)
        factors = np.where(same, slope[:, None], quotient) / n_others
        found = game.engine.scaled_values(part, background.engine, np.ascontiguousarray(factors), n_threads)
        found = found.reshape(len(part), -1, game.n_outputs)
        values[rows] = found[np.arange(len(part)), :, column]
        base[rows] = outputs.mean(axis=1)
    return values, base


def _output(game: Game, output: OutputName, score: Floats, sign: Floats | None) -> tuple[Floats, Floats]:
    """Return the output for raw scores, and its slope. sign: 1 for rows of the second class, else −1."""
    if game.link is None and game.meaning != "decision function":
        kept = np.maximum(score, LEAST_PROBABILITY)
        return -np.log(kept), np.where(score > LEAST_PROBABILITY, -1.0 / kept, 0.0)
    odds = 1.0 if game.link is None else split_link(game.link)[1]
    if output == "probability":
        chance = _logistic(odds * score)
        return chance, odds * chance * (1.0 - chance)
    assert sign is not None, "a loss compares with the truth"
    return np.logaddexp(0.0, -sign * odds * score), -sign * odds * _logistic(-sign * odds * score)


def _logistic(score: Floats) -> Floats:
    small = np.exp(-np.abs(score))
    chance: Floats = np.where(score >= 0, 1.0, small) / (1.0 + small)
    return chance
