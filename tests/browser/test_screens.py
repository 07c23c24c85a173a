"""Every screen: accessible, in light and dark, from small telephones to large walls."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opened, Page

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("BROWSER_SHOTS")
SCREENS = ("data", "grow", "prune", "predict", "compare")


def fill(page: Page) -> None:
    """Make every screen show all it has."""
    page.bundled("cancer")
    page.click("next")
    page.see("[data-node='2']")
    page.tab.click("[data-node='2']")
    page.tab.click("table.candidates tbody tr:nth-child(2) button[data-key^=use-]")
    page.see("[data-node='4']")
    page.click("level")
    page.wait()
    page.tab.click("[data-node='0']")
    page.see("figure.chart")
    page.click("screen-prune")
    page.click("validate")
    page.click("rule-1se")
    page.see(".about:has-text('pruned to')")
    page.click("screen-compare")
    page.click("compare")
    page.click("look-random_forest")
    page.see("[data-key=tree-number]")
    page.wait()


def show(page: Page, screen: str) -> None:
    page.click(f"screen-{screen}")
    page.see(f".screen-{screen}")
    page.wait()
    page.tab.wait_for_timeout(150)


def violations(page: Page, axe: str) -> list[str]:
    """Run axe through the debugging protocol, which the policy of the page does not touch."""
    session = page.context.new_cdp_session(page.tab)
    session.send("Runtime.evaluate", {"expression": axe})
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    run = f"axe.run(document, {{runOnly: {rules}}}).then(found => JSON.stringify(found.violations))"
    answer = session.send(
        "Runtime.evaluate", {"expression": run, "awaitPromise": True, "returnByValue": True}
    )
    found: list[dict[str, Any]] = json.loads(answer["result"]["value"])
    return [f"{one['id']}: {one['help']} {[n['html'][:160] for n in one['nodes'][:3]]}" for one in found]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_any_screen(opened: Opened, axe: str, theme: str) -> None:
    page = opened(color_scheme=theme, reduced_motion="reduce")
    assert violations(page, axe) == []
    fill(page)
    for screen in SCREENS:
        show(page, screen)
        assert violations(page, axe) == [], screen
        if SHOTS:
            page.tab.wait_for_timeout(5200)  # messages go
            page.tab.screenshot(path=str(Path(SHOTS) / f"{screen}_{theme}.png"))
    page.click("help")
    assert violations(page, axe) == []
    page.tab.keyboard.press("Escape")
    page.click("menu")
    assert violations(page, axe) == []


@pytest.mark.parametrize("size", [(320, 640), (640, 430), (3840, 2160)])
def test_no_screen_is_wider_than_its_window(opened: Opened, size: tuple[int, int]) -> None:
    page = opened(width=1280, height=800)
    fill(page)
    page.tab.set_viewport_size({"width": size[0], "height": size[1]})
    for screen in SCREENS:
        show(page, screen)
        wide = page.tab.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, screen


def test_two_hundred_percent_is_usable(opened: Opened) -> None:
    page = opened(width=640, height=430, device_scale_factor=2)
    page.bundled("tennis", "c45")
    page.click("all")
    page.see("[data-node='7']")
    page.tab.click("[data-node='1']")
    page.see("[data-node='1'].chosen")


def test_targets_are_large_enough(opened: Opened) -> None:
    page = opened()
    fill(page)
    for screen in SCREENS:
        show(page, screen)
        small = page.tab.evaluate(
            """[...document.querySelectorAll('button, select, input:not([type=file]), summary')]
            .filter(e => e.offsetParent !== null)
            .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
            .filter(([_, r]) => r.width > 0 && (r.width < 24 || r.height < 24) && r.height > 0)
            .map(([html, r]) => `${html} ${r.width.toFixed(1)} x ${r.height.toFixed(1)}`)"""
        )
        assert small == [], screen


def test_every_chart_can_be_read_as_a_table(opened: Opened) -> None:
    page = opened()
    fill(page)
    for screen in ("grow", "prune", "compare"):
        show(page, screen)
        page.see("figure.chart")
        page.tab.click("figure.chart figcaption button")
        assert page.tab.query_selector("figure.chart table tbody tr") is not None
        page.tab.click("figure.chart figcaption button")


def test_printing_leaves_controls_out(opened: Opened) -> None:
    page = opened()
    page.bundled("tennis", "c45")
    page.tab.emulate_media(media="print")
    assert not page.tab.is_visible("[data-key=next]") and page.tab.is_visible("svg.tree")
