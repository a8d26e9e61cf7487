"""Contrasts of two independent proportions."""

import warnings

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep as by_statsmodels

import howsure as hs
from howsure.methods.proportions.independent_proportions import SCORES, MiettinenNurminen

METHOD = MiettinenNurminen()
COUNTS = [(7, 34, 1, 34), (56, 70, 48, 80), (10, 10, 11, 20), (0, 9, 3, 12), (30, 31, 30, 45), (5, 12, 14, 15)]
LIMITS = {"difference": (-1, 1), "ratio": (0, np.inf), "odds_ratio": (0, np.inf)}


def compared(counts, contrast, level=0.95, **keywords):
    """Return the contrast of the recalls of two test sets, with the score interval."""
    x, n, y, m = counts
    tables = [hs.from_counts(tp=hits, fn=all_ - hits, fp=1, tn=1) for hits, all_ in ((x, n), (y, m))]
    return hs.compare(*tables, "recall", contrast=contrast, method=METHOD, confidence_level=level, **keywords)


@pytest.mark.parametrize(
    "contrast, values",
    [("difference", [-1, -0.3, 0, 0.6, 1]), ("ratio", [0, 0.2, 1, 7]), ("odds_ratio", [0, 0.5, 1, 90])],
)
def test_the_search_is_in_the_unit_interval(contrast, values):
    """The ends of the contrast are 0 and 1, no effect is 1/2, and the way back is the inverse."""
    _, to_unit, back = SCORES[contrast]
    places = to_unit(np.array(values, dtype=float))
    assert (np.diff(places) > 0).all()
    assert (places[0], to_unit(np.array(0.0 if contrast == "difference" else 1.0))) == (0, 0.5)
    assert back(places) == pytest.approx(values)


def restricted(counts, contrast, null):
    """Return the score at a null value: the most likely proportions are found by numerical search."""
    x, n, y, m = counts

    def first(q):
        return {"difference": q + null, "ratio": q * null, "odds_ratio": q * null / (1 - q + q * null)}[contrast]

    def loss(q):
        p = first(q)
        return -(stats.binom.logpmf(x, n, min(max(p, 0), 1)) + stats.binom.logpmf(y, m, q))

    ends = {
        "difference": (max(0, -null), min(1, 1 - null)),
        "ratio": (0, min(1, 1 / null) if null else 1),
        "odds_ratio": (0, 1),
    }[contrast]
    q = optimize.minimize_scalar(loss, bounds=ends, options={"xatol": 1e-13}).x
    p, u, v = first(q), x / n, y / m
    of_first, of_second = p * (1 - p) / n, q * (1 - q) / m
    if contrast == "odds_ratio":  # the score's own variance is of x given the odds ratio
        gap, variance = x - n * p, 1 / (1 / (n * p * (1 - p)) + 1 / (m * q * (1 - q)))
    else:
        factor = 1 if contrast == "difference" else null
        gap, variance = u - factor * v - (null if contrast == "difference" else 0), of_first + factor**2 * of_second
    return gap / np.sqrt(variance * (n + m) / (n + m - 1))


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(
    "contrast, nulls", [("difference", [-0.35, 0.1, 0.5]), ("ratio", [0.3, 0.9, 2.5]), ("odds_ratio", [0.2, 1.1, 6])]
)
def test_scores_have_the_most_likely_proportions(counts, contrast, nulls):
    """The closed forms equal a numerical search for the restricted maximum of the likelihood."""
    for null in nulls:
        found = float(SCORES[contrast][0](*map(float, counts), np.asarray(float(null))))
        assert found == pytest.approx(restricted(counts, contrast, null), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("contrast", SCORES)
def test_limits_have_the_quantile_as_their_score(counts, contrast):
    """Inside the range of the contrast the score is the quantile at the limits, and the value is between them."""
    found = compared(counts, contrast, 0.9)
    assert found.low <= found.value <= found.high or np.isnan(found.value)
    for limit, sign, end in ((found.low, 1, LIMITS[contrast][0]), (found.high, -1, LIMITS[contrast][1])):
        if limit != end and np.isfinite(limit):
            score = float(SCORES[contrast][0](*map(float, counts), np.asarray(limit)))
            assert sign * score == pytest.approx(stats.norm.ppf(0.95), rel=1e-5)


@pytest.mark.parametrize("counts", COUNTS[:2])
@pytest.mark.parametrize("contrast, name", [("difference", "diff"), ("ratio", "ratio"), ("odds_ratio", "odds-ratio")])
def test_limits_and_tests_equal_statsmodels(counts, contrast, name):
    """So do the tests of no effect, and the limits of ratios; for those of differences statsmodels' cubic is another."""
    found = compared(counts, contrast)
    x, n, y, m = counts
    test = by_statsmodels(x, n, y, m, method="score", compare=name, correction=True)
    assert found.p_value == pytest.approx(test.pvalue, rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = confint_proportions_2indep(x, n, y, m, method="score", compare=name, correction=True)
    rel = 0.03 if contrast == "difference" else 1e-7
    assert [found.low, found.high] == pytest.approx(expected, rel=rel)


def test_clusters_have_the_p_value_of_their_interval():
    """At a level of one minus the p-value the interval ends at no difference."""
    rng = np.random.default_rng(4)
    group = np.arange(60) // 4
    hits = [(rng.random(60) < rng.beta(a, 1, 15)[group]).astype(int) for a in (6, 2)]
    tables = [hs.confusion(np.ones(60, int), each, labels=[0, 1], groups=group) for each in hits]
    found = hs.compare(*tables, "recall", method=METHOD)
    assert 1e-4 < found.p_value < 0.5
    at = hs.compare(*tables, "recall", method=METHOD, confidence_level=1 - found.p_value)
    assert min(abs(at.low), abs(at.high)) < 1e-6
    plain = [hs.confusion(np.ones(60, int), each, labels=[0, 1]) for each in hits]
    alone = hs.compare(*plain, "recall", method=METHOD)
    assert found.high - found.low > 1.05 * (alone.high - alone.low)
    assert found.p_value > alone.p_value


def test_what_has_no_interval_has_a_reason():
    """No positive case has no recall, and one cluster no interval."""
    some, none = hs.confusion([1, 1, 1, 0], [1, 0, 1, 0]), hs.confusion([0, 0], [0, 1], labels=[0, 1])
    found = hs.compare(some, none, "recall", method=METHOD)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert "undefined" in found.reason
    found = hs.compare(some, hs.confusion([1, 1, 1, 0], [1, 0, 1, 0], groups=[1] * 4), "recall", method=METHOD)
    assert np.isnan([found.low, found.high]).all()
    assert "cluster" in found.reason


@pytest.mark.parametrize("metric, words", [("mcc", "needs two shares"), ("f1", "needs two shares")])
def test_other_contrasts_are_refused(metric, words):
    """Metrics that are no plain proportion, and two models on the same cases, are for other methods."""
    tables = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[40, 13], [9, 38]])
    with pytest.raises(hs.HowsureError, match=words):
        hs.compare(*tables, metric, method=METHOD)
    pair = hs.paired([1, 1, 0, 0], {"A": [1, 1, 0, 1], "B": [1, 0, 0, 1]})
    with pytest.raises(hs.HowsureError, match=words):
        hs.compare(pair, "accuracy", method=METHOD)
