"""The stored runs of C4.5 Release 8, J48 and WEKA's Id3, and the estimator that should equal each."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tests.golden.frames import frame_of
from tests.golden.oracle_data import OracleTable, golden, load, names_of, run_notes
from tests.oracle.reference_c45 import Settings
from treewright import C45Classifier, ID3Classifier

RELEASE_8: dict[str, dict[str, Any]] = {
    "c45-r8": {},
    "c45-r8-gain": {"criterion": "gain"},
    "c45-r8-subset": {"group_values": True},
    "c45-r8-m5c10": {"min_samples_branch": 5, "confidence_factor": 0.10},
    "c45-r8-m1c50": {"min_samples_branch": 1, "confidence_factor": 0.50},
}
J48: dict[str, dict[str, Any]] = {
    "j48-w39": {},
    "j48-w39-U": {"prune": None},
    "j48-w39-noraise": {"subtree_raising": False},
    "j48-w39-M5C10": {"min_samples_branch": 5, "confidence_factor": 0.10},
    "j48-w39-UOJ": {"prune": None, "collapse": False, "mdl_correction": False},
    "j48-w39-binary": {"binary_splits": True},
    "j48-w39-laplace": {"laplace": True},
    "j48-w36": {},
    "j48-w36-U": {"prune": None},
}
ID3: dict[str, dict[str, Any]] = {"id3-w36": {}}
#: WEKA 3.6 compares with a tolerance where 3.9 does not; only where both agree is it a target.
OLDER = {"j48-w36": "j48-w39", "j48-w36-U": "j48-w39-U"}
#: Sets that take long.
LARGE = {"nursery", "mushroom", "hypo", "segment", "vowel", "soybean"}
#: Sets for a quick look: numbers, categories, gaps, classes and categories without rows.
QUICK = {"golf", "contact-lenses", "iris", "vote", "lymph", "monk1", "heart-c", "breast-cancer", "wine"}


@dataclass(frozen=True)
class Run:
    """One stored output: Release 8's files hold two, the unpruned tree and the pruned one."""

    variant: str
    name: str
    stage: str = ""

    @property
    def program(self) -> str:
        """Which program it is."""
        return self.variant.split("-")[0]

    @property
    def title(self) -> str:
        """Return the column of the table."""
        return f"{self.variant} {self.stage}".strip()

    @property
    def pruned(self) -> bool:
        """Whether pessimistic errors have cut the tree."""
        return self.stage == "pruned" or (self.program == "j48" and "prune" not in J48[self.variant])

    def stored(self) -> dict[str, Any]:
        """Return the output."""
        output = golden(self.variant, self.name)
        return {**output, **output[self.stage]} if self.stage else output

    def estimator(self) -> Any:
        """Return the estimator with the options of the run."""
        if self.program == "id3":
            return ID3Classifier()
        if self.program == "j48":
            return C45Classifier(faithful="j48", **J48[self.variant])
        stage: dict[str, Any] = {"prune": None} if self.stage == "unpruned" else {}
        return C45Classifier(faithful="r8", **RELEASE_8[self.variant], **stage)

    def settings(self) -> Settings:
        """Return the options for the reference of Release 8."""
        options = RELEASE_8[self.variant]
        return Settings(
            minimum=options.get("min_samples_branch", 2),
            confidence=options.get("confidence_factor", 0.25),
            use_ratio=options.get("criterion") != "gain",
            group=bool(options.get("group_values")),
        )

    @property
    def leaks(self) -> bool:
        """Whether the program forgot its minimum of rows in this run."""
        return bool(run_notes().get(self.variant, {}).get(self.name, {}).get("minobjs_leak"))


def all_runs() -> list[Run]:
    """Return every run, grouped by option set."""
    result = [
        Run(variant, name, stage)
        for variant in RELEASE_8
        for stage in ("unpruned", "pruned")
        for name in names_of(variant)
    ]
    return result + [Run(variant, name) for variant in (*J48, *ID3) for name in names_of(variant)]


@functools.cache
def learning_problem(name: str, part: str = "train") -> tuple[pd.DataFrame, pd.Categorical]:
    """Return a data set with all its categories and classes declared."""
    data = load(name, part)
    return frame_of(data), classes_of(data)


def classes_of(data: OracleTable) -> pd.Categorical:
    """Return the target with the declared classes in their order."""
    return pd.Categorical.from_codes(data.y.astype(int), categories=list(data.classes))
