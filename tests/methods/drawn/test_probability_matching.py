"""Limits of draws, moved and stretched to match confidence limits."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.drawn.probability_matching import averages_all_classes, matched, of_proportion
from howsure.methods.numerics.binomial import mid_p
from howsure.metrics.binding import resolve

COUNTS = np.array([[12, 3, 1], [2, 9, 4], [0, 5, 14]])
TABLE = hs.from_counts(COUNTS)


def quantiles_of(draws):
    """Return the equal-tailed limits of draws by level."""
    return lambda level: tuple(np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]))


def test_a_proportion_has_the_quantiles_of_two_posteriors_mixed():
    """With one more success and with one more failure, as likely as each other: the mid-p limits; without trials the draws'."""
    limits = of_proportion(resolve("recall@binary+positive_class=1", TABLE), TABLE, lambda _: (0.1, 0.2))
    for level in (0.8, 0.95):
        low, high = limits(level)
        assert (low, high) == pytest.approx(tuple(map(float, mid_p(9, 15, level))))
        for limit, tail in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
            mixed = (stats.beta(10, 6).cdf(limit) + stats.beta(9, 7).cdf(limit)) / 2
            assert mixed == pytest.approx(tail, rel=1e-6)
    empty = hs.from_counts([[3, 1], [0, 0]])
    assert of_proportion(resolve("recall", empty), empty, lambda _: (0.1, 0.2))(0.9) == (0.1, 0.2)


@pytest.mark.parametrize("metric", ["accuracy", "kappa"])
def test_limits_are_stretched_to_the_variation_of_samples(metric):
    """The variance is the mean of the delta method's and the jackknife's; draws that vary more are left as they are."""
    bound, value = resolve(metric, TABLE), float(resolve(metric, TABLE)(TABLE.counted))
    left = [
        float(bound(TABLE.make_counts(COUNTS.ravel() - np.eye(9)[cell])))
        for cell in range(9)
        for _ in range(COUNTS.ravel()[cell])
    ]
    delta = hs.estimate(TABLE, metric, method="wald").standard_error ** 2
    variance = (delta + 49 * np.var(left)) / 2
    if metric == "accuracy":
        assert variance == pytest.approx((0.7 * 0.3 / 50 + 0.7 * 0.3 / 49) / 2)
    for times in (0.5, 2.0):
        draws = 0.6 + times * np.sqrt(variance) * stats.norm.ppf((np.arange(400) + 0.5) / 400)
        middle = TABLE.make_counts(COUNTS.ravel())  # as if the mean of the drawn tables were the sample
        limits = matched(quantiles_of(draws), draws, bound, middle, TABLE)
        plain = np.array(quantiles_of(draws)(0.9))
        expected = 2 * value - 0.6 + max(np.sqrt(variance) / draws.std(), 1.0) * (plain - 0.6)
        assert limits(0.9) == pytest.approx((min(expected[0], value), min(max(expected[1], value), 1)))
        assert (times < 1) == (np.ptp(limits(0.9)) > 1.2 * np.ptp(plain))


class Known:
    """A metric with a stated value of the sample, and at the mean of the draws."""

    contrast = None

    def __init__(self, value, bounds=(0.0, 1.0), at_middle=0.5):
        self.value, self.range, self.at_middle = value, bounds, at_middle

    def __call__(self, _):
        """Return the value at the mean of the draws."""
        return self.at_middle


@pytest.mark.parametrize("at_middle", [0.4, 0.5, 0.55])
def test_limits_are_moved_by_twice_the_effect_of_curvature(at_middle):
    """That is the difference of the metric at the mean table from the mean of the draws; without it they stay."""
    draws = np.linspace(0.3, 0.7, 401)
    limits = matched(quantiles_of(draws), draws, Known(0.5, at_middle=at_middle), object(), None)
    assert limits(0.5) == pytest.approx((0.4 + 2 * (at_middle - 0.5), 0.6 + 2 * (at_middle - 0.5)))
    stay = matched(quantiles_of(draws), draws, Known(0.5, at_middle=at_middle), None, None)
    assert stay(0.5) == pytest.approx((0.4, 0.6))
    unknown = matched(quantiles_of(draws), draws, Known(0.5, at_middle=np.nan), object(), None)
    assert unknown(0.5) == pytest.approx((0.4, 0.6))


def test_limits_stay_in_the_range():
    """Beyond an end they are that end."""
    draws = np.linspace(0.3, 0.7, 401)
    limits = matched(quantiles_of(draws), draws, Known(0.5, bounds=(0.35, 0.62)), None, None)
    assert limits(0.95) == (0.35, 0.62)


def test_averages_of_all_classes_are_told_from_those_of_some():
    """A class without a value is left out of an average, unless the metric's classes are fixed; so of either model."""
    some = hs.from_counts([[5, 2, 0], [1, 7, 0], [0, 0, 0]])
    assert averages_all_classes(resolve("mcc", some), some.counted)
    assert averages_all_classes(resolve("recall@macro", TABLE), TABLE.counted)

    def recalls(counts):
        with np.errstate(all="ignore"):
            return counts.hits / counts.rows

    free = SimpleNamespace(contrast=None, per_class=recalls, spec=None)
    assert not averages_all_classes(free, some.counted)
    assert averages_all_classes(free, TABLE.counted)
    named = SimpleNamespace(contrast=None, per_class=recalls, spec=object())
    assert averages_all_classes(named, some.counted)

    def both(*metrics):
        sides = [SimpleNamespace(metric=each, view=None) for each in metrics]
        return SimpleNamespace(contrast=SimpleNamespace(first=sides[0], second=sides[1]))

    for counts, expected in ((some.counted, False), (TABLE.counted, True)):
        of_one = type("Counts", (type(counts),), {"through": lambda self, _: self})(counts.cells)
        assert averages_all_classes(both(named, free), of_one) == expected
        assert averages_all_classes(both(free, named), of_one) == expected
        assert averages_all_classes(both(named, named), of_one)
