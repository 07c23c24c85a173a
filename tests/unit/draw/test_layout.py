"""The layout of trees: boxes never touch, stand in order, and fill the room that is said to be theirs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.draw.layout import tidy

GAP, LEVEL = 7.0, 11.0
SLACK = 1e-6


@st.composite
def trees(draw):
    """Any tree of some boxes: siblings may have subtrees of any shape."""
    size = draw(st.integers(1, 60))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, size)]
    side = st.floats(1, 90, allow_nan=False)
    widths = draw(st.lists(side, min_size=size, max_size=size))
    heights = draw(st.lists(side, min_size=size, max_size=size))
    return parents, widths, heights


def depths_of(parents):
    depths = [0]
    for parent in parents[1:]:
        depths.append(depths[parent] + 1)
    return depths


@pytest.mark.parametrize("orientation", ["down", "right"])
@given(tree=trees())
def test_no_box_touches_another_and_none_leaves_the_picture(orientation, tree):
    parents, widths, heights = tree
    layout = tidy(parents, widths, heights, sibling_gap=GAP, level_gap=LEVEL, orientation=orientation)
    boxes = [(x, y, x + w, y + h) for x, y, w, h in zip(layout.x, layout.y, widths, heights, strict=True)]
    assert min(box[0] for box in boxes) == pytest.approx(0, abs=SLACK)
    assert min(box[1] for box in boxes) == pytest.approx(0, abs=SLACK)
    assert max(box[2] for box in boxes) == pytest.approx(layout.width)
    assert max(box[3] for box in boxes) == pytest.approx(layout.height)
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            beside = max(one[0] - other[2], other[0] - one[2])
            above = max(one[1] - other[3], other[1] - one[3])
            assert max(beside, above) >= GAP - SLACK


@pytest.mark.parametrize("orientation", ["down", "right"])
@given(tree=trees())
def test_children_stand_in_order_and_their_parent_over_their_middle(orientation, tree):
    parents, widths, heights = tree
    layout = tidy(parents, widths, heights, sibling_gap=GAP, level_gap=LEVEL, orientation=orientation)
    places, sizes = (layout.x, widths) if orientation == "down" else (layout.y, heights)
    centres = [place + size / 2 for place, size in zip(places, sizes, strict=True)]
    depths = depths_of(parents)
    along = layout.y if orientation == "down" else layout.x
    for node in range(len(parents)):
        below = [child for child, parent in enumerate(parents) if parent == node]
        assert all(along[child] >= layout.levels[depths[node]] + LEVEL - SLACK for child in below)
        assert [centres[child] for child in below] == sorted(centres[child] for child in below)
        if below:
            assert centres[node] == pytest.approx((centres[below[0]] + centres[below[-1]]) / 2, abs=1e-6)


def test_long_chains_and_wide_stars_are_placed():
    n = 10_000
    chain = tidy(range(-1, n - 1), [10] * n, [4] * n, sibling_gap=2, level_gap=1)
    assert set(chain.x) == {0.0} and chain.height == n * 5 - 1
    star = tidy([-1] + [0] * (n - 1), [10] * n, [4] * n, sibling_gap=2, level_gap=1)
    assert star.width == (n - 1) * 12 - 2 and star.x[0] == star.width / 2 - 5
    comb = [-1]
    for node in range(1, n, 2):  # every inner node has a leaf and goes on
        comb += [max(node - 1, 0)] * 2
    assert len(tidy(comb, [10] * len(comb), [4] * len(comb), sibling_gap=2, level_gap=1).x) == len(comb)


def test_a_subtree_slides_below_its_shallow_neighbour():
    # Root with a leaf and a chain whose lowest box is wide: the wide one may stand below the leaf.
    layout = tidy([-1, 0, 0, 2], [10, 10, 10, 50], [5] * 4, sibling_gap=2, level_gap=3)
    assert layout.x[2] - layout.x[1] == 12


@pytest.mark.parametrize("parents", [[], [0], [-1, 2, 0], [-1, 1]])
def test_what_is_no_tree_is_refused(parents):
    with pytest.raises(ValueError, match=r"root|after its parent"):
        tidy(parents, [1] * len(parents), [1] * len(parents), sibling_gap=1, level_gap=1)
