"""Trace one walk through the library; walks.py runs this in a fresh process and reads the JSON it prints.

Arguments: the checkout, the name of the walk and, to see into the engine too, the module walk_core.py built.
"""

from __future__ import annotations

import ctypes
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

Walk = Callable[[], object]


def import_library(root: Path, core: Path | None) -> None:
    """Make `import treewright` take the library of the checkout, and the traced engine if there is one."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(root / "src"))
    if core is not None:
        spec = importlib.util.spec_from_file_location("treewright._core", core)
        assert spec is not None and spec.loader is not None
        sys.modules["treewright._core"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["treewright._core"])


def prepared_walk(name: str) -> Walk:
    """Do what comes before the walk and return the call that is the walk."""
    import numpy as np  # noqa: PLC0415 - the checkout's library is on the path only now

    import treewright  # noqa: PLC0415

    X = np.random.default_rng(0).normal(size=(300, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    if name == "CART fit":
        estimator = treewright.CARTClassifier()
        return lambda: estimator.fit(X, y)
    if name == "Leafwise fit":
        booster = treewright.LeafwiseBoostingClassifier()
        return lambda: booster.fit(X, y)
    tree = treewright.CARTClassifier().fit(X, y)
    if name == "predict":
        tree.predict(X)  # the first time compiles the tree, every other time is this walk
        return lambda: tree.predict(X)
    if name == "explain_split":
        return lambda: tree.explain_split(0, X, y)
    if name == "load":
        stored = io.BytesIO()
        tree.save(stored)
        stored.seek(0)
        return lambda: treewright.load(stored)
    raise ValueError(f"there is no walk {name!r}")


class Tracer:
    """Notes the first entry into each file, hops between class bodies and calls of the engine."""

    def __init__(self, root: Path, hooks: ctypes.CDLL | None) -> None:
        self._source = str(root / "src" / "treewright") + "/"
        self._hooks = hooks
        self._stack: list[FrameType] = []  # frames that made an entry, outermost first
        self._files: set[str] = set()
        self.entries: list[dict[str, Any]] = []
        self.hops: list[str] = []
        self.n_core_calls = 0

    def on_event(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call of a Python function; a profile function of `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._source) or code.co_name == "<module>":
            return
        self._note_hop(frame)
        file = code.co_filename.removeprefix(self._source)
        if file not in self._files:
            self._files.add(file)
            self._add(frame, {"file": file, "function": code.co_qualname.split(".<locals>")[0]})

    def on_core_call(self, name: str, frame: FrameType) -> None:
        """Note a call of the engine from this frame."""
        self.n_core_calls += 1
        self._add(frame, {"core": name, "call": self.n_core_calls})
        self._stack.pop()  # a call of the engine calls no Python
        if self._hooks is not None:
            self._hooks.walk_call(self.n_core_calls)

    def _add(self, frame: FrameType, entry: dict[str, Any]) -> None:
        callers = set()
        caller: FrameType | None = frame
        while caller is not None:
            callers.add(caller)
            caller = caller.f_back
        self._stack = [entered for entered in self._stack if entered in callers]
        self.entries.append({"depth": len(self._stack), **entry})
        self._stack.append(frame)

    def _note_hop(self, frame: FrameType) -> None:
        caller = frame.f_back
        if caller is None or not caller.f_code.co_filename.startswith(self._source):
            return
        left, entered = class_body(caller.f_code), class_body(frame.f_code)
        if left and entered and left != entered and of_one_object(caller, frame, {left, entered}):
            self.hops.append(f"{left} → {entered}.{frame.f_code.co_name}")


def class_body(code: CodeType) -> str:
    """Return the name of the class in whose body a function is written, or nothing."""
    return code.co_qualname.split(".<locals>")[0].rpartition(".")[0]


def of_one_object(caller: FrameType, frame: FrameType, bodies: set[str]) -> bool:
    """Whether both class bodies belong to the class of one object that either function works on."""
    for function in (caller, frame):
        thing = function.f_locals.get("self", function.f_locals.get("cls"))
        if thing is not None:
            kind = thing if isinstance(thing, type) else type(thing)
            if bodies <= {base.__qualname__ for base in kind.__mro__}:
                return True
    return False


class CountedClass:
    """Stands for a class of the engine and tells the tracer of each construction."""

    def __init__(self, native: type, construct: Callable[..., Any]) -> None:
        self._native, self._construct = native, construct

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Construct an object of the class."""
        return self._construct(*args, **kwargs)

    def __instancecheck__(self, thing: object) -> bool:
        return isinstance(thing, self._native)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)


def counted(native: Callable[..., Any], name: str, tracer: Tracer) -> Callable[..., Any]:
    """Return a function that tells the tracer and then calls the engine."""

    def call(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1)
        if caller.f_code is CountedClass.__call__.__code__ and caller.f_back is not None:
            caller = caller.f_back
        tracer.on_core_call(name, caller)
        return native(*args, **kwargs)

    return call


def count_calls(core: ModuleType, tracer: Tracer) -> None:
    """Put something that counts before every function, method and constructor of the engine.

    A class without methods is a record (a plan): filling it in is no call.
    """
    for name, native in list(vars(core).items()):
        kind = type(native).__name__
        if kind == "nb_func":
            setattr(core, name, counted(native, f"_core.{name}", tracer))
        elif kind == "nb_type" or kind.startswith("nb_type_"):
            methods = {
                key: value
                for key, value in vars(native).items()
                if type(value).__name__ in {"nb_func", "nb_method"} and not key.startswith("__")
            }
            for key, value in methods.items():
                setattr(native, key, counted(value, f"_core.{name}.{key}", tracer))
            if methods:
                setattr(core, name, CountedClass(native, counted(native, f"_core.{name}", tracer)))


def main() -> None:
    root, walk_name = Path(sys.argv[1]).resolve(), sys.argv[2]
    core = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    import_library(root, core)
    walk = prepared_walk(walk_name)
    hooks = ctypes.CDLL(None) if core is not None else None
    tracer = Tracer(root, hooks)
    count_calls(sys.modules["treewright._core"], tracer)
    if hooks is not None:
        hooks.walk_start()
    sys.setprofile(tracer.on_event)
    try:
        walk()
    finally:
        sys.setprofile(None)
    if hooks is not None:
        hooks.walk_stop()
    print(json.dumps({"entries": tracer.entries, "hops": tracer.hops, "core_calls": tracer.n_core_calls}))
    sys.stdout.flush()
    os._exit(0)  # the counting functions hold engine objects, which nanobind would report as leaks


if __name__ == "__main__":
    main()
