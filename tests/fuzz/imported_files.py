"""Models of other libraries that were changed: refused with a sentence, or estimators that work."""

from __future__ import annotations

import io
import tempfile
import warnings
from pathlib import Path
from random import Random

import numpy as np

import treewright
from tests.fuzz.target import FaultError, Target
from tests.imported.hostile import READERS, altered
from treewright.exceptions import ModelFileError, UnsupportedModelError

__all__ = ["ImportedFiles"]

NAMES = sorted(READERS)


class ImportedFiles(Target):
    """Files of LightGBM, XGBoost and CatBoost; the first byte of a case says whose."""

    name = "imported_files"
    suffix = ".case"

    def draw(self, seed: int) -> bytes:
        """Return one of the small files with up to three changes."""
        kind = seed % len(NAMES)
        return bytes([kind]) + altered(NAMES[kind], Random(seed))

    def run(self, case: bytes) -> str:
        """Import it and use it."""
        name = NAMES[case[0] % len(NAMES)]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / name
            path.write_bytes(case[1:])
            try:
                imported = READERS[name](path)
            except (ModelFileError, UnsupportedModelError) as error:
                if not 20 <= len(f"{error}") <= 1000:
                    raise FaultError("a message that is too short or too long") from error
                return "refused"
            if imported.n_features_in_ > 10_000:
                return "wide"
            rows = np.random.default_rng(0).normal(size=(5, imported.n_features_in_))
            if hasattr(imported, "feature_names_in_"):
                return "named"
            answers = imported.predict(rows)
            file = io.BytesIO()
            imported.save(file)
            file.seek(0)
            if not np.array_equal(treewright.load(file).predict(rows), answers):
                raise FaultError("a saved model answers otherwise")
            return "used"
