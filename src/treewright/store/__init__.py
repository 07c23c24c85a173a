"""Save a model to a `.tree` file and read it back; no pickle, and nothing in a file is trusted."""

from treewright.store.archive import file_faults, source_name
from treewright.store.load import load
from treewright.store.save import save

__all__ = ["file_faults", "load", "save", "source_name"]
