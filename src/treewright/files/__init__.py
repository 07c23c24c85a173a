"""Tables from files, the same whichever library reads them, whole or batch by batch."""

from __future__ import annotations

from treewright.files.answers import write_predictions
from treewright.files.scanning import scan
from treewright.files.table_file import FORMATS, TableFile, open_table

__all__ = ["FORMATS", "TableFile", "open_table", "scan", "write_predictions"]
