"""Why a model is as it is: reports with the numbers behind each choice."""

from __future__ import annotations

from treewright.explain.report import Branch, Candidate, SplitReport
from treewright.explain.split import explain_split

__all__ = ["Branch", "Candidate", "SplitReport", "explain_split"]
