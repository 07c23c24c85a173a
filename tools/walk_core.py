"""See into the engine during a walk: a module whose functions report being entered, and their names.

The module is built once per checkout, unoptimised, so that no function disappears into its caller.
Needs gcc on Linux and addr2line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HOOKS = Path(__file__).with_name("walk_hooks.c")
FLAGS = "-O0 -g1 -finstrument-functions -finstrument-functions-exclude-file-list=/usr/,nanobind"
# base is what all folders stand on and bind is the border itself: neither tells where a walk goes.
NOT_COUNTED = {"base", "bind"}


def build_traced(root: Path, build: Path) -> Path:
    """Build the traced module of a checkout into `build` and return its path."""
    settings = {
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": FLAGS,
        "Python_EXECUTABLE": sys.executable,
        "TREEWRIGHT_TESTS": "OFF",
        "TREEWRIGHT_INPLACE": "OFF",
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    run(["cmake", "-S", str(root), "-B", str(build), "-G", "Ninja", *options])
    run(["cmake", "--build", str(build), "-j", "2"])
    run(["cc", "-O2", "-shared", "-fPIC", "-o", str(build / "walk_hooks.so"), str(HOOKS), "-ldl"])
    (module,) = build.glob("_core*.so")
    return module


def run(command: list[str]) -> None:
    # CMake and Ninja of the environment come before those of the system, which may be too old.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    subprocess.run(command, check=True, stdout=sys.stderr, env={**os.environ, "PATH": path})


def hooked(environment: dict[str, str], build: Path) -> dict[str, str]:
    """Return the environment in which a traced module finds what it calls."""
    return environment | {"LD_PRELOAD": str(build / "walk_hooks.so"), "WALK_LOG": str(build / "walk.log")}


def entries_of_calls(root: Path, module: Path) -> dict[int, list[dict[str, object]]]:
    """For each call of the engine: first entries into files of core/, with their depth below the call."""
    log = (module.parent / "walk.log").read_text(encoding="utf-8")
    records = [(int(call), address, caller) for call, address, caller in map(str.split, log.splitlines())]
    places = places_of(root, module, [address for _, address, _ in records])
    caller_of = {address: caller for _, address, caller in records}
    depth_of: dict[str, int] = {}  # functions that made an entry
    found: dict[int, list[dict[str, object]]] = {}
    files: set[str] = set()
    for call, address, _ in records:
        file, function = places[address]
        if file in files or not counts(file) or makes_or_copies(function):
            continue
        files.add(file)
        above = caller_of[address]
        while above in caller_of and above not in depth_of:
            above = caller_of[above]
        depth_of[address] = depth_of.get(above, -1) + 1
        found.setdefault(call, []).append({"depth": depth_of[address], "file": file, "function": function})
    return found


def counts(file: str) -> bool:
    return file.startswith("core/") and file.split("/")[1] not in NOT_COUNTED


def makes_or_copies(function: str) -> bool:
    """Whether it is a constructor, destructor or assignment: mostly the compiler's, of a plain record."""
    *_, owner, name = ["", *function.split("::")]
    return name == owner or name.startswith("~") or name == "operator="


def places_of(root: Path, module: Path, addresses: list[str]) -> dict[str, tuple[str, str]]:
    """File, relative to the checkout, and plain name of the functions at these addresses."""
    asked = subprocess.run(
        ["addr2line", "-f", "-C", "-e", str(module)],
        input="\n".join(addresses),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"LC_ALL": "C"},
    )
    lines = asked.stdout.splitlines()
    files = [os.path.relpath(os.path.realpath(line.rsplit(":", 1)[0]), root) for line in lines[1::2]]
    return dict(zip(addresses, zip(files, map(plain_name, lines[0::2]), strict=True), strict=True))


def plain_name(signature: str) -> str:
    """`treewright::Grower<A, B>::grow(int)` → `Grower::grow`; a lambda has the name of its function."""
    text = signature.replace("(anonymous namespace)::", "").replace("treewright::", "")
    text = re.sub(r"operator(\(\)|<=>|<<|>>|<=|>=|->|<|>)", "operator", text)
    name, depth = "", 0
    for character in text.replace("->", ""):
        depth -= character in ">)"
        if depth == 0 and character not in ">)":
            name += character if character not in "<(" else ""
        depth += character in "<("
    return name.split("::{lambda")[0].removesuffix(" const").split(" ")[-1]
