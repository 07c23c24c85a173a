"""Small tables in a folder of their own, and the command line called inside of the test's process."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer

from treewright.cli.main import main
from treewright.datasets import load_tennis


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its status."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


def write_csv(path: Path, names: list[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tennis = load_tennis()
    rows = [[*x, y] for x, y in zip(tennis.X, tennis.y, strict=True)]
    write_csv(tmp_path / "tennis.csv", [*tennis.feature_names, "play"], rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cancer(folder: Path) -> Path:
    data = load_breast_cancer()
    names = ["malignant", "benign"]
    rows = [[*x, names[y]] for x, y in zip(data.data.tolist(), data.target.tolist(), strict=True)]
    write_csv(folder / "cancer.csv", [*data.feature_names.tolist(), "diagnosis"], rows)
    return folder / "cancer.csv"


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder) -> Run:
    def call(line: str, *more: str) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([*shlex.split(line), *more])
        printed = capsys.readouterr()
        return Ran(int(left.value.code or 0), printed.out, printed.err)

    return call
