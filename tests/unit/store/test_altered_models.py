"""Files that are well-formed but say something else: refused, or a model that can be used without harm."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright
from treewright import store
from treewright.exceptions import ModelFileError
from treewright.store.archive import array_to_bytes

ROWS = [["a", 1.0], ["b", 2.5], ["never seen", None], [None, float("inf")]]


@pytest.fixture(scope="module")
def members():
    X = [["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0], ["b", None], [None, 2.0]] * 4
    estimator = treewright.CARTClassifier(class_weight={"x": 1.0, "y": 2.5}).fit(
        X, ["x", "y", "x", "y", "y", "x"] * 4
    )
    file = io.BytesIO()
    estimator.save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def load_and_use(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    try:
        estimator = treewright.load(file)
    except ModelFileError as error:
        assert str(error)
        return None
    try:
        estimator.predict_proba(ROWS)
        estimator.apply(ROWS)
    except (ValueError, TypeError):
        pass  # e.g. the schema now says that the first column holds numbers
    store.save(estimator, io.BytesIO())
    return estimator


def test_the_unaltered_file_is_used(members):
    assert load_and_use(members).predict(ROWS).shape == (4,)


def places(value, path=()):
    """Yield the path to everything in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    if isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_in_the_manifest_is_refused_or_harmless(members, data):
    manifest = json.loads(members["manifest.json"])
    path = data.draw(st.sampled_from([p for p in places(manifest) if p]))
    target = manifest
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = data.draw(json_values)
    load_and_use(members | {"manifest.json": json.dumps(manifest).encode()})


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_number_in_the_arrays_is_refused_or_harmless(members, data):
    manifest = json.loads(members["manifest.json"])
    name = data.draw(st.sampled_from([n for n, a in manifest["arrays"].items() if a["shape"][0]]))
    stored = np.load(io.BytesIO(members[f"trees/{name}.npy"]))
    raw = bytearray(stored.tobytes())
    begin = data.draw(st.integers(0, len(raw) - 1))
    raw[begin] = data.draw(st.integers(0, 255))
    altered = np.frombuffer(bytes(raw), stored.dtype).reshape(stored.shape)
    content = array_to_bytes(altered, stored.dtype.str)
    manifest["arrays"][name]["sha256"] = hashlib.sha256(content).hexdigest()
    load_and_use(members | {"manifest.json": json.dumps(manifest).encode(), f"trees/{name}.npy": content})
