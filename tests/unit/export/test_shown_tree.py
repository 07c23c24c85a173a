from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pandas as pd

from treewright import C45Classifier, CARTClassifier, ID3Classifier, RandomForestClassifier
from treewright.datasets import load_tennis
from treewright.export import export_dot, export_mermaid, export_text


def tennis_frame() -> pd.DataFrame:
    X, _, names, _ = load_tennis()
    return pd.DataFrame({name: pd.Categorical(X[:, i]) for i, name in enumerate(names)})


def test_the_session_of_the_tennis_tree_is_printed() -> None:
    tree = C45Classifier().fit(tennis_frame(), load_tennis().y)
    text = export_text(tree, target_name="play")
    lines = [" ".join(line.replace("─", " ").split()) for line in text.splitlines()]
    assert lines == [
        "play? n=14 yes 9 · no 5 entropy 0.940 #0",
        "├ outlook = overcast yes n=4 yes 4 #1",
        "├ outlook = rain n=5 yes 3 · no 2 entropy 0.971 #2",
        "│ ├ wind = strong no n=2 no 2 #4",
        "│ └ wind = weak yes n=3 yes 3 #5",
        "└ outlook = sunny n=5 no 3 · yes 2 entropy 0.971 #3",
        "├ humidity = high no n=3 no 3 #6",
        "└ humidity = normal yes n=2 yes 2 #7",
    ]


def test_a_tree_shows_itself_as_text_and_as_a_table() -> None:
    tree = C45Classifier().fit(tennis_frame(), load_tennis().y)
    assert str(tree.tree_) == export_text(tree)
    assert repr(tree.tree_).startswith("<Tree: 8 nodes, 5 leaves, depth 2>\nall rows")
    html = tree.tree_._repr_html_()
    assert html is not None
    assert html.count("<tr>") == 9 and "outlook = sunny" in html
    # The name of the language SVG looks like an address; nothing is fetched from it.
    assert "<script" not in html and "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert 'scope="col"' in html and 'scope="row"' in html and "<caption>" in html


def test_names_in_the_table_are_escaped() -> None:
    frame = pd.DataFrame({"<b>x</b>": [1.0, 2.0]})
    html = CARTClassifier().fit(frame, ["<i>", "&"]).tree_._repr_html_()
    assert html is not None and "<b>" not in html and "<i>" not in html and "&lt;i&gt;" in html


def test_a_large_tree_is_abridged_everywhere() -> None:
    rng = np.random.default_rng(0)
    tree = CARTClassifier().fit(rng.standard_normal((3000, 4)), rng.integers(0, 2, 3000))
    html = tree.tree_._repr_html_()
    assert html is not None
    assert len(html) < 150_000 and "more nodes" in html
    assert len(str(tree.tree_).splitlines()) < 130


def test_a_tree_without_its_model_says_its_size() -> None:
    estimator = CARTClassifier().fit([[1.0], [2.0]], [0, 1])
    alone = pickle.loads(pickle.dumps(estimator.tree_))
    assert str(alone) == repr(alone) == "<Tree: 3 nodes, 2 leaves, depth 1>"
    assert alone._repr_html_() is None
    kept = weakref.ref(estimator.model_)
    tree = estimator.tree_
    del estimator
    assert kept() is None and "x0 ≤ 1.5" in str(tree)
    again = copy.deepcopy(CARTClassifier().fit([[1.0], [2.0]], [0, 1]))
    assert "x0 ≤ 1.5" in str(again.tree_)


def test_values_without_rows_share_one_line() -> None:
    values = [f"v{i}" for i in range(100)]
    frame = pd.DataFrame({"code": pd.Categorical(["v0", "v1", "v2"] * 4, categories=values)})
    text = export_text(ID3Classifier().fit(frame, [0, 1, 0] * 4))
    assert "code = any of 97 other values" in text
    assert len(text.splitlines()) == 5


def test_fractional_rows_show_their_weights() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", "y", None], "b": [1.0, 2.0, 3.0, 4.0, 5.0]})
    text = export_text(C45Classifier(faithful="textbook", max_depth=1).fit(frame[["a"]], [0, 0, 1, 1, 1]))
    assert "0: 2 · 1: 0.5" in text and "1: 2.5" in text
    assert text.endswith("\nn counts a row that branches share in each of them, weight only its share.")


def test_the_text_of_a_drawn_tree_says_what_its_weights_count() -> None:
    X, y, _, _ = load_tennis()
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    assert export_text(forest, tree=1).endswith("\nweight counts a row as often as it was drawn.")
    every = RandomForestClassifier(n_estimators=2, bootstrap=False, random_state=0).fit(X, y)
    assert "weight" not in export_text(every, tree=1)


def test_boxes_are_named_by_the_number_that_reports_take() -> None:
    X, y, _, _ = load_tennis()
    tree = CARTClassifier().fit(X, y)
    for node in tree.model_.view():
        words = tree.model_.view()[node.id].split
        if words is not None:
            assert f'n{node.id} [label="{words.feature.name} ' in export_dot(tree)
            assert f'n{node.id}["{words.feature.name} ' in export_mermaid(tree)


def test_a_notebook_gets_words_a_picture_and_a_picture_with_a_table() -> None:
    rng = np.random.default_rng(0)
    tree = CARTClassifier().fit(rng.normal(size=(2000, 4)), rng.integers(0, 2, 2000))
    bundle = tree.tree_._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml", "text/html"}
    assert bundle["text/plain"] == repr(tree.tree_)
    assert bundle["text/html"] == tree.tree_._repr_html_()
    assert bundle["image/svg+xml"] in bundle["text/html"] and "<details>" in bundle["text/html"]
    assert "… + " in bundle["image/svg+xml"] and bundle["image/svg+xml"].count("<g><title>") <= 60
    assert sum(len(form.encode()) for form in bundle.values()) <= 150_000


def test_the_picture_takes_the_theme_of_the_notebook_not_only_that_of_the_system() -> None:
    html = CARTClassifier().fit([[0.0], [1.0]], ["a", "b"]).tree_._repr_html_()
    assert html is not None
    dark = html.partition('[data-jp-theme-light="false"] .tw-tree>svg')[2].partition("}")[0]
    assert "--tw-page:#0d1117!important" in dark
    assert '<div class="tw-tree"' in html and "--tw-page:#ffffff!important" in html
