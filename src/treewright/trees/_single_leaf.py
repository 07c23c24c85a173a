"""The warning for a tree that could not grow at all because of the user's limits."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from treewright.exceptions import SingleLeafWarning
from treewright.user_line import warn_user

__all__ = ["warn_if_single_leaf"]

LIMITS = (
    "min_samples_split",
    "min_samples_leaf",
    "min_samples_branch",
    "min_weight_fraction_leaf",
    "min_gain",
    "min_impurity_decrease",
)


def warn_if_single_leaf(arrays: dict[str, NDArray[Any]], estimator: Any, min_rows_leaf: int) -> None:
    """Warn when the target varies, nothing was split, and a limit that the user set can be the reason."""
    if len(arrays["kind"]) > 1 or not arrays["loss"][0] > 0:
        return
    defaults = estimator._defaults
    limits = [name for name in LIMITS if name in defaults and getattr(estimator, name) != defaults[name]]
    if not limits:
        return
    half = int(arrays["rows"][0]) // 2
    if min_rows_leaf > half:
        reason = (
            f"no split left at least min_samples_leaf={estimator.min_samples_leaf} rows on both sides "
            f"(largest possible {half})"
        )
    else:
        reason = "no split was within " + ", ".join(f"{name}={getattr(estimator, name)}" for name in limits)
    warn_user(f"The tree is a single leaf: {reason}.", SingleLeafWarning)
