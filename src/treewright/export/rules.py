"""A tree as rules: one for each leaf, with the tests on the way joined feature by feature."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.export.leaf_order import leaf_places
from treewright.export.node_facts import NodeFacts
from treewright.export.source import model_of
from treewright.model.node import Node, TreeView, with_missing
from treewright.model.number import format_count, format_threshold
from treewright.model.split import Split
from treewright.model.text import listed, printable

__all__ = ["export_rules"]

MAX_WIDTH = 100
INDENT = "  "


def export_rules(
    model: Any,
    *,
    max_rules: int = 100,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
    tree: int | None = None,
) -> str:
    """Return a fitted tree as rules, one for each leaf.

    Several tests of one feature become one condition: ``1.5 < x ≤ 3`` or the categories that are left.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    max_rules : int, default=100
        Print only the rules that hold for most training rows, still in the order of the tree, and sum up the
        others.
    feature_names : sequence of str, optional
        Names to print instead of those of the training data.
    target_name : str, optional
        What is predicted. By default the name of the
        Series, or of the single column, that `fit` was given.
    tree : int, optional
        Which tree of an ensemble; must be said where there are several.

    Returns
    -------
    str
        Two or more lines per rule, without a line break at the end.

    Examples
    --------
    >>> from treewright import C45Classifier
    >>> from treewright.datasets import load_tennis
    >>> from treewright.export import export_rules
    >>> X, y, names, target = load_tennis()
    >>> print(export_rules(C45Classifier().fit(X, y), feature_names=names, target_name=target))
    Rule 1   n=3   no 3
      if outlook = sunny and humidity = high then play = no
    Rule 2   n=2   yes 2
      if outlook = sunny and humidity = normal then play = yes
    Rule 3   n=4   yes 4
      if outlook = overcast then play = yes
    Rule 4   n=3   yes 3
      if outlook = rain and wind = weak then play = yes
    Rule 5   n=2   no 2
      if outlook = rain and wind = strong then play = no
    """
    check_count("max_rules", max_rules, 1)
    found = model_of(model, "export_rules")
    view = found.view(tree)
    names = found.names(feature_names)
    facts = NodeFacts(found, view, ("n", "value"), tree)
    places = leaf_places(view)
    shown = _largest(view, places, max_rules)
    if target_name is None and found.aggregation != "sum":  # trees of a booster answer with steps
        target_name = found.target_name
    target = f"{printable(str(target_name))} = " if target_name else ""
    lines = []
    for leaf, conditions in _conditions(view, shown):
        cells = "   ".join(cell for cell in facts.cells(leaf) if cell)
        lines.append(f"Rule {places[leaf.id] + 1}   {cells}")
        words = [_words(conditions[f], names[f]) for f in conditions]
        if len(words) > 1:
            words = [f"({one})" if one.endswith(" or missing") else one for one in words]
        tests = " and ".join(words)
        sentence = f"{'if ' + tests if tests else 'always'} then {target}{printable(facts.answer(leaf))}"
        lines += textwrap.wrap(
            sentence, MAX_WIDTH, initial_indent=INDENT, subsequent_indent=INDENT * 2,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    hidden = view.tree.n_leaves - len(shown)
    if hidden:
        whole = float(view.tree.weighted_n_node_samples[view.tree.n_children == 0].sum())
        weight = whole - sum(leaf.weight for leaf in shown)
        lines.append(
            f"… {hidden} more rules for {format_count(weight)} of {format_count(view.root.weight)} rows"
        )
    return "\n".join(lines)


@dataclass(frozen=True)
class _Condition:
    """What the tests of one feature leave: an interval, categories, or that the value is (not) missing."""

    split: Split
    branch: int
    above: float = -np.inf
    upto: float = np.inf
    categories: tuple[Any, ...] | None = None
    known: bool | None = None
    digits: int = field(default=6)
    missing: bool = False


def _conditions(view: TreeView, leaves: Sequence[Node]) -> Iterator[tuple[Node, dict[int, _Condition]]]:
    """Yield leaves with what holds in them, feature by feature; only their own ways are gone."""
    parents = view.parents
    wanted: set[int] = set()
    for leaf in leaves:
        node = leaf.id
        while node >= 0 and node not in wanted:
            wanted.add(node)
            node = int(parents[node])
    waiting: list[tuple[Node, dict[int, _Condition]]] = [(view.root, {})]
    while waiting:
        here, conditions = waiting.pop()
        split = here.split
        if split is None:
            yield here, conditions
            continue
        feature = int(view.tree.feature[here.id])
        first = int(view.tree.first_child[here.id])
        for branch in reversed(range(split.n_branches)):
            if first + branch in wanted:
                child = view[first + branch]
                joined = _joined(conditions.get(feature), split, branch, child.takes_missing)
                waiting.append((child, {**conditions, feature: joined}))


def _joined(above: _Condition | None, split: Split, branch: int, takes_missing: bool) -> _Condition:
    """Return what holds when one more test of the feature is passed."""
    low, high, known = (-np.inf, np.inf, None) if above is None else (above.above, above.upto, above.known)
    categories = None if above is None else above.categories
    if split.kind == "threshold" and split.threshold == np.inf:
        known = branch == 0
    elif split.feature.categories is None:
        low, high = (low, min(high, split.threshold)) if branch == 0 else (max(low, split.threshold), high)
    else:
        here = split.categories(branch)
        categories = here if categories is None else tuple(c for c in categories if c in here)
    digits = split.digits if above is None else max(above.digits, split.digits)
    # A row without a value comes here only if every test of the feature sends it this way.
    missing = takes_missing and (above is None or above.missing)
    return _Condition(split, branch, low, high, categories, known, digits, missing)


def _words(condition: _Condition, name: str) -> str:
    return with_missing(_known_words(condition, printable(name)), condition.missing)


def _known_words(condition: _Condition, name: str) -> str:
    # Tests that no value passes, one after the other, separate the missing values.
    if condition.known is False or (condition.missing and condition.above >= condition.upto):
        return f"{name} is missing"
    if condition.categories is not None:
        if not condition.categories:
            return f"{name} is missing"
        if len(condition.categories) == 1:
            return f"{name} = {printable(str(condition.categories[0]))}"
        return f"{name} in {{{listed(condition.categories)}}}"
    low, high = (
        format_threshold(condition.above, condition.digits),
        format_threshold(condition.upto, condition.digits),
    )
    if condition.above == -np.inf and condition.upto == np.inf:
        return f"{name} is known"
    if condition.above == -np.inf:
        return f"{name} ≤ {high}"
    return f"{name} > {low}" if condition.upto == np.inf else f"{low} < {name} ≤ {high}"


def _largest(view: TreeView, places: NDArray[np.int64], most: int) -> list[Node]:
    """Return the leaves that hold most rows, in the order of the tree."""
    leaves = np.flatnonzero(view.tree.n_children == 0)
    order = np.lexsort((places[leaves], -view.tree.weighted_n_node_samples[leaves]))
    largest = leaves[order[:most]]
    return [view[int(leaf)] for leaf in largest[np.argsort(places[largest])]]
