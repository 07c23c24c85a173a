"""DrawnAgain: a list whose entries are worked out when asked for, because they would take much memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DrawnAgain"]


class DrawnAgain(Sequence[NDArray[np.int64]]):
    """A read-only list whose entries are worked out when they are asked for."""

    def __init__(self, length: int, entry: Callable[[int], NDArray[np.int64]]) -> None:
        self._length = length
        self._entry = entry

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._entry(i) for i in range(*index.indices(self._length))]
        position = index.__index__()
        if not -self._length <= position < self._length:
            raise IndexError(f"tree {position} does not exist; the forest has {self._length} trees")
        return self._entry(position % self._length)
