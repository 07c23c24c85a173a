"""Target: something that is thrown at the library over and over, each time from another seed.

A case is the content of a file, so whatever fails can be stored, sent and run again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

__all__ = ["FaultError", "Target"]


class FaultError(AssertionError):
    """The library gave an answer that it promised not to give."""


class Target(ABC):
    """One kind of case.

    Attributes
    ----------
    name : str
        What a report calls it, and the folder of the corpus that keeps its cases.
    suffix : str
        How the file of a case ends.
    share : float
        How much of the time of a run it gets, beside the others.
    cpu_seconds : int
        What a case may take; more is a hang.
    megabytes : int
        What a case may take in memory.
    """

    name: ClassVar[str]
    suffix: ClassVar[str]
    share: ClassVar[float] = 1.0
    cpu_seconds: ClassVar[int] = 30
    megabytes: ClassVar[int] = 400

    @abstractmethod
    def draw(self, seed: int) -> bytes:
        """Return the case of a seed; the same one in every process."""

    @abstractmethod
    def run(self, case: bytes) -> str:
        """Try the case and say in one word how it went; any exception is a finding."""
