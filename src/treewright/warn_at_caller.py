"""Warnings that name the user's line and not one of the library's, however deep in it they arise."""

from __future__ import annotations

import os
import sys
import warnings

import sklearn

__all__ = ["warn_at_caller"]

# scikit-learn stands between the user and an estimator in `score`, pipelines and searches.
INSIDE = tuple(os.path.dirname(os.path.abspath(path)) + os.sep for path in (__file__, sklearn.__file__))


def warn_at_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the library, directly or through scikit-learn.

    Parameters
    ----------
    message : str
        What to say.
    category : type
        The kind of warning.
    """
    # Counted and not given as `skip_file_prefixes`, which Python has since 3.12 only.
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
