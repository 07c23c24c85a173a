"""Budgets of the page, measured in a real Chromium: ``python -m benchmarks.page`` writes results/page.md."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.datasets import make_classification

import treewright
from benchmarks.machine import about_machine
from treewright.web import api
from treewright.web.command import start_session
from treewright.web.running import Running
from treewright.web.session import Session, Sessions
from treewright.web.showing import session_of

RESULTS = Path(__file__).resolve().parent / "results" / "page.md"
TURNS = 15


class Line(NamedTuple):
    """One budget: what was measured, the value, the limit."""

    work: str
    value: float
    unit: str
    limit: float | None


def best(work: Callable[[], Any], turns: int = TURNS) -> float:
    """Return the shortest time of several turns, in milliseconds."""
    times = []
    for _ in range(turns):
        begin = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begin))
    return min(times)


@contextmanager
def opened(session: Session) -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with Running(Sessions(session)) as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.set_default_timeout(300_000)
        tab.goto(running.url)
        tab.wait_for_selector("nav.screens")
        yield tab
        browser.close()


def first_paint() -> Line:
    """Measure the time from opening the address to the first screen with its content."""
    with opened(Session()) as tab:
        times = []
        for _ in range(TURNS):
            tab.reload()
            tab.wait_for_selector("nav.screens")
            entry = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            times.append(float(tab.evaluate(entry)))
    return Line("first contentful paint after opening the address", min(times), "ms", 1000)


def of_candidates() -> list[Line]:
    """Measure the calls behind a click on a node of 100 000 rows and 50 columns."""
    X, y = make_classification(100_000, 50, n_informative=10, random_state=0)
    session = session_of(treewright.CARTClassifier(), X, y)

    def ask(name: str, **body: Any) -> float:
        def work() -> None:
            session.kept.clear()
            api.answer(session, name, body)

        return best(work)

    return [
        Line("candidates of a node of 100 000 rows × 50 columns", ask("candidates", node=0), "ms", 150),
        Line("gain curve of one of its columns", ask("cuts", node=0, feature=3), "ms", 150),
    ]


def of_confidence() -> Line:
    """Measure C4.5's confidence factor on 10 000 rows."""
    X, y = make_classification(10_000, 20, n_informative=8, flip_y=0.1, random_state=0)
    session = session_of(treewright.C45Classifier(), X, y)
    api.answer(session, "act", {"action": "grow"})
    value = best(lambda: api.answer(session, "confidence", {"confidence_factor": 0.1}))
    return Line("another confidence factor, 10 000 rows", value, "ms", 150)


FRAMES = """async () => {
  const slider = document.querySelector('[data-key=prune-slider]');
  const times = [];
  const last = Number(slider.max);
  for (let i = 0; i <= 120; i += 1) {
    const begin = performance.now();
    slider.value = String(Math.round((last * i) / 120));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - begin);
    await new Promise(requestAnimationFrame);
  }
  times.sort((a, b) => a - b);
  return [times[60], times[114]];
}"""


def of_large_trees(leaves: int) -> list[Line]:
    """Measure the slider and the document of a tree with very many leaves."""
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(int(leaves * 3.3), 6)), generator.integers(0, 2, int(leaves * 3.3))
    tree = treewright.CARTClassifier(n_jobs=-1).fit(X, y)
    words = f"a tree of {tree.get_n_leaves()} leaves"
    with opened(session_of(tree)) as tab:
        begin = time.perf_counter()
        tab.click("[data-key=screen-grow]")
        tab.wait_for_selector("[role=treeitem]")
        shown = time.perf_counter() - begin
        nodes = len(tab.query_selector_all("[role=treeitem]"))
        begin = time.perf_counter()
        tab.click(".more >> nth=0", force=True)
        tab.wait_for_selector(".crumbs:not([hidden])")
        deeper = time.perf_counter() - begin
        tab.click("[data-key=screen-prune]")
        tab.wait_for_selector("[data-key=prune-slider]")
        nodes = max(nodes, len(tab.query_selector_all("[role=treeitem]")))
        middle, slow = tab.evaluate(FRAMES)
    return [
        Line(f"slider, script and layout of a frame, median, {words}", middle, "ms", 16),
        Line(f"slider, 95 % of the frames, {words}", slow, "ms", 16),
        Line(f"nodes in the document, {words}", nodes, "", 600),
        Line(f"{words}: shown", 1e3 * shown, "ms", None),
        Line(f"{words}: what is below a node opened", 1e3 * deeper, "ms", None),
    ]


def of_many_rows(rows: int) -> list[Line]:
    """Measure a file of very many rows: read, started, split."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=(rows, 8)).round(4)
    label = np.where(values[:, 0] + values[:, 1] * values[:, 2] > generator.normal(size=rows), "yes", "no")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        text = "\n".join(
            ",".join(map(str, row)) + f",{y}" for row, y in zip(values.tolist(), label, strict=True)
        )
        path.write_text(",".join([*"abcdefgh", "y"]) + "\n" + text + "\n")
        begin = time.perf_counter()
        session = start_session(str(path))
        lines = [
            Line(f"{rows} rows × 9 columns of CSV: read", 1e3 * (time.perf_counter() - begin), "ms", None)
        ]
        for words, name, body in (
            ("shown on Data", "state", {}),
            ("tree started", "start", {"algorithm": "cart", "params": {}}),
            ("candidates of the root", "candidates", {"node": 0}),
            ("next split", "act", {"action": "next"}),
            ("three levels", "act", {"action": "grow", "levels": 3}),
        ):
            begin = time.perf_counter()
            api.answer(session, name, dict(body))
            lines.append(Line(f"{rows} rows: {words}", 1e3 * (time.perf_counter() - begin), "ms", None))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leaves", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    lines = [first_paint(), *of_candidates(), of_confidence(), *of_large_trees(given.leaves)]
    lines += of_many_rows(given.rows)
    machine = about_machine()
    text = [
        "# The page",
        "",
        "Written by `python -m benchmarks.page`; times are the best of some turns.",
        "",
    ]
    text += [f"{name}: {value}  " for name, value in machine.items() if isinstance(value, str | int | float)]
    text.append(f"load: {os.getloadavg()[0]:.1f} (of other work on these cores, too)")
    text += ["", "| work | measured | budget | met |", "|---|---|---|---|"]
    for line in lines:
        limit = "–" if line.limit is None else f"≤ {line.limit:g} {line.unit}".strip()
        met = "–" if line.limit is None else "yes" if line.value <= line.limit else "**no**"
        text.append(f"| {line.work} | {line.value:.3g} {line.unit} | {limit} | {met} |".replace(" |", " |"))
    RESULTS.write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
