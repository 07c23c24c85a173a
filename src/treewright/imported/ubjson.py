"""Universal Binary JSON (draft 12), as XGBoost writes it; arrays of numbers become NumPy's.

What is read may be hostile: no length is believed before so many bytes are there.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treewright.imported.faults import fault

__all__ = ["read_ubjson"]

NUMBERS: Final[dict[bytes, np.dtype[Any]]] = {
    b"i": np.dtype("i1"),
    b"U": np.dtype("u1"),
    b"I": np.dtype(">i2"),
    b"l": np.dtype(">i4"),
    b"L": np.dtype(">i8"),
    b"d": np.dtype(">f4"),
    b"D": np.dtype(">f8"),
}
CONSTANTS: Final[dict[bytes, bool | None]] = {b"Z": None, b"T": True, b"F": False}
MOST_DEEP = 100


def read_ubjson(content: bytes) -> Any:
    """Return the value that a file holds; ModelFileError, with the byte, when there is none.

    Parameters
    ----------
    content : bytes
        The file.
    """
    reader = _Reader(content)
    return reader.value(reader.take(1), 0)


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, n: int) -> bytes:
        """Return the next bytes."""
        if n < 0 or n > len(self._content) - self._at:
            fault(f"byte {self._at}", "the file ends too early")
        found = self._content[self._at : self._at + n]
        self._at += n
        return found

    def value(self, marker: bytes, depth: int) -> Any:
        """Return the value behind a marker."""
        if depth > MOST_DEEP:
            fault(f"byte {self._at}", "it is nested too deeply")
        if marker in NUMBERS:
            return np.frombuffer(self.take(NUMBERS[marker].itemsize), NUMBERS[marker])[0].item()
        if marker in CONSTANTS:
            return CONSTANTS[marker]
        if marker == b"S":
            return self._text()
        if marker == b"C":
            return self.take(1).decode("latin-1")
        if marker == b"[":
            return self._array(depth)
        if marker == b"{":
            return self._object(depth)
        fault(f"byte {self._at - 1}", f"{marker!r} begins no value")

    def _marker(self) -> bytes:
        while (found := self.take(1)) == b"N":  # a filler
            pass
        return found

    def _length(self) -> int:
        marker = self._marker()
        if marker not in NUMBERS or marker in (b"d", b"D"):
            fault(f"byte {self._at - 1}", f"{marker!r} begins no length")
        length = int(self.value(marker, 0))
        if not 0 <= length <= len(self._content):
            fault(f"byte {self._at}", f"a length of {length} is longer than the file")
        return length

    def _text(self, length: int | None = None) -> str:
        return self.take(self._length() if length is None else length).decode("utf-8", "surrogateescape")

    def _header(self) -> tuple[bytes | None, int | None, bytes]:
        """Return the type and the number of what follows, where they are given, and the next marker."""
        marker, kind, count = self._marker(), None, None
        if marker == b"$":
            kind = self.take(1)
            if (marker := self.take(1)) != b"#":
                fault(f"byte {self._at - 1}", "a type without a number of values")
        if marker == b"#":
            count = self._length()
            if kind is None or kind not in NUMBERS:
                # Without numbers of a fixed length each value takes a byte at least, also constants.
                if count > len(self._content) - self._at and kind not in CONSTANTS:
                    fault(f"byte {self._at}", f"there is no room for {count} values")
            return kind, count, b""
        return None, None, marker

    def _array(self, depth: int) -> Any:
        kind, count, marker = self._header()
        if kind is not None and kind in NUMBERS:
            assert count is not None, "a type comes with a number"
            dtype = NUMBERS[kind]
            return np.frombuffer(self.take(count * dtype.itemsize), dtype).astype(dtype.newbyteorder("="))
        found: list[Any] = []
        if count is not None:
            for _ in range(count):
                found.append(self.value(kind if kind is not None else self._marker(), depth + 1))
            return found
        while marker != b"]":
            found.append(self.value(marker, depth + 1))
            marker = self._marker()
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        kind, count, marker = self._header()
        found: dict[str, Any] = {}
        while (marker != b"}") if count is None else len(found) < count:
            if count is None:
                self._at -= 1
            name = self._text()
            if name in found:
                fault(f"byte {self._at}", f"the field {name[:40]!r} occurs twice")
            found[name] = self.value(kind if kind is not None else self._marker(), depth + 1)
            if count is None:
                marker = self._marker()
        return found
