"""Checks a value against the part of JSON Schema that the published schemas use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip


def load_schema(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], where: str = "report") -> list[str]:
    """Return one sentence for each thing that does not match."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        return (
            [] if any(not faults(value, way, root) for way in schema["anyOf"]) else [f"{where}: no way fits"]
        )
    if "const" in schema:
        return [] if value == schema["const"] else [f"{where} is not {schema['const']}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where} is {value!r}"]
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fits = [
        n for n in names if isinstance(value, TYPES[n]) and not (isinstance(value, bool) and n != "boolean")
    ]
    if not fits:
        return [f"{where} is {type(value).__name__}, not {names}"]
    found = []
    if isinstance(value, dict):
        found += [f"{where} lacks {name}" for name in schema["required"] if name not in value]
        found += [f"{where} has {name}" for name in value if name not in schema["properties"]]
        for name, part in schema["properties"].items():
            found += faults(value[name], part, root, f"{where}.{name}") if name in value else []
    if isinstance(value, list):
        for position, item in enumerate(value):
            found += faults(item, schema["items"], root, f"{where}[{position}]")
    if "minimum" in schema and value is not None and value < schema["minimum"]:
        found.append(f"{where} is {value}")
    return found
