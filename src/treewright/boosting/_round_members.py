"""RoundMembers: the trees of gradient boosting as fitted regressors, made when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RoundMembers"]


class RoundMembers:
    """A read-only table of estimators: a row for each round, a column for each raw score.

    It is indexed as the array of objects that scikit-learn has: ``[3, 0]`` is an estimator, ``[3]`` and
    ``[:, 0]`` are arrays of them.

    Parameters
    ----------
    n_rounds, n_outputs : int
        The shape.
    make : callable
        Makes the estimator of a tree from its number.
    """

    def __init__(self, n_rounds: int, n_outputs: int, make: Callable[[int], Any]) -> None:
        self._numbers = np.arange(n_rounds * n_outputs).reshape(n_rounds, n_outputs)
        self._make = make

    @property
    def shape(self) -> tuple[int, int]:
        """Rounds, and trees of a round."""
        n_rounds, n_outputs = self._numbers.shape
        return n_rounds, n_outputs

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def size(self) -> int:
        """Number of trees."""
        return self._numbers.size

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        chosen = self._numbers[place]
        return self._made(chosen) if isinstance(chosen, np.ndarray) else self._make(int(chosen))

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self._made(numbers) for numbers in self._numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the estimators are made when they are asked for: an array of them is a copy")
        return self._made(self._numbers)

    def ravel(self) -> NDArray[Any]:
        """Return all trees, round by round."""
        return self._made(self._numbers.ravel())

    def _made(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        members = np.empty(numbers.shape, dtype=object)
        for place, number in np.ndenumerate(numbers):
            members[place] = self._make(int(number))
        # Nobody shall think that a change of the array changes the booster.
        members.flags.writeable = False
        return members

    def __repr__(self) -> str:
        n_rounds, n_outputs = self.shape
        return f"<{n_rounds} rounds of {n_outputs} fitted trees, each one a {type(self[0, 0]).__name__}>"
