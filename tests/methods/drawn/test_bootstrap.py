"""The bootstrap on counts agrees with the bootstrap of rows, and with enumeration."""

import itertools
from functools import cache
from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import howsure as hs
from howsure.designs.sampling import CASES_PER_CELL, WEIGHTED_CASES
from howsure.designs.traits import Traits
from howsure.methods.drawn.bootstrap import Bootstrap, acceleration, limits_of_draws
from howsure.methods.drawn.jackknife import MOST_ENTRIES, skewness_of_jackknife
from howsure.metrics.binding import resolve
from howsure.native.resampling import Resamples

TWO_CLASSES = [[61, 9], [14, 36]]
THREE_CLASSES = [[40, 5, 2], [6, 25, 4], [1, 3, 14]]


def rows_of(counts):
    """Return true and predicted labels with these counts."""
    counts = np.asarray(counts)
    true, predicted = np.nonzero(counts)
    number = counts[true, predicted]
    return np.repeat(true, number), np.repeat(predicted, number)


def matthews(true, predicted, axis=-1):
    """MCC of many resamples at once, from its definition for two classes."""
    tp = (true * predicted).sum(axis)
    fp = ((1 - true) * predicted).sum(axis)
    fn = (true * (1 - predicted)).sum(axis)
    tn = ((1 - true) * (1 - predicted)).sum(axis)
    return (tp * tn - fp * fn) / np.sqrt(1.0 * (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def binary_f1(true, predicted, axis=-1):
    """F1 of many resamples at once."""
    return 2 * (true * predicted).sum(axis) / (true + predicted).sum(axis)


def macro_f1(true, predicted, axis=-1):
    """Macro F1 of many resamples at once."""
    scores = [binary_f1(1 * (true == k), 1 * (predicted == k), axis) for k in range(int(true.max()) + 1)]
    return np.mean(scores, axis=0)


def balanced(true, predicted, axis=-1):
    """Balanced accuracy of many resamples at once."""
    hit = true == predicted
    recalls = [(hit & (true == k)).sum(axis) / (true == k).sum(axis) for k in range(int(true.max()) + 1)]
    return np.mean(recalls, axis=0)


def accuracy(true, predicted, axis=-1):
    """Accuracy of many resamples at once."""
    return (true == predicted).mean(axis)


CASES = [
    ("accuracy", accuracy, TWO_CLASSES),
    ("f1", binary_f1, TWO_CLASSES),
    ("mcc", matthews, TWO_CLASSES),
    ("balanced_accuracy", balanced, TWO_CLASSES),
    ("f1@macro", macro_f1, TWO_CLASSES),
    ("accuracy", accuracy, THREE_CLASSES),
    ("f1@macro", macro_f1, THREE_CLASSES),
    ("balanced_accuracy", balanced, THREE_CLASSES),
    ("f1", binary_f1, [[354, 3], [9, 203]]),
    ("mcc", matthews, [[180, 12], [5, 9]]),
]


def seed(number):
    """Return SciPy's keyword for a seed, which has another name since 1.15."""
    name = "rng" if "rng" in signature(stats.bootstrap).parameters else "random_state"
    return {name: np.random.default_rng(number)}


RESAMPLES = 50_000


@cache
def scipys(case, kind):
    """Return SciPy's bootstrap of rows; all kinds of intervals are of the same resamples."""
    _, function, counts = CASES[case]
    drawn = {"n_resamples": RESAMPLES, **seed(1)} if kind == "percentile" else {"n_resamples": 0}
    if kind != "percentile":
        drawn["bootstrap_result"] = scipys(case, "percentile")
    return stats.bootstrap(rows_of(counts), function, paired=True, vectorized=True, method=kind, batch=2000, **drawn)


@pytest.mark.parametrize("kind", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.thorough if case % 3 else (), id=f"{case} {metric}")
        for case, (metric, *_) in enumerate(CASES)
    ],
)
def test_endpoints_equal_scipys_row_bootstrap(case, kind):
    """Endpoints agree with SciPy's bootstrap of rows within the Monte Carlo error of both, in each kind."""
    theirs, (metric, _, counts) = scipys(case, kind), CASES[case]
    method = hs.methods.Bootstrap(kind.lower(), RESAMPLES)
    ours = hs.estimate(hs.from_counts(counts), metric, method=method, random_state=2)
    # A quantile at 2.5 % has standard error sqrt(p(1-p)/B)/density; four of them for the two sides together.
    density = stats.norm.pdf(1.96) / ours.standard_error
    error = np.sqrt(2 * 0.025 * 0.975 / RESAMPLES) / density
    lattice = 1.5 / np.sum(counts)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=5 * error + lattice)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=5 * error + lattice)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.03)


def test_percentile_limits_equal_exact_enumeration_of_a_tiny_sample():
    """With five cases, the distribution of resamples can be enumerated: quantiles agree with it."""
    counts = np.array([[2, 1], [1, 1]])
    cells = np.repeat(np.arange(4), counts.ravel())
    values = []
    for draw in itertools.product(cells, repeat=5):
        tn, _, _, tp = np.bincount(draw, minlength=4)
        values.append((tn + tp) / 5)
    exact = np.quantile(values, [0.025, 0.975])
    estimate = hs.estimate(
        hs.from_counts(counts), "accuracy", method=hs.methods.Bootstrap("percentile", 50_000), random_state=0
    )
    assert [estimate.low, estimate.high] == pytest.approx(exact, abs=1e-12)
    assert estimate.standard_error == pytest.approx(np.std(values), rel=0.02)


def test_the_bias_of_bca_counts_ties_with_the_value_half():
    """Resampled values equal to the observed one are half below it; the rest is Efron's formula."""
    draws, skewness = np.concatenate([np.linspace(0, 1, 81), np.full(20, 0.5)]), 0.05
    bias = stats.norm.ppf((40 + 21 / 2) / 101)  # 40 below, 21 equal
    normal = bias + stats.norm.ppf([0.05, 0.95])
    expected = np.quantile(draws, stats.norm.cdf(bias + normal / (1 - skewness * normal)))
    assert limits_of_draws("bca", 0.5, draws, 0.9, skewness) == pytest.approx(tuple(expected), rel=1e-9)
    rounded = draws * (1 + 1e-15 * np.tile([-1, 0, 1], 34)[: len(draws)])  # as sums in another order
    assert limits_of_draws("bca", 0.5, rounded, 0.9, skewness) == pytest.approx(tuple(expected), rel=1e-9)
    below = stats.norm.ppf((32 + 1 / 2) / 101) + stats.norm.ppf([0.05, 0.95])
    expected = np.quantile(draws, stats.norm.cdf(below - stats.norm.ppf([0.05, 0.95]) + below / (1 - skewness * below)))
    assert limits_of_draws("bca", 0.4, draws, 0.9, skewness) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize("value, share", [(-1.0, 0.5 / 200), (2.0, 1 - 0.5 / 200)])
def test_a_value_beyond_all_resamples_has_half_of_one_beyond_it(value, share):
    """BCa's bias is finite if no resampled value is as low, or as high: half of one is assumed to be."""
    draws, tails = np.linspace(0, 1, 200), stats.norm.ppf([0.025, 0.975])
    expected = np.quantile(draws, stats.norm.cdf(2 * stats.norm.ppf(share) + tails))
    assert limits_of_draws("bca", value, draws, 0.95, 0.0) == pytest.approx(tuple(expected), rel=1e-9)


def test_jackknife_of_cells_is_the_jackknife_of_rows():
    """The acceleration from one value a cell equals the one from leaving out each row in turn."""
    table = hs.from_counts(THREE_CLASSES)
    true, predicted = rows_of(THREE_CLASSES)
    left = [sk.f1_score(np.delete(true, i), np.delete(predicted, i), average="macro") for i in range(len(true))]
    deviation = np.mean(left) - np.array(left)
    expected = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    assert acceleration(resolve("f1@macro", table), table) == pytest.approx(expected, rel=1e-9)


def test_what_no_case_moves_has_no_acceleration():
    """Jackknife values that are all equal have no skewness."""
    assert skewness_of_jackknife(np.full(4, 0.7), np.array([1.0, 5.0, 2.0, 9.0])) == 0


def test_a_vanished_class_is_counted_and_reported():
    """Resamples without any case of the class leave recall undefined: they are counted, not set to 0."""
    estimate = hs.estimate(hs.from_counts([[30, 2], [1, 1]]), "recall", method="bootstrap_percentile", random_state=3)
    undefined = int(np.isnan(estimate.draws).sum())
    assert undefined == pytest.approx(9999 * (32 / 34) ** 34, rel=0.1)
    assert estimate.reason.startswith(f"undefined on {undefined} of 9999 resamples")


@pytest.mark.parametrize(
    "method", ["bootstrap_percentile", "bootstrap_basic", "bootstrap_bca", "bootstrap_studentized"]
)
def test_a_perfect_sample_has_no_zero_width(method):
    """If resampling shows no variation, the interval is the delta method's, with a note."""
    estimate = hs.estimate(hs.from_counts([[20, 0], [0, 15]]), "f1", method=method, random_state=0)
    assert estimate.low < estimate.high == 1.0
    assert "no variation" in estimate.reason


def test_studentized_limits_equal_their_definition():
    """The studentized interval is the observed value less quantiles of resampled distances times its error."""
    table = hs.from_counts([[120, 30], [20, 80]])
    estimate = hs.estimate(table, "accuracy", method="bootstrap_studentized", random_state=1)
    rng = np.random.default_rng(5)
    share = rng.binomial(250, 0.8, 200_000) / 250
    distance = (share - 0.8) / np.sqrt(share * (1 - share) / 250)
    low, high = np.quantile(distance, [0.025, 0.975])
    error = np.sqrt(0.8 * 0.2 / 250)
    assert not estimate.reason  # no other method was used
    assert [estimate.low, estimate.high] == pytest.approx([0.8 - high * error, 0.8 - low * error], abs=0.004)


DESIGNS = ["simple", "weighted", "clusters", "fixed"]


def large_table(design):
    """Return a table of 20,000 cases under a design, with enough cells, weights or clusters."""
    rng = np.random.default_rng(11)
    rows = 20_000
    true = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    predicted = np.where(rng.random(rows) < 0.8, true, rng.integers(0, 3, rows))
    if design == "weighted":
        return hs.confusion(true, predicted, sample_weight=rng.choice([0.5, 1.0, 2.0, 4.0], rows))
    if design == "clusters":
        return hs.confusion(true, predicted, groups=rng.integers(0, 4000, rows))
    table = hs.confusion(true, predicted)
    return table.with_design(hs.designs.FixedMargins()) if design == "fixed" else table


SMOOTH = [
    "accuracy", "balanced_accuracy", "mcc", "kappa", "gwet_ac1", "scotts_pi", "weighted_kappa", "mae", "mse", "rmse",
    "adjacent_accuracy", "f1@macro", "f1@weighted", "f1@micro", "precision@macro", "recall@geometric", "npv@harmonic",
    "jaccard@macro", "fbeta+beta=2@macro", "informedness@macro", "markedness@macro", "p4@macro", "g_mean@macro",
    "fowlkes_mallows@macro", "plr@macro", "nlr@macro", "log_dor@macro", "prevalence_threshold@macro", "lift@macro",
    "precision_gain@macro", "recall_gain@macro", "f1_gain@macro",
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("design", DESIGNS)
def test_delta_bootstrap_and_posterior_agree_on_large_tables(design):
    """At n = 20,000 the three standard errors agree within 3 % (and Monte Carlo error) for every smooth metric."""
    table = large_table(design)
    draws = 20_000
    delta = hs.evaluate(table, SMOOTH, method="wald")
    bootstrap = hs.evaluate(table, SMOOTH, method=hs.methods.Bootstrap("percentile", draws), random_state=0)
    posterior = hs.evaluate(table, SMOOTH, method=hs.methods.Dirichlet(prior=0, n_draws=draws), random_state=0)
    for expected, first, second in zip(*(each.values() for each in (delta, bootstrap, posterior)), strict=True):
        if expected.standard_error < 1e-9:  # a margin that the design fixes
            assert first.standard_error < 1e-9
            continue
        # The standard error of a standard deviation is 1 / sqrt(2 B) of it.
        tolerance = 0.03 + 3 / np.sqrt(2 * draws)
        assert first.standard_error == pytest.approx(expected.standard_error, rel=tolerance), expected.metric
        assert second.standard_error == pytest.approx(expected.standard_error, rel=tolerance), expected.metric


def test_many_distinct_weights_are_resampled_by_the_stated_approximation():
    """With distinct weights for all cases, the spread of resamples is that of the bootstrap of rows."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 2, 30_000)
    predicted = np.where(rng.random(30_000) < 0.8, true, 1 - true)
    table = hs.confusion(true, predicted, sample_weight=rng.exponential(size=30_000))
    assert table.design.atoms is None
    bootstrap = hs.estimate(table, "f1", method="bootstrap_percentile", random_state=0)
    assert bootstrap.standard_error == pytest.approx(hs.estimate(table, "f1", method="wald").standard_error, rel=0.04)


class TestAnyFunction:
    """`hs.bootstrap` resamples the rows of any arrays."""

    def test_agrees_with_scipy(self):
        """The percentile interval of a median agrees with SciPy's."""
        values = np.random.default_rng(0).gamma(2.0, size=80)
        ours = hs.bootstrap(np.mean, values, method="bootstrap_bca", n_resamples=4000, random_state=1)
        theirs = stats.bootstrap((values,), np.mean, n_resamples=4000, method="BCa", **seed(3)).confidence_interval
        assert [ours.low, ours.high] == pytest.approx([theirs.low, theirs.high], abs=0.02)

    def test_result_does_not_depend_on_workers(self):
        """One worker and four give identical draws."""
        values = np.random.default_rng(0).normal(size=30)
        one, four = (hs.bootstrap(np.mean, values, n_resamples=300, random_state=5, workers=w) for w in (1, 4))
        assert np.array_equal(one.draws, four.draws)

    def test_processes_give_the_same_draws(self):
        """Another process gives the draws of a thread, with a bar shown or not."""
        values = np.random.default_rng(0).normal(size=30)
        settings = {"n_resamples": 130, "random_state": 5}
        here = hs.bootstrap(np.mean, values, **settings, show_progress=True)
        there = hs.bootstrap(np.mean, values, **settings, workers=2, executor="processes")
        assert np.array_equal(here.draws, there.draws)

    def test_whole_clusters_are_resampled(self):
        """Clusters of identical members widen the error by the square root of their size."""
        values = np.repeat(np.random.default_rng(0).normal(size=50), 4)
        free = hs.bootstrap(np.mean, values, n_resamples=2000, random_state=0)
        bound = hs.bootstrap(np.mean, values, n_resamples=2000, random_state=0, groups=np.repeat(np.arange(50), 4))
        assert bound.standard_error / free.standard_error == pytest.approx(2, rel=0.1)

    def test_bad_input_is_refused(self):
        """Lengths that differ, no rows, and methods that do not fit have clear errors."""
        with pytest.raises(hs.HowsureError, match="equally many"):
            hs.bootstrap(np.mean, [1.0, 2.0], [1.0])
        with pytest.raises(hs.HowsureError, match="empty"):
            hs.bootstrap(np.mean, [])
        with pytest.raises(hs.HowsureError, match="bootstrap_percentile"):
            hs.bootstrap(np.mean, [1.0, 2.0], method="wilson")


@pytest.mark.parametrize("design", ["simple", "weighted", "clusters", "fixed"])
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_the_acceleration_of_long_tables_is_the_jackknifes(design, metric):
    """For many scores it comes from the gradient, and equals the jackknife over cases or clusters."""
    rng = np.random.default_rng(3)
    size = 1600
    truth = (rng.random(size) < 0.2).astype(int)
    more = {"weighted": {"sample_weight": rng.gamma(2, 1, size)}, "clusters": {"groups": np.arange(size) // 3}}
    table = hs.scores(truth, rng.normal(truth * 1.5), **more.get(design, {}))
    table = table.with_design(hs.designs.FixedMargins()) if design == "fixed" else table
    bound = resolve(metric, table)
    values, numbers = [], []
    for tables, number in table.design.leave_one_out(table.cells):
        values.append(bound(tables.reshape(-1, *table.counts.shape)))
        numbers.append(number)
    values, numbers = np.concatenate(values), np.concatenate(numbers)
    deviation = (values @ numbers) / numbers.sum() - values
    literal = (numbers @ deviation**3) / (6 * (numbers @ deviation**2) ** 1.5)
    assert np.count_nonzero(table.counts) * table.counts.size > MOST_ENTRIES
    assert acceleration(bound, table) == pytest.approx(literal, abs=0.001 if metric == "roc_auc" else 0.006)


def test_long_tables_of_scores_are_quick():
    """BCa and studentized intervals of 50,000 distinct scores need no table for each left-out case."""
    rng = np.random.default_rng(4)
    truth = rng.random(50_000) < 0.3
    table = hs.scores(truth, rng.normal(truth * 1.0))
    for kind in ("bca", "studentized"):
        estimate = hs.estimate(table, "roc_auc", method=Bootstrap(kind, 40), random_state=0)
        assert estimate.low < estimate.value < estimate.high


def test_the_intervals_of_a_batch_keep_the_draws_of_each_table():
    """The draws are those of the table's own stream, and the limits are their quantiles."""
    stack = hs.from_counts([[[50, 3], [5, 42]], [[9, 4], [1, 30]]])
    metric = resolve("accuracy", stack.stack)
    (found,) = Bootstrap(n_resamples=400).intervals([metric], stack.stack, 0.9, 0)
    assert found.draws.shape == (2, 400)
    for index in range(2):
        assert (found.low[index], found.high[index]) == pytest.approx(np.quantile(found.draws[index], [0.05, 0.95]))
    assert found.draws[0].mean() == pytest.approx(0.92, abs=0.01)
    assert found.draws[1].mean() == pytest.approx(39 / 44, abs=0.02)


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_studentized_limits_are_quantiles_at_any_level(level):
    """They leave out half of the rest of the resampled distances on either side."""
    estimate = hs.estimate(
        hs.from_counts([[120, 30], [20, 80]]),
        "accuracy",
        method="bootstrap_studentized",
        random_state=1,
        confidence_level=level,
    )
    share = np.random.default_rng(5).binomial(250, 0.8, 100_000) / 250
    distance = (share - 0.8) / np.sqrt(share * (1 - share) / 250)
    low, high = np.quantile(distance, [(1 - level) / 2, (1 + level) / 2])
    error = np.sqrt(0.8 * 0.2 / 250)
    assert [estimate.low, estimate.high] == pytest.approx([0.8 - high * error, 0.8 - low * error], abs=0.003)
    assert np.std(estimate.draws, ddof=1) == pytest.approx(estimate.standard_error, rel=1e-12)


def test_p_values_invert_the_interval_of_the_draws():
    """Of draws with uniform values p is twice the share beyond; undefined draws do not count, and some are always beyond."""
    table = hs.from_counts([[30, 20], [20, 30]])
    metric, method = resolve("accuracy", table), Bootstrap(n_resamples=1001)
    draws = np.random.default_rng(0).permutation(np.append(np.linspace(0.1, 1.1, 1001), np.full(50, np.nan)))
    for null, expected in ((0.3, 0.4), (0.9, 0.4), (0.15, 0.1), (0.6, 1.0)):
        assert method.p_value(metric, table, null, draws=draws) == pytest.approx(expected, abs=2e-3)
    assert 0 < method.p_value(metric, table, 0.0, draws=draws) <= 2 / 1001
    same = method.p_value(metric, table, 0.5, draws=np.full(9, 0.6))
    assert same == pytest.approx(hs.methods.Delta().p_value(metric, table, 0.5))
    assert np.isnan(method.p_value(metric, table, 0.5, draws=np.full(9, np.nan)))


def test_draws_that_vary_by_rounding_have_the_delta_methods_interval():
    """The error of the draws is that of those which are defined; one alone has none."""
    table = hs.from_counts([[30, 20], [20, 30]])
    metric = resolve("accuracy", table)
    draws = np.append(np.repeat([0.5, 0.7], 5), np.nan)
    found = Bootstrap(n_resamples=39).interval_of(draws, metric, table, 0.9)
    assert found.standard_error == pytest.approx(np.sqrt(10 * 0.01 / 9))
    assert found.reason == "undefined on 1 of 11 resamples"
    one = Bootstrap(n_resamples=39).interval_of(np.array([0.5, 0.5 + 1e-15, np.nan]), metric, table, 0.9)
    delta = hs.methods.Delta().interval(metric, table, 0.9)
    assert (one.low, one.high) == (delta.low, delta.high)
    assert "no variation" in one.reason


def test_kinds_of_bootstrap_say_what_they_need():
    """Settings that are no kind, and designs without units to leave out, are refused with a remedy."""
    with pytest.raises(hs.HowsureError, match=r"n_resamples=500"):
        Bootstrap(500)
    with pytest.raises(hs.HowsureError, match="kind of bootstrap"):
        Bootstrap("bcaa")
    chances = hs.calibrated(np.linspace(0.1, 0.9, 30))
    for kind in ("basic", "bca", "studentized"):
        with pytest.raises(hs.HowsureError, match="bootstrap_percentile"):
            hs.estimate(chances, "roc_auc", method=Bootstrap(kind, 50))


@pytest.mark.parametrize("defined", [set(), {"resample"}, {"leave_one_out"}, {"resample", "leave_one_out"}])
@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
def test_designs_need_resamples_and_for_bca_units_to_leave_out(kind, defined):
    """Otherwise the delta method is named."""
    design = SimpleNamespace(
        supports=lambda member: member.__name__ in defined, traits=Traits(), degrees_of_freedom=np.inf
    )
    table = SimpleNamespace(design=design)
    refusal = Bootstrap(kind).unsupported_reason(SimpleNamespace(is_distance=False), table)
    fits = "resample" in defined and (kind != "bca" or "leave_one_out" in defined)
    assert (refusal == "") == fits
    assert fits or "Use 'delta'" in refusal


@pytest.mark.parametrize("groups", [np.arange(300) // 10, [np.arange(300) // 30, np.arange(300) % 30]])
def test_clusters_have_no_studentized_interval(groups):
    """The error of a resample is that of the clusters drawn, which a resampled table does not contain."""
    table = hs.confusion(np.arange(300) % 2, np.arange(300) % 3 % 2, groups=groups)
    with pytest.raises(hs.HowsureError, match="depends on the clusters drawn. Use 'bootstrap_percentile'"):
        hs.estimate(table, "accuracy", method="bootstrap_studentized")


def test_few_cases_in_clusters_are_resampled_by_cluster():
    """Four copies of each case in a cluster have the error of the single cases, and twice that of independent ones."""
    rng = np.random.default_rng(6)
    truth, score = rng.integers(0, 2, 300), rng.random(300)
    losses = (score - truth) ** 2
    method = Bootstrap(n_resamples=1000)
    bound, free = (
        hs.estimate(
            hs.scores(np.repeat(truth, 4), np.repeat(score, 4) + 1e-9 * np.arange(1200), **given),
            "brier_score",
            method=method,
            random_state=1,
        )
        for given in ({"groups": np.arange(1200) // 4}, {})
    )
    assert bound.standard_error == pytest.approx(losses.std() / np.sqrt(300), rel=0.1)
    assert free.standard_error == pytest.approx(losses.std() / np.sqrt(1200), rel=0.1)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
def test_limits_need_resamples_on_which_the_metric_is_defined(kind):
    """A calibration slope is undefined where a resample separates the classes: of the slopes, the largest are missing."""
    score = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95])
    table = hs.scores([0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1], score)
    method = Bootstrap(kind, 499)
    found = hs.estimate(table, "calibration_slope", method=method, random_state=0)
    lost = int(np.isnan(found.draws).sum())
    assert lost > 0.1 * 499
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == f"undefined on {lost} of 499 resamples: on more than 10 %, so the others give no limits"
    metric = resolve("calibration_slope", table)
    assert np.isnan(method.p_value(metric, table, 1.0, draws=found.draws))
    few = np.where(np.arange(499) < 40, np.nan, np.nan_to_num(found.draws, nan=1.0))
    kept = method.interval_of(few, metric, table, 0.95, 0)
    assert kept.reason == "undefined on 40 of 499 resamples"
    assert kept.low < kept.high


def test_resampled_rows_need_defined_values_too():
    """A function that is undefined on a third of the resamples has a value and no limits."""

    def shape(values):
        return np.nan if (values == 0).sum() < 1 else float(values.mean())

    found = hs.bootstrap(shape, np.arange(12.0), n_resamples=500, random_state=0)
    lost = int(np.isnan(found.draws).sum())
    assert lost == pytest.approx(500 * (11 / 12) ** 12, rel=0.2)
    assert np.isnan([found.low, found.high]).all()
    assert found.reason.startswith(f"undefined on {lost} of 500 resamples: on more than 10 %")


def test_tables_with_most_cases_in_few_cells_are_drawn_without_weights_of_cases(monkeypatch):
    """Standard errors equal those of the delta method, and no case of a rich cell gets a weight."""
    counts = np.random.default_rng(5).poisson(np.full((30, 30), 1.0) + 60 * np.eye(30))
    table = hs.from_counts(counts)
    poor = counts[counts <= WEIGHTED_CASES].sum()
    assert 2 * poor < counts.sum() <= CASES_PER_CELL * (counts > 0).sum()
    drawn = Resamples.drawn.__func__

    def few(cls, cases, *arguments):
        assert cases <= poor
        return drawn(cls, cases, *arguments)

    monkeypatch.setattr(Resamples, "drawn", classmethod(few))
    for metric in ("accuracy", "f1@macro", "mcc"):
        found = hs.estimate(table, metric, method=hs.methods.Bootstrap("percentile", 4_000), random_state=0)
        expected = hs.estimate(table, metric, method="delta").standard_error
        assert found.standard_error == pytest.approx(expected, rel=0.05)  # 4 standard errors of the draws, and 1/n
