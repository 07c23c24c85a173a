"""The examples of docs/pruning.md print what the page says, and its picture is theirs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_examples_print_what_the_page_says():
    text = (DOCS / "pruning.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, "pruning.md", "pruning.md", 0)
    assert len(test.examples) > 20
    failures: list[str] = []
    result = doctest.DocTestRunner().run(test, out=failures.append, clear_globs=False)
    assert result.failed == 0, "".join(failures)
    picture = (DOCS / "images" / "pruning_breast_cancer.svg").read_text(encoding="utf-8")
    assert picture.strip() == test.globs["report"].to_svg().strip()


@pytest.mark.parametrize(
    "name", ["prune", "ccp_alpha", "alpha_total", "pruning_rule", "pruning_risk", "path_method"]
)
def test_every_parameter_of_pruning_is_on_the_page(name):
    assert f"`{name}" in (DOCS / "pruning.md").read_text(encoding="utf-8")
