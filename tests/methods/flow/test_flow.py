"""The score interval along the natural-gradient flow."""

import gc
import itertools
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize, stats

import howsure as hs
from howsure.designs.clustering import Clustering
from howsure.methods.core.interval import BIASED, SPARSE
from howsure.methods.flow.all_cells import AllCells, second_order_bias
from howsure.methods.flow.class_averages import ManyClasses
from howsure.methods.flow.exponential_tilting import CONFIDENCE
from howsure.methods.flow.flow import Flow
from howsure.methods.flow.intervals import PathSample, design_effect, interval_at
from howsure.methods.numerics.confidence_levels import Level, Levels
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table

Z = stats.norm.ppf(0.975)
THREE = hs.from_counts([[40, 3, 2], [5, 30, 1], [1, 0, 9]])


def corrected(z, skewness):
    """Return the quantile of mean 0, variance 1 and this skewness by Wilson and Hilferty."""
    return 2 / skewness * ((1 + skewness * z / 6 - skewness**2 / 36) ** 3 - 1)


@pytest.mark.parametrize("right, cases", [(86, 100), (30, 40), (7, 20), (980, 1000)])
def test_the_limits_of_a_proportion_solve_the_skewness_corrected_score_equation(right, cases):
    """For a proportion the path is the binomial family, whose variance and skewness are known."""

    def gap(share, z):
        variance = share * (1 - share) / cases
        skewness = (1 - 2 * share) / np.sqrt(cases * share * (1 - share))
        return (right / cases - share) / np.sqrt(variance) - corrected(z, skewness)

    low = optimize.brentq(gap, 1e-6, right / cases, args=(Z,))
    high = optimize.brentq(gap, right / cases, 1 - 1e-6, args=(-Z,))
    found = hs.estimate(hs.from_counts([[right, cases - right], [0, 0]]), "accuracy", method="flow")
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-3 * (high - low))


def numerical(function, place, step=1e-4):
    """Return first and second derivatives by each entry, by central differences."""
    steps = step * np.eye(len(place)) * place.max()
    above, below = (np.array([function(place + sign * each) for each in steps]) for sign in (1, -1))
    size = step * place.max()
    return (above - below) / (2 * size), (above + below - 2 * function(place)) / size**2


def macro_f1(cells):
    """Return the mean of 2 tp / (2 tp + fn + fp) of the classes."""
    square = cells.reshape(3, 3)
    return float(np.mean(2 * square.diagonal() / (square.sum(0) + square.sum(1))))


def correlation(cells):
    """Return the correlation of truth and prediction, 0 and 1."""
    a, b, c, d = cells
    return float((a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d)))


@pytest.mark.parametrize(
    "counts, spec, function",
    [
        ([[220, 14, 6], [15, 130, 8], [9, 4, 60]], "f1@macro", macro_f1),
        ([[310, 22], [17, 51]], "mcc", correlation),
    ],
)
def test_at_the_limits_value_and_score_are_as_far_as_the_level_on_average(counts, spec, function):
    """The path is integrated in small steps, by derivatives from differences alone, and the definition is checked on it."""
    table = hs.from_counts(counts)
    observed = np.ravel(counts) * 1.0
    start = observed + 2 / observed.size
    cases = observed.sum()
    centre = function(observed) - (start * numerical(function, start, 0.01)[1]).sum() / 2
    found = hs.estimate(table, spec, method="flow")
    for way, limit in ((-1, found.low), (1, found.high)):
        here, before = cases * start / start.sum(), None
        while True:
            slopes = numerical(function, here)[0]
            variance, third = (here * slopes**2).sum(), (here * slopes**3).sum()
            value = function(here)
            if way * (value - limit) >= 0:
                break
            before = value, variance
            here = here * np.exp(way * 0.02 * slopes / np.sqrt(variance))
            here *= cases / here.sum()
        rise = (variance - before[1]) / (value - before[0])
        by_value = (centre - limit) / np.sqrt(variance), (1.5 * rise - third / variance / 2) / np.sqrt(variance)
        by_score = (observed * slopes).sum() / np.sqrt(variance), third / variance**1.5
        distances = [
            optimize.brentq(lambda z, t=t, skewness=skewness: corrected(z, skewness) - t, -6, 6)
            for t, skewness in (by_value, by_score)
        ]
        assert -way * np.mean(distances) == pytest.approx(Z, abs=0.03)
        assert abs(np.diff(distances)[0]) < 0.3


def test_the_p_value_is_what_the_level_leaves_at_the_limit():
    """All levels and the test share one path."""
    metric = resolve("f1@macro", THREE)
    for level in (0.5, 0.95, 0.999):
        found = Flow().interval(metric, THREE, level)
        for limit in (found.low, found.high):
            assert Flow().p_value(metric, THREE, limit) == pytest.approx(1 - level, rel=1e-6)


@pytest.mark.parametrize("metric", ["f1@macro", "mcc", "g_mean@macro", "recall@weighted", "accuracy"])
def test_a_batch_gives_what_its_tables_give_one_by_one(metric):
    """Also if some are perfect, lack a class, or have long paths."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(25, np.array([8, 1, 1, 1, 5, 1, 0.1, 0.1, 1]) / 18.2, 40).reshape(-1, 3, 3)
    counts[0], counts[1] = np.diag([9, 4, 2]), [[20, 0, 0], [2, 3, 0], [0, 0, 0]]
    groups = hs.estimate(hs.from_counts(counts), metric, method="flow")
    alone = [hs.estimate(hs.from_counts(table), metric, method="flow") for table in counts]
    np.testing.assert_allclose(np.asarray(groups.low), [each.low for each in alone], rtol=1e-9)
    np.testing.assert_allclose(np.asarray(groups.high), [each.high for each in alone], rtol=1e-9)


def test_a_metric_within_the_true_classes_has_one_interval_whether_their_sizes_are_fixed_or_not():
    """The flow keeps directions without information on the metric: here the sizes of the classes."""
    fixed = THREE.with_design(hs.designs.FixedMargins())
    one, other = (hs.estimate(table, "recall@macro", method="flow") for table in (THREE, fixed))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.005)  # but for where pseudo-cases are
    free = hs.estimate(THREE, "precision@macro", method="flow")
    bound = hs.estimate(fixed, "precision@macro", method="flow")
    assert bound.high - bound.low < free.high - free.low


def test_the_odds_ratio_and_its_reciprocal_have_reciprocal_intervals():
    """A metric with one end to its range is taken on the scale of its logarithm."""
    one = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "dor", method="flow")
    other = hs.estimate(hs.from_counts([[3, 50], [42, 5]]), "dor", method="flow")
    assert (one.low, one.high) == pytest.approx((1 / other.high, 1 / other.low), rel=1e-6)
    log = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "log_dor", method="flow")
    assert (np.exp(log.low), np.exp(log.high)) == pytest.approx((one.low, one.high), rel=1e-6)


@pytest.mark.parametrize("metric", ["accuracy", "f1@macro", "mcc", "g_mean@macro"])
def test_a_perfect_sample_has_an_interval_that_reaches_the_end_and_is_wider_with_fewer_cases(metric):
    """Its errors have not been seen; they are not impossible."""
    found = [hs.estimate(hs.from_counts(np.diag([4, 2]) * size), metric, method="flow") for size in (1, 5, 50)]
    assert all(each.high == each.value == 1.0 for each in found)
    assert 0 < found[0].low < found[1].low < found[2].low < 1


def test_equal_weights_of_any_size_leave_the_interval_and_unequal_ones_are_worth_no_more_than_kishs_number():
    """With weights of 1 and 3 in turn the interval is no narrower than for `n / 1.25` cases."""
    truth = np.tile([0, 1, 1, 0, 1], 16)
    found = np.where(np.arange(80) % 9 == 0, 1 - truth, truth)
    plain = hs.estimate(hs.confusion(truth, found), "mcc", method="flow")
    equal = hs.estimate(hs.confusion(truth, found, sample_weight=np.full(80, 7.0)), "mcc", method="flow")
    assert (plain.low, plain.high) == pytest.approx((equal.low, equal.high))
    right = truth == found
    one, three = (np.sum(right[start::2]) for start in (0, 1))
    weighted = hs.confusion(truth, found, sample_weight=np.tile([1.0, 3.0], 40))
    share, size = (one + 3 * three) / 160, 160**2 / (40 * 1 + 40 * 9)  # Kish: 64 cases
    low = hs.estimate(weighted, "accuracy", method="flow").low
    skewness = (1 - 2 * low) / np.sqrt(size * low * (1 - low))
    assert (share - low) / np.sqrt(low * (1 - low) / size) > corrected(Z, skewness) * 0.999


def every_table(cases, cells):
    """Return all tables with a given number of cases."""
    bars = np.array(list(itertools.combinations(range(cases + cells - 1), cells - 1)))
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), cases + cells - 1)])
    return np.diff(edges, axis=1) - 1


@pytest.mark.parametrize("truth", [[[0.42, 0.08], [0.07, 0.43]], [[0.64, 0.06], [0.08, 0.22]]])
@pytest.mark.parametrize("metric", ["mcc", "f1@macro", "informedness", "g_mean"])
def test_the_interval_covers_as_often_as_it_says(truth, metric):
    """Over all tables of 30 cases, each with its probability: 93 to 97 %, and either limit misses as often."""
    truth = np.array(truth)
    tables = every_table(30, 4)
    shares = stats.multinomial.pmf(tables, 30, truth.ravel())
    value = float(hs.estimate(hs.tables.ConfusionTable(counts=truth * 1e6, labels=np.arange(2)), metric))
    found = hs.estimate(hs.from_counts(tables.reshape(-1, 2, 2)), metric, method="flow")
    low, high = np.asarray(found.low), np.asarray(found.high)
    known = np.isfinite(low)
    assert shares[known].sum() > 0.999
    below, above = (shares[known & missed].sum() for missed in (low > value, high < value))
    assert 0.03 < below + above < 0.07
    assert abs(below - above) < 0.02


def test_the_bias_of_a_squared_share_is_its_variance():
    """``E p̂² = p² + p (1 − p) / n``, exactly; and the estimate over many cells at once is near."""
    cells = np.array([[30.0, 50.0, 20.0], [5.0, 3.0, 2.0]])
    found = second_order_bias(lambda tables: (tables[..., 0] / tables.sum(-1)) ** 2, cells)
    shares, totals = cells[:, 0] / cells.sum(1), cells.sum(1)
    np.testing.assert_allclose(found, shares * (1 - shares) / totals, rtol=0.01)
    many = np.concatenate([cells, np.full((2, 1100), 0.001)], axis=1)
    together = second_order_bias(lambda tables: (tables[..., 0] / tables.sum(-1)) ** 2, many)
    np.testing.assert_allclose(together, found, rtol=0.6)


def test_metrics_of_scores_and_of_two_test_sets_are_refused_in_words():
    """The message names an alternative."""
    scores = hs.scores([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    with pytest.raises(hs.HowsureError, match=r"Use `Delta\(\)` or `Mover\(\)`"):
        hs.estimate(scores, "roc_auc", method="flow")
    with pytest.raises(hs.HowsureError, match=r"Use `Delta\(\)` or `Mover\(\)`"):
        hs.compare(THREE, THREE, "mcc", method="flow")


@pytest.mark.parametrize("metric", ["recall@min", "f1@max"])
def test_the_worst_and_the_best_class_are_no_smooth_metrics(metric):
    """Where classes tie an extreme average jumps from one to another, and the flow has no direction."""
    with pytest.raises(hs.HowsureError, match=f"`{metric}` jumps from class to class"):
        hs.estimate(hs.from_counts([[5, 1, 1], [1, 5, 1], [1, 1, 5]]), metric, method="flow")


def test_a_way_that_turns_at_once_gives_limits_of_any_scale_of_weights():
    """Where the first step makes no progress the parabola has no third point, and rounding does not make one."""
    true, score = [1, 1, 1, 0, 1], [0.331, 0.908, 0.877, 0.109, 0.929]
    weight = np.array([0.0263, 6.83, 6.71, 0.237, 34.4])
    found = [
        hs.estimate(
            hs.scores(true, score, sample_weight=unit * weight), "gwet_ac1", threshold=0.3, confidence_level=0.8
        )
        for unit in (1.0, 1e-6, 0.1, 1000.0)
    ]
    assert [each.low for each in found[1:]] == pytest.approx([found[0].low] * 3, rel=1e-9)


@pytest.mark.parametrize("counts", [[[60, 5], [4, 11]], [[30, 0], [2, 8]], [[12, 0], [0, 9]]])
def test_the_brier_score_of_scores_that_are_0_or_1_has_the_interval_of_the_error_rate(counts):
    """Such a score loses 1 if it is wrong and 0 if it is right."""
    scores = hs.scores([0] * sum(counts[0]) + [1] * sum(counts[1]), np.repeat([0.0, 1.0, 0.0, 1.0], np.ravel(counts)))
    loss, rate = hs.estimate(scores, "brier_score"), hs.estimate(hs.from_counts(counts), "error_rate", method="flow")
    assert loss.method == "flow"
    assert (loss.low, loss.high) == pytest.approx((rate.low, rate.high), rel=1e-6)


def test_the_limits_of_a_mean_loss_are_those_of_tilted_samples():
    """The path is exponential tilting of the losses, from those of the sample and of two pseudo-cases."""
    scores, truth = np.array([0.1, 0.2, 0.35, 0.4, 0.6, 0.7, 0.85, 0.9]), np.array([0, 0, 1, 0, 0, 1, 1, 1])
    losses = -np.log(np.concatenate([1 - scores, scores]))
    seen = np.concatenate([truth == 0, truth == 1])
    mean, unseen = losses[seen].mean(), np.exp(-losses / 2)  # in proportion to the root of the probability
    cases = seen + 2 * unseen / unseen.sum()

    def gap(turn, z):
        shares = cases * np.exp(turn * losses)
        shares /= shares.sum()
        middle = shares @ losses
        variance, third = (shares @ (losses - middle) ** power for power in (2, 3))
        skewness = third / variance**1.5 / np.sqrt(8)
        return (mean - middle) / np.sqrt(variance / 8) - corrected(z, skewness), middle

    low, high = (
        gap(optimize.brentq(lambda turn, z=z: gap(turn, z)[0], *ends), z)[1] for z, ends in ((Z, (-8, 0)), (-Z, (0, 8)))
    )
    found = hs.estimate(hs.scores(truth, scores), "log_loss", method="flow")
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-2 * (high - low))


@pytest.mark.parametrize(
    "auc, negatives, slope",
    [(0.97, 10, 1.0), *(pytest.param(*each, marks=pytest.mark.thorough) for each in ((0.9, 90, 1.8), (0.75, 40, 0.6)))],
)
@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
def test_mean_losses_cover_from_ten_positive_cases_on(auc, negatives, slope, metric):
    """At least 92 % of the time, also where most losses are small and few are large."""
    truth = hs.lab.BinormalScores(auc, 10, negatives, levels=24, slope=slope)
    found = hs.lab.coverage(metric, truth=truth, draws=1000, random_state=5)
    assert found.method == "flow"
    assert found.coverage > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 1000)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.6, 1.0, 1.8])
@pytest.mark.parametrize("negatives", [10, 60, 250])
@pytest.mark.parametrize("auc", [0.65, 0.85, 0.98])
def test_mean_losses_of_continuous_scores_cover(auc, negatives, slope):
    """At least 92 % of the time from ten expected positive cases on, calibrated or not."""
    truth = hs.lab.BinormalScores(auc, 10, negatives, slope=slope)
    for metric in ("brier_score", "log_loss"):
        found = hs.lab.coverage(metric, truth=truth, draws=1000, random_state=6)
        assert found.coverage > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 1000)


@pytest.mark.parametrize(
    "clusters, size, correlation, spread",
    [(12, 8, 0.5, 0.0), pytest.param(30, 10, 0.5, 0.7, marks=pytest.mark.thorough)],
)
def test_averages_over_clustered_cases_cover(clusters, size, correlation, spread):
    """At least 92 % of the time, also where a cluster in ten is bad and many samples have none."""
    truth = hs.lab.Clustered([[60, 7], [3, 30]], clusters, size, correlation, spread)
    found = hs.lab.coverage("f1@macro", truth=truth, draws=2000, random_state=1)
    assert found.coverage > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 2000)


def test_the_skewness_of_clusters_is_that_of_their_dirichlet_shares():
    """For a cluster of m cases, the excess is beta-binomial skewness over that of the effective cases, minus 1."""
    size, share, correlation = 12, 0.8, 0.3
    total = (1 - correlation) / correlation
    seen = stats.betabinom(size, total * share, total * (1 - share)).stats("s")
    effect = 1 + (size - 1) * correlation
    plain = (1 - 2 * share) / np.sqrt(share * (1 - share) * size / effect)
    table = hs.confusion([1] * 24, [1, 0] * 12, groups=np.repeat([1, 2], 12))
    assert 1 + table.design.excess_skewness(table.cells, np.asarray(effect)) == pytest.approx(seen / plain, rel=1e-9)
    weighted = hs.confusion([1, 1, 1], [1, 0, 1], sample_weight=[1.0, 2.0, 6.0])
    assert Clustering.of(weighted.design).excess_skewness(weighted.cells, np.asarray(1.0)) == 0


@pytest.mark.parametrize("spec", ["precision@macro", "precision+zero_division=0@macro", "recall@macro"])
def test_shares_of_rare_classes_have_no_bias(spec, monkeypatch):
    """For Poisson counts tp and fp, tp / (tp + fp) is an unbiased share given its total, and so is a mean."""
    counts = np.diag([5, 0, 7, 3, 1] + [4] * 30)  # the second class is never predicted
    counts[[0, 1, 3], [1, 2, 4]] = [0, 2, 1]
    found, bias = [], ManyClasses.bias
    monkeypatch.setattr(ManyClasses, "bias", lambda path: found.append(bias(path)) or found[-1])
    hs.estimate(hs.from_counts(counts), spec, method=Flow())
    assert np.concatenate(found) == pytest.approx(0, abs=2e-3)


def test_a_stride_does_not_empty_the_cells_that_vary():
    """Where the last cells of a path are all but empty, chance agreement is 1 to rounding, and its slopes are noise.

    The unit of weights, which changes nothing else, must not choose the limit.
    """
    rng = np.random.default_rng(210105676)
    truth, score = (np.arange(12) != 7).astype(int), np.where(np.arange(12) == 7, 0.1844, 0.8)
    roles = {"strata": [1, 1, 1, 2, 2, 0, 0, 2, 0, 2, 0, 2], "stratum_sizes": {0: 0.4412, 1: 0.0867, 2: 0.4721}}
    for weight in rng.lognormal(0, 0.5, (8, 12)):
        tables = [
            hs.scores(truth, score, sample_weight=scale * weight, check=False, **roles) for scale in (1, 0.1, 1e-6)
        ]
        ends = [hs.estimate(each, "krippendorff_alpha", method="anytime", threshold=0.0).high for each in tables]
        assert np.ptp(ends) < 2e-6


@pytest.mark.parametrize("size", [3, 40, 1500])
@pytest.mark.parametrize("tables", [1, 3])
def test_the_second_order_bias_is_half_the_trace(size, tables):
    """For a sum of a·c² and b·c the bias is the sum of a·c: exact by single cells, and in random directions."""
    rng = np.random.default_rng(size)
    cells, bend, slope = rng.uniform(2, 30, (tables, size)), rng.normal(size=size), rng.normal(size=size)
    found = second_order_bias(lambda c: (bend * c**2 + slope * c).sum(-1), cells)
    assert found == pytest.approx((bend * cells).sum(-1), rel=1e-6, abs=1e-6 * np.abs(bend * cells).sum())


def test_a_cell_whose_bend_is_undefined_adds_nothing_to_the_bias():
    """A function that is infinite below a count has no second derivative there: the other cells' is left."""
    cells = np.array([[4.0, 0.3, 9.0]])
    found = second_order_bias(lambda c: np.where(c[..., 1] < 0.2, np.inf, 0.0) + (c**2).sum(-1), cells)
    assert found == pytest.approx(cells[:, [0, 2]].sum(-1), rel=1e-9)


def test_pseudo_cases_of_a_loss_without_bound_are_fewer_where_it_is_large():
    """For the log loss they decrease exponentially with the loss, and add up to one."""
    rng = np.random.default_rng(8)
    score = rng.uniform(0.02, 0.98, 40).round(2)
    table = hs.scores((rng.random(40) < score).astype(int), score)
    metric = resolve("log_loss", table)
    found = AllCells(metric, table, np.reshape(table.counts, (1, -1)) * 1.0).pseudo_shares()
    losses = -np.log(np.stack([1 - table.scores, table.scores], -1)).ravel()
    mean = (losses * table.counts.ravel()).sum() / table.counts.sum()
    even = table.priors.shares.ravel()
    expected = even * np.exp(-(losses - mean) / CONFIDENCE)
    assert found == pytest.approx((expected / expected.sum())[None])


def test_limits_of_far_levels_do_not_depend_on_what_was_asked_before():
    """Each table continues to its own levels, in any order, as far as a path that is computed at once."""
    tables = hs.from_counts([[[50, 3], [5, 42]], [[9, 3], [1, 7]], [[400, 30], [50, 420]]]).stack
    metric = resolve("mcc", tables)
    asked = [np.array(each) for each in ([0.5, 0.1, 0.4], [1e-3, 0.5, 1e-9], [0.3, 1e-6, 1e-2])]
    again = Flow().at_levels(metric, tables)
    for tail in asked:
        found = again(Levels(tail))
        fresh = [
            Flow().at_levels(metric, select_table(tables, at))(Level(each)) for at, each in enumerate(tail.tolist())
        ]
        np.testing.assert_allclose(found.low, [float(each.low) for each in fresh], rtol=1e-12)
        np.testing.assert_allclose(found.high, [float(each.high) for each in fresh], rtol=1e-12)


def test_intervals_and_tests_along_one_path_are_those_along_two():
    """Joint requests give the same results as separate ones."""
    tables = hs.from_counts([[[50, 3], [5, 42]], [[9, 3], [1, 7]]]).stack
    metric = resolve("mcc", tables)
    interval, tests = Flow().intervals_and_p_values(metric, tables, 0.9, 0.5)
    np.testing.assert_allclose(interval.low, Flow().interval(metric, tables, 0.9).low, rtol=1e-12)
    each = [Flow().p_value(metric, select_table(tables, at), 0.5) for at in range(2)]
    np.testing.assert_allclose(tests, each, rtol=1e-6)


@pytest.mark.parametrize("metric", ["kappa", "weighted_kappa", "mcc", "informedness"])
@pytest.mark.parametrize("cells", [[[0, 20], [20, 0]], [[0, 12], [8, 0]], [[1, 19], [20, 0]], [[0, 55], [45, 0]]])
def test_limits_at_the_lower_end_of_a_range_reach_inside_as_far_as_those_of_a_proportion(metric, cells):
    """If all n cases are wrong, the share of right ones is below Clopper and Pearson's limit, not 0."""
    found = hs.estimate(hs.from_counts(cells), metric, method="flow")
    right, cases = np.trace(cells), np.sum(cells)
    most = stats.beta.ppf(0.975, right + 1, cases - right)
    assert found.low == pytest.approx(-1, abs=0.05)
    assert found.high > -1 + most  # of twice the share, half of it at least


def test_kappa_of_a_truth_at_the_end_of_its_range_is_covered():
    """A truth in which all is wrong and the classes are equally frequent has a kappa of -1, which samples do not."""
    rng = np.random.default_rng(3)
    first = rng.binomial(100, 0.5, 400)
    tables = np.stack([0 * first, first, 100 - first, 0 * first], -1).reshape(-1, 2, 2)
    found = hs.estimate(hs.from_counts(tables), "kappa", method="flow")
    assert (np.asarray(found.value) > -1).mean() > 0.9
    assert (np.asarray(found.low) == -1).mean() > 0.85  # otherwise it is within 0.002


@pytest.mark.parametrize("shape", [(0.01, 40), (0.03, 40), (0.05, 20), (0.05, 40)])
def test_kappa_near_its_lower_end_covers(shape):
    """For populations with few right cases; with a centre beyond the end, 0.72 to 0.80 of the intervals covered."""
    share, cases = shape
    truth = np.array([[share, 1 - share], [1 - share, share]]) / 2
    tables = np.random.default_rng(4).multinomial(cases, truth.ravel(), 400).reshape(-1, 2, 2)
    found = hs.estimate(hs.from_counts(tables), "kappa")
    value = 2 * share - 1
    assert ((np.asarray(found.low) <= value) & (value <= np.asarray(found.high))).mean() > 0.92


@pytest.mark.parametrize("size", [10**8, 10**11, 10**13])
@pytest.mark.parametrize(
    "metric", ["mcc", "kappa", "informedness", "class_mcc@macro", "g_mean@macro", "f1@macro", "p4", "dor"]
)
def test_limits_of_very_many_cases_are_those_of_the_delta_method(size, metric):
    """The width decreases with the root of the number, despite rounding of second differences."""
    table = hs.from_counts(np.array([[50, 3], [5, 42]]) * size)
    found, normal = (hs.estimate(table, metric, method=method) for method in ("flow", "delta"))
    width = normal.high - normal.low
    assert abs(found.low - normal.low) < 0.005 * width
    assert abs(found.high - normal.high) < 0.005 * width


def many_classes():
    """Return a table of 500 classes, of 2 MB."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(500), 5)
    return hs.confusion(truth, np.where(rng.random(truth.size) < 0.8, truth, rng.integers(0, 500, truth.size)))


def peak_of(call):
    """Return the largest memory of a call in MB, without the help of the garbage collector."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.mark.parametrize("metric", ["mcc", pytest.param("kappa", marks=pytest.mark.thorough)])
def test_many_classes_take_the_memory_of_few_copies_of_the_table(metric):
    """A table of 500 classes has 2 MB: directions of second differences are processed in parts."""
    table = many_classes()
    assert peak_of(lambda: hs.estimate(table, metric)) < 60


@pytest.mark.thorough
def test_several_metrics_take_little_more_memory_than_one():
    """The path of each is released before the next is computed; only gradients of the table itself are kept."""
    table, metrics = many_classes(), ["f1@macro", "mcc", "kappa"]
    copy = table.counts.nbytes / 2**20
    largest = max(peak_of(lambda each=each: hs.estimate(table.with_design(table.design), each)) for each in metrics)
    together = peak_of(lambda: hs.evaluate(table.with_design(table.design), metrics))
    assert together < largest + 3 * copy


@pytest.mark.parametrize("method", [None, "bayes", "anytime"])
@pytest.mark.parametrize("counts", [[[0, 20], [20, 0]], [[1, 19], [20, 0]], [[0, 30], [20, 0]], [[19, 1], [0, 20]]])
def test_alpha_of_two_raters_has_the_limits_of_its_population_value(counts, method):
    """In large samples alpha becomes Scott's pi: −1 is among its values, although no sample has it."""
    table = hs.from_counts(counts)
    alpha, pi = (
        hs.estimate(table, metric, method=method, random_state=0) for metric in ("krippendorff_alpha", "scotts_pi")
    )
    assert (alpha.low, alpha.high) == pytest.approx((pi.low, pi.high), abs=1e-12)
    assert alpha.low <= alpha.value <= alpha.high
    assert 1 - alpha.value == pytest.approx((1 - pi.value) * (1 - 1 / (2 * np.sum(counts))))


@pytest.mark.parametrize("level", ["nominal", "interval", "ordinal"])
def test_alpha_of_raters_who_never_agree_contains_its_lower_end(level):
    """Two raters always disagree, and use both categories equally often."""
    table = hs.ratings(np.array([[0, 1], [1, 0]] * 10), labels=[0, 1])
    found = hs.estimate(table, f"krippendorff_alpha+level={level}")
    assert found.value == pytest.approx(-0.95)
    assert found.low == -1


@pytest.mark.parametrize(
    "wrong, first",
    [
        (1.0, 0.5),
        (0.97, 0.3),
        *(pytest.param(*each, marks=pytest.mark.thorough) for each in [(0.99, 0.3), (0.97, 0.5)]),
    ],
)
def test_alpha_near_its_lower_end_covers(wrong, first):
    """None of 400 intervals contained −1; 54 to 87 % did where 3 % of the cases are right."""
    truth = np.array([[first * (1 - wrong), first * wrong], [(1 - first) * wrong, (1 - first) * (1 - wrong)]])
    margins = truth.sum(0) + truth.sum(1)
    value = 1 - wrong / (1 - (margins**2).sum() / 4)  # Scott's pi of the truth
    drawn = np.random.default_rng(4).multinomial(20, truth.ravel(), 250)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    found = hs.estimate(hs.from_counts(tables.reshape(-1, 2, 2)), "krippendorff_alpha")
    covers = (np.asarray(found.low) <= value + 1e-12) & (value <= np.asarray(found.high))
    assert np.average(covers, weights=times) > 0.92


def sample_of(value, error=0.1):
    """Return tables with these values."""
    value = np.array(value, dtype=float)
    return PathSample(value, np.full(value.shape, error), np.ones(value.shape), np.zeros(value.shape), np.inf)


def paths_of(low, high, *, varies=True, bias=0.0, is_sparse=False):
    """Return paths that have these limits for any quantile."""
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    varies, is_sparse = np.broadcast_to(varies, low.shape), np.broadcast_to(is_sparse, low.shape)
    return SimpleNamespace(limits=lambda _: (low, high), varies=varies, bias=bias, is_sparse=is_sparse)


def test_limits_hold_the_value_and_reach_the_end_of_the_range_with_it():
    """At an end of the range the limit is that end; limits on the other side of the value are moved to it."""
    found = interval_at(
        sample_of([0.5, 0.0, 1.0, 0.5, 0.5]),
        paths_of([0.3, 0.1, 0.7, 0.6, 0.2], [0.7, 0.3, 0.9, 0.8, 0.4]),
        (0, 1),
        1.0,
    )
    assert found.low.tolist() == [0.3, 0.0, 0.7, 0.5, 0.2]
    assert found.high.tolist() == [0.7, 0.3, 1.0, 0.8, 0.5]
    assert found.reason.tolist() == [""] * 5


def test_what_has_no_limits_has_its_reason():
    """A point, a path without variance, infinite quantiles and an undefined value, in this order."""
    value = [0.5, 0.5, 0.5, np.nan, 0.5]
    paths = paths_of([0.5, 0.3, 0.3, 0.3, 0.3], [0.5, 0.7, 0.7, 0.7, 0.7], varies=[True, False, True, True, True])
    found = interval_at(sample_of(value), paths, (0, 1), np.array([1.0, 1.0, np.inf, 1.0, 1.0]), "endless")
    words = ["does not vary", "does not vary", "endless", "undefined", ""]
    assert all(word in reason for word, reason in zip(words, found.reason, strict=True))
    assert np.isnan(found.low).tolist() == [True, True, True, True, False]
    assert np.isnan(found.standard_error).tolist() == [False, False, False, True, False]


def test_a_bias_of_more_than_half_the_width_is_told():
    """So is one that is unknown; both give way to another reason."""
    bias = np.array([0.05, 0.1501, -0.1501, 0.1499, 0.9, 0.2])
    value, low = [0.5, 0.5, 0.5, 0.5, np.nan, 0.5], [0.4] * 6
    paths = paths_of(low, [0.7] * 6, bias=bias, is_sparse=[False] * 5 + [True])
    reasons = interval_at(sample_of(value), paths, (0, 1), 1.0).reason.tolist()
    assert reasons[0] == reasons[3] == ""
    assert reasons[1] == BIASED.format(bias="+0.15")
    assert reasons[2] == BIASED.format(bias="-0.15")
    assert "undefined" in reasons[4]
    assert reasons[5] == SPARSE
    sparse = paths_of([0.4], [0.7], is_sparse=True)
    assert interval_at(sample_of([0.5]), sparse, (0, 1), 1.0).reason.tolist() == [SPARSE]
    one = interval_at(sample_of(0.5), paths_of(0.4, 0.7, bias=0.2), (0, 1), 1.0)
    assert str(one.reason) == BIASED.format(bias="+0.2")


@pytest.mark.parametrize("weight", [1.0, 7.0])
def test_the_design_effect_is_the_variance_over_that_of_independent_cases(weight):
    """For clusters that of their totals; without errors, or for a constant, it is the unit of the weights."""
    rng = np.random.default_rng(1)
    truth, group = rng.integers(0, 2, 60), np.arange(60) // 4
    right = rng.random(60) < rng.beta(3, 1, 15)[group]
    given = {"groups": group, "sample_weight": np.full(60, weight)}
    table = hs.confusion(truth, np.where(right, truth, 1 - truth), **given)
    totals = np.bincount(group, right - right.mean()) / 60
    expected = weight * 15 / 14 * (totals**2).sum() / (right.mean() * (1 - right.mean()) / 60)
    found = design_effect(resolve("accuracy", table), table, np.ones((), dtype=bool))
    assert float(found) == pytest.approx(expected, rel=1e-9)
    for said, metric in ((truth.copy(), "accuracy"), (np.where(right, truth, 1 - truth), "prevalence@macro")):
        heavy = hs.confusion(truth, said, sample_weight=np.full(60, weight))
        found = design_effect(resolve(metric, heavy), heavy, np.zeros((), dtype=bool))
        assert float(found) == pytest.approx(weight, rel=1e-9)
    assert design_effect(resolve("accuracy", THREE), THREE, np.ones((), dtype=bool)).tolist() == 1


@pytest.mark.parametrize("metric", ["p4", "prevalence_threshold"])
@pytest.mark.parametrize("n, positive, sensitivity, alarms", [(10_000, 1.5, 0.5, 0.5), (1_000, 2, 0.7, 1)])
def test_steep_metrics_cover_where_a_class_has_hardly_two_cases(metric, n, positive, sensitivity, alarms):
    """Of 400 intervals 91 % contain the truth, less three Monte Carlo errors; of P4 it was 79 %."""
    missed, hits = positive * (1 - sensitivity), positive * sensitivity
    expected = np.array([[n - positive - alarms, alarms], [missed, hits]])
    drawn = np.random.default_rng(0).multinomial(n, expected.ravel() / n, 400).reshape(-1, 2, 2)
    tables, whole = hs.from_counts(drawn[drawn[:, 1].sum(-1) > 0], check=False), hs.from_counts(expected * 1_000)
    found, true = hs.estimate(tables, metric), float(hs.estimate(whole, metric))
    inside = ((found.low <= true) & (true <= found.high))[np.isfinite(found.low)]
    assert inside.mean() >= 0.91 - 3 * np.sqrt(0.91 * 0.09 / len(inside))
