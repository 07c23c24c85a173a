"""LightGBM's lists of categories find their columns, or are asked for."""

import pytest

from treewright.exceptions import UnsupportedModelError
from treewright.imported.lightgbm_categories import category_lists

LOW, WXYZ = ["low", "mid", "high"], list("wxyz")


def found(lists, infos):
    codes = {i: [int(one) for one in info.split(":")] for i, info in enumerate(infos) if info[0].isdigit()}
    names = [f"c{i}" for i in range(len(infos))]
    return category_lists(lists, codes, infos, names, {})


def test_columns_of_categories_have_their_lists_in_order():
    assert found([LOW, WXYZ], ["0:2:1", "[-3:5]", "0:1:3"]) == {0: LOW, 2: WXYZ}


def test_ordered_columns_are_numbers_and_their_lists_go_with_them():
    assert found([LOW, WXYZ], ["[0:2]", "0:1:3"]) == {1: WXYZ}
    assert found([WXYZ, LOW], ["0:1:3", "[0:2]"]) == {0: WXYZ}


def test_a_list_of_an_ordered_column_is_not_given_to_a_column_of_codes():
    assert found([LOW], ["[0:2]", "0:10:20"]) == {}
    with pytest.raises(UnsupportedModelError, match="does not say which belong together"):
        found([LOW], ["[0:2]", "0:1:2"])


def test_constant_columns_leave_a_list_behind():
    assert found([["only"], WXYZ], ["none", "0:1:2:3"]) == {1: WXYZ}
    assert found([WXYZ, WXYZ], ["0:1:2:3", "none"]) == {0: WXYZ}
    with pytest.raises(UnsupportedModelError, match=r"1 lists of categories .* for 2 columns"):
        found([WXYZ], ["0:1", "0:2"])


def test_lists_that_are_too_short_are_refused():
    with pytest.raises(UnsupportedModelError, match="Pass categories="):
        found([LOW], ["0:1:7"])


def test_many_lists_and_columns_do_not_take_long():
    infos = ["0:1:2" if i % 2 else "[0:2]" for i in range(1000)]
    with pytest.raises(UnsupportedModelError):
        found([LOW] * 200, infos)
    with pytest.raises(UnsupportedModelError):
        found([LOW] * 20_000, infos)
