"""`_core.check_tree` refuses arrays that are no tree, whatever they hold, with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright import _core

Arrays = dict[str, NDArray[Any]]
N_CODES = np.array([0, 4], np.uint32)


def small_tree() -> Arrays:
    """0: x0 <= 0.5 → 1, 2;  2: branches of x1 → 3, 4, 5."""
    return {
        "kind": np.array([1, 0, 3, 0, 0, 0], np.uint8),
        "feature": np.array([0, -1, 1, -1, -1, -1], np.int32),
        "first_child": np.array([1, -1, 3, -1, -1, -1], np.int32),
        "n_children": np.array([2, 0, 3, 0, 0, 0], np.uint32),
        "threshold": np.array([0.5, np.nan, np.nan, np.nan, np.nan, np.nan]),
        "table": np.array([-1, -1, 0, -1, -1, -1], np.int64),
        "missing": np.array([0, 0, 0xFFFFFFFF, 0, 0, 0], np.uint32),
        "value": np.arange(12.0).reshape(6, 2),
        "rows": np.array([6, 3, 3, 1, 1, 1], np.int64),
        "weight": np.array([6.0, 3, 3, 1, 1, 1]),
        "loss": np.zeros(6),
        "gain": np.zeros(6),
        "tables": np.array([2, 5, 0, 0, 1, 2, 0xFFFFFFFF], np.uint32),
    }


def test_a_sound_tree_is_accepted() -> None:
    _core.check_tree(small_tree(), N_CODES)


def test_strided_read_only_and_unneeded_arrays_are_accepted() -> None:
    arrays = small_tree()
    arrays["weight"] = np.repeat(arrays["weight"], 2)[::2]
    arrays["value"] = np.asfortranarray(arrays["value"])
    arrays["rows"].flags.writeable = False
    arrays["comment"] = np.array(["not part of a tree"])
    _core.check_tree(arrays, N_CODES)


@pytest.mark.parametrize("name", sorted(small_tree()))
def test_an_array_that_is_absent_is_named(name: str) -> None:
    arrays = small_tree()
    del arrays[name]
    with pytest.raises(ValueError, match=f"tree array '{name}' is missing"):
        _core.check_tree(arrays, N_CODES)


@pytest.mark.parametrize("name", sorted(small_tree()))
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array.astype(np.float32),
        lambda array: array[None, None],
        lambda array: array.astype(array.dtype.newbyteorder()),
        lambda array: array.astype(object),
        lambda array: array.tolist(),
        lambda array: None,
    ],
    ids=["float32", "3-D", "byte order", "object", "list", "None"],
)
def test_an_array_of_another_type_is_named(name: str, change: Callable[[NDArray[Any]], Any]) -> None:
    arrays = small_tree()
    arrays[name] = change(arrays[name])
    if name == "kind" and isinstance(arrays[name], np.ndarray) and arrays[name].dtype == np.uint8:
        arrays[name] = np.zeros((1, 1, 6), np.uint8)  # a byte has no byte order
    with pytest.raises(ValueError, match=f"tree array '{name}' must be a"):
        _core.check_tree(arrays, N_CODES)


@pytest.mark.parametrize(
    ("name", "index", "value", "sentence"),
    [
        ("kind", 0, 9, "node 0: it has the unknown kind 9"),
        ("feature", 0, 2, "node 0: it tests feature 2, which does not exist"),
        ("first_child", 2, 1, "node 2: its children do not come after it"),
        ("first_child", 0, 2**31 - 1, "node 0: its children lie outside the tree"),
        ("first_child", 0, 3, "node 3: it has two parents"),
        ("n_children", 2, 2**32 - 1, "node 2: its children lie outside the tree"),
        ("threshold", 0, np.nan, "node 0: its threshold is not a number"),
        ("table", 2, 2**63 - 1, "node 2: its table lies outside 'tables'"),
        ("tables", 1, 2**32 - 1, "node 2: its table ends outside 'tables'"),
        ("tables", 4, 3, "node 2: its table names branch 3, which does not exist"),
        ("missing", 0, 2, "node 0: missing values go to branch 2, which does not exist"),
        ("weight", 3, np.nan, "node 3: its weight is not a finite number of at least 0"),
        ("rows", 3, -1, "node 3: it has a negative number of rows"),
    ],
)
def test_the_message_names_the_node_and_what_is_wrong(
    name: str, index: int, value: float, sentence: str
) -> None:
    arrays = small_tree()
    arrays[name][index] = value
    with pytest.raises(ValueError, match=sentence):
        _core.check_tree(arrays, N_CODES)
    with pytest.raises(ValueError, match=sentence):
        _core.Predictor([arrays], N_CODES)


def test_random_bytes_never_crash_and_what_passes_can_be_predicted_with() -> None:
    random = np.random.default_rng(0)
    matrix = np.array([[0.0, 1], [1, 2], [np.nan, 5], [1, np.nan]])
    n_refused = n_accepted = 0
    for _ in range(3000):
        arrays = small_tree()
        for name in random.choice(sorted(arrays), random.integers(1, 3)):
            raw = arrays[name].reshape(-1).view(np.uint8)
            raw[random.integers(0, raw.size, random.integers(1, 4))] = random.integers(0, 256)
        try:
            predictor = _core.Predictor([arrays], N_CODES)
        except ValueError as error:
            assert str(error).startswith("Not a valid tree: ")
            n_refused += 1
        else:
            leaves = predictor.apply(matrix)
            assert ((leaves >= 0) & (leaves < 6)).all()
            n_accepted += 1
    assert n_refused > 300
    assert n_accepted > 300
