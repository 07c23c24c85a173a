"""Models of other libraries that were changed: refused with a sentence, or estimators that work."""

from __future__ import annotations

import tempfile
import warnings
import zlib
from pathlib import Path
from random import Random

from tests.fuzz.imported_usage import use_imported
from tests.fuzz.target import FaultError, Target
from tests.imported.hostile import READERS, altered
from treewright.exceptions import ModelFileError, UnsupportedModelError

__all__ = ["ImportedFiles"]

NAMES = sorted(READERS)


class ImportedFiles(Target):
    """Files of LightGBM, XGBoost and CatBoost; the first line of a case says whose."""

    name = "imported_files"
    suffix = ".case"

    def draw(self, seed: int) -> bytes:
        """Return one of the small files with up to three changes."""
        name = NAMES[seed % len(NAMES)]
        return name.encode() + b"\n" + altered(name, Random(seed))

    def run(self, case: bytes) -> str:
        """Import it and use it."""
        first, _, content = case.partition(b"\n")
        name = first.decode()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / name
            path.write_bytes(content)
            try:
                imported = READERS[name](path)
            except (ModelFileError, UnsupportedModelError) as error:
                if not 20 <= len(f"{error}") <= 1000:
                    raise FaultError("a message that is too short or too long") from error
                return "refused"
            return use_imported(imported, Random(zlib.crc32(case)))
