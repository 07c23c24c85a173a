"""Room in the format for models from elsewhere: fields that are specified and checked, but not yet predicted.

Importers of other libraries' models need them; a file that uses them is refused with a sentence, never
misread.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.exceptions import ModelVersionError
from treewright.version import VERSION

__all__ = ["check_comparison", "check_derived", "check_missing_rule"]

OPERATORS: Final = ("<=", "<")
PRECISIONS: Final = ("float64", "float32")
#: What this version predicts.
OWN_COMPARISON: Final = {"operator": "<=", "precision": "float64"}

# How a node knows that a value is missing. 0: NaN takes the branch `missing`. 1: nothing is missing, NaN
# counts as 0. 2: NaN and numbers of at most 1e-35 in size take the branch `missing`.
OWN_RULE: Final = 0
LAST_RULE: Final = 2

DERIVED_FIELDS: Final = {"name": str, "kind": str, "of": str, "values": list, "prior": dict}


def _refuse(name: str, what: str) -> NoReturn:
    raise ModelVersionError(
        f"{name} {what}, which treewright {VERSION} cannot predict with. A later version may: "
        "pip install -U treewright."
    )


def check_comparison(declared: Any, name: str) -> None:
    """Refuse a file whose tests compare otherwise than ``x <= threshold`` in double precision."""
    if (
        not isinstance(declared, dict)
        or set(declared) != set(OWN_COMPARISON)
        or declared["operator"] not in OPERATORS
        or declared["precision"] not in PRECISIONS
    ):
        raise ValueError("the field 'comparison' of its manifest names no way to compare")
    if declared != OWN_COMPARISON:
        _refuse(name, f"compares x {declared['operator']} threshold as {declared['precision']}")


def check_missing_rule(rule: NDArray[np.uint8], inner: NDArray[np.bool_], name: str) -> None:
    """Refuse a file in which something else than NaN is missing, or NaN is not."""
    if len(rule) != len(inner) or (rule > LAST_RULE).any() or rule[~inner].any():
        raise ValueError("its array 'missing_rule' does not hold a rule for each test")
    if (rule != OWN_RULE).any():
        words = {1: "takes missing values for 0", 2: "takes 0 for a missing value"}
        _refuse(name, words[int(rule[np.argmax(rule != OWN_RULE)])])


def check_derived(declared: Any, name: str) -> None:
    """Refuse a file with columns that must be computed from others."""
    if not isinstance(declared, list) or not all(
        isinstance(one, dict)
        and set(one) == set(DERIVED_FIELDS)
        and all(isinstance(one[field], kind) for field, kind in DERIVED_FIELDS.items())
        for one in declared
    ):
        raise ValueError("the field 'derived' of its manifest does not list derived columns")
    if declared:
        first = declared[0]
        source = f"{first['kind'][:20]} of {first['of'][:40]!r}"
        _refuse(name, f"has the derived column {first['name'][:40]!r} ({source})")
