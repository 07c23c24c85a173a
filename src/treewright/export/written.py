"""What an exporter returns, also written to a file when it was given a place."""

from __future__ import annotations

import os

from treewright.store.whole_file import write_whole

__all__ = ["written"]


def written(text: str, path: str | os.PathLike[str] | None) -> str:
    """Write a text to a file, whole or not at all, and return it."""
    if path is not None:
        write_whole(path, f"{text}\n".encode())
    return text
