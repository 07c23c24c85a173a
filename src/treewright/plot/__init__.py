"""Plots: trees and charts drawn with matplotlib, and the same charts as SVG without it.

Names are loaded when they are first used; matplotlib when something is drawn with it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.plot.beeswarm import BeeswarmDisplay, plot_beeswarm
    from treewright.plot.dependence import DependenceDisplay, plot_dependence
    from treewright.plot.depths import DepthsDisplay, plot_depths
    from treewright.plot.display import Display
    from treewright.plot.gain_curve import GainCurveDisplay, plot_gain_curve
    from treewright.plot.importance import ImportanceDisplay, plot_importance
    from treewright.plot.learning import LearningDisplay, plot_learning
    from treewright.plot.pruning import PruningDisplay, plot_pruning
    from treewright.plot.regions import RegionsDisplay, plot_regions
    from treewright.plot.shap_scatter import ShapScatterDisplay, plot_shap_scatter
    from treewright.plot.tree import plot_tree
    from treewright.plot.typical import TypicalTree, typical_tree
    from treewright.plot.votes import VotesDisplay, plot_votes
    from treewright.plot.waterfall import WaterfallDisplay, plot_waterfall

__all__ = [
    "BeeswarmDisplay",
    "DependenceDisplay",
    "DepthsDisplay",
    "Display",
    "GainCurveDisplay",
    "ImportanceDisplay",
    "LearningDisplay",
    "PruningDisplay",
    "RegionsDisplay",
    "ShapScatterDisplay",
    "TypicalTree",
    "VotesDisplay",
    "WaterfallDisplay",
    "plot_beeswarm",
    "plot_dependence",
    "plot_depths",
    "plot_gain_curve",
    "plot_importance",
    "plot_learning",
    "plot_pruning",
    "plot_regions",
    "plot_shap_scatter",
    "plot_tree",
    "plot_votes",
    "plot_waterfall",
    "typical_tree",
]

# The table of what is where: a new plot is a module and two lines here.
_HOMES = {
    "BeeswarmDisplay": "beeswarm",
    "DependenceDisplay": "dependence",
    "DepthsDisplay": "depths",
    "Display": "display",
    "GainCurveDisplay": "gain_curve",
    "ImportanceDisplay": "importance",
    "LearningDisplay": "learning",
    "PruningDisplay": "pruning",
    "RegionsDisplay": "regions",
    "ShapScatterDisplay": "shap_scatter",
    "TypicalTree": "typical",
    "VotesDisplay": "votes",
    "WaterfallDisplay": "waterfall",
    "plot_beeswarm": "beeswarm",
    "plot_dependence": "dependence",
    "plot_depths": "depths",
    "plot_gain_curve": "gain_curve",
    "plot_importance": "importance",
    "plot_learning": "learning",
    "plot_pruning": "pruning",
    "plot_regions": "regions",
    "plot_shap_scatter": "shap_scatter",
    "plot_tree": "tree",
    "plot_votes": "votes",
    "plot_waterfall": "waterfall",
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
