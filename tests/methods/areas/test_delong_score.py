"""The score interval of the area under the ROC curve is as it is defined, keeps its laws, and covers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.areas.delong import newcombe_variance
from howsure.methods.areas.delong_score import DeLongScore, with_a_case_more
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table


def drawn(seed, sizes, *, ties=True):
    """Return truth and scores of given numbers of negative and positive cases."""
    truth = np.repeat([0, 1], sizes)
    score = np.random.default_rng(seed).normal(truth * 1.2)
    return truth, np.round(score) if ties else score


def batch(truth, scores):
    """Return a table of each row of scores, by the scores' ranks in it, ties kept; truth may differ by row."""
    ranks = stats.rankdata(scores, "dense", axis=1) - 1
    size = int(ranks.max()) + 1
    codes = (2 * ranks + truth + 2 * size * np.arange(len(ranks))[:, None]).astype(int)
    counts = np.bincount(codes.ravel(), minlength=2 * size * len(ranks)).reshape(-1, size, 2)
    one = hs.scores(np.r_[0, 1, np.zeros(size - 2, int)], np.arange(size, dtype=float))
    return replace(one, counts=counts.astype(float), rows=scores.shape[1])


def covered(table, area):
    """Return the coverage of the default interval for the area."""
    metric = resolve("roc_auc", table)
    method = default_method(metric, table)
    assert method == DeLongScore()
    found = method.interval(metric, table, 0.95)
    return float(np.mean((found.low <= area) & (area <= found.high)))


def area_of(truth, score, weight):
    """Return the area of weighted cases, and the variance of the mean placements, from all pairs."""
    positive = truth == 1
    wins = (score[positive][:, None] > score[~positive]) + 0.5 * (score[positive][:, None] == score[~positive])
    own, other = (weight[side] / weight[side].sum() for side in (positive, ~positive))
    area = own @ wins @ other
    squares = ((own @ (wins @ other - area) ** 2) / weight[positive].sum(), other @ (own @ wins - area) ** 2)
    return area, squares[0] + squares[1] / weight[~positive].sum()


def with_halves(truth, score):
    """Return truth, scores and weights with half a case of each class below all others, and half above."""
    ends = [-np.inf, -np.inf, np.inf, np.inf]
    return np.r_[truth, 0, 1, 0, 1], np.r_[score, ends], np.r_[np.ones(len(truth)), np.full(4, 0.5)]


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("sizes", [(12, 7), (5, 30), (2, 2), (1, 6), (1, 1)])
def test_a_case_more_is_half_a_case_at_either_end(sizes, ties):
    """Area and variance with one more case in each class equal those of the table that contains its halves."""
    truth, score = drawn(4, sizes, ties=ties)
    found = with_a_case_more(*area_of(truth, score, np.ones(len(truth))), *sizes)
    assert found == pytest.approx(area_of(*with_halves(truth, score)), rel=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("sizes", [(12, 7), (5, 30), (2, 3), (100, 40)])
def test_the_limits_solve_their_equation(sizes, level):
    """At either limit the distance to the observed area is the quantile times the error there."""
    truth, score = drawn(6, sizes)
    value, limits = hs.estimate(hs.scores(truth, score), "roc_auc", confidence_level=level)
    area, variance = area_of(*with_halves(truth, score))
    quantile = stats.t.ppf((1 + level) / 2, min(sizes) ** 2)
    for limit in limits:
        at_limit = variance * newcombe_variance(limit, *sizes) / newcombe_variance(area, *sizes)
        assert abs(limit - value) == pytest.approx(quantile * np.sqrt(at_limit), rel=1e-9)


def test_ranks_alone_matter_and_exchanged_classes_mirror_the_interval():
    """Scores of equal ranks have one interval; of the other class, with the order turned, the same, and 1 minus it."""
    truth, score = drawn(7, (30, 12))
    one = hs.estimate(hs.scores(truth, score), "roc_auc")
    curved = hs.estimate(hs.scores(truth, np.exp(score)), "roc_auc")
    turned = hs.estimate(hs.scores(1 - truth, -score), "roc_auc")
    mirrored = hs.estimate(hs.scores(truth, -score), "roc_auc")
    assert one.method == "delong_score"
    assert (curved.low, curved.high) == pytest.approx((one.low, one.high), rel=1e-12)
    assert (turned.low, turned.high) == pytest.approx((one.low, one.high), rel=1e-9)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((one.low, one.high), rel=1e-9)


def same_as_plain(truth, score):
    """Yield tables of the same cases in other representations."""
    yield hs.scores(truth, score, sample_weight=np.full(len(truth), 3.0))
    yield hs.scores(truth, score, sample_weight=np.where(truth == 1, 0.2, 7.0))
    yield hs.scores(truth, score).with_design(hs.designs.FixedMargins())
    yield hs.scores(truth, score).at_prevalence([0.99, 0.01])
    yield hs.scores(np.tile(truth, 2), np.r_[score, -score], by=np.repeat(["a", "b"], len(truth)))["a"]


def test_what_does_not_matter_for_an_area_does_not_change_its_interval():
    """The unit of the weights, each class's share, totals that are fixed, and other tables of a batch."""
    truth, score = drawn(9, (40, 15))
    one = hs.estimate(hs.scores(truth, score), "roc_auc")
    for table in same_as_plain(truth, score):
        found = hs.estimate(table, "roc_auc")
        assert found.method == one.method
        assert [found.low, found.high] == pytest.approx([one.low, one.high], rel=1e-9)
        assert found.standard_error == pytest.approx(one.standard_error, rel=1e-9)
    both = hs.estimate(hs.scores(np.tile(truth, 2), np.r_[score, -score], by=np.repeat([0, 1], len(truth))), "roc_auc")
    assert [both[0].low, both[0].high] == pytest.approx([one.low, one.high], rel=1e-12)
    assert [both[1].low, both[1].high] == pytest.approx([1 - one.high, 1 - one.low], rel=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
def test_one_table_has_the_interval_that_it_has_in_a_batch(compiled, monkeypatch):
    """Two-pass sums give the design's variance, for each sample of many, including tiny classes."""
    if not compiled:
        monkeypatch.setattr("howsure.native.placements.kernel", lambda name: None)
    rng = np.random.default_rng(2)
    for sizes in ((1, 1), (1, 4), (3, 2), (8, 30)):
        truth = np.repeat([0, 1], sizes)
        tables = batch(truth, np.round(rng.normal(truth, size=(25, len(truth))), 1))
        metric = resolve("roc_auc", tables)
        found = DeLongScore().interval(metric, tables, 0.9)
        for index in range(25):
            one = DeLongScore().interval(metric, select_table(tables, index), 0.9)
            assert [one.low, one.high] == pytest.approx([found.low[index], found.high[index]], rel=1e-9, nan_ok=True)
            assert one.standard_error == pytest.approx(found.standard_error[index], rel=1e-9, abs=1e-9, nan_ok=True)
            assert one.reason == found.reason[index]


@pytest.mark.parametrize("sizes", [(1, 1), (6, 4), (1, 9), (300, 40)])
def test_separated_classes_have_an_interval_that_ends_at_one(sizes):
    """At an area of 1 the upper limit is 1; the lower one allows for the next case of the smaller class in last place."""
    truth = np.repeat([0, 1], sizes)
    for sign in (1, -1):
        found = hs.estimate(hs.scores(truth, sign * np.arange(float(len(truth)))), "roc_auc")
        far, near = (found.low, found.high) if sign > 0 else (1 - found.high, 1 - found.low)
        assert near == 1
        assert 0 < far < 1 - 1 / (min(sizes) + 1)
        assert found.reason in ({""} if sign > 0 else {"", "of the other class, 0, it is 1.000"})


@pytest.mark.parametrize("truth", [[0, 0, 0, 1], [1, 1, 1, 0]])
def test_a_single_case_of_a_class_has_limits_and_no_standard_error(truth):
    """Its class has no sample variance: nan, as by DeLong's interval, with weights of one, and in a batch."""
    score = np.array([1.0, 2.0, 3.0, 2.5])
    both = hs.scores(np.tile(truth, 2), np.r_[score, score], by=np.repeat([0, 1], 4))
    weighted = hs.scores(truth, score, sample_weight=np.ones(4))
    alone = hs.estimate(hs.scores(truth, score), "roc_auc")
    for found in (alone, hs.estimate(weighted, "roc_auc"), hs.estimate(both, "roc_auc")[0]):
        assert np.isnan(found.standard_error)
        assert [found.low, found.high] == pytest.approx([alone.low, alone.high], rel=1e-9)
    assert 0 < alone.low < alone.value < alone.high < 1


def test_what_is_undefined_has_no_standard_error():
    """In a population without one of the classes the area and its standard error are undefined."""
    table = hs.scores([0, 0, 1, 1], [1, 3, 2, 4]).at_prevalence([1, 0])
    for method in (None, "delong"):
        found = hs.estimate(table, "roc_auc", method=method)
        assert np.isnan([found.value, found.standard_error]).all()
        assert found.reason


def test_equal_scores_say_nothing():
    """Where all scores are equal nothing was ranked: nan limits, with the reason, alone and in a batch."""
    alone = hs.estimate(hs.scores([0, 0, 1, 1], [0.5] * 4), "roc_auc")
    together = hs.estimate(hs.scores([0, 1, 0, 1], [0.5, 0.5, 0.2, 0.7], by=[0, 0, 1, 1]), "roc_auc")
    for found in (alone, together[0]):
        assert found.value == 0.5
        assert np.isnan([found.low, found.high]).all()
        assert found.reason == "all scores are equal"
    assert together[1].high == 1


def test_what_it_does_not_serve_has_delongs():
    """Cases in clusters, differences of two areas, and many classes keep DeLong's interval; it is refused by name."""
    truth, score = drawn(1, (20, 20))
    clustered = hs.scores(truth, score, groups=np.arange(40) // 2)
    assert hs.estimate(clustered, "roc_auc").method == "delong"
    with pytest.raises(hs.HowsureError, match=r"not for clusters. Use `DeLong\(\)`"):
        hs.estimate(clustered, "roc_auc", method="delong_score")
    models = hs.paired_scores(truth, {"first": score, "second": np.roll(score, 1)})
    with pytest.raises(hs.HowsureError, match="DeLongScore"):
        hs.compare(models, "roc_auc", method="delong_score")
    with pytest.raises(hs.HowsureError, match="is for `roc_auc`, not for `average_precision`"):
        hs.estimate(hs.scores(truth, score), "average_precision", method="delong_score")


def test_models_that_are_compared_have_the_intervals_that_they_have_alone():
    """In a comparison, each model has the estimate by its own default method, or by the requested method."""
    truth, score = drawn(1, (20, 20))
    models = hs.paired_scores(truth, {"first": score, "second": np.roll(score, 1)})
    for method, own in ((None, "delong_score"), ("delong", "delong"), ("delong_wald", "delong_wald")):
        found = hs.compare(models, "roc_auc", method=method)
        alone = hs.estimate(hs.scores(truth, score), "roc_auc", method=own)
        assert found.a.method == own
        assert [found.a.low, found.a.high] == pytest.approx([alone.low, alone.high], rel=1e-12)


def binormal(rng, truth, draws, area):
    """Return rows of normal scores with this area."""
    return rng.normal(truth * np.sqrt(2) * stats.norm.ppf(area), size=(draws, len(truth)))


def test_coverage_of_normal_scores_is_within_a_point_of_its_level():
    """Where the smaller class has 10 or 20 cases: within a point on average beyond noise (1,000 samples a cell)."""
    rng = np.random.default_rng(12)
    draws, found = 1000, []
    for sizes in ((10, 10), (40, 10), (20, 20), (100, 20)):
        truth = np.repeat([0, 1], sizes)
        found += [covered(batch(truth, binormal(rng, truth, draws, area)), area) for area in (0.6, 0.75, 0.85)]
    noise = np.sqrt(2 / np.pi * 0.95 * 0.05 / draws)
    assert np.abs(np.array(found) - 0.95).mean() - noise < 0.01
    assert min(found) > 0.92


@pytest.mark.parametrize("sizes", [(400, 40), (40, 400), (30, 30)])
def test_a_minority_hidden_in_the_other_class_is_allowed_for(sizes):
    """One case in twenty of either class has the other's scores; one sample in eight of 40 cases shows none of them."""
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1], sizes)
    score = rng.normal(5 * np.where(rng.random((600, len(truth))) < 0.05, 1 - truth, truth))
    near = stats.norm.cdf(5 / np.sqrt(2))
    area = 0.95**2 * near + 0.05**2 * (1 - near) + 0.95 * 0.05
    assert covered(batch(truth, score), area) > 0.92


def test_few_levels_of_scores_and_few_positives_are_covered():
    """With four score levels and 12 positives most samples lack the rare ones at the bottom (1,000 samples)."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], (300, 12))
    shares = np.array([[0.90, 0.08, 0.02, 0.0], [0.10, 0.06, 0.24, 0.60]])
    below = np.cumsum(shares[0]) - shares[0] / 2
    scores = (rng.random((1000, len(truth), 1)) > np.cumsum(shares, 1)[truth]).sum(-1)
    assert covered(batch(truth, scores), float(shares[1] @ below)) > 0.92


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(12, 12), (40, 10), (10, 40), (25, 25), (300, 20)])
@pytest.mark.parametrize("area", [0.6, 0.75, 0.85, 0.92, 0.97])
def test_coverage(sizes, area):
    """Between 93 and 99 % of 20,000 samples of normal scores, from ten cases a class on, up to an area of 0.97."""
    rng = np.random.default_rng(8)
    truth = np.repeat([0, 1], sizes)
    found = np.mean([covered(batch(truth, binormal(rng, truth, 1000, area)), area) for _ in range(20)])
    assert 0.93 < found < 0.99
