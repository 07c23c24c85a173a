"""An exception that arrives at any one line of the library's Python code, as Ctrl-C may."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import treewright

__all__ = ["count_lines", "run_with_exception_at"]

FOLDER = str(Path(treewright.__file__).parent)


def _traced(call: Callable[[], Any], at_line: Callable[[], None]) -> Any:
    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        if event == "line":
            at_line()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return call()
    finally:
        sys.settrace(before)


def count_lines(call: Callable[[], Any]) -> int:
    """Return how many lines of the library a call runs."""
    count = 0

    def add() -> None:
        nonlocal count
        count += 1

    _traced(call, add)
    return count


def run_with_exception_at(line: int, call: Callable[[], Any], error: type[BaseException]) -> bool:
    """Run a call that gets an exception before its nth line; tell whether the exception came through."""
    left = line

    def strike() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise error("from outside")

    try:
        _traced(call, strike)
    except error as caught:
        return str(caught) == "from outside" or caught.__context__ is not None
    return False
