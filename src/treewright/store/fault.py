"""Turn whatever goes wrong with a file into one error that names the file and the fault."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from treewright.exceptions import ModelFileError

__all__ = ["file_faults", "source_name"]

# What the zip and JSON readers of the standard library raise on damaged input.
READER_ERRORS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,  # encrypted member; RecursionError is one too
    OverflowError,
    MemoryError,
    LookupError,
)


def source_name(path: str | os.PathLike[str] | IO[bytes]) -> str:
    """Return what a message calls the file: its name without the folders."""
    name: Any = getattr(path, "name", None) if hasattr(path, "read") else path
    try:
        return os.path.basename(os.fsdecode(name)) or "the model file"
    except TypeError:
        return "the model file"


@contextmanager
def file_faults(name: str) -> Iterator[None]:
    """Raise ModelFileError for every error of the block, except for a version that is too new."""
    try:
        yield
    except ModelFileError:
        raise
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{name} is not a valid model file: {error}.") from error
    except READER_ERRORS as error:
        detail = str(error) or type(error).__name__
        raise ModelFileError(f"{name} is damaged or not a model file: {detail}.") from error
