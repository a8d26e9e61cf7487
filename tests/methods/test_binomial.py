"""Binomial intervals equal statsmodels', SciPy's and published ones, and cover as they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

from howsure.methods import binomial

GRID = [(x, n) for n in (1, 5, 20, 148) for x in sorted({0, 1, 2, n // 3, n // 2, n - 1, n}) if x <= n]
LEVELS = [0.8, 0.95, 0.99]
KEEPING = ["wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "logit", "arcsine", "likelihood_ratio"]  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "ours, theirs",
    [("wilson", "wilson"), ("agresti_coull", "agresti_coull"), ("clopper_pearson", "beta"), ("jeffreys", "jeffreys"), ("wald", "normal")],
)  # fmt: skip
def test_equal_statsmodels(ours, theirs, level):
    """Where statsmodels has the method, limits agree to 1e-10 (its Wald is cut at 0 and 1)."""
    for x, n in GRID:
        found = np.array(getattr(binomial, ours)(x, n, level))
        expected = np.array(proportion_confint(x, n, 1 - level, theirs))
        assert np.clip(found, 0, 1) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_binom_test_equals_statsmodels(level):
    """The inverted exact test agrees to 1e-9 where its p-value crosses the level once."""
    for x, n in [(0, 7), (3, 10), (7, 20), (10, 20), (19, 20), (74, 148)]:
        found = np.array(binomial.binom_test(x, n, level))
        assert found == pytest.approx(np.array(proportion_confint(x, n, 1 - level, "binom_test")), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "ours, theirs", [("wilson", "wilson"), ("wilson_cc", "wilsoncc"), ("clopper_pearson", "exact")]
)
def test_equal_scipy(ours, theirs, level):
    """Where SciPy has the method, limits agree to 1e-10."""
    for x, n in GRID:
        expected = stats.binomtest(x, n).proportion_ci(level, theirs)
        assert np.array(getattr(binomial, ours)(x, n, level)) == pytest.approx(tuple(expected), abs=1e-10)


@pytest.mark.parametrize("x, n", [(0, 20), (1, 29), (15, 148), (81, 263), (29, 29)])
def test_mid_p_solves_its_equation(x, n):
    """At the limits, half the observed count's probability and the tail beyond it sum to 2.5 %."""
    low, high = binomial.mid_p(x, n, 0.95)
    if x:
        assert stats.binom.sf(x, n, low) + stats.binom.pmf(x, n, low) / 2 == pytest.approx(0.025, rel=1e-9)
    if x < n:
        assert stats.binom.cdf(x - 1, n, high) + stats.binom.pmf(x, n, high) / 2 == pytest.approx(0.025, rel=1e-9)


@pytest.mark.parametrize("x, n", [(1, 29), (15, 148), (81, 263)])
def test_likelihood_ratio_solves_its_equation(x, n):
    """At the limits the deviance is the chi-squared quantile, as Brent's method finds it."""

    def excess(p):
        ratio = stats.binom.logpmf(x, n, x / n) - stats.binom.logpmf(x, n, p)
        return 2 * ratio - stats.chi2.ppf(0.95, 1)

    expected = optimize.brentq(excess, 1e-9, x / n), optimize.brentq(excess, x / n, 1 - 1e-9)
    assert np.array(binomial.likelihood_ratio(x, n, 0.95)) == pytest.approx(expected, abs=1e-9)


NEWCOMBE = {  # Newcombe (1998), Statistics in Medicine 17, 857-872, table I
    "wilson": [(0.2553, 0.3662), (0.0624, 0.1605), (0.0000, 0.1611), (0.0061, 0.1718)],
    "wilson_cc": [(0.2535, 0.3682), (0.0598, 0.1644), (0.0000, 0.2005), (0.0018, 0.1963)],
    "clopper_pearson": [(0.2527, 0.3676), (0.0578, 0.1617), (0.0000, 0.1684), (0.0009, 0.1776)],
    "mid_p": [(0.2544, 0.3658), (0.0601, 0.1581), (0.0000, 0.1391), (0.0017, 0.1585)],
    "likelihood_ratio": [(0.2542, 0.3655), (0.0596, 0.1567), (0.0000, 0.0916), (0.0020, 0.1432)],
}


@pytest.mark.parametrize("name", NEWCOMBE)
def test_published_examples(name):
    """Newcombe's four examples come out to the four printed digits."""
    for (x, n), expected in zip([(81, 263), (15, 148), (0, 20), (1, 29)], NEWCOMBE[name], strict=True):
        assert np.array(getattr(binomial, name)(x, n, 0.95)) == pytest.approx(expected, abs=5.1e-5)


@pytest.mark.parametrize("name", KEEPING)
@given(
    n=st.floats(2, 1e7), share=st.integers(0, 64).map(lambda k: k / 64), level=st.sampled_from([0.5, 0.9, 0.95, 0.999])
)
def test_laws(name, n, share, level):
    """Limits stay in [0, 1], have a width, mirror each other, and widen with the level; counts may be fractional."""
    x = n * share
    low, high = (float(limit) for limit in getattr(binomial, name)(x, n, level))
    assert 0 <= low < high <= 1
    mirrored = getattr(binomial, name)(n - x, n, level)
    assert [low, high] == pytest.approx([1 - float(mirrored[1]), 1 - float(mirrored[0])], abs=1e-6)
    wider = getattr(binomial, name)(x, n, (1 + level) / 2)
    assert float(wider[0]) <= low + 1e-12
    assert float(wider[1]) >= high - 1e-12


@pytest.mark.parametrize("name", [*KEEPING, "wald"])
def test_no_trials_give_nan_and_arrays_broadcast(name):
    """No trials give nan; arrays of counts give arrays of limits, equal to those one by one."""
    low, high = getattr(binomial, name)([[3], [0]], [10, 0, 40], 0.95)
    assert low.shape == high.shape == (2, 3)
    assert np.isnan(low[:, 1]).all()
    assert np.isnan(high[:, 1]).all()
    assert low[0, 2] == pytest.approx(float(getattr(binomial, name)(3, 40, 0.95)[0]))


def coverage(name, n, p):
    """Return the exact probability that the 95 % interval holds p."""
    counts = np.arange(n + 1)
    low, high = getattr(binomial, name)(counts, n, 0.95)
    return stats.binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum()


def test_exact_coverage():
    """Clopper-Pearson never covers less than 95 %; Wilson and mid-p do so on average, Wald does not."""
    shares = np.linspace(0.01, 0.99, 197)
    covered = {
        name: np.array([coverage(name, 30, p) for p in shares])
        for name in ("clopper_pearson", "wilson", "mid_p", "wald")
    }
    assert covered["clopper_pearson"].min() >= 0.95
    assert covered["wilson"].mean() == pytest.approx(0.953, abs=0.006)
    assert covered["mid_p"].mean() == pytest.approx(0.96, abs=0.012)
    assert covered["wald"].mean() < 0.9
