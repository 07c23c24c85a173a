"""Why a booster is as it is: splits with sums of gradients, answers as sums, rounds with their weights."""

from __future__ import annotations

from treewright.explain.boosted.leaf_step import LeafStep, rule_of
from treewright.explain.boosted.place import tree_of_booster
from treewright.explain.boosted.rounds import RoundsReport, RowWeight, WeightedRound, explain_rounds
from treewright.explain.boosted.split import explain_boosted_split
from treewright.explain.boosted.split_report import BoostBranch, BoostCandidate, BoostSplitReport, BoostSums
from treewright.explain.boosted.sum_prediction import explain_step, explain_sum
from treewright.explain.boosted.sum_report import FeatureSum, ScoreSum, SumReport, TreeStep
from treewright.explain.boosted.training import BoostTraining, Offer
from treewright.explain.boosted.weighted import Member, WeightedReport, explain_weighted

__all__ = [
    "BoostBranch",
    "BoostCandidate",
    "BoostSplitReport",
    "BoostSums",
    "BoostTraining",
    "FeatureSum",
    "LeafStep",
    "Member",
    "Offer",
    "RoundsReport",
    "RowWeight",
    "ScoreSum",
    "SumReport",
    "TreeStep",
    "WeightedReport",
    "WeightedRound",
    "explain_boosted_split",
    "explain_rounds",
    "explain_step",
    "explain_sum",
    "explain_weighted",
    "rule_of",
    "tree_of_booster",
]
