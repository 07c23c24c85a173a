"""What the page does, as lines of Python and of the command line that do the same."""

from __future__ import annotations

import re
import shlex
from typing import Final

from treewright.web.session import Session
from treewright.web.source import Source

__all__ = ["command_lines", "compare_lines", "data_lines", "file_stem", "python_lines"]

#: Bundled tables of scikit-learn → loader, and whether the target has names.
_SAMPLES: Final = {
    "iris": ("load_iris", True),
    "cancer": ("load_breast_cancer", True),
    "wine": ("load_wine", True),
    "diabetes": ("load_diabetes", False),
}
PLAIN = re.compile(r"[\w./:=,+@%-]+")


def python_lines(session: Session) -> list[str]:
    """Return the Python that repeats the session, line by line."""
    lines = ["import treewright", *data_lines(session.source)]
    if session.grower is not None:
        code = session.grower.to_code().split("\n")
        code[0] = code[0].replace("treewright.Grower(", "treewright.Grower(treewright.")
        if session.source is not None and session.source.weight is not None:
            code[0] = code[0].replace("X, y, sample_weight", "X, y, weights")
        lines += code
    elif session.model is not None:
        name = f"{file_stem(session)}.tree"
        lines.append(f"est = treewright.load({name!r})")
    pruned = session.pruned
    if "confidence_factor" in pruned:
        lines[-1] = f"est = g.to_estimator(confidence_factor={pruned['confidence_factor']!r})"
    elif "rule" in pruned:
        weights = ", sample_weight=weights" if session.source and session.source.weight else ""
        lines.append(f"est = est.pruned(rule={pruned['rule']!r}, X=X, y=y{weights}, cv={pruned['cv']!r})")
    elif "alpha" in pruned:
        lines.append(f"est = est.pruned(alpha={pruned['alpha']!r})")
    return lines


def data_lines(source: Source | None) -> list[str]:
    """Return the Python that reads and divides the table."""
    if source is None:
        return []
    if source.given is not None:
        return ["# X and y as they are in your session"]
    out = [name for name in source.table.names if source.roles[name] != "input"]
    if source.origin == "bundled":
        lines = _bundled_lines(source)
        lines += [
            f'data[{name!r}] = data[{name!r}].astype("category")'
            for name, kind in source.kinds.items()
            if kind == "nominal"
        ]
        lines.append(f"X, y = data.drop(columns={out!r}), data[{source.target!r}]")
        weights = f"weights = data[{source.weight!r}]"
    else:
        kinds = repr(dict(source.kinds)) if source.kinds else ""
        lines = [f"data = treewright.files.open_table({source.name!r}).read({kinds})"]
        if source.rows is not source.table:
            lines.append(f"data = data.take(data.rows_with({source.target!r}))")
        lines.append(f"X, y = data.without({out!r}), data.select([{source.target!r}])")
        weights = f"weights = data.column({source.weight!r}).values"
    return [*lines, weights] if source.weight is not None else lines


def _bundled_lines(source: Source) -> list[str]:
    if source.name not in _SAMPLES:
        return [f"data = treewright.datasets.load_{source.name}(as_frame=True).frame"]
    loader, named = _SAMPLES[source.name]
    target = source.table.names[-1]
    more = "" if named else ", scaled=False"
    lines = [
        f"from sklearn.datasets import {loader}",
        f"bunch = {loader}(as_frame=True{more})",
        f'data = bunch.frame.rename(columns={{"target": {target!r}}})',
    ]
    return [*lines, f"data[{target!r}] = bunch.target_names[bunch.target]"] if named else lines


def command_lines(session: Session) -> list[str]:
    """Return the command line that does the same; a remark where only Python can do it."""
    source, grower = session.source, session.grower
    model = f"{file_stem(session)}.tree"
    if grower is None:
        if session.model is not None:
            return [f"treewright show {_quoted(model)}"]
        if source is None or source.given is not None:
            return []
        return [*_write_table(source), f"treewright data {_quoted(_file(source))}"]
    if source is None or source.given is not None:
        return ["# the rows came from Python"]
    if grower.is_edited:
        return [
            "# splits by hand are made in Python or here; download the model, then:",
            f"treewright show {_quoted(model)}",
        ]
    options = [f"-a {session.algorithm}"]
    options += [
        f"--seed {value}" if key == "random_state" else f"-p {_quoted(f'{key}={value}')}"
        for key, value in session.params.items()
    ]
    if "confidence_factor" in session.pruned:
        options.append(f"-p confidence_factor={session.pruned['confidence_factor']!r}")
    lines = _write_table(source)
    if "g.grow()" not in grower.log:
        lines.append("# the page has not grown the tree to its end, as this does:")
    lines.append(f"treewright fit {_table_options(source)} {' '.join(options)} -o {_quoted(model)}")
    smaller = session.pruned
    if "rule" in smaller:
        weight = "" if source.weight is None else f" --weight {_quoted(source.weight)}"
        lines.append(
            f"treewright prune {_quoted(model)} --rule {smaller['rule']} --cv {smaller['cv']} "
            f"--data {_quoted(_file(source))}{weight} -o {_quoted(model)}"
        )
    elif "alpha" in smaller:
        lines.append(f"treewright prune {_quoted(model)} --alpha {smaller['alpha']!r} -o {_quoted(model)}")
    return lines


def compare_lines(source: Source, algorithms: list[str], folds: int) -> list[str]:
    """Return the command line that compares algorithms as the page does."""
    if source.given is not None:
        return ["# the rows came from Python"]
    listed = ",".join(algorithms)
    return [
        *_write_table(source),
        f"treewright compare {_table_options(source)} -a {listed} --cv {folds}",
    ]


def file_stem(session: Session) -> str:
    """Return what files of the session are called, without their ending: plain letters, as headers have."""
    stem = "" if session.source is None else session.source.name.split(".")[0]
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem)[:60].strip("_") or "tree"


def _table_options(source: Source) -> str:
    options = [_quoted(_file(source)), f"-t {_quoted(source.target or '')}"]
    options += [f"--ignore {_quoted(name)}" for name in source.ignored]
    options += [f"--kind {_quoted(f'{name}={kind}')}" for name, kind in source.kinds.items()]
    if source.weight is not None:
        options.append(f"--weight {_quoted(source.weight)}")
    return " ".join(options)


def _write_table(source: Source) -> list[str]:
    """Return the line that writes a bundled table to a file, which a file of the user needs not."""
    if source.origin != "bundled":
        return []
    steps = ["import treewright", *_bundled_lines(source), f"data.to_csv({_file(source)!r}, index=False)"]
    return [f"python -c {shlex.quote('; '.join(step.replace(chr(39), chr(34)) for step in steps))}"]


def _quoted(text: str) -> str:
    return text if PLAIN.fullmatch(text) else shlex.quote(text)


def _file(source: Source) -> str:
    return f"{source.name}.csv" if source.origin == "bundled" else source.name
