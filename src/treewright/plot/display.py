"""Display: what every plot can do. A display computes its data once and draws it as often as wanted."""

from __future__ import annotations

import os
from typing import Any, Self

from treewright.draw.chart import Chart
from treewright.draw.chart_picture import draw_chart
from treewright.draw.svg import to_svg
from treewright.export.written import written
from treewright.plot._extra import with_matplotlib

__all__ = ["Display"]


class Display:
    """Base of all displays, in the manner of scikit-learn's.

    A display holds the numbers that it shows as attributes. ``compute`` makes one without drawing,
    ``from_estimator`` makes one and draws it with matplotlib, ``plot`` draws it (again), and ``to_svg``
    writes the same chart without matplotlib.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.
    artists_ : list of matplotlib artists
        What was drawn.
    """

    ax_: Any
    figure_: Any
    artists_: list[Any]

    @classmethod
    def from_estimator(cls, *arguments: Any, ax: Any = None, **options: Any) -> Self:
        """Compute a display and draw it with matplotlib.

        Parameters
        ----------
        *arguments, **options : object
            Those of ``compute``, the estimator first.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        """
        cls._renderer("from_estimator")  # before anything is computed
        kind: Any = cls  # every display computes from other things
        made: Self = kind.compute(*arguments, **options)
        return made.plot(ax=ax)

    @classmethod
    def _renderer(cls, method: str) -> Any:
        name = cls.__name__
        return with_matplotlib("axes", f"{name}.{method}", f"{name}.compute(…).to_svg()")

    def to_chart(self) -> Chart:
        """Return what is drawn as plain data, see `treewright.draw.chart`."""
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Self:
        """Draw with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; by default on a new figure.

        Returns
        -------
        display : Display
            This display, with ``ax_``, ``figure_`` and ``artists_``.
        """
        self.ax_, self.artists_ = self._renderer("plot").draw_axes(self.to_chart(), ax)
        self.figure_ = self.ax_.figure
        return self

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the chart as SVG, and write it to a file if asked to; matplotlib is not needed.

        Parameters
        ----------
        path : path-like, optional
            Where to write it.
        """
        return written(to_svg(draw_chart(self.to_chart())), path)

    def _repr_svg_(self) -> str | None:
        # What matplotlib has drawn is on the page already.
        return None if hasattr(self, "ax_") else self.to_svg()
