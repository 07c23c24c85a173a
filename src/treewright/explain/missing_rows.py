"""The sentence of split reports about rows without a value of what a node tests."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.model.node import IS_MISSING, Node

__all__ = ["missing_notes"]


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
