"""Fieller's interval solves its quadratic in every design, and covers."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core.standard_errors import critical_value, small_sample
from howsure.metrics.binding import resolve

RNG = np.random.default_rng(31)
TRUE = RNG.integers(0, 3, 420)
PREDICTED = np.where(RNG.random(420) < 0.7, TRUE, RNG.integers(0, 3, 420))
TABLES = {
    "simple": hs.confusion(TRUE, PREDICTED),
    "fixed": hs.confusion(TRUE, PREDICTED).with_design(hs.designs.FixedMargins()),
    "weighted": hs.confusion(TRUE, PREDICTED, sample_weight=RNG.exponential(size=420)),
    "clusters": hs.confusion(TRUE, PREDICTED, groups=np.arange(420) // 14),
}
RATIOS = ["accuracy", "error_rate", "mae", "mse", "adjacent_accuracy", "f1@binary+positive_class=1", "fbeta+beta=2@binary+positive_class=0", "jaccard@micro", "precision@binary+positive_class=2"]  # fmt: skip


@pytest.mark.parametrize("metric", RATIOS)
@pytest.mark.parametrize("design", TABLES)
@pytest.mark.parametrize("level", [0.8, 0.99])
def test_limits_are_the_roots_of_the_quadratic(metric, design, level):
    """At each limit, ``(A - θB)² = z² Var(A - θB)``, the design's variance being taken at θ, not at the estimate."""
    table = TABLES[design]
    estimate = hs.estimate(table, metric, method="fieller", confidence_level=level)
    bound = resolve(metric, table)
    ratio, z = bound.ratio, critical_value(level, *small_sample(bound, table))
    for limit in (estimate.low, estimate.high):
        form = ratio.numerator - limit * ratio.denominator
        distance = (table.counts * form).sum()
        assert distance**2 == pytest.approx(z**2 * float(table.variance(form)), rel=1e-7)
    assert estimate.low < estimate.value < estimate.high


def test_independent_cases_as_arithmetic():
    """For binary F1 the quadratic's coefficients are sums over tp, fp and fn, written out."""
    tn, fp, fn, tp = 61.0, 14.0, 9.0, 27.0
    part, whole = 2 * tp, 2 * tp + fp + fn
    square = stats.norm.ppf(0.975) ** 2
    a = whole**2 - square * (4 * tp + fp + fn)
    b = part * whole - square * 4 * tp
    c = part**2 - square * 4 * tp
    root = np.sqrt(b * b - a * c)
    found = hs.estimate(hs.from_counts([[tn, fp], [fn, tp]]), "f1", method="fieller")
    assert [found.low, found.high] == pytest.approx([(b - root) / a, (b + root) / a], rel=1e-12)


def test_tends_to_the_delta_method():
    """In large samples the interval equals the delta method's."""
    shares = np.array([[0.4, 0.05, 0.05], [0.04, 0.2, 0.06], [0.02, 0.03, 0.15]])
    table = hs.from_counts(shares * 10**8)
    for metric in RATIOS:
        score, wald = (hs.estimate(table, metric, method=method) for method in ("fieller", "wald"))
        assert (score.high - score.low) / (wald.high - wald.low) == pytest.approx(1, abs=1e-3)


def test_a_denominator_near_zero_says_nothing():
    """Where the denominator's sign is in doubt the set is not an interval: the whole range is given."""
    table = hs.confusion([1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0], sample_weight=[1, 1, 1, 1, 40.0, 1])
    estimate = hs.estimate(table, "f1", method="fieller", confidence_level=0.999)
    assert (estimate.low, estimate.high) == (0, 1)


def test_covers_binary_f1_in_small_samples():
    """With forty cases, one in five positive, the interval covers the true F1 close to its level."""
    rng = np.random.default_rng(3)
    shares = np.array([[0.72, 0.08], [0.05, 0.15]])
    truth, tables = 0.3 / 0.43, hs.from_counts(rng.multinomial(40, shares.ravel(), 1200).reshape(-1, 2, 2))
    inside = [each.low <= truth <= each.high for each in hs.estimate(tables, "f1", method="fieller").values()]
    assert len(inside) == 1200
    assert 0.93 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize("seed", range(40))
def test_a_ratio_that_cannot_vary_has_no_interval(seed):
    """The average prevalence of K classes is 1/K for any sample, also up to rounding of weights."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 6))
    true, weight = rng.integers(0, classes, 30), rng.lognormal(0, 2, 30)
    for scale in (1.0, 1e-6, 1000.0):
        table = hs.confusion(true, true[::-1], labels=range(classes), sample_weight=weight * scale)
        found = hs.estimate(table, "prevalence@micro", method="fieller", confidence_level=0.999)
        assert found.value == pytest.approx(1 / classes)
        assert np.isnan([found.low, found.high]).all()
        assert "does not vary" in found.reason


@pytest.mark.parametrize("metric", ["recall", "accuracy", "f1"])
def test_a_share_of_estimated_counts_has_wilsons_limits_where_labels_never_err(metric):
    """With error rates of zero the corrected counts are the recorded ones, and the interval is Wilson's."""
    recorded = hs.from_counts([[50, 3], [2, 42]])
    found = hs.estimate(hs.labels.corrected(recorded, sensitivity=1.0, specificity=1.0), metric, method="fieller")
    wilson = hs.estimate(recorded, metric, method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), rel=1e-9)


@pytest.mark.parametrize("target", ["batch", "population"])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall"])
def test_weights_of_expected_cases_have_no_unit(target, metric):
    """Equal weights of any size give the limits without weights; a change of units changes no limit."""
    rng = np.random.default_rng(3)
    score, weight = rng.random(20), rng.gamma(2.0, 1.0, 20)

    def limits(sample_weight):
        table = hs.calibrated(score, target=target, sample_weight=sample_weight)
        found = hs.estimate(table, metric, threshold=0.5, method="fieller")
        return found.low, found.high

    assert limits(np.full(20, 0.04)) == pytest.approx(limits(None), rel=1e-9)
    assert limits(250.0 * weight) == pytest.approx(limits(weight), rel=1e-9)
