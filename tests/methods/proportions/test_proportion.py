"""Binomial intervals reach every metric that is a proportion or follows from one."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.clusters import LARGE, UNSEEN
from howsure.methods.library import METHODS
from howsure.methods.numerics import binomial
from howsure.methods.proportions.proportion import Binomial, row_shares

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


@pytest.mark.parametrize("metric", SHARES)
def test_shares_have_the_binomial_standard_error(metric):
    """It is ``sqrt(p (1 - p) / n)``, and for F1, a function of Jaccard's index, that times the slope 2 / (1 + p)²."""
    successes, trials = SHARES[metric]
    share = successes / trials
    expected = np.sqrt(share * (1 - share) / trials)
    assert hs.estimate(TABLE, metric, method="wilson").standard_error == pytest.approx(expected, rel=1e-9)
    if metric.startswith("jaccard"):
        found = hs.estimate(TABLE, metric.replace("jaccard", "f1"), method="wilson")
        assert found.standard_error == pytest.approx(expected * 2 / (1 + share) ** 2, rel=1e-9)


def test_a_case_has_an_interval_and_none_has_the_reason():
    """One trial has the limits of one; without any, with one cluster or with a known share the reason is told."""
    table = hs.from_counts([[0, 0, 0], [0, 1, 0], [3, 0, 6]])
    found = hs.evaluate(table, [f"recall@binary+positive_class={each}" for each in range(3)], method="wilson")
    none, one, some = found.values()
    assert np.isnan([none.value, none.low, none.high, none.standard_error]).all()
    assert none.reason
    assert [one.low, one.high] == pytest.approx([1 / (1 + stats.norm.ppf(0.975) ** 2), 1])
    assert [some.low, some.high] == pytest.approx(wilson(6, 9))
    single = hs.confusion([0, 1, 1, 0], [0, 1, 0, 0], groups=[1] * 4)
    assert "single cluster" in hs.estimate(single, "accuracy", method="wilson").reason
    known = hs.estimate(
        TABLE.with_design(hs.designs.FixedMargins()), "prevalence@binary+positive_class=1", method="wilson"
    )
    assert known.standard_error == 0
    assert "does not vary" in known.reason


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


@pytest.mark.parametrize("roles", ["", "sample_weight", "groups"])
def test_rows_have_the_limits_of_each_share_of_a_true_class(roles):
    """The shares of a row are those of its class against the rest, also with weights and clusters; an empty one has none."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 90)
    said = np.where(rng.random(90) < 0.7, truth, rng.integers(0, 3, 90))
    given = {"sample_weight": rng.gamma(2.0, size=90), "groups": np.arange(90) // 3}
    roles = {roles: given[roles]} if roles else {}
    share, low, high = row_shares(hs.confusion(truth, said, labels=range(4), check=False, **roles), 0.9)
    assert np.isnan([share[3], low[3], high[3]]).all()
    for i, j in np.ndindex(3, 3):
        swapped = np.where(said == i, j, np.where(said == j, i, said))  # now j is called i
        table = hs.confusion(truth, swapped, labels=range(4), check=False, **roles)
        found = hs.estimate(table, f"recall@binary+positive_class={i}", method="wilson", confidence_level=0.9)
        assert [share[i, j], low[i, j], high[i, j]] == pytest.approx([found.value, found.low, found.high], rel=1e-9)
