"""Estimator: what every estimator does with its parameters and with the model that it made.

A subclass only writes `__init__`; it gets the docstring section, validation and help with misspelt names. Its
`fit` is `all_or_nothing` and, where other libraries have more arguments, `helpful_fit`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from copy import deepcopy
from numbers import Integral
from typing import IO, Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from treewright import store
from treewright.boost_params import FIT_ADVICE
from treewright.data import read_table
from treewright.data.scan import Scan
from treewright.exceptions import VersionMismatchWarning
from treewright.fitting import feature_effects
from treewright.fitting.importances import tree_importances
from treewright.fitting.parameters import documented, suggestion
from treewright.fitting.progress import CallbackSupportMixin
from treewright.model import Model
from treewright.param import Param
from treewright.params import PARAMS, param_of
from treewright.version import VERSION
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Estimator", "all_or_nothing", "helpful_fit", "in_batches"]

# Below this many ways of a row through a tree a second thread costs more than it gives.
ROWS_PER_THREAD = 4096
VERSION_KEY = "_treewright_version"
# Values that can be compared whatever they are.
PLAIN = (bool, int, float, str)

Owner = TypeVar("Owner")
Result = TypeVar("Result")
Given = ParamSpec("Given")
Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(
    method: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Let a method that raises, whatever and wherever, leave the attributes of its object as they were.

    Parameters
    ----------
    method : callable
        The method.

    Returns
    -------
    method : callable
        The same, undone when it does not end: Ctrl-C and errors may come at any line.
    """

    @functools.wraps(method)
    def whole(self: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            now: dict[str, Any] = vars(self)
            now.clear()
            now.update(before)
            raise

    return whole


def helpful_fit(fit: Fit) -> Fit:
    """Return the method with an answer to arguments of other libraries.

    Parameters
    ----------
    fit : callable
        The method.
    """
    names = tuple(inspect.signature(fit).parameters)

    @functools.wraps(fit)  # keeps the signature, which scikit-learn reads
    def helpful(self: Any, *args: Any, **kwargs: Any) -> Any:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is None:
            return fit(self, *args, **kwargs)
        advice = FIT_ADVICE.get(unknown)
        if advice is None and unknown in self._defaults:
            advice = f"{unknown!r} is a parameter of the constructor."
        hint = suggestion(unknown, names) if advice is None else f" {advice}"
        raise TypeError(f"{type(self).__name__}.fit got an unexpected argument {unknown!r}.{hint}")

    return helpful  # type: ignore[return-value]


Method = TypeVar("Method", bound=Callable[..., Any])


def in_batches(method: Method) -> Method:
    """Let a method that answers row by row take a scan: the answers of its batches, one after the other.

    Parameters
    ----------
    method : callable
        ``method(self, X, …)``, whose answer has one entry per row of X.
    """

    @functools.wraps(method)
    def answer(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(X, Scan):
            return method(self, X, *args, **kwargs)
        check_is_fitted(self, "model_")
        batches = X.batches_for(self.model_.schema)
        return np.concatenate([method(self, batch, *args, **kwargs) for batch in batches])

    return cast(Method, answer)


class Estimator(CallbackSupportMixin, BaseEstimator):
    """Base of all estimators: parameters from the table `PARAMS`, and a model once it is fitted."""

    _defaults: ClassVar[dict[str, Any]] = {}
    # Whether the constructor takes parameters that it does not name.
    _hands_on: ClassVar[bool] = False
    # What is known about each parameter of the table, with the words that the algorithm allows.
    _params: ClassVar[dict[str, Param]] = {}
    _choices: ClassVar[dict[str, tuple[str, ...]]] = {}
    # Whose meaning of a name counts where estimators differ (`treewright.params.OTHER_MEANINGS`).
    _family: ClassVar[str] = "tree"
    # What is predicted: "classification" or "regression".
    _task: ClassVar[str] = "regression"

    n_jobs: int | None

    model_: Model
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]
    class_order_: NDArray[Any]
    n_classes_: int
    n_outputs_: int

    # --- parameters
    # ---------------------------------------------------------------------------------------------

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" not in cls.__dict__:
            return
        init = cls.__dict__["__init__"]
        taken = [p for name, p in inspect.signature(init).parameters.items() if name != "self"]
        own = {p.name: p.default for p in taken if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        # A subclass that takes `**kwargs` hands them on, so it has the parameters of its base, too.
        cls._hands_on = len(own) < len(taken)
        cls._defaults = {**cls._defaults, **own} if cls._hands_on else own
        cls._params = {
            name: param_of(name, cls._family, cls._choices.get(name))
            for name in cls._defaults
            if name in PARAMS
        }
        helpful = _all_named(init, cls._defaults) if cls._hands_on else _with_help(init, tuple(cls._defaults))
        cls.__init__ = helpful  # type: ignore[method-assign]
        # A subclass made by a user may have parameters that are not ours, and documents them itself.
        if cls.__doc__ and cls._defaults.keys() == cls._params.keys():
            cls.__doc__ = documented(cls.__doc__, cls._defaults, cls._params)

    def __sklearn_clone__(self) -> Self:
        if not self._hands_on:
            return super().__sklearn_clone__()  # type: ignore[no-any-return]
        # Its constructor may set a parameter of the base itself, and would then be given it twice.
        copy = type(self).__new__(type(self))
        for name in self._defaults:
            setattr(copy, name, clone(getattr(self, name), safe=False))
        for name in ("_metadata_request", "_sklearn_output_config"):
            if name in self.__dict__:
                setattr(copy, name, deepcopy(getattr(self, name)))
        return copy

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, as in scikit-learn.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            The estimator.
        """
        try:
            return super().set_params(**params)  # type: ignore[no-any-return]
        except ValueError as error:
            unknown = next((name for name in params if name not in self._defaults), None)
            if unknown is None:
                raise
            raise ValueError(f"{error}{suggestion(unknown, self._defaults)}") from None

    def _kept_params(self) -> dict[str, Any]:
        """Return the parameters as a model keeps them: plain values, without functions and generators."""
        return {
            name: _kept_value(name, getattr(self, name), default) for name, default in self._defaults.items()
        }

    def _validate_params(self) -> None:
        owner = type(self).__name__
        for name, default in self._defaults.items():
            value = getattr(self, name)
            # The default is right: most parameters have it, and a fit on a small table takes microseconds.
            if value is default or (
                isinstance(value, PLAIN) and type(value) is type(default) and value == default
            ):
                continue
            if name in self._params:
                self._params[name].check(name, value, owner)
        self._check_together()

    def _check_together(self) -> None:
        """Refuse parameters that are right each, but not together."""

    # --- the model
    # ---------------------------------------------------------------------------------------------

    def _adopt_model(self, model: Model) -> None:
        """Take the model over, with what scikit-learn wants to know about its columns and classes."""
        if self._task == "classification":
            if model.classes is None or model.class_order is None:
                raise ValueError("a classifier needs a model with classes")
            self.classes_ = model.classes
            self.class_order_ = model.class_order
            self.n_classes_ = len(model.classes)
        self.model_ = model
        self.n_features_in_ = model.n_features
        self.n_outputs_ = 1  # numbers or classes that are predicted for a row
        if model.schema.names is not None:
            self.feature_names_in_ = model.schema.names
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _encode(self, X: Any) -> tuple[Model, NDArray[Any], int]:
        """Return the model, X as a matrix that matches it, and the number of threads worth using."""
        if "model_" not in self.__dict__:
            check_is_fitted(self)
        model = self.model_
        matrix = read_table(X, estimator_name=type(self).__name__, schema=model.schema).to_matrix()
        return model, matrix, self._threads(len(matrix))

    def _threads(self, n_rows: int) -> int:
        """Return the number of threads worth using for so many rows, each of which passes all trees."""
        is_small = n_rows * len(self.model_.trees) < ROWS_PER_THREAD
        return 1 if is_small else int(effective_n_jobs(self.n_jobs))

    # --- what features do to answers, and what algorithms say about it
    # ---------------------------------------------------------------------------------------------
    shap = feature_effects.shap
    iter_shap = feature_effects.iter_shap
    explain_shap = feature_effects.explain_shap
    partial_dependence = feature_effects.partial_dependence
    accumulated_effects = feature_effects.accumulated_effects
    importances = feature_effects.importances

    def _node_values(self) -> list[NDArray[np.float64]] | None:
        """Return what the nodes of each tree count in the answer; None: what the trees hold."""
        return None

    @property
    def _sums_to_one(self) -> bool:
        """Whether probabilities are divided by their sum."""
        return False

    def _shap_notes(self) -> tuple[str, ...]:
        """Return what a report about Shapley values says besides."""
        return ()

    def _matrix_values(self, matrix: NDArray[Any], n_threads: int) -> NDArray[np.float64]:
        """Return numbers in one column, or probabilities before calibration, of encoded rows."""
        return self.model_.values(matrix, n_threads)

    def _calibrated(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what such values are answered as."""
        return values

    def _tree_importances(
        self, kind: str, by_tree: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Return importances by what tests say, and a line per tree if asked for and known."""
        return tree_importances(self, kind, by_tree)

    # --- files
    # ---------------------------------------------------------------------------------------------

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Return a fitted estimator around a model, e.g. one that was read from a file.

        Parameters
        ----------
        model : Model
            A model that an estimator of this class made.

        Returns
        -------
        estimator : object
            The estimator, with the parameters of the model.
        """
        estimator = cls(**cls._params_of(model))
        estimator._validate_params()
        try:
            estimator._adopt_stored(model)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it lacks what a {cls.__name__} needs: {error}") from None
        return estimator

    @classmethod
    def _params_of(cls, model: Model) -> dict[str, Any]:
        """Return the parameters of the fit, which may have been changed since."""
        return dict(model.params)

    def _adopt_stored(self, model: Model) -> None:
        """Adopt a model from elsewhere; ValueError, KeyError or TypeError when something is missing."""
        self._adopt(model)

    def _adopt(self, model: Model) -> None:
        """Set every fitted attribute from the model."""
        self._adopt_model(model)

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the fitted model, with the parameters of its fit, to a file that `treewright.load` reads.

        Parameters
        ----------
        path : path-like or binary file object
            Where to; customarily named ``*.tree``. The file holds no pickle.
        """
        check_is_fitted(self, "model_")
        store.save(self.model_, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), VERSION_KEY: VERSION}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written_by = state.pop(VERSION_KEY, None)
        if written_by is not None and written_by != VERSION:
            warn_at_caller(
                f"This {type(self).__name__} was pickled by treewright {written_by}; this is treewright "
                f"{VERSION}. Files written by save() can be read by every later version, pickles may not.",
                VersionMismatchWarning,
            )
        super().__setstate__(state)


def _all_named(init: Callable[..., None], defaults: dict[str, Any]) -> Callable[..., None]:
    """Return a constructor whose signature, which scikit-learn reads, also names what it hands on."""

    @functools.wraps(init)
    def named(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    others = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
    ]
    named.__signature__ = inspect.Signature([first, *others])  # type: ignore[attr-defined]
    return named


def _with_help(init: Callable[..., None], names: tuple[str, ...]) -> Callable[..., None]:
    """Return a constructor that says what was meant by a name that it does not have."""

    @functools.wraps(init)  # keeps the signature, which scikit-learn reads
    def helpful(self: Any, *args: Any, **kwargs: Any) -> None:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is not None:
            owner = type(self).__name__
            raise TypeError(f"{owner} got an unexpected parameter '{unknown}'.{suggestion(unknown, names)}")
        init(self, *args, **kwargs)

    return helpful


def _kept_value(name: str, value: Any, default: Any) -> Any:
    """Return the value of a parameter as a model keeps it: plain, without functions and generators."""
    if name == "callbacks" or isinstance(value, np.random.RandomState):
        return None
    if name == "cv" and not isinstance(value, Integral):
        return default  # a splitter, or lists of rows, belong to the data
    if name == "oob_score" and callable(value):
        return True  # the function is lost, its result is kept
    if name in ("loss", "learning_rate") and callable(value):
        return default
    if name == "scoring":
        several = value.values() if isinstance(value, dict) else value
        known = [value] if isinstance(value, str) or callable(value) else list(several)
        return value if all(isinstance(one, str) for one in known) else default
    if name == "estimator" and value is not None:
        return {"class": type(value).__name__, "params": value._kept_params()}
    return value
