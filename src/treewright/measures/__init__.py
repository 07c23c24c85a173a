"""The measures behind the trees, to be called by hand: on labels, features and weights, or on counts.

0 · log 0 = 0. Logarithms are base 2 unless `base` says otherwise (``math.e`` gives nats). Every function
returns a plain float.
"""

from __future__ import annotations

from treewright.measures.leaf import absolute_error, entropy, gini, poisson_deviance, squared_error
from treewright.measures.split import (
    conditional_entropy,
    decrease,
    gain_ratio,
    gini_of_split,
    impurity_after,
    information_gain,
    intrinsic_value,
)

__all__ = [
    "absolute_error",
    "conditional_entropy",
    "decrease",
    "entropy",
    "gain_ratio",
    "gini",
    "gini_of_split",
    "impurity_after",
    "information_gain",
    "intrinsic_value",
    "poisson_deviance",
    "squared_error",
]
