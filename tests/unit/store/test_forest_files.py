"""Forests in files: nothing lost, small, and hostile arrays refused."""

import hashlib
import io
import json
import tracemalloc
import zipfile
from dataclasses import replace

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from tests.unit.model.forest_cases import CRITERIA, bagged, forest_model, pack

from treewright import store
from treewright.exceptions import ModelFileError
from treewright.model import Forest, Model, Tree
from treewright.store.archive import array_to_bytes

MATRIX = np.array([[0.2, 1.0, -1.0], [np.nan, 8.0, 0.5], [-0.4, np.nan, np.nan], [3.0, 7.0, 2.0]])


def saved(model):
    file = io.BytesIO()
    store.save(model, file)
    return file.getvalue()


def loaded(content):
    return store.load(io.BytesIO(content))


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_array(members, folder, name, array, **declared):
    """Replace an array and let the manifest tell the truth about it, except where `declared` lies."""
    content = array_to_bytes(array, array.dtype.str)
    manifest = json.loads(members["manifest.json"])
    manifest["arrays" if folder == "forest" else folder][name] = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "shape": list(array.shape),
        "dtype": array.dtype.str,
    } | declared
    return members | {"manifest.json": json.dumps(manifest).encode(), f"{folder}/{name}.npy": content}


def refused(members, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        loaded(zipped(members))


# --- nothing is lost -------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_saved_forest_is_loaded_unchanged_and_without_unpacking(criterion, monkeypatch):
    model = forest_model(criterion)
    monkeypatch.setattr("treewright._core.unpack_tree", None)
    copy = loaded(saved(model))
    assert isinstance(copy.trees, Forest) and copy.trees.equals(model.trees)
    assert (copy.algorithm, copy.task, copy.aggregation) == (model.algorithm, model.task, "mean")
    assert copy.criterion == criterion and dict(copy.facts) == dict(model.facts)
    np.testing.assert_array_equal(copy.arrays["importances"], model.arrays["importances"])
    np.testing.assert_array_equal(copy.values(MATRIX), model.values(MATRIX))


def test_saving_twice_gives_the_same_bytes():
    assert saved(forest_model()) == saved(forest_model())


def test_a_forest_works_from_mapped_memory(tmp_path):
    model = forest_model()
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert mapped.trees.equals(model.trees) and mapped.trees[1].node_count == model.trees[1].node_count
    np.testing.assert_array_equal(mapped.values(MATRIX), model.values(MATRIX))


def test_many_features_need_a_wider_array():
    model = forest_model()
    arrays = {**model.trees.arrays, "feature": model.trees.arrays["feature"].astype(np.int32)}
    wide = replace(model, trees=Forest(arrays, model.schema.n_codes, "gini"))
    assert loaded(saved(wide)).trees.arrays["feature"].dtype == np.int32


def test_a_tuple_of_trees_keeps_its_rule():
    model = forest_model()
    several = replace(model, trees=tuple(model.trees), facts={"aggregation": "votes", "criterion": "gini"})
    copy = loaded(saved(several))
    assert isinstance(copy.trees, tuple) and len(copy.trees) == 4
    assert copy.aggregation == "votes" and copy.criterion == "gini"
    np.testing.assert_array_equal(copy.values(MATRIX), several.values(MATRIX))


def test_a_tree_of_numbers_that_was_part_of_a_forest_can_be_saved():
    alone = forest_model("squared_error").alone(1)
    copy = loaded(saved(alone))
    assert isinstance(copy.trees[0], Tree) and np.isnan(copy.trees[0].loss).all()
    np.testing.assert_array_equal(copy.values(MATRIX), alone.values(MATRIX))


def test_every_type_of_extra_array_survives():
    arrays = {
        f"a_{dtype}": np.arange(6).reshape(2, 3).astype(dtype)
        for dtype in ("bool", "uint8", "uint16", "uint32", "int32", "int64", "float32", "float64")
    }
    arrays["empty"] = np.zeros((0, 4))
    arrays["special"] = np.array([np.nan, np.inf, -0.0])
    copy = loaded(saved(forest_model(arrays=arrays)))
    assert list(copy.arrays) == list(arrays)
    for name, array in arrays.items():
        assert copy.arrays[name].dtype == array.dtype and not copy.arrays[name].flags.writeable
        assert copy.arrays[name].tobytes() == array.tobytes() and copy.arrays[name].shape == array.shape


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"Big Name": np.zeros(1)}, "cannot be named 'Big Name'"),
        ({"x": np.zeros(1, complex)}, "array 'x' of type complex128"),
        ({"x": np.array(["a"])}, "array 'x' of type <U1"),
        ({"x": np.zeros((1, 1, 1))}, "3 dimensions"),
        ({f"x{i}": np.zeros(1) for i in range(201)}, "at most 200 extra arrays, not 201"),
    ],
)
def test_arrays_that_a_file_cannot_hold_are_refused_when_saving(arrays, sentence):
    with pytest.raises(TypeError, match=sentence):
        saved(forest_model(arrays=arrays))


# --- size ------------------------------------------------------------------------------------------------


def lean(fitted, convert, has_classes):
    """Return a scikit-learn forest in our arrays."""
    arrays = pack([convert(tree) for tree in fitted.estimators_], has_classes)
    return Forest.from_arrays(arrays, [0] * fitted.n_features_in_, fitted.criterion)


@pytest.mark.parametrize("learner", [RandomForestClassifier, RandomForestRegressor])
def test_files_and_memory_are_at_most_a_third_of_scikit_learns(learner, from_scikit_learn, model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 8)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.standard_normal(2000)
    has_classes = learner is RandomForestClassifier
    fitted = learner(n_estimators=5, random_state=0).fit(X, (y > 0).astype(int) if has_classes else y)
    forest = lean(fitted, from_scikit_learn, has_classes)
    theirs = io.BytesIO()
    joblib.dump(fitted, theirs)
    theirs = len(theirs.getvalue())
    assert forest.nbytes <= 0.35 * theirs
    schema = type(model.schema)(
        tuple(replace(model.schema.features[0], name=f"x{i}") for i in range(8)), False
    )
    task, classes = ("classification", np.array([0, 1])) if has_classes else ("regression", None)
    ours = Model("RandomForest", {}, task, schema, forest, classes, None, {"aggregation": "mean"})
    assert len(saved(ours)) <= (0.15 if has_classes else 0.20) * theirs


def test_a_forest_so_regular_that_it_looks_like_a_bomb_is_stored_and_read():
    model = forest_model(arrays={"zeros": np.zeros((3000, 1000))})
    content = saved(model)
    assert len(content) > 24_000_000
    assert loaded(content).arrays["zeros"].shape == (3000, 1000)


def test_a_bomb_of_extra_arrays_is_refused_without_taking_memory():
    members = members_of(saved(forest_model()))
    bomb = zipped(with_array(members, "extra", "importances", np.zeros(6_000_000)))
    assert len(bomb) < 200_000
    del members
    tracemalloc.start()
    with pytest.raises(ModelFileError, match="claims 48"):
        loaded(bomb)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_member_that_unpacks_to_more_than_it_says_is_refused():
    members = members_of(saved(forest_model()))
    content = bytearray(zipped(members))
    name = b"forest/number.npy"
    entry = content.rindex(name) - 46  # the directory's entry
    size = int.from_bytes(content[entry + 24 : entry + 28], "little")
    content[entry + 24 : entry + 28] = (size - 80).to_bytes(4, "little")
    with pytest.raises(ModelFileError, match=r"number|CRC"):
        loaded(bytes(content))


# --- hostile files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def members():
    return members_of(saved(forest_model()))


@pytest.fixture(scope="module")
def file():
    return saved(forest_model())


def test_damaged_compression_is_refused_wherever_it_is(file):
    for position in range(0, len(file), 7):
        damaged = bytearray(file)
        damaged[position] ^= 0xFF
        try:
            loaded(bytes(damaged))
        except ModelFileError as error:
            assert str(error)


def test_a_truncated_forest_is_refused_wherever_it_ends(file):
    for length in range(0, len(file), 61):
        with pytest.raises(ModelFileError):
            loaded(file[:length])


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("forest", {}, "does not say what the forest was grown by"),
        ("forest", {"criterion": "gain_ratio"}, "is grown by one of"),
        ("forest", {"criterion": "squared_error"}, "do not hold what"),
        ("forest", {"criterion": 1}, "is not a text"),
        ("forest", {"criterion": "gini", "more": 1}, "does not say what"),
        ("forest", None, "unknown member 'forest/"),
        ("extra", None, "unknown member 'extra/importances.npy'"),
        ("extra", [], "does not list the extra arrays"),
        ("extra", {"../x": {}}, "'../x' is not the name of an array"),
        ("extra", {"importances": {}}, "does not describe the array 'importances'"),
        ("facts", {"aggregation": "product"}, "aggregation is 'product'"),
        ("facts", {"aggregation": "one"}, "it has 4 trees, but no rule for several"),
        ("classes", {"dtype": "<i8", "shape": [2], "items": [0, 1]}, "3 values per node"),
    ],
)
def test_a_wrong_manifest_is_refused(members, field, value, sentence):
    manifest = json.loads(members["manifest.json"]) | {field: value}
    refused(members | {"manifest.json": json.dumps(manifest).encode()}, sentence)


def test_trees_of_numbers_do_not_vote():
    manifest_of = members_of(saved(forest_model("squared_error")))
    manifest = json.loads(manifest_of["manifest.json"]) | {"facts": {"aggregation": "votes"}}
    refused(manifest_of | {"manifest.json": json.dumps(manifest).encode()}, "there are no classes")


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("begin", 1, 0), ("begin", 1, 10**9), ("child", 0, 0), ("child", 0, 2**32 - 1), ("feature", 0, 99),
        ("feature", 0, -3), ("flags", 0, 255), ("number", 0, np.nan), ("weight", 0, np.nan),
        ("tables", 1, 2**32 - 1), ("distributions", 0, np.inf),
    ],
)  # fmt: skip
def test_arrays_that_are_not_a_forest_are_refused(members, name, position, value):
    array = np.load(io.BytesIO(members[f"forest/{name}.npy"]))
    array[position] = value
    refused(with_array(members, "forest", name, array), r"node \d+ of tree|divide|table|shares")


def test_types_and_shapes_are_refused_before_memory_is_taken(members):
    number = np.load(io.BytesIO(members["forest/number.npy"]))
    refused(with_array(members, "forest", "number", number.astype(np.float32)), "has the type <f4, not <f8")
    refused(with_array(members, "forest", "number", number, shape=[2**60]), "claims")
    refused(with_array(members, "forest", "feature", np.zeros(len(number), np.int64)), "not one of <i2, <i4")
    refused(with_array(members, "extra", "importances", np.array([1j])), "has the type <c16")
    refused(
        with_array(members, "extra", "importances", np.zeros((1, 1)), shape=[1, 1, 1]), "not 1 or 2 counts"
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_of_the_arrays_is_refused_or_harmless(members, data):
    name = data.draw(st.sampled_from([n for n in sorted(members) if n.startswith("forest/")]))
    stored = np.load(io.BytesIO(members[name]))
    raw = bytearray(stored.tobytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    altered = np.frombuffer(bytes(raw), stored.dtype).reshape(stored.shape)
    content = zipped(with_array(members, "forest", name[7:-4], altered))
    try:
        model = loaded(content)
    except ModelFileError as error:
        assert str(error)
        return
    assert model.values(MATRIX).shape == (4, 3)
    assert model.apply(MATRIX).shape == (4, 4)
    assert [tree.node_count for tree in model.trees] == model.trees.node_counts.tolist()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_is_refused_or_harmless(file, data):
    content = bytearray(file)
    for _ in range(data.draw(st.integers(1, 6))):
        begin = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(max_size=40))
        content[begin : begin + data.draw(st.integers(0, 40))] = piece
        if not content:
            return
    try:
        loaded(bytes(content))
    except ModelFileError as error:
        assert str(error)


def test_bagged_trees_and_their_forest_answer_alike():
    fitted = bagged("gini")
    X = [[0.2, "a", -1.0], [None, "never seen", 0.5], [-0.4, None, 0.0]]
    model = forest_model()
    matrix = fitted[0]._encode(X)[1]
    mean = np.mean([tree.predict_proba(X) for tree in fitted], axis=0)
    np.testing.assert_allclose(loaded(saved(model)).values(matrix), mean, atol=1e-12)
