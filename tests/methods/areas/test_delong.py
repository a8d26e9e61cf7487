"""DeLong's interval equals its definition and pROC's results, and covers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

import howsure as hs
from howsure.methods.areas.delong import (
    DeLong,
    HanleyMcNeil,
    Newcombe,
    _steadied,
    class_sizes,
    hanley_mcneil_variance,
    newcombe_variance,
    observed_area,
    placement_error,
    placement_variance,
)
from howsure.metrics.binding import resolve
from howsure.metrics.roc import roc_auc_slopes
from support.files import rows_of

DELONG = DeLong()


def sample(seed, *, ties=True):
    """Return truth and scores with at least two cases of each class."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 120))
    truth = (rng.random(size) < rng.uniform(0.2, 0.8)).astype(int)
    truth[:4] = 0, 1, 0, 1
    score = rng.normal(truth * rng.uniform(0, 2))
    return truth, np.round(score, int(rng.integers(0, 3))) if ties else score


def kernel(truth, score):
    """Return the comparison of every positive (rows) with every negative case: 1, 1/2 for a tie, 0."""
    positive, negative = score[truth == 1], score[truth == 0]
    return (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)


def standard_error(table):
    """Return DeLong's standard error."""
    return placement_error(resolve("roc_auc", table), table)


def defined(truth, score):
    """Return the logit interval's standard error and degrees of freedom as they are defined, from all pairs."""
    wins = kernel(truth, score)
    area, sizes = wins.mean(), wins.shape
    by_case = [(wins.mean(1 - side) - area) / sizes[side] for side in (0, 1)]  # contribution of each case of a class
    squares = np.array([(each**2).sum() for each in by_case])
    welch = squares.sum() ** 2 / sum(square**2 / (size - 1) for square, size in zip(squares, sizes, strict=True))
    tails = 2 * squares.sum() ** 2 / (np.concatenate(by_case) ** 4).sum()
    freedom = min(welch, tails)
    variance = sum(square * size / (size - 1) for square, size in zip(squares, sizes, strict=True))
    model = newcombe_variance(area, *sizes)
    return np.sqrt((freedom * variance + 4 * model) / (freedom + 4)), (freedom + 4) ** 2 / freedom


def test_variance_equals_its_definition():
    """The variance equals DeLong's over all pairs, to 1e-10, on 300 data sets with and without ties."""
    for seed in range(300):
        truth, score = sample(seed, ties=seed % 3 > 0)
        wins = kernel(truth, score)
        m, n = wins.shape
        expected = wins.mean(1).var(ddof=1) / m + wins.mean(0).var(ddof=1) / n
        assert standard_error(hs.scores(truth, score)) ** 2 == pytest.approx(expected, rel=1e-10, abs=1e-14)


def test_covariance_of_two_scores_equals_its_definition():
    """On common rows the slopes of two areas give DeLong's covariance of them."""
    truth, first = sample(5, ties=False)
    second = first + np.random.default_rng(0).normal(size=len(truth))
    groups = np.arange(len(truth))
    a, b = kernel(truth, first), kernel(truth, second)
    expected = sum(np.cov(a.mean(axis), b.mean(axis))[0, 1] / a.shape[1 - axis] for axis in (0, 1))
    tables = [hs.scores(truth, each, groups=groups) for each in (first, second)]
    # Bring the second score's slopes to the first one's cells: both have one case a score.
    slopes = [roc_auc_slopes(table.counts) for table in tables]
    moved = np.zeros_like(slopes[0])
    moved[np.searchsorted(tables[0].scores, first), truth] = slopes[1][np.searchsorted(tables[1].scores, second), truth]  # fmt: skip
    both, apart = (placement_variance(tables[0], slopes[0] + sign * moved) for sign in (1, -1))
    assert (both - apart) / 4 == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("marker", ["s100b", "ndka", "wfns"])
def test_results_equal_procs(marker):
    """Area, variance and DeLong's interval of the aSAH data equal those of R's pROC (`tests/data/asah.R`)."""
    rows = rows_of("asah.csv")
    reference = next(row for row in rows_of("asah_reference.csv") if row["marker"] == marker)
    table = hs.scores([row["outcome"] for row in rows], [float(row[marker]) for row in rows], pos_label="Poor")
    value, (low, high) = hs.estimate(table, "roc_auc", method=DeLong("identity"))
    assert [value, low, high] == pytest.approx([float(reference[k]) for k in ("auc", "low", "high")], abs=1e-12)
    assert standard_error(table) ** 2 == pytest.approx(float(reference["variance"]), rel=1e-10)
    if marker == "s100b":  # as printed in pROC's manual
        assert [round(each, 4) for each in (value, low, high)] == [0.7314, 0.6301, 0.8326]
    logit = hs.estimate(table, "roc_auc", method="delong")
    truth = np.array([row["outcome"] == "Poor" for row in rows]).astype(int)
    spread, freedom = defined(truth, np.array([float(row[marker]) for row in rows]))
    half = stats.t.ppf(0.975, freedom) * spread / (value * (1 - value))
    odds = np.log(value / (1 - value))
    assert (logit.low, logit.high) == pytest.approx((stats.logistic.cdf(odds - half), stats.logistic.cdf(odds + half)))


@pytest.mark.parametrize("ties", [False, True])
def test_logit_limits_are_as_they_are_defined(ties):
    """Areas near a half have Welch's degrees of freedom, larger ones those of the tails: fewer, in either case."""
    level, kinds = 0.9, set()
    for seed in range(10):
        truth, score = sample(seed, ties=ties)
        score = np.random.default_rng(seed).permutation(score) if seed % 2 else score
        table = hs.scores(truth, score)
        found = hs.estimate(table, "roc_auc", method="delong", confidence_level=level)
        if not 0 < found.value < 1:
            continue
        spread, freedom = defined(truth, score)
        half = stats.t.ppf((1 + level) / 2, freedom) * spread / (found.value * (1 - found.value))
        expected = special.expit(special.logit(found.value) + half * np.array([-1, 1]))
        assert [found.low, found.high] == pytest.approx(expected, rel=1e-9)
        assert found.standard_error == pytest.approx(standard_error(table), rel=1e-9)
        weighted = hs.scores(truth, score, sample_weight=np.full(len(truth), 0.5))  # is computed as other designs
        other = hs.estimate(weighted, "roc_auc", method="delong", confidence_level=level)
        assert [other.low, other.high] == pytest.approx([found.low, found.high], rel=1e-9)
        wins = kernel(truth, score)
        squares = np.array([wins.mean(1 - side).var() / wins.shape[side] for side in (0, 1)])
        kinds.add(welch_is_less(wins, squares))
    assert kinds == {False, True}


def welch_is_less(wins, squares):
    """Return whether Welch's degrees of freedom are fewer than those of the tails of the placements."""
    welch = squares.sum() ** 2 / sum(each**2 / (size - 1) for each, size in zip(squares, wins.shape, strict=True))
    fourths = sum(((wins.mean(1 - side) - wins.mean()) ** 4).sum() / wins.shape[side] ** 4 for side in (0, 1))
    return bool(welch < 2 * squares.sum() ** 2 / fourths)


def test_groups_have_the_limits_of_each_alone():
    """A batch, one of whose groups has equal scores, one separated classes and one no positive case."""
    rng = np.random.default_rng(8)
    by = np.repeat(["some", "other", "equal", "apart", "none"], 30)
    truth = rng.integers(0, 2, 150)
    score = rng.normal(truth).round(1)
    score[by == "equal"] = score[0]
    score[by == "apart"] = truth[by == "apart"] + score[:30] / 100
    truth[by == "none"] = 0
    tables = hs.scores(truth, score, by=by)
    for method in ("delong", "delong_wald", "hanley_mcneil", "newcombe"):
        found = hs.estimate(tables, "roc_auc", method=method)
        for name, table in tables.items():
            alone = hs.estimate(table, "roc_auc", method=method)
            numbers = [[each.low, each.high, each.standard_error] for each in (found[name], alone)]
            np.testing.assert_allclose(*numbers, rtol=1e-9)
            assert found[name].reason == alone.reason
    delong = hs.estimate(tables, "roc_auc", method="delong")
    words = {"some": "", "equal": "scores are equal", "apart": "separated", "none": "has no case"}
    assert all(each in delong[name].reason for name, each in words.items())
    assert delong["some"].reason == ""


def test_plain_limits_of_clusters_are_students():
    """Half the width is the error of the placements times Student's t with one degree of freedom less than clusters."""
    truth, score = sample(11)
    groups = np.arange(len(truth)) // 4
    table = hs.scores(truth, score, groups=groups)
    found = hs.estimate(table, "roc_auc", method="delong_wald")
    half = stats.t.ppf(0.975, groups.max()) * standard_error(table)
    assert [found.low, found.high] == pytest.approx([found.value - half, found.value + half], rel=1e-9)


def test_the_variance_is_averaged_by_degrees_of_freedom():
    """Newcombe's variance has the weight of four degrees of freedom, and of one for clusters."""
    error, degrees = np.array([0.05, 0.05]), np.array([12.0, 7.5])
    spread, freedom = _steadied(np.array([0.8, 0.8]), error, degrees, np.array([30.0, 20.0])[:, None], [np.inf, 9.0])
    model = newcombe_variance(0.8, 20, 30)
    for place, weight in enumerate((4, 1)):
        known = degrees[place] + weight
        assert spread[place] ** 2 == pytest.approx((degrees[place] * 0.05**2 + weight * model) / known)
        assert freedom[place] == pytest.approx(known**2 / degrees[place])


def test_classes_have_kishs_number_of_cases():
    """With weights it is the square of their sum over the sum of their squares, of each class."""
    truth, score = sample(2)
    weight = np.random.default_rng(2).gamma(2.0, size=len(truth))
    sizes = class_sizes(hs.scores(truth, score, sample_weight=weight))
    for side in (0, 1):
        own = weight[truth == side]
        assert sizes[side] == pytest.approx(own.sum() ** 2 / (own**2).sum())
    assert class_sizes(hs.scores(truth, score)).tolist() == [(truth == 0).sum(), truth.sum()]


def test_rounding_of_sums_leaves_areas_of_zero_and_one():
    """Within rounding of the ends of its range an area is exactly there; others are as they are."""
    values = np.array([-1e-15, 0.0, 4e-13, 3e-12, 0.5, 1 - 3e-12, 1 - 4e-13, 1.0, 1 + 1e-15])
    table = hs.scores([0, 1], [0.1, 0.2])
    expected = [0, 0, 0, 3e-12, 0.5, 1 - 3e-12, 1, 1, 1]
    assert observed_area(lambda _: values, table).tolist() == expected


def test_obuchowski_equals_its_definition():
    """The variance of cases in clusters equals Obuchowski's (1997), written out over the clusters."""
    for seed in range(30):
        truth, score = sample(seed)
        rng = np.random.default_rng(seed)
        groups = rng.integers(0, max(len(truth) // 3, 4), len(truth))
        wins = kernel(truth, score)
        m, n = wins.shape
        area = wins.mean()
        clusters = np.unique(groups)
        a = np.array([(wins.mean(1) - area)[groups[truth == 1] == c].sum() for c in clusters])
        b = np.array([(wins.mean(0) - area)[groups[truth == 0] == c].sum() for c in clusters])
        with_positive = len(np.unique(groups[truth == 1]))
        with_negative = len(np.unique(groups[truth == 0]))
        if min(with_positive, with_negative) < 2:
            continue
        s10 = with_positive / ((with_positive - 1) * m) * (a**2).sum()
        s01 = with_negative / ((with_negative - 1) * n) * (b**2).sum()
        s11 = len(clusters) / (len(clusters) - 1) * (a * b).sum()
        expected = s10 / m + s01 / n + 2 * s11 / (m * n)
        ours = standard_error(hs.scores(truth, score, groups=groups)) ** 2
        assert ours == pytest.approx(max(expected, 0), rel=1e-9, abs=1e-14)


def test_clusters_of_one_case_and_equal_weights_change_nothing():
    """Singleton clusters, constant weights and fixed margins give the variance of independent cases."""
    truth, score = sample(7)
    plain = standard_error(hs.scores(truth, score))
    assert standard_error(hs.scores(truth, score, groups=np.arange(len(truth)))) == pytest.approx(plain)
    assert standard_error(hs.scores(truth, score, sample_weight=np.full(len(truth), 3.0))) == pytest.approx(plain)
    assert standard_error(hs.scores(truth, score).with_design(hs.designs.FixedMargins())) == pytest.approx(plain)


def test_hanley_and_mcneils_variance():
    """Their formula from the area and the class sizes, and the interval around it."""
    a, m, n = 0.85, 20, 35
    q1, q2 = a / (2 - a), 2 * a**2 / (1 + a)
    expected = (a * (1 - a) + (m - 1) * (q1 - a**2) + (n - 1) * (q2 - a**2)) / (m * n)
    assert hanley_mcneil_variance(a, m, n) == pytest.approx(expected)
    truth, score = sample(3)
    table = hs.scores(truth, score)
    value, (low, high) = hs.estimate(table, "roc_auc", method=HanleyMcNeil("identity"))
    spread = np.sqrt(hanley_mcneil_variance(value, truth.sum(), (1 - truth).sum()))
    assert (high - low) / 2 == pytest.approx(1.959964 * spread, rel=1e-6)


def test_newcombes_limits_solve_their_equation():
    """At both limits the distance to the observed area is the quantile times the error there."""
    for seed in range(20):
        truth, score = sample(seed)
        value, limits = hs.estimate(hs.scores(truth, score), "roc_auc", method=Newcombe(), confidence_level=0.9)
        for limit in limits:
            if 0 < limit < 1:
                error = np.sqrt(newcombe_variance(limit, truth.sum(), (1 - truth).sum()))
                assert abs(limit - value) == pytest.approx(stats.norm.ppf(0.95) * error, rel=1e-6)


@pytest.mark.parametrize("method", ["delong", "hanley_mcneil"])
def test_separated_limit(method):
    """At an area of 1 it ends at the chance with which all cases of the smaller class are in place in 5 of 100 studies."""
    for truth, smaller in (([0, 0, 0, 1], 1), ([0, 1, 1], 1), ([0] * 5 + [1] * 3, 3)):
        table = hs.scores(truth, np.arange(len(truth), dtype=float))
        estimate = hs.estimate(table, "roc_auc", method=_method(method), confidence_level=0.9)
        assert estimate.low == pytest.approx(0.05 ** (1 / smaller))


@pytest.mark.parametrize("method", ["delong", "newcombe", "hanley_mcneil"])
class TestDegenerate:
    """An honest interval, or nan with a reason."""

    def test_separated_classes(self, method):
        """At an area of 1 (or 0) the interval is not a point, and one-sided."""
        truth = [0] * 6 + [1] * 4
        for sign in (1, -1):
            estimate = hs.estimate(hs.scores(truth, sign * np.arange(10.0)), "roc_auc", method=_method(method))
            assert estimate.value == (sign + 1) / 2
            assert (estimate.high if sign > 0 else estimate.low) == estimate.value
            assert 0.3 < estimate.high - estimate.low < 0.7

    def test_two_cases(self, method):
        """Two cases have almost no information."""
        estimate = hs.estimate(hs.scores([0, 1], [0.2, 0.8]), "roc_auc", method=_method(method))
        assert estimate.value == 1
        assert estimate.low < 0.3

    def test_single_positive(self, method):
        """A class of one case has no sample variance; the interval is wide all the same."""
        estimate = hs.estimate(hs.scores([0, 0, 0, 1], [0.1, 0.2, 0.9, 0.5]), "roc_auc", method=_method(method))
        assert estimate.low < 0.3 < estimate.value < 0.9 < estimate.high

    def test_other_metrics_are_refused(self, method):
        """The error names the methods that serve."""
        with pytest.raises(hs.HowsureError, match="is for `roc_auc`, not for `average_precision`"):
            hs.estimate(hs.scores([0, 1], [0.2, 0.8]), "ap", method=_method(method))


def _method(name):
    return {"delong": DeLong(), "newcombe": Newcombe(), "hanley_mcneil": HanleyMcNeil()}[name]


def test_equal_scores_say_nothing():
    """Where all scores are equal the area is one half by ties alone: nan limits, with the reason."""
    estimate = hs.estimate(hs.scores([0, 0, 1, 1], [0.5] * 4), "roc_auc", method="delong")
    assert estimate.value == 0.5
    assert np.isnan(estimate.low)
    assert "equal" in estimate.reason


def test_areas_of_two_test_sets_differ_with_welchs_degrees_of_freedom():
    """The difference's quantile is Student's t, with the degrees of freedom of Welch and Satterthwaite."""
    rng = np.random.default_rng(3)
    tables = [hs.scores(np.arange(n) % 2, rng.normal(np.arange(n) % 2 * 1.2)) for n in (14, 24)]
    first, second = (hs.estimate(each, "roc_auc", method="delong").standard_error ** 2 for each in tables)
    freedom = (first + second) ** 2 / (first**2 / 13 + second**2 / 23)
    found = hs.compare(*tables, "roc_auc", method="delong_wald")
    half = stats.t.ppf(0.975, freedom) * np.sqrt(first + second)
    assert [found.low, found.high] == pytest.approx([found.value - half, found.value + half], rel=1e-9)


def test_single_cluster_says_nothing():
    """One cluster has no variation between clusters: nan limits, with the reason."""
    table = hs.scores([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.9], groups=["a"] * 4)
    estimate = hs.estimate(table, "roc_auc", method="delong")
    assert np.isnan(estimate.low)
    assert "cluster" in estimate.reason


def binormal(area, sizes, repeats, seed):
    """Return a batch of tables of normal scores, by their ranks."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], sizes)
    score = rng.normal(truth * np.sqrt(2) * stats.norm.ppf(area), size=(repeats, len(truth)))
    ordered = truth[np.argsort(score, 1)]
    one = hs.scores(truth, np.arange(len(truth), dtype=float))
    return replace(one, counts=np.stack([ordered == 0, ordered == 1], -1).astype(float))


def covers(area, sizes, repeats, seed=0, method=DELONG):
    """Return the coverage of an interval for the area, by default that of the default method."""
    table = binormal(area, sizes, repeats, seed)
    found = method.interval(resolve("roc_auc", table), table, 0.95)
    return float(np.mean((found.low <= area) & (area <= found.high)))


@pytest.mark.parametrize("area", [0.7, 0.9])
def test_coverage_in_brief(area):
    """With 10 positives among 50, Newcombe covers at about 95 % and logit DeLong no less (1,000 seeded samples)."""
    delong, newcombe = (covers(area, (40, 10), 1000, 4, method) for method in (DeLong(), Newcombe()))
    assert newcombe == pytest.approx(0.95, abs=0.022)
    assert 0.93 < delong < 1


@pytest.mark.parametrize("area, sizes", [(0.92, (200, 10)), (0.96, (200, 10)), (0.85, (100, 5)), (0.99, (400, 20))])
def test_few_positives_near_one_are_covered(area, sizes):
    """Few positives among many negatives, near an area of 1: at least 92 %, where the normal quantile has 85 to 90 %."""
    assert covers(area, sizes, 1000) > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 1000)


@pytest.mark.parametrize("sizes", [(300, 12), (12, 300), (10, 10)])
def test_a_few_cases_hidden_in_the_other_class_are_allowed_for(sizes):
    """One case in twenty of either class has the other's scores, which many samples of 12 cases do not show."""
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1], sizes)
    score = rng.normal(5 * np.where(rng.random((1000, len(truth))) < 0.05, 1 - truth, truth))
    ordered = truth[np.argsort(score, 1)]
    table = replace(
        hs.scores(truth, np.arange(len(truth), dtype=float)),
        counts=np.stack([ordered == 0, ordered == 1], -1).astype(float),
    )
    near = stats.norm.cdf(5 / np.sqrt(2))
    area = 0.95**2 * near + 0.05**2 * (1 - near) + 2 * 0.95 * 0.05 / 2
    found = DELONG.interval(resolve("roc_auc", table), table, 0.95)
    covered = np.mean((found.low <= area) & (area <= found.high))
    assert covered > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 1000)


@pytest.mark.slow
@pytest.mark.parametrize("positives", [5, 10, 20, 50])
@pytest.mark.parametrize("ratio", [1, 20])
@pytest.mark.parametrize("area", [0.6, 0.75, 0.85, 0.92, 0.96, 0.99])
def test_coverage(area, ratio, positives):
    """Logit DeLong covers at least 92 % from 5 to 50 positives, up to an area of 0.99 (10 000 samples)."""
    parts = [covers(area, (ratio * positives, positives), 500, seed=seed) for seed in range(20)]
    assert np.mean(parts) > 0.92 - 3 * np.sqrt(0.92 * 0.08 / 10_000)


def test_why_there_is_no_interval_is_said():
    """Clusters that do not differ, one cluster, equal scores: each has its own reason; Wald's has one too."""
    truth, score = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    for groups, words in (([1, 1, 2, 2], "does not vary"), ([1, 1, 1, 1], "single cluster")):
        estimate = hs.estimate(hs.scores(truth, score, groups=groups), "roc_auc")
        assert np.isnan(estimate.low)
        assert words in estimate.reason
    equal = hs.estimate(hs.scores(truth, [0.5] * 4, groups=[1, 1, 2, 2]), "roc_auc")
    assert "all scores are equal" in equal.reason
    assert "single case" in hs.estimate(hs.scores([0, 1], [0.1, 0.2]), "roc_auc", method="delong_wald").reason


@pytest.mark.parametrize("area", [0.5, 0.7, 0.93, 0.2])
def test_newcombes_variance_is_hanley_and_mcneils_for_classes_of_equal_size(area):
    """His method 5 puts the mean size of the classes in place of either, so that exchanged classes have one variance."""
    assert newcombe_variance(area, 17, 17) == pytest.approx(hanley_mcneil_variance(area, 17, 17))
    assert newcombe_variance(area, 9, 30) == pytest.approx(newcombe_variance(1 - area, 30, 9))
    number = (9 + 30) / 2
    expected = hanley_mcneil_variance(area, number, number) * number**2 / (9 * 30)
    assert newcombe_variance(area, 9, 30) == pytest.approx(expected)
