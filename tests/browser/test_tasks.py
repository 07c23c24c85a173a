"""The whole task, by mouse and by keyboard: load, three splits by hand, prune, predict, download."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import treewright
from tests.browser.conftest import Opened

pytestmark = pytest.mark.browser


def write_cancer(folder: Path) -> Path:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 - slow to import, for this test alone

    bunch = load_breast_cancer(as_frame=True)
    frame = bunch.frame.rename(columns={"target": "diagnosis"})
    frame["diagnosis"] = bunch.target_names[bunch.target]
    frame.to_csv(folder / "tumours.csv", index=False)
    return folder / "tumours.csv"


def test_the_whole_task_by_mouse(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    tab = page.tab
    tab.set_input_files("#tw-file", str(write_cancer(tmp_path)))
    page.see("table.columns")
    assert "tumours.csv" in page.about
    page.click("to-grow")
    page.click("start")
    page.see("table.candidates")
    tab.click("table.candidates tbody tr:nth-child(2) button[data-key^=use-]")  # not the best one: by hand
    page.see("[data-node='2']")
    tab.click("[data-node='2']")
    tab.click("table.candidates tbody tr:nth-child(2) button[data-key^=use-]")
    page.see("[data-node='4']")
    tab.click("[data-node='1']")
    curve = page.see("svg.curve")
    box = curve.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5, steps=5)
    tab.mouse.up()
    tab.click("[data-key=cut-use]")
    page.see("[data-node='6']")
    assert "edited by hand" in page.about and "4 leaves" in page.about
    page.click("all")
    page.wait()
    page.click("screen-prune")
    page.click("validate")
    page.click("rule-1se")
    page.see(".about:has-text('pruned to')")
    page.click("screen-predict")
    page.see(".answer .huge")
    page.click("row-on")
    wait_for_row(tab, "1")
    assert tab.inner_text(".answer .huge") in ("benign", "malignant")
    model = treewright.load(io.BytesIO(downloaded(page, "model")))
    assert model.is_edited_ and model.get_n_leaves() < 20
    for form, start in (
        ("svg", b"<svg"),
        ("html", b"<!DOCTYPE"),
        ("report", b"Treewright"),
        ("python", b"import"),
    ):
        assert downloaded(page, form).startswith(start)


def wait_for_row(tab: Any, number: str) -> None:
    """Wait until a row is shown; the policy of the page forbids to evaluate text, as Playwright would."""
    for _ in range(200):
        if tab.input_value("[data-key=row-number]") == number:
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f"row {number} is not shown")


def downloaded(page: Any, form: str) -> bytes:
    page.click("menu")
    with page.tab.expect_download() as download:
        page.click(f"download-{form}")
    return Path(download.value.path()).read_bytes()


def reach(tab: Any, key: str, *, back: bool = False) -> None:
    """Press Tab until a control has the focus."""
    for _ in range(250):
        if tab.evaluate("document.activeElement?.getAttribute('data-key')") == key:
            return
        tab.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"{key} cannot be reached by Tab")


def focus_is_in_tree(tab: Any) -> bool:
    return bool(tab.evaluate("document.activeElement?.getAttribute('role') === 'treeitem'"))


def test_the_whole_task_by_keyboard_alone(opened: Opened) -> None:
    page = opened()
    tab = page.tab
    reach(tab, "bundled-cancer")
    tab.keyboard.press("Enter")
    page.see("table.columns")
    reach(tab, "to-grow")
    tab.keyboard.press("Enter")
    page.see("[data-key=start]")
    reach(tab, "start")
    tab.keyboard.press("Space")
    page.see("table.candidates")
    # The first split: the second candidate, by its button.
    second = tab.get_attribute("table.candidates tbody tr:nth-child(2) button[data-key^=use-]", "data-key")
    reach(tab, second)
    tab.keyboard.press("Enter")
    page.see("[data-node='2']")
    # The second: a threshold, by the slider below the curve.
    for _ in range(250):
        if focus_is_in_tree(tab):
            break
        tab.keyboard.press("Shift+Tab")
    assert focus_is_in_tree(tab)
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    page.see("[data-node='1'].chosen")
    page.see("[data-key=cut-range]")
    page.wait()
    reach(tab, "cut-range")
    for _ in range(5):
        tab.keyboard.press("ArrowRight")
    reach(tab, "cut-use")
    tab.keyboard.press("Enter")
    page.see("[data-node='4']")
    # The third: a typed threshold.
    for _ in range(250):
        if focus_is_in_tree(tab):
            break
        tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    page.see("[data-node='2'].chosen")
    page.wait()
    reach(tab, "cut-field")
    tab.keyboard.press("Control+a")
    middle = tab.evaluate("Number(document.querySelector('[data-key=cut-field]').value)")
    tab.keyboard.type(str(middle))
    reach(tab, "cut-use")
    tab.keyboard.press("Enter")
    page.see("[data-node='6']")
    assert "edited by hand" in page.about
    reach(tab, "all", back=True)
    tab.keyboard.press("Enter")
    page.wait()
    tab.keyboard.press("3")
    page.see("[data-key=validate]")
    reach(tab, "validate")
    tab.keyboard.press("Enter")
    page.see("[data-key=rule-1se]")
    reach(tab, "rule-1se")
    tab.keyboard.press("Enter")
    page.see(".about:has-text('pruned to')")
    tab.keyboard.press("4")
    page.see(".answer .huge")
    reach(tab, "row-on")
    tab.keyboard.press("Enter")
    wait_for_row(tab, "1")
    reach(tab, "menu", back=True)
    tab.keyboard.press("Enter")
    reach(tab, "download-model")
    with tab.expect_download() as download:
        tab.keyboard.press("Enter")
    assert treewright.load(io.BytesIO(Path(download.value.path()).read_bytes())).is_edited_


def test_keys_walk_the_tree_as_the_practices_say(opened: Opened) -> None:
    page = opened()
    tab = page.tab
    page.bundled("tennis", "c45")
    page.click("all")
    page.see("[data-node='7']")
    tab.click("[data-node='0']")
    node = "document.activeElement.getAttribute('data-node')"
    for key, wanted in [
        ("ArrowDown", "1"), ("ArrowRight", "4"), ("ArrowDown", "5"), ("ArrowLeft", "1"), ("End", "7"),
        ("Home", "0"), ("ArrowUp", "0"),
    ]:  # fmt: skip
        tab.keyboard.press(key)
        assert tab.evaluate(node) == wanted, key
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowLeft")  # closes it
    assert tab.get_attribute("[data-node='1']", "aria-expanded") == "false"
    assert tab.query_selector("[data-node='4']") is None
    tab.keyboard.press("ArrowRight")
    assert tab.get_attribute("[data-node='1']", "aria-expanded") == "true"
    tab.keyboard.type("wi")
    assert tab.evaluate(node) == "3"
    label = tab.get_attribute("[data-node='1']", "aria-label")
    assert label.startswith("Node 1, outlook = sunny, 5 rows, 60 percent no, splits on humidity")


def test_undo_redo_and_the_shortcuts(opened: Opened) -> None:
    page = opened()
    tab = page.tab
    page.bundled("tennis", "id3")
    tab.click("body", position={"x": 5, "y": 400})
    tab.keyboard.press("n")
    page.see("[data-node='1']")
    tab.keyboard.press("Control+z")
    tab.wait_for_selector("[data-node='1']", state="detached")
    tab.keyboard.press("r")
    page.see("[data-node='1']")
    tab.keyboard.press("?")
    page.see("dialog[open]")
    tab.uncheck("dialog input[type=checkbox]")
    tab.keyboard.press("Escape")
    tab.keyboard.press("1")
    assert tab.query_selector(".screen-grow") is not None, "shortcuts are off"


def test_the_address_holds_the_state(opened: Opened) -> None:
    page = opened()
    tab = page.tab
    page.bundled("tennis", "id3")
    page.click("next")
    page.see("[data-node='1']")
    assert "token" not in tab.url and "log=" in tab.url
    tab.reload()
    page.see("[data-node='1']")
    link = tab.url
    other = page.new_tab(page.running.url + "&" + link.partition("#")[2])
    other.wait_for_selector("[data-node='1']")
    page.click("screen-prune")
    page.see(".prune-controls")
    tab.go_back()
    page.see(".grow-tools")
