"""Warnings that name the user's line and not one of the library's, however deep in it they arise."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["warn_user"]

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the library.

    Parameters
    ----------
    message : str
        What to say.
    category : type
        The kind of warning.
    """
    # Counted and not given as `skip_file_prefixes`, which Python has since 3.12 only.
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
