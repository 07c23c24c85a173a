from __future__ import annotations

import re
from typing import Any

import pytest
from tests.unit.web.asgi import HOST, TOKEN, ask, proof

from treewright.web.session import Sessions

pytest.importorskip("starlette")
server = pytest.importorskip("treewright.web.server")


@pytest.fixture
def app() -> Any:
    return server.make_app(Sessions(), token=TOKEN, hosts=[HOST], most_bytes=1000)


def routes() -> list[tuple[str, str]]:
    app = server.make_app(Sessions(), token=TOKEN, hosts=[HOST])
    return [
        (re.sub(r"\{\w+\}", "x", route.path), sorted(route.methods - {"HEAD"})[0]) for route in app.routes
    ]


OF_API = [(path, method) for path, method in routes() if path.startswith("/api")]
OTHERS = [(path, method) for path, method in routes() if not path.startswith("/api")]


def test_there_are_routes_of_both_kinds() -> None:
    assert len(OF_API) > 30 and [path for path, _ in OTHERS] == ["/", "/page.js", "/page.css", "/icon.svg"]


@pytest.mark.parametrize(
    "changed",
    [
        {"x_treewright_token": None},
        {"x_treewright_token": "another"},
        {"x_treewright_token": TOKEN + "x"},
        {"x_treewright_token": ""},
        {"origin": None},
        {"origin": "null"},
        {"origin": "http://example.org"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": f"https://{HOST}"},
        {"sec_fetch_site": None},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"host": "example.org"},
    ],
    ids=str,
)
def test_every_route_of_the_api_refuses_who_cannot_prove_himself(
    app: Any, changed: dict[str, str | None]
) -> None:
    for path, method in OF_API:
        answer = ask(app, path, {}, method=method, headers=proof(**changed))
        assert answer.status == 403, path
        assert "content-security-policy" in answer.headers


def test_no_route_of_the_api_refuses_our_own_page(app: Any) -> None:
    for path, method in OF_API:
        assert ask(app, path, {}, method=method).status != 403, path


@pytest.mark.parametrize(
    "host",
    [None, "127.0.0.1", "127.0.0.1:80", "example.org:4321", "127.0.0.1:4321.example.org", "[::1]:4321"],
)
def test_every_route_demands_the_exact_host_with_its_port(app: Any, host: str | None) -> None:
    for path, method in [*OF_API, *OTHERS, ("/nowhere", "GET"), ("/api/nowhere", "POST")]:
        assert ask(app, path, {}, method=method, headers=proof(host=host)).status == 403, path


def test_every_answer_carries_the_policy(app: Any) -> None:
    for path, method in [*OF_API, *OTHERS, ("/nowhere", "GET"), ("/api/nowhere", "POST"), ("/", "POST")]:
        headers = ask(app, path, {}, method=method).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers and "set-cookie" not in headers


def test_two_host_headers_are_refused(app: Any) -> None:
    assert ask(app, "/", method="GET", headers={"host": HOST, "Host": "example.org"}).status == 403


@pytest.mark.parametrize(("path", "method"), OTHERS)
def test_static_files_need_no_token_and_hold_no_address(app: Any, path: str, method: str) -> None:
    answer = ask(app, path, method=method, headers={"host": HOST})
    assert answer.status == 200
    foreign = set(re.findall(rb"https?://[^\s\"'`)]+", answer.body))
    assert foreign <= {b"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/static/../api.py", "/page.js/../../session.py", "/%2e%2e/api.py", "/api.py"],
)
def test_no_other_file_is_served(app: Any, path: str) -> None:
    assert ask(app, path, method="GET", headers={"host": HOST}).status == 404


def test_a_page_for_other_machines_does_without_the_site_but_not_without_the_rest() -> None:
    app = server.make_app(Sessions(), token=TOKEN, hosts=[HOST], local=False)
    assert ask(app, "/api/hello", {}, headers=proof(sec_fetch_site=None)).status == 200
    assert ask(app, "/api/hello", {}, headers=proof(sec_fetch_site="cross-site")).status == 403
    assert ask(app, "/api/hello", {}, headers=proof(origin=None)).status == 403
