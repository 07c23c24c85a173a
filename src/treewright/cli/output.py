"""Where results go: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import click

__all__ = ["bytes_to", "write_text"]


@contextmanager
def bytes_to(path: str | None) -> Iterator[IO[bytes]]:
    """Open standard output (None or "-"), or a file that appears when all of it is written."""
    if path is None or path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    try:
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno or 0), path) from None
    try:
        with os.fdopen(number, "wb") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except OSError as error:
        _remove(name)
        raise OSError(error.errno, os.strerror(error.errno or 0), path) from None
    except BaseException:
        _remove(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)


def write_text(text: str | bytes, path: str | None) -> None:
    """Print a text, or write it to a file."""
    if path is None or path == "-":
        click.echo(text)
        return
    with bytes_to(path) as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
