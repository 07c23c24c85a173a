"""Build the book into build/docs/html: `python -m tools.book`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sphinx.cmd.build import build_main
from tools.book.check_site import main as check
from tools.book.source import write_source

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Return 0 when the site is there and whole."""
    source, site = ROOT / "build" / "docs" / "source", ROOT / "build" / "docs" / "html"
    write_source(ROOT, source)
    jobs = os.environ.get("JOBS", "2")
    settings = str(ROOT / "tools" / "book")
    options = ["-q", "-E", "-W", "--keep-going", "-j", jobs, "-b", "html", "-c", settings]
    return build_main([*options, str(source), str(site)]) or check(site)


if __name__ == "__main__":
    sys.exit(main())
