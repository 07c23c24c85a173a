"""Parameters: documented, checked and explained from one table."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

from treewright import ALGORITHMS, CARTClassifier, CARTRegressor, LeafwiseBoostingRegressor
from treewright.boost_params import BOOST_ADVICE, BOOST_NAMES
from treewright.fitting.estimator import Estimator
from treewright.param import ArrayLike, Choice, Number
from treewright.params import FOREIGN_NAMES, OTHER_MEANINGS, PARAMS, param_of

CLASSES = [cls for tasks in ALGORITHMS.values() for cls in tasks.values()]
X, Y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])


@pytest.mark.parametrize("cls", CLASSES)
def test_every_argument_is_in_the_table_and_in_the_docstring(cls):
    arguments = [name for name in inspect.signature(cls).parameters if name != "self"]
    assert set(arguments) <= set(PARAMS)
    assert re.findall(r"^(\w+) : .*, default=", cls.__doc__, re.MULTILINE) == arguments
    assert "{choices}" not in cls.__doc__


@pytest.mark.parametrize("cls", CLASSES)
def test_every_default_is_accepted_and_keyword_only(cls):
    cls()._validate_params()
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name not in ("estimator", "n_estimators"):  # as in scikit-learn
            assert parameter.kind is parameter.KEYWORD_ONLY
    for name, default in cls._defaults.items():
        choices = cls._choices.get(name)
        accepts = param_of(name, cls._family).accepts
        accepted = accepts if choices is None else (Choice(choices), *accepts)
        assert any(constraint.accepts(default) for constraint in accepted), name


def test_every_entry_of_the_table_is_used():
    assert set(PARAMS) == {name for cls in CLASSES for name in cls._defaults}
    for family, meanings in OTHER_MEANINGS.items():
        assert set(meanings) <= {name for cls in CLASSES if cls._family == family for name in cls._defaults}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_depth": -3}, "must be an int in the range [1, inf) or None. Got -3 instead."),
        ({"max_depth": 2.0}, "must be an int in the range [1, inf) or None. Got 2.0 instead."),
        ({"max_depth": True}, "must be an int in the range [1, inf) or None. Got True instead."),
        ({"criterion": "gain"}, "must be a str among {'gini', 'entropy', 'log_loss'}. Got 'gain' instead."),
        ({"missing": None}, "must be a str among {'learned', 'surrogate', 'majority'}. Got None instead."),
        (
            {"min_samples_leaf": 0},
            "an int in the range [1, inf) or a float in the range (0.0, 1.0). Got 0 instead.",
        ),
        ({"min_samples_leaf": 1.0}, "Got 1.0 instead."),
        ({"min_samples_split": 1}, "an int in the range [2, inf) or a float in the range (0.0, 1.0]."),
        ({"min_weight_fraction_leaf": 0.6}, "a float in the range [0.0, 0.5]. Got 0.6 instead."),
        ({"min_impurity_decrease": -1e-9}, "a float in the range [0.0, inf)"),
        ({"min_gain": float("nan")}, "a float in the range [0.0, inf) or None. Got nan instead."),
        ({"max_features": "all"}, "a str among {'sqrt', 'log2'} or None. Got 'all' instead."),
        ({"max_leaf_nodes": 1}, "an int in the range [2, inf) or None"),
        ({"class_weight": "even"}, "an instance of 'dict', a str among {'balanced'} or None"),
        ({"priors": 0.5}, "an instance of 'dict', an array-like or None"),
        ({"monotonic_cst": "up"}, "an array-like or None. Got 'up' instead."),
        ({"ccp_alpha": -0.1}, "a float in the range [0.0, inf). Got -0.1 instead."),
        ({"random_state": -1}, "RandomState' or None. Got -1 instead."),
        ({"n_jobs": "two"}, "Got 'two' instead."),
        ({"n_jobs": 0}, "Got 0 instead."),
        ({"surrogates": 1.5}, "an int in the range [0, inf). Got 1.5 instead."),
        ({"categorical_features": "auto"}, "a str among {'from_dtype'}, an array-like or None. Got 'auto'"),
    ],
)
def test_a_bad_value_is_refused_at_fit_in_the_words_of_scikit_learn(params, message):
    (name,) = params
    estimator = CARTClassifier(**params)
    with pytest.raises(InvalidParameterError) as caught:
        estimator.fit(X, Y)
    assert str(caught.value).startswith(f"The {name!r} parameter of CARTClassifier must be ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": np.int64(2)},
        {"min_samples_split": np.float32(0.5)},
        {"min_samples_leaf": 0.1},
        {"max_features": "sqrt"},
        {"min_impurity_decrease": 0},
        {"min_gain": 0},
        {"class_weight": {0: 1, 1: 2}},
        {"priors": [0.5, 0.5]},
        {"monotonic_cst": (1,)},
        {"random_state": np.random.RandomState(0)},
        {"n_jobs": -1},
        {"categorical_features": [0]},
    ],
)
def test_good_values_of_every_type_are_accepted(params):
    CARTClassifier(**params).fit(X, Y)


def test_criteria_depend_on_the_task():
    CARTRegressor(criterion="poisson").fit(X, Y)
    with pytest.raises(InvalidParameterError, match="'squared_error', 'absolute_error', 'poisson'"):
        CARTRegressor(criterion="gini").fit(X, Y)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("min_leaf", " Did you mean 'min_samples_leaf'?"),
        ("max_dept", " Did you mean 'max_depth'?"),
        ("criterium", " Did you mean 'criterion'?"),
        ("num_leaves", " 'num_leaves' is LightGBM's name; here it is 'max_leaf_nodes'."),
        ("minbucket", " 'minbucket' is rpart's name; here it is 'min_samples_leaf'."),
        ("nthread", " 'nthread' is XGBoost's name; here it is 'n_jobs'."),
        ("sample_weight", " Weights are passed to fit."),
        ("eval_set", ""),  # advice for boosters only
        ("eta", ""),  # the name of something that a single tree does not have
        ("zzz", ""),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_one(name, hint):
    with pytest.raises(TypeError) as caught:
        CARTClassifier(**{name: 1})
    assert str(caught.value) == f"CARTClassifier got an unexpected parameter '{name}'.{hint}"
    with pytest.raises(ValueError, match=f"Invalid parameter '{name}'") as caught:
        CARTClassifier().set_params(**{name: 1})
    assert str(caught.value).endswith(hint)


def test_foreign_names_are_never_our_own():
    assert not set(FOREIGN_NAMES) & set(PARAMS)
    assert not set(BOOST_ADVICE) & set(FOREIGN_NAMES)
    # Names that other estimators of ours have are answered where a booster lacks them.
    boosters = [cls for cls in CLASSES if "learning_rate" in cls._defaults]
    for name in set(BOOST_ADVICE) & set(PARAMS):
        assert any(name not in cls._defaults for cls in boosters)


@pytest.mark.parametrize(
    "name", sorted({**BOOST_NAMES, **BOOST_ADVICE}.keys() - LeafwiseBoostingRegressor._defaults.keys())
)
def test_a_booster_answers_every_name_of_other_boosters(name):
    with pytest.raises(TypeError) as caught:
        LeafwiseBoostingRegressor(**{name: 1})
    message = str(caught.value).removeprefix(
        f"LeafwiseBoostingRegressor got an unexpected parameter '{name}'."
    )
    if BOOST_NAMES.get(name, ("", ""))[1] == "class_weight":  # which numbers do not have
        return
    assert BOOST_ADVICE.get(name) == message.strip() or "here it is" in message


def test_the_signature_shows_no_varargs_and_clone_keeps_values():
    kinds = {p.kind for p in inspect.signature(CARTClassifier.__init__).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    weight = {0: 1.0}
    assert clone(CARTClassifier(class_weight=weight, max_depth=3)).get_params()["max_depth"] == 3


def test_a_subclass_with_its_own_parameter_keeps_its_docstring():
    class Mine(CARTClassifier):
        """Mine."""

        def __init__(self, *, depth=3):
            super().__init__(max_depth=depth)
            self.depth = depth

    assert Mine.__doc__ == "Mine."
    Mine().fit(X, Y)
    with pytest.raises(TypeError, match=r"Mine got an unexpected parameter 'dept'\. Did you mean 'depth'\?"):
        Mine(dept=3)


def test_parameters_document_themselves_before_the_first_section():
    class Documented(Estimator):
        """A summary.

        Attributes
        ----------
        x : int
        """

        def __init__(self, *, max_depth=None):
            self.max_depth = max_depth

    text = Documented.__doc__
    assert (
        text.index("A summary.")
        < text.index("max_depth : int or None, default=None")
        < text.index("Attributes")
    )


def test_the_words_of_constraints():
    assert Number("float", 0.0, 1.0, "both").words == "a float in the range [0.0, 1.0]"
    assert not ArrayLike().accepts("text")
    assert not ArrayLike().accepts({})
    assert ArrayLike().accepts((1, 2))
