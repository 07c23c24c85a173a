"""The sessions of docs/command_line.md are reproduced to the character."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Run

PAGE = Path(__file__).parents[3] / "docs" / "command_line.md"


def commands() -> list[tuple[str, str]]:
    """Return the commands of the page and what they print, in order."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed.rstrip("\n")))
    return found


@pytest.mark.usefixtures("cancer")
def test_the_commands_of_the_page_print_what_it_says(run: Run) -> None:
    found = commands()
    assert len(found) >= 10
    for command, printed in found:
        name, _, rest = command.partition(" ")
        assert name == "treewright"
        ran = run(rest)
        assert ran.status == 0, ran.err
        assert ran.out.rstrip("\n") == printed, command
