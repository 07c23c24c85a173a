"""Trees that C4.5 and J48 printed, as the arrays of the engine, and the comparison of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.golden.oracle_data import OracleTable
from treewright import _core

LEAF, THRESHOLD, SUBSET, MULTIWAY = 0, 1, 2, 3
EVERY_BRANCH = 0xFFFFFFFF
BRANCHES, LIST_OF_BRANCH_0 = 2, 3  # formats of tables

Node = dict[str, Any]


def threshold_of(node: Node) -> float:
    """Return the cut as the program compares with it: C4.5 keeps it in single precision."""
    if "threshold_f32" in node:
        return float(np.float32(node["threshold_f32"]))
    return float(node["threshold"])


def value_of(node: Node, parent: Node | None, classes: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the class distribution: an empty leaf of C4.5 names a class, one of J48 asks its parent."""
    dist = np.array(node["dist"], dtype=np.float64)
    if node["kind"] == "leaf" and node["n"] == 0:
        if "empty" in node:
            assert parent is not None
            dist = np.array(parent["dist"], dtype=np.float64)
        else:
            dist = np.array([float(name == node["class"]) for name in classes])
    value: NDArray[np.float64] = dist / dist.sum()
    return value


def groups_of(node: Node, categories: tuple[str, ...]) -> list[list[int]]:
    """Return the codes that each branch of a nominal test takes."""
    code = {name: number for number, name in enumerate(categories, 1)}
    if node["kind"] == "nominal-binary":
        first = code[node["tests"][0][1]]
        return [[first], [other for other in code.values() if other != first]]
    return [
        sorted(code[name] for name in (values if op == "in" else [values])) for op, values in node["tests"]
    ]


@dataclass
class Arrays:
    """The arrays of a tree while it is written."""

    kind: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    n_children: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    table: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    value: list[NDArray[np.float64]] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)

    def add_leaf(self, node: Node, parent: Node | None, classes: tuple[str, ...]) -> int:
        """Append a node without its test."""
        self.kind.append(LEAF)
        self.feature.append(-1)
        self.first_child.append(-1)
        self.n_children.append(0)
        self.threshold.append(np.nan)
        self.table.append(-1)
        self.missing.append(0)
        self.weight.append(float(node["n"]))
        self.value.append(value_of(node, parent, classes))
        return len(self.kind) - 1

    def set_test(self, number: int, node: Node, data: OracleTable) -> None:
        """Write the test of a node; missing values go down every branch."""
        feature = int(node["attribute_index"])
        self.feature[number] = feature
        self.first_child[number] = len(self.kind)
        self.n_children[number] = len(node["children"])
        self.missing[number] = EVERY_BRANCH
        categories = data.categories[feature]
        if categories is None:
            self.kind[number] = THRESHOLD
            self.threshold[number] = threshold_of(node)
            return
        self.table[number] = len(self.tables)
        groups = groups_of(node, categories)
        if node["kind"] == "nominal-binary":
            self.kind[number] = SUBSET
            self.tables += [LIST_OF_BRANCH_0, 1, *groups[0]]
            return
        self.kind[number] = MULTIWAY
        entries = [EVERY_BRANCH] * (len(categories) + 2)
        for branch, codes in enumerate(groups):
            for code in codes:
                entries[code] = branch
        self.tables += [BRANCHES, len(entries), *entries]

    def finish(self) -> dict[str, Any]:
        """Return the arrays with the engine's types; rows, loss and gain are not known."""
        n = len(self.kind)
        return {
            "kind": np.array(self.kind, np.uint8),
            "feature": np.array(self.feature, np.int32),
            "first_child": np.array(self.first_child, np.int32),
            "n_children": np.array(self.n_children, np.uint32),
            "threshold": np.array(self.threshold, np.float64),
            "table": np.array(self.table, np.int64),
            "missing": np.array(self.missing, np.uint32),
            "value": np.array(self.value, np.float64),
            "rows": np.zeros(n, np.int64),
            "weight": np.array(self.weight, np.float64),
            "loss": np.zeros(n, np.float64),
            "gain": np.zeros(n, np.float64),
            "tables": np.array(self.tables, np.uint32),
        }


def arrays_of(tree: Node, data: OracleTable) -> dict[str, Any]:
    """Return a printed tree as arrays."""
    arrays = Arrays()
    to_do = [(arrays.add_leaf(tree, None, data.classes), tree)]
    while to_do:
        number, node = to_do.pop()
        if node["kind"] == "leaf":
            continue
        arrays.set_test(number, node, data)
        children = [(arrays.add_leaf(child, node, data.classes), child) for child in node["children"]]
        to_do += reversed(children)
    result = arrays.finish()
    _core.check_tree(result, np.array(data.n_codes, np.uint32))
    return result


def estimated_errors(arrays: dict[str, Any], confidence: float, program: Any) -> NDArray[np.float64]:
    """Return the pessimistic errors of every node: those of its leaves."""
    errors = np.zeros(len(arrays["kind"]))
    for node in reversed(range(len(errors))):
        first, weight = arrays["first_child"][node], arrays["weight"][node]
        if arrays["kind"][node] != LEAF:
            errors[node] = errors[first : first + arrays["n_children"][node]].sum()
        elif weight > 0:
            seen = weight * max(0.0, 1.0 - arrays["value"][node].max())
            errors[node] = seen + _core.extra_errors(weight, seen, confidence, program)
    return errors


def same_test(arrays: dict[str, Any], number: int, node: Node, data: OracleTable) -> bool:
    """Whether a node of the arrays asks what the printed node asks."""
    if node["kind"] == "leaf":
        return int(arrays["kind"][number]) == LEAF
    feature = int(node["attribute_index"])
    if arrays["feature"][number] != feature or arrays["n_children"][number] != len(node["children"]):
        return False
    categories = data.categories[feature]
    if categories is None:
        return float(arrays["threshold"][number]) == threshold_of(node)
    table = arrays["tables"][arrays["table"][number] :]
    groups = groups_of(node, categories)
    if arrays["kind"][number] == SUBSET:
        return bool(table[:3].tolist() == [LIST_OF_BRANCH_0, 1, *groups[0]])
    entries = table[2 : 2 + table[1]].tolist()
    expected = [EVERY_BRANCH] * len(entries)
    for branch, codes in enumerate(groups):
        for code in codes:
            expected[code] = branch
    return bool(entries == expected)


def difference(
    arrays: dict[str, Any], tree: Node, data: OracleTable, errors: NDArray[np.float64] | None
) -> str | None:
    """Return what differs first from the printed tree, None if nothing does.

    `errors` are compared with the printed ones when given. A printed class may be any of the heaviest ones.
    """
    to_do = [(0, tree)]
    while to_do:
        number, node = to_do.pop()
        if not same_test(arrays, number, node, data):
            return f"node {number} has another test than {node['kind']} {node.get('attribute')}"
        weight, value = float(arrays["weight"][number]), arrays["value"][number]
        if abs(weight - node["n"]) > 1e-4 * max(1.0, weight):
            return f"node {number} weighs {weight}, not {node['n']}"
        if node["n"] > 0 and np.abs(value * weight - np.array(node["dist"])).max() > 1e-4 * max(1.0, weight):
            return f"node {number} has the class weights {value * weight}, not {node['dist']}"
        if value[data.classes.index(node["class"])] < value.max() - 1e-6 and node.get("empty") is not True:
            return f"node {number} is not of class {node['class']}"
        if errors is not None and abs(errors[number] - node["errors"]) > 1e-3 * max(1.0, node["errors"]):
            return f"node {number} has {errors[number]} errors, not {node['errors']}"
        first = int(arrays["first_child"][number])
        to_do += [(first + branch, child) for branch, child in enumerate(node.get("children", ()))]
    return None
