"""Forests for tests, made in Python: trees packed into forest arrays, and unpacked again as an oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import CARTClassifier, CARTRegressor
from treewright.criteria import CRITERIA as TABLE
from treewright.criteria import choices, is_for_classes
from treewright.model import Forest, Model, Tree
from treewright.model.forest_arrays import FOREST_ARRAYS

Arrays = dict[str, np.ndarray]
CRITERIA = (*choices(classes=True), *choices(classes=False))


def pack(trees: list[Tree], has_classes: bool) -> Arrays:
    """Return binary trees as forest arrays, as core/tree/forest.h describes them."""
    nodes: dict[str, list[Any]] = {name: [] for name in FOREST_ARRAYS}
    distributions: dict[bytes, int] = {}
    nodes["begin"].append(0)
    for tree in trees:
        arrays = tree.to_arrays()
        for i in range(tree.node_count):
            leaf = arrays["kind"][i] == 0
            value = arrays["value"][i]
            number, child, flags = 0.0, int(arrays["first_child"][i]), int(arrays["missing"][i])
            if leaf and has_classes:
                child = distributions.setdefault(value.tobytes(), len(distributions))
                if child == len(nodes["distributions"]):
                    nodes["distributions"].append(value)
            elif leaf:
                number, child = float(value[0]), 0
            elif arrays["kind"][i] == 2:
                number, flags = float(len(nodes["tables"])), flags | 2
                start = int(arrays["table"][i])
                nodes["tables"] += arrays["tables"][
                    start : start + 2 + int(arrays["tables"][start + 1])
                ].tolist()
            else:
                number = float(arrays["threshold"][i])
            nodes["number"].append(number)
            nodes["child"].append(child)
            nodes["feature"].append(int(arrays["feature"][i]))
            nodes["flags"].append(flags)
            nodes["weight"].append(arrays["weight"][i])
            nodes["rows"].append(arrays["rows"][i])
        nodes["begin"].append(len(nodes["number"]))
    packed = {name: np.array(nodes[name], dtype=dtype) for name, dtype in FOREST_ARRAYS.items()}
    if not has_classes:
        packed["distributions"] = np.zeros((0, 1))
    return packed


def unpack(arrays: Arrays, tree: int, criterion: str) -> Arrays:
    """Return what the native core should make of a tree: slowly, node by node."""
    first, last = (int(place) for place in arrays["begin"][tree : tree + 2])
    n, n_values = last - first, arrays["distributions"].shape[1]
    part = {
        name: arrays[name][first:last] for name in ("number", "child", "feature", "flags", "weight", "rows")
    }
    leaf, subset = part["feature"] == -1, (part["flags"] & 2) != 0
    value, loss, gain = np.zeros((n, n_values)), np.full(n, np.nan), np.zeros(n)
    table, tables = np.full(n, -1, np.int64), []
    for i in range(n):
        if subset[i]:
            start = int(part["number"][i])
            table[i] = len(tables)
            tables += arrays["tables"][start : start + 2 + int(arrays["tables"][start + 1])].tolist()
    for i in reversed(range(n)):
        weight = float(part["weight"][i])
        if leaf[i]:
            is_classes = len(arrays["distributions"]) > 0
            value[i] = arrays["distributions"][part["child"][i]] if is_classes else part["number"][i]
        else:
            both = slice(int(part["child"][i]), int(part["child"][i]) + 2)
            weights = part["weight"][both].astype(float)
            shares = weights / weights.sum() if weights.sum() > 0 else np.array([0.5, 0.5])
            value[i] = shares @ value[both]
            gain[i] = weight * _decrease(value[both], value[i], shares, criterion)
        if is_for_classes(criterion):
            loss[i] = weight * _impurity(value[i], criterion)
    return {
        "kind": np.where(leaf, 0, np.where(subset, 2, 1)).astype(np.uint8),
        "feature": part["feature"].astype(np.int32),
        "first_child": np.where(leaf, -1, part["child"].astype(np.int64)).astype(np.int32),
        "n_children": np.where(leaf, 0, 2).astype(np.uint32),
        "threshold": np.where(leaf | subset, np.nan, part["number"]),
        "table": table,
        "missing": (part["flags"] & 1).astype(np.uint32),
        "value": value,
        "rows": part["rows"].astype(np.int64),
        "weight": part["weight"].astype(np.float64),
        "loss": loss,
        "gain": gain,
        "tables": np.array(tables, np.uint32),
    }


def _impurity(p: np.ndarray, criterion: str) -> float:
    if criterion == "gini":
        return float(1 - (p**2).sum())
    if criterion == "entropy":
        return float(-(p[p > 0] * np.log2(p[p > 0])).sum())
    return TABLE[criterion].measure(counts=p)


def _decrease(children: np.ndarray, value: np.ndarray, shares: np.ndarray, criterion: str) -> float:
    if is_for_classes(criterion):
        below = sum(s * _impurity(c, criterion) for s, c in zip(shares, children, strict=True))
        return max(0.0, _impurity(value, criterion) - below)
    means = children[:, 0]
    if criterion == "squared_error":
        return float(shares @ (means - value[0]) ** 2)
    if criterion == "poisson":
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(means > 0, means * np.log(means / value[0]), 0.0)
        return max(0.0, float(shares @ (terms - means + value[0])))
    return np.nan


def mixed_rows(n: int = 300, seed: int = 0) -> tuple[list[list[Any]], np.ndarray, np.ndarray]:
    """Return rows with numbers, categories and missing values, three classes and positive numbers."""
    rng = np.random.default_rng(seed)
    number = np.round(rng.standard_normal(n), 2)
    letter = rng.choice(list("abcdefg"), n)
    other = rng.standard_normal(n)
    score = number + np.isin(letter, list("aceg")) - 0.5 * other + 0.3 * rng.standard_normal(n)
    known = rng.random((n, 2)) > 0.1
    rows = [
        [float(x) if k[0] else None, str(z) if k[1] else None, float(o)]
        for x, z, o, k in zip(number, letter, other, known, strict=True)
    ]
    return rows, np.digitize(score, [-0.3, 0.8]), np.exp(score)


def bagged(criterion: str, n_trees: int = 4, n_rows: int = 300) -> list[Any]:
    """Return trees fitted on bags of `mixed_rows`."""
    X, labels, numbers = mixed_rows(n_rows)
    rng = np.random.default_rng(1)
    has_classes = is_for_classes(criterion)
    fitted = []
    for seed in range(n_trees):
        counts = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows)).astype(float)
        counts[[0, 1, 2]] += 1  # every class is in every bag
        learner = CARTClassifier if has_classes else CARTRegressor
        # The median criterion knows no sets of categories.
        rows = [[x, None, o] for x, _, o in X] if criterion == "absolute_error" else X
        tree = learner(criterion=criterion, max_features=2, random_state=seed, min_samples_leaf=2)
        fitted.append(tree.fit(rows, labels if has_classes else numbers, sample_weight=counts))
    return fitted


def forest_model(criterion: str = "gini", n_trees: int = 4, **changes: Any) -> Model:
    """Return a model of bagged trees in one forest."""
    fitted = bagged(criterion, n_trees)
    first = fitted[0].model_
    arrays = pack([tree.tree_ for tree in fitted], first.classes is not None)
    given = {
        "algorithm": "RandomForestClassifier" if first.classes is not None else "RandomForestRegressor",
        "params": {"n_estimators": n_trees, "criterion": criterion},
        "task": first.task,
        "schema": first.schema,
        "trees": Forest.from_arrays(arrays, first.schema.n_codes, criterion),
        "classes": first.classes,
        "facts": {"max_features": 2, "aggregation": "mean"},
        "arrays": {"importances": np.array([0.5, 0.3, 0.2])},
    }
    return Model(**{**given, **changes})
