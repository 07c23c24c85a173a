"""What features add to an answer: exact Shapley values of any model, and their reports."""

from __future__ import annotations

from treewright.explain.shap.game import Game, game_of
from treewright.explain.shap.importance import FeatureSize, ShapImportance
from treewright.explain.shap.output import checked_output, class_codes, prepare_background
from treewright.explain.shap.report import ShapReport
from treewright.explain.shap.values import read_offset, shap_values

__all__ = [
    "FeatureSize",
    "Game",
    "ShapImportance",
    "ShapReport",
    "checked_output",
    "class_codes",
    "game_of",
    "prepare_background",
    "read_offset",
    "shap_values",
]
