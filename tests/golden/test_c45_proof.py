"""One engine serves C4.5 too: multiway categories and fractional rows give the trees of Release 8."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.c45_plan import grow
from tests.golden.oracle_data import OracleTable, golden, load, needs_oracle, tier
from tests.oracle.tree_view import EVERY_BRANCH, MULTIWAY, THRESHOLD, TreeView, branch_of

EPSILON = 1e-3
SLOW = {"nursery", "segment", "hypo"}
#: Tests with equal ratios to the last bit: the program's float32 decides, see `test_reference_c45.py`.
TIED = {"soybean"}
RUNS = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())
    for name in tier("c45-r8", "A")
    if name not in TIED
]


def training_errors(tree: TreeView) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Errors of every node, and which nodes collapse: those whose branches err as much as one leaf would."""
    as_leaf = tree.weight * (1 - tree.value.max(axis=1))
    errors, collapsed = as_leaf.copy(), np.zeros(len(tree), dtype=bool)
    for node in reversed(range(len(tree))):
        if not tree.is_leaf(node):
            errors[node] = sum(errors[child] for child in tree.children(node))
            collapsed[node] = errors[node] >= as_leaf[node] - EPSILON
    return errors, collapsed


def differences(tree: TreeView, stored: dict[str, Any], data: OracleTable) -> list[str]:
    """Walk both trees together and say where they differ."""
    _, collapsed = training_errors(tree)
    found = []
    stack: list[tuple[int, dict[str, Any], str]] = [(0, stored, "/")]
    while stack:
        node, mate, path = stack.pop()
        if not np.isclose(tree.weight[node], mate["n"], rtol=1e-5, atol=1e-4):
            found.append(f"{path} weight {tree.weight[node]}, expected {mate['n']}")
        shares = np.array(mate["dist"]) / np.sum(mate["dist"])
        if not np.allclose(tree.value[node], shares, atol=1e-4):
            found.append(f"{path} classes {tree.value[node]}, expected {shares}")
        is_leaf = tree.is_leaf(node) or collapsed[node]
        if is_leaf or mate["kind"] == "leaf":
            if is_leaf != (mate["kind"] == "leaf"):
                found.append(f"{path} is {'a leaf' if is_leaf else 'split'}, expected {mate['kind']}")
            continue
        feature = mate["attribute_index"]
        if tree.feature[node] != feature:
            found.append(f"{path} tests {data.names[tree.feature[node]]}, expected {mate['attribute']}")
            continue
        if mate["kind"] == "numeric":
            cut = np.float32(mate["threshold_f32"])
            if tree.kind[node] != THRESHOLD or np.float32(tree.threshold[node]) != cut:
                found.append(f"{path} threshold {tree.threshold[node]}, expected {mate['threshold_f32']}")
        else:
            assert tree.table is not None and tree.tables is not None
            codes = range(1, data.n_codes[feature] + 1)
            branches = [branch_of(tree.tables, int(tree.table[node]), code) for code in codes]
            if tree.kind[node] != MULTIWAY or branches != list(range(data.n_codes[feature])):
                found.append(f"{path} branches {branches}")
        if tree.missing[node] != EVERY_BRANCH:
            found.append(f"{path} sends missing to {tree.missing[node]}")
        children = tree.children(node)
        for number, (child, mates_child) in enumerate(zip(children, mate["children"], strict=True)):
            stack.append((child, mates_child, f"{path}{mate['attribute']}[{number}]/"))
    return found


@needs_oracle
@pytest.mark.parametrize("name", RUNS)
def test_the_engine_grows_the_unpruned_tree_of_release_8(name: str) -> None:
    data = load(name)
    tree = TreeView.of_arrays(grow(data))
    assert differences(tree, golden("c45-r8", name)["unpruned"]["tree"], data) == []


@needs_oracle
def test_the_c45_tree_does_not_depend_on_the_number_of_threads() -> None:
    data = load("crx")
    one, many = grow(data, 1), grow(data, 8)
    for name, array in one.items():
        np.testing.assert_array_equal(array, many[name])
