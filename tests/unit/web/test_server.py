from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.unit.web.asgi import HOST, TOKEN, ask, proof

from treewright import CARTClassifier, show
from treewright.web.session import Sessions

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
server = pytest.importorskip("treewright.web.server")
running = pytest.importorskip("treewright.web.running")


@pytest.fixture
def app() -> Any:
    return server.make_app(Sessions(), token=TOKEN, hosts=[HOST], most_bytes=1000)


def session_of(app: Any) -> str:
    name: str = ask(app, "/api/hello", {}).json()["state"]["session"]
    return name


def upload(app: Any, name: str, body: bytes, session: str) -> Any:
    return ask(app, f"/api/upload?name={name}&session={session}", body)


def test_a_table_is_uploaded_as_it_is(app: Any) -> None:
    session = session_of(app)
    answer = upload(app, "t.csv", b"a,b\n1,x\n2,y\n3,x\n", session)
    assert answer.status == 200
    assert answer.json()["data"]["name"] == "t.csv"
    assert answer.json()["data"]["target"] == "b"


def test_a_file_beyond_the_limit_is_refused_with_the_limit(app: Any) -> None:
    answer = upload(app, "t.csv", b"a\n" + b"1\n" * 1000, session_of(app))
    assert answer.status == 413
    assert "--max-upload" in answer.json()["error"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("t.csv", b""),
        ("t.csv", b"a,b\n1\n2,3\n"),
        ("t.parquet", b"no parquet"),
        ("t.tree", b"no model"),
        ("t.csv.gz", b"no gzip"),
        ("t.jsonl", b"{"),
        ("..%2F..%2Fetc%2Fpasswd", b"\x00\xff\xfe"),
    ],
)
def test_files_that_are_none_are_refused_in_words(app: Any, name: str, body: bytes) -> None:
    answer = upload(app, name, body, session_of(app))
    assert answer.status == 400, answer.body
    assert len(answer.json()["error"]) > 10 and "Traceback" not in answer.json()["error"]


def test_the_name_of_an_upload_opens_no_file(app: Any, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    answer = upload(app, str(secret), b"x,y\n1,u\n2,v\n", session_of(app))
    assert [column["name"] for column in answer.json()["data"]["columns"]] == ["x", "y"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 100000])
def test_questions_that_are_no_objects_are_refused(app: Any, body: bytes) -> None:
    assert ask(app, "/api/call/act", body).status == 400


def test_an_unknown_session_is_a_conflict(app: Any) -> None:
    assert ask(app, "/api/call/state", {"session": "guessed"}).status == 409


def test_a_tab_with_an_old_revision_is_told_so(app: Any) -> None:
    session = session_of(app)
    ask(app, "/api/call/bundled", {"session": session, "name": "tennis"})
    state = ask(app, "/api/call/start", {"session": session, "algorithm": "id3", "params": {}}).json()
    act = {"session": session, "action": "next", "revision": state["revision"]}
    assert ask(app, "/api/call/act", act).status == 200
    again = ask(app, "/api/call/act", act)
    assert again.status == 409 and "another tab" in again.json()["error"]


def test_two_tabs_have_work_of_their_own(app: Any) -> None:
    first, second = session_of(app), session_of(app)
    ask(app, "/api/call/bundled", {"session": first, "name": "tennis"})
    assert ask(app, "/api/call/state", {"session": second}).json()["data"] is None


def test_a_job_tells_its_progress_and_its_result(app: Any) -> None:
    session = session_of(app)
    ask(app, "/api/call/bundled", {"session": session, "name": "cancer"})
    body = {"session": session, "algorithms": ["cart"], "folds": 3}
    job = ask(app, "/api/start/compare", body).json()["job"]
    stream = ask(app, f"/api/job/{job}/events", {})
    assert stream.headers["content-type"].startswith("text/event-stream")
    events = [part.split("\n") for part in stream.body.decode().strip().split("\n\n")]
    assert events[-1][0] == "event: done"
    assert json.loads(events[-1][1].removeprefix("data: "))["results"][0]["name"] == "cart"


def test_a_job_that_fails_says_why(app: Any) -> None:
    job = ask(app, "/api/start/compare", {"session": session_of(app)}).json()["job"]
    body = ask(app, f"/api/job/{job}/events", {}).body.decode()
    assert "event: failed" in body and "needs the rows" in body


def test_downloads_have_a_plain_name(app: Any) -> None:
    session = session_of(app)
    upload(app, "%C3%A9%22x%0A.csv", b"a,b\n1,x\n2,y\n3,x\n", session)
    ask(app, "/api/call/start", {"session": session, "algorithm": "cart", "params": {}})
    answer = ask(app, "/api/download", {"session": session, "form": "svg"})
    assert answer.status == 200
    assert (
        answer.headers["content-disposition"].isascii() and "\n" not in answer.headers["content-disposition"]
    )


# --- a real server
# --------------------------------------------------------------------------------------------------------


def post(page: Any, path: str, body: Any) -> Any:
    url = page.url.partition("#")[0].rstrip("/")
    headers = proof(host=None, origin=url, x_treewright_token=page.token)
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_a_hundred_requests_at_once_are_answered() -> None:
    with running.Running(Sessions()) as page:
        session = post(page, "/api/hello", {})["state"]["session"]
        post(page, "/api/call/bundled", {"session": session, "name": "iris"})
        post(page, "/api/call/start", {"session": session, "algorithm": "cart", "params": {}})
        found: list[Any] = []

        def one(number: int) -> None:
            call = "candidates" if number % 2 else "state"
            found.append(post(page, f"/api/call/{call}", {"session": session, "node": 0}))

        threads = [threading.Thread(target=one, args=(number,)) for number in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 100


def test_a_port_that_is_taken_is_left_to_its_owner() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running.Running(Sessions(), port=port) as page:
            assert page.moved and page.port != port
            assert f":{page.port}/" in page.url


def test_show_returns_a_handle_with_an_address_that_stops() -> None:
    tree = CARTClassifier().fit([[0.0], [1.0]], [0, 1])
    page = show(tree, [[0.0], [1.0]], [0, 1], open=False)
    state = post(page, "/api/hello", {})["state"]
    assert state["tree"]["leaves"] == 2 and state["data"]["rows"] == 2
    page.stop()
    page.stop()
    with pytest.raises(OSError):
        post(page, "/api/hello", {})


def test_the_command_prints_the_address_first_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,x\n2,y\n3,x\n")
    command = [sys.executable, "-m", "treewright", "app", str(table), "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:") and "/#token=" in line
        time.sleep(0.3)
        process.send_signal(2)
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.communicate()


def test_another_address_needs_permission() -> None:
    command = [sys.executable, "-m", "treewright", "app", "--no-open", "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--allow-remote" in done.stderr
