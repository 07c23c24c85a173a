"""Errors of importers: where in the file, what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from treewright.exceptions import ModelFileError, UnsupportedModelError

__all__ = ["fault", "named_faults", "unsupported"]


def fault(where: str, what: str) -> NoReturn:
    """Raise an error about a model that cannot be one.

    Parameters
    ----------
    where : str
        The place, e.g. ``tree 3, node 7``.
    what : str
        What is wrong there.
    """
    raise ModelFileError(f"{where}: {what}")


def unsupported(what: str, remedy: str = "") -> NoReturn:
    """Raise an error about a model that is sound, but has something that cannot be imported.

    Parameters
    ----------
    what : str
        What it has, a sentence without its full stop.
    remedy : str
        What to do instead, a sentence.
    """
    raise UnsupportedModelError(f"{what}.{' ' if remedy else ''}{remedy}")


@contextmanager
def named_faults(name: str) -> Iterator[None]:
    """Turn whatever a damaged file makes the code below stumble over into a ModelFileError with its name.

    Parameters
    ----------
    name : str
        What messages call the model.
    """
    try:
        yield
    except UnsupportedModelError as error:
        raise UnsupportedModelError(f"{name}: {error}") from None
    except ModelFileError as error:
        raise ModelFileError(f"{name} is not a model that can be imported: {error}") from None
    except RecursionError:
        raise ModelFileError(f"{name} is not a model that can be imported: it is nested too deeply") from None
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError) as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}, "
        raise ModelFileError(f"{name} is not a model that can be imported: {kind}{error}") from error
