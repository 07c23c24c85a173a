"""Param: what is known about one hyper-parameter, and the kinds of values that it may accept."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

__all__ = [
    "ArrayLike",
    "Called",
    "Choice",
    "Constraint",
    "Flag",
    "Instance",
    "Learner",
    "Mapping",
    "Nothing",
    "Number",
    "Param",
    "RandomState",
    "Splitter",
]


@dataclass(frozen=True)
class Param:
    """One hyper-parameter.

    Attributes
    ----------
    type_text : str
        Its type as numpydoc writes it; the default is added from the signature.
    accepts : tuple of Constraint
        What values it may have, besides words that each algorithm lists itself.
    text : str
        What it does, as one paragraph.
    advice : callable, optional
        Given a value that is refused, what to do instead, from where a sentence goes on; nothing when it does
        not know.
    """

    type_text: str
    accepts: tuple[Constraint, ...]
    text: str
    advice: Callable[[Any], str] | None = None

    def with_choices(self, words: tuple[str, ...]) -> Param:
        """Return the same for an algorithm that also accepts these words."""
        listed = "{" + ", ".join(f'"{word}"' for word in words) + "}"
        return replace(
            self,
            type_text=self.type_text.replace("{choices}", listed),
            accepts=(Choice(words), *self.accepts),
        )

    def check(self, name: str, value: Any, owner: str) -> None:
        """Raise scikit-learn's InvalidParameterError unless the value is accepted.

        Parameters
        ----------
        name : str
            The parameter's name.
        value : object
            Its value.
        owner : str
            Name of the estimator class, for the message.
        """
        if any(constraint.accepts(value) for constraint in self.accepts):
            return
        words = [constraint.words for constraint in self.accepts]
        expected = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be {expected}. Got {value!r} instead"
            f"{'' if self.advice is None else self.advice(value)}."
        )


# --- kinds of values: a fast test and the words that scikit-learn would use for it
# ----------------------------------------------------------------------------------------------------------


class Constraint(ABC):
    """One kind of value that a parameter accepts; a parameter has a few of them."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Tell whether the value is of this kind."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Say what the kind is, for messages and documentation."""


@dataclass(frozen=True)
class Number(Constraint):
    """A number in an interval: an integer, any real number, or a share (a real number that is no integer)."""

    kind: Literal["int", "float", "share"]
    low: float
    high: float = math.inf
    closed: Literal["left", "right", "both", "neither"] = "left"

    def accepts(self, value: Any) -> bool:
        """Tell whether the value is a number of the kind in the interval; a boolean is not a number."""
        kind = Integral if self.kind == "int" else Real
        if isinstance(value, bool | np.bool_) or not isinstance(value, kind) or math.isnan(value):
            return False
        if self.kind == "share" and isinstance(value, Integral):
            return False
        return self._contains(float(value))

    def _contains(self, value: float) -> bool:
        above = value >= self.low if self.closed in ("left", "both") else value > self.low
        return bool(above and (value <= self.high if self.closed in ("right", "both") else value < self.high))

    @property
    def words(self) -> str:
        """Say the interval as scikit-learn does."""
        left = "[" if self.closed in ("left", "both") else "("
        right = "]" if self.closed in ("right", "both") else ")"
        low, high = (x if self.kind != "int" or math.isinf(x) else int(x) for x in (self.low, self.high))
        return f"{'an int' if self.kind == 'int' else 'a float'} in the range {left}{low}, {high}{right}"


@dataclass(frozen=True)
class Choice(Constraint):
    """One of a few words."""

    words_allowed: tuple[str, ...]

    def accepts(self, value: Any) -> bool:
        """Tell whether the value is one of the words."""
        return isinstance(value, str) and value in self.words_allowed

    @property
    def words(self) -> str:
        """List the words."""
        return f"a str among {{{', '.join(map(repr, self.words_allowed))}}}"


@dataclass(frozen=True)
class Instance(Constraint):
    """An instance of some classes."""

    classes: tuple[type, ...]
    text: str

    def accepts(self, value: Any) -> bool:
        """Tell whether the value is an instance of one of the classes."""
        return isinstance(value, self.classes)

    @property
    def words(self) -> str:
        """Name the classes."""
        return self.text


class ArrayLike(Constraint):
    """A list, tuple, array or series."""

    def accepts(self, value: Any) -> bool:
        """Tell whether the value is a sequence of values; text is not."""
        return (hasattr(value, "__len__") and not isinstance(value, str | bytes | dict)) or hasattr(
            value, "__array__"
        )

    @property
    def words(self) -> str:
        """Say it as scikit-learn does."""
        return "an array-like"


class Splitter(Constraint):
    """What makes folds: anything with scikit-learn's method `split`."""

    def accepts(self, value: Any) -> bool:
        """Tell whether the value has the method; text, which has one of that name, does not count."""
        return hasattr(value, "split") and not isinstance(value, str | bytes | type)

    @property
    def words(self) -> str:
        """Say what is wanted."""
        return "a splitter of scikit-learn"


class Called(Constraint):
    """Anything that can be called."""

    def accepts(self, value: Any) -> bool:
        """Tell whether the value is a function or the like."""
        return callable(value)

    @property
    def words(self) -> str:
        """Say it as scikit-learn does."""
        return "a callable"


class Learner(Constraint):
    """An estimator."""

    def accepts(self, value: Any) -> bool:
        """Tell whether the value can be fitted and can predict; a class is not an estimator yet."""
        return hasattr(value, "fit") and hasattr(value, "predict") and not isinstance(value, type)

    @property
    def words(self) -> str:
        """Say it as scikit-learn does."""
        return "an object implementing 'fit' and 'predict'"


Nothing = Instance((type(None),), "None")
Flag = Instance((bool, np.bool_), "an instance of 'bool'")
Mapping = Instance((dict,), "an instance of 'dict'")
RandomState = Instance((np.random.RandomState,), "an instance of 'numpy.random.mtrand.RandomState'")
