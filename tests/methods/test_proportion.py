"""Binomial intervals reach every metric that is a proportion or follows from one."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.clusters import LARGE, UNSEEN
from howsure.methods import binomial
from howsure.methods.library import METHODS
from howsure.methods.proportion import Binomial

COUNTS = np.array([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
TABLE = hs.from_counts(COUNTS)


def wilson(successes, trials, level=0.95):
    """Wilson's limits, written out."""
    z, p = stats.norm.ppf((1 + level) / 2), successes / trials
    middle = p + z * z / (2 * trials)
    half = z * np.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return np.array([middle - half, middle + half]) / (1 + z * z / trials)


SHARES = {  # metric -> successes, trials; class 1 against the rest has tp 29, fn 12, fp 14, tn 70
    "accuracy": (94, 125),
    "recall@binary+positive_class=1": (29, 41),
    "precision@binary+positive_class=1": (29, 43),
    "specificity@binary+positive_class=1": (70, 84),
    "npv@binary+positive_class=1": (70, 82),
    "fpr@binary+positive_class=1": (14, 84),
    "fnr@binary+positive_class=1": (12, 41),
    "fdr@binary+positive_class=1": (14, 43),
    "for@binary+positive_class=1": (12, 82),
    "jaccard@binary+positive_class=1": (29, 55),
    "prevalence@binary+positive_class=1": (41, 125),
    "model_bias@binary+positive_class=1": (43, 125),
    "diag_mass@binary+positive_class=1": (29, 125),
    "class_accuracy@binary+positive_class=1": (99, 125),
    "f1@micro": (94, 125),
    "recall@micro": (94, 125),
    "adjacent_accuracy": (120, 125),
    "error_rate": (31, 125),
}


@pytest.mark.parametrize("metric", SHARES)
@pytest.mark.parametrize("level", [0.68, 0.95])
def test_proportions_have_wilsons_limits(metric, level):
    """Each proportion takes its own successes and trials; the mid-p interval is the default."""
    successes, trials = SHARES[metric]
    assert hs.estimate(TABLE, metric, confidence_level=level).method == "mid_p"
    estimate = hs.estimate(TABLE, metric, confidence_level=level, method="wilson")
    assert estimate.value == pytest.approx(successes / trials, rel=1e-12)
    assert [estimate.low, estimate.high] == pytest.approx(wilson(successes, trials, level), rel=1e-12)


@pytest.mark.parametrize(
    "method", [entry.kind for entry in METHODS.values() if issubclass(entry.kind, Binomial)], ids=lambda each: each.name
)
def test_f1_goes_through_jaccard(method):
    """F1 is ``2J / (1 + J)`` with J = tp / (tp + fp + fn): each method's limits for J are carried over."""
    estimate = hs.estimate(TABLE, "f1@binary+positive_class=1", method=method())
    low, high = (float(each) for each in binomial.BINOMIAL[method.name](29, 55, 0.95))
    assert [estimate.low, estimate.high] == pytest.approx([2 * low / (1 + low), 2 * high / (1 + high)], rel=1e-12)


@pytest.mark.parametrize("one, other", [("recall", "fnr"), ("specificity", "fpr"), ("precision", "fdr"), ("npv", "for")])  # fmt: skip
@pytest.mark.parametrize("method", [None, "fieller", "delta"])
def test_complements_have_mirrored_intervals(one, other, method):
    """A share and its complement have intervals that are one minus each other."""
    suffix = "@binary+positive_class=2"
    share, rest = (hs.estimate(TABLE, name + suffix, method=method) for name in (one, other))
    assert [1 - rest.high, 1 - rest.low] == pytest.approx([share.low, share.high], rel=1e-9)


def test_weights_enter_by_the_effective_sample_size():
    """With weights, the trials are p (1 - p) over the variance of the weighted share (Korn and Graubard)."""
    rng = np.random.default_rng(4)
    hit, weight = rng.random(300) < 0.8, rng.exponential(size=300)
    table = hs.confusion(np.ones(300, int), hit.astype(int), labels=[0, 1], sample_weight=weight)
    share = weight[hit].sum() / weight.sum()
    variance = (weight**2 * (hit - share) ** 2).sum() / weight.sum() ** 2
    trials = share * (1 - share) / variance
    estimate = hs.estimate(table, "recall", method="wilson")
    assert [estimate.low, estimate.high] == pytest.approx(wilson(share * trials, trials), rel=1e-9)
    assert trials < 250


def test_clusters_enter_by_the_design_effect():
    """With clusters, the trials follow from the variance between clusters, Student's quantile and a partial cluster."""
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(25), 12)
    hit = rng.random(300) < rng.beta(4, 1, 25)[group]
    table = hs.confusion(np.ones(300, int), hit.astype(int), labels=[0, 1], groups=group)
    share = hit.mean()
    totals = np.bincount(group, hit - share) / 300
    effect = (totals**2).sum() / (share * (1 - share) / 300)
    part = UNSEEN * 12 * (share**2 + (1 - share) ** 2) / 2 / (share * (1 - share) * 300)
    assert LARGE * effect > 12
    variance = 25 / 24 * (totals**2).sum() * (1 + part * 12 / effect) / (1 + part)
    trials = share * (1 - share) / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 24)) ** 2
    estimate = hs.estimate(table, "recall", method="wilson")
    assert trials < 300
    assert [estimate.low, estimate.high] == pytest.approx(wilson(share * trials, trials), rel=1e-9)


def test_what_is_no_proportion_is_refused():
    """A metric that is not a proportion is named, with an applicable method."""
    for metric, remedy in (("mcc", "Delta"), ("mse", "Fieller"), ("f1@macro", "Delta")):
        with pytest.raises(hs.HowsureError, match=f"needs a proportion.*{remedy}"):
            hs.estimate(TABLE, metric, method="clopper_pearson")


@pytest.mark.parametrize("classes", [2, 4, 16, 40])
@pytest.mark.parametrize("scale", [1.0, 1e17])
def test_a_perfect_sample_is_one_however_its_weights_round(classes, scale):
    """Successes and trials are then bitwise equal: limits contain 1, and none drops to 0."""
    rng = np.random.default_rng(classes)
    for _ in range(20):
        label = np.arange(classes)
        table = hs.confusion(label, label, sample_weight=scale * rng.random(classes), check=False)
        for method in (None, "wilson", "likelihood_ratio", "logit"):
            found = hs.estimate(table, "accuracy", method=method)
            assert found.high == found.value == 1
            assert 0 < found.low < 1
