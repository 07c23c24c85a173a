"""Param: what is known about one hyper-parameter."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.constraint import Constraint

__all__ = ["Param"]


@dataclass(frozen=True)
class Param:
    """One hyper-parameter.

    Attributes
    ----------
    type_text : str
        Its type as numpydoc writes it; the default is added from the signature.
    accepts : tuple of Constraint
        What values it may have, besides words that each algorithm lists itself.
    text : str
        What it does, as one paragraph.
    """

    type_text: str
    accepts: tuple[Constraint, ...]
    text: str
