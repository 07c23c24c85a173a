"""Any table becomes a Schema and columns, any target codes or numbers, any weights row weights."""

from __future__ import annotations

from treewright.data.schema import Feature, Schema
from treewright.data.symbols import to_symbols
from treewright.data.table import Table, read_table
from treewright.data.target import (
    Labels,
    check_poisson_target,
    check_squared_error_target,
    check_target_range,
    encode_labels,
    encode_numbers,
    target_name,
)
from treewright.data.weights import RowWeights, encode_weights

__all__ = [
    "Feature",
    "Labels",
    "RowWeights",
    "Schema",
    "Table",
    "check_poisson_target",
    "check_squared_error_target",
    "check_target_range",
    "encode_labels",
    "encode_numbers",
    "encode_weights",
    "read_table",
    "target_name",
    "to_symbols",
]
