"""How answers depend on one or two features: partial dependence, single rows, accumulated effects."""

from __future__ import annotations

from treewright.explain.dependence.effects import LocalEffects, local_effects
from treewright.explain.dependence.grid import GridAxis, axis_of, read_features
from treewright.explain.dependence.joint_effects import JointEffects, joint_effects
from treewright.explain.dependence.picture import dependence_chart
from treewright.explain.dependence.report import DependenceReport

__all__ = [
    "DependenceReport",
    "GridAxis",
    "JointEffects",
    "LocalEffects",
    "axis_of",
    "dependence_chart",
    "joint_effects",
    "local_effects",
    "read_features",
]
