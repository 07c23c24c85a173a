"""The page as one file: script, style and answers inside, nothing to ask and nobody to ask it of."""

from __future__ import annotations

from importlib import resources
from typing import Any

from treewright.web.api import answer, hello
from treewright.web.plain import to_json
from treewright.web.session import Session
from treewright.web.showing import session_of

__all__ = ["interactive_page"]

MOST_REPORTS = 60
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def interactive_page(estimator: Any, X: Any = None, y: Any = None, title: str = "Treewright") -> str:
    """Return a single tree as an HTML file that can be walked through: nodes, candidates, pruning.

    Parameters
    ----------
    estimator : estimator
        A fitted single tree.
    X, y : object, optional
        The rows of fit: every feature is searched again at the nodes that hold most rows.
    title : str
        Title of the file.
    """
    session = session_of(estimator, X, y)
    return _document(_answers(session), title)


def _answers(session: Session) -> dict[str, Any]:
    state = answer(session, "state", {})
    if state["tree"] is None:
        raise ValueError("An interactive page shows a single tree; this model has many.")
    found: dict[str, Any] = {"pruning": answer(session, "pruning", {})}
    inner = [node for node in state["tree"]["nodes"] if node["test"]]
    for node in sorted(inner, key=lambda one: -one["weight"])[:MOST_REPORTS]:
        found[f"candidates:{node['id']}"] = answer(session, "candidates", {"node": node["id"]})
    start = {**hello(), "bundled": [], "state": {**state, "data": None}, "known": True, "most_bytes": 0}
    return {"hello": start, "answers": found}


def _document(data: dict[str, Any], title: str) -> str:
    folder = resources.files("treewright.web").joinpath("static")
    script = folder.joinpath("page.js").read_text("utf-8").replace("</script", "<\\/script")
    style = folder.joinpath("page.css").read_text("utf-8").replace("</style", "<\\/style")
    # Inside a script element only these signs could end it, or begin a comment.
    values = to_json(data).decode("utf-8").replace("<", "\\u003c").replace("\u2028", "\\u2028")
    shown = title.replace("&", "&amp;").replace("<", "&lt;")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{shown}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="treewright"></div>\n'
        f'<script type="application/json" id="treewright-data">{values}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )
