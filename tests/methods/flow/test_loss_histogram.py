"""Intervals of a mean loss from its losses on a grid are those from all of its losses."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.flow import loss_histogram
from howsure.methods.flow.flow import Flow
from howsure.methods.flow.loss_histogram import BINS, LossHistogram
from howsure.metrics.binding import resolve
from howsure.native.losses import CellLosses

ROWS = 20_000
LEVELS = (0.5, 0.95, 0.9999)


def scores(kind, rows=ROWS):
    """Return labels and probabilities of one kind."""
    rng = np.random.default_rng(4)
    truth = rng.random(rows) < (0.002 if kind == "rare" else 0.4)
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1, 3.0 if kind == "sharp" else 1.0)))
    if kind == "one outlier":
        score[np.flatnonzero(truth)[0]] = 1e-300
    if kind == "ties":
        score = np.where(rng.random(rows) < 0.5, np.round(score, 2), score)
    return truth * 1, score


def has_grid(metric, table):
    """Return whether an interval of a metric uses a grid."""
    return len(LossHistogram.of(table, resolve(metric, table).structure.cells).losses) < 2 * BINS


def intervals(table, metric):
    """Return the limits at some levels."""
    found = [hs.estimate(table, metric, method="flow", confidence_level=level) for level in LEVELS]
    return np.array([[each.value, each.low, each.high, each.standard_error] for each in found])


@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
@pytest.mark.parametrize(
    "kind",
    ["rare", "ties", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("usual", "sharp", "one outlier"))],
)
def test_limits_are_those_of_the_exact_path(metric, kind, monkeypatch):
    """To 1e-9 of the width, at low and high levels, for any order of the rows."""
    truth, score = scores(kind)
    table, turned = hs.scores(truth, score), hs.scores(truth[::-1], score[::-1])
    assert has_grid(metric, table) or kind == "one outlier"
    found = intervals(table, metric)
    np.testing.assert_allclose(intervals(turned, metric), found, rtol=1e-12)
    monkeypatch.setattr(loss_histogram, "MANY", np.inf)
    exact = intervals(table, metric)
    assert np.abs(found - exact).max() < 1e-9 * (exact[:, 2] - exact[:, 1]).min()


def test_losses_of_many_classes_too(monkeypatch):
    """Each class has its losses; the mean is over the cases."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, ROWS)
    odds = np.exp(rng.normal(size=(ROWS, 4)) + np.eye(4)[truth])
    table = hs.multiclass_scores(truth, odds / odds.sum(1, keepdims=True))
    for metric in ("brier_score", "log_loss"):
        found = hs.estimate(table, metric)
        with monkeypatch.context() as exactly:
            exactly.setattr(loss_histogram, "MANY", np.inf)
            exact = hs.estimate(table, metric)
        assert [found.low, found.value, found.high] == pytest.approx([exact.low, exact.value, exact.high], rel=1e-9)


@pytest.mark.parametrize("role", ["sample_weight", "groups", "strata"])
def test_cases_that_do_not_count_alike_keep_their_cells(role, monkeypatch):
    """Weights, clusters and strata have no grid: a case's contribution is not its loss alone."""
    truth, score = scores("usual")
    roles = {role: np.arange(ROWS) % 7 + 1}
    roles |= {"stratum_sizes": dict.fromkeys(range(1, 8), 1 / 7)} if role == "strata" else {}
    table = hs.scores(truth, score, **roles)
    monkeypatch.delattr(LossHistogram, "of")
    assert hs.estimate(table, "brier_score").method == "flow"


def test_a_group_has_the_limits_of_its_rows_alone():
    """Whether or not there are others."""
    truth, score = scores("usual", 2 * ROWS)
    half = np.arange(2 * ROWS) % 2
    found = hs.estimate(hs.scores(truth, score, by=half), "brier_score")
    for name in (0, 1):
        alone = hs.estimate(hs.scores(truth[half == name], score[half == name]), "brier_score")
        assert [found[name].low, found[name].high] == pytest.approx([alone.low, alone.high], rel=1e-9)


def test_losses_closer_than_the_grid_keep_their_cells():
    """Where one loss is far off, and the others closer together than two points, sums over the grid would be off."""
    truth, score = scores("usual")
    close = 0.5 + 1e-9 * (score - 0.5)
    close[0] = 1e-300
    table = hs.scores(truth, close)
    bound = resolve("log_loss", table)
    assert not has_grid("log_loss", table)
    assert Flow().interval(bound, table, 0.95).low < bound(table.counted)


@pytest.mark.parametrize("kind", ["usual", "ties"])
def test_the_delta_method_looks_at_cells_with_cases_alone(kind, monkeypatch):
    """Empty ones add nothing to a variance, nor to its degrees of freedom."""
    truth, score = scores(kind)
    tables = hs.scores(truth, score), hs.multiclass_scores(truth, np.stack([1 - score, score], 1))
    for table, metric in zip(tables, ("log_loss", "brier_score"), strict=True):
        found = hs.estimate(table, metric, method="delta")
        with monkeypatch.context() as exactly:
            exactly.setattr(loss_histogram, "MANY", np.inf)
            exact = hs.estimate(table, metric, method="delta")
        assert [found.low, found.value, found.high] == pytest.approx([exact.low, exact.value, exact.high], rel=1e-12)


@pytest.mark.parametrize("metric", ["brier_skill", "log_loss_skill"])
def test_what_rows_save_is_worked_out_of_the_cells_with_cases_alone(metric, monkeypatch):
    """By the delta method: value, limits and standard error equal those of all cells."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 30, 1_000)
    odds = np.exp(rng.normal(size=(1_000, 30)) + 2 * np.eye(30)[truth])
    table = hs.multiclass_scores(truth, odds / odds.sum(1, keepdims=True))
    bound = resolve(metric, table)
    _, small = loss_histogram.of_filled_cells(bound, table)
    assert small.counts.shape == (1_000,)
    few = hs.estimate(table, metric)
    monkeypatch.setattr(loss_histogram, "MANY", table.counts.size + 1)
    every = hs.estimate(table, metric)
    for one, other in zip(
        (few.value, few.low, few.high, few.standard_error),
        (every.value, every.low, every.high, every.standard_error),
        strict=True,
    ):
        assert one == pytest.approx(other, rel=1e-12)


def test_a_grid_keeps_cases_priors_and_moments():
    """A grid of losses keeps the cases, their moments to the fifth, and the prior's to the third."""
    rng = np.random.default_rng(2)
    losses, cases = rng.gamma(2.0, size=5000), rng.integers(0, 4, 5000) * 1.0
    grid = loss_histogram.on_grid(CellLosses(losses), cases, (losses.min(), losses.max()))
    for power in range(6):
        assert grid.cases @ grid.losses**power == pytest.approx(cases @ losses**power, rel=1e-9)
    for power in range(4):
        assert grid.prior @ grid.losses**power == pytest.approx((losses**power).mean(), rel=1e-9)
