"""Fitted: what every fitted estimator does with its model: read new rows, save, pickle, tell its tags."""

from __future__ import annotations

import os
from typing import IO, Any

from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import store
from treewright.data import read_table
from treewright.exceptions import VersionMismatchWarning
from treewright.model import Model
from treewright.user_line import warn_user
from treewright.version import VERSION

__all__ = ["Fitted"]

# Below this many rows a second thread costs more than it gives.
ROWS_PER_THREAD = 4096
VERSION_KEY = "_treewright_version"


class Fitted:
    """Mixin: an estimator around the model that it made."""

    n_jobs: int | None

    model_: Model
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _adopt_schema(self, model: Model) -> None:
        """Take the model over, with what scikit-learn wants to know about its columns."""
        self.model_ = model
        self.n_features_in_ = model.n_features
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
        """Return the number of threads worth using for so many rows."""
        return 1 if n_rows < ROWS_PER_THREAD else int(effective_n_jobs(self.n_jobs))

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
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), VERSION_KEY: VERSION}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written_by = state.pop(VERSION_KEY, None)
        if written_by is not None and written_by != VERSION:
            warn_user(
                f"This {type(self).__name__} was pickled by treewright {written_by}; this is treewright "
                f"{VERSION}. Files written by save() can be read by every later version, pickles may not.",
                VersionMismatchWarning,
            )
        super().__setstate__(state)  # type: ignore[misc]
