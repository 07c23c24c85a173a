"""Run the notebooks of the course in a kernel and compare what it shows with what they say.

The tests run the same sessions as doctests; a kernel shows answers in its own way.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
from nbclient import NotebookClient
from tools.book.notebooks import notebook_of

__all__ = ["differences", "main"]

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300  # of one cell


def shown(outputs: list[Any]) -> str:
    """Return the text of a cell's outputs, all white space alike; of an error its last line."""
    found = []
    for output in outputs:
        if output["output_type"] == "error":
            found.append(f"{output['ename']}: {output['evalue']}")
        elif output.get("name") != "stderr":
            found.append(output.get("text") or output["data"]["text/plain"])
    return " ".join(" ".join(found).split())


def differences(text: str, page: PurePosixPath) -> list[str]:
    """Return a sentence for each cell of a page whose output is another one in a kernel.

    Parameters
    ----------
    text : str
        The page.
    page : PurePosixPath
        Its path, for sentences.
    """
    notebook = nbformat.reads(notebook_of(text, page), as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    wanted = [shown(cell.outputs) for cell in cells]
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", allow_errors=True).execute()
    problems = []
    for cell, want in zip(cells, wanted, strict=True):
        got = shown(cell.outputs)
        is_error = want.startswith("Traceback") and want.endswith(got) and bool(got)
        if got != want and not is_error:
            problems.append(
                f"{page}: {cell.source.splitlines()[-1]!r} shows {got[:200]!r}, not {want[:200]!r}"
            )
    return problems


def main() -> int:
    """Return 0 when every chapter shows what it says."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # the kernel's debugger warns otherwise
    chapters = sorted((ROOT / "docs" / "course").glob("[0-9]*.md"))
    problems = [
        problem
        for page in chapters
        for problem in differences(page.read_text(encoding="utf-8"), PurePosixPath(page.name))
    ]
    print(*problems, f"{len(chapters)} notebooks ran in a kernel: {len(problems)} problem(s)", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
