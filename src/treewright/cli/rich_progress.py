"""A bar of rich, which knows terminals, their widths and NO_COLOR."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

__all__ = ["RichBar"]


class RichBar:
    """One bar at a time; it goes away when it is done."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID | None = None
        self._owner = ""

    def __call__(self, owner: str, done: int, total: int, unit: str, note: str = "") -> None:
        """Show how far it is."""
        if self._task is None or owner != self._owner:
            self._progress.start()
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._owner = owner
            self._task = self._progress.add_task(owner, total=total or None, unit=unit, note="")
            self._progress.refresh()
        self._progress.update(
            self._task, completed=done, total=total or None, unit=unit, note=note.strip(", ")
        )

    def close(self) -> None:
        """Take the bar away."""
        self._progress.stop()
