"""C4.5: its three versions, what each fixes, and how rows without an answer are answered."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils._param_validation import InvalidParameterError

import treewright
from treewright import C45Classifier
from treewright.datasets import load_loans, load_tennis
from treewright.measures import entropy

PROGRAMS = ["r8", "j48"]
MODES = [*PROGRAMS, "textbook"]

GOLF = pd.DataFrame(
    {
        "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast", "sunny", "sunny",
                    "rain", "sunny", "overcast", "overcast", "rain"],
        "temperature": [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71],
        "humidity": [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80],
        "windy": [False, True, False, False, False, True, True, False, False, False, True, True, False, True],
    }
)  # fmt: skip
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


def words(estimator, node=0):
    """Return a tree as nested text: {condition: subtree or the distribution of a leaf}."""
    tree, view = estimator.tree_, estimator.model_.view()
    if tree.n_children[node] == 0:
        return tree.value[node, 0].round(4).tolist()
    first = int(tree.first_child[node])
    return {
        view[node].split.describe(branch): words(estimator, first + branch)
        for branch in range(int(tree.n_children[node]))
    }


def mixed_table(n_rows=500, seed=0):
    """Return a frame with missing values whose tree is large, and much of it noise."""
    generator = np.random.default_rng(seed)
    categories = {
        name: generator.choice(list("abcde")[:n], n_rows) for name, n in [("p", 2), ("q", 3), ("r", 5)]
    }
    numbers = {name: generator.normal(size=n_rows).round(2) for name in "uvw"}
    frame = pd.DataFrame({name: c.astype(object) for name, c in categories.items()} | numbers)
    score = (frame["r"] == "a") + (frame["q"] == "b") * frame["u"] + (frame["v"] > 0.5) * (frame["p"] == "a")
    y = np.array(["no", "maybe", "yes"], dtype=object)[np.digitize(score, [0.3, 1.2])]
    noise = generator.random(n_rows) < 0.25
    y[noise] = generator.choice(["yes", "no", "maybe"], noise.sum())
    return frame.mask(generator.random(frame.shape) < 0.05), y


# --- the published examples
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", PROGRAMS)
def test_the_golf_tree_is_quinlans(mode):
    assert words(C45Classifier(faithful=mode).fit(GOLF, PLAY)) == {
        "outlook = sunny": {"humidity ≤ 75": [0, 1], "humidity > 75": [1, 0]},
        "outlook = overcast": [0, 1],
        "outlook = rain": {"windy = False": [0, 1], "windy = True": [1, 0]},
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_tennis_table_splits_on_outlook(mode):
    X, y, names, _ = load_tennis()
    tree = C45Classifier(faithful=mode).fit(X, y).tree_
    assert names[tree.feature[0]] == "outlook"
    assert tree.gain[0] / 14 == pytest.approx(0.2467, abs=5e-5)


def test_the_textbooks_loan_tree_asks_for_the_house_then_for_the_job():
    X, y, names, _ = load_loans()
    estimator = C45Classifier(faithful="textbook").fit(X, y)
    tree = estimator.tree_
    assert [names[feature] for feature in tree.feature[tree.n_children > 0]] == ["house", "job"]
    assert tree.n_leaves == 3


def test_the_textbooks_threshold_is_half_way_and_has_the_largest_gain():
    estimator = C45Classifier(faithful="textbook", max_depth=1).fit(GOLF[["humidity"]], PLAY)
    assert estimator.tree_.threshold[0] == 82.5
    assert estimator.tree_.gain[0] / 14 == pytest.approx(0.1022, abs=5e-5)


# --- the textbook's ε
# ------------------------------------------------------------------------------------------------------------


def test_the_textbooks_epsilon_is_compared_with_the_ratio():
    X, y, _, _ = load_tennis()
    ratio = 0.2467498 / 1.5774063
    fit = C45Classifier(faithful="textbook", min_gain=ratio * 0.9999).fit
    assert fit(X, y).tree_.node_count > 1
    with pytest.warns(UserWarning, match="no split was within min_gain"):
        assert C45Classifier(faithful="textbook", min_gain=ratio * 1.0001).fit(X, y).tree_.node_count == 1
    with_gain = C45Classifier(faithful="textbook", criterion="gain", min_gain=0.2467).fit(X, y)
    assert with_gain.tree_.node_count > 1


def test_the_textbook_makes_no_split_without_gain():
    X, y = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]], [0, 1, 1, 0]
    assert C45Classifier(faithful="textbook").fit(X, y).get_n_leaves() == 1


def test_a_numeric_feature_may_be_cut_again_and_a_nominal_one_not():
    X = np.array([[0, "a"], [1, "a"], [2, "a"], [3, "b"]], dtype=object)
    estimator = C45Classifier(faithful="textbook").fit(X, [0, 1, 0, 1])
    tree = estimator.tree_
    assert estimator.score(X, [0, 1, 0, 1]) == 1
    assert np.bincount(tree.feature[tree.n_children > 0], minlength=2).tolist() == [3, 0]


# --- what a version fixes
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "params", "allowed"),
    [
        ("r8", {"subtree_raising": False}, "faithful='j48'"),
        ("r8", {"collapse": False}, "faithful='j48'"),
        ("r8", {"mdl_correction": False}, "faithful='j48'"),
        ("r8", {"binary_splits": True}, "faithful='j48'"),
        ("r8", {"laplace": True}, "faithful='j48'"),
        ("r8", {"min_gain": 0.0}, "faithful='textbook'"),
        ("j48", {"criterion": "gain"}, "faithful='r8' or faithful='textbook'"),
        ("j48", {"group_values": True}, "faithful='r8'"),
        ("j48", {"min_gain": 0.1}, "faithful='textbook'"),
        ("textbook", {"min_samples_branch": 3}, "faithful='r8' or faithful='j48'"),
        ("textbook", {"confidence_factor": 0.1}, "faithful='r8' or faithful='j48'"),
        ("textbook", {"subtree_raising": False}, "faithful='j48'"),
        ("textbook", {"collapse": False}, "faithful='j48'"),
        ("textbook", {"mdl_correction": False}, "faithful='j48'"),
        ("textbook", {"group_values": True}, "faithful='r8'"),
        ("textbook", {"binary_splits": True}, "faithful='j48'"),
        ("textbook", {"laplace": True}, "faithful='j48'"),
    ],
)
def test_an_option_that_the_version_fixes_is_refused_with_the_version_that_has_it(mode, params, allowed):
    ((name, value),) = params.items()
    with pytest.raises(InvalidParameterError) as caught:
        C45Classifier(faithful=mode, **params).fit([[1], [2]], [0, 1])
    message = str(caught.value)
    assert message.startswith(
        f"The {name!r} parameter of C45Classifier cannot be {value!r} with faithful={mode!r}"
    )
    assert message.endswith(f"It can be chosen with {allowed}.")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"faithful": "c50"}, "must be a str among {'r8', 'j48', 'textbook'}. Got 'c50' instead."),
        ({"criterion": "gini"}, "must be a str among {'gain_ratio', 'gain'}. Got 'gini' instead."),
        ({"min_samples_branch": 0.5}, "a float in the range [1.0, inf). Got 0.5 instead."),
        ({"confidence_factor": 0}, "a float in the range (0.0, 1.0). Got 0 instead."),
        ({"confidence_factor": 25}, "a float in the range (0.0, 1.0). Got 25 instead."),
        ({"group_values": "yes"}, "an instance of 'bool'. Got 'yes' instead."),
        ({"prune": "no"}, "'reduced_error', 'pessimistic_error'} or None. Got 'no' instead."),
    ],
)
def test_a_bad_value_is_refused(params, message):
    with pytest.raises(InvalidParameterError) as caught:
        C45Classifier(**params).fit([[1], [2]], [0, 1])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("foreign", "hint"),
    [
        ("confidenceFactor", "'confidenceFactor' is WEKA's name; here it is 'confidence_factor'."),
        ("minNumObj", "'minNumObj' is WEKA's name; here it is 'min_samples_branch'."),
        ("unpruned", "'unpruned' is WEKA's name; here it is 'prune'."),
        ("CF", "'CF' is C4.5's name; here it is 'confidence_factor'."),
        ("min_branch", "Did you mean 'min_samples_branch'?"),
    ],
)
def test_names_of_the_programs_are_known(foreign, hint):
    with pytest.raises(TypeError, match="unexpected parameter") as caught:
        C45Classifier(**{foreign: 1})
    assert str(caught.value).endswith(hint)


# --- pruning
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", PROGRAMS)
def test_pruning_shrinks_the_tree_more_the_smaller_the_confidence(mode):
    X, y = mixed_table()
    leaves = [
        C45Classifier(faithful=mode, confidence_factor=confidence).fit(X, y).get_n_leaves()
        for confidence in (0.5, 0.25, 0.01)
    ]
    unpruned = C45Classifier(faithful=mode, prune=None).fit(X, y).get_n_leaves()
    assert unpruned > leaves[0] >= leaves[1] > leaves[2]


def test_pruning_has_no_effect_on_the_textbooks_tree():
    X, y = mixed_table()
    default = C45Classifier(faithful="textbook").fit(X, y)
    unpruned = C45Classifier(faithful="textbook", prune=None).fit(X, y)
    assert words(default) == words(unpruned)
    smaller = C45Classifier(faithful="textbook", ccp_alpha=0.02).fit(X, y)
    assert smaller.get_n_leaves() < default.get_n_leaves()


@pytest.mark.parametrize("mode", PROGRAMS)
def test_a_tree_is_pruned_in_one_way(mode):
    X, y = mixed_table()
    with pytest.raises(InvalidParameterError, match=r"Pass prune=None to prune by ccp_alpha alone"):
        C45Classifier(faithful=mode, ccp_alpha=0.01).fit(X, y)
    unpruned = C45Classifier(faithful=mode, prune=None)
    path = C45Classifier(faithful=mode).cost_complexity_pruning_path(X, y)
    expected = unpruned.cost_complexity_pruning_path(X, y)
    np.testing.assert_array_equal(path.ccp_alphas, expected.ccp_alphas)
    sizes = [
        unpruned.set_params(ccp_alpha=float(alpha)).fit(X, y).get_n_leaves() for alpha in path.ccp_alphas
    ]
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)


def test_without_collapse_splits_that_save_no_error_stay():
    X, y = mixed_table()
    grown = C45Classifier(faithful="j48", prune=None, collapse=False).fit(X, y)
    collapsed = C45Classifier(faithful="j48", prune=None).fit(X, y)
    assert grown.get_n_leaves() > collapsed.get_n_leaves()
    known = X.notna().all(axis=1)
    np.testing.assert_array_equal(grown.predict(X[known]), collapsed.predict(X[known]))


@pytest.mark.parametrize(
    ("mode", "params"),
    [
        ("r8", {"criterion": "gain"}),
        ("r8", {"min_samples_branch": 10.5}),
        ("r8", {"group_values": True}),
        ("j48", {"subtree_raising": False}),
        ("j48", {"mdl_correction": False}),
        ("j48", {"binary_splits": True}),
        ("textbook", {"criterion": "gain"}),
    ],
)
def test_every_option_changes_the_tree(mode, params):
    X, y = mixed_table()
    plain = C45Classifier(faithful=mode).fit(X, y)
    assert words(C45Classifier(faithful=mode, **params).fit(X, y)) != words(plain)


def test_binary_splits_put_one_category_against_the_rest():
    X, y = mixed_table()
    tree = C45Classifier(faithful="j48", binary_splits=True, prune=None).fit(X, y).tree_
    assert set(tree.n_children.tolist()) == {0, 2}
    assert (tree.kind == 2).any()


def test_grouped_values_share_a_branch():
    frame = pd.DataFrame({"c": list("abcd") * 10})
    y = [value in "ab" for value in "abcd"] * 10
    assert C45Classifier().fit(frame, y).get_n_leaves() == 4
    assert words(C45Classifier(group_values=True).fit(frame, y)) == {
        "c in {a, b}": [0, 1],
        "c in {c, d}": [1, 0],
    }


# --- Laplace
# ------------------------------------------------------------------------------------------------------------


def test_laplace_counts_one_more_row_of_each_class_in_every_leaf(tmp_path):
    X, y = mixed_table()
    plain = C45Classifier(faithful="j48").fit(X, y)
    laplace = C45Classifier(faithful="j48", laplace=True).fit(X, y)
    assert words(laplace) == words(plain)
    np.testing.assert_array_equal(laplace.predict(X), plain.predict(X))
    known = X.notna().all(axis=1).to_numpy()
    leaf = plain.apply(X[known])
    weight = plain.tree_.weighted_n_node_samples[leaf][:, None]
    expected = (plain.tree_.value[leaf, 0] * weight + 1) / (weight + 3)
    found = laplace.predict_proba(X)
    np.testing.assert_allclose(found[known], expected)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(laplace.predict_log_proba(X), np.log(found))
    laplace.save(tmp_path / "m.tree")
    for copied in (pickle.loads(pickle.dumps(laplace)), treewright.load(tmp_path / "m.tree")):
        np.testing.assert_array_equal(copied.predict_proba(X), found)
        np.testing.assert_array_equal(copied.predict(X), laplace.predict(X))


def test_laplace_mixes_leaves_where_a_row_is_shared_and_uses_the_parent_of_an_empty_branch():
    frame = pd.DataFrame({"c": pd.Categorical(list("aaaabb"), categories=["a", "b", "never"])})
    estimator = C45Classifier(faithful="j48", laplace=True).fit(frame, [0, 0, 0, 0, 1, 1])
    a, b = np.array([5, 1]) / 6, np.array([1, 3]) / 4
    np.testing.assert_allclose(estimator.predict_proba(pd.DataFrame({"c": ["a", "b"]})), [a, b])
    np.testing.assert_allclose(estimator.predict_proba(pd.DataFrame({"c": [None]})), [4 / 6 * a + 2 / 6 * b])
    np.testing.assert_allclose(estimator.predict_proba(pd.DataFrame({"c": ["never"]})), [[5 / 8, 3 / 8]])


# --- rows without an answer
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_missing_and_unseen_values_are_shared_among_the_branches(mode):
    frame = pd.DataFrame({"c": list("aaaabbbb")})
    estimator = C45Classifier(faithful=mode).fit(frame, [0, 0, 0, 0, 1, 1, 1, 1])
    new = pd.DataFrame({"c": ["a", "b", None, "unseen"]})
    np.testing.assert_allclose(estimator.predict_proba(new), [[1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("mode", "expected"), [("r8", [1, 0]), ("j48", [0.6, 0.4]), ("textbook", [0.6, 0.4])]
)
def test_a_declared_category_without_rows_answers_as_its_program_does(mode, expected):
    frame = pd.DataFrame({"c": pd.Categorical(list("aaaaaabbbb"), categories=["never", "a", "b"])})
    estimator = C45Classifier(faithful=mode).fit(frame, [0] * 6 + [1] * 4)
    assert estimator.tree_.weighted_n_node_samples.tolist() == [10, 0, 6, 4]
    np.testing.assert_allclose(estimator.predict_proba(pd.DataFrame({"c": ["never"]})), [expected])


@pytest.mark.parametrize("mode", MODES)
def test_a_column_without_a_known_value_is_never_tested(mode):
    frame = pd.DataFrame(
        {
            "text": [None] * 8,
            "number": [np.nan] * 8,
            "c": pd.Categorical([None] * 8, categories=["u"]),
            "x": range(8),
        }
    )
    estimator = C45Classifier(faithful=mode).fit(frame, [0] * 4 + [1] * 4)
    assert estimator.feature_importances_.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("mode", MODES)
def test_infinite_values_are_the_largest_and_smallest(mode):
    X = np.array([[-np.inf], [-np.inf], [0], [1], [2], [np.inf], [np.inf], [np.inf]])
    y = [0, 0, 1, 1, 1, 2, 2, 2]
    estimator = C45Classifier(faithful=mode).fit(X, y)
    assert estimator.predict(X).tolist() == y


@pytest.mark.parametrize("mode", MODES)
def test_one_class_gives_a_single_leaf(mode):
    estimator = C45Classifier(faithful=mode).fit(GOLF, ["only"] * 14)
    assert estimator.tree_.node_count == 1
    assert estimator.predict_proba(GOLF).tolist() == [[1.0]] * 14


@pytest.mark.parametrize("mode", MODES)
def test_bad_weights_are_refused(mode):
    for weights, words_of_error in ([[1, -1], "Negative values"], [[0, 0], "at least one non-zero number"]):
        with pytest.raises(ValueError, match=words_of_error):
            C45Classifier(faithful=mode).fit([[1], [2]], [0, 1], sample_weight=weights)


# --- classes and weights
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_declared_order_breaks_ties(mode):
    frame = pd.DataFrame({"c": ["a", "a", "a", "a"]})
    y = pd.Categorical(["yes", "no", "yes", "no"], categories=["yes", "never", "no"])
    estimator = C45Classifier(faithful=mode).fit(frame, y)
    assert estimator.classes_.tolist() == ["no", "yes"]
    assert estimator.class_order_.tolist() == ["yes", "never", "no"]
    assert estimator.predict(frame).tolist() == ["yes"] * 4
    assert C45Classifier(faithful=mode).fit(frame, y.tolist()).predict(frame).tolist() == ["no"] * 4
    restored = pickle.loads(pickle.dumps(estimator))
    assert restored.predict(frame).tolist() == ["yes"] * 4


@pytest.mark.parametrize("mode", MODES)
def test_probabilities_stand_in_the_order_of_the_sorted_classes(mode):
    X, y = mixed_table()
    plain = C45Classifier(faithful=mode).fit(X, y)
    declared = C45Classifier(faithful=mode).fit(X, pd.Categorical(y, categories=["yes", "maybe", "no"]))
    np.testing.assert_allclose(declared.predict_proba(X), plain.predict_proba(X))
    assert declared.classes_.tolist() == plain.classes_.tolist() == ["maybe", "no", "yes"]


@pytest.mark.parametrize("mode", PROGRAMS)
def test_declared_classes_without_rows_lower_the_smallest_numeric_branch(mode):
    # Of 100 rows 3 are apart: with two classes a side needs 0.1 * 100 / 2 = 5 rows, with five classes 2.
    X, y = np.arange(100)[:, None], np.array(["a"] * 3 + ["b"] * 97)
    declared = pd.Categorical(y, categories=["a", "b", "c", "d", "e"])
    assert C45Classifier(faithful=mode).fit(X, declared).tree_.threshold[0] == 2
    two = C45Classifier(faithful=mode, prune=None).fit(X, y).tree_
    assert two.threshold[0] != 2


@pytest.mark.parametrize("mode", MODES)
def test_a_class_that_only_rows_of_weight_zero_have_does_not_count(mode):
    X, y = np.arange(100)[:, None], np.array([0] * 6 + [1] * 94)
    weights = np.ones(101)
    weights[-1] = 0
    weighted = C45Classifier(faithful=mode).fit(
        np.vstack([X, [[50]]]), np.append(y, 2), sample_weight=weights
    )
    plain = C45Classifier(faithful=mode).fit(X, y)
    assert weighted.tree_.threshold[0] == plain.tree_.threshold[0]
    np.testing.assert_array_equal(weighted.predict(X), plain.predict(X))


# Not J48: it counts rows, whatever their weight, before it cuts a numeric feature.
@pytest.mark.parametrize("params", [{}, {"group_values": True}, {"faithful": "textbook"}])
def test_a_weight_of_two_equals_the_row_twice(params):
    X, y = mixed_table(300)
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    weighted = C45Classifier(**params).fit(X, y, sample_weight=weights)
    repeated = C45Classifier(**params).fit(X.loc[X.index.repeat(weights)], np.repeat(y, weights))
    assert words(weighted) == words(repeated)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_the_impurity_of_the_root_is_the_entropy_of_the_classes():
    X, y = mixed_table()
    tree = C45Classifier().fit(X, y).tree_
    assert tree.impurity[0] == pytest.approx(entropy(y))


@pytest.mark.parametrize("mode", PROGRAMS)
def test_a_limit_that_leaves_no_split_is_named(mode):
    with pytest.warns(UserWarning, match=r"no split was within min_samples_branch=50\."):
        C45Classifier(faithful=mode, min_samples_branch=50).fit(GOLF, PLAY)


def test_grouping_refuses_a_column_of_very_many_categories_by_name() -> None:
    table = pd.DataFrame({"city": pd.Categorical(range(1001)), "size": 1.0})
    with pytest.raises(ValueError, match="Column 'city' has 1001 categories"):
        C45Classifier(group_values=True).fit(table, [0, 1, 0] * 333 + [0, 1])
