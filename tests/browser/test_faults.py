"""What may go wrong: hostile tables, a server that is gone, two tabs, large trees, wrong addresses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treewright
from tests.browser.conftest import Opened
from treewright.web.session import Sessions
from treewright.web.showing import session_of

pytestmark = pytest.mark.browser

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{7*7}}",
    "</text><svg onload=alert(1)>",
]


def test_hostile_names_run_no_script(opened: Opened, tmp_path: Path) -> None:
    table = tmp_path / "<img src=x onerror=alert(1)>.csv"
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    rows = [
        ",".join([str((i * 7 + k) % 11) for k in range(len(HOSTILE))] + [quoted[i % 3]]) for i in range(60)
    ]
    table.write_text(",".join([*quoted, "y"]) + "\n" + "\n".join(rows) + "\n")
    page = opened()
    page.tab.set_input_files("#tw-file", str(table))
    page.see("table.columns")
    page.click("to-grow")
    page.click("start")
    page.click("all")
    page.wait()
    page.tab.click("[data-node='0']")
    for screen in ("prune", "predict", "compare", "data", "grow"):
        page.click(f"screen-{screen}")
        page.wait()
    assert page.tab.query_selector("img, script:not([src='/page.js'])") is None
    assert "<script>" in page.tab.inner_text("table.candidates")


def test_a_server_that_comes_back_finds_the_tree_as_it_was(opened: Opened) -> None:
    running_module = pytest.importorskip("treewright.web.running")
    page = opened()
    tab = page.tab
    page.bundled("tennis", "id3")
    page.click("next")
    page.see("[data-node='3']")
    tab.click("[data-node='1']")
    tab.click("table.candidates tbody tr:nth-child(2) button[data-key^=use-]")
    page.see("[data-node='4']")
    before = tab.eval_on_selector_all(
        "[role=treeitem]", "items => items.map(i => i.getAttribute('aria-label'))"
    )
    port = page.running.port
    page.running.stop()
    page.click("next")
    page.see(".banner:not([hidden])")
    assert "kept in this tab" in tab.inner_text(".banner")
    with running_module.Running(Sessions(), port=port) as again:
        assert again.port == port
        tab.wait_for_selector(".banner input")  # another server: it asks for the address
        tab.fill(".banner input", again.url)
        tab.click(".banner button")
        tab.wait_for_selector(".banner", state="hidden")
        page.see("[data-node='4']")
        after = tab.eval_on_selector_all(
            "[role=treeitem]", "items => items.map(i => i.getAttribute('aria-label'))"
        )
        assert after == before
        page.click("next")
        page.see("[data-node='6']")
    page.said.clear()  # a browser reports connections that fail


def test_two_tabs_on_one_tree_do_not_overwrite_each_other(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis", "id3")
    other = page.context.new_page()
    session = page.tab.evaluate("JSON.stringify({...sessionStorage})")
    other.add_init_script(f"for (const [k, v] of Object.entries({session})) sessionStorage.setItem(k, v)")
    other.goto(page.running.url)
    other.wait_for_selector("[data-key=next]")
    page.click("next")
    page.see("[data-node='3']")
    other.click("[data-key=next]")
    other.wait_for_selector(".status.error:has-text('another tab')")
    other.wait_for_selector("[data-node='3']")
    page.said.clear()  # the refusal is a status of the network


def test_without_its_token_the_page_says_how_to_open_it(opened: Opened) -> None:
    page = opened()
    stranger = page.context.browser.new_context().new_page()
    stranger.goto(page.running.url.partition("#")[0])
    stranger.wait_for_selector("[role=alert]")
    assert "whole address" in stranger.inner_text("[role=alert]")
    stranger.context.close()


def test_work_can_be_cancelled(opened: Opened) -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(30000, 10)), generator.integers(0, 2, 30000)
    page = opened(session=session_of(treewright.CARTClassifier(), X, y))
    page.click("screen-grow")
    page.click("all")
    page.see("[data-key=cancel]")
    page.see(".working:has-text('nodes')")
    page.click("cancel")
    page.see(".status:has-text('as it was')")
    assert "1 leaf" in page.about
    page.click("next")
    page.see("[data-node='2']")


def test_a_tree_of_many_leaves_stays_usable(opened: Opened) -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60000, 4)), generator.integers(0, 2, 60000)
    tree = treewright.CARTClassifier().fit(X, y)
    assert tree.get_n_leaves() > 15000
    page = opened(session=session_of(tree))
    page.click("screen-grow")
    page.see("[role=treeitem]")
    assert len(page.tab.query_selector_all("[role=treeitem]")) <= 600
    page.tab.click(".more >> nth=0", force=True)
    page.see(".crumbs:not([hidden])")
    page.click("screen-prune")
    slider = page.see("[data-key=prune-slider]")
    assert len(page.tab.query_selector_all("[role=treeitem]")) <= 600
    slider.focus()
    page.tab.keyboard.press("End")
    assert page.tab.inner_text(".prune-facts .huge") == "1 leaf"
    page.tab.keyboard.press("ArrowLeft")
    assert page.tab.inner_text(".prune-facts .huge") != "1 leaf"


def test_a_model_without_rows_asks_for_them_where_it_needs_them(opened: Opened, tmp_path: Path) -> None:
    treewright.CARTClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 0]).save(tmp_path / "m.tree")
    page = opened(str(tmp_path / "m.tree"))
    page.click("screen-compare")
    page.see(".empty")
    page.click("screen-predict")
    page.see(".answer .huge")
    page.click("screen-prune")
    page.see("[data-key=prune-slider]")
    page.click("screen-grow")
    page.see("[role=treeitem]")
    assert page.tab.query_selector("[data-key=next]") is None


def test_a_file_beyond_the_limit_is_refused_before_it_is_sent(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_text("a,b\n" + "1,2\n" * 1000)
    page = opened(most_bytes=1000)
    page.tab.set_input_files("#tw-file", str(tmp_path / "large.csv"))
    page.see(".status.error:has-text('treewright app')")


def test_the_file_to_walk_through_works_without_any_server(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    X = np.random.default_rng(0).normal(size=(300, 3))
    tree = treewright.CARTClassifier().fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    treewright.export_html(
        tree, tmp_path / "tree.html", X=X, y=(X[:, 0] * X[:, 1] > 0).astype(int), interactive=True
    )
    page.context.unroute_all()
    page.context.set_offline(True)
    tab = page.context.new_page()
    tab.on("console", lambda message: page.said.append(message.text) if message.type == "error" else None)
    tab.goto(f"file://{tmp_path / 'tree.html'}")
    tab.wait_for_selector("[role=treeitem]")
    tab.click("[data-node='0']")
    tab.wait_for_selector("table.candidates")
    tab.click("[data-key=screen-prune]")
    tab.focus("[data-key=prune-slider]")
    tab.keyboard.press("End")
    assert tab.inner_text(".prune-facts .huge") == "1 leaf"


def test_a_forest_shows_its_trees_and_that_one_of_them_is_not_the_model(opened: Opened) -> None:
    forest = treewright.RandomForestClassifier(n_estimators=7, random_state=0).fit(
        [[0.0], [1.0], [2.0]], [0, 1, 0]
    )
    page = opened(session=session_of(forest))
    page.see(".note:has-text('not the model')")
    page.click("tree-on")
    page.see("[role=treeitem]")
    page.click("screen-predict")
    page.see(".answer .huge")
