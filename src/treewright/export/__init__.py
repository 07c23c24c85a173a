"""A fitted model in other forms; `EXPORTERS` lists them by name."""

from __future__ import annotations

from collections.abc import Callable

from treewright.export.text import export_text

__all__ = ["EXPORTERS", "export_text"]

EXPORTERS: dict[str, Callable[..., str]] = {
    "text": export_text,
}
