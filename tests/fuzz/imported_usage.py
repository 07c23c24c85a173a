"""What an imported model can be asked, and whether the answers make sense."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import treewright
from tests.fuzz import usage
from tests.fuzz.usage import expect
from treewright.exceptions import UnsupportedExportError

__all__ = ["use_imported"]

MOST_FEATURES = 1000
TEXTS = ("summary", "html", "sql", "c", "python", "javascript", "json", "pmml")


def ask_leaves(imported: Any, X: Any) -> None:
    """Ask for the leaves, in the numbers of the other library."""
    leaves = imported.apply(X)
    expect(leaves.shape == (len(X), len(imported.model_.trees)), f"apply gives the shape {leaves.shape}")


def ask_texts(imported: Any, X: Any) -> None:
    """Ask for programs and pages of the whole model; a format may refuse with a sentence."""
    for name in TEXTS:
        try:
            text = getattr(treewright, f"export_{name}")(imported)
        except (UnsupportedExportError, ImportError) as error:
            expect(len(str(error)) > 20, f"{name} refuses with {error!r}")
        else:
            expect(len(text) > 20, f"the exporter {name} gives no text")


def ask_program(imported: Any, X: Any) -> None:
    """Ask for a program that proves itself."""
    treewright.export_python(imported, check=X)


def ask_shap(imported: Any, X: Any) -> None:
    """Ask what each feature adds; numbers too large for sums of them may be refused."""
    try:
        found = np.asarray(imported.shap(X).values)
    except ValueError as error:
        expect(len(str(error)) > 20, f"shap refuses with {error!r}")
    else:
        expect(len(found) == len(X), f"shap gives the shape {found.shape}")


QUESTIONS: tuple[Callable[[Any, Any], None], ...] = (
    ask_leaves, ask_texts, ask_program, ask_shap, usage.ask_stages, usage.ask_importances, usage.ask_path,
    usage.ask_copies,
)  # fmt: skip


def use_imported(imported: Any, random: Random, most: int = 3) -> str:
    """Ask for answers and some of the other questions; raise FaultError for what makes no sense."""
    if imported.n_features_in_ > MOST_FEATURES:
        return "wide"
    X = usage.rows_for(imported, random)
    usage.ask_predict(imported, X)
    usage.ask_shares(imported, X)
    for ask in random.sample(QUESTIONS, random.randint(0, most)):
        ask(imported, X)
    return "used"
