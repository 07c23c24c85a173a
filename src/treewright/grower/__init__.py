"""Grow a tree by hand, one split at a time."""

from __future__ import annotations

from treewright.grower.grower import Grower

__all__ = ["Grower"]
