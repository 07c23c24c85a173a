"""Runtimes of other languages. Without one a test is skipped with the reason; in CI that is a failure."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

CI = os.environ.get("CI") == "true"


def pytest_collection_modifyitems(items):
    ignored = pytest.mark.filterwarnings("ignore::treewright.exceptions.ManySymbolsWarning")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.formats)
            item.add_marker(ignored)


def needed(program: str) -> str:
    """Return the path of a program, or skip the test."""
    found = shutil.which(program)
    if found is None:
        (pytest.fail if CI else pytest.skip)(f"{program} is not installed")
    return found


@pytest.fixture(scope="session")
def postgres():
    """Start a PostgreSQL server on a temporary folder and a free port; initdb refuses root."""
    psycopg = pytest.importorskip("psycopg")
    binaries = [*Path("/usr/lib/postgresql").glob("*/bin"), Path(shutil.which("initdb") or "/").parent]
    folder = next((place for place in binaries if (place / "initdb").exists()), None)
    if folder is None:
        (pytest.fail if CI else pytest.skip)("PostgreSQL is not installed")
    data = Path(tempfile.mkdtemp(prefix="postgres"))
    as_user: dict[str, object] = {}
    if os.geteuid() == 0:
        names = [one.pw_name for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")]
        if not names:
            pytest.skip("there is no other user than root to run PostgreSQL")
        user = "postgres" if "postgres" in names else "nobody"
        shutil.chown(data, user)
        as_user = {"user": user}
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    quiet = {"check": True, "capture_output": True, "cwd": "/", **as_user}
    place = str(data / "data")
    subprocess.run([folder / "initdb", "-D", place, "-U", "tester", "-A", "trust", "-E", "UTF8"], **quiet)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    start = [folder / "pg_ctl", "-D", place, "-w", "-l", str(data / "log"), "-o", options, "start"]
    subprocess.run(
        start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **as_user
    )
    try:
        with psycopg.connect(
            f"host=127.0.0.1 port={port} user=tester dbname=postgres", autocommit=True
        ) as one:
            yield one
    finally:
        subprocess.run([folder / "pg_ctl", "-D", place, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(data, ignore_errors=True)
