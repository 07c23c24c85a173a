"""Files of other libraries that say something else than what was written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import treewright

__all__ = ["FILES", "READERS", "altered"]

FILES = Path(__file__).parent / "files"
READERS = {
    "lightgbm.json": treewright.from_lightgbm,
    "lightgbm.txt": treewright.from_lightgbm,
    "xgboost.json": treewright.from_xgboost,
    "xgboost.ubj": treewright.from_xgboost,
    "catboost.json": treewright.from_catboost,
    "catboost_categories.json": treewright.from_catboost,
}
ODD: list[Any] = [
    -1,
    0,
    1,
    2,
    7,
    2**31,
    2**63,
    -(2**40),
    1e308,
    -1e-300,
    "nan",
    "",
    "7",
    None,
    True,
    [],
    {},
    [[]],
]
ODD_WORDS = [
    b"-1",
    b"0",
    b"7",
    b"99999999999999999999",
    b"1e400",
    b"nan",
    b"inf",
    b"x",
    b"",
    b"0.5",
    b"-7 3",
    b"=",
]
NUMBER = re.compile(rb"-?\d+(\.\d+)?(e-?\d+)?")


def altered(name: str, random: Random) -> bytes:
    """Return a file with up to three changes."""
    content = (FILES / name).read_bytes()
    for _ in range(random.randint(1, 3)):
        way = random.random()
        if name.endswith(".json") and way < 0.6:
            content = _other_field(content, random)
        elif name.endswith(".txt") and way < 0.6:
            places = list(NUMBER.finditer(content))
            if places:
                found = random.choice(places)
                content = content[: found.start()] + random.choice(ODD_WORDS) + content[found.end() :]
        elif way < 0.8:
            place = random.randrange(max(1, len(content)))
            content = content[:place] + bytes([random.randrange(256)]) + content[place + 1 :]
        elif way < 0.84:
            content = _moved_lines(content, random)
        elif way < 0.88:
            content = _nested_deeply(content, random)
        elif way < 0.92:
            content = content[: random.randrange(len(content) + 1)]
        else:
            first, last = sorted(random.randrange(len(content) + 1) for _ in range(2))
            content = content[:last] + content[first:]
    return content


def _moved_lines(content: bytes, random: Random) -> bytes:
    """Return a file with a line, or a part between two commas, lost, repeated or elsewhere."""
    between = b"\n" if content.count(b"\n") > 3 else b","
    parts = content.split(between)
    one, other = random.randrange(len(parts)), random.randrange(len(parts))
    part = parts[one]
    if random.random() < 0.6:
        del parts[one]
    if random.random() < 0.6:
        parts.insert(other, part)
    return between.join(parts)


def _nested_deeply(content: bytes, random: Random) -> bytes:
    """Return a file with thousands of brackets in it, or a number of thousands of digits."""
    place = random.randrange(len(content) + 1)
    depth = random.choice((50, 900, 20_000))
    opened = random.choice((b"[", b'{"a":', b"[[", b"9", b"{i\x01a"))
    return content[:place] + opened * depth + content[place:]


def _other_field(content: bytes, random: Random) -> bytes:
    """Return JSON with one value replaced, removed or repeated."""
    try:
        root = json.loads(content)
    except (ValueError, RecursionError):
        return content
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [root]
    while waiting:
        one = waiting.pop()
        pairs = one.items() if isinstance(one, dict) else enumerate(one)
        for key, value in pairs:
            places.append((one, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    if not places:
        return content
    owner, key = random.choice(places)
    if random.random() < 0.2:
        del owner[key]
    elif isinstance(owner, list) and random.random() < 0.2:
        owner.append(owner[key])
    else:
        owner[key] = random.choice(ODD)
    return json.dumps(root).encode()
