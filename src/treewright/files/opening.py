"""Opening what a user names: a path or, with "-", the standard input, to be read as often as it takes."""

from __future__ import annotations

import atexit
import codecs
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Protocol

from treewright.exceptions import DataFileError

__all__ = ["ByteSource", "Opener", "files_name", "opener", "standard_input", "standard_input_file"]


class ByteSource(Protocol):
    """What is asked of an open file."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most so many bytes; none at the end."""

    def readline(self) -> bytes:
        """Return a line with its newline; nothing at the end."""

    def close(self) -> None:
        """Give the file back."""


Opener = Callable[[], ByteSource]


def files_name(paths: Sequence[str]) -> str:
    """Return how messages call one file, or several."""
    first = os.path.basename(paths[0])
    return first if len(paths) == 1 else f"{len(paths)} files ({first}, …)"


SPOOLED_BYTES = 1 << 26
FIRST_BYTES = 64


def opener(path: str | os.PathLike[str], encoding: str = "utf-8") -> tuple[Opener, str]:
    """Return a function that opens the file from its beginning as UTF-8, and its name for messages.

    Parameters
    ----------
    path : path-like
        A file, compressed by gzip when its name ends with ``.gz``; "-": the standard input.
    encoding : str
        Of the text in it.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise DataFileError(f"There is no encoding {encoding!r}. Try utf-8, latin-1 or utf-16.") from None
    name = os.fspath(path)
    plain = _spooled() if name == "-" else _file(Path(name))
    shown = "standard input" if name == "-" else Path(name).name
    if codecs.lookup(encoding).name in ("utf-8", "ascii"):
        return plain, shown
    return lambda: _Recoded(plain(), encoding, shown), shown


def _file(path: Path) -> Opener:
    if path.is_dir():
        raise DataFileError(f"{path} is a folder, not a file.")
    if not path.exists():
        raise FileNotFoundError(2, "There is no such file", str(path))
    if path.suffix == ".gz":
        return lambda: gzip.GzipFile(path)
    return lambda: path.open("rb")


def standard_input() -> tuple[Opener, bytes]:
    """Return a function that opens what came through the pipe from its beginning, and its first bytes."""
    open_again = _spooled()
    with closing(open_again()) as file:
        return open_again, file.read(FIRST_BYTES)


def standard_input_file(suffix: str) -> str:
    """Return the path of a file with what came through the pipe; it goes away when the process ends."""
    with tempfile.NamedTemporaryFile(suffix=suffix, delete=False) as file:
        atexit.register(Path(file.name).unlink, missing_ok=True)
        with closing(_spooled()()) as source:
            while data := source.read(SPOOLED_BYTES):
                file.write(data)
    return file.name


def _spooled() -> Opener:
    return _spool_of(sys.stdin.buffer)


@lru_cache(maxsize=1)  # a pipe can be read once
def _spool_of(pipe: BinaryIO) -> Opener:
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOLED_BYTES)
    shutil.copyfileobj(pipe, spool)

    def open_again() -> ByteSource:
        spool.seek(0)
        return _Shared(spool)

    return open_again


class _Shared:
    """A file that somebody else closes."""

    def __init__(self, file: ByteSource) -> None:
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        return self._file.read(size)

    def readline(self) -> bytes:
        return self._file.readline()

    def close(self) -> None:
        pass


class _Recoded(_Shared):
    """A text file of another encoding, as UTF-8."""

    def __init__(self, file: ByteSource, encoding: str, name: str) -> None:
        super().__init__(file)
        self._name = name
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def read(self, size: int = -1, /) -> bytes:
        while data := self._file.read(size):
            if text := self._decoded(data, final=False):
                return text
        return self._decoded(b"", final=True)

    def _decoded(self, data: bytes, *, final: bool) -> bytes:
        try:
            return self._decoder.decode(data, final).encode("utf-8")
        except UnicodeDecodeError as error:
            raise DataFileError(f"{self._name} is not {error.encoding}: {error.reason}.") from None

    def close(self) -> None:
        self._file.close()
