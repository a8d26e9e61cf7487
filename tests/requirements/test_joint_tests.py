"""Statements about several metrics, with the p-value of the intersection–union test."""

import math
import pickle

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest

import howsure as hs

TABLE = hs.from_counts([[85, 15], [3, 57]])
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 240)
SCORE = np.clip(RNG.normal(0.35 + 0.3 * TRUTH, 0.2), 0.01, 0.99)


def test_p_is_the_larger_of_two_exact_binomial_tests():
    """57 of 60 against 0.9 and 85 of 100 against 0.8, one-sided, as in SciPy."""
    found = hs.joint_test(TABLE, ["sensitivity>0.9", "specificity > 0.8"])
    expected = [binomtest(57, 60, 0.9, "greater").pvalue, binomtest(85, 100, 0.8, "greater").pvalue]
    assert found.p_values == pytest.approx(expected, rel=1e-6)
    assert found.p_value == pytest.approx(max(expected), rel=1e-6)
    assert found.requirements == ("sensitivity > 0.9", "specificity > 0.8")


def test_p_values_above_a_half_are_exact():
    """22 of 23 does not show more than 0.95: the tail is that of the binomial distribution, which two sides hide."""
    found = hs.joint_test(hs.from_counts(tp=22, fn=1, fp=1, tn=9), ["recall>0.95", "recall<0.95"])
    assert found.p_values == pytest.approx((binom.sf(21, 23, 0.95), binom.cdf(22, 23, 0.95)))


def test_upper_bounds_are_tested_from_below():
    """3 misses among 60 against a miss rate of 0.15."""
    found = hs.joint_test(TABLE, "fnr<=0.15")
    assert found.p_value == pytest.approx(binomtest(3, 60, 0.15, "less").pvalue, rel=1e-6)
    assert found.shown


@pytest.mark.parametrize("method", [None, "mid_p", "delta", "flow"])
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "accuracy"])
def test_a_requirement_is_shown_where_the_limit_is_beyond_its_bound(method, metric):
    """The one-sided limit is the largest bound that is shown, for each method."""
    limit = hs.joint_test(TABLE, f"{metric}>0.5", method=method).estimates[0].low
    for bound in (limit - 1e-4, limit + 1e-4):
        found = hs.joint_test(TABLE, (metric, ">", bound), method=method)
        assert found.shown == (bound < limit)
        assert found.shown == (found.p_value <= 0.05)
    limit = hs.joint_test(TABLE, f"{metric}<0.99", method=method).estimates[0].high
    assert hs.joint_test(TABLE, (metric, "<", limit + 1e-4), method=method).shown
    assert not hs.joint_test(TABLE, (metric, "<", limit - 1e-4), method=method).shown


@pytest.mark.parametrize("bounds", [(0.9, 0.8), (0.95, 0.95)])
@pytest.mark.parametrize("sizes", [(20, 60), (50, 50)])
def test_the_level_is_held_at_the_corner_and_on_the_edges(bounds, sizes):
    """The probability of a false statement over all samples is at most 0.05, where one rate equals its bound or both do."""
    shown = []
    for place, (size, bound) in enumerate(zip(sizes, bounds, strict=True)):
        rejected = []
        for hits in range(size + 1):
            counts = [[size - hits, hits], [0, 9]] if place else [[9, 0], [size - hits, hits]]
            table = hs.from_counts(counts) if place == 0 else hs.from_counts([[hits, size - hits], [0, 9]])
            found = hs.joint_test(table, f"{'specificity' if place else 'sensitivity'}>{bound}")
            rejected.append(found.shown)
        shown.append(binom.pmf(np.flatnonzero(rejected), size, bound).sum())
    assert max(shown) <= 0.05
    assert shown[0] * shown[1] <= 0.05


def test_other_metrics_use_the_default_method():
    """The methods are those of `estimate` for metrics that are no proportions; proportions have exact tests."""
    assert hs.joint_test(TABLE, "mcc>0.5").estimates[0].method == hs.estimate(TABLE, "mcc").method
    clustered = hs.confusion(TRUTH, SCORE > 0.5, groups=np.arange(240) // 4)
    found = hs.joint_test(clustered, ["recall>0.5", "precision>0.5"])
    assert [each.method for each in found.estimates] == ["clopper_pearson"] * 2
    scores = hs.scores(TRUTH, SCORE)
    mixed = hs.joint_test(scores, ["roc_auc>0.7", "recall>0.6"], threshold=0.5)
    assert mixed.shown
    assert [each.method for each in mixed.estimates] == ["delong_score", "clopper_pearson"]


def test_weights_and_clusters_have_the_exact_test_of_their_effective_sample_size():
    """Equal weights leave Clopper and Pearson's limit; that of clusters is below the mid-p limit of the intervals."""
    truth, called = np.repeat([1, 0], [60, 4]), np.repeat([1, 0, 1, 0], [40, 4, 16, 4])
    weighted = hs.confusion(truth, called, sample_weight=np.full(64, 0.5))
    (found,) = hs.joint_test(weighted, "recall>0.85").estimates
    assert found.low == pytest.approx(beta.ppf(0.05, 56, 5))
    table = hs.confusion(truth, called, groups=np.arange(64) // 4)
    (found,) = hs.joint_test(table, "recall>0.7", confidence_level=0.9).estimates
    assert found.low < hs.estimate(table, "recall", method="mid_p", confidence_level=0.8).low - 0.01


def test_groups_have_a_test_each():
    """All cases come first."""
    tables = hs.confusion(TRUTH, SCORE > 0.5, by=np.array(["a", "b"])[np.arange(240) % 2])
    found = hs.joint_test(tables, ["recall>0.5", "precision>0.5"])
    assert found["a"].p_value > found.overall.p_value


def test_an_undefined_metric_is_not_shown():
    """Without positive cases recall has no value, so p is nan with the reason."""
    found = hs.joint_test(hs.from_counts([[50, 3], [0, 0]]), ["recall>0.5", "specificity>0.5"])
    assert math.isnan(found.p_value)
    assert not found.shown
    assert found.records()[0]["reason"]
    assert found.failures[0].startswith("recall > 0.5 is not shown")


@pytest.mark.parametrize(
    "requirement, words",
    [
        ("sensitivity", "is no requirement"),
        ("sensitivity>", "is no requirement"),
        ("sensitivity>much", "is no requirement"),
        ("sensitivity>nan", "is no requirement"),
        ("sensitivity=0.9", "is no requirement"),
        ("sensitivity>>0.9", "is no requirement"),
        ("sensitivity=>0.9", "is no requirement"),
        ("sensitivity><0.9", "is no requirement"),
        (3, "list of requirements"),
        ([], "is empty"),
        ("sensitivity>90", r"Did you mean 0\.9\?"),
        ("sensitivty>0.9", "sensitivity"),
        (("recall", "!", 0.9), "is no requirement"),
    ],
)
def test_what_is_no_requirement_is_refused(requirement, words):
    """In one line, with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.joint_test(TABLE, requirement)


def test_methods_without_a_test_and_levels_below_a_half_are_refused():
    """Posterior draws have no p-value; a one-sided level is above one half."""
    with pytest.raises(hs.HowsureError, match="has no test"):
        hs.joint_test(TABLE, "recall>0.5", method="bayes", random_state=0)
    with pytest.raises(hs.HowsureError, match="one-sided"):
        hs.joint_test(TABLE, "recall>0.5", confidence_level=0.4)


def test_reports_have_the_statement():
    """The headline is the sentence, and a requirement that is not shown is a caution; groups are named."""
    found = hs.joint_test(TABLE, ["recall>0.8", "specificity>0.9"])
    report = hs.report_of(found, title="ward 3")
    assert report.headline[0][0] == found.sentence()
    assert any("specificity > 0.9 is not shown" in each[0] for each in report["What to be careful about"].items)
    tables = hs.confusion(TRUTH, SCORE > 0.5, by=np.array(["<a>", "b\nc"])[np.arange(240) % 2])
    page = hs.report_of(hs.joint_test(tables, "recall>0.5")).to_html()
    assert "<a>" not in page
    assert "&lt;a&gt;: " in page


def test_results_survive_pickle():
    """All fields stay."""
    found = hs.joint_test(TABLE, ["recall>0.5", "mcc>0.1"])
    assert pickle.loads(pickle.dumps(found)).records() == found.records()
