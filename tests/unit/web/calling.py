"""What tests of calls share: one call, a started tree, a file that was dropped."""

from __future__ import annotations

import json
from typing import Any

from treewright.web import api
from treewright.web.calls_data import Spool, take_file
from treewright.web.plain import to_json
from treewright.web.session import Session


def call(session: Session, name: str, /, **body: Any) -> Any:
    return json.loads(to_json(api.answer(session, name, body)))


def started(bundled: str, algorithm: str = "cart", **params: Any) -> Session:
    session = Session()
    call(session, "bundled", name=bundled)
    call(session, "start", algorithm=algorithm, params=params)
    return session


def load(session: Session, name: str, text: str) -> Any:
    spool = Spool(name)
    spool.path.write_text(text, encoding="utf-8")
    return take_file(session, name, spool)
