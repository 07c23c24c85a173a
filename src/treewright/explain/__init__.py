"""Why a model is as it is: reports with the numbers behind each choice."""

from __future__ import annotations

from treewright.explain.formula import Step
from treewright.explain.report import Branch, Candidate, Cuts, SplitReport
from treewright.explain.split import explain_split
from treewright.explain.training import NodeRows, Training

__all__ = ["Branch", "Candidate", "Cuts", "NodeRows", "SplitReport", "Step", "Training", "explain_split"]
