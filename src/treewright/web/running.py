"""Running the server in a thread: a port, a secret, an address to open, and a way to stop it."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
import time
import webbrowser
from contextlib import nullcontext
from typing import Any, Self

import uvicorn

from treewright.web.server import MOST_BYTES, make_app
from treewright.web.session import Sessions

__all__ = ["Running", "is_loopback"]

SECONDS_TO_START = 10.0


def is_loopback(host: str) -> bool:
    """Tell whether a name or address is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Running:
    """A server that runs; also a context.

    Parameters
    ----------
    sessions : Sessions
        The work of all tabs.
    host : str
        Address to listen at.
    port : int
        Port; 0: any free one. Where it is taken, another one is, and `moved` tells.
    most_bytes : int
        Largest upload.

    Attributes
    ----------
    url : str
        The address to open, with the secret of this run behind the #, which browsers keep to themselves.
    """

    def __init__(
        self, sessions: Sessions, *, host: str = "127.0.0.1", port: int = 0, most_bytes: int = MOST_BYTES
    ) -> None:
        self._socket, self.moved = _bound(host, port)
        self.port = int(self._socket.getsockname()[1])
        self.token = secrets.token_urlsafe(24)
        local = is_loopback(host)
        hosts = _names(host, self.port)
        shown = next(iter(hosts)) if local or not _is_any(host) else f"{socket.gethostname()}:{self.port}"
        self.url = f"http://{shown}/#token={self.token}"
        self.app = make_app(sessions, token=self.token, hosts=hosts, local=local, most_bytes=most_bytes)
        config = uvicorn.Config(
            self.app,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=30,
        )
        self._server = uvicorn.Server(config)
        # Signals belong to whoever started us.
        self._server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="treewright-page", daemon=True
        )
        self._thread.start()
        end = time.monotonic() + SECONDS_TO_START
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                raise OSError("The page could not be started.")
            time.sleep(0.005)

    def open(self) -> None:
        """Open the page in the user's browser."""
        webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until the server ends, in small steps, so that Ctrl-C is heard."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def stop(self) -> None:
        """End the server and what it works on. More than once does no harm."""
        self.app.state.server.jobs.cancel_all()
        self._server.should_exit = True
        self._thread.join(5)
        self._server.force_exit = True
        self._thread.join(5)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Treewright page at {self.url}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self)}


def _is_any(host: str) -> bool:
    return host in ("0.0.0.0", "::", "[::]", "")


def _bound(host: str, port: int) -> tuple[socket.socket, bool]:
    """Return a socket that listens, at the port or, where that is taken, at another one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port, 0):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host.strip("[]"), number))
        except OSError:
            found.close()
            if number == 0:
                raise
            continue
        found.listen(128)
        return found, number != port
    raise OSError(f"No port of {host} is free.")


def _names(host: str, port: int) -> list[str]:
    """Return the names under which the page may be asked for, the address itself first."""
    if is_loopback(host):
        first = f"[{host.strip('[]')}]" if ":" in host else host
        return list(dict.fromkeys([f"{first}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"]))
    names = [host, socket.gethostname(), socket.getfqdn(), "localhost", "127.0.0.1"]
    if _is_any(host):
        names = names[1:]
        names += [
            str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        ]
    return list(dict.fromkeys(f"{name}:{port}" for name in names))
