"""What `make docs` makes of pages and names, without Sphinx."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest
from tools.book.check_site import check_site
from tools.book.llms import first_sentence
from tools.book.notebooks import notebook_of
from tools.book.reference import MODULES, entries
from tools.book.sessions import pages_with_sessions
from tools.book.source import chapters, places, with_links

import treewright

ROOT = Path(__file__).parents[2]
PAGE = """# Title

```python
>>> x = 1
>>> x + 1
2
>>> print("a\\n\\nb")
a
<BLANKLINE>
b
```

```python
not_a_session()
```
"""


def test_a_notebook_has_a_cell_for_each_output():
    cells = json.loads(notebook_of(PAGE, PurePosixPath("page.md")))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code", "markdown"]
    assert cells[1]["source"] == ["x = 1\n", "x + 1"]
    assert cells[1]["outputs"][0]["data"] == {"text/plain": ["2"]}
    assert cells[2]["outputs"][0]["text"] == ["a\n", "\n", "b"]
    assert "not_a_session" in "".join(cells[3]["source"])
    assert len({cell["id"] for cell in cells}) == 4


@pytest.mark.parametrize("page", pages_with_sessions(ROOT / "docs"), ids=lambda page: page.stem)
def test_every_page_with_sessions_is_a_notebook_whose_cells_compile(page: Path):
    nbformat = pytest.importorskip("nbformat")
    text = notebook_of(page.read_text(encoding="utf-8"), PurePosixPath(page.name))
    nbformat.validate(nbformat.reads(text, as_version=4))
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            compile("".join(cell["source"]), page.name, "exec")


def test_links_lead_to_where_pages_stand_in_the_book():
    where = places(ROOT)
    page = ROOT / "docs" / "decisions" / "README.md"
    text = "[a](../../CHANGELOG.md#x) [b](../algorithms/README.md) [c](../../core/README.md) `[d](e.md)`"
    assert with_links(text, page, where).startswith("[a](../changelog.md#x) [b](../algorithms/index.md) c ")


def test_a_page_is_the_chapter_of_one_index_only():
    known = {PurePosixPath("a/one.md"), PurePosixPath("a/two.md")}
    taken: set[PurePosixPath] = {PurePosixPath("a/two.md")}
    found = chapters("[x](one.md) [y](two.md) [z](one.md#p)", PurePosixPath("a/index.md"), known, taken)
    assert found == ["one"]


def test_every_page_is_a_chapter_of_an_index():
    # docs/README.md has the parts of the book; pages stand in guides.md, project.md or a folder's README.
    docs = ROOT / "docs"
    indexes = [*docs.glob("*/README.md"), docs / "guides.md", docs / "project.md"]
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for index in indexes
        for link in re.findall(r"\]\(([^)\s]+\.md[^)]*)\)", index.read_text(encoding="utf-8"))
    }
    pages = {page for page in places(ROOT) if page.name != "README.md" and page.parent != ROOT}
    assert pages - linked - set(indexes) == set()


def test_the_reference_has_every_public_name_once():
    listed = [entry for part in entries().values() for entry in part]
    assert sorted(entry.name for entry in listed if entry.home == "treewright") == treewright.__all__
    assert len({entry.page for entry in listed}) == len(listed)
    assert set(MODULES) == set(treewright._MODULES)


def test_a_broken_link_and_a_fetched_script_are_found(tmp_path: Path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html">b</a><a href="#there">c</a><a href="#here">d</a>'
        '<a href="https://example.org">e</a><script src="https://example.org/x.js"></script>'
    )
    problems = check_site(tmp_path)
    assert [problem.partition(": ")[2] for problem in problems] == [
        "b.html leads nowhere",
        "#there has no such place",
        "script is fetched from https://example.org/x.js",
    ]


def test_the_first_sentence_of_a_page_is_plain():
    assert first_sentence("# T\n\n| a |\n\nSee [this](x.md) here. More.") == "See this here."


def test_a_notebook_that_shows_something_else_in_a_kernel_is_found():
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    differences = import_module("tools.book.run_notebooks").differences
    error = "Traceback (most recent call last):\n  ...\nZeroDivisionError: division by zero"
    page = PAGE.replace("x + 1\n2", "x + 1\n3") + f"\n```python\n>>> 1 / 0\n{error}\n```\n"
    assert differences(page, PurePosixPath("page.md")) == ["page.md: 'x + 1' shows '2', not '3'"]


def test_names_of_functions_stand_off_from_what_is_beside_them():
    mathml = pytest.importorskip("tools.book.mathml", reason="needs Sphinx (make docs)")
    formula = mathml.written(mathml.nodes.math(text=r"\frac{1}{2} \ln \frac{1}{e} + \ln(x)"), as_block=False)
    space = '<mspace width="0.17em" />'
    assert formula.replace("\n", "").replace(" ", "").count(space.replace(" ", "")) == 2
    assert f"{space}<mi>ln</mi>" in re.sub(r"\s*\n\s*", "", formula)


PARTS = [
    "Idea",
    "Worked example",
    "(Categories, missing values, ties|Rules|What the programs do$)",
    "(What the programs do differently|Differences from|Textbook and program|Where the programs differ)",
    "Where notes and books go wrong",
    "Cost",
    "When to use",
    "References",
]


@pytest.mark.parametrize(
    "page",
    [p for p in sorted((ROOT / "docs/algorithms").glob("*.md")) if p.stem not in ("README", "c45_agreement")],
    ids=lambda page: page.stem,
)
def test_the_page_of_an_algorithm_has_every_part_and_an_idea_of_two_sentences(page: Path):
    text = page.read_text(encoding="utf-8")
    for part in PARTS:
        assert re.search(rf"^## {part}", text, re.MULTILINE), part
    assert text.count("**Input**") >= 1 and text.count("**Output**") >= 1
    idea = text.split("## Idea\n")[1].strip().split("\n\n")[0]
    assert len(re.findall(r"\.(?=\s|$)", idea)) <= 2
