"""LightGBM's text files as arrays: lines ``name=numbers``, a block of them for each tree.

The lines of one name are parsed together for all trees: a file of 100 MB takes seconds.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.imported.faults import fault, unsupported

__all__ = ["TextModel", "read_text"]

# Lines of a tree with one number for each test, each leaf, and for sets of categories.
OF_TESTS: Final = {
    b"split_feature": np.int64,
    b"threshold": np.float64,
    b"decision_type": np.int64,
    b"left_child": np.int64,
    b"right_child": np.int64,
}
OF_LEAVES: Final = {b"leaf_value": np.float64}
# Those that older versions, and trees of a single leaf, may lack.
OPTIONAL: Final = {b"internal_count": np.float64, b"leaf_count": np.float64, b"split_gain": np.float64}
MOST_LEAVES = 2**31 - 1


@dataclass(frozen=True)
class TextModel:
    """What a file says.

    Attributes
    ----------
    header : dict of str to str
        The lines before the first tree; those without ``=`` have an empty text.
    n_leaves : ndarray of int64
        Leaves of each tree.
    numbers : dict of str to ndarray
        By the name of the lines, the numbers of all trees; 0 where a tree does not have the line.
    cat_boundaries, cat_threshold : list of ndarray
        For each tree, where its sets of categories begin, and their bits in words.
    pandas_categorical : list or None
        The categories of the DataFrame that it was fitted on.
    """

    header: dict[str, str]
    n_leaves: NDArray[np.int64]
    numbers: dict[str, NDArray[Any]]
    cat_boundaries: list[NDArray[np.int64]]
    cat_threshold: list[NDArray[np.int64]]
    pandas_categorical: list[Any] | None


def read_text(content: bytes) -> TextModel:
    """Return what a text file says; ModelFileError, with the place, when it is none.

    Parameters
    ----------
    content : bytes
        The file.
    """
    content = content.replace(b"\r\n", b"\n")
    if not content.startswith(b"tree\n"):
        fault("line 1", "a text file of LightGBM starts with 'tree'")
    first = content.find(b"\nTree=")
    end = content.find(b"\nend of trees", max(first, 0))
    if first < 0 or end < 0:
        fault("the end", "'end of trees' is missing: the file is not complete")
    header = _lines(content[:first])
    blocks = content[first:end].split(b"\nTree=")[1:]
    n_leaves, numbers, boundaries, words = _trees(blocks)
    return TextModel(header, n_leaves, numbers, boundaries, words, _pandas_categorical(content[end:]))


def _lines(text: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.decode("utf-8", "replace").split("\n"):
        name, _, value = line.partition("=")
        if name in found:
            fault("the header", f"{name[:40]!r} stands there twice")
        if name:
            found[name] = value
    return found


def _pandas_categorical(end: bytes) -> list[Any] | None:
    place = end.rfind(b"\npandas_categorical:")
    if place < 0:
        return None
    found = json.loads(end[place + len(b"\npandas_categorical:") :].split(b"\n")[0] or b"null")
    if found is not None and (not isinstance(found, list) or not all(isinstance(one, list) for one in found)):
        fault("pandas_categorical", "it is not a list of lists of categories")
    return found


def _trees(blocks: Sequence[bytes]) -> tuple[Any, ...]:
    known = {*OF_TESTS, *OF_LEAVES, *OPTIONAL, b"num_leaves", b"num_cat", b"is_linear"}
    known |= {b"cat_boundaries", b"cat_threshold"}
    trees: list[dict[bytes, bytes]] = []
    for number, block in enumerate(blocks):
        lines: dict[bytes, bytes] = {}
        for line in block.split(b"\n")[1:]:
            name, _, value = line.partition(b"=")
            if name in known:
                if name in lines:
                    fault(f"tree {number}", f"{name.decode()} stands there twice")
                lines[name] = value
        if lines.get(b"is_linear", b"0").strip() not in (b"0", b""):
            unsupported(f"tree {number} has linear leaves (linear_tree), which cannot be imported")
        trees.append(lines)
    n_leaves = np.array(
        [_count(lines, b"num_leaves", number) for number, lines in enumerate(trees)], np.int64
    )
    if (n_leaves < 1).any():
        fault(f"tree {int(np.argmin(n_leaves))}", "it has no leaf")
    numbers: dict[str, NDArray[Any]] = {}
    for name, dtype in {**OF_TESTS, **OF_LEAVES, **OPTIONAL}.items():
        counts = n_leaves if name.startswith(b"leaf") else n_leaves - 1
        numbers[name.decode()] = _joined(trees, name, dtype, counts)
    boundaries, words = [], []
    for number, lines in enumerate(trees):
        n_sets = _count(lines, b"num_cat", number) if b"num_cat" in lines else 0
        boundaries.append(_numbers(lines, b"cat_boundaries", number) if n_sets else np.zeros(1, np.int64))
        words.append(_numbers(lines, b"cat_threshold", number) if n_sets else np.zeros(0, np.int64))
        if n_sets and len(boundaries[-1]) != n_sets + 1:
            fault(f"tree {number}", f"cat_boundaries has not num_cat + 1 = {n_sets + 1} entries")
    return n_leaves, numbers, boundaries, words


def _count(lines: dict[bytes, bytes], name: bytes, tree: int) -> int:
    text = lines.get(name, b"").strip()
    if not text.isdigit() or len(text) > 10 or int(text) > MOST_LEAVES:
        fault(f"tree {tree}", f"{name.decode()} is not a count")
    return int(text)


def _numbers(lines: dict[bytes, bytes], name: bytes, tree: int) -> NDArray[np.int64]:
    text = lines.get(name, b"").strip()
    return _parsed(text, np.dtype(np.int64), text.count(b" ") + 1, f"tree {tree}, {name.decode()}")


def _joined(
    trees: Sequence[dict[bytes, bytes]], name: bytes, dtype: Any, counts: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the numbers of a line of all trees."""
    optional = name in OPTIONAL
    texts = [lines.get(name, b"").strip() for lines in trees]
    found = np.array([text.count(b" ") + 1 if text else 0 for text in texts])
    absent = (found == 0) & optional
    if ((found != counts) & ~absent).any():
        tree = int(np.argmax((found != counts) & ~absent))
        fault(f"tree {tree}", f"{name.decode()} has {int(found[tree])} numbers, expected {int(counts[tree])}")
    try:
        numbers = _parsed(b" ".join(text for text in texts if text), np.dtype(dtype), int(found.sum()), "")
    except ValueError:
        for tree, text in enumerate(texts):
            _parsed(text, np.dtype(dtype), int(found[tree]), f"tree {tree}, {name.decode()}")
        raise
    if not absent.any():
        return numbers
    filled = np.zeros(int(counts.sum()), dtype=dtype)
    filled[np.repeat(~absent, counts)] = numbers
    return filled


def _parsed(text: bytes, dtype: np.dtype[Any], count: int, where: str) -> NDArray[Any]:
    """Return numbers between single blanks, each rounded correctly."""
    if not text:
        if count:
            fault(where, "it has no numbers")
        return np.zeros(0, dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            numbers = np.fromstring(text, dtype=dtype, sep=" ")
    except (DeprecationWarning, ValueError):
        fault(where, "something in it is not a number")
    if len(numbers) != count:
        fault(where, "something in it is not a number")
    return numbers
