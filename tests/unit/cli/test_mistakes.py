"""Mistakes get one clear line on standard error and the status that tells whose fault it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Run, write_csv


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("fit tennis.csv -t plya -o m.tree", 2, "has no column 'plya'. Did you mean 'play'?"),
        ("fit tennis.csv -o m.tree", 2, "-t NAME"),
        ("fit tennis.csv -t play -a c46 -o m.tree", 2, "no algorithm 'c46'. Did you mean 'c45'?"),
        ("fit tennis.csv -t play -p max_dept=3 -o m.tree", 2, "Did you mean 'max_depth'?"),
        ("fit tennis.csv -t play -p max_depth=-3 -o m.tree", 2, "Got -3 instead"),
        ("fit tennis.csv -t play -p max_depth -o m.tree", 2, "-p takes name=value"),
        ("fit tennis.csv -t play --kind wind=colour -o m.tree", 2, "'colour' is no kind"),
        ("fit tennis.csv -t play --ignore wnd -o m.tree", 2, "Did you mean 'wind'?"),
        ("fit tennis.csv -t play --task regression -o m.tree", 1, "predicts numbers"),
        ("fit tennis.csv -t play -a id3 --task regression -o m.tree", 2, "classification only"),
        ("fit tennis.csv -t play -o nowhere/m.tree", 1, "nowhere: There is no such folder"),
        ("fit none.csv -t play -o m.tree", 1, "none.csv: There is no such file"),
        ("fit header.csv -t b -o m.tree", 1, "header.csv has a line of column names and no rows"),
        ("fit ragged.csv -t b -o m.tree", 1, "ragged.csv line 3: 3 fields, header has 2"),
        ("fit empty.csv -t b -o m.tree", 1, "empty.csv is empty"),
        ("fit twice.csv -t b -o m.tree", 1, "two columns are called 'a'"),
        ("fit tennis.csv -t play --sep ;; -o m.tree", 2, "--sep takes one character"),
        ("show tennis.csv", 1, "tennis.csv"),
        ("show none.tree", 1, "none.tree"),
        ("predict m.tree", 2, "FILE"),
        ("unknown", 2, "No such command 'unknown'"),
        ("evaluate t.tree tennis.csv --metric accurcy", 2, "Did you mean 'accuracy'?"),
        ("explain t.tree --node 99", 2, "99"),
        ("explain t.tree --node 0 --row 1", 2, "ask one"),
        ("predict t.tree tennis.csv -o nowhere/p.csv", 1, "nowhere: There is no such folder"),
    ],
)
def test_a_mistake_is_one_line_and_a_status(
    run: Run, folder: Path, line: str, status: int, words: str
) -> None:
    write_csv(folder / "header.csv", ["a", "b"], [])
    write_csv(folder / "ragged.csv", ["a", "b"], [[1, 2], [1, 2, 3]])
    write_csv(folder / "twice.csv", ["a", "b", "a"], [[1, 2, 3]])
    (folder / "empty.csv").write_text("", encoding="utf-8")
    run("fit tennis.csv -t play -a c45 -o t.tree")
    before = sorted(path.name for path in folder.iterdir())
    ran = run(line)
    assert (ran.status, ran.out) == (status, ""), ran.err
    assert words in ran.err and "Traceback" not in ran.err
    complaint = [text for text in ran.err.splitlines() if not text.startswith(("Usage", "Try", "note"))]
    assert len([text for text in complaint if text]) == 1
    assert sorted(path.name for path in folder.iterdir()) == before


def call(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treewright", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_help_needs_neither_numpy_nor_scikit_learn(folder: Path) -> None:
    script = (
        "import sys, contextlib\nfrom treewright.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n    main(['--help'])\n"
        "print(sorted({'numpy', 'sklearn', 'scipy', 'treewright._core'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_failure(folder: Path) -> None:
    write_csv(folder / "long.csv", ["a", "b"], [[i, i % 2] for i in range(200_000)])
    call(folder, "fit", "long.csv", "-t", "b", "-o", "m.tree", "-p", "max_depth=2")
    shell = f"'{sys.executable}' -m treewright predict m.tree long.csv | head -n 1"
    ran = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stdout == "prediction\n"
    assert "Traceback" not in ran.stderr and "BrokenPipe" not in ran.stderr


def test_a_pipe_can_be_read(folder: Path) -> None:
    call(folder, "fit", "tennis.csv", "-t", "play", "-o", "m.tree")
    text = (folder / "tennis.csv").read_text()
    piped = call(folder, "predict", "m.tree", "-", input=text)
    assert piped.stdout == call(folder, "predict", "m.tree", "tennis.csv").stdout


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of Unix")
def test_an_interrupt_leaves_nothing_behind(folder: Path) -> None:
    rows = [[i % 97, (i * 7919) % 1009, i % 2] for i in range(20_000)]
    write_csv(folder / "long.csv", ["a", "b", "y"], rows)
    line = [
        "fit",
        "long.csv",
        "-t",
        "y",
        "--task",
        "classification",
        "-a",
        "gbm",
        "-p",
        "n_estimators=2000",
        "-o",
        "m.tree",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright", *line, "-p", "verbose=1"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for text in process.stderr:  # until rounds are going on
        if "of 2000" in text:  # a line for every tenth of them
            break
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in rest and "Traceback" not in rest
    assert not (folder / "m.tree").exists()
    assert not list(folder.glob("*.part"))
