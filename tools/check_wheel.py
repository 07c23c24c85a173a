"""Check the wheel in a folder: its size, and that it holds the module, its stub and the type marker."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

MAX_BYTES = 3_000_000
WANTED = {"treewright/__init__.py", "treewright/_core.pyi", "treewright/py.typed"}


def check_wheel(path: Path) -> list[str]:
    """Return one sentence for each problem of a wheel."""
    problems = []
    if path.stat().st_size >= MAX_BYTES:
        problems.append(f"{path.name}: {path.stat().st_size:,} bytes, the limit is {MAX_BYTES:,}")
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
    problems += [f"{path.name}: {name} is not in it" for name in sorted(WANTED - names)]
    natives = [name for name in names if name.endswith((".so", ".pyd"))]
    if [Path(name).parent.name for name in natives] != ["treewright"]:
        problems.append(f"{path.name}: expected one native module in treewright/, found {sorted(natives)}")
    return problems


def main() -> int:
    wheels = sorted(Path(sys.argv[1]).glob("treewright-*.whl"))
    problems = (
        [problem for wheel in wheels for problem in check_wheel(wheel)] if wheels else ["no wheel found"]
    )
    for problem in problems:
        print(problem, file=sys.stderr)
    for wheel in wheels:
        print(f"{wheel.name}  {wheel.stat().st_size / 1e6:.2f} MB")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
