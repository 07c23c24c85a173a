"""The page: grow, prune and question a tree in the browser or in a notebook."""

from __future__ import annotations

from treewright.web.showing import show, widget

__all__ = ["show", "widget"]
