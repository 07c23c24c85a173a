"""PageWidget: the page in a notebook. The same module, asked through the messages of a widget."""

from __future__ import annotations

import base64
import json
from importlib import resources
from typing import Any

import anywidget
import traitlets

from treewright.export import export_svg
from treewright.web.api import answer, hello
from treewright.web.calls import Progress
from treewright.web.downloads import download
from treewright.web.jobs import Job
from treewright.web.plain import to_json
from treewright.web.session import ConflictError, Session

__all__ = ["PageWidget"]


class PageWidget(anywidget.AnyWidget):
    """The page for one estimator, in a notebook.

    Parameters
    ----------
    session : Session
        What it works on.

    Attributes
    ----------
    selected_node : int
        The node that is chosen on the screen Grow.
    alpha : float
        The price of a leaf that the slider of the screen Prune stands at.
    """

    _esm = resources.files("treewright.web").joinpath("static", "page.js").read_text("utf-8")
    _css = resources.files("treewright.web").joinpath("static", "page.css").read_text("utf-8")
    selected_node = traitlets.Int(0).tag(sync=True)
    alpha = traitlets.Float(0.0).tag(sync=True)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._jobs: dict[int, Job] = {}
        self.on_msg(lambda _, content, buffers: self.receive(content))

    def receive(self, content: Any) -> None:
        """Answer one message of the page."""
        number = content.get("number")
        kind = content.get("kind")
        if kind == "cancel":
            if number in self._jobs:
                self._jobs[number].cancel()
            return
        if kind == "job":
            job = Job(lambda progress: self._answer(content, progress))
            self._jobs[number] = job
            for event, value in job.events():  # a kernel answers one message at a time
                if event == "progress":
                    self.send({"number": number, "kind": "progress", "value": value})
                elif event != "alive":
                    self._finish(number, event, value)
            del self._jobs[number]
            return
        try:
            self._finish(number, "done", self._answer(content, lambda done, total, words: None))
        except Exception as error:
            self._finish(number, "failed", error)

    def _answer(self, content: Any, progress: Progress) -> Any:
        kind, body = content.get("kind"), content.get("body") or {}
        if kind == "hello":
            state = answer(self.session, "state", {})
            return {**hello(), "state": state, "known": True, "most_bytes": 0}
        if kind == "download":
            found = download(self.session, str(content.get("form")))
            text = base64.b64encode(found.body).decode("ascii")
            return {"name": found.name, "type": found.media_type, "base64": text}
        return answer(self.session, str(content.get("name")), body, progress)

    def _finish(self, number: Any, kind: str, value: Any) -> None:
        if kind == "failed":
            words = " ".join(str(value).split()) or type(value).__name__
            conflict = isinstance(value, ConflictError)
            self.send({"number": number, "kind": kind, "error": words, "conflict": conflict})
        else:
            self.send({"number": number, "kind": kind, "value": json.loads(to_json(value))})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the widget, and a picture for where no kernel answers."""
        found = super()._repr_mimebundle_(**options)
        estimator = self.session.model
        if estimator is not None and isinstance(found, tuple):
            found[0]["image/svg+xml"] = export_svg(estimator)
        return found
