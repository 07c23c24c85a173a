from __future__ import annotations

import pytest

import treewright.data.memory as memory
from treewright.data.memory import available_memory, format_bytes


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2.5e9, "2.5 GB"), (2e14, "200 TB")],
)
def test_bytes_are_written_for_people(count, words):
    assert format_bytes(count) == words


def test_some_memory_is_available_here():
    available = available_memory()
    assert available is None or available > 0


def test_a_container_limit_counts_and_cached_files_do_not(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 50\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert available_memory() == 150


def test_an_unlimited_container_leaves_the_machines_memory(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("900\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory, "_system_memory", lambda: 77)
    assert available_memory() == 77
