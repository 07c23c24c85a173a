"""LightGBM's JSON dump (``dump_model``), trees as objects within objects, as what its text files say."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.imported.faults import fault, unsupported
from treewright.imported.fields import read_json, sub_list, sub_object, text_of, whole_number
from treewright.imported.lightgbm_text import MOST_LEAVES, TextModel

__all__ = ["read_dump"]

MISSING: Final = {"None": 0, "Zero": 4, "NaN": 8}
MOST_CATEGORY = 2**24  # a set of categories has a bit for each number up to its largest


def read_dump(content: bytes) -> TextModel:
    """Return what a JSON dump says; ModelFileError, with the place, when it is none.

    Parameters
    ----------
    content : bytes
        The file.
    """
    found = read_json(content)
    if not isinstance(found, dict) or "tree_info" not in found:
        fault("the file", "it is no dump of a model of LightGBM")
    trees = [_Tree(one, number) for number, one in enumerate(sub_list(found, "tree_info", "the file"))]
    if not trees:
        fault("tree_info", "there is no tree")
    numbers = {name: np.concatenate([tree.numbers[name] for tree in trees]) for name in trees[0].numbers}
    lists = found.get("pandas_categorical")
    if lists is not None and not (isinstance(lists, list) and all(isinstance(one, list) for one in lists)):
        fault("pandas_categorical", "it is not a list of lists of categories")
    return TextModel(
        header=_header(found),
        n_leaves=np.array([tree.n_leaves for tree in trees], dtype=np.int64),
        numbers=numbers,
        cat_boundaries=[np.cumsum([0, *map(len, tree.sets)]) for tree in trees],
        cat_threshold=[np.concatenate([*tree.sets, np.zeros(0, np.int64)]) for tree in trees],
        pandas_categorical=lists,
    )


def _header(found: dict[str, Any]) -> dict[str, str]:
    names = sub_list(found, "feature_names", "the file")
    infos = found.get("feature_infos")
    infos = infos if isinstance(infos, dict) else {}
    header = {
        "max_feature_idx": str(whole_number(found, "max_feature_idx", "the file")),
        "num_tree_per_iteration": str(whole_number(found, "num_tree_per_iteration", "the file", 1)),
        # Texts have blanks between names, and so `_` for those within.
        "feature_names": " ".join(str(name).replace(" ", "_") for name in names),
        "feature_infos": " ".join(_info(infos.get(name)) for name in map(str, names)),
    }
    if "objective" in found:
        header["objective"] = text_of(found, "objective", "the file")
    return header | ({"average_output": ""} if found.get("average_output") is True else {})


def _info(told: Any) -> str:
    if not isinstance(told, dict):
        return "none"
    values = told.get("values")
    if isinstance(values, list) and values:
        return ":".join(str(value) for value in values if isinstance(value, int)) or "none"
    return f"[{told.get('min_value')}:{told.get('max_value')}]".replace(" ", "")


class _Tree:
    """One tree, its nodes by LightGBM's numbers.

    Attributes
    ----------
    n_leaves : int
        Its leaves.
    numbers : dict of str to ndarray
        As of `TextModel`, for this tree.
    sets : list of ndarray
        The words of each set of categories.
    """

    def __init__(self, told: Any, number: int) -> None:
        self._where = f"tree {number}"
        if not isinstance(told, dict):
            fault(self._where, "it is not an object")
        if told.get("is_linear"):
            unsupported(f"{self._where} has linear leaves (linear_tree), which cannot be imported")
        self.n_leaves = whole_number(told, "num_leaves", self._where)
        nodes = _flat(sub_object(told, "tree_structure", self._where), self._where)
        n_tests = sum("split_index" in node for node in nodes)
        if not 1 <= self.n_leaves <= MOST_LEAVES or len(nodes) != 2 * n_tests + 1:
            fault(self._where, "it is not a tree of tests with two branches")
        if self.n_leaves != n_tests + 1:
            fault(self._where, f"it has {n_tests + 1} leaves, and num_leaves says {self.n_leaves}")
        self.sets: list[NDArray[np.int64]] = []
        self.numbers: dict[str, NDArray[Any]] = {
            name: np.zeros(n_tests, dtype=np.int64)
            for name in ("split_feature", "decision_type", "left_child", "right_child")
        }
        self.numbers |= {name: np.zeros(n_tests) for name in ("threshold", "internal_count", "split_gain")}
        self.numbers |= {name: np.zeros(self.n_leaves) for name in ("leaf_value", "leaf_count")}
        seen: set[int] = set()
        for node in nodes:
            place = self._place(node)
            if place in seen:
                fault(self._where, "a number of a node stands there twice")
            seen.add(place)
            if place < 0:
                self.numbers["leaf_value"][~place] = self._number(node, "leaf_value")
                self.numbers["leaf_count"][~place] = self._number(node, "leaf_count", 0.0)
            else:
                self._test(node, place)

    def _place(self, node: dict[str, Any]) -> int:
        """Return the number of a test, or ~number of a leaf."""
        is_test = "split_index" in node
        index = whole_number(
            node, "split_index" if is_test else "leaf_index", self._where, None if is_test else 0
        )
        if index >= self.n_leaves - is_test:
            fault(self._where, f"it has no node {index}")
        return index if is_test else ~index

    def _number(self, node: dict[str, Any], name: str, default: float | None = None) -> float:
        found = node.get(name, default)
        if isinstance(found, bool) or not isinstance(found, int | float):
            fault(self._where, f"{name} is not a number")
        return float(found)

    def _test(self, node: dict[str, Any], place: int) -> None:
        numbers = self.numbers
        numbers["split_feature"][place] = whole_number(node, "split_feature", self._where)
        kind = MISSING.get(str(node.get("missing_type")))
        if kind is None:
            fault(self._where, f"the missing_type {str(node.get('missing_type'))[:20]!r} does not exist")
        kind |= 2 if node.get("default_left") is True else 0
        decision = node.get("decision_type")
        if decision == "==":
            kind |= 1
            numbers["threshold"][place] = len(self.sets)
            self.sets.append(self._words(node.get("threshold")))
        elif decision == "<=":
            numbers["threshold"][place] = self._number(node, "threshold")
        else:
            fault(self._where, f"the decision_type {str(decision)[:20]!r} does not exist")
        numbers["decision_type"][place] = kind
        numbers["internal_count"][place] = self._number(node, "internal_count", 0.0)
        numbers["split_gain"][place] = self._number(node, "split_gain", 0.0)
        for name in ("left_child", "right_child"):
            numbers[name][place] = self._place(node[name])

    def _words(self, told: Any) -> NDArray[np.int64]:
        """Return a set of categories, which is ``1||4||7`` there, as bits in words."""
        texts = str(told).split("||")
        if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts):
            fault(self._where, "a set of categories is not a list of whole numbers")
        values = np.array([int(text) for text in texts], dtype=np.int64)
        if values.max() >= MOST_CATEGORY:
            fault(self._where, "a category has a number that is too large")
        words = np.zeros(int(values.max()) // 32 + 1, dtype=np.int64)
        np.bitwise_or.at(words, values // 32, np.left_shift(np.int64(1), values % 32))
        return words


def _flat(root: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """Return all nodes of a tree."""
    found: list[dict[str, Any]] = []
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            fault(where, "a node is not an object")
        found.append(node)
        if "split_index" in node:
            waiting += [sub_object(node, "left_child", where), sub_object(node, "right_child", where)]
    return found
