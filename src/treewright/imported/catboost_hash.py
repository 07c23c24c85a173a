"""The number that CatBoost keeps of a category: 32 bits of CityHash64, version 1.0, of its text."""

from __future__ import annotations

from typing import Final

__all__ = ["category_hash"]

ALL: Final = (1 << 64) - 1
K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MIX: Final = 0x9DDFEA08EB382D69


def category_hash(text: str) -> int:
    """Return the hash, a whole number of 32 bits without a sign.

    Parameters
    ----------
    text : str
        The category; CatBoost takes whole numbers as their decimal digits.

    Returns
    -------
    hash : int
        The hash.

    Examples
    --------
    >>> category_hash("red")
    3052168893
    """
    content = text.encode("utf-8", "surrogateescape")
    n = len(content)
    if n <= 16:
        found = _up_to_16(content, n)
    elif n <= 32:
        found = _up_to_32(content, n)
    elif n <= 64:
        found = _up_to_64(content, n)
    else:
        found = _longer(content, n)
    return found & 0xFFFFFFFF


def _word(content: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(content[at : at + size], "little")


def _turned(value: int, by: int) -> int:
    """Return 64 bits, those at the end moved to the front."""
    value &= ALL
    return (value >> by | value << (64 - by)) & ALL if by else value


def _folded(value: int) -> int:
    value &= ALL
    return value ^ value >> 47


def _mixed(low: int, high: int) -> int:
    high &= ALL
    first = _folded(((low & ALL) ^ high) * MIX)
    return _folded((high ^ first) * MIX) * MIX & ALL


def _up_to_16(content: bytes, n: int) -> int:
    if n > 8:
        first, last = _word(content, 0), _word(content, n - 8)
        return _mixed(first, _turned(last + n, n)) ^ last
    if n >= 4:
        return _mixed(n + (_word(content, 0, 4) << 3), _word(content, n - 4, 4))
    if n:
        low = content[0] + (content[n >> 1] << 8)
        high = n + (content[n - 1] << 2)
        return _folded(low * K2 ^ high * K3) * K2 & ALL
    return K2


def _up_to_32(content: bytes, n: int) -> int:
    a, b = _word(content, 0) * K1, _word(content, 8)
    c, d = _word(content, n - 8) * K2, _word(content, n - 16) * K0
    return _mixed(_turned(a - b, 43) + _turned(c, 30) + d, a + _turned(b ^ K3, 20) - c + n)


def _half(content: bytes, at: int, a: int, z: int) -> tuple[int, int]:
    """Return two sums over the three words from `at` on that begin with `a`, and the word `z`."""
    b, c = _turned(a + z, 52), _turned(a, 37)
    a += _word(content, at + 8)
    c += _turned(a, 7)
    a += _word(content, at + 16)
    return a + z, b + _turned(a, 31) + c


def _up_to_64(content: bytes, n: int) -> int:
    start = _word(content, 0) + (n + _word(content, n - 16)) * K0
    first, second = _half(content, 0, start, _word(content, 24))
    third, fourth = _half(content, n - 32, _word(content, 16) + _word(content, n - 32), _word(content, n - 8))
    mixed = _folded((first + fourth) * K2 + (third + second) * K0)
    return _folded(mixed * K0 + second) * K2 & ALL


def _block(content: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Return two sums over the four words from `at` on, with two seeds."""
    w, x, y, z = (_word(content, at + step) for step in (0, 8, 16, 24))
    a += w
    b = _turned(b + a + z, 21)
    before = a
    a += x + y
    return (a + z) & ALL, (b + _turned(a, 44) + before) & ALL


def _longer(content: bytes, n: int) -> int:
    x, y, z = _word(content, 0), _word(content, n - 16) ^ K1, _word(content, n - 56) ^ K0
    v = _block(content, n - 64, n, y)
    w = _block(content, n - 32, n * K1, K0)
    z += _folded(v[1]) * K1
    x = _turned(z + x, 39) * K1
    y = _turned(y, 33) * K1
    for at in range(0, (n - 1) & ~63, 64):
        x = _turned(x + y + v[0] + _word(content, at + 16), 37) * K1 & ALL
        y = _turned(y + v[1] + _word(content, at + 48), 42) * K1 & ALL
        x ^= w[1]
        y ^= v[0]
        z = _turned(z ^ w[0], 33)
        v = _block(content, at, v[1] * K1, x + w[0])
        w = _block(content, at + 32, z + w[1], y)
        z, x = x, z
    return _mixed(_mixed(v[0], w[0]) + _folded(y) * K1 + z, _mixed(v[1], w[1]) + x)
