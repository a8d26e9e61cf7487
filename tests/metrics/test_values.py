"""Metrics of a number per case: equal to NumPy's and SciPy's, with the standard errors of the evaluation harnesses."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.metrics.binding import resolve

RNG = np.random.default_rng(11)
SAMPLES = {
    "skewed": RNG.lognormal(0, 1, 37),
    "tied": RNG.integers(1, 6, 40) * 1.0,
    "one value": np.full(9, 0.25),
    "one case": np.array([3.5]),
}


def value(spec, table):
    return float(resolve(spec, table)(table.counts))


def tail_mean(x, q):
    """Return the mean of the largest values by the formula of Rockafellar and Uryasev (2000)."""
    at = np.quantile(x, q, method="inverted_cdf")
    return at + np.maximum(x - at, 0).mean() / (1 - q)


@pytest.mark.parametrize("name", SAMPLES)
def test_values_equal_numpy(name):
    """Mean, median, standard deviation, shares, quantiles and the tail's mean are NumPy's."""
    x = SAMPLES[name]
    table = hs.values(x)
    assert value("mean", table) == pytest.approx(x.mean(), rel=1e-12)
    assert value("median", table) == pytest.approx(np.median(x), rel=1e-12)
    assert value("std", table) == pytest.approx(x.std(), rel=1e-10, abs=1e-10)
    assert value("share+at_least=2", table) == pytest.approx((x >= 2).mean(), rel=1e-12)
    for q in (0.05, 0.3, 0.75, 0.9):
        found = value(f"quantile+q={q}", table)
        assert found == pytest.approx(np.quantile(x, q, method="averaged_inverted_cdf"), rel=1e-12)
        assert value(f"cvar+q={q}", table) == pytest.approx(tail_mean(x, q), rel=1e-10)


def test_trimmed_mean_equals_scipys():
    """Where the share to cut is a whole number of cases the trimmed mean is SciPy's."""
    x = RNG.lognormal(0, 1, 40)
    for cut in (0.05, 0.1, 0.25):
        assert value(f"trimmed_mean+cut={cut}", hs.values(x)) == pytest.approx(stats.trim_mean(x, cut), rel=1e-12)
    # A fifth of 7 cases is 1.4: the second and the last but one count 0.6 each.
    assert value("trimmed_mean+cut=0.2", hs.values([1, 2, 3, 4, 5, 6, 70])) == pytest.approx(
        (1.2 + 3 + 4 + 5 + 3.6) / 4.2
    )


def test_weights_count_cases():
    """Whole weights give the value of repeated cases."""
    x, times = np.array([3.0, 1.0, 7.0, 2.0]), np.array([2, 1, 3, 4])
    one, other = hs.values(x, sample_weight=times), hs.values(np.repeat(x, times))
    for spec in ("mean", "median", "quantile+q=0.8", "std", "trimmed_mean", "cvar+q=0.5", "share+at_least=3"):
        assert value(spec, one) == pytest.approx(value(spec, other), rel=1e-12)


@pytest.mark.parametrize("weight", [None, [0.1], [1.0], [1000.0]])
def test_one_case_tells_nothing_of_the_spread(weight):
    """For any weight: the mean of one value may round to another, which is not variation."""
    found = hs.estimate(hs.values([0.1], sample_weight=weight), "std", method="delta")
    assert (found.value, found.low, found.high) == (0, 0, np.inf)


def test_standard_error_of_the_mean_is_the_harnesses():
    """It is the sample's standard deviation over the root of n, as lm-evaluation-harness and Inspect print it."""
    x = RNG.beta(0.5, 0.3, 31)
    expected = x.std(ddof=1) / np.sqrt(31)
    for method in (None, "delta", "wald"):
        assert hs.estimate(hs.values(x), "mean", method=method).standard_error == pytest.approx(expected, rel=1e-12)


def test_clustered_standard_error_of_the_mean_is_the_harnesses():
    """It is Inspect's for clusters: squared sums of deviations by cluster, times G / (G - 1), over n squared."""
    x, cluster = RNG.beta(2, 2, 40), RNG.integers(0, 9, 40)
    sums = np.array([(x[cluster == each] - x.mean()).sum() for each in np.unique(cluster)])
    expected = np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1)) / 40
    table = hs.values(x, groups=cluster)
    assert hs.estimate(table, "mean").standard_error == pytest.approx(expected, rel=1e-12)


def test_paired_standard_error_is_that_of_the_differences():
    """The standard error of a difference of means on the same cases is that of the cases' differences."""
    a, b = RNG.normal(size=(2, 25))
    found = hs.compare(hs.values({"a": a, "b": b}), "mean")
    assert found.value == pytest.approx((a - b).mean(), rel=1e-12)
    assert found.standard_error == pytest.approx((a - b).std(ddof=1) / 5, rel=1e-12)


def test_separate_standard_error_is_welchs():
    """The squared standard error of a difference of means of other cases is the sum of both."""
    a, b = RNG.normal(size=25), RNG.normal(size=16)
    found = hs.compare(hs.values(a), hs.values(b), "mean")
    assert found.standard_error == pytest.approx(np.sqrt(a.var(ddof=1) / 25 + b.var(ddof=1) / 16), rel=1e-12)


@pytest.mark.parametrize(
    "spec, words",
    [
        ("quantile+q=1.2", "`q` of `quantile` lies between 0 and 1, not 1.2"),
        ("trimmed_mean+cut=0.5", "`cut` of `trimmed_mean` lies between 0 and 0.5"),
        ("accuracy", "a metric of predictions, and a table of values holds none"),
        ("pass_at", "Make a table of trials"),
        ("mean@macro", "takes no average"),
    ],
)
def test_what_has_no_meaning_is_refused(spec, words):
    """A wrong argument, and a metric of another kind of table, are refused in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(hs.values([0.1, 0.2, 0.4]), spec)


def test_metrics_of_values_need_values():
    """A mean of predictions is refused, with the table to make instead."""
    with pytest.raises(hs.HowsureError, match="Make a table of values"):
        hs.estimate(hs.from_counts([[3, 1], [2, 4]]), "mean")


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ["mean", "std", "trimmed_mean", "cvar+q=0.7", "median"])
@pytest.mark.parametrize("design", [{}, {"groups": np.arange(400) // 4}, {"sample_weight": RNG.random(400) + 0.2}])
def test_methods_agree_on_large_samples(spec, design):
    """The standard errors of the delta method, the bootstrap and the posterior are about the same at n = 400."""
    x = np.random.default_rng(5).gamma(4, 1, 400)
    table = hs.values(x, **design)
    delta, bootstrap, bayes = (
        hs.estimate(table, spec, method=each, random_state=0).standard_error for each in ("delta", "bootstrap", "bayes")
    )
    close = 0.25 if spec == "median" else 0.12
    assert bootstrap == pytest.approx(delta, rel=close)
    assert bayes == pytest.approx(delta, rel=close)


@pytest.mark.parametrize("reached", [0, 3, 11, 20])
def test_a_share_of_values_has_the_intervals_of_a_share_of_cases(reached):
    """Distances from the threshold have no effect: the limits are those of the successes of twenty."""
    values = np.r_[np.linspace(0.5, 3.0, reached), np.linspace(-2.0, 0.49, 20 - reached)]
    for method in ("mid_p", "wilson"):
        found = hs.estimate(hs.values(values), "share", method=method)
        share = hs.proportion(reached, 20, method=method)
        assert found.value == reached / 20
        assert (found.low, found.high) == pytest.approx((share.low, share.high), rel=1e-9)


@pytest.mark.parametrize("size", range(5, 60, 3))
def test_a_trimmed_mean_of_equal_values_is_that_value(size):
    """Not a neighbouring number by rounding of a sum."""
    weight = np.random.default_rng(size).random(size + 2) * 0.3 + 1
    values = np.r_[-4.0, np.full(size, 0.1), 7.0]
    assert value("trimmed_mean+cut=0.3", hs.values(values, sample_weight=weight)) == 0.1


def test_weighted_means_stay_within_the_numbers():
    """Rounding of weighted sums carries neither a mean nor a share beyond the numbers, so that sites can be pooled."""
    sites = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        assert value("mean", hs.values([0.1] * 4, sample_weight=rng.random(4))) == 0.1
        sites.append(hs.values(1 + rng.random(30), sample_weight=rng.random(30)))
        assert value("share+at_least=1", sites[-1]) == 1
    pooled = hs.pool({str(place): site for place, site in enumerate(sites[:3])}, "share+at_least=1")
    assert 0 <= pooled.low <= pooled.value <= pooled.high <= 1
