"""A target that goes wrong in every way there is, to see that the harness notices."""

from __future__ import annotations

import os

from tests.fuzz.target import Target

__all__ = ["Planted"]

KEPT: list[bytearray] = []


class Planted(Target):
    """Cases that are numbers: some of them end the process, run for ever, take memory or raise."""

    name = "planted"
    suffix = ".txt"
    cpu_seconds = 1
    megabytes = 50

    def draw(self, seed: int) -> bytes:
        """Return the seed itself."""
        return str(seed).encode()

    def run(self, case: bytes) -> str:
        """Do what the number says."""
        number = int(case)
        if number == 3:
            raise ZeroDivisionError("planted")
        if number == 5:
            KEPT.append(bytearray(b"x" * (90 << 20)))
        if number == 7:
            os.abort()
        while number == 9:
            pass
        return "fine"
