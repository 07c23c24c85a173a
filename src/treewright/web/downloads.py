"""Files to download: pictures, pages, models and reports of the current tree."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from treewright.export import export_html, export_rules, export_svg, export_text
from treewright.web.calls import all_cores, current_estimator
from treewright.web.code import command_lines, file_stem, python_lines
from treewright.web.session import Session
from treewright.web.whole_file import interactive_page

__all__ = ["Download", "download"]


class Download(NamedTuple):
    """A file: its name, its type and its bytes."""

    name: str
    media_type: str
    body: bytes


def _svg(session: Session, estimator: Any) -> str:
    if session.source is not None and session.grower is not None and session.source.table.n_rows <= 100_000:
        X, y, _ = session.source.fit_arguments()
        return export_svg(estimator, X=X, y=y)
    return export_svg(estimator)


def _html(session: Session, estimator: Any) -> str:
    return export_html(estimator)


def _page(session: Session, estimator: Any) -> str:
    X, y, _ = (None, None, None) if session.source is None else session.source.fit_arguments()
    return interactive_page(estimator, X, y, f"{type(estimator).__name__} · Treewright")


def _report(session: Session, estimator: Any) -> str:
    data = session.source
    parts = ["Treewright report", "================="]
    if data is not None:
        parts.append(f"{data.name}: {data.table.n_rows} rows, target {data.target}")
    parts += ["", export_text(estimator), "", str(export_rules(estimator))]
    if hasattr(estimator, "explain_pruning"):
        parts += ["", str(estimator.explain_pruning())]
    parts += ["", "In Python", "---------", *python_lines(session)]
    parts += ["", "On the command line", "-------------------", *command_lines(session)]
    return "\n".join(parts) + "\n"


def _model(session: Session, estimator: Any) -> bytes:
    file = io.BytesIO()
    estimator.save(file)
    return file.getvalue()


#: Form → ending, type, and the function that writes it.
FORMS: Final[dict[str, tuple[str, str, Callable[[Session, Any], str | bytes]]]] = {
    "svg": (".svg", "image/svg+xml", _svg),
    "html": (".html", "text/html; charset=utf-8", _html),
    "page": (".page.html", "text/html; charset=utf-8", _page),
    "model": (".tree", "application/octet-stream", _model),
    "report": (".txt", "text/plain; charset=utf-8", _report),
    "python": (
        ".py",
        "text/x-python; charset=utf-8",
        lambda session, _: "\n".join(python_lines(session)) + "\n",
    ),
}


def download(session: Session, form: str) -> Download:
    """Return the current tree in a form.

    Parameters
    ----------
    session : Session
        The session.
    form : str
        A key of `FORMS`.
    """
    if form not in FORMS:
        raise ValueError(f"There is no form {form!r}. Choose one of: {', '.join(FORMS)}.")
    ending, media_type, write = FORMS[form]
    with all_cores():
        body = write(session, current_estimator(session))
    content = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    return Download(f"{file_stem(session)}{ending}", media_type, content)
