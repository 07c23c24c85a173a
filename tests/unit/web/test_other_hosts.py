from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
from sklearn.datasets import load_breast_cancer

import treewright
from treewright.web.whole_file import interactive_page


def test_the_file_to_walk_through_holds_all_it_needs_and_no_markup_of_names() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.rename(columns={"worst radius": "</script><script>alert(1)</script>"})
    tree = treewright.CARTClassifier(max_depth=3).fit(X, y)
    page = treewright.export_html(tree, X=X, y=y, interactive=True)
    assert page.startswith("<!DOCTYPE html>") and "alert(1)" in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"(src|href)=[\"']?https?:", page)
    data = re.search(r'id="treewright-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    values = json.loads(data.group(1))
    assert values["hello"]["state"]["tree"]["leaves"] == tree.get_n_leaves()
    assert values["answers"]["candidates:0"]["candidates"][0]["feature"].startswith("</script>")
    assert values["answers"]["pruning"]["steps"][-1]["leaves"] == 1


def test_a_forest_is_no_tree_to_walk_through() -> None:
    forest = treewright.RandomForestClassifier(n_estimators=3).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="single tree"):
        interactive_page(forest)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_widget_answers_the_messages_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    tree = treewright.CARTClassifier(max_depth=3).fit(X, y)
    widget = treewright.widget(tree, X, y)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    widget.receive({"number": 1, "kind": "hello"})
    widget.receive({"number": 2, "kind": "call", "name": "candidates", "body": {"node": 0}})
    widget.receive({"number": 3, "kind": "job", "name": "validate", "body": {"folds": 3}})
    widget.receive({"number": 4, "kind": "download", "form": "svg"})
    widget.receive({"number": 5, "kind": "call", "name": "candidates", "body": {"node": "x"}})
    ends = {message["number"]: message for message in sent if message["kind"] != "progress"}
    assert [ends[number]["kind"] for number in range(1, 6)] == ["done"] * 4 + ["failed"]
    assert ends[1]["value"]["state"]["tree"]["leaves"] == tree.get_n_leaves()
    assert ends[5]["error"].startswith("node must be a whole number")
    assert widget.selected_node == 0 and widget.alpha == 0.0
    assert "image/svg+xml" in widget._repr_mimebundle_()[0]


def test_what_needs_an_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("treewright.web.running", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ImportError, match=r'pip install "treewright\[app\]"'):
        treewright.show()
