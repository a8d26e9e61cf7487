"""Confidence sequences: exact where possible, and valid at all looks simultaneously elsewhere."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import howsure as hs
from howsure.methods.composed.anytime import _of_one_look, units
from howsure.methods.flow.flow import Flow
from howsure.methods.numerics.confidence_sequences import BEST, log_beta_binomial, normal_mixture, reach, stakes
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side

MASS = 200 / BEST - 1  # of the beta distribution of the default


def test_the_reach_is_least_where_it_is_tuned():
    """At `n_optimal` cases the squared reach is 1 + x with x - log(1 + x) = 2 log 20, and elsewhere it is larger."""
    assert BEST - math.log1p(BEST) == pytest.approx(2 * math.log(20), rel=1e-14)
    found = reach([150, 200, 270], 0.05, 200) / np.sqrt([150, 200, 270])
    assert reach(200, 0.05, 200) ** 2 == pytest.approx(1 + BEST, rel=1e-14)
    widths = [float(reach(200, 0.05, n_optimal)) for n_optimal in (180, 200, 220)]
    assert widths[1] == min(widths)
    assert list(found) == sorted(found, reverse=True)


def test_means_are_those_of_another_package():
    """The reach times the standard error of a mean is the half width of ville 0.1.0's asymptotic sequence.

    x = np.random.default_rng(0).exponential(size=400).round(1)
    sequence = ville.AsymptoticCS(0.05, 200, 100)
    sequence.rho_ = 200 / 8.211968062068253  # its own is the optimum to 1e-6
    sequence.update(x); sequence.lower_[[99, 199, 399]], sequence.upper_[[99, 199, 399]]
    """
    x = np.random.default_rng(0).exponential(size=400).round(1)
    for n, low, high in (
        (100, 0.8289536502641778, 1.5290463497358218),
        (200, 0.9066299310041933, 1.349370068995807),
        (400, 0.9606778224715876, 1.2938221775284136),
    ):
        found = hs.estimate(hs.values(x[:n]), "mean", method="wald")
        half = float(hs.methods.Anytime().reach(n, 0.95)) * found.standard_error
        assert (found.value - half, found.value + half) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize(
    "successes, trials, low, high",
    [
        (81, 263, 0.22578671666546868, 0.3980211264851705),
        (3, 50, 0.002734001927828534, 0.23177838016741403),
        (50, 50, 0.880812493751345, 1.0),
    ],
)
def test_shares_are_those_of_another_package(successes, trials, low, high):
    """Each limit p is where ville 0.1.0's sequence with the prior Beta(r p, r (1 - p)) ends at p.

    x = np.r_[np.ones(successes), np.zeros(trials - successes)]
    mass = 200 / 8.211968062068253 - 1
    ville.BernoulliCS(0.05, (mass * low, mass * (1 - low)), intersect=False).update(x).lower_[-1]  # and with high, upper_
    """
    found = hs.estimate(hs.from_counts([[successes, trials - successes], [0, 0]]), "accuracy", method="anytime")
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_limits_of_a_share_are_where_an_urn_wins_twenty_times():
    """At a limit the chances that an urn of r balls, filled up as cases come, gives are 20 times those of the share."""
    cases = np.r_[np.ones(8), np.zeros(22)]
    found = hs.estimate(hs.from_counts([[8, 22], [0, 0]]), "accuracy", method="anytime")
    for share in (found.low, found.high):
        for order in (cases, cases[::-1]):
            before = np.cumsum(order) - order
            urn = (MASS * share + before) / (MASS + np.arange(30))
            ratio = np.where(order == 1, urn / share, (1 - urn) / (1 - share)).prod()
            assert ratio == pytest.approx(20, rel=1e-8)


def test_limits_of_a_bounded_mean_are_where_a_bet_wins_forty_times():
    """At a limit the capital of all bets, whose stakes do not depend on the data or their number, is 2 / 0.05."""
    x = np.random.default_rng(2).beta(2, 5, 80)
    found = hs.estimate(hs.values(x, bounds=(0, 1)), "mean", method="anytime")
    bets, parts = stakes(200)
    above = sum(part * np.prod(1 + bet * (x / found.low - 1)) for bet, part in zip(bets, parts, strict=True))
    below = sum(
        part * np.prod(1 + bet * ((1 - x) / (1 - found.high) - 1)) for bet, part in zip(bets, parts, strict=True)
    )
    assert (above, below) == pytest.approx((40, 40), rel=1e-8)
    assert parts.sum() == pytest.approx(1)


def test_an_exact_sequence_misses_in_at_most_its_error():
    """In 2,000 runs at most 5 % ever exclude 0.1 or 0.5 in 600 cases; single-look intervals do so more often."""
    rng = np.random.default_rng(7)
    n = np.arange(1, 601)
    for share in (0.1, 0.5):
        successes = (rng.random((2000, 600)) < share).cumsum(1)
        with np.errstate(divide="ignore"):
            missed = (log_beta_binomial(successes, n - successes, np.array(share), 200.0) > math.log(20)).any(1)
            once = np.abs(successes / n - share) > 1.96 * np.sqrt(share * (1 - share) / n)
        assert missed.mean() <= 0.05
        assert once[:, 50:].any(1).mean() > 0.25


def paired_population():
    """Return a paired table in proportion to the chances of its cells, and the difference of F1."""
    shares = np.array([[[0.60, 0.06], [0.03, 0.03]], [[0.03, 0.02], [0.05, 0.18]]])
    truth, first, second = (each.ravel() for each in np.indices(shares.shape))
    table = hs.paired(np.repeat(truth, 100), {"A": np.repeat(first, 100), "B": np.repeat(second, 100)})
    sides = (Side(name, resolve("f1", table.model(name)), table.view(name)) for name in table.models)
    return table, contrast_metric(EFFECTS["difference"], *sides), shares[tuple(table.codes.T)]


def one_population(spec, shares):
    """Return a confusion table, its metric, and the chances of its cells."""
    table = hs.from_counts(1000 * np.array(shares))
    return table, resolve(spec, table), np.array(shares).ravel()


@pytest.mark.parametrize(
    "population",
    [
        lambda: one_population("f1@macro", [[0.56, 0.03, 0.01], [0.05, 0.22, 0.03], [0.02, 0.02, 0.06]]),
        lambda: one_population("mcc", [[0.72, 0.08], [0.05, 0.15]]),
        paired_population,
    ],
    ids=["f1@macro", "mcc", "difference of f1"],
)
def test_a_sequence_holds_the_truth_at_all_looks(population):
    """In 400 runs with 24 looks from 50 to 1,200 cases about 5 % or fewer ever miss; for single looks 15 % or more."""
    table, metric, shares = population()
    batch = batch_of(table)
    truth = float(metric(batch(1e6 * shares[None]).counted)[0])
    rng, counts = np.random.default_rng(5), np.zeros((400, shares.size))
    missed = {method: np.zeros(400, dtype=bool) for method in (hs.methods.Anytime(), Flow())}
    for _ in range(24):
        counts = counts + rng.multinomial(50, shares, 400)
        for method, gone in missed.items():
            found = method.interval(metric, batch(counts), 0.95)
            missed[method] = gone | (found.low > truth) | (found.high < truth)
    anytime, once = (each.mean() for each in missed.values())
    assert anytime <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert once >= 0.15


def batch_of(table):
    """Return a function that makes tables of one kind from their cells."""
    return lambda cells: replace(table, counts=cells.reshape(-1, *table.shape), rows=-1)


def test_tables_of_different_sizes_come_in_one_batch():
    """In groups of different sizes each has the interval that it has alone."""
    rng = np.random.default_rng(0)
    truth, said, by = rng.integers(0, 2, 300), rng.integers(0, 2, 300), np.repeat(["a", "b"], [60, 240])
    tables = hs.confusion(truth, said, by=by)
    for metric in ("accuracy", "mcc"):
        every = hs.estimate(tables, metric, method="anytime")
        for key, table in tables.items():
            alone = hs.estimate(table, metric, method="anytime")
            assert (every[key].low, every[key].high) == pytest.approx((alone.low, alone.high))


def test_units_are_what_is_independent():
    """Clusters count as one each, weighted cases by their effective number, in any unit."""
    truth, said = [1, 0, 1, 0] * 3, [1, 0, 0, 0] * 3
    assert units(hs.confusion(truth, said, groups=[1, 1, 2, 2] * 3)) == 2
    weights = np.array([1.0, 3.0] * 6)
    for unit in (1.0, 1e-3):
        found = units(hs.confusion(truth, said, sample_weight=unit * weights))
        assert found == pytest.approx(24**2 / (6 * 10))


def test_evidence_against_equality_holds_at_any_look():
    """The p-value is 1 over the e-value, which multiplies over independent data, and other methods have none."""
    first, second = hs.from_counts([[500, 30], [50, 420]]), hs.from_counts([[440, 90], [70, 400]])
    found = hs.compare(first, second, "accuracy", method="anytime")
    assert found.e_value == pytest.approx(1 / found.p_value)
    assert found.p_value > hs.compare(first, second, "accuracy").p_value
    assert math.isnan(hs.compare(first, second, "accuracy").e_value)


@pytest.mark.parametrize("n_optimal", [0, 9, 9.99, math.inf, math.nan, "500"])
def test_numbers_that_mean_nothing_are_named(n_optimal):
    """A number of cases below 10, or none, is refused in one line."""
    with pytest.raises(hs.HowsureError, match="at least 10"):
        hs.methods.Anytime(n_optimal=n_optimal)
    assert hs.methods.Anytime(n_optimal=10).n_optimal == 10


def test_what_it_is_not_for_is_said():
    """Distances from calibration, unlabelled cases and single limits are refused, with an alternative."""
    rng = np.random.default_rng(0)
    score = rng.random(100)
    table = hs.scores((rng.random(100) < score) * 1, score)
    with pytest.raises(hs.HowsureError, match="gap_test"):
        hs.estimate(table, "ece", method="anytime")
    with pytest.raises(hs.HowsureError, match="labelled cases"):
        hs.estimate(hs.calibrated(score), "accuracy", threshold=0.5, method="anytime")
    joint = hs.paired([1, 0] * 20, {"A": [1, 0] * 20, "B": [1, 1] * 20})
    with pytest.raises(hs.HowsureError, match="two-sided"):
        hs.compare(joint, "accuracy", method="anytime", alternative="greater")


def test_a_margin_is_tested_by_the_whole_error():
    """As there are no one-sided limits, a margin is shown if the interval itself ends above it."""
    first, second = hs.from_counts([[500, 30], [50, 420]]), hs.from_counts([[440, 90], [70, 400]])
    worse = hs.compare(second, first, "accuracy", method="anytime")
    assert worse.non_inferiority(-worse.low + 1e-4).shown
    assert not worse.non_inferiority(-worse.low - 1e-4).shown
    assert worse.equivalence(-worse.low + 1e-4).shown
    assert worse.non_inferiority(-worse.value / 2).p_value == 1


def of_pairs(first, second, rest):
    """Return a paired table with given numbers of cases that only the first, only the second, or both get right."""
    truth = np.ones(first + second + rest, int)
    models = {"A": np.repeat([1, 0, 1], [first, second, rest]), "B": np.repeat([0, 1, 1], [first, second, rest])}
    return hs.paired(truth, models, labels=[0, 1])


def test_limits_of_paired_shares_are_where_a_bet_wins_forty_times():
    """At a limit the capital of all bets on the difference, case by case, is 2 / 0.05, and half of it the e-value."""
    found = hs.compare(of_pairs(9, 2, 89), "accuracy", method="anytime")
    bets, parts = stakes(200, 6.0)
    outcome = np.repeat([1.0, -1.0, 0.0], [9, 2, 89])
    for end, sign in ((found.low, 1), (found.high, -1)):
        # The largest stake on a value x in [-1, 1] whose mean is m loses all at -1: 1 / (1 + m).
        gains = sign * (outcome - end) / (1 + sign * end)
        won = sum(part * np.prod(1 + bet * gains) for bet, part in zip(bets, parts, strict=True))
        assert won == pytest.approx(40, rel=1e-8)
        assert found.limits.e_value(end) == pytest.approx(20, rel=1e-8)
    assert parts.sum() == pytest.approx(1)


def test_paired_shares_have_limits_without_a_case_that_tells():
    """If the models agree on all cases the interval contains 0, shrinks with more cases, and there is no evidence."""
    found = [hs.compare(of_pairs(0, 0, cases), "accuracy", method="anytime") for cases in (20, 200)]
    assert [each.value for each in found] == [0, 0]
    assert found[0].low < found[1].low < 0 < found[1].high < found[0].high
    assert found[0].low == pytest.approx(-found[0].high)
    assert all(each.p_value == 1 for each in found)


def test_models_that_seldom_disagree_are_told_apart_at_little_cost():
    """In the median the sequence is at most 1.9 times as wide as Tango's interval, and no more than 5 % of runs miss."""
    table = of_pairs(2, 1, 97)
    sides = (Side(name, resolve("accuracy", table.model(name)), table.view(name)) for name in table.models)
    metric = contrast_metric(EFFECTS["difference"], *sides)
    shares = table.cells / table.cells.sum()
    rng, counts, missed = np.random.default_rng(3), np.zeros((400, shares.size)), np.zeros(400, dtype=bool)
    for more in (50, 50, 100, 300):
        counts = counts + rng.multinomial(more, shares, 400)
        found, once = (
            each.interval(metric, batch_of(table)(counts), 0.95) for each in (hs.methods.Anytime(), hs.methods.Tango())
        )
        assert np.median((found.high - found.low) / (once.high - once.low)) <= 1.9
        missed |= (found.low > 0.01) | (found.high < 0.01)
    assert missed.mean() <= 0.05


def test_an_area_is_stretched_on_the_scale_of_its_normal_quantile():
    """Each limit is reach / 1.96 times as far from the area as at a single look, as normal quantiles."""
    rng = np.random.default_rng(0)
    label = np.arange(150) % 10 == 0
    table = hs.scores(label, rng.normal(2.5 * label))
    once, found = (hs.estimate(table, "roc_auc", method=method) for method in (None, "anytime"))
    normal = NormalDist()
    times = float(hs.methods.Anytime().reach(150, 0.95)) / normal.inv_cdf(0.975)
    for near, far in ((once.low, found.low), (once.high, found.high)):
        centre = normal.inv_cdf(once.value)
        assert normal.inv_cdf(far) - centre == pytest.approx(times * (normal.inv_cdf(near) - centre), rel=1e-9)
    apart = hs.estimate(hs.scores(label, label * 1.0), "roc_auc", method="anytime")
    assert apart.low < apart.value == apart.high == 1


@pytest.mark.thorough
def test_an_area_of_a_rare_class_has_no_limits_that_run_away():
    """At an area of 0.96 with 6 % informative cases, the median width is at most 1.9 times that of a single look."""
    rng = np.random.default_rng(4)
    for cases in (100, 200, 500):
        ratios = []
        for _ in range(60):
            label = rng.random(cases) < 0.06
            if label.sum() > 1:
                table = hs.scores(label, rng.normal(2.5 * label))
                once, found = (hs.estimate(table, "roc_auc", method=method) for method in (None, "anytime"))
                ratios.append((found.high - found.low) / (once.high - once.low))
        assert np.median(ratios) <= 1.9 + 0.1  # the error of 60


def test_two_test_sets_may_grow_at_different_rates():
    """The difference's clock is the harmonic mean: in 2,000 runs with one growing set, fewer than 5 % ever miss."""
    few, many = hs.from_counts([[9, 1], [2, 8]]), hs.from_counts([[900, 100], [100, 900]])
    even = hs.from_counts([[18, 2], [3, 17]]), hs.from_counts([[14, 6], [4, 16]])
    for own, other, cases in ((*even, 80), (few, many, 4 / (1 / 20 + 1 / 2000))):
        away = NormalDist().inv_cdf(1 - hs.compare(own, other, "mcc").p_value / 2)
        found = hs.compare(own, other, "mcc", method="anytime").e_value
        assert found == pytest.approx(normal_mixture(away, cases, 200), rel=1e-9)
    rng, cases, fixed = np.random.default_rng(6), np.unique(np.geomspace(5, 5000, 300).round()), 20_000.0
    steps = rng.normal(size=(2000, len(cases))) * np.sqrt(np.diff(cases, prepend=0.0))
    apart = steps.cumsum(1) / cases - rng.normal(size=(2000, 1)) / np.sqrt(fixed)
    far = np.abs(apart) / np.sqrt(1 / cases + 1 / fixed)
    assert (far > reach(4 / (1 / cases + 1 / fixed), 0.05, fixed)).any(1).mean() <= 0.05


def test_a_single_look_of_a_contrast_is_by_the_delta_method():
    """Limits far beyond 95 % are the default's for one model, and the delta method's for a difference of metrics."""
    paired = hs.paired([0, 1, 1, 0, 1, 0] * 10, {"a": [0, 1, 1, 0, 0, 0] * 10, "b": [1, 1, 1, 0, 1, 0] * 10})
    one = hs.from_counts([[40, 5], [6, 25]])
    sides = (Side(name, resolve("mcc", paired.model(name)), paired.view(name)) for name in "ab")
    difference = contrast_metric(EFFECTS["difference"], *sides)
    assert type(_of_one_look(resolve("mcc", one), one)) is Flow
    assert type(_of_one_look(difference, paired)) is hs.methods.Delta
