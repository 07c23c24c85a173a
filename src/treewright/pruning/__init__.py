"""Making a grown tree smaller: sequences of subtrees, which one to keep, and the report about it.

Everything here works on trees and arrays; the estimators call it.
"""

from __future__ import annotations

from treewright.pruning.choice import (
    Choice,
    CrossValidation,
    choose,
    from_losses,
    from_scores,
    probe_alphas,
)
from treewright.pruning.explained import explain_pruning, sequence_of, stored_pruning
from treewright.pruning.held_out import HeldOut
from treewright.pruning.levelwise import choose_depth, cut_at_depth, level_losses
from treewright.pruning.loss import leaves_as_grown, prune_by_loss
from treewright.pruning.losses import LossSums
from treewright.pruning.node_report import NodePruningReport, PrunedNode, loss_report, pessimistic_report
from treewright.pruning.path import (
    PruningPath,
    PruningSequence,
    alpha_collapse,
    prune,
    pruning_path,
    weakest_links,
)
from treewright.pruning.reduced_error import prune_by_reduced_error
from treewright.pruning.report import PruningReport, PruningRow, pruning_report
from treewright.pruning.row_leaves import RowLeaves, find_row_leaves
from treewright.pruning.rpart_path import CpRow, complexity_table, rpart_links
from treewright.pruning.sequence import cross_validate, fold_losses, pruning_sequence
from treewright.pruning.simplify import merge_equal_leaves

__all__ = [
    "Choice",
    "CpRow",
    "CrossValidation",
    "HeldOut",
    "LossSums",
    "NodePruningReport",
    "PrunedNode",
    "PruningPath",
    "PruningReport",
    "PruningRow",
    "PruningSequence",
    "RowLeaves",
    "alpha_collapse",
    "choose",
    "choose_depth",
    "complexity_table",
    "cross_validate",
    "cut_at_depth",
    "explain_pruning",
    "find_row_leaves",
    "fold_losses",
    "from_losses",
    "from_scores",
    "leaves_as_grown",
    "level_losses",
    "loss_report",
    "merge_equal_leaves",
    "pessimistic_report",
    "probe_alphas",
    "prune",
    "prune_by_loss",
    "prune_by_reduced_error",
    "pruning_path",
    "pruning_report",
    "pruning_sequence",
    "rpart_links",
    "sequence_of",
    "stored_pruning",
    "weakest_links",
]
