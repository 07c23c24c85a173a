"""The words of all reports: numbers, values of a row, tests, and names of algorithms and measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import CRITERIA
from treewright.data import Feature
from treewright.model.node import IS_MISSING, Node
from treewright.model.number import format_measure as number
from treewright.model.number import format_threshold
from treewright.model.split import Split
from treewright.model.text import listed, printable

__all__ = [
    "UNSEEN",
    "algorithm_words",
    "branch_words",
    "latex_words",
    "loss_words",
    "measure_name",
    "missing_notes",
    "number",
    "number_words",
    "row_words",
    "signed",
    "tie_rule",
]

LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "≤": r"$\le$", "−": "$-$",
}  # fmt: skip

UNSEEN = "not seen in training"


def signed(value: float) -> str:
    """Write a difference with its sign."""
    text = number(value)
    return text if text.startswith("−") or value == 0 else f"+{text}"


def number_words(value: float) -> str:
    """Write a number of the data with six digits, more when it is a large whole number."""
    return format_threshold(value)


def tie_rule(drawn: bool) -> str:
    """Say which of several equally good features wins.

    Parameters
    ----------
    drawn : bool
        Whether the order in which a node compares its features was drawn.
    """
    return "first in a drawn order wins" if drawn else "first column wins"


def row_words(features: tuple[Feature, ...], row: NDArray[np.float64]) -> list[str]:
    """Return one text per feature."""
    return [_words(feature, float(value)) for feature, value in zip(features, row, strict=True)]


def _words(feature: Feature, value: float) -> str:
    if np.isnan(value):
        return "missing"
    if feature.kind == "numeric":
        return number_words(value)
    categories = feature.categories or ()
    code = int(value)
    return printable(str(categories[code - 1])) if code <= len(categories) else UNSEEN


def branch_words(
    feature: Feature,
    kind: Any,
    threshold: float,
    code_branches: NDArray[np.uint32],
    n_branches: int,
    missing: int,
) -> Sequence[str]:
    """Return for each branch which values go there; the feature's name stands elsewhere."""
    if kind == "threshold":
        split = Split(feature, kind, 2, threshold, None)
        if feature.kind == "numeric" and np.isfinite(threshold):
            value = format_threshold(threshold)
            return (f"≤ {value}", f"> {value}")
        prefix = f"{feature.name} "
        return tuple(printable(split.describe(branch).removeprefix(prefix)) for branch in (0, 1))
    names: list[list[Any]] = [[] for _ in range(n_branches)]
    for category, branch in zip(feature.categories or (), code_branches.tolist(), strict=True):
        if branch < n_branches:
            names[branch].append(category)
    return tuple(
        listed(own) if own else ("missing" if branch == missing else "no value of this node")
        for branch, own in enumerate(names)
    )


def missing_notes(place: Node, names: Sequence[str], counted: tuple[int, int] | None = None) -> list[str]:
    """Say how many rows of a node have no value of what it tests, and where they go; nothing without any.

    Parameters
    ----------
    place : Node
        The node.
    names : sequence of str
        Names of the features.
    counted : tuple of int or None
        Rows of the node without a value and all of its rows, where somebody has counted; what the node
        itself knows comes first. Where nobody knows the number, the way alone is told.
    """
    split = place.split
    if split is None:
        return []
    if place.missing_rows is not None:
        counted = place.missing_rows, place.rows
    if counted is None and not place.had_missing:
        return []
    if counted is not None and counted[0] == 0:
        return []
    name = names[int(place.view.tree.feature[place.id])]
    way = {
        "shared": "they go down every branch, each with its share",
        "ends": "they end here",
        "substitutes": "substitute tests decide",
    }.get(place.missing_way)
    if way is None:
        branch = int(place.view.tree.to_arrays()["missing"][place.id])
        if split.describe(branch).endswith(IS_MISSING):
            return []  # the test says it
        way = f"they go with {split.describe(branch).replace(split.feature.name, name, 1)}"
    if counted is None:
        return [f"Rows without a value of {name}: {way}; the model does not store how many."]
    have = "row has" if counted[0] == 1 else "rows have"
    return [f"{counted[0]} of {counted[1]} {have} no value of {name}: {way}."]


def algorithm_words(name: str) -> str:
    """Return the name of an algorithm as people write it."""
    short = name.removesuffix("Classifier").removesuffix("Regressor")
    return {"C45": "C4.5"}.get(short, short)


def measure_name(criterion: str) -> str:
    """Return the criterion in the words of the books."""
    return CRITERIA[criterion].words if criterion in CRITERIA else criterion.replace("_", " ")


def latex_words(text: str) -> str:
    """Return a name as LaTeX text."""
    return r"\text{" + "".join(LATEX_ESCAPES.get(c, c) for c in text) + "}"


def loss_words(loss: str) -> str:
    """Return the name of a loss as people write it."""
    return "a loss of your own" if loss == "custom" else loss.replace("_", " ")
