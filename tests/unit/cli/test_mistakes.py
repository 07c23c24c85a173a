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
        ("fit tennis.csv -t play --task regression -o m.tree", 2, "the target 'play' holds text ('no', …)"),
        ("compare tennis.csv -t play --task regression -a cart", 2, "the target 'play' holds text"),
        ("data header.csv", 1, "header.csv has a line of column names and no rows"),
        ("predict t.tree tennis.csv -o p.xyz", 2, "*.csv, *.tsv, *.jsonl or *.parquet, not to *.xyz"),
        ("fit numbers.csv -t b -a id3 --task regression -o m.tree", 2, "classification only"),
        ("fit tennis.csv -t play -o nowhere/m.tree", 1, "nowhere: There is no such folder"),
        ("fit none.csv -t play -o m.tree", 1, "none.csv: There is no such file"),
        ("fit header.csv -t b -o m.tree", 1, "header.csv has a line of column names and no rows"),
        ("fit ragged.csv -t b -o m.tree", 1, "ragged.csv line 3: 3 fields, header has 2"),
        ("fit empty.csv -t b -o m.tree", 1, "empty.csv is empty"),
        ("fit twice.csv -t b -o m.tree", 1, "two columns are called 'a'"),
        ("fit tennis.csv -t play --sep ;; -o m.tree", 2, "--sep takes one character"),
        ("fit wrong.csv -t b --sep , -o m.tree", 2, "Separator looks like ';' – try --sep ';'"),
        ("fit unclosed.csv -t b -o m.tree", 1, 'a quote (") is opened and never closed'),
        ("fit binary.csv -t b -o m.tree", 1, "binary.csv line 2 holds a NUL byte"),
        ("fit latin.csv -t b -o m.tree", 1, "--encoding latin-1"),
        ("fit nameless.csv -t b -o m.tree", 1, "column 2 of 2 has no name"),
        ("fit one.csv -t a -o m.tree", 1, "no column besides 'a' to learn from"),
        ("fit tennis.csv -t play -p num_leaves=3 -a leafwise -o m.tree", 2, "max_leaf_nodes"),
        ("fit tennis.csv -t play -p criterion=ginny -o m.tree", 2, "'ginny'"),
        ("fit tennis.csv -t play --weight wind -o m.tree", 1, "the weights in column 'wind' must be numbers"),
        ("fit tennis.csv -t play --kind wind=numeric -o m.tree", 1, "is not numeric: it holds"),
        ("fit tennis.csv -t play --config typed.toml -o m.tree", 2, "typed.toml: cv: "),
        ("fit tennis.csv -t play --config broken.toml -o m.tree", 2, "broken.toml is not TOML"),
        ("fit tennis.csv -t play --cv 1 -o m.tree", 2, "--cv"),
        ("fit tennis.csv -t play -o .", 1, "folder"),
        ("fit . -t play -o m.tree", 1, "not Parquet files"),
        ("data none.parquet", 1, "none.parquet: There is no such file"),
        ("data fake.parquet", 1, "fake.parquet is not a parquet file"),
        ("data fake.jsonl", 1, "fake.jsonl line 1 is not JSON"),
        ("predict t.tree less.csv", 1, "less.csv lacks column"),
        ("predict fake.tree tennis.csv", 1, "fake.tree"),
        ("evaluate t.tree header.csv", 2, "has no column 'play'"),
        ("prune t.tree --leaves 0 -o m.tree", 2, "--leaves"),
        ("prune t.tree --rule 1se -o m.tree", 2, "lacks: pass --data FILE (and --cv), or fit with -p prune="),
        ("explain t.tree --node 4", 2, "Pass --data FILE, the table of the fit, to see what was considered"),
        ("show f.tree -f text", 2, "say which one, e.g. --tree 2"),
        ("show f.tree --tree 9", 2, "--tree 9 does not exist"),
        ("compare tennis.csv -t play -a cart,c46", 2, "Did you mean 'c45'?"),
        ("compare tennis.csv -t play --cv 50 -a cart", 1, "50 folds need at least as many rows"),
        ("algorithms forest", 2, "There is no algorithm 'forest'"),
        ("show t.tree -f picture", 2, "'picture' is not one of"),
        ("show t.tree --tree 3", 2, "3"),
        ("export t.tree --to svg -o nowhere/t.svg", 1, "nowhere"),
        ("explain t.tree --row 3", 2, "--data FILE"),
        ("explain t.tree --row {", 2, "--row is not JSON"),
        ("show tennis.csv", 1, "is a table, not a model. Models are made by: treewright fit tennis.csv -t"),
        ("show none.csv", 1, "none.csv: No such file"),
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
    write_csv(folder / "numbers.csv", ["a", "b"], [[1, 2], [2, 3]])
    write_csv(folder / "one.csv", ["a"], [[1], [2]])
    write_csv(folder / "less.csv", ["outlook", "wind"], [["rain", "weak"]])
    (folder / "wrong.csv").write_text("a;b\n1,5;2\n2,5;3\n", encoding="utf-8")
    (folder / "unclosed.csv").write_text('a,b\n1,"x\n2,y\n', encoding="utf-8")
    (folder / "binary.csv").write_bytes(b"a,b\n\0,1\n")
    (folder / "latin.csv").write_bytes("a,b\né,1\n".encode("latin-1"))
    (folder / "nameless.csv").write_text("a,\n1,2\n", encoding="utf-8")
    (folder / "typed.toml").write_text('cv = "ten"\n', encoding="utf-8")
    (folder / "broken.toml").write_text("cv = = 3\n", encoding="utf-8")
    for name in ("fake.parquet", "fake.jsonl", "fake.tree"):
        (folder / name).write_text("this is none\n", encoding="utf-8")
    run("fit tennis.csv -t play -a c45 -o t.tree")
    run("fit tennis.csv -t play -a rf -p n_estimators=3 --seed 0 -o f.tree")
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
