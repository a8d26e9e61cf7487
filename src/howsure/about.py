"""The version of howsure, and those of its dependencies."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from howsure.native.library import running

__version__ = version("howsure")

REQUIRED = ("numpy", "scipy", "narwhals")
OPTIONAL = ("cyclopts", "rich", "duckdb", "jinja2", "matplotlib", "xarray", "pandas", "polars", "pyarrow")
BESIDE = ("scikit-learn", "dask", "ibis-framework", "pyspark")


def show_versions() -> None:
    """Print the versions of howsure, Python and the libraries that howsure uses, for a bug report.

    The line ``native`` states whether some loops run as compiled C or in NumPy. If the environment variable
    ``HOWSURE_NATIVE`` is 0, they run in NumPy.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.show_versions()  # doctest: +ELLIPSIS
    howsure          ...
    """
    rows = {"howsure": __version__, "python": sys.version.split()[0], "system": platform.platform()}
    rows["native"] = running()
    rows |= {name: _version(name) for name in (*REQUIRED, *OPTIONAL, *BESIDE)}
    width = max(map(len, rows)) + 2
    sys.stdout.write("".join(f"{name:<{width}} {found}\n" for name, found in rows.items()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
