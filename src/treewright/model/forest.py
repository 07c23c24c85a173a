"""Forest: many fitted trees in lean arrays; a tree is unpacked when somebody asks for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.criteria import CLASS_CRITERIA, CRITERIA, native
from treewright.data.schema import frozen
from treewright.model.forest_arrays import (
    FOREST_ARRAYS,
    FOREST_LEAF,
    FOREST_NODE_ARRAYS,
    FOREST_OPTIONAL,
    FOREST_SUBSET,
    ForestArrays,
    check_forest_arrays,
    forest_depths,
)
from treewright.model.tree import Tree

__all__ = ["Forest"]

KEPT_TREES = 4  # somebody who looks at a tree asks for it several times

# One lock for all forests: it is held for the moment of keeping a tree, and a lock of its own would stop a
# forest from pickling.
_KEEPING = threading.Lock()


class Forest(Sequence[Tree]):
    """Fitted binary trees of one task, as a read-only sequence of `Tree`.

    Prediction and files use the arrays as they are. ``forest[3]`` unpacks a tree: the values of its inner
    nodes are the means of their children's, and for numbers the loss, which a forest does not keep, is NaN.
    A slice is a forest.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays of `treewright.model.forest_arrays.FOREST_ARRAYS`, trusted to be consistent; `from_arrays`
        checks them. They are not copied. Those of `FOREST_OPTIONAL` may be there; others are ignored.
    n_codes : array-like of int
        Number of categories of each feature, 0 for a numeric one.
    criterion : str
        A name of `treewright.criteria`: what the trees were grown by.
    """

    def __init__(self, arrays: ForestArrays, n_codes: ArrayLike, criterion: str) -> None:
        if criterion not in CRITERIA:
            raise ValueError(f"a forest is grown by one of {', '.join(CRITERIA)}, not {criterion!r}")
        if (len(arrays["distributions"]) > 0) != (criterion in CLASS_CRITERIA):
            raise ValueError(f"the leaves of the forest do not hold what {criterion!r} is about")
        optional = [name for name in FOREST_OPTIONAL if name in arrays]
        self._arrays = {name: frozen(arrays[name]) for name in (*FOREST_ARRAYS, *optional)}
        self._n_codes = frozen(np.asarray(n_codes, dtype=np.uint32))
        self._criterion = criterion
        self._kept: dict[int, Tree] = {}

    @classmethod
    def from_arrays(cls, arrays: ForestArrays, n_codes: ArrayLike, criterion: str) -> Self:
        """Make a forest from arrays of unknown origin; ValueError with a sentence when they are not one."""
        codes = np.asarray(n_codes, dtype=np.uint32)
        check_forest_arrays(arrays, codes)
        return cls(arrays, codes, criterion)

    # --- a sequence of trees
    # ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._arrays["begin"]) - 1

    @overload
    def __getitem__(self, tree: int) -> Tree: ...

    @overload
    def __getitem__(self, tree: slice) -> Self: ...

    def __getitem__(self, tree: int | slice) -> Tree | Self:
        if isinstance(tree, slice):
            first, last, step = tree.indices(len(self))
            if step != 1 or last <= first:
                raise IndexError("a part of a forest is one or more trees that follow each other")
            return self._part(first, last)
        index = tree.__index__()
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"tree {index} does not exist; the forest has the trees 0 to {len(self) - 1}")
        with _KEEPING:
            if position in self._kept:
                return self._kept[position]
        unpacked = self._unpacked(position)
        with _KEEPING:
            # Another thread may have been faster: everybody gets the same object.
            found = self._kept.setdefault(position, unpacked)
            while len(self._kept) > KEPT_TREES:
                del self._kept[next(iter(self._kept))]
        return found

    def __iter__(self) -> Iterator[Tree]:
        return (self._unpacked(tree) for tree in range(len(self)))

    def _unpacked(self, tree: int) -> Tree:
        return Tree(_core.unpack_tree(self._arrays, tree, native(self._criterion)), self._n_codes)

    def _part(self, first: int, last: int) -> Self:
        begin = self._arrays["begin"][first : last + 1]
        nodes = slice(int(begin[0]), int(begin[-1]))
        part: dict[str, NDArray[Any]] = {name: self._arrays[name][nodes] for name in self._node_arrays}
        part["begin"] = begin - begin[0]
        part["distributions"], part["tables"] = self._arrays["distributions"], self._arrays["tables"]
        if len(part["distributions"]):
            leaf = part["feature"] == FOREST_LEAF
            used, position = np.unique(part["child"][leaf], return_inverse=True)
            part["distributions"] = part["distributions"][used]
            part["child"] = part["child"].copy()
            part["child"][leaf] = position
        subset = (part["flags"] & FOREST_SUBSET) != 0
        if subset.any():
            # Tables stand in the order of the trees.
            offsets = part["number"][subset]
            start = int(offsets.min())
            last_table = int(offsets.max())
            end = last_table + 2 + int(part["tables"][last_table + 1])
            part["tables"] = part["tables"][start:end]
            part["number"] = part["number"].copy()
            part["number"][subset] = offsets - start
        else:
            part["tables"] = part["tables"][:0]
        return type(self)(part, self._n_codes, self._criterion)

    def extended(self, other: Forest) -> Self:
        """Return a forest of these trees and then those of another one.

        Parameters
        ----------
        other : Forest
            Trees over the same features, for the same classes and by the same criterion.
        """
        mine, theirs = self._arrays, other._arrays
        if (
            self._criterion != other._criterion
            or not np.array_equal(self._n_codes, other._n_codes)
            or self.n_values != other.n_values
            or self.has_classes != other.has_classes
            or self._node_arrays != other._node_arrays
        ):
            raise ValueError("the two forests have different features, classes or criteria")
        joined = {name: np.concatenate([mine[name], theirs[name]]) for name in (*self._node_arrays, "tables")}
        joined["begin"] = np.concatenate([mine["begin"], mine["begin"][-1] + theirs["begin"][1:]])
        later = slice(self.node_count, None)
        joined["number"][later][(theirs["flags"] & FOREST_SUBSET) != 0] += len(mine["tables"])
        joined["distributions"], place = _joined_rows(mine["distributions"], theirs["distributions"])
        if self.has_classes:
            leaf = theirs["feature"] == FOREST_LEAF
            joined["child"][later][leaf] = place[theirs["child"][leaf]]
        return type(self)(joined, self._n_codes, self._criterion)

    # --- what it holds
    # ----------------------------------------------------------------------------------------------

    @property
    def _node_arrays(self) -> tuple[str, ...]:
        """Names of the arrays with one entry per node."""
        return (*FOREST_NODE_ARRAYS, *(name for name in FOREST_OPTIONAL if name in self._arrays))

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays under their own names (read-only, not copied)."""
        return MappingProxyType(self._arrays)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays under their own names (read-only, not copied), as the native core takes them."""
        return dict(self._arrays)

    @property
    def criterion(self) -> str:
        """What the trees were grown by."""
        return self._criterion

    @property
    def n_codes(self) -> NDArray[np.uint32]:
        """Number of categories of each feature, 0 for a numeric one."""
        return self._n_codes

    @property
    def n_features(self) -> int:
        """Number of features the trees may test."""
        return len(self._n_codes)

    @property
    def has_classes(self) -> bool:
        """Whether leaves hold class distributions; otherwise numbers."""
        return len(self._arrays["distributions"]) > 0

    @property
    def n_values(self) -> int:
        """Numbers per leaf: one per class, or one."""
        return int(self._arrays["distributions"].shape[1])

    @property
    def node_count(self) -> int:
        """Number of nodes of all trees, leaves included."""
        return len(self._arrays["feature"])

    @cached_property
    def node_counts(self) -> NDArray[np.int64]:
        """Number of nodes of each tree."""
        return frozen(np.diff(self._arrays["begin"]))

    @cached_property
    def leaf_counts(self) -> NDArray[np.int64]:
        """Number of leaves of each tree."""
        # Every inner node has two children.
        return frozen((self.node_counts + 1) // 2)

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Number of tests on the longest way of each tree."""
        return frozen(forest_depths(self._arrays))

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def bytes_per_node(self) -> float:
        """Bytes of all arrays, divided by the number of nodes."""
        return self.nbytes / self.node_count

    def equals(self, other: Forest) -> bool:
        """Tell whether two forests are the same, bit for bit."""
        return (
            self._criterion == other._criterion
            and np.array_equal(self._n_codes, other._n_codes)
            and self._arrays.keys() == other._arrays.keys()
            and all(
                mine.dtype == other._arrays[name].dtype
                and mine.shape == other._arrays[name].shape
                and mine.tobytes() == other._arrays[name].tobytes()
                for name, mine in self._arrays.items()
            )
        )

    # --- copying
    # ----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {"arrays": self._arrays, "n_codes": self._n_codes, "criterion": self._criterion}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writable (or memory-mapped): freeze them again.
        self.__init__(state["arrays"], state["n_codes"], state["criterion"])  # type: ignore[misc]

    def __repr__(self) -> str:
        return (
            f"<Forest: {len(self)} trees, {self.node_count} nodes, {self.bytes_per_node:.1f} bytes per node>"
        )


def _joined_rows(
    mine: NDArray[np.float64], theirs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Append the rows that are new, in their order; return all rows and where theirs are among them."""
    both = np.ascontiguousarray(np.concatenate([mine, theirs]))
    as_bytes = both.view(np.dtype((np.void, both.itemsize * both.shape[1]))).ravel()
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    kept = np.sort(first)
    place = np.searchsorted(kept, first)[group]
    return both[kept], place[len(mine) :].astype(np.uint32)
