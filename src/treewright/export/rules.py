"""A tree as rules: one for each leaf, with the tests on the way joined feature by feature."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.export.node_facts import NodeFacts
from treewright.export.source import model_of
from treewright.model.node import Node, TreeView
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
        What is predicted.
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
    if max_rules < 1:
        raise ValueError(f"max_rules must be 1 or more, got {max_rules}.")
    found = model_of(model, "export_rules")
    view = found.view(tree)
    names = found.names(feature_names)
    facts = NodeFacts(found, view, ("n", "value"), tree)
    rules = _rules(view)
    shown = _largest(rules, max_rules)
    target = f"{printable(target_name)} = " if target_name else ""
    lines = []
    for number, (leaf, conditions) in enumerate(rules, 1):
        if number - 1 not in shown:
            continue
        cells = "   ".join(cell for cell in facts.cells(leaf) if cell)
        lines.append(f"Rule {number}   {cells}")
        tests = " and ".join(_words(conditions[f], names[f]) for f in conditions)
        sentence = f"{'if ' + tests if tests else 'always'} then {target}{printable(facts.answer(leaf))}"
        lines += textwrap.wrap(
            sentence, MAX_WIDTH, initial_indent=INDENT, subsequent_indent=INDENT * 2,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    if len(shown) < len(rules):
        hidden = [leaf for number, (leaf, _) in enumerate(rules) if number not in shown]
        weight = sum(leaf.weight for leaf in hidden)
        lines.append(
            f"… {len(hidden)} more rules for {format_count(weight)} of {format_count(view.root.weight)} rows"
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


def _rules(view: TreeView) -> list[tuple[Node, dict[int, _Condition]]]:
    rules = []
    waiting: list[tuple[Node, dict[int, _Condition]]] = [(view.root, {})]
    while waiting:
        node, conditions = waiting.pop()
        split = node.split
        if split is None:
            rules.append((node, conditions))
            continue
        feature = int(view.tree.feature[node.id])
        for branch, child in reversed(list(enumerate(node.children))):
            joined = _joined(conditions.get(feature), split, branch)
            waiting.append((child, {**conditions, feature: joined}))
    return rules


def _joined(above: _Condition | None, split: Split, branch: int) -> _Condition:
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
    return _Condition(split, branch, low, high, categories, known, digits)


def _words(condition: _Condition, name: str) -> str:
    name = printable(name)
    if condition.known is False:
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


def _largest(rules: list[tuple[Node, dict[int, _Condition]]], most: int) -> set[int]:
    order = sorted(range(len(rules)), key=lambda i: (-rules[i][0].weight, i))
    return set(order[:most])
