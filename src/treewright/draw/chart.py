"""Chart: two axes and what stands between them, as plain data in the units of the axes.

`draw_chart` makes a picture of it; `treewright.plot` gives the same description to matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from treewright.draw.legend import Legend

__all__ = ["Axis", "Band", "Bars", "Cells", "Chart", "Layer", "Line", "Note", "Points", "Rule"]

Numbers = Sequence[float]


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    name : str
        What it shows, with its unit.
    low, high : float
        Its ends; low < high.
    log : bool
        Whether equal steps are equal factors; both ends are above 0 then.
    reverse : bool
        Whether it runs from high to low: to the left, or downwards.
    ticks : sequence of (float, str), or None
        Places and their words; None: round numbers.
    """

    name: str
    low: float
    high: float
    log: bool = False
    reverse: bool = False
    ticks: Sequence[tuple[float, str]] | None = None


@dataclass(frozen=True)
class Line:
    """A line through points; it is interrupted where a value is NaN.

    Attributes
    ----------
    x, y : sequence of float
        The points.
    colour : str
        Its colour.
    dashed : bool
        Whether it is dashed.
    stepped : bool
        Whether each value holds up to the next x, as in a tree.
    thick : float
        How thick it is.
    """

    x: Numbers
    y: Numbers
    colour: str
    dashed: bool = False
    stepped: bool = False
    thick: float = 2.0


@dataclass(frozen=True)
class Band:
    """A pale area between two lines.

    Attributes
    ----------
    x, low, high : sequence of float
        Where it is.
    colour : str
        Its colour.
    """

    x: Numbers
    low: Numbers
    high: Numbers
    colour: str


@dataclass(frozen=True)
class Points:
    """Dots.

    Attributes
    ----------
    x, y : sequence of float
        Where they are.
    colours : sequence of str
        One per dot, or one for all.
    radius : float
        How large they are, in pixels.
    opacity : float
        Below 1 where many of them lie on each other.
    outline : str or None
        Colour of their outline.
    """

    x: Numbers
    y: Numbers
    colours: Sequence[str]
    radius: float = 3.0
    opacity: float = 1.0
    outline: str | None = None


@dataclass(frozen=True)
class Bars:
    """Bars, lying or standing.

    Attributes
    ----------
    at : sequence of float
        Places of their middles, on the y axis of lying bars.
    begin, end : sequence of float
        From where to where they go on the other axis.
    colours : sequence of str
        One per bar, or one for all.
    lying : bool
        Whether they lie.
    thick : float
        How thick they are, in units of the axis.
    spread : sequence of (float, float)
        From where to where the whisker of each goes; empty: none have one.
    words : sequence of str
        What stands behind the end of each bar; empty: nothing.
    """

    at: Numbers
    begin: Numbers
    end: Numbers
    colours: Sequence[str]
    lying: bool = True
    thick: float = 0.7
    spread: Sequence[tuple[float, float]] = ()
    words: Sequence[str] = ()


@dataclass(frozen=True)
class Cells:
    """Coloured rectangles that fill a grid: a heat map, or the regions of a model.

    Attributes
    ----------
    x, y : sequence of float
        Edges of columns and rows, ascending.
    colours : sequence of sequence of str or None
        Row by row, beginning with the lowest y; None: empty.
    words : sequence of sequence of str
        What stands in each; empty: nothing.
    opacity : float
        Of the colours.
    outlined : bool
        Whether cells are set apart from each other.
    """

    x: Numbers
    y: Numbers
    colours: Sequence[Sequence[str | None]]
    words: Sequence[Sequence[str]] = ()
    opacity: float = 1.0
    outlined: bool = False


@dataclass(frozen=True)
class Rule:
    """A straight line across the whole chart.

    Attributes
    ----------
    at : float
        Where it is.
    lying : bool
        Whether `at` is a y.
    colour : str
        Its colour.
    dashed : bool
        Whether it is dashed.
    """

    at: float
    lying: bool
    colour: str = "grey"
    dashed: bool = True


@dataclass(frozen=True)
class Note:
    """A ring around a point, with words above the chart that a thin line leads to.

    Attributes
    ----------
    x, y : float
        The point.
    words : str
        What is said about it.
    colour : str
        Colour of the ring.
    """

    x: float
    y: float
    words: str
    colour: str = "mark"


Layer = Line | Band | Points | Bars | Cells | Rule | Note


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn.

    Attributes
    ----------
    title : str
        What it is; stands above.
    sentence : str
        What it says, for those who cannot see it.
    x, y : Axis
        The axes.
    layers : sequence of Layer
        What stands between them, the lowest first.
    legend : sequence of (str, str)
        Colours and their names.
    remark : str
        One more line, below the title.
    width, height : float
        Size in pixels of the room between the axes.
    """

    title: str
    sentence: str
    x: Axis
    y: Axis
    layers: Sequence[Layer]
    legend: Legend = field(default=())
    remark: str = ""
    width: float = 540.0
    height: float = 260.0
