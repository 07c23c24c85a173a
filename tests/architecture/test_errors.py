from __future__ import annotations

import ast
from pathlib import Path

import pytest


def texts_that_are_read(source: str) -> list[int]:
    """Return the lines that take the text of a caught exception as data; to quote it is fine."""
    lines = []
    for handler in ast.walk(ast.parse(source)):
        if isinstance(handler, ast.ExceptHandler) and handler.name is not None:
            for node in ast.walk(handler):
                if _reads_text(node, handler.name):
                    lines.append(node.lineno)  # type: ignore[attr-defined]
    return lines


def _reads_text(node: ast.AST, caught: str) -> bool:
    def is_caught(part: ast.AST) -> bool:
        return isinstance(part, ast.Name) and part.id == caught

    def quotes_it(part: ast.AST) -> bool:
        return isinstance(part, ast.JoinedStr) and any(is_caught(inner) for inner in ast.walk(part))

    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[argument]):
            return is_caught(argument)
        case ast.Attribute(value=owner, attr="args"):
            return is_caught(owner)
        case ast.Attribute(value=owner) | ast.Subscript(value=owner):
            return quotes_it(owner)
        case ast.Compare(left=left, comparators=others):
            return any(map(quotes_it, [left, *others]))
        case _:
            return False


def test_no_module_reads_the_text_of_an_exception(root: Path) -> None:
    sources = sorted((root / "src" / "treewright").rglob("*.py"))
    found = {str(path.relative_to(root)): texts_that_are_read(path.read_text("utf-8")) for path in sources}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "use",
    [
        'str(error) == "stopped"',
        're.match("Row", str(error))',
        "error.args[0]",
        'f"{error}".startswith("Row")',
        'f"{error}" == "stopped"',
        'f"{error}"[4:]',
        "repr(error)",
    ],
)
def test_reading_the_text_of_an_exception_is_found(use: str) -> None:
    assert texts_that_are_read(f"try:\n    work()\nexcept ValueError as error:\n    {use}\n") == [4]


def test_quoting_an_exception_is_allowed() -> None:
    assert (
        texts_that_are_read('try:\n    work()\nexcept ValueError as error:\n    text = f"y: {error}"\n') == []
    )
