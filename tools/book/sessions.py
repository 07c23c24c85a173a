"""The Python of a page: the blocks that are sessions, as one doctest and as single examples."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

__all__ = ["BLOCK", "examples_of", "pages_with_sessions", "session_of"]

BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^\s*>>> ", re.MULTILINE)


def pages_with_sessions(docs: Path) -> list[Path]:
    """Return the pages below a folder that hold sessions."""
    return [page for page in sorted(docs.rglob("*.md")) if PROMPT.search(page.read_text(encoding="utf-8"))]


def session_of(text: str) -> str:
    """Return the Python of a page, all of it one session."""
    return "\n".join(BLOCK.findall(text))


def examples_of(block: str) -> list[doctest.Example]:
    """Return what a block asks and what it is told; nothing for a block that is no session."""
    return doctest.DocTestParser().get_examples(block)
