"""Tuning: a small search for better parameters that says when there are none."""

from treewright.tuning.space import SearchSpace, search_space
from treewright.tuning.tuner import Tuned, tune

__all__ = ["SearchSpace", "Tuned", "search_space", "tune"]
