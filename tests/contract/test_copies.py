"""pickle, joblib, deepcopy and files: the copy answers like the original."""

import copy
import io
import pickle
import sys

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treewright
from tests.contract.data import mixed_frame, numeric_table, trees_of
from treewright.exceptions import ModelFileError, VersionMismatchWarning
from treewright.model import Model


def through_file(estimator, path):
    estimator.save(path / "m.tree")
    return treewright.load(path / "m.tree")


def through_joblib(estimator, path):
    # A new file each time: the one before may still be mapped.
    file = path / f"{len(list(path.iterdir()))}.joblib"
    joblib.dump(estimator, file)
    return joblib.load(file, mmap_mode="r")


COPIES = {
    "pickle": lambda estimator, _: pickle.loads(pickle.dumps(estimator)),
    "deepcopy": lambda estimator, _: copy.deepcopy(estimator),
    "joblib, memory-mapped": through_joblib,
    "file": through_file,
}


@pytest.fixture(params=list(COPIES))
def duplicate(request, tmp_path):
    return lambda estimator: COPIES[request.param](estimator, tmp_path)


@pytest.mark.parametrize("table", [numeric_table, mixed_frame])
def test_a_copy_answers_like_the_original(new, task, answer, duplicate, table):
    X, y = table(task)
    estimator = new(max_depth=5).fit(X, y)
    expected = answer(estimator, X)
    copied = duplicate(estimator)
    assert type(copied) is type(estimator)
    assert repr(copied.get_params()) == repr(estimator.get_params())
    np.testing.assert_array_equal(answer(copied, X), expected)
    np.testing.assert_array_equal(copied.apply(X), estimator.apply(X))
    assert vars(copied).keys() == vars(estimator).keys()
    for theirs, ours in zip(trees_of(copied), trees_of(estimator), strict=True):
        for name, array in theirs.to_arrays().items():
            np.testing.assert_array_equal(array, ours.to_arrays()[name])
    # The copy stands on its own: it can be copied and fitted again.
    np.testing.assert_array_equal(answer(duplicate(copied), X), expected)
    copied.fit(X, y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no"]),
        np.array([3, -1]),
        np.array([True, False]),
        np.array([1.0, 2.0]),
        np.array(["ja", "nein"], dtype=object),
        np.array([7, 9], dtype=np.uint8),
    ],
)
def test_labels_of_every_type_come_back_from_a_file(new, task, tmp_path, labels):
    if task != "classification":
        pytest.skip("only classes have labels")
    X, _ = numeric_table(task)
    y = labels[(X[:, 2] > 0).astype(int)]
    estimator = new().fit(X, y)
    loaded = through_file(estimator, tmp_path)
    assert loaded.classes_.dtype == estimator.classes_.dtype
    assert loaded.predict(X).dtype == estimator.predict(X).dtype
    np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))


def test_parameters_that_are_arrays_or_dicts_come_back_from_a_file(new, task, accepts, tmp_path):
    X, y = numeric_table(task)
    params = {
        "categorical_features": np.array([3]),
        "monotonic_cst": np.array([0, 0, 0, 0]),
        "random_state": 3,
        "min_impurity_decrease": 0.001,
        "class_weight": {0: 1.0, 1: 2.0, 2: 1.0},
        "priors": (0.2, 0.3, 0.5),
    }
    params = {name: value for name, value in params.items() if accepts(name)}
    loaded = through_file(new(**params).fit(X, y), tmp_path)
    for name, value in params.items():
        assert type(loaded.get_params()[name]) is type(value)
        np.testing.assert_equal(loaded.get_params()[name], value)


def changed(estimator, **changes):
    model = estimator.model_
    fields = {name: getattr(model, name) for name in model.__dataclass_fields__}
    file = io.BytesIO()
    treewright.store.save(Model(**(fields | changes)), file)
    return file


def test_files_with_unknown_classes_or_wrong_parameters_are_refused(
    new, task, is_forest, is_booster, monkeypatch
):
    # `save` would not write them.
    monkeypatch.setattr(sys.modules["treewright.store.save"], "_check_loads", lambda *_: None)
    estimator = new().fit(*numeric_table(task))
    trees = estimator.model_.trees
    number = "n_estimators" if is_forest or is_booster else "max_depth"
    more = trees * 2 if isinstance(trees, tuple) else trees.extended(trees)
    for changes, sentence in [
        ({"algorithm": "os.system"}, "made by 'os.system', which this library does not have"),
        ({"params": {"unknown": 1}}, "unexpected parameter 'unknown'"),
        ({"params": {number: "deep"}}, f"The '{number}' parameter of .* must be"),
        # What the file itself must say about boosters is missed before the estimator misses its own.
        ({"facts": {}}, "lacks what a|does not fit its classes"),
        ({"facts": {"max_features": "many"}}, "lacks what a|does not fit its classes"),
        ({"trees": more}, "lacks what a|its trees have no weights"),
    ]:
        with pytest.raises(ModelFileError, match=sentence):
            treewright.load(changed(estimator, **changes))


def test_a_pickle_of_another_version_warns(new, task, monkeypatch):
    estimator = new().fit(*numeric_table(task))
    state = estimator.__getstate__()
    monkeypatch.setitem(state, "_treewright_version", "0.0.1")
    with pytest.warns(VersionMismatchWarning, match="was pickled by treewright 0.0.1; this is treewright"):
        type(estimator)().__setstate__(state)


def test_an_unfitted_estimator_cannot_be_saved(new, tmp_path):
    with pytest.raises(NotFittedError):
        new().save(tmp_path / "m.tree")
    assert list(tmp_path.iterdir()) == []
