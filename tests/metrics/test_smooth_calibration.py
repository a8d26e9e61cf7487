"""The smooth calibration error equals its definition, and the values of relplot."""

import numpy as np
import pytest
from scipy import integrate, stats

import howsure as hs
from howsure.metrics.binding import resolve

RELPLOT = {200: 0.24719462, 2000: 0.25681805}  # relplot 1.0.3, `smECE(score, truth)` on the samples of `sample`


def sample(size):
    """Return truth and scores that are too high."""
    rng = np.random.default_rng(size)
    score = rng.random(size)
    return (rng.random(size) < score**3).astype(float), score


def by_hand(truth, score, bandwidth):
    """Return the integral of the absolute smoothed residuals, the kernel reflected at 0 and 1."""

    def smoothed(at):
        images = np.stack([2 * turn + sign * score for turn in range(-3, 4) for sign in (-1, 1)])
        return abs(((truth - score) * stats.norm.pdf(at, images, bandwidth).sum(0)).mean())

    points = (np.arange(250) + 0.5) / 250
    return float(np.mean([smoothed(at) for at in points]))


def overconfident(size):
    """Return truth and scores that are too low below a half, and too high above: smoothing takes some of it off."""
    rng = np.random.default_rng(size)
    score = rng.random(size)
    return (rng.random(size) < 0.3 + 0.4 * score).astype(float), score


@pytest.mark.parametrize("draw", [sample, overconfident])
def test_the_error_is_the_bandwidth_that_equals_it(draw):
    """At the bandwidth of its own value, the integral is that value (Błasiok and Nakkiran 2024, definition 2)."""
    truth, score = draw(200)
    found = hs.estimate(hs.scores(truth, score), "smooth_ece").value
    assert by_hand(truth, score, found) == pytest.approx(found, rel=2e-3)


@pytest.mark.parametrize("size", list(RELPLOT))
def test_values_are_relplots(size):
    """Up to the grids of either: relplot searches the bandwidth in steps of a thousandth."""
    assert hs.estimate(hs.scores(*sample(size)), "smece").value == pytest.approx(RELPLOT[size], abs=2e-3)


def test_one_score_has_its_distance_from_the_share():
    """For cases with one score the error is the distance between the score and the share of positive cases."""
    assert hs.estimate(hs.scores([1] * 7 + [0] * 3, [0.4] * 10), "smooth_ece").value == pytest.approx(0.3, abs=1e-6)


def test_the_interval_keeps_zero_where_scores_are_calibrated():
    """Calibrated scores have a lower limit of 0, scores that are too high have not."""
    rng = np.random.default_rng(0)
    score = rng.random(500)
    calibrated = hs.estimate(hs.scores(rng.random(500) < score, score), "smooth_ece")
    assert calibrated.low == 0 < calibrated.value <= calibrated.high < 0.1
    wrong = hs.estimate(hs.scores(*sample(2000)), "smooth_ece")
    exact = integrate.quad(lambda score: score - score**3, 0, 1)[0]  # of one sign, so that smoothing changes nothing
    assert 0.2 < wrong.low < exact < wrong.high < 0.3


def test_the_gradient_is_the_derivative():
    """At the bandwidth of the observed table; weighted by the counts it sums to 0."""
    table = hs.scores(*sample(60))
    metric = resolve("smooth_ece", table)
    cells, step = table.counts + 0.5, 1e-6
    gradient = metric.gradient(table.counts_class(cells)).ravel()
    steps = step * np.eye(cells.size).reshape(-1, *cells.shape)
    assert gradient == pytest.approx((metric(cells + steps) - metric(cells - steps)) / (2 * step), abs=1e-7)
    assert (gradient * cells.ravel()).sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", [3, 6, 9, 12])
def test_what_rounding_leaves_of_no_error_has_no_sign(seed):
    """Scores that are right give an error of 0, and a standard error that no order of rows and no unit changes."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 40))
    score, weight = rng.choice([0.2, 0.8, 0.9], size), rng.exponential(size=size)
    found = []
    for order, unit in [(np.arange(size), 1.0), (np.argsort(score), 1.0), (rng.permutation(size), 7.3)]:
        table = hs.calibrated(score[order], sample_weight=unit * weight[order])
        found.append(hs.estimate(table, "smooth_ece", method="wald"))
    assert [each.value for each in found] == pytest.approx([0] * 3, abs=1e-12)
    assert [each.standard_error for each in found] == pytest.approx([found[0].standard_error] * 3, abs=1e-9)


def test_residuals_of_both_signs_cancel_where_the_kernel_reaches():
    """Low scores that are too low and higher ones that are too high: at its own bandwidth the integral is the value."""
    score = np.repeat([0.02, 0.2, 0.35, 0.5], [30, 50, 40, 80])
    truth = np.concatenate([np.arange(size) < hits for size, hits in ((30, 15), (50, 31), (40, 4), (80, 6))]) * 1.0
    found = hs.estimate(hs.scores(truth, score), "smooth_ece").value
    assert by_hand(truth, score, found) == pytest.approx(found, rel=2e-3)
    assert found < 0.9 * abs(by_hand(truth, score, 1e-2))
