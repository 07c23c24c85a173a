"""Model files that say something else than what was saved: ModelFileError, or models that work."""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from random import Random

import treewright
from tests.fuzz.models import MAKERS, members_of
from tests.fuzz.mutations import damage, mutate
from tests.fuzz.target import FaultError, Target
from tests.fuzz.usage import use
from tests.fuzz.zipped import pack
from treewright.exceptions import ModelFileError

__all__ = ["AlteredModels", "DamagedBytes", "load_and_use"]

NAMES = sorted(MAKERS)


def load_and_use(case: bytes) -> str:
    """Load a file; whatever is accepted must work in every way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # arithmetic that went wrong
        try:
            estimator = treewright.load(io.BytesIO(case))
        except ModelFileError as error:
            if len(str(error)) < 30 or len(str(error)) > 1000:
                raise FaultError(f"a message of {len(str(error))} characters") from error
            return "refused"
        # Which questions are asked depends on the file alone, so that it reproduces what it showed.
        use(estimator, Random(zlib.crc32(case)))
        return "used"


class AlteredModels(Target):
    """Files with right checksums whose manifest or arrays were changed."""

    name = "altered_models"
    suffix = ".tree"
    share = 5.0

    def draw(self, seed: int) -> bytes:
        """Return a model of the list with up to three changes."""
        random = Random(seed)
        return pack(mutate(members_of(NAMES[seed % len(NAMES)]), random))

    def run(self, case: bytes) -> str:
        """Load it and use it."""
        return load_and_use(case)


class DamagedBytes(Target):
    """Files with some bytes changed, lost or added."""

    name = "damaged_bytes"
    suffix = ".tree"
    share = 1.0

    def draw(self, seed: int) -> bytes:
        """Return a file of the list, compressed or not, damaged."""
        random = Random(seed)
        content = pack(members_of(NAMES[seed % len(NAMES)]))
        if random.random() < 0.3:
            content = _compressed(content)
        return damage(content, random)

    def run(self, case: bytes) -> str:
        """Load it and use it."""
        return load_and_use(case)


def _compressed(content: bytes) -> bytes:
    file = io.BytesIO()
    stored = zipfile.ZipFile(io.BytesIO(content))
    with stored, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in stored.namelist():
            packed.writestr(zipfile.ZipInfo(name), stored.read(name), zipfile.ZIP_DEFLATED, 1)
    return file.getvalue()
