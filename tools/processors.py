"""Show that the same model comes out on every processor, from every compiler, with and without AVX2.

python tools/processors.py            build tests/processors/model_hashes.cpp in every way that this machine
                                      can build and run, and compare the hashes it prints
python tools/processors.py --all      a way that is not there is a failure (for scheduled checks)
python tools/processors.py --only s390x,clang

Programs of other processors run under qemu's user emulation. What is needed are Debian's packages qemu-user,
g++-aarch64-linux-gnu, g++-s390x-linux-gnu and a clang; CLANG names another compiler than clang++.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLANGS = ("clang++-19", "clang++-18", "clang++-16", "clang++")
CLANG = os.environ.get("CLANG") or next(filter(shutil.which, CLANGS), "clang++")


@dataclass(frozen=True)
class Way:
    """One way to build the program, and the ways to run what was built."""

    name: str
    compiler: str
    flags: str
    runs: tuple[tuple[str, tuple[str, ...]], ...] = (("", ()),)
    processor: str | None = None

    def runnable(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the ways to run it whose emulator is there."""
        return [run for run in self.runs if not run[1] or shutil.which(run[1][0]) is not None]

    def needs(self) -> str:
        """Return the programs that are not there, in words."""
        wanted = {self.compiler, *(command[0] for _, command in self.runs if command)}
        return ", ".join(sorted(program for program in wanted if shutil.which(program) is None))


def emulated(processor: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("", (f"qemu-{processor}", "-L", f"/usr/{processor}-linux-gnu")),)


WAYS = [
    Way(
        "gcc-O3",
        "g++",
        "-O3",
        (
            ("as this processor chooses", ()),
            # Processors with and without the wide registers that functions choose by.
            ("without AVX2", ("qemu-x86_64", "-cpu", "Nehalem")),
            ("with AVX2", ("qemu-x86_64", "-cpu", "max")),
        ),
    ),
    Way("gcc-O0", "g++", "-O0"),
    Way("gcc-O3-native", "g++", "-O3 -march=native"),
    Way("clang-O3", CLANG, "-O3"),
    Way("clang-O0", CLANG, "-O0"),
    Way("aarch64-O3", "aarch64-linux-gnu-g++", "-O3", emulated("aarch64"), "aarch64"),
    Way("aarch64-O0", "aarch64-linux-gnu-g++", "-O0", emulated("aarch64"), "aarch64"),
    Way("s390x-O3", "s390x-linux-gnu-g++", "-O3", emulated("s390x"), "s390x"),
    Way("s390x-O0", "s390x-linux-gnu-g++", "-O0", emulated("s390x"), "s390x"),
]


def built(way: Way, folder: Path, jobs: int) -> Path:
    """Build the program and return its path."""
    here = folder / way.name
    configure = [
        *("cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(here)),
        *("-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS={way.flags}"),
        f"-DCMAKE_CXX_COMPILER={way.compiler}",
        *("-DTREEWRIGHT_PYTHON=OFF", "-DTREEWRIGHT_TESTS=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"),
    ]
    if way.processor is not None:
        configure += ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={way.processor}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    build = ["cmake", "--build", str(here), "-j", str(jobs), "--target", "model_hashes"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return here / "model_hashes"


def hashes(program: Path, command: tuple[str, ...]) -> dict[str, str]:
    """Run the program and return what it prints: model → hash."""
    ran = subprocess.run([*command, str(program)], check=True, stdout=subprocess.PIPE, text=True)
    pairs = [line.rsplit(maxsplit=1) for line in ran.stdout.splitlines()]
    return {name.strip(): found for name, found in pairs}


def differences(expected: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return the models whose hash is another one, or that one side lacks."""
    return sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="fail when a compiler or an emulator is absent")
    parser.add_argument("--only", help="parts of names of ways, with commas; the first way always runs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "processors")
    chosen = parser.parse_args()
    wanted = chosen.only.split(",") if chosen.only else [""]
    expected: dict[str, str] = {}
    n_runs = n_bad = n_left_out = 0
    for way in WAYS:
        if expected and not any(part in way.name for part in wanted):
            continue
        runs = way.runnable() if shutil.which(way.compiler) else []
        if len(runs) < len(way.runs):
            n_left_out += len(way.runs) - len(runs)
            print(f"{way.name:<16} {len(way.runs) - len(runs)} left out: no {way.needs()}", flush=True)
        if not runs:
            continue
        program = built(way, chosen.folder, chosen.jobs)
        for label, command in runs:
            found = hashes(program, command)
            expected = expected or found
            n_runs += 1
            differing = differences(expected, found)
            n_bad += bool(differing)
            verdict = "equal" if not differing else f"{len(differing)} differ: {'; '.join(differing[:5])}"
            print(f"{way.name:<16} {label:<26} {len(found)} models, {verdict}", flush=True)
    print(f"{n_runs} runs, {n_bad} with differences, {n_left_out} left out")
    return 1 if n_bad or n_runs < 2 or (chosen.all and n_left_out) else 0


if __name__ == "__main__":
    sys.exit(main())
