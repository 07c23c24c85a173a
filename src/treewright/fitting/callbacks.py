"""scikit-learn's callbacks: `est.set_callbacks(ProgressBar())`, where scikit-learn has them (1.9 and later).

The fit is a task, each tree of a forest or round of a booster a task inside it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeVar

from treewright.fitting.progress import heard_by

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an earlier scikit-learn

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to set: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "with_tasks"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def with_tasks(fit: Fit) -> Fit:
    """Let a fit tell the callbacks that were set what it is about; without any it is as it was.

    Parameters
    ----------
    fit : callable
        The method.
    """

    @functools.wraps(fit)  # keeps the signature, which scikit-learn reads
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(self, "_skl_callbacks", None):
            return _fit_as_task(self, fit, args, kwargs)
        with heard_by(None):  # a fit inside another one is not that one's progress
            return fit(self, *args, **kwargs)

    return told  # type: ignore[return-value]


@with_callbacks  # type: ignore[untyped-decorator]
def _fit_as_task(estimator: Any, fit: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    n_parts = getattr(estimator, "n_estimators", 0)
    task = estimator._init_callback_context(max_subtasks=int(n_parts) if isinstance(n_parts, Integral) else 0)
    data: dict[str, Any] = dict(zip(("X", "y"), args, strict=False))
    data |= {name: kwargs[name] for name in ("X", "y") if name in kwargs}
    task.call_on_fit_task_begin(estimator=estimator, **data)

    told = 0

    def tell(done: int, unit: str) -> bool:
        """Tell of the parts that were finished since the last time; return whether somebody wants to stop."""
        nonlocal told
        stop = False
        for _ in range(told, done):
            told += 1
            part = task.subcontext(task_name=unit.removesuffix("s"))
            part.call_on_fit_task_begin(estimator=estimator, **data)
            stop |= part.call_on_fit_task_end(estimator=estimator, **data)
        return stop

    with heard_by(tell):
        fitted = fit(estimator, *args, **kwargs)
    task.call_on_fit_task_end(
        estimator=estimator, reconstruction_attributes=lambda: dict(vars(estimator)), **data
    )
    return fitted
