"""One-sided limits are those of the two-sided interval that leaves as much on either side."""

from inspect import signature

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import howsure as hs

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 240)
SAID = np.where(RNG.random(240) < 0.8, TRUTH, 1 - TRUTH)
SITE = RNG.integers(0, 3, 240)
COLUMNS = {
    "plain": {},
    "weights": {"sample_weight": RNG.uniform(0.5, 2.0, 240)},
    "groups": {"groups": RNG.integers(0, 40, 240)},
    "weights of groups": {"sample_weight": RNG.uniform(0.5, 2.0, 240), "groups": RNG.integers(0, 40, 240)},
}


@pytest.mark.parametrize(
    "method, theirs", [("wilson", "wilson"), ("clopper_pearson", "exact"), ("binom_test", "exact")]
)
@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("k, n", [(42, 47), (0, 20), (20, 20)])
def test_one_sided_limits_of_a_proportion_are_scipys(method, theirs, alternative, k, n):
    """Wilson's and the exact limits equal those of SciPy's one-sided binomial tests."""
    expected = stats.binomtest(k, n, alternative=alternative).proportion_ci(0.95, method=theirs)
    found = hs.proportion(k, n, method=method, alternative=alternative)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert "one-sided" in found.reason


@pytest.mark.parametrize("method, theirs", [("jeffreys", "jeffreys"), ("agresti_coull", "agresti_coull")])
def test_one_sided_limits_of_a_proportion_are_statsmodels(method, theirs):
    """Jeffreys' and Agresti and Coull's limits equal those of statsmodels, which names the sides the other way round."""
    if "alternative" not in signature(proportion_confint).parameters:
        pytest.skip("this statsmodels has no one-sided limits")
    for ours, other in {"less": "larger", "greater": "smaller"}.items():
        expected = proportion_confint(42, 47, 0.05, theirs, alternative=other)
        found = hs.proportion(42, 47, method=method, alternative=ours)
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_one_sided_limits_leave_as_much_as_two_sided_ones_at_twice_the_risk(columns):
    """The 95 % limits of any metric, design and group are those of the 90 % interval; the rest is the metric's range."""
    table = hs.confusion(TRUTH, SAID, by=SITE, **columns)
    metrics = ["accuracy", "f1", "mcc", "balanced_accuracy", "dor"]
    both = hs.evaluate(table, metrics, confidence_level=0.9).records()
    ends = {"accuracy": (0, 1), "f1": (0, 1), "mcc": (-1, 1), "balanced_accuracy": (0, 1), "dor": (0, np.inf)}
    for alternative in ("less", "greater"):
        for each, one in zip(both, hs.evaluate(table, metrics, alternative=alternative).records(), strict=True):
            lowest, highest = ends[each["metric"]]
            expected = (lowest, each["high"]) if alternative == "less" else (each["low"], highest)
            assert (one["low"], one["high"]) == pytest.approx(expected, rel=1e-9), each["metric"]
            assert one["confidence_level"] == 0.95


@pytest.mark.parametrize("method", ["bayes", "bootstrap_percentile", "bootstrap_bca"])
def test_one_sided_limits_of_draws_are_quantiles(method):
    """For draws, a one-sided limit leaves 5 % of them on one side, also if the two-sided interval is an HDI."""
    table = hs.confusion(TRUTH, SAID)
    found = hs.estimate(table, "mcc", method=method, alternative="greater", random_state=0)
    below = (found.draws < found.low).mean()
    assert below == pytest.approx(0.05, abs=0.002 if method != "bootstrap_bca" else 0.02)
    assert found.high == 1


def test_one_sided_limits_of_scores_without_labels():
    """Predictions of metrics of unlabelled cases have one-sided limits too."""
    table = hs.calibrated(RNG.random(100))
    both = hs.estimate(table, "accuracy", threshold=0.5, confidence_level=0.9)
    lower = hs.estimate(table, "accuracy", threshold=0.5, alternative="greater")
    assert (lower.low, lower.high) == (both.low, 1)


def test_one_sided_limits_cover():
    """The upper limit of a false positive rate of 2 % is above it in 95 % of samples of 400, within Monte Carlo error."""
    found = [hs.proportion(int(k), 400, alternative="less").high for k in range(40)]
    covered = stats.binom.pmf(np.arange(40), 400, 0.02)[np.array(found) >= 0.02].sum()
    assert covered == pytest.approx(0.95, abs=0.03)  # exact, of a discrete distribution


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"alternative": "lower"}, "alternative 'lower'"),
        ({"alternative": "less", "confidence_level": 0.5}, "0.5 and 1"),
    ],
)
def test_what_sides_refuse(settings, words):
    """Unknown alternatives and one-sided levels of at most a half are refused in words."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1", **settings)


def test_undefined_limits_stay_undefined():
    """Where no interval is known, neither end of it is."""
    found = hs.estimate(hs.from_counts([[50, 3], [0, 0]]), "recall", alternative="less")
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert "no case of the class" in found.reason
