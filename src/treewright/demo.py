"""`make demo`: learn a tree on a small table, print it, and work out its first split on paper."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from treewright.datasets import load_tennis
from treewright.export import export_svg, export_text
from treewright.trees.cart import CARTClassifier


def demonstrate() -> str:
    """Return what the demonstration prints."""
    tennis = load_tennis()
    estimator = CARTClassifier().fit(tennis.X, tennis.y)
    header = " ".join(f"{name:<12}" for name in (*tennis.feature_names, tennis.target_name))
    days = [(*x, y) for x, y in zip(tennis.X, tennis.y, strict=True)]
    first = [" ".join(f"{cell:<12}" for cell in day) for day in days[:3]]
    return "\n".join(
        [
            f"{len(days)} days, and whether tennis was played. The first {len(first)} of them:",
            "",
            *(f"  {line}".rstrip() for line in (header, *first)),
            "",
            "CARTClassifier().fit(X, y) learns:",
            "",
            export_text(estimator, feature_names=tennis.feature_names, target_name=tennis.target_name),
            "",
            "Why the first split? The best grouping of each feature's values, worked out:",
            "",
            str(estimator.explain_split(0, tennis.X, tennis.y, feature_names=tennis.feature_names)),
        ]
    )


def draw(path: Path) -> str:
    """Draw the tree to a file and return a sentence about it."""
    tennis = load_tennis()
    estimator = CARTClassifier().fit(tennis.X, tennis.y)
    export_svg(
        estimator,
        path,
        X=tennis.X,
        y=tennis.y,
        feature_names=tennis.feature_names,
        target_name=tennis.target_name,
    )
    return f"The same tree as a picture: {path}"


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # lines and signs, also where the locale is plain ASCII
    print(demonstrate())
    print(f"\n{draw(Path(tempfile.gettempdir()) / 'treewright_demo.svg')}")
