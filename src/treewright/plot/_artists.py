"""Marks as artists of matplotlib: they keep their proportions whatever size the axes have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.patches import FancyBboxPatch, Patch, PathPatch
from matplotlib.path import Path
from matplotlib.text import Text

from treewright.draw.marks import Area, Bend, Boxes, Dots, Lines, Picture, Words, all_marks
from treewright.draw.text_width import text_width
from treewright.plot._look import families_for, page_of

__all__ = ["draw_picture"]

POINTS: Final = 72  # in an inch
PIXELS: Final = 100  # of a picture in an inch of its own figure
LARGEST: Final = 60.0  # inches
CLOSE: Final = 1e-6
LEAST_LETTERS: Final = 0.85  # of their size, for the sake of a few words that would be too wide
ALIGNED: Final[dict[str, Any]] = {"start": "left", "middle": "center", "end": "right"}


def draw_picture(picture: Picture, ax: Any = None) -> list[Artist]:
    """Draw a picture and return its artists.

    Parameters
    ----------
    picture : Picture
        What is drawn.
    ax : matplotlib Axes or None
        Where; None: on the current axes if they are empty, as scikit-learn's plot_tree, otherwise on a new
        figure of the picture's own size.
    """
    if ax is None:
        ax = _own_axes(picture)
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    page = page_of(ax)
    marks = list(all_marks(picture.marks))
    family = families_for(mark.content for mark in marks if isinstance(mark, Words))
    lettering = _Lettering()
    artists: list[Artist] = []
    for order, mark in enumerate(marks):
        if isinstance(mark, Words):
            made: list[Any] = [_PictureText(mark, page, family, lettering)]
        else:
            made = MAKERS[type(mark)](mark, page)
        for artist in made:
            artist.set_zorder(1 + order / len(marks))
            ax.add_artist(artist)
            artists.append(artist)
    return artists


def _own_axes(picture: Picture) -> Any:
    if plt.get_fignums():
        figure = plt.gcf()
        if not figure.axes or not figure.gca().has_data():
            return figure.gca()
    inches = (picture.width / PIXELS, picture.height / PIXELS)
    shrink = min(1.0, LARGEST / max(inches))
    figure = plt.figure(figsize=(inches[0] * shrink, inches[1] * shrink))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _unit(axes: Any) -> float:
    """Return how many points of a printer one pixel of the picture is."""
    (left, _), (right, _) = axes.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    return float(abs(right - left) * POINTS / axes.figure.dpi)


class _Lettering:
    """One size for all words of a picture: as it says, unless the font is wider than it thinks."""

    def __init__(self) -> None:
        self.words: list[_PictureText] = []
        self._fitted: tuple[float, float] | None = None

    def fit(self, axes: Any, renderer: Any) -> None:
        """Give all words the size that the axes ask for now."""
        unit, dpi = _unit(axes), float(axes.figure.dpi)
        # Only when something has changed: whatever is set asks for another drawing.
        if self._fitted is not None and np.allclose(self._fitted, (unit, dpi), rtol=CLOSE, atol=0.0):
            return
        self._fitted = unit, dpi
        room = [text.room_for(unit, renderer) for text in self.words]
        common = max(LEAST_LETTERS, min([1.0, *room]))
        for text, own in zip(self.words, room, strict=True):
            text.set_fontsize(text.pixels * unit * min(common, own))


class _PictureText(Text):
    """Words whose size is given in pixels of the picture, and that are never wider than they may be."""

    def __init__(
        self, mark: Words, page: dict[str, str], family: list[str] | None, lettering: _Lettering
    ) -> None:
        super().__init__(
            mark.x,
            mark.y,
            mark.content,
            color=page.get(mark.colour, mark.colour),
            horizontalalignment=ALIGNED[mark.anchor],
            verticalalignment="baseline",
            fontweight="bold" if mark.bold else "normal",
            fontfamily=family,
            parse_math=False,
            usetex=False,
            clip_on=True,
        )
        self.pixels = mark.size
        self._most = text_width(mark.content, mark.size, bold=mark.bold)
        self._lettering = lettering
        lettering.words.append(self)

    def room_for(self, unit: float, renderer: Any) -> float:
        """Return what share of their size the words may have."""
        self.set_fontsize(self.pixels * unit)
        axes: Any = self.axes
        most = self._most * unit * axes.figure.dpi / POINTS
        wide = super().get_window_extent(renderer).width
        return float(most / wide) if wide > 0 else 1.0

    def draw(self, renderer: Any) -> None:
        """Draw the words in the size that the axes ask for now."""
        self._lettering.fit(self.axes, renderer)
        super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: Any = None) -> Any:
        """Return the room that the words take on the screen."""
        if self.axes is not None:
            self._lettering.fit(self.axes, renderer)
        return super().get_window_extent(renderer, dpi)


class _PicturePath(PathPatch):
    """A path in pixels of the picture, its line too."""

    def __init__(self, path: Path, thick: float, **look: Any) -> None:
        super().__init__(path, **look)
        self._thick = thick

    def draw(self, renderer: Any) -> None:
        """Draw it as thick as the axes ask for now."""
        _scale_line(self, self._thick)
        super().draw(renderer)


class _PictureBox(FancyBboxPatch):
    """A box with round corners in pixels of the picture, its outline too."""

    def __init__(self, box: tuple[float, float, float, float], mark: Boxes, **look: Any) -> None:
        x, y, width, height = box
        style = f"round,pad=0,rounding_size={mark.radius}"
        super().__init__((x, y), width, height, boxstyle=style, **look)
        self._thick = mark.thick

    def draw(self, renderer: Any) -> None:
        """Draw it as thick as the axes ask for now."""
        _scale_line(self, self._thick)
        super().draw(renderer)


def _scale_line(patch: Patch, thick: float) -> None:
    width = thick * _unit(patch.axes)
    # Only when it changes: whatever is set asks for another drawing.
    if abs(patch.get_linewidth() - width) > CLOSE * width:
        patch.set_linewidth(width)


def _colour(name: str | None, page: dict[str, str], opacity: float = 1.0) -> Any:
    return "none" if name is None else (page.get(name, name), opacity)


def _dashes(dash: Sequence[float], thick: float) -> Any:
    # matplotlib multiplies dashes with the thickness.
    return (0, tuple(length / thick for length in dash)) if dash else "solid"


def _boxes(mark: Boxes, page: dict[str, str]) -> list[Artist]:
    look = {
        "facecolor": _colour(mark.fill, page, mark.opacity),
        "edgecolor": _colour(mark.stroke, page),
        "linestyle": _dashes(mark.dash, mark.thick),
    }
    if mark.radius:
        return [_PictureBox(box, mark, **look) for box in mark.boxes]
    if not mark.boxes:
        return []
    outlines = [
        Path([(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], closed=True)
        for x, y, w, h in mark.boxes
    ]
    return [_PicturePath(Path.make_compound_path(*outlines), mark.thick, **look)]


def _lines(mark: Lines, page: dict[str, str]) -> list[Artist]:
    if not mark.lines:
        return []
    path = Path.make_compound_path(*[Path(list(points)) for points in mark.lines])
    look = {"edgecolor": _colour(mark.stroke, page, mark.opacity), "facecolor": "none"}
    return [_PicturePath(path, mark.thick, linestyle=_dashes(mark.dash, mark.thick), capstyle="butt", **look)]


def _bend(mark: Bend, page: dict[str, str]) -> list[Artist]:
    codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    path = Path([mark.begin, mark.straight, *mark.handles, mark.end], codes)
    look = {"edgecolor": _colour(mark.stroke, page), "facecolor": "none"}
    return [_PicturePath(path, mark.thick, capstyle="butt", **look)]


def _area(mark: Area, page: dict[str, str]) -> list[Artist]:
    path = Path([*mark.points, mark.points[0]], closed=True)
    return [_PicturePath(path, 0.0, facecolor=_colour(mark.fill, page, mark.opacity), edgecolor="none")]


def _dots(mark: Dots, page: dict[str, str]) -> list[Artist]:
    if not mark.points:
        return []
    circle = Path.unit_circle()
    rings = [Path(np.asarray(circle.vertices) * mark.radius + point, circle.codes) for point in mark.points]
    look = {
        "facecolor": _colour(mark.fill, page, mark.opacity),
        "edgecolor": _colour(mark.stroke, page),
    }
    return [_PicturePath(Path.make_compound_path(*rings), mark.thick, **look)]


MAKERS: Final[dict[type, Callable[[Any, dict[str, str]], list[Artist]]]] = {
    Boxes: _boxes,
    Lines: _lines,
    Bend: _bend,
    Area: _area,
    Dots: _dots,
}
