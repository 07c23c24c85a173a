"""Changes of a model file: of the values in its manifest and of its arrays. Each returns a new value."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.models import MAKERS, Members, members_of

__all__ = ["damage", "mutate"]

NAN = {"type": "float", "value": "nan"}
INFINITE = {"type": "float", "value": "inf"}
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 255, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1, 2**63, 2**64,
    10**400,
    0.5, -0.5, 1e-320, 1e308, -1e308, "", "x", "nan", "gini", "mean", "sum", "votes", "numeric", "nominal",
    "\x00",
    "\ud800", "a" * 5000, [], [0], [[]], [1, 2], {}, {"type": "dict", "items": []}, NAN, INFINITE,
    {"type": "tuple", "items": [1, 2]}, ["int", "1"], ["float", "inf"], ["str", "Rom"], ["int", "9" * 5000],
    {"type": "array", "dtype": "<f8", "shape": [2], "items": [0.0, 1.0]},
    {"type": "array", "dtype": "<U3", "shape": [1], "items": ["a"]},
    {"type": "array", "dtype": "|O", "shape": [0], "items": []},
    {"type": "array", "dtype": "<M8[ns]", "shape": [1], "items": [0]},
)  # fmt: skip
DTYPES = ("|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<i8", "<u8", "<f4", "<f8", ">f8", ">i4", "<f2")
SHAPES = ((0,), (1,), (2,), (48,), (0, 0), (1, 1), (0, 3), (3, 0), (2, 3), (48, 3), (3, 48))
WHOLE = (0, 1, 2, 3, 4, 5, 7, 31, 32, 47, 48, 64, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31,
         2**32 - 3,
         2**32 - 2, 2**32 - 1, 2**63 - 1, -1, -2, -(2**31), -(2**63))  # fmt: skip
REALS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 1e-310, 1e-30, 1e30, 1e154, 1e300, 1.7e308, -1.7e308, np.inf,
         -np.inf,
         np.nan, 2.0**31, 2.0**53, 3.5, 47.0)  # fmt: skip


def mutate(members: Members, random: Random) -> Members:
    """Return the members with one to three changes."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
        change = random.choices(CHANGES, SHARES)[0]
        members = change(members, random)
    return members


# --- the manifest
# ----------------------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to everything in a JSON value."""
    found = [path]
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        found += places(child, (*path, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return what stands at the path."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> Any:
    """Return the JSON value with `edit(container, key)` done to a copy of what holds the last step."""
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        edit(copy, path[0])
    else:
        copy[path[0]] = replaced(copy[path[0]], path[1:], edit)
    return copy


def pick_path(manifest: dict[str, Any], random: Random) -> tuple[Any, ...]:
    """Return a path; every field of the manifest has the same chance, however long it is."""
    field = random.choice(list(manifest))
    return random.choice(places(manifest[field], (field,)))


def other_value(manifest: dict[str, Any], value: Any, random: Random) -> Any:
    """Return another value: odd, near to the one that is there, or from elsewhere."""
    kind = random.random()
    if kind < 0.35:
        return random.choice(ODD_VALUES)
    if kind < 0.7 and isinstance(value, bool):
        return not value
    if kind < 0.7 and isinstance(value, int | float):
        return random.choice((value + 1, value - 1, -value, value * 2, value // 2, value * 10**6, str(value)))
    if kind < 0.7 and isinstance(value, str):
        return random.choice((value + " ", value.upper(), value[:-1], value * 2, f"{value}\n"))
    if kind < 0.7 and isinstance(value, list):
        return random.choice((value[:-1], value + value[:1], value[::-1], value * 3, tuple(value)))
    source = manifest if kind < 0.85 else members_of(random.choice(list(MAKERS)))[0]
    return at(source, pick_path(source, random))


def change_value(members: Members, random: Random) -> Members:
    """Return the members with another value somewhere in the manifest."""
    manifest, arrays = members
    path = pick_path(manifest, random)
    new = other_value(manifest, at(manifest, path), random)
    return replaced(manifest, path, lambda holder, key: holder.__setitem__(key, new)), arrays


def drop_value(members: Members, random: Random) -> Members:
    """Return the members without something in the manifest."""
    manifest, arrays = members
    return replaced(
        manifest, pick_path(manifest, random), lambda holder, key: holder.__delitem__(key)
    ), arrays


def add_value(members: Members, random: Random) -> Members:
    """Return the members with something more in the manifest."""
    manifest, arrays = members
    path = pick_path(manifest, random)
    new, name = other_value(manifest, None, random), random.choice(("", "x", "link", "aggregation", "dtype"))

    def add(holder: Any, key: Any) -> None:
        if isinstance(holder, list):
            holder.insert(key, new)
        else:
            holder[name or f"{key}_"] = new

    return replaced(manifest, path, add), arrays


# --- the arrays
# ----------------------------------------------------------------------------------------------------------


def with_array(members: Members, name: str, array: np.ndarray) -> Members:
    """Return the members with another array."""
    return members[0], {**members[1], name: array}


def change_entries(members: Members, random: Random) -> Members:
    """Return the members with other numbers in one array."""
    names = [name for name, array in members[1].items() if array.size]
    if not names:
        return members
    name = random.choice(names)
    array = members[1][name].copy()
    flat = array.reshape(-1)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        place = random.randrange(len(flat))
        flat[place] = other_entry(flat, place, random)
    if random.random() < 0.05:
        flat[:] = flat[random.randrange(len(flat))]
    return with_array(members, name, array)


def other_entry(flat: np.ndarray, place: int, random: Random) -> Any:
    """Return a number of the array's type: odd, near, from elsewhere in it, or one bit away."""
    kind = random.random()
    if kind < 0.25:
        return flat[random.randrange(len(flat))]
    if kind < 0.4:
        raw = bytearray(flat[place : place + 1].tobytes())
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
        return np.frombuffer(bytes(raw), flat.dtype)[0]
    if flat.dtype.kind == "b":
        return not flat[place]
    if flat.dtype.kind == "f":
        if kind < 0.6 and np.isfinite(flat[place]):
            with np.errstate(all="ignore"):
                return flat[place] * random.choice((-1.0, 2.0, 0.999, 1e6)) + random.choice((0.0, 1.0, -1.0))
        with np.errstate(all="ignore"):
            return np.array(random.choice(REALS)).astype(flat.dtype)
    step = int(flat[place]) + random.choice((1, -1, 2)) if kind < 0.65 else random.choice(WHOLE)
    return np.array(step % 2**64, np.uint64).astype(flat.dtype)


def change_layout(members: Members, random: Random) -> Members:
    """Return the members with an array of another type, shape or length."""
    name = random.choice(list(members[1]))
    array = members[1][name]
    kind = random.random()
    with np.errstate(all="ignore"):
        if kind < 0.3:
            return with_array(members, name, array.astype(random.choice(DTYPES)))
        if kind < 0.5:
            dtype = array.dtype if random.random() < 0.7 else random.choice(DTYPES)
            return with_array(members, name, np.ones(random.choice(SHAPES), dtype))
    if kind < 0.7:
        return with_array(members, name, array[: random.randrange(len(array) + 1)])
    if kind < 0.85:
        return with_array(members, name, np.concatenate([array, array[: random.randrange(1, 3)]]))
    return with_array(members, name, array.reshape(-1, 1) if array.ndim == 1 else array.reshape(-1))


def cut_nodes(members: Members, random: Random) -> Members:
    """Return the members with all arrays of one length cut, or made longer, in the same way."""
    lengths = sorted({len(array) for array in members[1].values() if len(array)})
    if not lengths:
        return members
    length = random.choice(lengths)
    keep = [random.randrange(length) for _ in range(random.choice((1, length - 1, length, length + 1)))]
    if random.random() < 0.7:
        keep.sort()
    arrays = {name: array[keep] if len(array) == length else array for name, array in members[1].items()}
    return members[0], arrays


def swap_entries(members: Members, random: Random) -> Members:
    """Return the members with two nodes, or two entries of one array, that changed places."""
    lengths = sorted({len(array) for array in members[1].values() if len(array) > 1})
    if not lengths:
        return members
    length = random.choice(lengths)
    order = np.arange(length)
    i, j = random.randrange(length), random.randrange(length)
    order[[i, j]] = order[[j, i]]
    names = [name for name, array in members[1].items() if len(array) == length]
    chosen = names if random.random() < 0.5 else [random.choice(names)]
    return members[0], {name: array[order] if name in chosen else array for name, array in members[1].items()}


def drop_array(members: Members, random: Random) -> Members:
    """Return the members without an array; often the manifest does not name it any more, either."""
    name = random.choice(list(members[1]))
    arrays = {key: array for key, array in members[1].items() if key != name}
    folder, _, key = name.partition("/")
    field = "extra" if folder == "extra" else "arrays"
    manifest = members[0]
    if random.random() < 0.7 and isinstance(manifest.get(field), dict):
        left = {k: v for k, v in manifest[field].items() if k != key.removesuffix(".npy")}
        manifest = {**manifest, field: left}
    return manifest, arrays


def other_array(members: Members, random: Random) -> Members:
    """Return the members with an array of another model, or with one array in the place of another."""
    name = random.choice(list(members[1]))
    source = members[1] if random.random() < 0.5 else members_of(random.choice(list(MAKERS)))[1]
    theirs = name if name in source and random.random() < 0.7 else random.choice(list(source))
    return with_array(members, name, source[theirs])


def other_part(members: Members, random: Random) -> Members:
    """Return the members with a field of the manifest of another model, or with all of its arrays."""
    manifest, arrays = members_of(random.choice(list(MAKERS)))
    if random.random() < 0.2:
        return {**members[0], "arrays": manifest["arrays"]}, arrays
    field = random.choice(list(manifest))
    return {**members[0], field: manifest[field]}, members[1]


CHANGES = (
    change_value, drop_value, add_value, change_entries, change_layout, cut_nodes, swap_entries, drop_array,
    other_array, other_part,
)  # fmt: skip
SHARES = (24, 5, 5, 40, 6, 4, 6, 3, 4, 4)


# --- bytes
# ----------------------------------------------------------------------------------------------------------


def damage(content: bytes, random: Random) -> bytes:
    """Return a file with other bytes, more of them, or fewer."""
    raw = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        if not raw:
            break
        place = random.randrange(len(raw))
        if random.random() < 0.3:  # the directory of a zip file is at its end
            place = max(0, len(raw) - 1 - random.randrange(min(len(raw), 4000)))
        kind = random.randrange(7)
        if kind < 2:
            raw[place] ^= 1 << random.randrange(8)
        elif kind == 2:
            raw[place] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 3:
            raw[place : place + random.randrange(1, 9)] = random.randbytes(random.randrange(9))
        elif kind == 4:
            del raw[place : place + random.choice((1, 4, 64, 1000))]
        elif kind == 5:
            start = random.randrange(len(raw))
            raw[place:place] = raw[start : start + random.choice((1, 4, 22, 64, 500))]
        else:
            value = random.choice((0, 1, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, len(raw)))
            raw[place : place + 4] = value.to_bytes(4, "little")
    if random.random() < 0.1:
        del raw[random.randrange(len(raw) + 1) :]
    return bytes(raw)
