"""Which howsure this is, and what it runs with."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from howsure.native.library import running

__version__ = version("howsure")

REQUIRED = ("numpy", "scipy", "narwhals", "lazy_loader")
OPTIONAL = ("cyclopts", "rich", "duckdb", "jinja2", "matplotlib", "xarray", "pandas", "polars", "pyarrow")
BESIDE = ("scikit-learn", "dask", "ibis-framework", "pyspark")


def show_versions() -> None:
    """Print the versions of howsure, of Python and of the libraries that it uses, for a report of a fault.

    The line ``native`` says whether some loops run as compiled C or by NumPy. With the environment variable
    ``HOWSURE_NATIVE`` at 0 it is NumPy.

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
