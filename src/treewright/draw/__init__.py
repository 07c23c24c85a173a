"""Pictures as plain data and as SVG text: marks, and the charts and trees made of them."""

from __future__ import annotations

from treewright.draw.curve import Curve, draw_curve

__all__ = ["Curve", "draw_curve"]
