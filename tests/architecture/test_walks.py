from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.architecture.test_layers import load_tool


def test_the_page_draws_the_walks_that_calls_take_through_the_library(root: Path) -> None:
    tool = load_tool(root, "walks")
    with ThreadPoolExecutor(2) as pool:
        walks = list(pool.map(lambda name: tool.trace(name, root), tool.BEFORE))
    drawn = "\n".join(walk.drawn() for walk in walks)
    page = tool.page_part(root / "docs" / "architecture.md")
    assert tool.python_part(page) == tool.python_part(drawn), "run tools/walks.py --write"
