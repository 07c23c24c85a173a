"""The sessions in the documentation print what the pages say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.glob("*.md")) if ">>>" in page.read_text(encoding="utf-8")]


def sessions(page: Path) -> str:
    """Return the Python of a page, all of it one session."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_sessions_of_a_page_are_reproduced_to_the_digit(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(sessions(page), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert len(test.examples) == page.read_text(encoding="utf-8").count(">>>") > 5
    assert runner.failures == 0
