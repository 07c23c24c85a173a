"""A server and a Chromium for each test; what the page says to the console is an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from treewright.web.command import start_session
from treewright.web.session import Session, Sessions

REQUIRED = os.environ.get("BROWSER") == "required"


def missing(reason: str) -> None:
    """Skip, or fail where a browser is promised."""
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("there is no chromium on this machine (.ci/install chromium)")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - may be missing
    except ImportError:
        missing("playwright is not installed (make browser installs it)")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(pytestconfig: pytest.Config) -> str:
    path = Path(pytestconfig.rootpath) / "page" / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        missing("axe-core is not installed (make browser installs it with npm)")
    return path.read_text(encoding="utf-8")


class Page:
    """The page in a tab: what tests do with it."""

    def __init__(self, context: Any, running: Any) -> None:
        self.context = context
        self.running = running
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab = self.new_tab()

    def new_tab(self, address: str | None = None) -> Any:
        tab = self.context.new_page()
        tab.set_default_timeout(20000)
        tab.on("console", lambda m: self.said.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: self.said.append(str(error)))
        tab.on("dialog", lambda dialog: (self.said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        tab.on("request", lambda request: self.asked.append(request.url))
        tab.goto(address or self.running.url)
        tab.wait_for_selector("nav.screens")
        return tab

    def click(self, key: str) -> None:
        self.tab.click(f"[data-key={key!r}]")

    def see(self, selector: str) -> Any:
        return self.tab.wait_for_selector(selector)

    def bundled(self, name: str, algorithm: str = "cart") -> None:
        self.click(f"bundled-{name}")
        self.see("table.columns")
        self.click("to-grow")
        self.click(f"algorithm-{algorithm}")
        self.click("start")
        self.see("[data-key=next]")

    def wait(self) -> None:
        """Wait until nothing is being worked on."""
        self.tab.wait_for_selector("main[aria-busy=false]")
        self.tab.wait_for_load_state("networkidle")

    @property
    def about(self) -> str:
        return str(self.tab.inner_text(".about"))


Opened = Callable[..., Page]


@pytest.fixture
def opened(chromium: Any) -> Iterator[Opened]:
    running_module = pytest.importorskip("treewright.web.running")
    contexts, servers, pages = [], [], []

    def open_page(
        file: str | None = None, *, session: Session | None = None, width: int = 1280, height: int = 860,
        most_bytes: int = 1 << 30, **options: Any,
    ) -> Page:  # fmt: skip
        running = running_module.Running(Sessions(session or start_session(file)), most_bytes=most_bytes)
        servers.append(running)
        context = chromium.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True, **options
        )
        own = running.url.partition("#")[0]
        # Nothing but our own server can be reached: who asks another address gets an error in the console.
        context.route(lambda url: not url.startswith((own, "blob:", "data:")), lambda route: route.abort())
        contexts.append(context)
        page = Page(context, running)
        pages.append(page)
        return page

    yield open_page
    said = [text for page in pages for text in page.said]
    foreign = [
        url
        for page in pages
        for url in page.asked
        if "127.0.0.1" not in url and not url.startswith(("blob:", "data:"))
    ]
    for context in contexts:
        context.close()
    for server in servers:
        server.stop()
    assert said == [], "the console was used"
    assert foreign == [], "another address was asked"
