"""Modules that `import howsure` loads, and targets of its names."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import howsure as hs
from support.public import NAMES

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


def test_a_first_estimate_loads_what_it_asks_for():
    """F1 of a small table loads the usual metrics and its default method, and neither randomness nor hashes."""
    loaded = modules_after("import howsure as hs; hs.estimate(hs.from_counts([[50, 3], [5, 42]]), 'f1')")
    unasked = {
        "numpy.random",
        "numpy.ma",
        "hashlib",
        "tempfile",
        "difflib",
        "howsure.metrics.library",
        "howsure.methods.library",
    }
    assert not loaded & {*HEAVY, *unasked}
    others = {
        "drawn.bootstrap",
        "areas.delong",
        "variance.delta",
        "drawn.dirichlet",
        "variance.fieller",
        "flow.flow",
        "variance.gap_test",
        "composed.mover",
        "proportions.paired_proportions",
        "drawn.predictive",
    }
    assert "howsure.methods.proportions.proportion" in loaded
    assert not loaded & {f"howsure.methods.{each}" for each in others}


def modules_after_report(*words):
    """Return the modules that a fresh interpreter has after a report in the terminal."""
    return modules_after_command("report", Path(__file__).parent.parent / "examples" / "breast_cancer.csv", *words)


@cache
def modules_after_command(*words):
    """Return the modules that a fresh interpreter has after a command in the terminal."""
    code = f"import os, sys; sys.argv = {['howsure', *map(str, words)]}\n"
    code += "shown, sys.stdout = sys.stdout, open(os.devnull, 'w')\n"
    code += "from howsure.cli import main\ntry:\n    main()\nexcept SystemExit:\n    sys.stdout = shown"
    return modules_after(code)


@pytest.mark.thorough
def test_a_report_of_scores_needs_no_scipy():
    """`howsure report` of labels and scores finds its intervals without SciPy, whose import takes longest."""
    words = ["--y-true", "label", "--y-pred", "logistic", "--y-score", "score_logistic"]
    assert not modules_after_report(*words) & {"scipy", "jinja2", "pandas", "pyarrow"}
    assert not modules_after_report(*words, "--by", "tumour_size") & {"jinja2", "pandas", "pyarrow"}


def test_a_report_of_labels_draws_nothing():
    """Neither random numbers nor masked arrays are loaded unless requested."""
    assert not modules_after_report("--y-true", "label", "--y-pred", "logistic") & {"numpy.ma", "numpy.random"}


def test_a_matrix_without_a_page_loads_no_writer_of_reports(tmp_path):
    """`howsure matrix` prints its table without the modules that write reports."""
    file = tmp_path / "matrix.csv"
    file.write_text("50,3\n5,42\n")
    assert "howsure.report.measured" not in modules_after_command("matrix", file)


def test_a_report_loads_the_metrics_that_it_shows():
    """The default metrics are found without those of scores, values, ratings, battles and detections."""
    loaded = modules_after_report("--y-true", "label", "--y-pred", "logistic")
    assert "howsure.metrics.agreement" in loaded
    assert not loaded & {f"howsure.metrics.{each}" for each in ("library", "battles", "detections", "trials", "values")}


@pytest.mark.thorough
def test_methods_and_metrics_are_listed_in_one_order():
    """Whichever metric or method was needed first, all are listed, in the same order."""
    show = "from howsure.methods.library import METHODS; from howsure.metrics.registry import REGISTRY\n"
    show += "print(*METHODS, *REGISTRY.names, *(each.name for each in REGISTRY))"
    estimated = "import howsure as hs; hs.estimate(hs.from_counts([[50, 3], [5, 42]]), 'f1', method='wilson')"
    first = ("", "import howsure.methods.composed.mover, howsure.metrics.roc", estimated)
    commands = ([sys.executable, "-c", f"{each}\n{show}"] for each in first)
    assert len({subprocess.run(each, check=True, capture_output=True).stdout for each in commands}) == 1


def test_names_that_were_not_needed_yet_are_taken():
    """One's own method or metric cannot take the name of a shipped one, whether or not that is loaded."""
    code = "import howsure as hs, sys\ntry:\n    class Mine(hs.methods.Wilson):\n        name = 'bca'\n"
    code += "except hs.HowsureError as error:\n    print(error, file=sys.stderr)\n@hs.define_metric(form='outcomes')\ndef kappa(tp, fn, fp, tn):\n    '''Mine.'''\n    return tp / (tp + fn)"
    with pytest.raises(subprocess.CalledProcessError) as raised:
        modules_after(code)
    assert "The name 'bca' of `Mine` is taken by `Bootstrap`" in raised.value.stderr
    assert "There is a metric 'kappa' already" in raised.value.stderr


def test_the_version_needs_no_command():
    """`howsure --version` answers before NumPy and the commands are loaded."""
    code = "import sys; sys.argv = ['howsure', '--version']\nfrom howsure.cli import main\nmain()"
    assert not modules_after(code) & {*HEAVY, "numpy", "howsure.cli.app"}


def test_every_public_name_exists_and_has_a_docstring():
    """Each name of the package resolves, is documented, and is listed by `dir`."""
    for name, each in NAMES.items():
        assert each.__doc__, name
    assert set(hs.__all__) <= set(dir(hs))


def test_names_are_not_hidden_by_modules():
    """Public functions stay callable after modules of the package are imported."""
    code = "import howsure as hs, howsure.estimates.estimation, howsure.sources.confusion, howsure.methods.drawn.bootstrap\n"
    code += "assert all(map(callable, (hs.estimate, hs.evaluate, hs.confusion, hs.bootstrap)))"
    modules_after(code)


def test_help_needs_no_numpy():
    """The commands and their options are described before anything is computed."""
    code = "import sys; sys.argv = ['howsure', '--help']\nfrom howsure.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass"
    assert not modules_after(code) & {"numpy", "scipy", "narwhals", "duckdb", "pandas"}
