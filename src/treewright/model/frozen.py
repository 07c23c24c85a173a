"""Arrays that nobody can change by accident."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["frozen"]


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array in C order; copies only what is in another order."""
    view = array.view() if array.flags.c_contiguous else np.ascontiguousarray(array)
    view.flags.writeable = False
    return view
