"""Forest files that are well-formed but say something else: refused, or a forest that does no harm."""

import hashlib
import io
import json
import zipfile
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.model.forest_cases import mixed_rows
from tests.unit.store.test_altered_models import places

import treewright
from treewright.exceptions import ModelFileError
from treewright.forests._calibration import Calibration
from treewright.store.archive import array_to_bytes

X, LABELS, NUMBERS = mixed_rows(60)
MAKERS = {
    "classes": lambda: treewright.RandomForestClassifier(
        4, random_state=0, oob_score=True, calibrate="oob", max_depth=4
    ).fit(X, LABELS),
    "numbers": lambda: treewright.RandomForestRegressor(
        4, random_state=0, oob_score=True, quantiles=True, max_depth=4
    ).fit(X, NUMBERS, sample_weight=np.arange(60) % 3),
    "unbagged": lambda: treewright.RandomForestRegressor(
        4, random_state=0, bootstrap=False, quantiles=True, max_depth=4
    ).fit(X, NUMBERS, sample_weight=np.arange(60) % 3),
    "bagged": lambda: treewright.BaggingClassifier(
        treewright.C45Classifier(), 3, random_state=0, max_features=2, voting="hard"
    ).fit(X, LABELS),
}
OTHERS = (
    None, True, False, 0, 1, -1, 2, 59, 2**31, 2**63, 2**70, 0.5, -1e300, "", "gini", "isotonic", "votes", [],
    [0], [[0, 1]], {}, {"type": "dict", "items": []}, {"type": "float", "value": "nan"},
    {"type": "array", "dtype": "<f8", "shape": [2], "items": [0.0, 1.0]}, {"type": "tuple", "items": [1, 2]},
)  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
many = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", params=["classes", "numbers", "bagged"])
def members(request):
    return stored(request.param)


@cache
def stored(name):
    file = io.BytesIO()
    MAKERS[name]().save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def load_and_use(members):
    try:
        forest = treewright.load(zipped(members))
    except ModelFileError as error:
        assert str(error)
        return None
    try:
        use(forest)
    except (ValueError, TypeError) as error:
        assert str(error)  # e.g. the schema now says that the first column holds numbers
    forest.save(io.BytesIO())
    return forest


def use(forest):
    forest.predict(X)
    forest.apply(X)
    str(forest.explain_prediction(X[:1]))
    str(forest.estimators_[0].tree_)
    assert len(forest.feature_importances_) == forest.n_features_in_
    if hasattr(forest, "predict_proba"):
        forest.predict_proba(X)
    if getattr(forest, "quantiles", False):
        forest.predict_quantiles(X[:5])
    _ = forest.estimators_samples_[0]


def test_the_unaltered_file_is_used(members):
    assert load_and_use(members).predict(X).shape == (60,)


@many
@given(data=st.data())
def test_any_value_in_the_manifest_is_refused_or_harmless(members, data):
    manifest = json.loads(members["manifest.json"])
    every = [path for path in places(manifest) if path and path[0] not in ("schema", "library_version")]
    path = data.draw(st.sampled_from(every))
    target = manifest
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = data.draw(st.sampled_from(OTHERS))
    load_and_use(members | {"manifest.json": json.dumps(manifest).encode()})


@many
@given(data=st.data())
def test_any_number_in_the_arrays_is_refused_or_harmless(members, data):
    manifest = json.loads(members["manifest.json"])
    field, folder = data.draw(
        st.sampled_from([("arrays", "forest" if "forest" in manifest else "trees"), ("extra", "extra")])
    )
    name = data.draw(st.sampled_from([n for n, a in manifest[field].items() if np.prod(a["shape"])]))
    stored = np.load(io.BytesIO(members[f"{folder}/{name}.npy"]))
    raw = bytearray(stored.tobytes())
    for _ in range(data.draw(st.integers(1, 2))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    altered = np.frombuffer(bytes(raw), stored.dtype).reshape(stored.shape)
    load_and_use(with_array(members, manifest, field, folder, name, altered))


@many
@given(data=st.data())
def test_any_other_extra_array_is_refused_or_harmless(members, data):
    manifest = json.loads(members["manifest.json"])
    name = data.draw(st.sampled_from(sorted(manifest["extra"])))
    if data.draw(st.booleans()):
        del manifest["extra"][name]
        rest = {key: content for key, content in members.items() if key != f"extra/{name}.npy"}
        load_and_use(rest | {"manifest.json": json.dumps(manifest).encode()})
        return
    shape = data.draw(st.sampled_from([(0,), (1,), (60,), (4, 3), (60, 3), (0, 0), (61,)]))
    dtype = data.draw(st.sampled_from(["|b1", "|u1", "<u4", "<i8", "<f8"]))
    load_and_use(with_array(members, manifest, "extra", "extra", name, np.ones(shape, dtype)))


def with_array(members, manifest, field, folder, name, array):
    content = array_to_bytes(array, array.dtype.str)
    manifest[field][name] = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "shape": list(array.shape),
        "dtype": array.dtype.str,
    }
    return members | {"manifest.json": json.dumps(manifest).encode(), f"{folder}/{name}.npy": content}


def set_first(value):
    def change(array):
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("importances", set_first(-0.5), "not shares of the gain"),
        ("importances", set_first(np.nan), "not shares of the gain"),
        ("importances", set_first(1e308), "not shares of the gain"),
        ("oob_values", set_first(np.inf), "out-of-bag prediction is infinite"),
        ("target", set_first(np.inf), "target of a training row"),
        ("target", lambda array: array[:, np.newaxis], "rows that do not exist"),
        ("leaf_rows", lambda array: array[:, np.newaxis], "not divided among its leaves"),
        ("weights", set_first(0.0), "weight of a training row"),
        ("weights", lambda array: np.full_like(array, 1e308), "weight of a training row"),
        ("bag0_probabilities", set_first(-1.0), "probability of a row"),
        ("bag0_probabilities", set_first(np.nan), "probability of a row"),
        ("bag0_kept", set_first(59), "rows that its fit did not have"),
        ("bag0_kept", lambda array: array - 5, "rows that its fit did not have"),
    ],
)
def test_extra_arrays_that_cannot_be_are_refused_when_the_file_is_read(name, change, words):
    members = stored("unbagged" if name == "weights" else "numbers")
    array = change(np.load(io.BytesIO(members[f"extra/{name}.npy"])))
    altered = with_array(members, json.loads(members["manifest.json"]), "extra", "extra", name, array)
    with pytest.raises(ModelFileError, match=words):
        treewright.load(zipped(altered))


@pytest.mark.parametrize(
    "calibration",
    [
        {"method": "isotonic", "curves": [[[0.0, 1.0], [0.0, 2.0]]]},
        {"method": "isotonic", "curves": [[[0.0, 1.0], [0.5, 0.25]]]},
        {"method": "isotonic", "curves": [[[1.0, 0.0], [0.0, 1.0]]]},
        {"method": "sigmoid", "curves": [[[1.7e308], [1.7e308]]]},
        {"method": "sigmoid", "curves": [[[1.0, 2.0], [1.0, 2.0]]]},
    ],
)
def test_a_calibration_that_is_no_curve_of_probabilities_is_refused(calibration):
    with pytest.raises(ValueError, match="its calibration is not a"):
        Calibration.from_facts(calibration, 2)


@pytest.mark.parametrize("name", ["classes", "numbers", "bagged"])
@pytest.mark.parametrize("field", ["draws", "n_rows"])
@pytest.mark.parametrize("value", [1, 2**31, 2**62])
def test_bags_that_the_trees_cannot_have_been_grown_from_are_refused(name, field, value):
    members = stored(name)
    manifest = json.loads(members["manifest.json"])
    bag = dict(manifest["facts"]["bags"][0]["items"])
    bag[field] = value
    manifest["facts"]["bags"][0]["items"] = [[key, item] for key, item in bag.items()]
    with pytest.raises(ModelFileError):
        treewright.load(zipped(members | {"manifest.json": json.dumps(manifest).encode()}))


@pytest.mark.parametrize(
    ("name", "array"), [("classes", "rows"), ("classes", "weight"), ("bagged", "weight")]
)
def test_branches_that_do_not_have_what_their_node_has_are_refused(name, array):
    members = stored(name)
    manifest = json.loads(members["manifest.json"])
    folder = "forest" if "forest" in manifest else "trees"
    altered = np.load(io.BytesIO(members[f"{folder}/{array}.npy"]))
    altered[1] += 1
    with pytest.raises(ModelFileError, match=f"branches whose {array}s? do not add up"):
        treewright.load(zipped(with_array(members, manifest, "arrays", folder, array, altered)))
