"""Tables that come with the library or with scikit-learn, for the first steps on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Final

import numpy as np
from sklearn import datasets

from treewright.data.column import Categories, Column, Numbers
from treewright.data.named_columns import NamedColumns
from treewright.files import open_table
from treewright.web.source import Source, new_source

__all__ = ["BUNDLED", "bundled_source"]

#: Name → what it is about. Those with a loader come with scikit-learn.
BUNDLED: Final = {
    "tennis": "14 days, play or not (Quinlan)",
    "loans": "15 applications, a loan or not",
    "cricket": "30 students, cricket or not",
    "iris": "150 flowers of 3 species (Fisher)",
    "cancer": "569 tumours, benign or malignant",
    "wine": "178 wines of 3 growers",
    "diabetes": "442 patients, progress as a number",
}
_LOADERS: Final[dict[str, tuple[Callable[..., Any], str]]] = {
    "iris": (datasets.load_iris, "species"),
    "cancer": (datasets.load_breast_cancer, "diagnosis"),
    "wine": (datasets.load_wine, "grower"),
    "diabetes": (datasets.load_diabetes, "progression"),
}


def bundled_source(name: str) -> Source:
    """Return a bundled table by its name."""
    if name not in BUNDLED:
        raise ValueError(f"There is no bundled table {name!r}. Choose one of: {', '.join(BUNDLED)}.")
    if name not in _LOADERS:
        with resources.as_file(resources.files("treewright.datasets").joinpath(f"{name}.csv")) as path:
            table = open_table(path).read()
        return _source(name, table)
    loader, target = _LOADERS[name]
    bunch = loader(scaled=False) if name == "diabetes" else loader()
    names = [str(feature) for feature in bunch.feature_names]
    columns: list[Column] = [Numbers(np.ascontiguousarray(bunch.data[:, i])) for i in range(len(names))]
    if name == "diabetes":
        columns.append(Numbers(np.asarray(bunch.target, dtype=np.float64)))
    else:
        labels = tuple(sorted(str(label) for label in bunch.target_names))
        places = np.array([labels.index(str(label)) + 1 for label in bunch.target_names], dtype=np.uint32)
        columns.append(Categories(places[bunch.target], labels))
    return _source(name, NamedColumns((*names, target), tuple(columns), len(bunch.target)))


def _source(name: str, table: NamedColumns) -> Source:
    def read(kinds: Mapping[str, str]) -> NamedColumns:
        columns = [
            _of_kind(column, kinds.get(own), own)
            for own, column in zip(table.names, table.columns, strict=True)
        ]
        return NamedColumns(table.names, tuple(columns), table.n_rows)

    return new_source(name, table, origin="bundled", target=table.names[-1], read=read)


def _of_kind(column: Column, kind: str | None, name: str) -> Column:
    """Return a column with the kind that was chosen: numbers can be taken for categories."""
    if isinstance(column, Numbers):
        if kind != "nominal":
            return column
        values, places = np.unique(column.values, return_inverse=True)
        return Categories(places.astype(np.uint32) + np.uint32(1), tuple(values.tolist()))
    if kind == "numeric":
        raise ValueError(f"Column {name!r} holds text: it cannot be numeric.")
    return column
