"""Whether what a fit needs has room on the workers: refused with the figures before any work."""

from __future__ import annotations

from typing import Any

from treewright.data.memory import format_bytes

__all__ = ["check_room"]


def check_room(workers: dict[str, Any], bytes_needed: int, what: str, remedy: str) -> None:
    """Refuse, before any work, what cannot fit on a worker.

    Parameters
    ----------
    workers : dict
        What the scheduler knows of the workers, by address.
    bytes_needed : int
        Bytes that each of them needs.
    what, remedy : str
        What takes them, and what to do.
    """
    for address, facts in workers.items():
        limit = int(facts.get("memory_limit") or 0)
        if limit and bytes_needed > limit:
            raise MemoryError(
                f"The worker {address} may use {format_bytes(limit)}, and {what} takes about "
                f"{format_bytes(bytes_needed)}. {remedy}"
            )
