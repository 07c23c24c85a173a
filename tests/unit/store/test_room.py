"""Fields for models from elsewhere are read and checked; what cannot be predicted yet is refused."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

import treewright
from treewright import store
from treewright.exceptions import ModelFileError, ModelVersionError
from treewright.store.archive import array_to_bytes

CITY = {
    "name": "city_mean",
    "kind": "mean_target",
    "of": "city",
    "values": [[["str", "Paris"], 0.25]],
    "prior": {"mean": 0.5, "weight": 10.0},
}


@pytest.fixture(params=["trees", "forest"])
def fitted(request):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    if request.param == "trees":
        return treewright.CARTClassifier().fit(X, y)
    return treewright.RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, y)


def rewritten(fitted, rule=None, **changes):
    """Return the file with other fields in its manifest, and with an array of rules for missing values."""
    file = io.BytesIO()
    fitted.save(file)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"]) | changes
    if rule is not None:
        content = array_to_bytes(np.asarray(rule, np.uint8), "|u1")
        folder = "trees" if manifest.get("forest") is None else "forest"
        members[f"{folder}/missing_rule.npy"] = content
        manifest["arrays"]["missing_rule"] = {
            "dtype": "|u1",
            "shape": [len(rule)],
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    members["manifest.json"] = json.dumps(manifest).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file


def n_nodes(fitted):
    return sum(tree.node_count for tree in fitted.model_.trees)


def test_what_is_said_but_usual_is_read(fitted):
    own = {"operator": "<=", "precision": "float64"}
    file = rewritten(fitted, rule=[0] * n_nodes(fitted), comparison=own, derived=[])
    assert treewright.load(file).predict([[0.5], [2.5]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("comparison", "words"),
    [
        ({"operator": "<", "precision": "float32"}, "compares x < threshold as float32"),
        ({"operator": "<=", "precision": "float32"}, "compares x <= threshold as float32"),
        ({"operator": "<", "precision": "float64"}, "compares x < threshold as float64"),
    ],
)
def test_other_comparisons_are_refused_with_what_they_are(fitted, comparison, words):
    with pytest.raises(ModelVersionError, match=f"{words}, which treewright .* cannot predict with"):
        store.load(rewritten(fitted, comparison=comparison))


@pytest.mark.parametrize(
    ("number", "words"), [(1, "takes missing values for 0"), (2, "takes 0 for a missing value")]
)
def test_other_rules_for_missing_values_are_refused_with_what_they_are(fitted, number, words):
    rule = [number, *[0] * (n_nodes(fitted) - 1)]
    with pytest.raises(ModelVersionError, match=f"{words}, which treewright"):
        store.load(rewritten(fitted, rule=rule))


def test_derived_columns_are_refused_by_their_name(fitted):
    with pytest.raises(ModelVersionError, match=r"derived column 'city_mean' \(mean_target of 'city'\)"):
        store.load(rewritten(fitted, derived=[CITY]))


@pytest.mark.parametrize(
    "changes",
    [
        {"comparison": {"operator": ">", "precision": "float64"}},
        {"comparison": {"operator": "<="}},
        {"comparison": "<="},
        {"derived": {}},
        {"derived": [{"name": "city_mean"}]},
        {"derived": [{**CITY, "of": 3}]},
        {"target_name": 3},
        {"target_name": ["y"]},
    ],
)
def test_nonsense_in_these_fields_is_a_fault_of_the_file(fitted, changes):
    with pytest.raises(ModelFileError, match="is not a valid model file") as caught:
        store.load(rewritten(fitted, **changes))
    assert not isinstance(caught.value, ModelVersionError)


def test_rules_that_do_not_exist_or_stand_at_leaves_are_a_fault(fitted):
    for rule in ([3, *[0] * (n_nodes(fitted) - 1)], [*[0] * (n_nodes(fitted) - 1), 1], [0]):
        with pytest.raises(ModelFileError, match="'missing_rule'"):
            store.load(rewritten(fitted, rule=rule))


@pytest.mark.parametrize("field", ["target_name", "comparison", "derived"])
def test_a_file_of_format_1_has_none_of_the_fields(fitted, field):
    with pytest.raises(ModelFileError, match=r"unknown or missing|arrays of a model|unknown member"):
        store.load(rewritten(fitted, format_version=1, **{field: None}))
