"""How much memory a forest will take, so that one that cannot fit is refused before hours of work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treewright.data.memory import available_memory, format_bytes
from treewright.model import Tree

__all__ = ["check_size", "check_trees"]

NODE_BYTES = 23
ROW_BYTES = 4  # of a row that a leaf remembers for quantiles
# While the trees are collected their arrays grow, and a moment's copy stands beside the original.
SLACK = 1.5


def check_size(
    owner: str,
    n_trees: int,
    settings: dict[str, Any],
    in_bag: int,
    keep_rows: bool,
    grow_one: Callable[[], int],
) -> None:
    """Raise MemoryError, with the figure, when the trees cannot fit into memory.

    Parameters
    ----------
    owner : str
        Name of the estimator class.
    n_trees : int
        Trees to grow.
    settings : dict
        The limits of a tree, under the names of the native plan.
    in_bag : int
        Different rows of a bag, about.
    keep_rows : bool
        Whether leaves remember their rows.
    grow_one : callable
        Grows one tree and returns its number of nodes; called only when the limits alone do not settle it.
    """
    available = available_memory()
    if available is None:
        return
    most = _most_leaves(settings, in_bag)

    def size(leaves: float) -> float:
        return n_trees * SLACK * (NODE_BYTES * 2 * leaves + (ROW_BYTES * in_bag if keep_rows else 0))

    if size(most) <= available / 2:
        return
    leaves = float(most)
    if size(1) <= available:
        # Leaves are pure long before they are single rows, unless the target is a number of its own per row.
        # So that nothing is refused that would fit, one tree is grown and measured.
        leaves = (grow_one() + 1) / 2
        if size(leaves) <= available:
            return
    raise _too_large(
        owner,
        n_trees,
        leaves,
        size(leaves),
        available,
        "raise min_samples_leaf, set max_depth or max_leaf_nodes",
    )


def check_trees(owner: str, n_trees: int, first: Tree) -> None:
    """Raise MemoryError when trees as large as the first one cannot fit into memory.

    Parameters
    ----------
    owner : str
        Name of the estimator class.
    n_trees : int
        Trees to grow, the first one included.
    first : Tree
        The first one; of trees that any algorithm grows nothing is known before.
    """
    available = available_memory()
    size = sum(array.nbytes for array in first.to_arrays().values())
    if available is not None and (n_trees - 1) * size > available:
        raise _too_large(
            owner, n_trees, first.n_leaves, n_trees * size, available, "limit or prune them in its estimator"
        )


def _too_large(
    owner: str, n_trees: int, leaves: float, size: float, available: int, smaller: str
) -> MemoryError:
    return MemoryError(
        f"{n_trees} trees of about {leaves:,.0f} leaves need {format_bytes(size)}, but only "
        f"{format_bytes(available)} of memory are free. Grow fewer trees (n_estimators) in this {owner}, or "
        f"smaller ones: {smaller}, or draw fewer rows with max_samples."
    )


def _most_leaves(settings: dict[str, Any], in_bag: int) -> int:
    most = max(1, in_bag // max(1, int(settings["min_rows_leaf"])))
    if settings.get("max_depth", 64) < 40:
        most = min(most, 1 << int(settings["max_depth"]))
    return min(most, int(settings.get("max_leaves", most)))
