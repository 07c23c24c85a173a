"""Fingerprints of some hundred fitted models: what a rebuild of the library must not change.

    python tools/fingerprints.py take FILE     # fit them all and write what they are
    python tools/fingerprints.py check FILE    # fit them all again and name every difference

A fingerprint holds hashes of the predictions' bytes, of the arrays of the saved file and of the reports'
words. Needs the tables of ../shared/data/tabular and takes some minutes.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import time
import warnings
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tools")]

from benchmarks.datasets import FOLDER, real_features  # noqa: E402
from fingerprint_models import Fit, fits  # noqa: E402

from treewright import make  # noqa: E402

ESTIMATORS = {"c45": ("c45", {}), "cart3": ("cart", {"max_depth": 3})}


@lru_cache(maxsize=4)
def rows_of(table: str, max_rows: int) -> tuple[pd.DataFrame, Any]:
    X, y = real_features(table, max_rows)
    return X.iloc[:, :60], y


def estimator_of(fit: Fit, X: pd.DataFrame, n_threads: int) -> Any:
    params = {key: value for key, value in fit.options.items() if not key.isupper()}
    if params.get("monotonic_cst") == "FIRST":
        numeric = [position for position, kind in enumerate(X.dtypes) if kind != "category"]
        params["monotonic_cst"] = [int(position == numeric[0]) for position in range(X.shape[1])]
    if "ESTIMATOR" in fit.options:
        algorithm, own = ESTIMATORS[fit.options["ESTIMATOR"]]
        params["estimator"] = make(algorithm, fit.task, **own)
    return make(fit.algorithm, fit.task, n_jobs=n_threads, **params)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def saved_arrays(estimator: Any) -> str:
    """Hash every array of the saved file."""
    file = io.BytesIO()
    estimator.save(file)
    whole = hashlib.sha256()
    with zipfile.ZipFile(file) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".npy"):
                whole.update(name.encode() + archive.read(name))
    return whole.hexdigest()[:16]


def answers(estimator: Any, X: pd.DataFrame) -> dict[str, str]:
    found = {"predict": digest(np.ascontiguousarray(estimator.predict(X)).tobytes())}
    for method in ("predict_proba", "decision_function", "apply"):
        if hasattr(estimator, method):
            found[method] = digest(np.ascontiguousarray(getattr(estimator, method)(X)).tobytes())
    found["feature_importances"] = digest(estimator.feature_importances_.tobytes())
    return found


def reports(estimator: Any, X: pd.DataFrame, y: Any, weights: Any) -> str:
    """Hash what the model says about a node and about a row; a refusal is an answer, too."""
    words = []
    for ask in (
        lambda: estimator.explain_split(0, X, y, weights),
        lambda: estimator.explain_split(1, X, y, weights),
        lambda: estimator.explain_split(0),
        lambda: estimator.explain_prediction(X.iloc[:1]),
    ):
        try:
            report = ask()
            words.append(f"{report}\n{json.dumps(report.to_dict(), sort_keys=True, default=str)}")
        except Exception as refusal:
            words.append(f"{type(refusal).__name__}: {refusal}")
    return digest("\n".join(words).encode())


def fingerprint(fit: Fit) -> dict[str, Any]:
    """Fit one model with each of its numbers of threads; all must be the same."""
    X, y = rows_of(fit.table, fit.max_rows)
    if "NUMERIC" in fit.options:
        X = X.select_dtypes("number").assign(place=np.arange(len(X)) % 50)
    if fit.task == "classification" and fit.options.get("loss") == "exponential":
        y = (y == y.max()).astype(np.int64)
    if fit.options.get("POSITIVE"):
        y = np.abs(y) + 1.0
    weights = (
        np.random.default_rng(0).integers(0, 4, len(y)).astype(np.float64)
        if "WEIGHTS" in fit.options
        else None
    )
    found: dict[str, Any] = {}
    for n_threads in fit.threads:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                estimator = estimator_of(fit, X, n_threads).fit(X, y, sample_weight=weights)
            except ValueError as refusal:
                return {"refused": str(refusal)}
            own = answers(estimator, X) | {"saved": saved_arrays(estimator)}
            if n_threads == fit.threads[0]:
                found = own
                if fit.max_rows <= 2000:
                    found["reports"] = reports(estimator, X, y, weights)
            elif any(found[key] != own[key] for key in own):
                found["threads"] = f"{n_threads} threads differ from {fit.threads[0]}"
    return found


def main() -> int:
    action, path = sys.argv[1], Path(sys.argv[2])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    known = json.loads(path.read_text(encoding="utf-8")) if action == "check" else {}
    if not FOLDER.is_dir():
        print(
            f"fingerprints: nothing to {action}, the tables of ../shared/data/tabular are not on this machine"
        )
        return 0
    found, different, start = {}, [], time.perf_counter()
    for fit in fits():
        if part not in fit.name:
            continue
        found[fit.name] = fingerprint(fit)
        if action == "check" and known.get(fit.name) != found[fit.name]:
            was = known.get(fit.name) or {}
            keys = [key for key in {**was, **found[fit.name]} if was.get(key) != found[fit.name].get(key)]
            different.append(fit.name)
            print(f"{fit.name}: {', '.join(keys)}", flush=True)
    if action == "check":
        lost = [name for name in known if part in name and name not in found]
        different += lost
        print(*(f"{name}: is not fitted any more" for name in lost), sep="\n", end="\n" if lost else "")
    if action == "take":
        path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    refused = sum("refused" in one for one in found.values())
    seconds = time.perf_counter() - start
    print(f"{len(found)} models ({refused} refused), {len(different)} different, {seconds:.0f} s")
    return 1 if different or not found else 0


if __name__ == "__main__":
    raise SystemExit(main())
