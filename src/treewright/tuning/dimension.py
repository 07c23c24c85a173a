"""Dimensions: what values one parameter may take in a search, for our own tuner, scikit-learn and Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["Choice", "Dimension", "Range"]

# More digits than these mean nothing and are hard to read.
DIGITS = 3


@dataclass(frozen=True)
class Range:
    """Numbers between two ends.

    Attributes
    ----------
    low, high : float
        The ends, both included.
    log : bool
        Whether equal factors are equally likely, instead of equal steps.
    whole : bool
        Whether only whole numbers count.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def rvs(self, random_state: Any = None) -> float | int:
        """Draw a value; the name is that of scikit-learn's searches.

        Parameters
        ----------
        random_state : int, RandomState or None
            What draws.
        """
        share = check_random_state(random_state).uniform()
        if self.log:
            found = float(np.exp(np.log(self.low) + share * (np.log(self.high) - np.log(self.low))))
        else:
            found = self.low + share * (self.high - self.low)
        found = min(max(float(f"{found:.{DIGITS}g}"), self.low), self.high)
        return round(found) if self.whole else found

    def suggest(self, trial: Any, name: str) -> Any:
        """Let a trial of Optuna suggest a value.

        Parameters
        ----------
        trial : optuna.Trial
            The trial.
        name : str
            Name of the parameter.
        """
        if self.whole:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        return trial.suggest_float(name, self.low, self.high, log=self.log)


@dataclass(frozen=True)
class Choice:
    """One of several values.

    Attributes
    ----------
    values : tuple
        The values.
    """

    values: tuple[Any, ...]

    def rvs(self, random_state: Any = None) -> Any:
        """Draw a value; the name is that of scikit-learn's searches.

        Parameters
        ----------
        random_state : int, RandomState or None
            What draws.
        """
        return self.values[int(check_random_state(random_state).randint(len(self.values)))]

    def suggest(self, trial: Any, name: str) -> Any:
        """Let a trial of Optuna suggest a value.

        Parameters
        ----------
        trial : optuna.Trial
            The trial.
        name : str
            Name of the parameter.
        """
        return trial.suggest_categorical(name, list(self.values))


Dimension: TypeAlias = Range | Choice
