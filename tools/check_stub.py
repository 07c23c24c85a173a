"""Check that the committed stub of the engine is the one that a build writes.

A build in place writes src/treewright/_core.pyi, so what differs from git afterwards was forgotten.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUB = "src/treewright/_core.pyi"


def check_stub(root: Path) -> list[str]:
    """Return a sentence if the stub on disk is not the one that git has."""
    compared = subprocess.run(
        ["git", "diff", "--stat", "--exit-code", "--", STUB],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if compared.returncode == 0:
        return []
    if compared.returncode != 1:
        return []  # not a git checkout: there is nothing to compare with
    return [f"{STUB} is not what the engine says: `git add` the one that `make build` wrote"]


def main() -> int:
    problems = check_stub(Path(__file__).resolve().parents[1])
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"stub: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
