from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "explain_forest.md"


def test_the_session_about_forests_is_reproduced_to_the_digit() -> None:
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert found.attempted > 12 and found.failed == 0
