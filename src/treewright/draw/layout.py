"""Where the nodes of a tree go: tidy, in linear time, without recursion.

Levels are aligned, so that depth can be read from the picture. Subtrees are pushed together until two boxes
of one level would be nearer than the gap (Reingold and Tilford 1981), and a parent stands over the middle of
its children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Layout", "Orientation", "tidy"]

Orientation = Literal["down", "right"]


@dataclass(frozen=True)
class Layout:
    """Where boxes stand.

    Attributes
    ----------
    x, y : list of float
        The upper left corner of each box.
    levels : list of float
        Where each level ends, along the axis in which the tree grows.
    width, height : float
        Size of the whole; all boxes stand between 0 and these.
    """

    x: list[float]
    y: list[float]
    levels: list[float]
    width: float
    height: float


class _Contour:
    """One side of a subtree, level by level, the lowest first, so that a parent is added at the end.

    Numbers are stored without `shift`, so that a whole side moves in one step.
    """

    __slots__ = ("places", "shift")

    def __init__(self) -> None:
        self.places: list[float] = []
        self.shift = 0.0

    def top(self, count: int) -> list[float]:
        """Return the places of the upper levels, the lowest of these first."""
        return [place + self.shift for place in self.places[len(self.places) - count :]]

    def replace_top(self, places: list[float]) -> None:
        self.places[len(self.places) - len(places) :] = [place - self.shift for place in places]


def tidy(
    parents: Sequence[int],
    widths: Sequence[float],
    heights: Sequence[float],
    *,
    sibling_gap: float,
    level_gap: float,
    orientation: Orientation = "down",
) -> Layout:
    """Place the boxes of a tree.

    Parameters
    ----------
    parents : sequence of int
        Parent of every node, -1 for the first, which is the root. Parents stand before their children, and
        siblings in their order.
    widths, heights : sequence of float
        Size of each box.
    sibling_gap, level_gap : float
        Least distance between boxes of one level, and between levels.
    orientation : {"down", "right"}, default="down"
        Where the tree grows to.

    Examples
    --------
    >>> from treewright.draw.layout import tidy
    >>> layout = tidy([-1, 0, 0], [10, 10, 10], [5, 5, 5], sibling_gap=2, level_gap=3)
    >>> layout.x, layout.y, layout.width, layout.height
    ([6.0, 0.0, 12.0], [0.0, 8.0, 8.0], 22.0, 13.0)
    """
    if len(parents) == 0 or parents[0] != -1:
        raise ValueError("A layout needs a root: parents must begin with -1.")
    breadths, lengths = (widths, heights) if orientation == "down" else (heights, widths)
    depths = _depths(parents)
    centres = _centres(parents, breadths, sibling_gap)
    thickness = [0.0] * (max(depths) + 1)
    for node, depth in enumerate(depths):
        thickness[depth] = max(thickness[depth], float(lengths[node]))
    starts, levels, edge = [], [], 0.0
    for size in thickness:
        starts.append(edge)
        levels.append(edge + size)
        edge += size + level_gap
    across = [centre - breadth / 2 for centre, breadth in zip(centres, breadths, strict=True)]
    least = min(across)
    across = [place - least for place in across]
    along = [starts[depth] for depth in depths]
    breadth = max(place + size for place, size in zip(across, breadths, strict=True))
    if orientation == "down":
        return Layout(across, along, levels, breadth, levels[-1])
    return Layout(along, across, levels, levels[-1], breadth)


def _depths(parents: Sequence[int]) -> list[int]:
    depths = [0] * len(parents)
    for node in range(1, len(parents)):
        if not 0 <= parents[node] < node:
            raise ValueError(f"Node {node} must stand after its parent, got parent {parents[node]}.")
        depths[node] = depths[parents[node]] + 1
    return depths


def _centres(parents: Sequence[int], breadths: Sequence[float], gap: float) -> list[float]:
    children: list[list[int]] = [[] for _ in parents]
    for node in range(1, len(parents)):
        children[parents[node]].append(node)
    from_parent = [0.0] * len(parents)
    sides: list[tuple[_Contour, _Contour] | None] = [None] * len(parents)
    for node in range(len(parents) - 1, -1, -1):  # children before their parents
        left, right = _Contour(), _Contour()
        places = [0.0]
        for number, child in enumerate(children[node]):
            own = sides[child]
            assert own is not None, "children stand after their parents"
            sides[child] = None
            if number == 0:
                left, right = own
            else:
                left, right, place = _beside(left, right, *own, gap)
                places.append(place)
        middle = (places[0] + places[-1]) / 2
        for child, place in zip(children[node], places, strict=False):
            from_parent[child] = place - middle
        left.shift -= middle
        right.shift -= middle
        half = breadths[node] / 2
        left.places.append(-half - left.shift)
        right.places.append(half - right.shift)
        sides[node] = left, right
    centres = [0.0] * len(parents)
    for node in range(1, len(parents)):
        centres[node] = centres[parents[node]] + from_parent[node]
    return centres


def _beside(
    left: _Contour, right: _Contour, next_left: _Contour, next_right: _Contour, gap: float
) -> tuple[_Contour, _Contour, float]:
    """Put a subtree beside those before it; return the sides of all of them and its place.

    Only the levels that both have are looked at. One of the two has no others, so every level of a subtree is
    looked at once before it disappears behind its neighbours: that is why the whole takes linear time.
    """
    common = min(len(left.places), len(next_left.places))
    ends, begins = right.top(common), next_left.top(common)
    place = max(end - begin for end, begin in zip(ends, begins, strict=True)) + gap
    if len(left.places) >= len(next_left.places):
        right.replace_top([end + place for end in next_right.top(common)])
        return left, right, place
    next_left.shift += place
    next_right.shift += place
    next_left.replace_top(left.top(common))
    return next_left, next_right, place
