"""The version of the installed library and of what it stands on."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

__all__ = ["VERSION", "show_versions"]

COMPANIONS = ("numpy", "scipy", "scikit-learn", "narwhals", "joblib", "pandas", "polars", "pyarrow")


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


VERSION = (
    _version_of("treewright") or "0+unknown"
)  # unknown when the sources are used without being installed


def show_versions() -> None:
    """Print the versions that a report of a problem should contain."""
    print(f"treewright: {VERSION}")
    print(f"python: {sys.version.split()[0]} ({platform.python_implementation()})")
    print(f"machine: {platform.platform()}")
    for package in COMPANIONS:
        print(f"{package}: {_version_of(package) or 'not installed'}")
