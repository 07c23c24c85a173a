"""The server of the page: routes around the calls, uploads, downloads and the streams of jobs."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from treewright.web.api import CALLS, REFUSALS, answer, hello
from treewright.web.calls_data import Spool, take_file
from treewright.web.downloads import download
from treewright.web.jobs import Jobs
from treewright.web.plain import to_json
from treewright.web.safety import Safety
from treewright.web.session import ConflictError, Session, Sessions

__all__ = ["MOST_BYTES", "make_app"]

MOST_BYTES = 1 << 30  # of an upload, unless the command line says otherwise
MOST_QUESTION = 1 << 22  # of any other body
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}  # fmt: skip
#: Path → the file of the package that answers; nothing else is ever read.
STATIC = {"/": "index.html", "/page.js": "page.js", "/page.css": "page.css", "/icon.svg": "icon.svg"}

_LOG = logging.getLogger("treewright.web")


class TooLargeError(ValueError):
    """More bytes than are allowed."""


def json_answer(value: Any, status: int = 200) -> Response:
    """Return values as a response."""
    return Response(to_json(value), status, media_type="application/json")


def worded(error: BaseException) -> str:
    """Return an error as a sentence for the page."""
    return " ".join(str(error).split()) or type(error).__name__


def failure(error: BaseException) -> Response:
    """Return the response to an error: its sentence where a user can mend it."""
    if isinstance(error, ConflictError):
        return json_answer({"error": worded(error), "conflict": True}, 409)
    if isinstance(error, TooLargeError):
        return json_answer({"error": worded(error)}, 413)
    if isinstance(error, MemoryError):
        return json_answer({"error": "There is not enough memory for this."}, 507)
    if isinstance(error, REFUSALS):
        return json_answer({"error": worded(error)}, 400)
    _LOG.error("a call of the page failed", exc_info=error)
    return json_answer({"error": f"This failed inside Treewright: {type(error).__name__}."}, 500)


class Server:
    """The routes and what they share.

    Parameters
    ----------
    sessions : Sessions
        The work of all tabs.
    most_bytes : int
        Largest upload.
    """

    def __init__(self, sessions: Sessions, most_bytes: int = MOST_BYTES) -> None:
        self.sessions = sessions
        self.jobs = Jobs()
        self.most_bytes = most_bytes

    def routes(self) -> list[Route]:
        """Return the routes: static files, and everything else below /api with POST or DELETE."""
        found = [Route(path, partial(self.static, file), methods=["GET"]) for path, file in STATIC.items()]
        found += [
            Route("/api/hello", self.hello, methods=["POST"]),
            Route("/api/upload", self.upload, methods=["POST"]),
            Route("/api/download", self.download, methods=["POST"]),
            Route("/api/job/{name}/events", self.events, methods=["POST"]),
            Route("/api/job/{name}", self.cancel, methods=["DELETE"]),
        ]
        found += [Route(f"/api/call/{name}", partial(self.call, name), methods=["POST"]) for name in CALLS]
        found += [Route(f"/api/start/{name}", partial(self.start, name), methods=["POST"]) for name in CALLS]
        return found

    async def static(self, file: str, request: Request) -> Response:
        """Return a file of the page."""
        body = resources.files("treewright.web").joinpath("static", file).read_bytes()
        return Response(body, media_type=TYPES[Path(file).suffix])

    async def hello(self, request: Request) -> Response:
        """Return what the page needs first, and the session of a tab: its own, or a new one."""
        try:
            body = await self._body(request)
            try:
                session, known = self.sessions[body.get("session")], True
            except ConflictError:
                session, known = self.sessions.new(), False
            state = await run_in_threadpool(answer, session, "state", {})
            about = await run_in_threadpool(hello)
        except Exception as error:
            return failure(error)
        return json_answer({**about, "state": state, "known": known, "most_bytes": self.most_bytes})

    async def call(self, name: str, request: Request) -> Response:
        """Answer a call."""
        try:
            body = await self._body(request)
            session = self.sessions[body.get("session")]
            return json_answer(await run_in_threadpool(answer, session, name, body))
        except Exception as error:
            return failure(error)

    async def start(self, name: str, request: Request) -> Response:
        """Start a call as a job."""
        try:
            body = await self._body(request)
            session = self.sessions[body.get("session")]
            job = self.jobs.start(lambda progress: to_json(answer(session, name, body, progress)))
        except Exception as error:
            return failure(error)
        return json_answer({"job": job.id})

    async def events(self, request: Request) -> Response:
        """Stream what happens to a job."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return json_answer({"error": "This job is not known here."}, 404)

        def lines() -> Iterator[bytes]:
            for kind, value in job.events():
                if kind == "failed":
                    value = json.loads(bytes(failure(value).body))
                data = value if isinstance(value, bytes) else to_json(value)
                yield b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def cancel(self, request: Request) -> Response:
        """Cancel a job."""
        job = self.jobs.get(request.path_params["name"])
        if job is None:
            return json_answer({"error": "This job is not known here."}, 404)
        job.cancel()
        return json_answer({})

    async def upload(self, request: Request) -> Response:
        """Take a file: the body is its bytes, the query its name and the session."""
        try:
            session: Session = self.sessions[request.query_params.get("session")]
            name = request.query_params.get("name", "table.csv")[:200]
            spool = Spool(name)
            too_large = TooLargeError(
                f"The file has more than {self.most_bytes >> 20} MB, the limit of this page. "
                "Start it with the file, treewright app FILE, or raise --max-upload."
            )
            if int(request.headers.get("content-length") or 0) > self.most_bytes:
                raise too_large
            size = 0
            with spool.path.open("wb") as file:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > self.most_bytes:
                        raise too_large
                    await run_in_threadpool(file.write, chunk)
            if size == 0:
                raise ValueError(f"{name} is empty.")
            return json_answer(await run_in_threadpool(take_file, session, name, spool))
        except ClientDisconnect:
            return json_answer({"error": "The upload was cut off."}, 400)
        except Exception as error:
            return failure(error)

    async def download(self, request: Request) -> Response:
        """Return a file of the current tree."""
        try:
            body = await self._body(request)
            session = self.sessions[body.get("session")]
            found = await run_in_threadpool(download, session, str(body.get("form")))
        except Exception as error:
            return failure(error)
        headers = {"content-disposition": f'attachment; filename="{found.name}"', "x-filename": found.name}
        return Response(found.body, media_type=found.media_type, headers=headers)

    async def _body(self, request: Request) -> dict[str, Any]:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_QUESTION:
                raise TooLargeError("The question is too long.")
        try:
            found = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            raise ValueError("The question is not JSON.") from None
        if not isinstance(found, dict):
            raise ValueError("The question is not a JSON object.")
        return found


def make_app(
    sessions: Sessions,
    *,
    token: str,
    hosts: list[str],
    local: bool = True,
    most_bytes: int = MOST_BYTES,
) -> Starlette:
    """Return the application.

    Parameters
    ----------
    sessions : Sessions
        The work of all tabs.
    token : str
        The secret of this run.
    hosts : list of str
        Names with port that the page may be asked under.
    local : bool
        Whether all of them are loopback.
    most_bytes : int
        Largest upload.
    """
    server = Server(sessions, most_bytes)
    guard = Middleware(Safety, token=token, hosts=hosts, local=local)
    app = Starlette(routes=server.routes(), middleware=[guard])
    app.state.server = server
    return app
