"""The engine sends rows to nodes as a plain walk in NumPy does, and as growing did."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    GradientBoostingRegressor,
    ID3Classifier,
    LeafwiseBoostingClassifier,
    RandomForestClassifier,
    _core,
)
from treewright.model.arrays import EVERY_BRANCH, KIND_THRESHOLD, STOP_HERE
from treewright.model.node import Node
from treewright.model.split import branches_of_codes

N = 400
MODELS: dict[str, Any] = {
    "binary": CARTClassifier(),
    "largest_side": CARTClassifier(missing="majority"),
    "substitutes": CARTClassifier(missing="surrogate", max_depth=6),
    "numbers": CARTRegressor(max_depth=8),
    "textbook": C45Classifier(prune=None),
    "release_8": C45Classifier(faithful="r8", prune=None),
    "j48": C45Classifier(faithful="j48", prune=None),
    "own_branch": ID3Classifier(),
    "forest": RandomForestClassifier(n_estimators=2, bootstrap=False, random_state=0),
    "leafwise": LeafwiseBoostingClassifier(n_estimators=3),
    "least_squares": GradientBoostingRegressor(n_estimators=2, max_depth=5),
}


def _table(only_categories: bool) -> tuple[Any, NDArray[np.int64], NDArray[np.float64]]:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    colours = rng.choice(["red", "green", "blue", None], N, p=[0.4, 0.3, 0.2, 0.1])
    many = rng.choice([f"town {i}" for i in range(80)], N)
    numbers = rng.normal(size=(N, 2)).round(1)
    numbers[rng.random(numbers.shape) < 0.15] = np.nan
    columns: dict[str, Any] = {"colour": pandas.Categorical(colours), "town": pandas.Categorical(many)}
    if not only_categories:
        columns |= {"one": numbers[:, 0], "two": numbers[:, 1]}
    y = (np.nan_to_num(numbers[:, 0]) > 0) ^ (colours == "red") ^ (rng.random(N) < 0.1)
    weights = rng.choice([0.5, 1.0, 2.0, 0.1], N)
    return pandas.DataFrame(columns), y.astype(np.int64), weights


def _branches(arrays: dict[str, NDArray[Any]], node: int, column: NDArray[Any]) -> NDArray[np.uint32]:
    missing = np.isnan(column)
    if arrays["kind"][node] == KIND_THRESHOLD:
        entries = (column > np.float64(arrays["threshold"][node])).astype(np.uint32)
    else:
        codes = np.where(missing, 0, column).astype(np.int64)
        entries = branches_of_codes(arrays["tables"], int(arrays["table"][node]), codes)
    return np.where(missing, arrays["missing"][node], entries).astype(np.uint32)


def _by_passing(predictor: Any, matrix: NDArray[Any], place: Node) -> NDArray[np.uint32]:
    """Where substitutes are asked: the branches of the rows, by the nodes that the predictor passes."""
    indptr, indices = predictor.decision_path(np.ascontiguousarray(matrix))
    entries = np.full(len(matrix), STOP_HERE, dtype=np.uint32)
    owner = np.repeat(np.arange(len(matrix)), np.diff(indptr))
    for branch, child in enumerate(place.children):
        entries[owner[indices == child.id]] = branch
    return entries


def _down(
    rows: NDArray[np.uint32], weights: Any, entries: NDArray[np.uint32], branch: int, single: bool
) -> tuple[NDArray[np.uint32], Any]:
    here, shared = entries == branch, entries == EVERY_BRANCH
    if not shared.any() or not here.any():
        return rows[here], None if weights is None else weights[here]
    weights = np.ones(len(rows)) if weights is None else weights.copy()
    part = np.cumsum(weights[here])[-1] / np.cumsum(weights[entries < STOP_HERE])[-1]
    if single:
        weights[shared] = (weights[shared].astype(np.float32) * np.float32(part)).astype(np.float64)
    else:
        weights[shared] *= part
    return rows[here | shared], weights[here | shared]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_the_engine_sends_rows_where_a_plain_walk_sends_them(name: str, weighted: bool) -> None:
    X, y, sample_weight = _table(name == "own_branch")
    weights = sample_weight if weighted else None
    model = MODELS[name].fit(X, y, sample_weight=weights).model_
    matrix = MODELS[name]._encode(X)[1]
    view = model.view(0 if len(model.trees) > 1 else None)
    arrays = view.tree.to_arrays()
    tree = _core.TreeRows(arrays, model.schema.n_codes)
    single = name == "release_8"
    checked = shared = 0
    for place in list(view)[::3]:
        rows, own = np.arange(N, dtype=np.uint32), weights
        for above, below in pairwise(place.path):
            part = matrix[rows]
            if len(arrays["surrogate_feature"]):
                entries = _by_passing(model.predictor, part, above)
            else:
                entries = _branches(arrays, above.id, part[:, int(arrays["feature"][above.id])])
            assert np.array_equal(tree.branches(above.id, matrix, rows), entries)
            shared += int((entries == EVERY_BRANCH).sum())
            branch = below.id - int(arrays["first_child"][above.id])
            again = tree.down(above.id, branch, matrix, rows, own, single=single)
            rows, own = _down(rows, own, entries, branch, single)
            assert np.array_equal(again[0], rows)
        found, found_weights = tree.at(place.id, matrix, weights=weights, single=single)
        assert np.array_equal(found, rows)
        assert (own is None) == (found_weights is None)
        assert own is None or found_weights.tobytes() == own.tobytes()
        checked += 1
    assert checked > 3
    assert shared > 0 or name not in ("textbook", "release_8", "j48")


@pytest.mark.parametrize("name", ["binary", "largest_side", "substitutes", "textbook", "release_8"])
def test_every_node_has_the_rows_and_the_weight_of_its_fit(name: str) -> None:
    X, y, sample_weight = _table(False)
    model = MODELS[name].fit(X, y, sample_weight=sample_weight).model_
    tree = _core.TreeRows(model.view().tree.to_arrays(), model.schema.n_codes)
    matrix = MODELS[name]._encode(X)[1]
    for place in model.view():
        rows, weights = tree.at(place.id, matrix, weights=sample_weight, single=name == "release_8")
        assert len(rows) == place.rows
        assert weights is not None and abs(weights.sum() - place.weight) < 1e-6


def test_a_forest_sends_a_value_where_its_trees_send_it() -> None:
    X, y, _ = _table(False)
    model = RandomForestClassifier(n_estimators=3, random_state=0, max_depth=6).fit(X, y).model_
    matrix = MODELS["forest"].fit(X, y)._encode(X)[1][:20]
    forest = model.trees
    kinds = set()
    for number in range(3):
        tree = _core.TreeRows(forest[number].to_arrays(), model.schema.n_codes)
        inner = [place for place in model.view(number) if not place.is_leaf]
        for row in matrix:
            nodes = np.array([forest.arrays["begin"][number] + place.id for place in inner])
            values = np.array([row[place.view.tree.feature[place.id]] for place in inner], dtype=np.float64)
            found = _core.forest_branches(dict(forest.arrays), nodes, values)
            own = [int(tree.branches(place.id, row[np.newaxis])[0]) for place in inner]
            assert found.tolist() == own
        kinds |= {(str(place.split.kind), place.split.missing_branch) for place in inner}
    assert {kind for kind, _ in kinds} == {"threshold", "subset"}
    assert {missing for _, missing in kinds} == {0, 1}
    with pytest.raises(IndexError, match="no such node"):
        _core.forest_branches(dict(forest.arrays), np.array([10**6]), np.zeros(1))
    leaf = int(np.flatnonzero(forest.arrays["feature"] < 0)[0])
    with pytest.raises(ValueError, match="Only an inner node"):
        _core.forest_branches(dict(forest.arrays), np.array([leaf]), np.zeros(1))


def test_rows_and_nodes_that_do_not_exist_are_refused() -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    model = CARTClassifier().fit(X, y).model_
    tree = _core.TreeRows(model.view().tree.to_arrays(), model.schema.n_codes)
    with pytest.raises(IndexError, match="no such node"):
        tree.at(99, X)
    with pytest.raises(IndexError, match="not one of the matrix"):
        tree.at(1, X, np.array([8], dtype=np.uint32))
    with pytest.raises(ValueError, match="2 columns, expected 1"):
        tree.at(1, np.zeros((8, 2)))
    with pytest.raises(ValueError, match="Only an inner node"):
        tree.branches(model.view().tree.node_count - 1, X)
    with pytest.raises(ValueError, match="one weight for every row"):
        tree.down(0, 0, X, np.array([0, 1], dtype=np.uint32), np.ones(3))


def test_nothing_crosses_the_middle_between_the_sides_of_a_constrained_test() -> None:
    free = (-np.inf, np.inf)
    assert _core.child_bounds(*free, 0, 1.0, 3.0, 0) == free
    assert _core.child_bounds(*free, 1, 1.0, 3.0, 0) == (-np.inf, 2.0)
    assert _core.child_bounds(*free, 1, 1.0, 3.0, 1) == (2.0, np.inf)
    assert _core.child_bounds(0.0, 5.0, -1, 3.0, 1.0, 0) == (2.0, 5.0)
