"""What features add to an answer: exact Shapley values of any model, and their reports."""

from __future__ import annotations

from treewright.explain.shap.game import Game, counts_rows, game_of
from treewright.explain.shap.importance import FeatureSize, ShapImportance
from treewright.explain.shap.output import checked_output, class_codes, prepare_background
from treewright.explain.shap.report import ShapReport
from treewright.explain.shap.values import is_bent, read_offset, shap_values
from treewright.explain.shap.worked import explain_shap
from treewright.explain.shap.worked_report import (
    Coalition,
    Contribution,
    LeafTerm,
    WorkedLeaf,
    WorkedShapReport,
)

__all__ = [
    "Coalition",
    "Contribution",
    "FeatureSize",
    "Game",
    "LeafTerm",
    "ShapImportance",
    "ShapReport",
    "WorkedLeaf",
    "WorkedShapReport",
    "checked_output",
    "class_codes",
    "counts_rows",
    "explain_shap",
    "game_of",
    "is_bent",
    "prepare_background",
    "read_offset",
    "shap_values",
]
