"""Models whose parts do not fit together are refused, when they are read and before they are written."""

import hashlib
import io
import json
import zipfile
from dataclasses import MISSING, fields, replace

import numpy as np
import pytest

import treewright
from treewright import store
from treewright.exceptions import ModelFileError
from treewright.model import Forest, Tree
from treewright.model.facts import BoosterFacts, ForestFacts, TreeFacts, WeightedFacts
from treewright.store.archive import array_to_bytes

X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
LABELS = ["a", "a", "b", "a", "b", "b"]
FITTED = {
    TreeFacts: lambda: treewright.CARTClassifier(max_depth=1).fit(X, LABELS),
    ForestFacts: lambda: treewright.BaggingClassifier(n_estimators=2, random_state=0).fit(X, LABELS),
    BoosterFacts: lambda: treewright.GradientBoostingClassifier(
        n_estimators=2, max_depth=1, random_state=0
    ).fit(X, LABELS),
    WeightedFacts: lambda: treewright.AdaBoostClassifier(n_estimators=2, random_state=0).fit(X, LABELS),
}
WRONG = {"int": 1.5, "float": "0.1", "str": 7, "list": "x", "Mapping": [1], "Literal": "none of them"}


def members_of(fitted):
    file = io.BytesIO()
    fitted.save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file


def with_manifest(members, change):
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    return zipped(members | {"manifest.json": json.dumps(manifest).encode()})


def with_array(members, member, array):
    content = array_to_bytes(array, array.dtype.str)
    name = member.rpartition("/")[2].removesuffix(".npy")

    def tell(manifest):
        manifest["arrays"][name]["sha256"] = hashlib.sha256(content).hexdigest()

    return with_manifest(members | {member: content}, tell)


@pytest.mark.parametrize("family", FITTED, ids=lambda family: family.__name__)
def test_every_fact_of_the_wrong_type_is_refused(family):
    members = members_of(FITTED[family]())
    for field in fields(family):
        kind = str(field.type).replace("typing.", "")
        wrong = next(value for name, value in WRONG.items() if kind.startswith(name))

        def change(manifest, name=field.name, wrong=wrong):
            manifest["facts"][name] = wrong

        with pytest.raises(ModelFileError, match="is not a valid model file"):
            treewright.load(with_manifest(members, change))


@pytest.mark.parametrize("family", FITTED, ids=lambda family: family.__name__)
def test_a_fact_that_is_needed_must_be_there(family):
    members = members_of(FITTED[family]())
    stored = json.loads(members["manifest.json"])["facts"]
    optional = {f.name for f in fields(family) if "None" in str(f.type) or f.default is not MISSING}
    for name in stored.keys() - optional:
        with pytest.raises(ModelFileError):
            treewright.load(with_manifest(members, lambda manifest, name=name: manifest["facts"].pop(name)))


@pytest.mark.parametrize("shares", [[0.5, 0.6], [1.5, -0.5], [np.inf, 0.0], [0.0, 0.0], [np.nan, 1.0]])
def test_classes_have_shares_of_a_whole(shares):
    tree = FITTED[TreeFacts]()
    value = tree.tree_.to_arrays()["value"].copy()
    value[1] = shares
    with pytest.raises(ModelFileError, match=r"shares|finite|number"):
        store.load(with_array(members_of(tree), "trees/value.npy", value))
    forest = treewright.RandomForestClassifier(2, random_state=0).fit(X, LABELS)
    distributions = forest.model_.trees.to_arrays()["distributions"].copy()
    distributions[0] = shares
    with pytest.raises(ModelFileError, match="shares"):
        store.load(with_array(members_of(forest), "forest/distributions.npy", distributions))


def test_shares_that_are_a_little_off_are_allowed():
    tree = FITTED[TreeFacts]()
    value = tree.tree_.to_arrays()["value"].copy()
    value[1] *= 1 - 1e-7
    store.load(with_array(members_of(tree), "trees/value.npy", value))


def test_a_tree_of_rows_without_weight_is_refused():
    tree = FITTED[TreeFacts]()
    weight = np.zeros_like(tree.tree_.weighted_n_node_samples)
    with pytest.raises(ModelFileError, match="rows without weight"):
        store.load(with_array(members_of(tree), "trees/weight.npy", weight))


def test_a_text_type_far_wider_than_its_texts_is_refused_before_memory_is_taken():
    def widen(manifest):
        manifest["classes"]["dtype"] = "<U22000000"

    with pytest.raises(ModelFileError, match="far too wide"):
        store.load(with_manifest(members_of(FITTED[TreeFacts]()), widen))


def test_labels_of_a_wide_type_are_written_in_a_narrower_one():
    labels = np.array(LABELS, dtype="<U5000")
    file = io.BytesIO()
    treewright.CARTClassifier().fit(X, labels).save(file)
    assert treewright.load(file).classes_.tolist() == ["a", "b"]
    long = np.array([*LABELS[:-1], "c" * 100_000])
    treewright.CARTClassifier().fit(X, long).save(file := io.BytesIO())
    assert treewright.load(file).predict(X).tolist() == long.tolist()


@pytest.mark.parametrize("name", ["pruning", "pruning_best"])
def test_what_is_said_about_pruning_is_read_at_once(name):
    tree = treewright.CARTClassifier(prune="cost_complexity", cv=2, random_state=0).fit(X, LABELS)

    def change(manifest):
        manifest["facts"][name] = {"type": "dict", "items": [["schema_version", 1], ["kind", 3]]}

    with pytest.raises(ModelFileError):
        treewright.load(with_manifest(members_of(tree), change))


def broken_models():
    tree, forest = (
        FITTED[TreeFacts]().model_,
        treewright.RandomForestClassifier(2, random_state=0).fit(X, LABELS).model_,
    )
    arrays = tree.trees[0].to_arrays()
    yield "shares", tree.with_trees((Tree({**arrays, "value": arrays["value"] * 2}, [0]),))
    yield "parent", tree.with_trees((Tree({**arrays, "first_child": arrays["first_child"] * 0}, [0]),))
    packed = forest.trees.to_arrays()
    wrong = {**packed, "distributions": packed["distributions"] - 0.25}
    yield "shares", forest.with_trees(Forest(wrong, [0], "gini"))
    yield "different labels", replace(tree, classes=np.array(["a", "a"]))


@pytest.mark.parametrize(("reason", "model"), list(broken_models()), ids=lambda value: str(value)[:30])
def test_a_model_that_could_not_be_loaded_is_not_written(reason, model, tmp_path):
    with pytest.raises(ValueError, match="The model is not saved, because its file could not be loaded"):
        store.save(model, tmp_path / "m.tree")
    assert list(tmp_path.iterdir()) == [], reason


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("loss", -1.0, "node 0 of the tree has a negative loss"),
        ("gain", -1e-3, "node 0 of the tree has a negative gain"),
        ("loss", 1e308, "the loss of a node for its weight is not a finite number"),
        ("weight", 1e-309, "branches whose weights do not add up"),
        ("gain", 1.7e308, None),
    ],
)
def test_losses_and_gains_that_give_no_importance_are_refused(name, value, words):
    members = members_of(FITTED[TreeFacts]())
    array = np.load(io.BytesIO(members[f"trees/{name}.npy"]))
    array[0] = value
    if value == 1e308:
        members = members_of(FITTED[TreeFacts]().set_params(max_depth=1).fit(X, LABELS, np.full(6, 1e-3)))
    file = with_array(members, f"trees/{name}.npy", array)
    if words is None:  # odd, but it adds up
        assert treewright.load(file).feature_importances_.tolist() == [1.0]
        return
    with pytest.raises(ModelFileError, match=words):
        treewright.load(file)
