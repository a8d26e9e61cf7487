"""The grid: resumable, reproducible for any way of running, and a lower bound on the default's coverage."""

import numpy as np
import pytest

from howsure.lab.__main__ import main
from howsure.lab.grid import GRIDS, choose, count_metrics, prove, run, shuffled
from howsure.lab.simulation import coverages
from howsure.lab.summary import results
from howsure.methods.core.draws import group_seed

SOME = [each for each in shuffled(choose()) if each.truth.classes <= 3 and each.truth.n <= 100][:3]
METRICS = ("accuracy", "f1@macro", "mcc")
WHERE_DATA_SPEAK = [
    each
    for each in shuffled(choose())
    if each.truth.classes <= 5 and min(each.expectations["rarest_cases"], each.expectations["errors"]) >= 5
][:12]
FLOOR = 0.91  # coverage of nominal 95 % intervals in any one of these cells
USUAL = 0.94  # and in the mean over them


def contents(folder):
    """Return the bytes of all results."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*/*"))}


def test_a_run_goes_on_where_it_stopped(tmp_path):
    """Existing results are kept, missing ones are recomputed with the same numbers; other draws are replaced."""
    assert run(tmp_path, SOME, ["auto", "wald"], draws=50, metrics=METRICS) == 6
    whole = contents(tmp_path)
    assert run(tmp_path, SOME, ["auto", "wald"], draws=50, metrics=METRICS) == 0
    (tmp_path / next(iter(whole))).unlink()
    assert run(tmp_path, SOME, ["auto", "wald"], draws=50, metrics=METRICS) == 1
    assert contents(tmp_path) == whole
    assert run(tmp_path, SOME[:1], ["auto"], draws=60, metrics=METRICS) == 1


@pytest.mark.thorough
def test_numbers_do_not_depend_on_processes(tmp_path):
    """Two processes write the same as one."""
    for processes in (1, 2):
        run(tmp_path / str(processes), SOME, ["auto"], draws=20, processes=processes, metrics=METRICS)
    one, two = (contents(tmp_path / name) for name in "12")
    assert one == two
    assert len(one) == 3


def test_keys_tell_truths_apart():
    """Every truth of a grid has a key of its own, and a rarest class of at least one expected case."""
    for grid in GRIDS.values():
        settings = list(grid())
        assert len({each.key for each in settings}) == len(settings) > 200
        assert min(each.expectations["rarest_cases"] for each in settings) >= 1


def test_truths_to_prove_on_are_others():
    """The grids share no combination of classes and cases; drawn populations are reproducible."""
    first, again = list(prove()), list(prove())
    assert all(np.array_equal(a.truth.shares, b.truth.shares) for a, b in zip(first, again, strict=True))
    known = {(each.truth.classes, each.truth.n) for each in choose()}
    assert sum((each.truth.classes, each.truth.n) in known for each in first) == 0


def test_every_metric_of_counts_is_asked():
    """The grid's metrics include one class with each average, and the whole table."""
    found = count_metrics(3)
    assert {"mcc", "f1@macro", "recall@min", "dor@geometric", "jaccard@binary+positive_class=2", "mse"} <= {*found}
    assert len(set(found)) == len(found)


@pytest.mark.thorough
def test_command_line(tmp_path, capsys):
    """A grid is run, shown and written as a page with its pictures."""
    folder, page = tmp_path / "results", tmp_path / "coverage.md"
    options = ["--draws", "40", "--sample", "2", "--methods", "auto", "wald", "--metrics", *METRICS]
    assert main(["run", "--out", str(folder), *options]) == 0
    assert main(["show", str(folder)]) == 0
    assert "4 of 4 simulations were made now" in (shown := capsys.readouterr().out)
    assert "below 92 %" in shown
    assert main(["page", str(folder), str(page)]) == 0
    assert "| wald |" in (alone := page.read_text(encoding="utf-8"))
    assert main(["page", str(folder), str(page), "--peers", str(folder)]) == 0
    written = page.read_text(encoding="utf-8")
    assert written.startswith(alone)
    assert "## Other packages" in written[len(alone) :]
    assert "| wald |" in written[len(alone) :]
    for name in ("distribution", "errors"):
        assert (tmp_path / f"coverage-{name}.svg").stat().st_size < 50_000
    assert main(["show", str(tmp_path / "nothing")]) == 2
    assert "holds no results" in capsys.readouterr().err


def test_summary_finds_the_narrowest_that_covers(tmp_path):
    """Widths are relative to the narrowest method that covers in the same cell, which has 1."""
    run(tmp_path, SOME[:2], ["auto", "wald", "clopper_pearson"], draws=200, metrics=["accuracy"])
    at = results(tmp_path)
    for truth in np.unique(at["truth"]):
        own = at["truth"] == truth
        covers = own & (at["coverage"] + 2 * at["coverage_error"] >= 0.95)
        assert at["relative_width"][covers].min() == pytest.approx(1)


@pytest.mark.thorough
def test_the_default_covers():
    """Where the data speak (five cases of the rarest class, five errors) no usual metric falls below the floor."""
    metrics = ["accuracy", "balanced_accuracy", "f1@macro", "precision@macro", "recall@macro", "mcc", "kappa"]
    found = {
        (each.key, one.metric): one.coverage
        for each in WHERE_DATA_SPEAK
        for one in coverages(metrics, None, each.truth, 1000, 0.95, group_seed(0, each.key))
    }
    worst = min(found, key=found.get)
    assert found[worst] >= FLOOR, (worst, found[worst])
    assert np.mean([*found.values()]) >= USUAL
