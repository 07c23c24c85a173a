"""The sessions in the documentation print what the pages say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from tools.book.sessions import PROMPT, pages_with_sessions, session_of

DOCS = Path(__file__).parents[2] / "docs"
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?!\.?\d)")


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


def printed(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text.replace("−", "-"))]


@pytest.mark.parametrize("folder", ["algorithms", "coming_from", "course", "recipes"])
def test_a_worked_number_in_a_sentence_is_printed_by_a_session_of_its_page(folder: str) -> None:
    unexplained = {}
    for page in pages_with_sessions(DOCS / folder):
        text = page.read_text(encoding="utf-8")
        known = printed("".join(FENCED.findall(text)))
        said = [number for number in NUMBER.findall(FENCED.sub("", text)) if len(number.split(".")[1]) >= 4]
        missing = [
            number
            for number in said
            if all(round(value, len(number.split(".")[1])) != float(number) for value in known)
        ]
        if missing:
            unexplained[page.name] = missing
    assert not unexplained, f"put a call that prints them on the page: {unexplained}"
