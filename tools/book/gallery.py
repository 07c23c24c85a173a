"""The gallery: each script of docs/gallery draws one picture, shown above the script itself.

A script begins with a docstring, a title and some sentences, and leaves its SVG in `picture`.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

__all__ = ["draw_script", "write_gallery"]


def draw_script(script: Path) -> str:
    """Run a script and return the SVG that it leaves."""
    picture = runpy.run_path(str(script))["picture"]
    if not (isinstance(picture, str) and picture.lstrip().startswith("<svg")):
        raise ValueError(f"{script.name} leaves no SVG in picture")
    return picture


def described(script: Path) -> tuple[str, str, str]:
    """Return title, sentences and code of a script."""
    text = script.read_text(encoding="utf-8")
    module = ast.parse(text)
    title, _, sentences = (ast.get_docstring(module) or "").partition("\n")
    code = "\n".join(text.splitlines()[module.body[0].end_lineno :]).strip()
    return title.rstrip("."), sentences.strip(), code


def write_gallery(scripts: Path, folder: Path) -> None:
    """Write a page for each script and an index with all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    index = "# Gallery\n\nPictures beside the code that draws them; every script runs as it stands.\n"
    pages = []
    for script in sorted(scripts.glob("*.py")):
        title, sentences, code = described(script)
        name = script.stem
        (folder / f"{name}.svg").write_text(draw_script(script), encoding="utf-8")
        page = f"# {title}\n\n![{title}]({name}.svg)\n\n{sentences}\n\n```python\n{code}\n```\n"
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
        index += f"\n## [{title}]({name}.md)\n\n{sentences}\n\n[![{title}]({name}.svg)]({name}.md)\n"
        pages.append(name)
    index += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    (folder / "index.md").write_text(index, encoding="utf-8")
