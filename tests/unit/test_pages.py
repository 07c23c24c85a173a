"""The sessions in the documentation print what the pages say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from tools.book.sessions import PROMPT, pages_with_sessions, session_of

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "page", pages_with_sessions(DOCS), ids=lambda page: page.relative_to(DOCS).as_posix()
)
def test_the_sessions_of_a_page_are_reproduced_to_the_digit(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(session_of(text), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert len(test.examples) == len(PROMPT.findall(text)) > 0
    assert runner.failures == 0
