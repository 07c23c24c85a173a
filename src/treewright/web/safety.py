"""Safety: what every request must prove and every answer carries, whatever the route.

The page is for the person at this machine. A name that was bound to another address, a page of another site
and another user of the machine get nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Safety"]

TOKEN_HEADER: Final = "x-treewright-token"
CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: On every answer.
HEADERS: Final = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Safety:
    """ASGI middleware: the exact host with its port everywhere; token, origin and fetch site below /api.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        The secret of this run.
    hosts : iterable of str
        Names with port under which the page may be asked for.
    local : bool
        Whether all of them are loopback: then browsers always tell the site that a request comes from.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str], local: bool = True) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.encode(): value.encode() for name, value in HEADERS.items()}
                kept = [(name, value) for name, value in message["headers"] if name.lower() not in own]
                message = {**message, "headers": [*kept, *own.items()]}
            await send(message)

        reason = "only http" if scope["type"] != "http" else self._refusal(scope)
        if reason is None:
            await self._app(scope, receive, guarded)
        elif scope["type"] == "http":
            await PlainTextResponse(f"refused: {reason}", status_code=403)(scope, receive, guarded)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> str | None:
        """Return why a request is refused, None where it is not."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.lower(), []).append(value)

        def only(name: str) -> str | None:
            values = given.get(name.encode(), [])
            return values[0].decode("latin-1") if len(values) == 1 else None

        host = only("host")
        if host is None or host.lower() not in self._hosts:
            return "host"
        path = scope["path"]
        if path != "/api" and not path.startswith("/api/"):
            return None
        token = only(TOKEN_HEADER)
        if token is None or not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return "token"
        if only("origin") != f"http://{host}":
            return "origin"
        site = only("sec-fetch-site")
        if site != "same-origin" and (self._local or site is not None):
            return "site"
        return None
