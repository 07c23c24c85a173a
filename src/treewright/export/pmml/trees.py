"""Trees: the nodes of a TreeModel. A row that ends at an inner node gets a leaf of its own there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.pmml.fields import Fields
from treewright.export.pmml.page import Page, number_text
from treewright.export.pmml.predicates import Ask, branch_predicates, codes_of
from treewright.program import Steps
from treewright.program.steps import EVERY_WAY, NO_WAY

__all__ = ["Leaf", "columns_of", "number_leaf", "share_leaf", "write_model", "write_nodes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Leaf:
    """What is said where a row ends.

    Attributes
    ----------
    score : str
        The answer.
    shares : list of mappings
        Attributes of each class: value and recordCount or probability.
    """

    score: str
    shares: list[Mapping[str, Any]] = field(default_factory=list)


def number_leaf(values: Floats, place: int = 0) -> Callable[[int], Leaf]:
    """Return the leaves of a tree of numbers."""
    return lambda node: Leaf(number_text(values[node, place]))


def share_leaf(
    fields: Fields, shares: Floats, chosen: NDArray[np.intp], weight: Floats
) -> Callable[[int], Leaf]:
    """Return the leaves of a tree of classes.

    Readers divide by the sum. Where the shares come from whole counts those are written, which are divided
    to the very shares; elsewhere the shares themselves, whose sum may be 1 up to rounding only.
    """
    words = fields.classes.words

    def leaf(node: int) -> Leaf:
        own = shares[node]
        counts = np.rint(own * weight[node])
        total = counts.sum()
        if total > 0 and np.array_equal(counts / total, own):
            told = [{"value": w, "recordCount": number_text(c)} for w, c in zip(words, counts, strict=True)]
        else:
            told = [
                {
                    "value": w,
                    "recordCount": number_text(p * max(weight[node], 0.0)),
                    "probability": number_text(p),
                }
                for w, p in zip(words, own, strict=True)
            ]
        return Leaf(words[int(chosen[node])], list(told))

    return leaf


def columns_of(*trees: Steps) -> list[int]:
    """Return the columns that trees look at."""
    found: set[int] = set()
    for tree in trees:
        found.update(tree.feature[tree.feature >= 0].tolist())
        found.update(test.feature for tests in tree.substitutes.values() for test in tests)
    return sorted(found)


def write_model(
    page: Page,
    fields: Fields,
    tree: Steps,
    leaf: Callable[[int], Leaf],
    weight: Floats | None,
    *,
    is_class: bool,
    head: Callable[[Page], None],
) -> None:
    """Write a tree as a model; `head` writes what stands before the nodes, from the fields on."""
    binary = bool((tree.n_children[tree.feature >= 0] == 2).all()) and not _stops(tree)
    told = {
        "functionName": "classification" if is_class else "regression",
        "missingValueStrategy": "defaultChild",
        "splitCharacteristic": "binarySplit" if binary else "multiSplit",
    }
    with page.inside("TreeModel", told):
        head(page)
        write_nodes(page, fields, tree, leaf, weight)


def _stops(tree: Steps) -> bool:
    return bool((tree.feature[tree.ends] >= 0).any())


def write_nodes(
    page: Page,
    fields: Fields,
    tree: Steps,
    leaf: Callable[[int], Leaf],
    weight: Floats | None,
    first: Ask | None = None,
    complete: bool = False,
) -> None:
    """Write the nodes of a tree. Nothing is missing where it is said to be `complete`, nor goes every way."""
    always: Ask = lambda page: page.add("True")  # noqa: E731
    waiting: list[tuple[int, Ask | None, str]] = [(0, first or always, "0")]
    while waiting:
        node, ask, name = waiting.pop()
        if ask is None:
            page.close("Node")
            continue
        told: dict[str, Any] = {"id": name}
        if weight is not None and weight[node] > 0:
            told["recordCount"] = number_text(weight[node])
        if tree.feature[node] < 0 or name.endswith("e"):
            _write_leaf(page, leaf(node), told, ask)
            continue
        branches, ends, missing = _branches(fields, tree, node, complete)
        if not complete:
            told["defaultChild"] = missing
        page.open("Node", told)
        ask(page)
        waiting.append((node, None, ""))
        asked = [*range(len(branches)), *([NO_WAY] if ends else [])]
        predicates = branch_predicates(fields, tree, node, asked)
        below: list[tuple[int, Ask | None, str]] = [
            (child, predicate, str(child)) for child, predicate in zip(branches, predicates, strict=False)
        ]
        if ends:
            below.append((node, predicates[-1], f"{node}e"))
        waiting.extend(reversed(below))


def _branches(fields: Fields, tree: Steps, node: int, complete: bool) -> tuple[list[int], bool, str]:
    """Return the children of a node, whether rows end at it, and where missing values go."""
    children = list(tree.children(node))
    missing = int(tree.missing[node])
    ways = codes_of(fields, tree, node)
    ends = ways is not None and bool((ways == NO_WAY).any())
    if missing >= 0:
        return children, ends, str(children[missing])
    assert missing == NO_WAY or complete or missing == EVERY_WAY, "a branch, or none"
    return children, ends or not complete, f"{node}e"


def _write_leaf(page: Page, leaf: Leaf, told: dict[str, Any], ask: Ask) -> None:
    page.open("Node", {"id": told["id"], "score": leaf.score, "recordCount": told.get("recordCount")})
    ask(page)
    for share in leaf.shares:
        page.add("ScoreDistribution", share)
    page.close("Node")
