"""Binomial intervals equal statsmodels', SciPy's and published ones, and cover as they promise."""

import warnings

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st
from scipy import optimize, special, stats
from statsmodels.stats.proportion import proportion_confint

from howsure.methods.numerics.binomial import BINOMIAL, jeffreys_or_mid_p, mid_p
from support.files import rows_of

GRID = [(x, n) for n in (1, 2, 5, 20, 148) for x in sorted({0, 1, 2, n // 3, n // 2, n - 1, n}) if x <= n]
LEVELS = [0.8, 0.95, 0.99]
KEEPING = [name for name in BINOMIAL if name != "wald"]  # these keep to [0, 1] and have a width
SMOOTH = [name for name in KEEPING if name != "binom_test"]  # these are continuous in the counts and the level
STATSMODELS = {
    "wilson": "wilson",
    "agresti_coull": "agresti_coull",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
    "wald": "normal",
}
SCIPY = {"wilson": "wilson", "wilson_cc": "wilsoncc", "clopper_pearson": "exact"}


def limits(name, x, n, level):
    return np.array(BINOMIAL[name](x, n, level))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", STATSMODELS)
def test_equal_statsmodels(name, level):
    """Where statsmodels has the method, limits agree to 1e-10 (its Wald is cut at 0 and 1)."""
    for x, n in GRID:
        expected = proportion_confint(x, n, 1 - level, STATSMODELS[name])
        assert np.clip(limits(name, x, n, level), 0, 1) == pytest.approx(np.array(expected), abs=1e-10)


def test_binom_test_equals_statsmodels():
    """The inverted exact test agrees to 2e-9, statsmodels' own tolerance, also where its p-value crosses repeatedly."""
    for row in rows_of("binom_test.csv"):  # see binom_test.py in the same folder
        found = limits("binom_test", int(row["successes"]), int(row["trials"]), float(row["level"]))
        assert found == pytest.approx([float(row["low"]), float(row["high"])], abs=2e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCIPY)
def test_equal_scipy(name, level):
    """Where SciPy has the method, limits agree to 1e-10."""
    for x, n in GRID:
        expected = stats.binomtest(x, n).proportion_ci(level, SCIPY[name])
        assert limits(name, x, n, level) == pytest.approx(tuple(expected), abs=1e-10)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("x, n", GRID)
def test_mid_p_solves_its_equation(x, n, level):
    """At the limits, half the observed count's probability and the tail beyond it sum to half of 1 − level."""
    low, high = limits("mid_p", x, n, level)
    tail = (1 - level) / 2
    if x:
        assert stats.binom.sf(x, n, low) + stats.binom.pmf(x, n, low) / 2 == pytest.approx(tail, rel=1e-9)
    if x < n:
        assert stats.binom.cdf(x - 1, n, high) + stats.binom.pmf(x, n, high) / 2 == pytest.approx(tail, rel=1e-9)


def test_equal_counts_among_many_have_the_limits_of_one():
    """Many classes or groups with few distinct counts are computed once, in their shape."""
    x, n = np.array([0, 1, 3, 3] * 25).reshape(5, 20), np.array([4, 4, 4, 9] * 25).reshape(5, 20)
    low, high = mid_p(x, n, 0.95)
    for pair in [(0, 4), (1, 4), (3, 4), (3, 9)]:
        here = (x == pair[0]) & (n == pair[1])
        one = mid_p(*pair, 0.95)
        np.testing.assert_allclose(low[here], one[0], rtol=1e-12)
        np.testing.assert_allclose(high[here], one[1], rtol=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("x, n", GRID)
def test_likelihood_ratio_solves_its_equation(x, n, level):
    """At the limits the deviance is the chi-squared quantile, as Brent's method finds it; the ends close at 0 and n."""

    def excess(p):
        ratio = stats.binom.logpmf(x, n, x / n) - stats.binom.logpmf(x, n, p)
        return 2 * ratio - stats.chi2.ppf(level, 1)

    low = optimize.brentq(excess, 1e-15, x / n, xtol=1e-14) if x else 0
    high = optimize.brentq(excess, x / n, 1 - 1e-15, xtol=1e-14) if x < n else 1
    assert limits("likelihood_ratio", x, n, level) == pytest.approx([low, high], abs=1e-10)


@pytest.mark.parametrize("x, n", [(1, 29), (15, 148), (81, 263)])
def test_transformed_intervals_are_plain_on_their_scale(x, n):
    """Logit and arcsine limits are z standard errors from the centre, on the scale of log odds and of angles."""
    z = stats.norm.ppf(0.975)
    odds = special.logit(limits("logit", x, n, 0.95))
    assert odds.mean() == pytest.approx(np.log(x / (n - x)))
    assert np.diff(odds) / 2 == pytest.approx(z * np.sqrt(1 / x + 1 / (n - x)))
    angles = np.arcsin(np.sqrt(limits("arcsine", x, n, 0.95)))
    assert angles.mean() == pytest.approx(np.arcsin(np.sqrt((x + 3 / 8) / (n + 3 / 4))))
    assert np.diff(angles) / 2 == pytest.approx(z / 2 / np.sqrt(n))


NEWCOMBE = {  # Newcombe (1998), Statistics in Medicine 17, 857-872, table I
    "wilson": [(0.2553, 0.3662), (0.0624, 0.1605), (0.0000, 0.1611), (0.0061, 0.1718)],
    "wilson_cc": [(0.2535, 0.3682), (0.0598, 0.1644), (0.0000, 0.2005), (0.0018, 0.1963)],
    "clopper_pearson": [(0.2527, 0.3676), (0.0578, 0.1617), (0.0000, 0.1684), (0.0009, 0.1776)],
    "mid_p": [(0.2544, 0.3658), (0.0601, 0.1581), (0.0000, 0.1391), (0.0017, 0.1585)],
    "likelihood_ratio": [(0.2542, 0.3655), (0.0596, 0.1567), (0.0000, 0.0916), (0.0020, 0.1432)],
}


@pytest.mark.parametrize("name", NEWCOMBE)
def test_published_examples(name):
    """Newcombe's four examples agree to the four printed digits."""
    for (x, n), expected in zip([(81, 263), (15, 148), (0, 20), (1, 29)], NEWCOMBE[name], strict=True):
        assert limits(name, x, n, 0.95) == pytest.approx(expected, abs=5.1e-5)


@pytest.mark.parametrize("level", [0.95, 1 - 1e-12])
def test_huge_samples_and_levels_near_one_are_accurate(level):
    """With 1e12 trials, and with one error in 1e12 allowed, limits equal closed forms to 1e-9 of their width."""
    n, z = 1e12, -stats.norm.ppf((1 - level) / 2)
    upper_of_none = {
        "wilson": z * z / (n + z * z),
        "clopper_pearson": -np.expm1(np.log((1 - level) / 2) / n),
        "mid_p": -np.expm1(np.log(1 - level) / n),
        "likelihood_ratio": -np.expm1(-z * z / 2 / n),
    }
    for name, expected in upper_of_none.items():
        assert limits(name, 0, n, level)[1] == pytest.approx(expected, rel=1e-9, abs=0)
    half = np.sqrt(-np.expm1(-z * z / n)) / 2  # the deviance of p from one half is -n log(4 p (1 - p))
    assert limits("likelihood_ratio", n / 2, n, level) - 0.5 == pytest.approx([-half, half], rel=1e-9, abs=0)
    for name in ("wilson", "clopper_pearson", "mid_p", "jeffreys"):
        assert limits(name, n / 2, n, level) - 0.5 == pytest.approx([-half, half], rel=1e-5, abs=0)


shares = st.integers(0, 64).map(lambda k: k / 64)
levels = st.sampled_from([0.5, 0.9, 0.95, 0.999, 1 - 1e-9])


@pytest.mark.parametrize("name", SMOOTH)
@given(n=st.floats(0.1, 1e7), share=shares, level=levels)
def test_laws(name, n, share, level):
    """Limits stay in [0, 1], have a width, mirror each other, and widen with the level; counts may be fractional."""
    x = n * share
    low, high = limits(name, x, n, level)
    assert 0 <= low < high <= 1
    mirrored = limits(name, n - x, n, level)
    assert [low, high] == pytest.approx([1 - mirrored[1], 1 - mirrored[0]], abs=1e-9)
    wider = limits(name, x, n, (1 + level) / 2)
    assert wider[0] <= low + 1e-12
    assert wider[1] >= high - 1e-12


@given(n=st.integers(1, 500), share=shares, level=levels)
def test_binom_test_laws(n, share, level):
    """The inverted exact test keeps to [0, 1], has a width and mirrors itself."""
    x = round(n * share)
    low, high = limits("binom_test", x, n, level)
    assert 0 <= low <= x / n <= high <= 1
    assert low < high
    assert [low, high] == pytest.approx(1 - limits("binom_test", n - x, n, level)[::-1], abs=1e-8)


@pytest.mark.parametrize("name", [name for name in SMOOTH if name != "jeffreys"])
@given(n=st.floats(0.1, 1e7), share=shares, level=levels)
def test_contain_the_observed_share(name, n, share, level):
    """The interval contains the observed share, and reaches 0 or 1 if no case, or every case, is a success."""
    low, high = limits(name, n * share, n, level)
    assert low <= n * share / n <= high
    assert low == 0 or share > 0
    assert high == 1 or share < 1


def test_jeffreys_leaves_out_a_share_of_zero():
    """Like statsmodels', Jeffreys' limits are not moved to 0 and 1 if no case, or every case, is a success."""
    assert limits("jeffreys", 0, 20, 0.95)[0] > 0
    assert limits("jeffreys", 20, 20, 0.95)[1] < 1


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_jeffreys_limits_reach_the_observed_share(level):
    """Shares of 0 and 1 have mid-p limits, others Jeffreys', moved to a share beyond them; without trials all is possible."""
    share, trials = np.array([0.3, 0.0, 1.0, 1e-5, 1 - 1e-5, 0.5, 0.4]), np.array([20, 8, 5, 10, 10, 0, 0.5])
    low, high = jeffreys_or_mid_p(share, trials, level)
    tail = (1 - level) / 2
    posterior = stats.beta(share * trials + 0.5, (1 - share) * trials + 0.5)
    expected = np.minimum(posterior.ppf(tail), share), np.maximum(posterior.isf(tail), share)
    expected[0][[1, 2, 5]] = 0, (2 * tail) ** (1 / 5), 0
    expected[1][[1, 2, 5]] = 1 - (2 * tail) ** (1 / 8), 1, 1
    assert np.array([low, high]) == pytest.approx(np.array(expected), rel=1e-9)
    assert low[3] == share[3]
    assert high[4] == share[4]


def test_wald_is_plain():
    """Wald limits end at 0 and 1, and are a point if no case is a success."""
    half = 1.959963984540054 * np.sqrt(1 / 29 * 28 / 29 / 29)
    assert limits("wald", 1, 29, 0.95) == pytest.approx([0, 1 / 29 + half])
    assert limits("wald", 0, 20, 0.95) == pytest.approx([0, 0])


@pytest.mark.parametrize("name", BINOMIAL)
def test_no_trials_give_nan_and_arrays_broadcast(name):
    """No trials give nan, quietly; arrays of counts give arrays of limits, equal to those one by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = limits(name, [[3], [0]], [10, 0, 40], 0.95)
        assert np.isnan(limits(name, [0, np.nan], [0, 10], 0.95)).all()
    assert low.shape == high.shape == (2, 3)
    assert np.isnan(low[:, 1]).all()
    assert np.isnan(high[:, 1]).all()
    for row, x in enumerate([3, 0]):
        for column, n in [(0, 10), (2, 40)]:
            assert [low[row, column], high[row, column]] == pytest.approx(limits(name, x, n, 0.95), abs=1e-12)


def test_binom_test_rounds_counts():
    """The exact test rounds counts to integers; less than half a case has no information."""
    assert (limits("binom_test", 2.8, 10.3, 0.95) == limits("binom_test", 3, 10, 0.95)).all()
    assert (limits("binom_test", 0.2, 0.4, 0.95) == [0, 1]).all()


def coverage(name, n, shares):
    """Return the exact coverage probability of the 95 % interval, for each share."""
    counts = np.arange(n + 1)[:, np.newaxis]
    low, high = limits(name, counts, n, 0.95)
    return np.where((low <= shares) & (shares <= high), stats.binom.pmf(counts, n, shares), 0).sum(axis=0)


@pytest.mark.parametrize("n", [5, 30, 50])
def test_clopper_pearson_covers_always(n):
    """Clopper-Pearson never covers less than 95 %."""
    assert coverage("clopper_pearson", n, np.linspace(0.0005, 0.9995, 1000)).min() >= 0.95


def test_mean_coverage():
    """Wilson and mid-p cover 95 % on average; Wald does not."""
    inner = np.linspace(0.01, 0.99, 197)
    assert coverage("wilson", 30, inner).mean() == pytest.approx(0.953, abs=0.006)
    assert coverage("mid_p", 30, inner).mean() == pytest.approx(0.96, abs=0.012)
    assert coverage("wald", 30, inner).mean() < 0.9


def test_shortfall_of_binom_test():
    """Statsmodels' search leaves out shares that its test accepts: for n = 50 coverage falls to 94.8 % at worst."""
    assert limits("binom_test", 0, 50, 0.95)[1] < 0.0745
    assert stats.binomtest(0, 50, 0.0745).pvalue > 0.05
    assert coverage("binom_test", 50, np.linspace(0.0005, 0.9995, 4001)).min() == pytest.approx(0.9482, abs=1e-4)


@pytest.mark.parametrize("n", [10**14, 2**52, 10**17])
def test_binom_test_of_more_cases_than_outcomes_can_be_told_apart(n):
    """With 1e15 cases, the probability of one outcome is rounding error; limits are normal to 1e-6."""
    low, high = BINOMIAL["binom_test"](n // 4, n, 0.95)
    half = 1.959963985 * np.sqrt(0.25 * 0.75 / n)
    older = [int(part) for part in scipy.__version__.split(".")[:2]] < [1, 17]
    precision = 1.5e-9 if older else 0.0  # of SciPy's beta quantiles
    assert (float(low), float(high)) == pytest.approx((0.25 - half, 0.25 + half), abs=max(1e-3 * half, precision))


def test_one_interval_is_that_of_many():
    """The mid-p limits of one whole count, and of a few, are those of more in an array, which other functions give."""
    counts = [(0, 5), (1, 5), (5, 5), (81, 263), (299, 300), (5_000, 16_384), (5_000, 16_385)]
    every = np.stack(mid_p(*np.transpose(counts), 0.95), 1)
    assert every == pytest.approx(np.array([mid_p(*each, 0.95) for each in counts]), rel=1e-12)
    few = np.reshape(counts[:6], (2, 3, 2))
    assert np.stack(mid_p(few[..., 0], few[..., 1], 0.95), -1) == pytest.approx(every[:6].reshape(2, 3, 2), rel=1e-12)


@pytest.mark.parametrize("pair", [(3, 10, 70_000, 100_000), (2.5, 10, 4, 9)])
def test_counts_of_two_kinds_have_the_limits_that_they_have_alone(pair):
    """A few integer counts among many, or among fractional ones, have the same limits as alone."""
    x, n, y, m = pair
    low, high = mid_p([x, y], [n, m], 0.9)
    for place, (successes, trials) in enumerate(((x, n), (y, m))):
        alone = mid_p(successes, trials, 0.9)
        assert (low[place], high[place]) == pytest.approx((float(alone[0]), float(alone[1])), rel=1e-9)
        at_least = stats.beta.cdf(low[place], successes, trials - successes + 1)
        more = stats.beta.cdf(low[place], successes + 1, trials - successes)
        assert (at_least + more) / 2 == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize("n", [0.8, 5.0, 102.2, 131_528.8])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 1 - 1e-9])
def test_mid_p_limits_of_almost_no_success_are_those_of_none(n, level):
    """As x approaches 0, the upper limit approaches ``1 - (1 - level)^(1 / n)``."""
    expected = -np.expm1(np.log1p(-level) / n)
    for x in (1e-7, 1e-9, 1e-12):
        _, high = mid_p([x] * 20, [n] * 20, level)
        assert high == pytest.approx(expected, rel=1e-4)


def test_mid_p_limits_along_many_counts_solve_their_equation():
    """Of a thousand pairs, as along a curve, each solves the equation as alone."""
    x, n = np.minimum(np.arange(1, 1_001), 3 + np.arange(1_000) // 3), np.arange(1, 1_001)
    x, n = x[x < n], n[x < n]
    low, high = mid_p(x, n, 0.95)
    assert stats.binom.sf(x, n, low) + stats.binom.pmf(x, n, low) / 2 == pytest.approx(0.025, rel=1e-9)
    assert stats.binom.cdf(x - 1, n, high) + stats.binom.pmf(x, n, high) / 2 == pytest.approx(0.025, rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("x, n", [(3.0, 10.3), (8.0, 10.7), (2.5, 10.0), (1.25, 7.75)])
def test_exact_limits_of_counts_that_are_not_whole(x, n, level):
    """With fractional successes or trials the limits are quantiles of the beta distribution, as with integers."""
    expected = stats.beta.ppf((1 - level) / 2, x, n - x + 1), stats.beta.isf((1 - level) / 2, x + 1, n - x)
    assert limits("clopper_pearson", x, n, level) == pytest.approx(expected, abs=1e-9)
