"""`from_lightgbm`: models of LightGBM, from a booster, an estimator or a text file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.data import Feature, Schema
from treewright.imported.assembly import CategorySets, PeerTrees
from treewright.imported.columns import given_names, listed_categories
from treewright.imported.faults import fault, named_faults, unsupported
from treewright.imported.files import read_file
from treewright.imported.imported_model import ImportedClassifier, ImportedRegressor, estimator_of
from treewright.imported.lightgbm_categories import category_lists
from treewright.imported.lightgbm_dump import read_dump
from treewright.imported.lightgbm_text import TextModel, read_text
from treewright.imported.record import Reading

__all__ = ["from_lightgbm"]

Ints = NDArray[np.int64]

# Bits of `decision_type`, and what its missing type may be.
CATEGORICAL, DEFAULT_LEFT = 1, 2
NONE, ZERO, NAN = 0, 1, 2
ZERO_LIMIT: Final = float(np.float32(1e-35))

# Objective → link; of classes those with a factor behind it.
NUMBER_LINKS: Final = {
    "regression": "identity",
    "regression_l2": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
    "poisson": "log",
    "gamma": "log",
    "tweedie": "log",
    "cross_entropy": "sigmoid",
    "cross_entropy_lambda": "softplus",
    "lambdarank": "identity",
    "rank_xendcg": "identity",
    "custom": "identity",
    "none": "identity",
}


def from_lightgbm(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
) -> ImportedClassifier | ImportedRegressor:
    """Return a model of LightGBM as an estimator of ours, which predicts the same.

    Parameters
    ----------
    model : lightgbm.Booster, estimator of LightGBM, or path-like
        The model, a text file that ``save_model`` wrote, or a JSON file of ``dump_model``. The file may come
        from anywhere: nothing in it is executed or trusted. LightGBM need not be installed for files.
    feature_names : sequence of str, optional
        Names of the columns; LightGBM writes blanks in names as ``_``.
    classes : sequence, optional
        The labels; by default those of the estimator, and 0, 1, … for boosters and files, which do not know
        them.
    categories : mapping of str to sequence, optional
        Categories of columns in the order of their codes, where the model does not tell (or not which column
        they belong to).

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Fitted. Ranking models and models of an objective of your own give their raw scores.

    Raises
    ------
    treewright.exceptions.UnsupportedModelError
        When the model has linear leaves or several outputs of numbers.
    treewright.exceptions.ModelFileError
        When the file is damaged, contradictory or no model of LightGBM.
    """
    content, name, own_classes = _content(model)
    with named_faults(name):
        text = read_dump(content) if content[:1] == b"{" else read_text(content)
        labels = classes if classes is not None else own_classes
        return estimator_of(_reading(text, feature_names, labels, categories or {}))


def _content(model: Any) -> tuple[bytes, str, Any]:
    """Return the text of a model, what messages call it, and its labels."""
    if isinstance(model, str | os.PathLike):
        return read_file(model), os.fspath(model), None
    booster = getattr(model, "booster_", model)  # an estimator that is not fitted says so
    if not hasattr(booster, "model_to_string"):
        raise TypeError(
            "from_lightgbm takes a lightgbm.Booster, a fitted estimator of LightGBM or the path of a text "
            f"file, not {type(model).__name__}."
        )
    labels = getattr(model, "classes_", None) if hasattr(model, "booster_") else None
    return booster.model_to_string().encode("utf-8"), f"This {type(model).__name__}", labels


# --- the header
# ------------------------------------------------------------------------------------------------------------


def _reading(
    text: TextModel, feature_names: Sequence[str] | None, labels: Any, given: Mapping[str, Sequence[Any]]
) -> Reading:
    n_features = _whole(text.header, "max_feature_idx") + 1
    if n_features < 1 or n_features > 2**29:
        fault("the header", "max_feature_idx is not the number of a feature")
    n_outputs = _whole(text.header, "num_tree_per_iteration", 1)
    objective, *options = text.header.get("objective", "custom").split(" ") or ["custom"]
    link, n_classes = _link(objective, options, n_outputs)
    if n_outputs < 1 or len(text.n_leaves) % n_outputs:
        fault("the header", f"{len(text.n_leaves)} trees do not belong to {n_outputs} per round")
    schema, values = _schema(text, n_features, feature_names, given)
    trees, zero = _peer_trees(text, schema, values)
    features = [
        Feature(one.name, one.kind, one.categories, zero_is_missing=i in zero)
        for i, one in enumerate(schema.features)
    ]
    if "average_output" in text.header:
        trees.value[:] /= len(text.n_leaves) // n_outputs
    missing_type = (text.numbers["decision_type"] >> 2) & 3
    seen = np.unique(text.numbers["split_feature"][missing_type == NAN])
    classes = None
    if n_classes is not None:
        classes = np.arange(n_classes) if labels is None else np.asarray(labels)
        if len(classes) != n_classes:
            raise ValueError(f"classes names {len(classes)} labels for {n_classes} classes")
    return Reading(
        source="LightGBM",
        source_kind=f"{objective}{', averaged' if 'average_output' in text.header else ''}",
        schema=Schema(tuple(features), schema.named),
        trees=trees,
        aggregation="sum",
        classes=classes,
        link=link,
        loss=objective,
        start=np.zeros(n_outputs),
        missing_features=[int(one) for one in seen],
    )


def _whole(header: dict[str, str], name: str, default: int | None = None) -> int:
    value = header.get(name, "" if default is None else str(default))
    if not re.fullmatch(r"-?\d{1,9}", value):
        fault("the header", f"{name} is not a whole number")
    return int(value)


def _link(objective: str, options: Sequence[str], n_outputs: int) -> tuple[str, int | None]:
    """Return the link of an objective, and how many classes it has."""
    named = dict(option.partition(":")[::2] for option in options)
    factor = float(named.get("sigmoid", "1"))
    if not 0 < factor < np.inf:
        fault("the header", "sigmoid is not a number above 0")
    of_factor = "" if factor == 1 else f":{factor!r}"
    if objective == "binary" and n_outputs == 1:
        return f"logit{of_factor}", 2
    if objective == "multiclass" and n_outputs > 1:
        return "softmax", n_outputs
    if objective == "multiclassova" and n_outputs > 1:
        return f"one_vs_rest{of_factor}", n_outputs
    if objective not in NUMBER_LINKS:
        unsupported(f"the objective {objective[:40]!r} with {n_outputs} outputs cannot be imported")
    if n_outputs != 1:
        unsupported(f"the objective {objective!r} has {n_outputs} outputs, and only one can be imported")
    return "square" if "sqrt" in named else NUMBER_LINKS[objective], None


# --- columns
# ------------------------------------------------------------------------------------------------------------


def _schema(
    text: TextModel,
    n_features: int,
    feature_names: Sequence[str] | None,
    given: Mapping[str, Sequence[Any]],
) -> tuple[Schema, list[Ints | None]]:
    """Return the columns, and for those of categories the numbers that LightGBM knows them by."""
    found = text.header.get("feature_names", "").split(" ")
    if len(found) != n_features:
        fault("the header", f"feature_names has {len(found)} names for {n_features} features")
    names, named = given_names(found, feature_names, re.compile(r"Column_\d+"))
    infos = text.header.get("feature_infos", "").split(" ")
    infos = infos if len(infos) == n_features else ["none"] * n_features
    sets = _listed(text)
    by_info = [i for i, info in enumerate(infos) if info != "none" and not info.startswith("[")]
    chosen = sorted({*by_info, *sets})
    if any(not 0 <= feature < n_features for feature in chosen):
        fault("split_feature", "it names a feature that does not exist")
    known_codes = {i: [*_info_values(infos[i]), *sets.get(i, ())] for i in chosen}
    lists = category_lists(text.pandas_categorical, known_codes, infos, names, given)
    features: list[Feature] = []
    values: list[Ints | None] = []
    for i, name in enumerate(names):
        if i not in chosen:
            features.append(Feature(name, "numeric"))
            values.append(None)
            continue
        known = lists.get(i)
        if known is None:
            own = np.array(sorted(set(known_codes[i])), dtype=np.int64)
            features.append(Feature(name, "nominal", tuple(own.tolist())))
        else:
            own = np.arange(len(known), dtype=np.int64)
            features.append(Feature(name, "nominal", listed_categories(known, name)))
        values.append(own)
    return Schema(tuple(features), named), values


def _info_values(info: str) -> list[int]:
    return [int(one) for one in info.split(":") if re.fullmatch(r"\d{1,10}", one)] if info != "none" else []


# --- trees
# ------------------------------------------------------------------------------------------------------------


def _set_nodes(text: TextModel) -> Ints:
    """Return the tests of categories, counted over the tests of all trees."""
    return np.flatnonzero(text.numbers["decision_type"] & CATEGORICAL)


def _set_bits(text: TextModel) -> tuple[Ints, Ints]:
    """Return the categories of all sets, ascending within each, and how many each has."""
    tests = _set_nodes(text)
    begin = np.concatenate([[0], np.cumsum(text.n_leaves - 1)])
    tree = np.searchsorted(begin, tests, side="right") - 1
    # Where the sets and the words of each tree begin among those of all trees.
    n_sets = np.array([len(one) - 1 for one in text.cat_boundaries], dtype=np.int64)
    n_words = np.array([len(one) for one in text.cat_threshold], dtype=np.int64)
    first_word = np.cumsum(n_words) - n_words
    first_set = np.cumsum(n_sets + 1) - n_sets - 1
    boundaries = np.concatenate([*text.cat_boundaries, np.zeros(0, np.int64)])
    words = np.concatenate([*text.cat_threshold, np.zeros(0, np.int64)])
    index = text.numbers["threshold"][tests]
    wrong = ~((index >= 0) & (index < n_sets[tree]) & (index == np.floor(index)))
    if wrong.any():
        fault(f"tree {int(tree[np.argmax(wrong)])}", "a test names a set of categories that does not exist")
    at = first_set[tree] + index.astype(np.int64)
    start, stop = boundaries[at], boundaries[at + 1]
    wrong = (start < 0) | (stop < start) | (stop > n_words[tree])
    if wrong.any() or (words < 0).any() or (words >= 2**32).any():
        place = int(tree[np.argmax(wrong)]) if wrong.any() else 0
        fault(f"tree {place}", "cat_boundaries or cat_threshold do not hold sets of categories")
    lengths = stop - start
    if int(lengths.sum()) > len(words):
        fault("cat_boundaries", "sets of categories overlap")
    own = np.repeat(first_word[tree] + start - (np.cumsum(lengths) - lengths), lengths) + np.arange(
        int(lengths.sum())
    )
    bits = np.unpackbits(words[own].astype("<u4").view(np.uint8), bitorder="little").reshape(-1, 32)
    word, bit = np.nonzero(bits)
    in_set = np.repeat(np.arange(len(tests)), lengths)
    in_word = np.arange(len(in_set)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    counts = np.bincount(in_set[word], minlength=len(tests)).astype(np.int64)
    return (in_word[word] * 32 + bit).astype(np.int64), counts


def _listed(text: TextModel) -> dict[int, list[int]]:
    """Return the categories that tests of each feature name."""
    tests = _set_nodes(text)
    if not len(tests):
        return {}
    values, counts = _set_bits(text)
    feature = text.numbers["split_feature"][tests]
    owner = np.repeat(feature, counts)
    found = {int(one): np.unique(values[owner == one]).tolist() for one in np.unique(owner)}
    return {int(one): found.get(int(one), []) for one in np.unique(feature)}


def _sets(text: TextModel, values: list[Ints | None], place: Ints) -> CategorySets:
    tests = _set_nodes(text)
    if not len(tests):
        return CategorySets()
    listed, counts = _set_bits(text)
    owner = np.repeat(text.numbers["split_feature"][tests], counts)
    codes = np.zeros(len(listed), dtype=np.uint32)
    for feature in np.unique(owner).tolist():
        known, mine = values[feature], owner == feature
        assert known is not None, "a column with tests of categories has categories"
        found = np.searchsorted(known, listed[mine])
        if (found >= len(known)).any() or (known[found] != listed[mine]).any():
            fault("cat_threshold", f"a test names a category of feature {feature} that does not exist")
        codes[mine] = found + 1
    return CategorySets.of_codes(place[tests], codes, counts, np.ones(len(tests), np.bool_))


def _peer_trees(
    text: TextModel, schema: Schema, values: list[Ints | None]
) -> tuple[PeerTrees, frozenset[int]]:
    """Return the trees with tests first and leaves behind them, and the features whose zeros are missing."""
    n_leaves, n_tests = text.n_leaves, text.n_leaves - 1
    sizes = n_leaves + n_tests
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    own = np.arange(int(begin[-1])) - np.repeat(begin[:-1], sizes)
    is_test = own < np.repeat(n_tests, sizes)
    numbers = text.numbers
    tree_of_test = np.repeat(np.arange(len(sizes)), n_tests)
    kind = numbers["decision_type"]
    if ((kind < 0) | (kind > 15) | (((kind >> 2) & 3) > NAN)).any():
        wrong = int(np.argmax((kind < 0) | (kind > 15) | (((kind >> 2) & 3) > NAN)))
        fault(f"tree {int(tree_of_test[wrong])}", f"the decision_type {int(kind[wrong])} does not exist")
    by_set = (kind & CATEGORICAL) != 0
    feature = numbers["split_feature"]
    for one in np.unique(feature[~by_set]).tolist():
        if 0 <= one < len(schema.features) and schema.features[one].kind != "numeric":
            unsupported(f"feature {one} is tested as a category by some trees and as a number by others")
    missing_right, zero = _missing_ways(kind, numbers["threshold"], feature, by_set)

    def spread(of_tests: NDArray[Any], of_leaves: NDArray[Any], dtype: Any) -> NDArray[Any]:
        found = np.zeros(len(own), dtype=dtype)
        found[is_test] = of_tests
        found[~is_test] = of_leaves
        return found

    def child(name: str) -> Ints:
        ids = numbers[name]
        n = n_tests[tree_of_test]
        lost = (ids >= n) | (~ids > n)
        if lost.any():
            fault(f"tree {int(tree_of_test[np.argmax(lost)])}", f"{name} names a node that does not exist")
        return spread(np.where(ids >= 0, ids, n + ~ids), np.array(-1), np.int64)

    no_count = np.zeros(1)
    trees = PeerTrees(
        begin=begin,
        left=child("left_child"),
        right=child("right_child"),
        feature=spread(feature, np.array(0), np.int64),
        threshold=spread(_beside_zero(numbers["threshold"]), no_count, np.float64),
        missing_right=spread(missing_right, np.array(False), np.bool_),
        value=spread(no_count, numbers["leaf_value"], np.float64),
        weight=spread(numbers["internal_count"], numbers["leaf_count"], np.float64),
        rows=spread(numbers["internal_count"], numbers["leaf_count"], np.float64).astype(np.int64),
        number=np.where(is_test, -1, own - np.repeat(n_tests, sizes)),
        gain=spread(np.maximum(numbers["split_gain"], 0.0), no_count, np.float64),
        sets=_sets(text, values, np.flatnonzero(is_test)),
    )
    return trees, zero


def _beside_zero(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds for numbers as they are: LightGBM reads those of at most 1e-35 in size as 0.0."""
    below = np.nextafter(-ZERO_LIMIT, -np.inf)
    found = np.where((threshold >= 0.0) & (threshold < ZERO_LIMIT), ZERO_LIMIT, threshold)
    return np.where((threshold < 0.0) & (threshold >= -ZERO_LIMIT), below, found)


def _missing_ways(
    kind: Ints, threshold: NDArray[np.float64], feature: Ints, by_set: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], frozenset[int]]:
    """Return where missing values go at each test, and the features whose zeros are missing.

    NaN is missing, or 0.0, or both are missing, as the test says. Where zeros would go another way than the
    missing values, they have to be told apart from other numbers: the whole feature counts them as missing,
    which all tests of it have to agree with.
    """
    type_, default_right = (kind >> 2) & 3, (kind & DEFAULT_LEFT) == 0
    zero_right = ~(threshold >= 0.0)
    right = np.where(type_ == NONE, zero_right, default_right)
    right[by_set] = True  # whatever is not in the set
    as_it_is = np.where(default_right, threshold < -ZERO_LIMIT, threshold >= ZERO_LIMIT)
    odd = ~by_set & (type_ == ZERO) & ~as_it_is
    zero = frozenset(np.unique(feature[odd]).tolist())
    for one in zero:
        mine = ~by_set & (feature == one) & (type_ != ZERO)
        if ((right[mine] != zero_right[mine]) | (np.abs(threshold[mine]) <= ZERO_LIMIT)).any():
            unsupported(f"feature {one} takes 0 for a missing value in some trees and not in others")
    return right, zero
