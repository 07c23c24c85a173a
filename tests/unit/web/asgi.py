"""A browser in few lines: sends one request to an ASGI application and returns status, headers and body."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

HOST = "127.0.0.1:4321"
TOKEN = "a-token-for-tests"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def proof(**changes: str | None) -> dict[str, str]:
    """Return the headers that our own page sends, with some of them changed or (None) left out."""
    given: dict[str, str | None] = {
        "host": HOST,
        "x-treewright-token": TOKEN,
        "origin": f"http://{HOST}",
        "sec-fetch-site": "same-origin",
    }
    given |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in given.items() if value is not None}


def ask(
    app: Any, path: str, body: Any = None, *, method: str = "POST", headers: dict[str, str] | None = None
) -> Answer:
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    path, _, query = path.partition("?")
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(n.encode(), v.encode()) for n, v in (proof() if headers is None else headers).items()],
        "scheme": "http",
        "server": ("127.0.0.1", 4321),
        "client": ("127.0.0.1", 1),
    }
    given = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if given:
            return given.pop(0)
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start = next(message for message in sent if message["type"] == "http.response.start")
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    content = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
    return Answer(start["status"], found, content)
