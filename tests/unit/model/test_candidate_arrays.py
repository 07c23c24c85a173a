from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import CARTClassifier, _core
from treewright.model import Tree
from treewright.model.arrays import CANDIDATE_ARRAYS
from treewright.model.edit import collapse

Arrays = dict[str, Any]


def grown() -> tuple[Arrays, np.ndarray]:
    """Return a tree with candidates of numbers (column 0) and of categories (columns 1 and 2)."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": rng.standard_normal(200)})
    for name in ("one", "two"):
        X[name] = pd.Categorical(rng.choice(list("abcd"), 200))
    y = (X["number"] > 0) ^ X["one"].isin(["a", "b"])
    tree = CARTClassifier().fit(X, y).tree_
    return {name: array.copy() for name, array in tree.to_arrays().items()}, tree.n_codes


def put(name: str, value: Any, kind: int | None = None) -> Callable[[Arrays], None]:
    """Return a change of one entry: the first one, or the first of a kind of test."""

    def change(arrays: Arrays) -> None:
        place = 0 if kind is None else int(np.argmax(arrays["candidate_kind"] == kind))
        arrays[name][place] = value

    return change


def shorten(arrays: Arrays) -> None:
    arrays["candidate_gain"] = arrays["candidate_gain"][:-1]


def to_a_leaf(arrays: Arrays) -> None:
    arrays["candidate_node"][:] = int(np.argmax(arrays["kind"] == 0))


DAMAGES = [
    (shorten, "'candidate_gain' has"),
    (put("candidate_node", -1), "ascending order"),
    (put("candidate_node", 10**6), "ascending order"),
    (to_a_leaf, "leaf .* has candidates"),
    (put("candidate_kind", 0), "unknown kind"),
    (put("candidate_kind", 9), "unknown kind"),
    (put("candidate_feature", 3), "unknown feature"),
    (put("candidate_threshold", np.nan, 1), "threshold too many or few"),
    (put("candidate_threshold", 1.0, 2), "threshold too many or few"),
    (put("candidate_table", 0, 1), "unused table"),
    (put("candidate_table", -1, 2), "without a table"),
    (put("candidate_table", 10**6, 2), "outside the tables"),
    (put("candidate_feature", 0, 2), "category candidate on a numeric feature"),
    (put("candidate_branches", 3), "impossible number of branches"),
    (put("candidate_left", -1.0), "have no weights"),
    (put("candidate_gain", np.inf), "gain is not a number"),
    (put("candidate_least_gain", np.nan), "gain is not a number"),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES)
def test_damaged_candidates_are_refused_twice(damage: Callable[[Arrays], None], sentence: str) -> None:
    arrays, n_codes = grown()
    Tree.from_arrays(arrays, n_codes)
    _core.check_tree(arrays, n_codes)
    damage(arrays)
    with pytest.raises(ValueError, match=sentence):
        Tree.from_arrays(arrays, n_codes)
    with pytest.raises(ValueError, match="Not a valid tree"):
        _core.check_tree(arrays, n_codes)


def test_a_tree_from_elsewhere_needs_no_candidates() -> None:
    arrays, n_codes = grown()
    bare = {name: array for name, array in arrays.items() if name not in CANDIDATE_ARRAYS}
    tree = Tree(bare, n_codes)
    assert all(len(tree.to_arrays()[name]) == 0 for name in CANDIDATE_ARRAYS)


def test_candidates_leave_with_their_nodes() -> None:
    arrays, n_codes = grown()
    tree = Tree(arrays, n_codes)
    marked = np.zeros(tree.node_count, dtype=np.bool_)
    marked[int(tree.first_child[0])] = True
    smaller = collapse(tree, marked)
    _core.check_tree(smaller.to_arrays(), n_codes)
    Tree.from_arrays(smaller.to_arrays(), n_codes)
    kept = smaller.to_arrays()["candidate_node"]
    assert 0 < len(kept) < len(arrays["candidate_node"])
    assert (smaller.kind[kept] != 0).all()
