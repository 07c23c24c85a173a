"""Files of other libraries, as bytes."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["read_file"]


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file; the errors are those of the system, which name it.

    Parameters
    ----------
    path : path-like
        The file.
    """
    return Path(path).read_bytes()
