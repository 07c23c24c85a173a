"""Pictures in a real browser, light and dark: words stay where the estimate of their width says they do."""

import json
import re
import shutil
import subprocess

import pytest
from tests.unit.plot import cases
from tests.unit.plot.test_tree import MODELS, options_of

from treewright import export_svg

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Counts words that leave their card (drawn as a rect behind the title of a group) or the picture.
SCRIPT = """
const wrong = [];
for (const svg of document.querySelectorAll("svg")) {
  const page = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (box.left < page.left - 1 || box.right > page.right + 1 || box.top < page.top - 2
        || box.bottom > page.bottom + 2) wrong.push("leaves the picture: " + text.textContent);
    const card = text.parentElement.tagName === "g" ? text.parentElement.querySelector("rect") : null;
    if (card === null) continue;
    const inside = card.getBoundingClientRect();
    if (box.left < inside.left - 1 || box.right > inside.right + 1)
      wrong.push("leaves its card: " + text.textContent);
  }
}
const ink = getComputedStyle(document.querySelector("svg text")).fill;
document.body.textContent = "RESULT" + JSON.stringify({wrong, ink}) + "END";
"""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to look at pictures with")
@pytest.mark.parametrize("dark", [False, True])
def test_no_word_leaves_its_card_in_a_browser(tmp_path, dark):
    pictures = []
    for name in MODELS:
        model, options = options_of(name)
        pictures.append(export_svg(model, **options))
    pictures += [cases.case(name).to_svg() for name in cases.CASES]
    page = tmp_path / "page.html"
    body = "".join(f'<div style="width:4000px">{svg}</div>' for svg in pictures)
    page.write_text(f'<meta charset="utf-8"><body>{body}<script>{SCRIPT}</script></body>', encoding="utf-8")
    found = subprocess.run(
        [
            str(BROWSER),
            *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
            *("--disable-background-networking", "--disable-component-update"),
            *(["--blink-settings=preferredColorScheme=0"] if dark else []),
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    match = re.search(r"RESULT(.*)END", found.stdout, re.DOTALL)
    assert match is not None, found.stderr[-500:]
    result = json.loads(match.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert result["wrong"] == []
    assert result["ink"] == ("rgb(230, 237, 243)" if dark else "rgb(27, 31, 36)")
