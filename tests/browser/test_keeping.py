"""What must not be lost: trees when a table changes or the server does, files that miss their frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import Opened, Page
from treewright.web.session import Sessions

pytestmark = pytest.mark.browser

DROP = """([name, text, selector]) => {
  const given = new DataTransfer();
  given.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: given, bubbles: true, cancelable: true });
    document.querySelector(selector).dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`the browser would leave the page at ${kind}`);
  }
}"""


def write_table(folder: Path) -> Path:
    generator = np.random.default_rng(3)
    a, b, c = (generator.integers(0, 6, 200) for _ in range(3))
    labels = np.where((a + b + generator.integers(0, 3, 200)) % 5 > 2, "p", "q")
    rows = "".join(f"{a[i]},{b[i]},{c[i]},{1 + i % 3},{labels[i]}\n" for i in range(200))
    (folder / "codes.csv").write_text(f"a,b,c,w,y\n{rows}")
    return folder / "codes.csv"


def labels(page: Page) -> list[str]:
    script = "items => items.map(item => item.getAttribute('aria-label'))"
    found: list[str] = page.tab.eval_on_selector_all("[role=treeitem]", script)
    return found


def grow_with_choices(page: Page, file: Path) -> None:
    """Load a file, choose a kind, a role and a weight, split by hand, grow and prune."""
    tab: Any = page.tab
    tab.set_input_files("#tw-file", str(file))
    page.see("table.columns")
    for key, value in (("kind-a", "nominal"), ("role-b", "ignored"), ("role-w", "weight")):
        tab.select_option(f"[data-key={key}]", value)
        page.see(f".status:has-text('is {value}')")
        page.wait()
    page.click("to-grow")
    page.click("start")
    page.see("table.candidates")
    tab.click("table.candidates tbody tr:nth-child(2) button[data-key^=use-]")
    page.see("[data-node='2']")
    page.click("all")
    page.see(".status:has-text('leaves now')")
    page.click("screen-prune")
    page.see("[data-key=prune-slider]")
    tab.fill("[data-key=prune-leaves]", "5")
    tab.keyboard.press("Tab")
    page.click("prune-here")
    page.see(".about:has-text('pruned to')")


def test_a_file_is_taken_wherever_it_is_dropped(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis")
    page.see("[data-key=group-use]")
    page.wait()
    page.tab.evaluate(DROP, ["dropped.csv", "a,y\n1,p\n2,q\n3,p\n4,q\n", "header.top"])
    page.see(".screen-data")
    page.see(".about:has-text('dropped.csv')")


def test_roles_kinds_and_pruning_outlive_the_server(opened: Opened, tmp_path: Path) -> None:
    running_module = pytest.importorskip("treewright.web.running")
    page = opened()
    grow_with_choices(page, write_table(tmp_path))
    about = page.about
    page.click("screen-grow")
    before = labels(page)
    port = page.running.port
    page.running.stop()
    page.tab.click("[data-node='0']")
    page.tab.click("[data-node='1']")
    page.see(".banner:not([hidden])")
    with running_module.Running(Sessions(), port=port) as again:
        page.tab.wait_for_selector(".banner input")
        page.tab.fill(".banner input", again.url)
        page.tab.click(".banner button")
        page.tab.wait_for_selector(".banner", state="hidden")
        page.see(".about:has-text('pruned to')")
        assert page.about == about
        assert labels(page) == before
        page.click("screen-data")
        assert page.tab.input_value("[data-key=kind-a]") == "nominal"
        assert page.tab.input_value("[data-key=role-b]") == "ignored"
        assert page.tab.input_value("[data-key=role-w]") == "weight"
    page.said.clear()  # a browser reports connections that fail


def test_a_link_holds_roles_kinds_and_the_size_of_the_tree(opened: Opened) -> None:
    page = opened()
    page.click("bundled-iris")
    page.see("table.columns")
    page.tab.select_option("[data-key='kind-petal width (cm)']", "nominal")
    page.see(".status:has-text('is nominal')")
    page.tab.select_option("[data-key='role-petal length (cm)']", "ignored")
    page.see(".status:has-text('is ignored')")
    page.click("to-grow")
    page.click("start")
    page.click("all")
    page.see(".status:has-text('leaves now')")
    page.click("screen-prune")
    page.see("[data-key=prune-slider]")
    page.tab.focus("[data-key=prune-slider]")
    page.tab.keyboard.press("ArrowRight")
    page.click("prune-here")
    page.see(".about:has-text('pruned to')")
    other = page.new_tab(page.running.url + "&" + page.tab.url.partition("#")[2])
    other.wait_for_selector(".about:has-text('pruned to')")
    assert other.inner_text(".about") == page.about
    other.click("[data-key=screen-data]")
    assert other.input_value("[data-key='role-petal length (cm)']") == "ignored"
    assert other.input_value("[data-key='kind-petal width (cm)']") == "nominal"


def test_a_tree_by_hand_is_not_lost_when_a_column_changes(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis", "id3")
    page.click("next")
    page.see("[data-node='3']")
    before = labels(page)
    page.click("screen-data")
    page.tab.select_option("[data-key=role-wind]", "ignored")
    page.see("[data-key=bring-back]:has-text('tennis · ID3 · 3 leaves')")
    page.click("bring-back")
    page.see("[data-node='3']")
    assert labels(page) == before
    page.click("screen-data")
    assert page.tab.input_value("[data-key=role-wind]") == "input"


def test_another_tab_cannot_start_anew_over_a_tree_that_has_grown(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis", "id3")
    other = page.context.new_page()
    session = page.tab.evaluate("JSON.stringify({...sessionStorage})")
    other.add_init_script(f"for (const [k, v] of Object.entries({session})) sessionStorage.setItem(k, v)")
    other.goto(page.running.url)
    other.wait_for_selector("[data-key=next]")
    page.click("next")
    page.see("[data-node='3']")
    other.click("[data-key=screen-data]")
    other.click("[data-key=bundled-iris]")
    other.wait_for_selector(".status.error:has-text('another tab')")
    other.wait_for_selector(".about:has-text('3 leaves')")
    page.said.clear()  # the refusal is a status of the network


def test_the_lines_to_copy_follow_the_confidence_factor(opened: Opened) -> None:
    page = opened()
    page.bundled("wine", "c45")
    page.click("all")
    page.see(".status:has-text('leaves now')")
    page.click("screen-prune")
    page.tab.fill("[data-key=confidence-field]", "0.01")
    page.tab.keyboard.press("Tab")
    page.see(".prune-facts:has-text('confidence factor 0.01')")
    page.click("menu")
    assert "confidence_factor=0.01" in page.tab.inner_text(".menu-body pre >> nth=0")
    page.tab.keyboard.press("Escape")
    few = len(page.tab.query_selector_all("[role=treeitem]"))
    page.tab.focus("[data-key=prune-slider]")
    page.tab.keyboard.press("End")
    page.tab.keyboard.press("Home")  # the slider is about the tree as grown again
    assert len(page.tab.query_selector_all("[role=treeitem]")) >= few
    assert page.tab.query_selector(".tree .gone") is None


def test_any_of_a_thousand_columns_can_be_found(opened: Opened, tmp_path: Path) -> None:
    names = [f"column {i}" for i in range(1000)]
    rows = "".join(",".join(str((i * 7 + k * 3) % 11) for k in range(1000)) + ",x\n" for i in range(4))
    (tmp_path / "wide.csv").write_text(",".join([*names, "y"]) + "\n" + rows.replace("x\n", "z\n", 2))
    page = opened()
    page.tab.set_input_files("#tw-file", str(tmp_path / "wide.csv"))
    page.see("table.columns")
    assert page.tab.input_value("[data-key=role-y]") == "target", "what is predicted is in view"
    assert page.tab.query_selector("[data-key='role-column 987']") is None
    page.tab.fill("[data-key=find-column]", "987")
    page.tab.select_option("[data-key='role-column 987']", "ignored")
    page.see(".status:has-text('column 987 is ignored')")


def test_groups_know_categories_with_commas_and_more_than_sixty(opened: Opened, tmp_path: Path) -> None:
    lines = [f'"place {i % 90}, land","{"pq"[i % 90 % 2]}"' for i in range(900)]
    (tmp_path / "places.csv").write_text("place,y\n" + "\n".join(lines) + "\n")
    page = opened()
    page.tab.set_input_files("#tw-file", str(tmp_path / "places.csv"))
    page.see("table.columns")
    page.click("to-grow")
    page.click("start")
    page.see("[data-key=group-use]")
    assert len(page.tab.query_selector_all(".boxes input")) == 90
    assert len(page.tab.query_selector_all(".boxes input:checked")) == 45
    page.click("group-use")
    page.see("[data-node='2']")
    assert "100 percent" in labels(page)[1] and "100 percent" in labels(page)[2]


def test_the_table_is_not_quoted_for_a_row_that_was_changed(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis", "c45")
    page.click("all")
    page.see("[data-node='7']")
    page.click("screen-predict")
    page.see(".answer:has-text('the table says no')")
    page.tab.select_option("[data-key=value-outlook]", "overcast")
    page.see(".answer .huge:has-text('yes')")
    assert "the table says" not in page.tab.inner_text(".answer")
