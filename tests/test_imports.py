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


def test_intervals_from_counts_need_numpy_alone():
    """The usual metrics of a small table, and two models compared on it, load no SciPy, no frames and no threads."""
    code = "import howsure as hs; hs.evaluate(hs.from_counts([[50, 3], [4, 43]]))"
    code += "; hs.compare(hs.paired([1, 0, 1, 0], {'a': [1, 0, 0, 0], 'b': [1, 1, 0, 0]}), 'accuracy')"
    assert not modules_after(code) & {*HEAVY, "numpy.polynomial", "concurrent.futures", "zipfile"}


def test_the_version_needs_no_command():
    """`howsure --version` answers before NumPy and the commands are loaded."""
    code = "import sys; sys.argv = ['howsure', '--version']\nfrom howsure.cli import main\nmain()"
    assert not modules_after(code) & {*HEAVY, "numpy", "howsure.cli.app"}


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
