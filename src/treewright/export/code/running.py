"""Runs exported Python, JavaScript and C on rows; JavaScript and C where node and a compiler are there."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.export.checking import Rows, Run, Said, steps_run
from treewright.program import Program

__all__ = ["COMPILERS", "c_run", "compiled", "javascript_run", "run_python"]

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O1", "-shared", "-fPIC")
SECONDS = 600


def run_python(text: str, rows: Rows) -> Said:
    """Run an exported module."""
    module: dict[str, Any] = {}
    exec(compile(text, "exported model", "exec"), module)
    named = rows.named()
    if rows.program.answer.classes is None:
        return Said("Python", np.array([[module["predict"](row)] for row in named]), None)
    numbers = np.array([module["predict_proba"](row) for row in named])
    return Said("Python", numbers, [module["predict"](row) for row in named])


# --- JavaScript
# ----------------------------------------------------------------------------------------------------------


def javascript_run(program: Program) -> Run:
    """Return a run by node, or of the steps where node is not there."""
    node = shutil.which("node")
    if node is None:
        return steps_run(program, "node is not installed")

    def run(text: str, rows: Rows) -> Said:
        return run_javascript(text, rows, node)

    return run


_DRIVER = """
import * as model from "./model.mjs";
import { readFileSync } from "node:fs";
const { names, columns } = JSON.parse(readFileSync(new URL("./rows.json", import.meta.url), "utf-8"));
const special = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
const back = (v) => {
  if (v === null || typeof v !== "object") return v;
  return v.number !== undefined ? special[v.number] : BigInt(v.big);
};
const out = [];
for (let i = 0; i < columns[0].length; i++) {
  const row = new Map();
  names.forEach((name, k) => row.set(name, back(columns[k][i])));
  const numbers = model.classes ? model.predictProba(row) : [model.predict(row)];
  const plain = numbers.map((x) => (Number.isFinite(x) ? x : String(x)));
  out.push([plain, model.classes ? model.classIndex(row) : 0]);
}
process.stdout.write(JSON.stringify(out));
"""


def run_javascript(text: str, rows: Rows, node: str = "node") -> Said:
    """Run an exported ES module by node."""
    columns = [[_plain(value) for value in column] for column in rows.columns]
    names = [column.name for column in rows.program.columns]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "model.mjs").write_text(text, encoding="utf-8")
        (place / "run.mjs").write_text(_DRIVER, encoding="utf-8")
        (place / "rows.json").write_text(json.dumps({"names": names, "columns": columns}), encoding="utf-8")
        out = subprocess.run(
            [node, str(place / "run.mjs")], capture_output=True, check=False, text=True, encoding="utf-8",
            timeout=SECONDS,
        )  # fmt: skip
    if out.returncode:
        raise RuntimeError(f"node could not run the exported module: {out.stderr[-2000:]}")
    found = json.loads(out.stdout)
    numbers = np.array([[float(x) for x in row] for row, _ in found])
    classes = rows.program.answer.classes
    return Said("node", numbers, None if classes is None else [classes[k] for _, k in found])


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")}
    if isinstance(value, int) and abs(value) > 2**53:
        return {"big": str(value)}
    return value


# --- C
# ----------------------------------------------------------------------------------------------------------


def c_run(program: Program, name: str) -> Run:
    """Return a run by the C compiler that is there, or of the steps without one."""
    compiler = next((found for one in COMPILERS if (found := shutil.which(one))), None)
    if compiler is None:
        return steps_run(program, "there is no C compiler")

    def run(text: str, rows: Rows) -> Said:
        return run_c(text, rows, name, compiler)

    return run


def compiled(text: str, folder: Path, compiler: str, flags: Sequence[str] = FLAGS) -> ctypes.CDLL:
    """Return a library made of C code."""
    place = folder / "model.c"
    place.write_text(text + "\n", encoding="utf-8")
    out = subprocess.run(
        [compiler, *flags, "-o", str(folder / "model.so"), str(place), "-lm"],
        capture_output=True, check=False, text=True, timeout=SECONDS,
    )  # fmt: skip
    if out.returncode:
        raise RuntimeError(f"{compiler} could not compile the exported code: {out.stderr[-2000:]}")
    return ctypes.CDLL(str(folder / "model.so"))


def run_c(text: str, rows: Rows, name: str, compiler: str = "cc", flags: Sequence[str] = FLAGS) -> Said:
    """Compile exported C and run it on rows; categories go through its own function of codes."""
    program = rows.program
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(text, Path(folder), compiler, flags)
        code = getattr(library, f"{name}_code")
        code.restype, code.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_char_p]
        chosen = getattr(library, f"{name}_class") if program.answer.classes is not None else None
        predict = getattr(library, f"{name}_predict")
        matrix = np.ascontiguousarray(rows.matrix).copy()
        for i, column in enumerate(program.columns):
            if not column.is_numeric:
                texts = [None if value is None else c_text(value).encode() for value in rows.columns[i]]
                matrix[:, i] = [code(i, one) for one in texts]
        double = ctypes.POINTER(ctypes.c_double)
        numbers = np.zeros((len(matrix), program.answer.n_outputs))
        labels = []
        for row, out in zip(matrix, numbers, strict=True):
            pointers = (row.ctypes.data_as(double), out.ctypes.data_as(double))
            predict(*pointers)
            if chosen is not None and program.answer.classes is not None:
                labels.append(program.answer.classes[chosen(*pointers)])
        many, again = getattr(library, f"{name}_predict_many"), np.zeros_like(numbers)
        many.argtypes = [double, ctypes.c_size_t, double]
        many(matrix.ctypes.data_as(double), len(matrix), again.ctypes.data_as(double))
        if not np.array_equal(again, numbers, equal_nan=True):
            raise RuntimeError(f"{name}_predict_many says something else than {name}_predict.")
    return Said(Path(compiler).name, numbers, labels if chosen is not None else None)


def c_text(value: Any) -> str:
    """Return a category as the text that C is asked with."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
