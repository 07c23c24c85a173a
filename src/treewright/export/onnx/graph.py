"""Graph: the nodes and constants of an ONNX model, whoever holds them. Knows no package of ONNX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Graph", "PlainGraph"]

# The domain of trees and dictionaries.
ML: Final = "ai.onnx.ml"


class Graph(ABC):
    """What nodes are added to; results are known by their names.

    Attributes
    ----------
    ml_version : int
        Version of the domain `ML`; 5 has trees with sets and double precision.
    """

    def __init__(self, ml_version: int) -> None:
        self.ml_version = ml_version
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    @abstractmethod
    def put(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: dict[str, Any]
    ) -> None:
        """Add a node."""

    @abstractmethod
    def keep(self, name: str, array: NDArray[Any]) -> None:
        """Add a constant."""

    @abstractmethod
    def fresh(self, hint: str) -> str:
        """Return a name that nothing has."""

    def add(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its only result."""
        output = self.fresh(op.lower())
        self.put(op, inputs, [output], domain, attributes)
        return output

    def constant(self, values: ArrayLike) -> str:
        """Return the name of a constant; equal ones are kept once."""
        array = np.ascontiguousarray(values) if np.ndim(values) else np.asarray(values)
        content = "\0".join(array.ravel()).encode() if array.dtype.kind in "OU" else array.tobytes()
        key = (array.dtype.kind if array.dtype.kind in "OU" else str(array.dtype), array.shape, content)
        if key not in self._constants:
            self._constants[key] = self.fresh("constant")
            self.keep(self._constants[key], array)
        return self._constants[key]

    # --- what is written often
    # --------------------------------------------------------------------------------------------------

    def taken(self, matrix: str, places: ArrayLike, axis: int = 1) -> str:
        """Return columns (or rows) of a matrix."""
        return self.add("Gather", matrix, self.constant(np.asarray(places, dtype=np.int64)), axis=axis)

    def cast(self, name: str, dtype: type[np.generic]) -> str:
        """Return the same numbers in another type."""
        return self.add("Cast", name, to=_TYPE_NUMBERS[dtype])

    def total(self, name: str, axis: int) -> str:
        """Return sums along an axis, which stays, with length 1."""
        return self.add("ReduceSum", name, self.constant(np.array([axis])), keepdims=1)

    def squeezed(self, name: str, axis: int) -> str:
        """Return an array without an axis of length 1."""
        return self.add("Squeeze", name, self.constant(np.array([axis])))

    def chosen(self, condition: str, yes: str, no: str) -> str:
        """Return one of two, by a condition."""
        return self.add("Where", condition, yes, no)


# Numbers of types in TensorProto.
_TYPE_NUMBERS: Final[dict[type[np.generic], int]] = {
    np.float32: 1,
    np.int64: 7,
    np.bool_: 9,
    np.float64: 11,
}


class PlainGraph(Graph):
    """A graph of its own.

    Attributes
    ----------
    nodes : list of tuple
        Operator, inputs, outputs, domain, attributes.
    constants : dict of str to ndarray
        In the order in which they were added.
    """

    def __init__(self, taken: Sequence[str]) -> None:
        super().__init__(ml_version=5)
        self.nodes: list[tuple[str, Sequence[str], Sequence[str], str, dict[str, Any]]] = []
        self.constants: dict[str, NDArray[Any]] = {}
        # Names of inputs and outputs may be anything, so the inner ones begin as none of those does.
        self._prefix = "tw"
        while any(name.startswith(self._prefix) for name in taken):
            self._prefix += "_"
        self._count = 0

    def put(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: dict[str, Any]
    ) -> None:
        """Add a node."""
        self.nodes.append((op, inputs, outputs, domain, attributes))

    def keep(self, name: str, array: NDArray[Any]) -> None:
        """Add a constant."""
        self.constants[name] = array

    def fresh(self, hint: str) -> str:
        """Return a name that nothing has."""
        self._count += 1
        return f"{self._prefix}_{hint}_{self._count}"
