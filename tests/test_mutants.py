"""Files changed at random: an answer within its range, or one line of our error, and never the end of the process."""

import json

import numpy as np
import pytest

import howsure as hs
from support.mutants import FIRST, GROUP, SCORE, SECOND, SOME, TWO, calibrated, faults_of, run_apart

SEEDS = 200
CHUNK = 100
MANY = 2_000
BLOCK = 500


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_changed_files_are_refused_or_answered(first):
    """A saved table, a study file or a log with one thing changed gives numbers in their range, or our error."""
    faults = [fault for seed in range(first, first + CHUNK) for fault in faults_of(seed)]
    assert not faults, "\n".join(faults)


FOUND = """
    1007 1225 1993 3535 3592 4774 11573 12513 12892 13774 20907 52572 3976 7561 8186 8420 10184 301705 303852
"""


def test_mutants_that_found_a_fault():
    """Files that once ended in an error of another library, or in a number outside its range."""
    found = map(int, FOUND.split())
    faults = [fault for seed in found for fault in faults_of(seed)]
    assert not faults, "\n".join(faults)


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(SEEDS, SEEDS + MANY, BLOCK))
def test_many_changed_files_end_no_process(first):
    """The same for two thousand of them, in processes with limited memory, of which none ends early."""
    faults = run_apart(first, BLOCK)
    assert not faults, "\n".join(faults)


def changed(table, path, change):
    """Return the path of a saved table with one changed part."""
    held = json.loads(table.save(path).read_text())
    change(held["table"])
    path.write_text(json.dumps(held))
    return path


@pytest.mark.parametrize(
    "make, change, message",
    [
        (
            lambda: hs.from_counts([[50, 3], [5, 42]]),
            lambda held: held["counts"]["values"].__setitem__(0, -30),
            r"is damaged: `counts` has -30.0 at position 0.*at least 0",
        ),
        (
            lambda: hs.confusion([0, 1, 0, 1], [0, 1, 1, 1], groups=[1, 1, 2, 2]),
            lambda held: held["design"]["cell"]["values"].__setitem__(1, 10**9),
            r"is damaged: `cell` has 1000000000 at position 1.*from 0 to 3",
        ),
        (
            lambda: hs.labels.prediction_powered(
                [1, 0, 1, 0, None, None], [1, 0, 0, 0, 1, 1], [1, 0, 1, 1, 1, 0], power=1.0
            ),
            lambda held: held["design"]["samples"][0]["influence"]["indices"]["values"].__setitem__(0, 10**9),
            r"is damaged: `indices` has 1000000000",
        ),
        (
            lambda: hs.scores([0, 1, 1], [0.2, 0.4, 0.9]),
            lambda held: held["scores"]["values"].reverse(),
            r"is damaged: `scores` must ascend",
        ),
        (
            lambda: hs.from_counts([[50, 3], [5, 42]]),
            lambda held: held["labels"].update(values=[1, 1]),
            r"is damaged: `labels` must be distinct",
        ),
    ],
    ids=["count", "cell", "sparse index", "order", "labels"],
)
def test_a_changed_part_is_named(make, change, message, tmp_path):
    """The error for a damaged file names the part, the value and its place."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.load(changed(make(), tmp_path / "table.json", change))


ONES = np.ones(12)
GROUPS = np.arange(12) // 2


@pytest.mark.parametrize(
    "make, path",
    [
        (lambda: hs.confusion(TWO[:12], FIRST[:12], groups=GROUPS), "design.count"),
        (lambda: hs.confusion(TWO[:12], FIRST[:12], groups=GROUPS), "design.multiplicity"),
        (lambda: hs.confusion(TWO[:12], FIRST[:12], by=GROUPS % 2, groups=GROUPS), "tables.design.count"),
        (lambda: hs.confusion(TWO[:12], FIRST[:12], sample_weight=ONES / 3), "design.atoms.1"),
        (lambda: hs.confusion(TWO[:12], FIRST[:12], sample_weight=ONES / 3), "design.weight_squared"),
        (lambda: hs.values(SCORE[:12], groups=GROUPS), "design.count"),
        (lambda: hs.paired(TWO[:12], {"A": FIRST[:12], "B": SECOND[:12]}, groups=GROUPS), "design.count"),
        (lambda: hs.from_counts([[180, 20], [10, 90]]).at_prevalence([0.9, 0.1]), "design.observed"),
        (lambda: hs.calibrated(SCORE), "design.cases.number"),
        (lambda: hs.calibrated(SCORE, target="population"), "design.cases.number"),
        (lambda: calibrated("beta"), "design.number"),
        (lambda: hs.judged(SOME, TWO), "design.labelled"),
        (lambda: hs.judged(SOME, TWO, groups=GROUP), "design.design.count"),
        (lambda: hs.reviewed([[90, 10], [20, 80]], [[[8.0, 1.0], [3.0, 5.0]], [[6.0, 4.0], [0.0, 9.0]]]), "counts"),
        (lambda: hs.labels.corrected(clustered(), sensitivity=0.9, specificity=0.98), "design.samples.0.design.count"),
    ],
    ids=[
        *("clusters", "multiplicity", "groups", "atoms", "squares", "values", "models", "strata", "batch"),
        *("population", "calibrator", "judged", "judged clusters", "reviewed", "corrected"),
    ],
)
def test_entries_that_do_not_add_up_to_the_counts(make, path, tmp_path):
    """A saved design whose entries give other counts than its table has is damaged; the error names the part."""

    def change(held):
        for name in path.split("."):
            held = held[int(name) if name.isdigit() else name]
        held["values"][int(np.argmax(held["values"]))] *= 1.5

    hs.load(make().save(tmp_path / "sound.json"))
    with pytest.raises(hs.HowsureError, match=r"is damaged: `\w+` adds up to .* in cell \d+, and `counts` has"):
        hs.load(changed(make(), tmp_path / "table.json", change))


def clustered():
    """Return a table of clusters."""
    return hs.confusion(TWO, FIRST, groups=GROUP)


def test_negative_zeros_are_zeros(tmp_path):
    """NumPy refuses to draw a gamma variable of -0.0, which a changed file may contain as a number of cases."""
    scores = hs.calibrated([0.1, 0.4, 0.8], target="population")

    def change(held):
        held["counts"]["values"][:2] = [-0.0, -0.0]
        held["design"]["cases"]["number"]["values"][0] = -0.0

    table = hs.load(changed(scores, tmp_path / "table.json", change))
    assert np.isfinite(hs.estimate(table, "roc_auc", method=hs.methods.Dirichlet(n_draws=20), random_state=0).value)


@pytest.mark.parametrize(
    "parts, message",
    [
        ({"counts": np.array([[3.0, np.nan], [1.0, 2.0]]), "labels": np.array([0, 1])}, "`counts` has nan"),
        ({"counts": np.ones((2, 2)), "labels": np.array([0, 1, 2])}, "shape"),
        ({"counts": np.ones((2, 2)), "labels": np.array([0, 1]), "rows": -5}, "`rows`"),
        ({"counts": np.ones((2, 2)), "labels": np.array([0, 1]), "design": "plain"}, "`design` must be Design"),
    ],
    ids=["nan", "labels", "rows", "design"],
)
def test_constructors_check_the_same(parts, message):
    """A table that is made from its parts is checked as a loaded one is."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.tables.ConfusionTable(**parts)
