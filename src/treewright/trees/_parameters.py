"""Parameters: what every estimator does with its constructor arguments, from the table `PARAMS`.

A subclass only writes `__init__`; it gets the docstring section, validation and help with misspelt names.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, ClassVar, Self

from treewright.boost_params import BOOST_ADVICE
from treewright.params import FOREIGN_NAMES, PARAMS, check_value, param_of

__all__ = ["Parameters"]

SECTION = re.compile(r"^[A-Z][A-Za-z ]*\n-{3,}$", re.MULTILINE)


class Parameters:
    """Mixin: documents, checks and explains the parameters of an estimator class."""

    _defaults: ClassVar[dict[str, Any]] = {}
    _choices: ClassVar[dict[str, tuple[str, ...]]] = {}
    # Whose meaning of a name counts where estimators differ (`treewright.params.OTHER_MEANINGS`).
    _family: ClassVar[str] = "tree"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" not in cls.__dict__:
            return
        init = cls.__dict__["__init__"]
        signature = inspect.signature(init)
        cls._defaults = {name: p.default for name, p in signature.parameters.items() if name != "self"}
        cls.__init__ = _with_help(init, tuple(cls._defaults))  # type: ignore[method-assign]
        # A subclass made by a user may have parameters that are not ours, and documents them itself.
        if cls.__doc__ and set(cls._defaults) <= set(PARAMS):
            cls.__doc__ = _documented(cls.__doc__, cls._defaults, cls._choices, cls._family)

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
            return super().set_params(**params)  # type: ignore[misc,no-any-return]
        except ValueError as error:
            unknown = next((name for name in params if name not in self._defaults), None)
            if unknown is None:
                raise
            raise ValueError(f"{error}{_suggestion(unknown, self._defaults)}") from None

    def _validate_params(self) -> None:
        owner = type(self).__name__
        for name, default in self._defaults.items():
            value = getattr(self, name)
            # The default is right: most parameters have it, and a fit on a small table takes microseconds.
            if value is default:
                continue
            if name in PARAMS:
                check_value(name, value, owner, self._choices.get(name), self._family)


def _with_help(init: Callable[..., None], names: tuple[str, ...]) -> Callable[..., None]:
    @functools.wraps(init)  # keeps the signature, which scikit-learn reads
    def helpful(self: Any, *args: Any, **kwargs: Any) -> None:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is not None:
            owner = type(self).__name__
            raise TypeError(f"{owner} got an unexpected parameter '{unknown}'.{_suggestion(unknown, names)}")
        init(self, *args, **kwargs)

    return helpful


def _suggestion(unknown: str, names: Any) -> str:
    whose, ours = FOREIGN_NAMES.get(unknown, ("", ""))
    if ours in names:
        return f" '{unknown}' is {whose}'s name; here it is '{ours}'."
    if unknown == "sample_weight":
        return " Weights are passed to fit."
    if unknown in BOOST_ADVICE and "learning_rate" in names:
        return f" {BOOST_ADVICE[unknown]}"
    # A shortened name ("min_leaf") is nearer to what was meant than difflib's letters tell.
    words = unknown.lower().split("_")
    close = [name for name in names if all(word in name.split("_") for word in words)]
    close = close or difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=0.6)
    return f" Did you mean '{close[0]}'?" if close else ""


def _documented(text: str, defaults: dict[str, Any], choices: dict[str, tuple[str, ...]], family: str) -> str:
    text = inspect.cleandoc(text)
    if re.search(r"^Parameters\n-{3,}$", text, re.MULTILINE):
        return text
    lines = ["Parameters", "----------"]
    for name, default in defaults.items():
        param = param_of(name, family)
        words = "{" + ", ".join(f'"{choice}"' for choice in choices.get(name, ())) + "}"
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        lines.append(f"{name} : {param.type_text.replace('{choices}', words)}, default={shown}")
        lines += textwrap.wrap(param.text, width=100, initial_indent="    ", subsequent_indent="    ")
    section = "\n".join(lines)
    first = SECTION.search(text)
    return (
        f"{text}\n\n{section}\n"
        if first is None
        else f"{text[: first.start()]}{section}\n\n{text[first.start() :]}\n"
    )
