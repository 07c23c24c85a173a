"""The engine prints nothing, not even when the interpreter ends while objects of it are still held."""

import subprocess
import sys

HELD = """
import ctypes
from treewright import _core
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_core.GrowPlan()))
"""


def test_objects_that_outlive_the_interpreter_are_not_announced():
    ran = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")
