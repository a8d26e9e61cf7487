"""What `import howsure` brings along, and what its names lead to."""

import subprocess
import sys

import howsure as hs

HEAVY = ["scipy", "pandas", "polars", "pyarrow", "duckdb", "sklearn", "matplotlib", "rich", "cyclopts", "narwhals"]


def modules_after(code):
    """Return the modules that a fresh interpreter has after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_import_is_light():
    """Importing the package imports none of the heavy ones."""
    assert not modules_after("import howsure") & set(HEAVY)


def test_an_analytic_estimate_needs_no_frames_and_no_statistics_module():
    """An interval from counts needs `scipy.special` at most."""
    code = "import howsure as hs; hs.evaluate(hs.from_counts([[5, 1], [2, 9]]))"
    loaded = modules_after(code)
    assert not loaded & {"pandas", "polars", "sklearn", "scipy.stats", "duckdb", "rich"}


def test_every_public_name_exists_and_has_a_docstring():
    """Each name of the package resolves, is documented, and is listed by `dir`."""
    for name in hs.__all__:
        assert getattr(hs, name).__doc__, name
    assert set(hs.__all__) <= set(dir(hs))


def test_names_are_not_hidden_by_modules():
    """Public functions stay callable after modules of the package are imported."""
    code = "import howsure as hs, howsure.estimates.estimation, howsure.sources.confusion, howsure.methods.bootstrap\n"
    code += "assert all(map(callable, (hs.estimate, hs.evaluate, hs.confusion, hs.bootstrap)))"
    modules_after(code)
