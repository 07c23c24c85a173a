"""Parts of the page that need packages of their own, loaded when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__all__ = ["needed"]

#: Module of this folder → the extra that brings its packages.
EXTRAS: Final = {"running": "app", "widgets": "notebook"}


def needed(module: str, who: str) -> Any:
    """Return a module of this folder; ImportError that tells what to install where its packages are missing.

    Parameters
    ----------
    module : str
        A key of `EXTRAS`.
    who : str
        What needs it.
    """
    try:
        return import_module(f"treewright.web.{module}")
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("treewright"):
            raise
        raise ImportError(
            f'{who} needs {error.name}. Run: pip install "treewright[{EXTRAS[module]}]"'
        ) from None
