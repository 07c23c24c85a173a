from __future__ import annotations

from pathlib import Path


def test_nobody_but_the_model_and_its_file_reads_facts_by_their_stored_names(root: Path) -> None:
    sources = (root / "src" / "treewright").rglob("*.py")
    readers = {
        str(path.relative_to(root / "src" / "treewright"))
        for path in sources
        if any(use in path.read_text("utf-8") for use in ('.facts["', ".facts['", ".facts.get("))
    }
    assert readers <= {"model/model.py", "store/checks.py"}
