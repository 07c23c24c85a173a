"""Where the Shapley values of one row of a tree come from: coalition by coalition, or leaf by leaf."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.explain.shap.worked_report import (
    Coalition,
    Contribution,
    LeafTerm,
    WorkedLeaf,
    WorkedShapReport,
)
from treewright.explain.words import row_words
from treewright.model.arrays import EVERY_BRANCH, KIND_LEAF, STOP_HERE
from treewright.model.model import Model
from treewright.reports.frame import frame_library

__all__ = ["MOST_PLAYERS", "explain_shap"]

Floats = NDArray[np.float64]
MOST_PLAYERS = 5  # features whose coalitions are written out
ROUNDING = 1e-4  # weights that differ by less differ by rounding


def explain_shap(
    model: Model,
    matrix: NDArray[Any],
    values: Floats,
    *,
    meaning: str,
    by_rows: bool = False,
    tree: int = 0,
    column: int = 0,
    label: str | None = None,
    feature_names: Sequence[str] | None = None,
    X: Any = None,
) -> WorkedShapReport:
    """Explain the path-dependent Shapley values of one row and one tree.

    Parameters
    ----------
    model : Model
        The model.
    matrix : ndarray of shape (1, n_features)
        The row as the model reads it.
    values : ndarray of shape (n_nodes, n_outputs)
        What the nodes of the tree count.
    meaning : str
        What they are.
    by_rows : bool, default=False
        Whether branches are as likely as their share of the rows, not of the weight.
    tree : int, default=0
        Number of the tree.
    column : int, default=0
        Which output.
    label : str, optional
        Its name, where there are several.
    feature_names : sequence of str, optional
        Names to use instead of those of the training data.
    X : object, optional
        The user's own row; ``to_frame`` answers in its library.
    """
    names = model.names(feature_names)
    arrays = dict(model.trees[tree].to_arrays())
    if by_rows:
        arrays["weight"] = np.asarray(arrays["rows"], dtype=np.float64)
    # The trees compare what they are given: the same type as in `predict`.
    rows = _core.TreeRows(arrays, model.schema.n_codes)
    leaves = list(_leaves(arrays, rows, matrix, values[:, column]))
    players = sorted({feature for leaf in leaves for feature in leaf[2]})
    found = [_worked_leaf(leaf, names) for leaf in leaves]
    totals = {
        player: math.fsum(term.adds for leaf in found for term in leaf.terms if term.feature == names[player])
        for player in players
    }
    words = row_words(model.schema.features, np.asarray(matrix[0], dtype=np.float64))
    return WorkedShapReport(
        algorithm=model.algorithm,
        tree=tree,
        n_trees=len(model.trees),
        meaning=meaning,
        label=label,
        base=math.fsum(leaf.value * math.prod(term.z for term in leaf.terms) for leaf in found),
        prediction=math.fsum(leaf.value * math.prod(term.o for term in leaf.terms) for leaf in found),
        features=tuple(Contribution(names[player], words[player], totals[player]) for player in players),
        coalitions=_coalitions(players, leaves, names) if len(players) <= MOST_PLAYERS else None,
        leaves=tuple(found),
        _frame=frame_library(X, model.schema),
    )


Leaf = tuple[int, float, dict[int, tuple[float, float]]]


def _leaves(arrays: dict[str, Any], rows: Any, matrix: NDArray[Any], values: Floats) -> Iterator[Leaf]:
    """Return for each leaf its node, its value and for each feature above it o and z."""
    kind, weight, first = arrays["kind"], arrays["weight"], arrays["first_child"]
    waiting: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while waiting:
        node, path = waiting.pop()
        if kind[node] == KIND_LEAF:
            yield node, float(values[node]), path
            continue
        feature = int(arrays["feature"][node])
        taken = int(rows.branches(node, matrix)[0])
        children = range(int(first[node]), int(first[node]) + int(arrays["n_children"][node]))
        own = np.array([weight[child] for child in children], dtype=np.float64)
        total, all_rows = float(own.sum()), float(weight[node])
        is_weightless = not (total > 0 and all_rows > 0)
        if is_weightless and taken == EVERY_BRANCH:
            taken = STOP_HERE
        rest = 0.0 if is_weightless else 1 - total / all_rows
        before_o, before_z = path.get(feature, (1.0, 1.0))

        def passed(o: float, z: float, path: Any = path, of: Any = (feature, before_o, before_z)) -> Any:
            return {**path, of[0]: (of[1] * o, of[2] * z)}

        if rest > ROUNDING or taken == STOP_HERE:
            z = rest if rest > ROUNDING else 0.0
            yield node, float(values[node]), passed(1.0 if taken == STOP_HERE else 0.0, z)
        divisor = all_rows if rest > ROUNDING or taken == EVERY_BRANCH else total
        for branch, child in reversed(list(enumerate(children))):
            z = 1 / len(children) if is_weightless else float(own[branch] / divisor)
            o = z if taken == EVERY_BRANCH else float(taken == branch)
            waiting.append((child, passed(o, z)))


def _worked_leaf(leaf: Leaf, names: Sequence[str]) -> WorkedLeaf:
    node, value, path = leaf
    points, weights = np.polynomial.legendre.leggauss(max(1, (len(path) + 1) // 2))
    at, weights = (points + 1) / 2, weights / 2
    terms = []
    for feature, (o, z) in path.items():
        others = [at * o_k + (1 - at) * z_k for k, (o_k, z_k) in path.items() if k != feature]
        integral = float(np.sum(weights * np.prod(others, axis=0))) if others else 1.0
        terms.append(LeafTerm(names[feature], o, z, integral, value * (o - z) * integral))
    return WorkedLeaf(node, value, tuple(terms))


def _coalitions(players: list[int], leaves: list[Leaf], names: Sequence[str]) -> tuple[Coalition, ...]:
    found = []
    for size in range(len(players) + 1):
        for known in itertools.combinations(players, size):
            worth = math.fsum(
                value * math.prod(o if feature in known else z for feature, (o, z) in path.items())
                for _, value, path in leaves
            )
            found.append(Coalition(tuple(names[player] for player in known), worth))
    return tuple(found)
