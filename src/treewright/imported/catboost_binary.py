"""CatBoost's own files (``.cbm``) as JSON: read by CatBoost, in a process of its own.

The file may come from anywhere, and CatBoost's reader is native code: what makes it crash ends that process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from treewright.imported.faults import fault, unsupported

__all__ = ["START", "json_of_binary"]

START: Final = b"CBM1"
SECONDS = 600
_CONVERT = (
    "import sys, catboost; model = catboost.CatBoost(); "
    'model.load_model(sys.argv[1], format="cbm"); model.save_model(sys.argv[2], format="json")'
)


def json_of_binary(content: bytes) -> bytes:
    """Return the JSON of a file in CatBoost's own format.

    Parameters
    ----------
    content : bytes
        The file.
    """
    if find_spec("catboost") is None:
        unsupported(
            "it is in CatBoost's own format, which CatBoost itself has to read, and that is not installed",
            'Run: pip install catboost, or save the model with format="json".',
        )
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "model.cbm", Path(folder) / "model.json"
        given.write_bytes(content)
        done = subprocess.run(
            [sys.executable, "-c", _CONVERT, os.fspath(given), os.fspath(found)],
            capture_output=True, check=False, cwd=folder, timeout=SECONDS, text=True, errors="replace",
        )  # fmt: skip
        if done.returncode or not found.exists():
            lines = done.stderr.strip().splitlines()
            fault("the file", f"CatBoost cannot read it ({lines[-1][:200] if lines else 'it stopped'})")
        return found.read_bytes()
