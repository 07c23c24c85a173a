"""Everything that is thrown at the library: a line here is all that a new kind of case needs."""

from __future__ import annotations

from tests.fuzz.imported_files import ImportedFiles
from tests.fuzz.imported_objects import ImportedObjects
from tests.fuzz.model_files import AlteredModels, DamagedBytes
from tests.fuzz.odd_inputs import OddInputs
from tests.fuzz.properties import Properties
from tests.fuzz.target import Target

__all__ = ["TARGETS"]

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        AlteredModels(),
        DamagedBytes(),
        Properties(),
        OddInputs(),
        ImportedFiles(),
        ImportedObjects(),
    )
}
