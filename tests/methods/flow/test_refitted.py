"""Limits of a metric of an estimated table, from those of the samples behind it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.flow.refitted import Refitted
from howsure.methods.numerics.binomial import jeffreys_or_mid_p
from howsure.metrics.binding import resolve

SOURCE = hs.from_counts([[90_000, 10_000], [5_000, 45_000]])


@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall"])
@pytest.mark.parametrize("z", [1.0, 1.959963984540054, 4.0])
def test_many_cases_have_the_normal_interval_of_any_quantile(metric, z):
    """With many cases the limits are z standard errors away on both sides, for any level."""
    table = hs.transported(SOURCE, {0: 40_000, 1: 60_000})
    bound = resolve(metric, table)
    fitted = Refitted.of(bound, table, table.design.refit, bound.finite_gradient(table.counted).ravel())
    found = hs.estimate(table, metric, method="delta")
    low, high = fitted.limits(found.value, fitted.gradients(fitted.refit.observed), z, 0.95)
    assert (found.value - low, high - found.value) == pytest.approx((z * found.standard_error,) * 2, rel=0.03)


class Samples:
    """Independent samples of outcomes; the table has the share of each outcome in its sample."""

    def __init__(self, observed, row, *, is_independent=True):
        self.observed, self.row, self.is_independent = np.array(observed, dtype=float), np.array(row), is_independent

    def tables(self, observed):
        """Return the share of each outcome in its sample."""
        rows = (self.row == np.arange(self.row.max() + 1)[:, None]) * 1.0
        return observed / (observed @ rows.T)[..., self.row]

    def interior(self, observed):
        """Return the counts: any are possible."""
        return observed


def limits_of(form, samples, *, level=0.95, z=None, variance=None):
    """Return the value of a linear form in the shares of the outcomes, and its limits."""
    table = SimpleNamespace(make_counts=lambda cells: cells, variance=lambda slopes: variance)
    fitted = Refitted.of(lambda cells: cells @ form, table, samples, np.zeros(len(form)))
    value = float(samples.tables(samples.observed) @ form)
    z = stats.norm.ppf((1 + level) / 2) if z is None else z
    return value, np.array(fitted.limits(value, fitted.gradients(samples.observed), z, level)), fitted


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("hits, number", [((27, 41), (30, 50)), ((5, 30), (12, 31)), ((9, 2), (14, 90))])
def test_a_sum_of_two_shares_adds_the_squares_of_their_distances(hits, number, level):
    """Each share has Jeffreys' limits, in the direction of its weight; Student's quantile takes cases away."""
    weights = np.array([0.4, -0.7])
    observed = np.ravel([(hit, whole - hit) for hit, whole in zip(hits, number, strict=True)])
    samples = Samples(observed, [0, 0, 1, 1])
    share, trials = np.divide(hits, number), np.array(number, dtype=float)
    for z in (stats.norm.ppf((1 + level) / 2), 3.0):
        value, (low, high), _ = limits_of(np.array([0.4, 0.0, -0.7, 0.0]), samples, level=level, z=z)
        worth = trials * (stats.norm.ppf((1 + level) / 2) / z) ** 2
        lower, upper = jeffreys_or_mid_p(share, worth, level)
        ahead = np.where(weights > 0, upper, lower) - share, np.where(weights > 0, lower, upper) - share
        assert value == pytest.approx(weights @ share)
        assert high - value == pytest.approx(np.linalg.norm(weights * ahead[0]), rel=1e-3)
        assert value - low == pytest.approx(np.linalg.norm(weights * ahead[1]), rel=1e-3)


def test_outcomes_between_the_ends_are_worth_more_cases():
    """A mean of outcomes 0, 0.4 and 1 varies less than a share of this size: trials have the ratio of the variances."""
    observed, place = np.array([12.0, 25.0, 9.0]), np.array([0.0, 0.4, 1.0])
    value, (low, high), _ = limits_of(3 * place - 1, Samples(observed, [0, 0, 0]))
    smooth = observed + 1 / 3
    share = observed @ place / 46
    spread = smooth @ (place - smooth @ place / 47) ** 2
    trials = 46 * 47 * share * (1 - share) / spread
    assert trials > 60
    expected = jeffreys_or_mid_p(np.array(share), np.array(trials), 0.95)
    assert value == pytest.approx(3 * share - 1)
    assert [low, high] == pytest.approx([3 * float(each) - 1 for each in expected], rel=1e-4)


def test_cases_that_vary_together_are_worth_less():
    """Of a variance that is k times that of independent cases the trials are a k-th, and never more than the cases."""
    samples = Samples([20, 30], [0, 0], is_independent=False)
    plain = 0.4 * 0.6 / 50
    own = (20 * (1 - 0.4) ** 2 + 30 * 0.4**2) / 51**2  # of the gradient at the smoothed counts
    for times in (0.3, 2.5):
        _, (low, high), fitted = limits_of(np.array([1.0, 0.0]), samples, variance=times * plain)
        assert fitted.effect == pytest.approx(max(times * plain / own, 1), rel=1e-6)
        expected = jeffreys_or_mid_p(np.array(0.4), np.array(50 / fitted.effect), 0.95)
        assert (low, high) == pytest.approx([float(each) for each in expected], rel=1e-5)


def test_samples_without_errors_have_exact_limits():
    """A share of one, or of nearly none, has mid-p limits on one side, and the value on the other."""
    value, (low, high), _ = limits_of(np.array([1.0, 0.0]), Samples([25, 0], [0, 0]))
    assert (value, high) == (1, 1)
    assert low == pytest.approx(0.05 ** (1 / 25), rel=1e-6)
    value, (low, high), _ = limits_of(np.array([0.0, 1.0]), Samples([25, 1e-7], [0, 0]))
    assert low == pytest.approx(0, abs=1e-8)
    assert high == pytest.approx(1 - 0.05 ** (1 / 25), rel=1e-5)
    value, (low, high), _ = limits_of(np.array([1.0, 0.0]), Samples([25, 1e-7], [0, 0]))
    assert low == pytest.approx(0.05 ** (1 / 25), rel=1e-5)
    assert high == pytest.approx(1, abs=1e-8)
