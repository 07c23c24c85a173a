"""Scores on the command line: their names checked, their numbers as one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn import metrics

from treewright.cli.failures import Mistyped, close_match

__all__ = ["check_metrics", "worded"]


def check_metrics(names: Iterable[str]) -> None:
    """Refuse the name of a metric that does not exist, with the nearest one."""
    known = metrics.get_scorer_names()
    for name in names:
        if name not in known:
            raise Mistyped(f"--metric: there is no metric {name!r}.{close_match(name, known)}")


def worded(title: str, found: dict[str, Any]) -> str:
    """Return scores as one line."""
    if "scores" in found:
        parts = [f"{name} {value['mean']:.4f} ± {value['se']:.4f}" for name, value in found["scores"].items()]
        return f"{title}, {found['folds']} folds: " + "   ".join(parts)
    return f"{title}: " + "   ".join(f"{name} {value:.4f}" for name, value in found.items())
