"""`treewright app`: the page in the browser, with a table, a model or nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from treewright.algorithms import load
from treewright.files import open_table
from treewright.web.calls_data import MODEL_ENDINGS, file_source
from treewright.web.extras import needed
from treewright.web.session import Session, Sessions

__all__ = ["command", "start_session"]


@click.command("app")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("-t", "--target", metavar="NAME", help="The column to predict.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Any free one by default.")
@click.option("--no-open", is_flag=True, help="Print the address and leave the browser alone.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--allow-remote", is_flag=True, help="Let others in: --host may be another address.")
@click.option(
    "--max-upload",
    type=click.IntRange(1),
    default=1024,
    show_default=True,
    metavar="MB",
    help="Largest file.",
)
def command(
    file: str | None,
    target: str | None,
    port: int,
    no_open: bool,
    host: str,
    allow_remote: bool,
    max_upload: int,
) -> None:
    """Open the page: grow, prune and question a tree in the browser.

    FILE is a table or a model (*.tree); without it the page asks for one. Ctrl-C stops.
    """
    running = needed("running", "treewright app")
    if not running.is_loopback(host):
        if not allow_remote:
            raise click.UsageError(
                f"--host {host} lets other machines ask for the page: add --allow-remote if they may."
            )
        click.echo(
            "Warning: whoever has the address can see the data, over a connection that is not encrypted.",
            err=True,
        )
    sessions = Sessions(start_session(file, target))
    with running.Running(sessions, host=host, port=port, most_bytes=max_upload << 20) as page:
        click.echo(page.url)
        sys.stdout.flush()
        if page.moved:
            click.echo(f"Port {port} is taken: the page is at {page.port}.", err=True)
        click.echo("Ctrl-C stops the page.", err=True)
        if not no_open:
            page.open()
        page.wait()


def start_session(file: str | None, target: str | None = None) -> Session:
    """Return what every tab sees first.

    Parameters
    ----------
    file : str or None
        A table or a model.
    target : str or None
        The column to predict.
    """
    session = Session()
    if file is None:
        return session
    if Path(file).suffix.lower() in MODEL_ENDINGS:
        session.model = load(file)
        if len(session.model.model_.trees) != 1:
            session.ensemble = session.model
        return session
    source = file_source(Path(file))
    if target is not None:
        names = open_table(file).names
        if target not in names:
            raise click.UsageError(
                f"{Path(file).name} has no column {target!r}. It has: {', '.join(names[:20])}."
            )
        source = source.with_roles({target: "target"})
    session.source = source
    return session
