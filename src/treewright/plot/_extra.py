"""The modules that need matplotlib, loaded when something is drawn with it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__all__ = ["with_matplotlib"]

MODULES: Final = {"axes": "treewright.plot._axes", "artists": "treewright.plot._artists"}


def with_matplotlib(module: str, asker: str, instead: str = "") -> Any:
    """Return a module that draws with matplotlib, or say how to get it.

    Parameters
    ----------
    module : {"axes", "artists"}
        Which one.
    asker : str
        What the user has called.
    instead : str
        What does without matplotlib.
    """
    try:
        return import_module(MODULES[module])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        other = f" Without it: {instead}." if instead else ""
        raise ImportError(f'{asker} needs matplotlib. Run: pip install "treewright[plot]".{other}') from error
