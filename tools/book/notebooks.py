"""A page as a notebook: its text, its sessions as cells, and their outputs, which the tests have compared."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from tools.book.sessions import BLOCK, examples_of

__all__ = ["notebook_of"]

Cell = dict[str, Any]


def lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


def text_cell(text: str) -> list[Cell]:
    return [{"cell_type": "markdown", "metadata": {}, "source": lines(text)}] if text.strip() else []


def code_cell(source: str, want: str) -> Cell:
    """Return a cell with the output that its last line has."""
    cell: Cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "source": lines(source)}
    shown = want.replace("<BLANKLINE>", "")
    last = source.rstrip("\n").splitlines()[-1]
    outputs: list[Cell] = []
    if shown and (last.startswith(("print(", " ", "Traceback")) or shown.startswith("Traceback")):
        outputs = [{"output_type": "stream", "name": "stdout", "text": lines(shown)}]
    elif shown:
        result = {"text/plain": lines(shown)}
        outputs = [{"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": result}]
    return cell | {"outputs": outputs}


def code_cells(block: str) -> list[Cell]:
    """Return the cells of a session: a cell ends where something is shown."""
    cells, source = [], ""
    for example in examples_of(block):
        source += example.source
        if example.want:
            cells.append(code_cell(source, example.want))
            source = ""
    return cells + ([code_cell(source, "")] if source else [])


def notebook_of(text: str, page: PurePosixPath) -> str:
    """Return a page as the JSON of a notebook; the same page gives the same text."""
    cells: list[Cell] = []
    end = 0
    for match in BLOCK.finditer(text):
        found = code_cells(match[1])
        if found:
            cells += text_cell(text[end : match.start()]) + found
            end = match.end()
    cells += text_cell(text[end:])
    for number, cell in enumerate(cells):
        cell["id"] = sha256(f"{page}:{number}".encode()).hexdigest()[:12]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
