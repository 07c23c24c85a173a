"""Which worker gets which rows: stretches that end where blocks of rows end, as equal as blocks allow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treewright import _core

__all__ = ["Piece", "Share", "pieces_between", "shares_of"]


@dataclass(frozen=True)
class Piece:
    """Rows of one partition: from `begin` to `end`, counted within it."""

    part: int
    begin: int
    end: int


@dataclass(frozen=True)
class Share:
    """A stretch of all rows, in pieces of partitions."""

    first_row: int
    end_row: int
    pieces: tuple[Piece, ...]


def shares_of(part_rows: list[int], n_workers: int) -> list[Share]:
    """Divide rows among workers; some get none when there are fewer blocks than workers.

    Parameters
    ----------
    part_rows : list of int
        Rows of each partition, in their order.
    n_workers : int
        How many workers there are.
    """
    n_rows = sum(part_rows)
    block = int(_core.rows_per_block(n_rows))
    n_blocks = -(-n_rows // block)
    cuts = [min(n_rows, round(n_blocks * i / n_workers) * block) for i in range(n_workers + 1)]
    return [Share(first, end, pieces_between(part_rows, first, end)) for first, end in pairwise(cuts)]


def pieces_between(part_rows: list[int], first: int, end: int) -> tuple[Piece, ...]:
    """Return the pieces of partitions that hold a stretch of rows.

    Parameters
    ----------
    part_rows : list of int
        Rows of each partition, in their order.
    first, end : int
        The stretch.
    """
    begins = np.concatenate([[0], np.cumsum(part_rows)]).tolist()
    return tuple(
        Piece(part, max(first, begins[part]) - begins[part], min(end, begins[part + 1]) - begins[part])
        for part in range(len(part_rows))
        if max(first, begins[part]) < min(end, begins[part + 1])
    )
