"""Small files that the real programs wrote come in without them; altered ones are refused or work."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

import treewright
from tests.imported.hostile import FILES, READERS, altered
from treewright.cli.main import treewright as command
from treewright.exceptions import ModelFileError, UnsupportedModelError

EXPECTED = json.loads((FILES / "expected.json").read_text("utf-8"))
ROWS = np.array([[np.nan if x is None else x for x in row] for row in EXPECTED["rows"]])


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_stored_file_answers_as_its_program_did(name: str) -> None:
    imported = READERS[name](FILES / name)
    answers = EXPECTED["answers"][name]
    assert imported.apply(ROWS).ravel().tolist() == answers["leaves"]
    exact = 0.0 if name.startswith("xgboost") else 1e-12
    assert np.max(np.abs(imported.raw_scores(ROWS) - answers["raw"])) <= exact


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(READERS))
def test_altered_files_are_refused_with_a_sentence_or_work(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    refused = 0
    for seed in range(150):
        path.write_bytes(altered(name, Random(seed)))
        try:
            imported = READERS[name](path)
        except (ModelFileError, UnsupportedModelError) as error:
            refused += 1
            assert name in str(error)
            assert len(str(error)) < 1000
            continue
        columns = np.zeros((3, imported.n_features_in_)) if imported.n_features_in_ < 10_000 else None
        if columns is not None and not hasattr(imported, "feature_names_in_"):
            imported.predict(columns)
            imported.save(tmp_path / "again.tree")
            treewright.load(tmp_path / "again.tree")
    assert refused > 20


@pytest.mark.parametrize("name", sorted(READERS))
def test_truncated_files_are_refused(name: str, tmp_path: Path) -> None:
    content = (FILES / name).read_bytes()
    for length in {
        0,
        1,
        5,
        len(content) // 3,
        len(content) // 2,
        len(content) - (400 if "txt" in name else 2),
    }:
        path = tmp_path / name
        path.write_bytes(content[:length] if "txt" not in name else content[: min(length, 1200)])
        with pytest.raises(ModelFileError):
            READERS[name](path)


@pytest.mark.parametrize("reader", [treewright.from_xgboost, treewright.from_catboost])
def test_deep_json_is_refused(reader, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_bytes(b'{"learner":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    with pytest.raises(ModelFileError, match=r"deep\.json"):
        reader(path)


def test_lengths_that_no_file_has_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.ubj"
    huge = (2**60).to_bytes(8, "big")
    for body in (
        b"{L" + huge,
        b"{i\x01a[$d#L" + huge,
        b"{i\x01a[#L" + huge,
        b"{i\x01aSL" + huge,
        b"{#L" + huge,
    ):
        path.write_bytes(body)
        with pytest.raises(ModelFileError):
            treewright.from_xgboost(path)


def test_a_folder_or_an_absent_file_is_named_by_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.txt"):
        treewright.from_lightgbm(tmp_path / "absent.txt")
    for reader in (treewright.from_lightgbm, treewright.from_xgboost, treewright.from_catboost):
        with pytest.raises(TypeError, match="takes"):
            reader(7)


def test_the_command_line_imports_a_file(tmp_path: Path) -> None:
    for name in READERS:
        out = tmp_path / f"{name}.tree"
        ran = CliRunner().invoke(command, ["import", str(FILES / name), "-o", str(out)])
        assert ran.exit_code == 0, ran.output
        assert np.array_equal(
            treewright.load(out).raw_scores(ROWS), READERS[name](FILES / name).raw_scores(ROWS)
        )


def test_the_command_line_names_categories(tmp_path: Path) -> None:
    stored = json.loads((FILES / "catboost_categories.json").read_text("utf-8"))
    del stored["features_info"]["cat_features_hash"]
    (tmp_path / "hashes.json").write_text(json.dumps(stored), "utf-8")
    asked = ["import", str(tmp_path / "hashes.json"), "-o", str(tmp_path / "model.tree")]
    ran = CliRunner().invoke(command, asked)
    assert ran.exit_code == 1
    assert "'x5' the model keeps hashes alone" in str(ran.exception)
    listed = ",".join(str(code) for code in range(40))
    ran = CliRunner().invoke(command, [*asked, "--categories", f"x5={listed}"])
    assert ran.exit_code == 0, ran.output
    answers = EXPECTED["answers"]["catboost_categories.json"]["raw"]
    assert np.allclose(treewright.load(tmp_path / "model.tree").predict(ROWS), answers, rtol=0, atol=1e-12)
    ran = CliRunner().invoke(command, [*asked, "--categories", listed])
    assert ran.exit_code == 2
    assert "expected COLUMN=A,B,…" in ran.output


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_page_of_an_imported_booster_does_without_sums_of_gradients(name: str) -> None:
    page = treewright.export_html(READERS[name](FILES / name))
    assert "Picture of tree" in page
    assert "Why each split" not in page
