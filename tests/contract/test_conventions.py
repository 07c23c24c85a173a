"""Conventions of scikit-learn that users count on beyond `check_estimator`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from tests.contract.data import numeric_table
from tests.contract.entries import make_entry


@pytest.fixture
def handing_on(new):
    """Return a subclass that takes any parameter and hands it on."""
    base = type(new())

    class HandsOn(base):
        def __init__(self, extra=1, **kwargs):
            super().__init__(**kwargs)
            self.extra = extra

    return HandsOn


def test_a_subclass_may_hand_parameters_on(new, task, handing_on, answer):
    X, y = numeric_table(task, 80)
    params = {name: value for name, value in new().get_params(deep=False).items() if value is not None}
    own = handing_on(extra=7, **params)
    np.testing.assert_array_equal(answer(own.fit(X, y), X), answer(new().fit(X, y), X))
    assert own.get_params(deep=False) == {**new().get_params(deep=False), "extra": 7}
    copy = clone(own)
    assert copy.get_params(deep=False).keys() == own.get_params(deep=False).keys()
    assert (copy.extra, repr(copy)) == (7, repr(own))
    assert not hasattr(copy, "model_")
    assert own.set_params(extra=9).extra == 9
    with pytest.raises(TypeError, match="HandsOn got an unexpected parameter 'max_dept'"):
        handing_on(max_dept=3)


def test_a_search_keeps_the_parameters_that_a_subclass_hands_on(new, task, handing_on):
    X, y = numeric_table(task, 80)
    params = new().get_params(deep=False)
    name, value = ("n_estimators", 3) if "n_estimators" in params else ("n_jobs", 1)
    other = "random_state" if name == "n_estimators" else "max_depth"
    search = GridSearchCV(handing_on(**{name: value}), {other: [1, 2]}, cv=2).fit(X, y)
    assert getattr(search.best_estimator_, name) == value
    assert getattr(search.best_estimator_, other) in (1, 2)


def test_a_subclass_may_set_a_parameter_of_its_base_itself(new, task):
    base, X, y = type(new()), *numeric_table(task, 80)
    name = "n_estimators" if "n_estimators" in new().get_params() else "max_depth"

    class Fixed(base):
        def __init__(self, **kwargs):
            super().__init__(**{name: 2}, **kwargs)

    copy = clone(Fixed(random_state=3))
    assert (getattr(copy, name), copy.random_state) == (2, 3)
    assert len(copy.fit(X, y).predict(X)) == 80


def test_trees_and_forests_have_one_output(new, task, is_booster):
    if is_booster:
        pytest.skip("scikit-learn's boosters do not tell either")
    X, y = numeric_table(task, 80)
    fitted = new().fit(X, y)
    assert fitted.n_outputs_ == 1
    assert pickle.loads(pickle.dumps(fitted)).n_outputs_ == 1
    assert not hasattr(new(), "n_outputs_")


def test_a_forest_is_a_sequence_of_its_trees(new, task, is_forest):
    if not is_forest:
        pytest.skip("not a forest")
    X, y = numeric_table(task, 80)
    forest = new(n_estimators=4)
    assert forest, "an estimator that is not fitted is no nothing"
    for use in (len, list, lambda unfitted: unfitted[0]):
        with pytest.raises(NotFittedError):
            use(forest)
    forest.fit(X, y)
    assert len(forest) == len(forest.estimators_) == 4
    for tree, same, position in zip(forest, forest.estimators_, range(4), strict=True):
        for one in (same, forest[position], forest[position - 4]):
            np.testing.assert_array_equal(tree.predict(X), one.predict(X))
    assert len(forest[1:3]) == 2
    with pytest.raises(IndexError, match="tree 4 does not exist"):
        forest[4]


def test_the_trees_of_a_forest_answer_with_the_labels_of_y(task, entry, is_forest):
    if not is_forest or task != "classification":
        pytest.skip("not a forest for classes")
    X, y = numeric_table(task, 80)
    names = np.array(["low", "mid", "top"])
    forest = make_entry(entry).fit(X, names[y])
    for tree in forest:
        assert set(tree.predict(X)) <= set(names)
        assert tree.classes_.tolist() == forest.classes_.tolist()


def test_log_loss_is_another_name_of_entropy(new, task, answer, accepts):
    if not accepts("criterion") or "log_loss" not in type(new())._choices["criterion"]:
        pytest.skip("no such criterion")
    X, y = numeric_table(task, 80)
    fitted = new(criterion="log_loss", random_state=0).fit(X, y)
    assert fitted.criterion == "log_loss"
    assert fitted.model_.criterion == "entropy"
    expected = new(criterion="entropy", random_state=0).fit(X, y)
    np.testing.assert_array_equal(answer(fitted, X), answer(expected, X))


def test_carts_and_forests_for_classes_know_log_loss(new, entry, task, accepts):
    if task == "classification" and entry[0] in ("cart", "random_forest", "extra_trees"):
        assert "log_loss" in type(new())._choices["criterion"]
