"""Estimators by the words of the command line, and fitted ones from files."""

from __future__ import annotations

import inspect
import io
import shlex
import sys
from pathlib import Path
from typing import Any

from treewright.algorithms import ALGORITHMS, AnyEstimator, load
from treewright.cli.failures import Mistyped, close_match, typed_by_user
from treewright.cli.options import parsed_value
from treewright.exceptions import ModelFileError
from treewright.files.table_file import FORMATS

__all__ = ["ALIASES", "algorithm_name", "loaded", "made", "saved", "title"]

#: Short words → keys of `ALGORITHMS`.
ALIASES = {"rf": "random_forest", "et": "extra_trees", "newton": "xgboost", "leafwise": "lightgbm"}
TITLES = {"id3": "ID3", "c45": "C4.5", "cart": "CART"}


def algorithm_name(word: str) -> str:
    """Return the key of `ALGORITHMS` that a word means."""
    name = word.strip().lower().replace("-", "_")
    name = ALIASES.get(name, name)
    if name not in ALGORITHMS:
        known = [*ALGORITHMS, *ALIASES]
        raise Mistyped(
            f"There is no algorithm {word!r}.{close_match(word, known)} Choose one of: {', '.join(known)}."
        )
    return name


def title(name: str) -> str:
    """Return how texts call an algorithm."""
    return TITLES.get(name, name)


def made(word: str, task: str, params: dict[str, str], seed: int | None) -> AnyEstimator:
    """Return an estimator; its parameters are checked like those of the constructor."""
    name = algorithm_name(word)
    tasks = ALGORITHMS[name]
    if task not in tasks:
        raise Mistyped(
            f"{title(name)} does classification only; for {task} take another algorithm, e.g. -a cart. "
            "--task classification takes numbers for classes."
        )
    values = {key: parsed_value(text) for key, text in params.items()}
    accepted = inspect.signature(tasks[task]).parameters
    if seed is not None and "random_state" in accepted:
        values.setdefault("random_state", seed)
    with typed_by_user():
        estimator = tasks[task](**values)
        estimator._validate_params()
    return estimator


def loaded(path: str) -> Any:
    """Return the fitted estimator in a model file; "-" is standard input."""
    try:
        return load(io.BytesIO(sys.stdin.buffer.read()) if path == "-" else path)
    except ModelFileError as error:
        if Path(path).suffix.lower() not in FORMATS:
            raise
        raise ModelFileError(
            f"{path} is a table, not a model. Models are made by: "
            f"treewright fit {shlex.quote(path)} -t TARGET -o MODEL"
        ) from error


def saved(estimator: Any, path: str) -> None:
    """Save an estimator to a file, whole or not at all; "-" is standard output."""
    if path != "-":
        estimator.save(path)
        return
    file = io.BytesIO()
    estimator.save(file)
    sys.stdout.buffer.write(file.getvalue())
    sys.stdout.buffer.flush()
