"""The path of one mean loss equals that of a batch of tables, which uses their cells."""

import numpy as np
import pytest
from scipy import optimize

import howsure as hs
from howsure.methods.flow import exponential_tilting
from howsure.methods.flow.loss_histogram import LossHistogram

LEVELS = (0.05, 0.5, 0.95, 0.9999, 1 - 1e-12)


@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
@pytest.mark.parametrize("rows", [1, 2, 5, 12, *(pytest.param(each, marks=pytest.mark.thorough) for each in (3, 150))])
@pytest.mark.parametrize("kind", ["usual", "sharp", "rounded", "certain"])
def test_a_table_has_the_limits_that_it_has_in_a_batch(kind, rows, metric):
    """At levels low and high, of one case and of many, where a step of the path is cut short and where none is."""
    rng = np.random.default_rng(rows)
    truth, group = rng.integers(0, 2, 4 * rows), np.repeat(np.arange(4), rows)
    score = 1 / (1 + np.exp(-rng.normal((2.0 * truth - 1) * (20 if kind == "sharp" else 1), 2)))
    score = np.round(score, 1) if kind == "rounded" else score
    score = np.clip(np.round(score), 0.02, 0.98) if kind == "certain" else score
    groups = hs.scores(truth, score, by=group, pos_label=1)
    for level in LEVELS:
        found = hs.estimate(groups, metric, method="flow", confidence_level=level)
        width = np.asarray(found.high) - np.asarray(found.low)
        for name, wide in zip(groups, width, strict=True):
            alone = hs.estimate(groups[name], metric, method="flow", confidence_level=level)
            assert alone.reason == found[name].reason
            if not alone.reason:
                assert (alone.low, alone.high) == pytest.approx((found[name].low, found[name].high), abs=1e-8 * wide)


def test_losses_that_do_not_vary_have_no_limits():
    """Equal losses show no variation; with bounds, limits beyond the end of the path are the bounds."""
    rng = np.random.default_rng(2)
    equal = LossHistogram(np.array([0.25]), np.array([9.0]), np.array([1.0]))
    assert np.isnan(exponential_tilting.Tilting(equal, 0.25, (0.0, np.inf)).limits(1.96)).all()
    losses = rng.random(9)
    varied = exponential_tilting.Tilting(
        LossHistogram(losses, np.ones(9), np.full(9, 1 / 9)), losses.mean(), (0.0, 1.0)
    )
    assert varied.limits(2 * exponential_tilting.MAX_QUANTILE) == (0.0, 1.0)
    inner = varied.limits(1.0)
    assert 0 < inner[0] < losses.mean() < inner[1] < 1


def corrected(z, skewness):
    """Return the quantile of mean 0, variance 1 and this skewness by Wilson and Hilferty."""
    return 2 / skewness * ((1 + skewness * z / 6 - skewness**2 / 36) ** 3 - 1)


@pytest.mark.parametrize("wrong, cases", [(6, 60), (22, 30), (3, 200)])
@pytest.mark.parametrize("z", [0.6, 1.96, 3.3])
def test_losses_of_zero_and_one_have_the_skewness_corrected_interval_of_a_share(wrong, cases, z):
    """Tilting is then the binomial family, whose variance and skewness are known; two pseudo-cases only start it."""
    losses = LossHistogram(np.array([0.0, 1.0]), np.array([cases - wrong, wrong]), np.array([0.5, 0.5]))
    share = wrong / cases
    path = exponential_tilting.Tilting(losses, share, (0.0, 1.0))
    assert path.standard_error == pytest.approx(np.sqrt(share * (1 - share) / cases))
    assert path.directions[0].offs[0] == pytest.approx((wrong + 1) / (cases + 2) - share)

    def gap(at, z):
        error = np.sqrt(at * (1 - at) / cases)
        return (share - at) / error - corrected(z, (1 - 2 * at) / (cases * error))

    low, high = path.limits(z)
    expected = optimize.brentq(gap, 1e-9, share, args=(z,)), optimize.brentq(gap, share, 1 - 1e-9, args=(-z,))
    assert (low, high) == pytest.approx(expected, abs=3e-3 * (expected[1] - expected[0]))


def test_unbounded_losses_start_with_fewer_large_ones():
    """Pseudo-cases have the square root of the exponential of minus the loss; bounded ones are spread as they are told."""
    values, numbers, prior = np.array([0.1, 0.7, 2.5]), np.array([5.0, 3.0, 2.0]), np.array([0.2, 0.5, 0.3])
    losses, mean = LossHistogram(values, numbers, prior), values @ numbers / 10
    for bounds, shares in (((0.0, 3.0), prior), ((0.0, np.inf), prior * np.exp(-values / 2))):
        start = numbers + 2 * shares / shares.sum()
        path = exponential_tilting.Tilting(losses, mean, bounds)
        for way, sign in zip(path.directions, (-1, 1), strict=True):
            assert way.offs[0] + mean == pytest.approx(start @ values / 12)
            # One stride: weights change by the exponential of the loss.
            variance = start @ (values - start @ values / 12) ** 2 / 12 / 10
            tilted = start * np.exp(sign * exponential_tilting.STRIDE * values / (np.sqrt(variance) * 10))
            assert way.offs[1] + mean == pytest.approx(tilted @ values / tilted.sum(), rel=1e-9)


def test_levels_may_come_in_any_order():
    """A path that was walked far gives the near limits that a new one gives."""
    rng = np.random.default_rng(3)
    values = rng.gamma(1.0, size=40)

    def path():
        return exponential_tilting.Tilting(
            LossHistogram(values, np.ones(40), np.full(40, 1 / 40)), values.mean(), (0.0, np.inf)
        )

    walked = path()
    far = walked.limits(4.0)
    for z in (0.3, 1.0, 2.0, 3.0):
        assert walked.limits(z) == pytest.approx(path().limits(z), rel=1e-12)
        assert far[0] < walked.limits(z)[0] < values.mean() < walked.limits(z)[1] < far[1]
    limits = np.array([path().limits(z) for z in np.linspace(0.1, 4, 40)])
    assert (np.diff(limits[:, 0]) < 0).all()
    assert (np.diff(limits[:, 1]) > 0).all()


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, np.inf)])
def test_steep_strides_lead_on(bounds):
    """Of two wrong among five cases, limits move on to the ends of the losses as far as quantiles go."""
    losses = LossHistogram(np.array([0.0, 1.0]), np.array([3.0, 2.0]), np.array([0.5, 0.5]))
    path = exponential_tilting.Tilting(losses, 0.4, bounds)
    limits = np.array([path.limits(z) for z in (2.0, 5.0, 20.0, 200.0)])
    assert (limits[1:, 0] < limits[:-1, 0] / 2).all()
    assert (1 - limits[1:, 1] < (1 - limits[:-1, 1]) / 2).all()
