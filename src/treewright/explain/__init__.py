"""Why a model is as it is: reports with the numbers behind each choice."""

from __future__ import annotations

from treewright.explain.boosted import BoostSplitReport, RoundsReport, SumReport, WeightedReport
from treewright.explain.changes import Change
from treewright.explain.dependence import DependenceReport
from treewright.explain.path_report import PathReport, PathStep
from treewright.explain.prediction import explain_prediction
from treewright.explain.shap import FeatureSize, ShapImportance, ShapReport, WorkedShapReport
from treewright.explain.split import explain_split
from treewright.explain.split_report import Branch, Candidate, Cuts, SplitReport
from treewright.explain.training import NodeRows, Training
from treewright.explain.votes import explain_votes
from treewright.explain.votes_report import ClassVotes, Spread, TestedFeature, TreeAnswer, VotesReport
from treewright.reports.page import Step

__all__ = [
    "BoostSplitReport",
    "Branch",
    "Candidate",
    "Change",
    "ClassVotes",
    "Cuts",
    "DependenceReport",
    "FeatureSize",
    "NodeRows",
    "PathReport",
    "PathStep",
    "RoundsReport",
    "ShapImportance",
    "ShapReport",
    "SplitReport",
    "Spread",
    "Step",
    "SumReport",
    "TestedFeature",
    "Training",
    "TreeAnswer",
    "VotesReport",
    "WeightedReport",
    "WorkedShapReport",
    "explain_prediction",
    "explain_split",
    "explain_votes",
]
