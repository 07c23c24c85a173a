"""Calls of the screen Data: load a table, change kinds and roles."""

from __future__ import annotations

import gzip
import re
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from treewright.algorithms import load
from treewright.data.named_columns import NamedColumns
from treewright.files import FORMATS, open_table
from treewright.web.bundled import bundled_source
from treewright.web.calls import Body, Progress, need_source
from treewright.web.choices import is_single
from treewright.web.session import Session
from treewright.web.source import Role, Source, new_source
from treewright.web.state import state

__all__ = ["CALLS", "file_source", "take_file"]

MODEL_ENDINGS = (".tree", ".treewright")


def load_bundled(session: Session, body: Body, progress: Progress) -> Any:
    """Take a bundled table."""
    use(session, bundled_source(str(body.get("name"))))
    return state(session)


def change_columns(session: Session, body: Body, progress: Progress) -> Any:
    """Change kinds and roles of columns."""
    source = need_source(session)
    roles, kinds = body.get("roles") or {}, body.get("kinds") or {}
    if not isinstance(roles, dict) or not isinstance(kinds, dict):
        raise ValueError("Roles and kinds are given by column.")
    if source.given is not None:
        raise ValueError("These columns came from Python: change them there.")
    if kinds:
        source = source.with_kinds(kinds)
    if roles:
        source = source.with_roles(roles)
    use(session, source)
    return state(session)


def use(session: Session, source: Source) -> None:
    """Work on a table from now on; what was grown on another one is kept to be brought back."""
    session.keep_before()
    session.source = source
    session.grower = None
    session.model = None
    session.ensemble = None
    if not is_single(session.algorithm, source.task):
        session.algorithm, session.params = "cart", {}
    session.params = {}
    session.changed()


@contextmanager
def _compressed_right(name: str) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is not a file that gzip has compressed, or it was cut off.") from error


class Spool:
    """A copy of the bytes of a file, in a folder of its own, gone with the last table that was read from it.

    Parameters
    ----------
    name : str
        What the browser calls the file: it decides the format, and messages use it. Signs that mean something
        in paths are taken out.
    """

    def __init__(self, name: str) -> None:
        folder = tempfile.mkdtemp(prefix="treewright-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        plain = (
            re.sub(r"[^\w .()+-]+", "_", Path(name.replace("\\", "/")).name).lstrip(". ")[-80:] or "table.csv"
        )
        ending = Path(plain.lower().removesuffix(".gz")).suffix
        if ending not in FORMATS and ending not in MODEL_ENDINGS:
            plain = f"{plain.removesuffix('.gz')}.csv"
        self.path = Path(folder) / plain


def take_file(session: Session, name: str, spool: Spool) -> Any:
    """Take a file that was dropped on the page: a table, or a model.

    Parameters
    ----------
    session : Session
        The session.
    name : str
        What the browser calls the file: its ending says what is in it, and nothing is opened by it.
    spool : Spool
        Its bytes.
    """
    with session.lock, _compressed_right(name):
        if Path(name).suffix.lower() in MODEL_ENDINGS:
            model = load(spool.path)
            session.keep_before()
            session.model = model
            session.grower = session.source = session.ensemble = None
            session.changed()
            return state(session)
        model = session.model
        use(session, file_source(spool.path, shown=name, keep=spool))
        _keep_model(session, model)
        return state(session)


def file_source(path: Path, *, shown: str | None = None, keep: Any = None) -> Source:
    """Return the table in a file.

    Parameters
    ----------
    path : Path
        The file.
    shown : str or None
        What the page calls it; None: its name.
    keep : object
        What must live as long as the table, because it holds the file.
    """
    file = open_table(path)

    def read(kinds: Mapping[str, str], _keep: Any = keep) -> NamedColumns:
        return open_table(path).read(kinds)

    return new_source(shown or path.name, file.read(), read=read)


def _keep_model(session: Session, model: Any) -> None:
    """Keep a model that was open before its rows were, when the table has its columns."""
    source = session.source
    if model is None or source is None:
        return
    wanted = [feature.name for feature in model.model_.schema.features]
    target = model.model_.target_name
    names = set(source.table.names)
    if not names.issuperset(wanted) or (target is not None and target not in names):
        return
    roles: dict[str, Role] = {name: "input" if name in wanted else "ignored" for name in source.table.names}
    roles[target or next(name for name in source.table.names if name not in wanted)] = "target"
    session.source = replace(source, roles=roles)
    session.model = model
    session.ensemble = model if len(model.model_.trees) != 1 else None


def bring_back(session: Session, body: Body, progress: Progress) -> Any:
    """Bring the tree back that another table or another tree took the place of."""
    session.bring_back()
    return state(session)


CALLS = {"bundled": load_bundled, "columns": change_columns, "bring_back": bring_back}
