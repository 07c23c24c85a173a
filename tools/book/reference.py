"""The reference: a page for every public name, made from the lists that the package itself keeps."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.book.docstrings import escaped

import treewright

__all__ = ["write_reference"]

# What a reader looks for, in this order; every name of the package stands in one of them (a test counts).
PARTS: dict[str, tuple[str, ...]] = {
    "Single trees": ("CARTClassifier", "CARTRegressor", "C45Classifier", "ID3Classifier"),
    "Averaging": (
        "BaggingClassifier", "BaggingRegressor", "RandomForestClassifier", "RandomForestRegressor",
        "ExtraTreesClassifier", "ExtraTreesRegressor",
    ),
    "Boosting": (),  # every other estimator
}  # fmt: skip
PREFIXES = {"export_": "Other forms of a model", "plot_": "Pictures", "from_": "Models of other libraries"}
LAST = "By name, by hand, from files"
# Those that readers ask for come first; the others follow as the package lists them.
FIRST = ("measures", "datasets", "explain", "plot", "pruning", "export")
MODULES = (*FIRST, *(module for module in treewright._MODULES if module not in FIRST))


@dataclass(frozen=True)
class Entry:
    """A public name and where it is imported from."""

    home: str
    name: str

    @property
    def value(self) -> Any:
        return getattr(import_module(self.home), self.name)

    @property
    def page(self) -> str:
        return f"{self.home}.{self.name}"

    @property
    def sentence(self) -> str:
        described = inspect.isclass(self.value) or inspect.isroutine(self.value)
        text = (inspect.getdoc(self.value) or "") if described else ""
        return text.split("\n\n")[0].replace("\n", " ")


def part_of(name: str) -> str:
    """Return the heading that a name of the package stands under."""
    for part, names in PARTS.items():
        if name in names:
            return part
    if name.endswith(("Classifier", "Regressor", "Ranker")):
        return "Boosting"
    return next((part for prefix, part in PREFIXES.items() if name.startswith(prefix)), LAST)


def entries() -> dict[str, list[Entry]]:
    """Return all public names by heading; one that a module shares with the package stands once."""
    found: dict[str, list[Entry]] = {part: [] for part in (*PARTS, *PREFIXES.values(), LAST)}
    for name in treewright.__all__:
        found[part_of(name)].append(Entry("treewright", name))
    for module in MODULES:
        home = f"treewright.{module}"
        names = import_module(home).__all__
        found[home] = [Entry(home, name) for name in names if name not in treewright.__all__]
    return found


def own_members(kind: type) -> list[tuple[str, str]]:
    """Return the methods and properties of a class that Treewright wrote, by directive and name."""
    members = []
    for name in dir(kind):
        owner = next((one for one in kind.__mro__ if name in vars(one)), object)
        if name.startswith("_") or name.endswith("_request") or not owner.__module__.startswith("treewright"):
            continue
        member = vars(owner)[name]
        if isinstance(member, property | cached_property):
            members.append(("autoproperty", name))
        elif inspect.isroutine(getattr(kind, name)) and inspect.getdoc(getattr(kind, name)):
            members.append(("automethod", name))
    return members


def page_of(entry: Entry) -> str:
    """Return the page of one name."""
    title = entry.name if entry.home == "treewright" else entry.page.removeprefix("treewright.")
    head = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: {entry.home}\n\n"
    value = entry.value
    if inspect.isclass(value):
        text = head + f".. autoclass:: {entry.name}\n   :no-index-entry:\n\n"
        for directive, name in own_members(value):
            text += f"   .. {directive}:: {name}\n\n"
        return text
    if inspect.isroutine(value):
        return head + f".. autofunction:: {entry.name}\n"
    shown = [str(key) for key in value] if hasattr(value, "keys") else [repr(value)]
    return head + f".. py:data:: {entry.name}\n\n   {', '.join(f'``{one}``' for one in shown)}\n"


def write_reference(folder: Path) -> int:
    """Write all pages and their index, and return how many names there are."""
    folder.mkdir(parents=True, exist_ok=True)
    index = "Reference\n=========\n\nEvery public name, from the docstrings. What is not listed may change.\n"
    count = 0
    for part, found in entries().items():
        index += f"\n{part}\n{'-' * len(part)}\n\n"
        if part.startswith("treewright."):
            index += (import_module(part).__doc__ or "").split("\n\n")[0].replace("`", "``") + "\n\n"
        if not found:
            index += "All its names stand above.\n"
            continue
        index += ".. list-table::\n   :widths: 35 65\n\n"
        for entry in found:
            (folder / f"{entry.page}.rst").write_text(page_of(entry), encoding="utf-8")
            index += f"   * - :doc:`{entry.name} <{entry.page}>`\n     - {escaped(entry.sentence)}\n"
        index += "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {entry.page}\n" for entry in found)
        count += len(found)
    (folder / "index.rst").write_text(index, encoding="utf-8")
    return count
