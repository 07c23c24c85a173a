"""A piece of a test in a process of its own, which may die, lose its rights or run out of memory."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["Child", "in_child", "needs_fork"]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# Whatever happens, the test ends; a busy machine gets a lot of time.
MOST_SECONDS = 120.0


class Child:
    """How a process ended.

    Attributes
    ----------
    signal : int
        The signal that ended it, 0 if none did.
    value : object
        What the function returned; None if the process died before.
    """

    def __init__(self, status: int, answer: bytes) -> None:
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        error, self.value = pickle.loads(answer) if answer else (None, None)
        if error is not None:
            raise AssertionError(f"in the child:\n{error}")


def in_child(function: Callable[[], Any]) -> Child:
    """Run a function in a forked process and return how it ended; its exceptions fail the test."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads of the test runner
        pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            answer = (None, function())
        except BaseException:
            answer = (traceback.format_exc(), None)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(pickle.dumps(answer))
        os._exit(0)
    os.close(writer)
    return Child(*_wait(pid, reader))


def _wait(pid: int, reader: int) -> tuple[int, bytes]:
    end, parts = time.monotonic() + MOST_SECONDS, []
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while time.monotonic() < end:
            ready, _, _ = select.select([pipe], [], [], 1.0)
            if not ready:
                continue
            part = pipe.read(1 << 16)
            if not part:
                return os.waitpid(pid, 0)[1], b"".join(parts)
            parts.append(part)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError(f"the child did not end within {MOST_SECONDS:.0f} s")
