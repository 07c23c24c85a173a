"""What is checked, and by whom: nothing that the continuous integration runs is missing from `make check`."""

from __future__ import annotations

import re
from pathlib import Path

# What is too long for every push.
LONG = {"tidy", "walks", "test-slow", "processors", "fuzz"}


def prerequisites(makefile: str, target: str) -> set[str]:
    found = re.search(rf"^{target}:([^#\n]*)", makefile, re.MULTILINE)
    assert found is not None, f"there is no target {target}"
    return set(found[1].split())


def made_by(script: str) -> set[str]:
    return set(re.findall(r"\bmake ([a-z][a-z-]*)", script))


def test_make_check_runs_all_that_the_continuous_integration_runs_and_more(root: Path) -> None:
    run = "\n".join(
        line
        for line in (root / ".ci" / "run").read_text("utf-8").splitlines()
        if not line.lstrip().startswith(("#", "printf"))
    )
    everything = prerequisites((root / "Makefile").read_text("utf-8"), "check")
    assert made_by(run) >= {"test", "lint"}
    assert made_by(run) - everything == set()
    assert LONG - everything == set()


def test_every_target_that_a_workflow_makes_is_part_of_make_check(root: Path) -> None:
    everything = prerequisites((root / "Makefile").read_text("utf-8"), "check") | {"check", "dev"}
    workflows = sorted((root / ".github" / "workflows").glob("*.yml"))
    made = {path.name: made_by(path.read_text("utf-8")) - everything for path in workflows}
    assert {name: targets for name, targets in made.items() if targets} == {}


def test_a_workflow_runs_make_check_on_a_schedule(root: Path) -> None:
    workflow = (root / ".github" / "workflows" / "check.yml").read_text("utf-8")
    assert "schedule:" in workflow
    assert "make check" in workflow


def test_make_lint_looks_whether_the_stub_is_fresh(root: Path) -> None:
    makefile = (root / "Makefile").read_text("utf-8")
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None and "tools/check_stub.py" in recipe[1]


def test_every_file_of_engine_tests_registers_its_tests_itself(root: Path) -> None:
    cmake = (root / "CMakeLists.txt").read_text("utf-8")
    assert "file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/core/*.cpp)" in cmake
    files = [path for path in (root / "tests" / "core").glob("test_*.cpp")]
    assert len(files) > 20
    assert [path.name for path in files if "TEST(" not in path.read_text("utf-8")] == []
