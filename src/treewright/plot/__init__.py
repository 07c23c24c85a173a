"""Plots: trees and charts drawn with matplotlib, and the same charts as SVG without it.

Names are loaded when they are first used; matplotlib when something is drawn with it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.plot.depths import DepthsDisplay, plot_depths
    from treewright.plot.display import Display
    from treewright.plot.gain_curve import GainCurveDisplay, plot_gain_curve
    from treewright.plot.importance import ImportanceDisplay, plot_importance
    from treewright.plot.learning import LearningDisplay, plot_learning
    from treewright.plot.pruning import PruningDisplay, plot_pruning
    from treewright.plot.regions import RegionsDisplay, plot_regions
    from treewright.plot.tree import plot_tree
    from treewright.plot.typical import TypicalTree, typical_tree
    from treewright.plot.votes import VotesDisplay, plot_votes

__all__ = [
    "DepthsDisplay",
    "Display",
    "GainCurveDisplay",
    "ImportanceDisplay",
    "LearningDisplay",
    "PruningDisplay",
    "RegionsDisplay",
    "TypicalTree",
    "VotesDisplay",
    "plot_depths",
    "plot_gain_curve",
    "plot_importance",
    "plot_learning",
    "plot_pruning",
    "plot_regions",
    "plot_tree",
    "plot_votes",
    "typical_tree",
]

# The table of what is where: a new plot is a module and two lines here.
_HOMES = {
    "DepthsDisplay": "depths",
    "Display": "display",
    "GainCurveDisplay": "gain_curve",
    "ImportanceDisplay": "importance",
    "LearningDisplay": "learning",
    "PruningDisplay": "pruning",
    "RegionsDisplay": "regions",
    "TypicalTree": "typical",
    "VotesDisplay": "votes",
    "plot_depths": "depths",
    "plot_gain_curve": "gain_curve",
    "plot_importance": "importance",
    "plot_learning": "learning",
    "plot_pruning": "pruning",
    "plot_regions": "regions",
    "plot_tree": "tree",
    "plot_votes": "votes",
    "typical_tree": "typical",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'treewright.plot' has no attribute {name!r}")
    value = getattr(import_module(f"treewright.plot.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
