from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data import Feature, Schema

categories = st.one_of(
    st.text(st.characters()),
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.sampled_from(["1", 1, 1.0, True]),
)
features = st.one_of(
    st.builds(Feature, st.text(st.characters()), st.just("numeric")),
    st.builds(
        Feature,
        st.text(st.characters()),
        st.sampled_from(["nominal", "ordinal"]),
        st.lists(categories, unique=True).map(tuple),
    ),
)
schemas = st.one_of(
    st.builds(Schema, st.lists(features, min_size=1).map(tuple), st.just(False)),
    st.builds(Schema, st.lists(features, min_size=1, unique_by=lambda f: f.name).map(tuple), st.just(True)),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def exact(schema: Schema) -> list:
    return [
        (f.name, f.kind, f.categories and [(type(c), repr(c)) for c in f.categories]) for f in schema.features
    ]


@given(schemas)
def test_a_schema_survives_json_exactly(schema):
    text = json.dumps(schema.to_dict(), allow_nan=False)
    again = Schema.from_dict(json.loads(text))
    assert exact(again) == exact(schema)
    assert again.named == schema.named


@given(json_values)
def test_arbitrary_json_is_refused_with_a_value_error_or_is_a_schema(value):
    for text in (value, {"named": False, "features": [value]}, {"named": True, "features": value}):
        try:
            assert isinstance(Schema.from_dict(text), Schema)
        except ValueError:
            pass


@given(st.lists(json_values))
def test_arbitrary_categories_are_refused_with_a_value_error_or_are_categories(value):
    try:
        feature = Feature.from_dict({"name": "a", "kind": "nominal", "categories": value})
    except ValueError:
        return
    assert len(feature.categories) == len(value)


@pytest.mark.parametrize(
    ("description", "words"),
    [
        (None, "must be described by an object"),
        ({}, "whether its features are named"),
        ({"named": 1, "features": []}, "whether its features are named"),
        ({"named": True, "features": []}, "at least one feature"),
        ({"named": True, "features": [3]}, "a feature must be described by an object"),
        ({"named": True, "features": [{"name": 3, "kind": "numeric"}]}, "name must be text"),
        ({"named": True, "features": [{"name": "a", "kind": "text"}]}, "unknown kind 'text'"),
        ({"named": True, "features": [{"name": "a", "kind": ["numeric"]}]}, "unknown kind"),
        (
            {"named": True, "features": [{"name": "a", "kind": "numeric", "categories": []}]},
            "cannot have categories",
        ),
        ({"named": True, "features": [{"name": "a", "kind": "nominal"}]}, "must be a list"),
        (
            {"named": True, "features": [{"name": "a", "kind": "nominal", "categories": ["x"]}]},
            "not a category",
        ),
        ({"named": True, "features": [{"name": "a", "kind": "numeric"}] * 2}, "name occurs twice"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(description, words):
    with pytest.raises(ValueError, match=words):
        Schema.from_dict(description)


@pytest.mark.parametrize(
    "item",
    [
        ["int", "x"],
        ["int", 3],
        ["float", "nan"],
        ["float", "y"],
        ["bool", 1],
        ["str", 1],
        ["date", "x"],
        ["str"],
        "ab",
    ],
)
def test_broken_categories_are_refused(item):
    with pytest.raises(ValueError):
        Feature.from_dict({"name": "a", "kind": "nominal", "categories": [item]})


def test_equal_categories_of_different_types_are_refused_as_repeated():
    with pytest.raises(ValueError, match="occurs twice"):
        Feature.from_dict({"name": "a", "kind": "nominal", "categories": [["int", "1"], ["bool", True]]})


def test_infinite_categories_survive_json():
    feature = Feature("a", "nominal", (-math.inf, 0.1, math.inf))
    assert Feature.from_dict(json.loads(json.dumps(feature.to_dict(), allow_nan=False))) == feature


def test_names_and_code_counts_are_arrays():
    schema = Schema((Feature("a b", "numeric"), Feature("ß", "ordinal", ("x", "y"))), named=True)
    assert schema.names.tolist() == ["a b", "ß"]
    assert schema.names.dtype == object
    assert not schema.names.flags.writeable
    assert schema.n_codes.tolist() == [0, 2]
    assert schema.n_codes.dtype == np.uint32
    assert not schema.all_numeric


def test_a_schema_can_be_pickled_after_use():
    schema = Schema((Feature("a", "nominal", ("x",)),), named=True)
    assert schema.names is not None
    assert schema.features[0].index == {"x": 1}
    assert pickle.loads(pickle.dumps(schema)) == schema
