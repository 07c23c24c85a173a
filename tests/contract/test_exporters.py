"""Every exporter, whatever it writes: what it takes, what it refuses, and what all of them have in common."""

import inspect
import io

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import treewright
from tests.contract.data import mixed_frame
from tests.contract.entries import ENTRIES, make_entry
from treewright.exceptions import UnsupportedExportError
from treewright.export import EXPORTERS, PROGRAMS


@pytest.fixture(params=list(EXPORTERS))
def exporter(request):
    return EXPORTERS[request.param]


@pytest.fixture(params=[name for name in EXPORTERS if name not in PROGRAMS])
def worded(request):
    """Exporters that people read."""
    return EXPORTERS[request.param]


@pytest.fixture(params=ENTRIES, ids="-".join)
def fitted(request):
    X, y = mixed_frame(request.param[1])
    return make_entry(request.param, max_depth=3).fit(X, y)


# What a format cannot say: rows that go several ways, medians of trees.
REFUSED = {("export_treelite", "C45Classifier"), ("export_treelite", "AdaBoostRegressor")}


def skip_refused(exporter, model):
    if (exporter.__name__, model.algorithm) in REFUSED:
        with pytest.raises(UnsupportedExportError, match="cannot say this model"):
            exporter(model)
        pytest.skip("the format cannot say it")


def one_tree(exporter, model):
    """Exporters of single trees must be told which; others take all of them."""
    several = len(model.trees) > 1 and "tree" in inspect.signature(exporter).parameters
    return {"tree": 1} if several else {}


def test_it_takes_an_estimator_its_model_and_what_was_loaded_from_a_file(exporter, fitted):
    skip_refused(exporter, fitted.model_)
    which = one_tree(exporter, fitted.model_)
    text = exporter(fitted, **which)
    assert isinstance(text, str | bytes) and text
    assert isinstance(text, bytes) or not text.endswith("\n")
    assert exporter(fitted.model_, **which) == text
    file = io.BytesIO()
    fitted.save(file)
    file.seek(0)
    assert exporter(treewright.load(file), **which) == text


def test_it_tells_models_apart_and_leaves_them_as_they_are(exporter, fitted):
    skip_refused(exporter, fitted.model_)
    which = one_tree(exporter, fitted.model_)
    before = fitted.model_.trees[0].to_arrays()
    text = exporter(fitted, **which)
    X, _ = mixed_frame("regression")
    leaf = treewright.CARTRegressor().fit(X, np.zeros(len(X)))
    assert exporter(leaf) != text
    for name, array in fitted.model_.trees[0].to_arrays().items():
        np.testing.assert_array_equal(array, before[name])


def test_other_names_appear_verbatim_without_breaking_a_line(worded):
    X = pd.DataFrame({"first": np.arange(40.0), "second": np.zeros(40)})
    tree = treewright.CARTClassifier().fit(X, np.arange(40) >= 20)
    text = worded(tree, feature_names=["größe\n[cm]", "other"])
    written = "größe\\\\n[cm]" if worded is treewright.export_dot else "größe\\n[cm]"  # DOT doubles it
    assert written in text and "first" not in text
    assert worded(tree) != text


def test_the_wrong_number_of_names_is_refused(exporter, fitted):
    with pytest.raises(ValueError, match="feature_names has 1 names, but the model has"):
        exporter(fitted, feature_names=["only"], **one_tree(exporter, fitted.model_))


def test_what_is_not_fitted_and_what_is_not_ours_is_refused(exporter):
    with pytest.raises(NotFittedError):
        exporter(treewright.CARTClassifier())
    with pytest.raises(TypeError, match=f"{exporter.__name__} takes a Treewright estimator"):
        exporter(DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]))


def test_exporters_are_named_after_what_they_write_and_take_keywords_only():
    for name, export in EXPORTERS.items():
        assert export.__name__ == f"export_{name}"
        first, *others = inspect.signature(export).parameters.values()
        assert first.name == "model"
        # A place to write to may follow the model; everything else is named.
        named = others[1:] if others[0].name == "path" else others
        assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in named)
        assert "feature_names" in inspect.signature(export).parameters
        assert export.__doc__ and "Examples" in export.__doc__


def test_every_form_that_shows_nodes_says_where_missing_rows_go_and_how_many_they_are(worded):
    X = pd.DataFrame({"income": [1.0, 2, 3, 4, 5, 6, *[np.nan] * 4]})
    tree = treewright.CARTClassifier().fit(X, ["good"] * 5 + ["bad"] * 5)
    text = worded(tree)
    if "tree" not in inspect.signature(worded).parameters:  # it tells about the model, not about nodes
        assert "5.5" not in text
        return
    assert "missing" in text and "4" in text
    assert "missing" not in worded(treewright.CARTClassifier().fit(X.fillna(6.0), ["good"] * 5 + ["bad"] * 5))


@pytest.mark.parametrize("entry", ENTRIES, ids="-".join)
def test_trees_of_every_algorithm_say_where_missing_rows_go_where_the_fit_had_some(worded, entry):
    if "tree" not in inspect.signature(worded).parameters:
        pytest.skip("tells about the model, not about nodes")
    income = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, *[np.nan] * 4] * 10)
    known = np.nan_to_num(income, nan=9.0)
    y = known > 4 if entry[1] == "classification" else 10.0 * (known > 4)
    rich = make_entry(entry, max_depth=3).fit(pd.DataFrame({"income": income}), y)
    full = make_entry(entry, max_depth=3).fit(pd.DataFrame({"income": known}), y)
    text = worded(rich, **one_tree(worded, rich.model_))
    assert "missing" in text
    assert "missing" not in worded(full, **one_tree(worded, full.model_))
    file = io.BytesIO()
    rich.save(file)
    file.seek(0)
    assert worded(treewright.load(file), **one_tree(worded, rich.model_)) == text


def test_exporters_that_take_a_place_write_what_they_return(exporter, tmp_path):
    if "path" not in inspect.signature(exporter).parameters:
        pytest.skip("returns text only")
    tree = treewright.CARTClassifier().fit([[0.0], [1.0]], ["ä", "b"])
    place = tmp_path / "tree"
    place.write_text("what was there before", encoding="utf-8")
    text = exporter(tree, place)
    assert place.read_bytes() == (text if isinstance(text, bytes) else f"{text}\n".encode())
    assert [file.name for file in tmp_path.iterdir()] == ["tree"]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        exporter(tree, tmp_path / "nowhere" / "tree")
