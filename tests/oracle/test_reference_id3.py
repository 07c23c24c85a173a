"""The reference ID3 and textbook C4.5 themselves: WEKA's Id3, and numbers that books print."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.oracle_data import golden, load, names_of, needs_oracle
from tests.oracle.reference_c45 import Table
from tests.oracle.reference_id3 import BookNode, BookSettings, grow, ranked_tests


def book_table(name: str) -> Table:
    """Read a data set, all digits kept."""
    data = load(name)
    return Table(data.x, data.y.astype(np.int64), tuple(data.n_codes), len(data.classes))


def assert_same(node: BookNode, stored: dict[str, Any], path: str = "/") -> None:
    """Compare a subtree with a stored one; an empty branch has no class in WEKA."""
    if stored["kind"] == "leaf":
        assert node.feature < 0, path
        expected = np.array(stored["dist_normalized"])
        if node.weight == 0:
            assert stored["class"] is None and not expected.any(), path
        else:
            np.testing.assert_allclose(node.dist / node.weight, expected, atol=1e-9, err_msg=path)
        return
    assert node.feature == stored["attribute_index"], path
    for number, (child, mate) in enumerate(zip(node.children, stored["children"], strict=True)):
        assert_same(child, mate, f"{path}{stored['attribute']}[{number}]/")


@needs_oracle
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ("nursery", "tic-tac-toe") else ())
        for name in names_of("id3-w36")
    ],
)
def test_the_reference_grows_the_tree_of_wekas_id3(name: str) -> None:
    assert_same(grow(book_table(name), BookSettings()), golden("id3-w36", name)["tree"])


@needs_oracle
@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(False, [0.2467, 0.0292, 0.1518, 0.0481]), (True, [0.1564, 0.0188, 0.1518, 0.0488])],
)
def test_the_tennis_table_has_the_books_gains_and_ratios(ratio: bool, expected: list[float]) -> None:
    table = book_table("weather-nominal")
    tests = ranked_tests(table, np.arange(14), np.ones(14), BookSettings(ratio=ratio))
    assert [test.rank for test in tests] == pytest.approx(expected, abs=5e-5)


def test_a_missing_value_has_a_branch_of_its_own_in_id3_and_a_share_of_each_in_c45() -> None:
    table = Table(np.array([[1.0], [1], [2], [np.nan]]), np.array([0, 0, 1, 1]), (2,), 2)
    assert [child.weight for child in grow(table, BookSettings()).children] == [2, 1, 1]
    shares = [child.weight for child in grow(table, BookSettings(ratio=True)).children]
    assert shares == pytest.approx([2 + 2 / 3, 1 + 1 / 3])


def test_xor_has_no_gain_and_stays_a_leaf() -> None:
    table = Table(np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]]), np.array([0, 1, 1, 0]), (2, 2), 2)
    assert grow(table, BookSettings()).feature == -1
