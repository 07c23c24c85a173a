"""The names of cost-complexity pruning at their former place; they live in `treewright.pruning.path`."""

from treewright.pruning.path import PruningPath, prune, pruning_path
from treewright.pruning.path import alpha_collapse as collapse_prices

__all__ = ["PruningPath", "collapse_prices", "prune", "pruning_path"]
