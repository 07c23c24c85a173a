"""The book for readers that are programs: `llms.txt` has a line for every page, `llms-full.txt` all pages."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

__all__ = ["write_llms"]

HEAD = """# Treewright

> Decision trees, forests and boosters that show their work: faithful algorithms on one fast engine, with
> scikit-learn's interface. `pip install treewright`; `from treewright import CARTClassifier`.

Estimators follow scikit-learn (fit, predict, predict_proba, get_params, clone, Pipeline, GridSearchCV) and
take pandas, polars, Arrow, NumPy and scipy sparse tables with text, categories and gaps as they are.
Every split, prediction and pruning has a report: explain_split, explain_prediction, explain_pruning,
explain_rounds, explain_shap.
All numbers of these pages are outputs that the tests compare.
"""


def title_of(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else "?"


def first_sentence(text: str) -> str:
    """Return the first sentence of a page's first paragraph."""
    for paragraph in re.split(r"\n\s*\n", text):
        plain = paragraph.strip()
        if plain and not plain.startswith(("#", "|", "```", "!", "<", "-", ":")):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(plain.split()))
            return re.split(r"(?<=[.:]) ", words)[0].rstrip(":")
    return ""


def write_llms(root: Path, where: dict[Path, PurePosixPath], folder: Path) -> None:
    """Write both files into a folder."""
    parts: dict[str, list[str]] = {}
    full = HEAD
    for page, place in where.items():
        text = page.read_text(encoding="utf-8")
        part = place.parts[0] if len(place.parts) > 1 else "guides"
        link = place.with_suffix(".html")
        parts.setdefault(part, []).append(f"- [{title_of(text)}]({link}): {first_sentence(text)}")
        if part not in ("benchmarks", "decisions"):
            full += f"\n\n---\nFile: {page.relative_to(root).as_posix()}\n\n{text}"
    order = ["guides", *(part for part in parts if part not in ("guides", "benchmarks", "decisions"))]
    short = HEAD
    for part in [*order, "decisions", "benchmarks"]:
        short += f"\n## {part.replace('_', ' ').capitalize()}\n\n" + "\n".join(parts.get(part, [])) + "\n"
    short += "\n## Reference\n\n- [Every public name](reference/index.html): rendered from the docstrings.\n"
    (folder / "llms.txt").write_text(short, encoding="utf-8")
    (folder / "llms-full.txt").write_text(full, encoding="utf-8")
