"""Intervals for functions of two rates, such as likelihood ratios."""

import numpy as np
import pytest
from scipy import special

import howsure as hs
from howsure.methods.numerics import binomial
from howsure.methods.numerics.binomial import mid_p
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table

FEW = [[98, 2], [5, 42]]
METRICS = ["plr", "nlr", "dor", "log_plr", "log_nlr", "log_dor", "ppv_at+prevalence=0.05", "npv_at+prevalence=0.3"]


def by_hand(value, below, above):
    """Return the limits of a ratio from how far the logarithm moves with each rate."""
    return value * np.exp(-np.hypot(*below)), value * np.exp(np.hypot(*above))


def test_the_positive_likelihood_ratio_by_hand():
    """Its logarithm is the difference of two, each with a limit of its own."""
    (recall, false), (low, high) = (42 / 47, 2 / 100), np.array(binomial.mid_p([42, 2], [47, 100], 0.95))
    below = np.log(recall / low[0]), np.log(high[1] / false)
    above = np.log(high[0] / recall), np.log(false / low[1])
    found = hs.estimate(hs.from_counts(FEW), "plr")
    assert found.method == "two_rates"
    assert (found.low, found.high) == pytest.approx(by_hand(recall / false, below, above), rel=1e-9)


def test_the_odds_ratio_by_hand():
    """So is that of the odds ratio, of two log odds."""
    rates, limits = np.array([42 / 47, 2 / 100]), np.array(binomial.mid_p([42, 2], [47, 100], 0.95))
    odds, ends = rates / (1 - rates), limits / (1 - limits)
    below = np.log(odds[0] / ends[0, 0]), np.log(ends[1, 1] / odds[1])
    above = np.log(ends[1, 0] / odds[0]), np.log(odds[1] / ends[0, 1])
    found = hs.estimate(hs.from_counts(FEW), "dor")
    assert (found.low, found.high) == pytest.approx(by_hand(odds[0] / odds[1], below, above), rel=1e-9)


@pytest.mark.parametrize("metric", ["plr", "nlr", "dor"])
def test_logarithms_have_the_logarithms_of_the_limits(metric):
    """A ratio and its logarithm have equivalent limits."""
    ratio, logarithm = (hs.estimate(hs.from_counts(FEW), name) for name in (metric, f"log_{metric}"))
    assert (logarithm.low, logarithm.high) == pytest.approx((np.log(ratio.low), np.log(ratio.high)), rel=1e-9)


def test_precision_at_a_stated_prevalence_says_what_the_likelihood_ratio_says():
    """By Bayes' theorem its odds are those of the prevalence times the ratio, and so are its limits."""
    ratio, stated = (hs.estimate(hs.from_counts(FEW), name) for name in ("plr", "ppv_at+prevalence=0.05"))
    odds = np.array([stated.low, stated.high]) / (1 - np.array([stated.low, stated.high]))
    assert odds == pytest.approx(0.05 / 0.95 * np.array([ratio.low, ratio.high]), rel=1e-9)


def test_a_ratio_of_the_other_class_is_the_inverse_of_the_other_ratio():
    """What is a false positive of one class is a miss of the other."""
    other, negative = (hs.estimate(hs.from_counts(FEW), name) for name in ("plr@binary+positive_class=0", "nlr"))
    assert (other.low, other.high) == pytest.approx((1 / negative.high, 1 / negative.low), rel=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_the_limits_hold_the_value_and_grow_with_the_level(metric):
    """For any table, the interval contains the value, is in range, and higher levels contain lower ones."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = hs.from_counts(rng.poisson([[9, 1], [1, 6]]))
        small, large = (hs.estimate(table, metric, confidence_level=level, method="two_rates") for level in (0.8, 0.99))
        if np.isfinite(small.value):
            low, high = resolve(metric, table).range
            assert low <= large.low <= small.low <= small.value <= small.high <= large.high <= high
        else:
            assert np.isnan(small.low)
            assert "undefined" in str(small)


def test_a_value_at_an_end_of_its_range_has_an_interval():
    """Without a hit the ratio is 0, and without a false positive precision is 1; both have an interval."""
    none = hs.estimate(hs.from_counts([[98, 2], [47, 0]]), "plr")
    assert (none.value, none.low) == (0.0, 0.0)
    assert 1 < none.high < 20
    perfect = hs.estimate(hs.from_counts([[100, 0], [5, 42]]), "ppv_at+prevalence=0.05")
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert 0.5 < perfect.low < 0.7


@pytest.mark.parametrize("metric", METRICS)
def test_batches_are_tables_one_by_one(metric):
    """In a batch every table has the limits that it has alone."""
    batch = hs.lab.Cells(np.array([[0.6, 0.04], [0.06, 0.3]]), 60).tables(12, np.random.default_rng(2))
    bound = resolve(metric, batch)
    (together,) = hs.methods.TwoRates().intervals([bound], batch, 0.95)
    for place in range(12):
        alone = hs.methods.TwoRates().interval(bound, select_table(batch, place), 0.95)
        assert (together.low[place], together.high[place]) == pytest.approx((alone.low, alone.high), nan_ok=True)


@pytest.mark.parametrize("roles", [{"groups": "unit"}, {"sample_weight": "weight"}])
def test_designs_enter_by_the_intervals_of_the_rates(roles):
    """Clusters and uneven weights widen it."""
    rng = np.random.default_rng(1)
    columns = {"unit": np.arange(300) // 6, "weight": rng.gamma(0.5, 2, 300)}
    truth = np.repeat([0, 1], 150)
    said = np.where(np.isin(columns["unit"], [3, 9, 30, 40, 45]), 1 - truth, truth)  # whole clusters
    given = {role: columns[name] for role, name in roles.items()}
    found, plain = (hs.estimate(hs.confusion(truth, said, **each), "log_dor") for each in (given, {}))
    assert found.method == plain.method == "two_rates"
    assert found.high - found.low > 1.2 * (plain.high - plain.low)


def test_a_class_of_many_has_the_interval_of_its_own_table():
    """For one class against the rest it is that of the 2×2 table, and the first of the applicable methods."""
    table, own = hs.from_counts([[60, 5, 3], [4, 40, 16], [2, 1, 69]]), hs.from_counts([[109, 19], [3, 69]])
    spec = "plr@binary+positive_class=2"
    found, small = hs.estimate(table, spec), hs.estimate(hs.from_counts([[109, 19], [3, 69]]), "plr")
    assert (found.low, found.high) == pytest.approx((small.low, small.high), rel=1e-9)
    assert hs.suitable_methods(table, spec)[0] == hs.suitable_methods(own, "plr")[0] == "two_rates"


@pytest.mark.parametrize("metric", ["precision", "lift", "mcc"])
def test_what_depends_on_class_shares_is_refused(metric):
    """Precision and lift change with how frequent the class is."""
    with pytest.raises(hs.HowsureError, match=r"recall and false positive rate.*Delta"):
        hs.estimate(hs.from_counts(FEW), metric, method="two_rates")


@pytest.mark.parametrize("metric", ["plr", "dor", "log_nlr"])
def test_it_covers_where_few_errors_are_expected(metric):
    """With one expected error in each class, 95 % intervals by delta cover less often; these do not."""
    truth = hs.lab.Cells(np.array([[299.5, 0.5], [0.5, 99.5]]) / 400, 400)
    plain, found = (
        hs.lab.coverage(metric, method, truth=truth, draws=4000, random_state=0) for method in ("delta", "auto")
    )
    assert plain.coverage < 0.9
    assert found.coverage > 0.93


@pytest.mark.parametrize("metric", ["fnr@harmonic", "fnr@macro"])
def test_means_of_two_error_rates_move_with_either(metric):
    """On the logit scale the changes of the mean add up in squares, with either rate at its mid-p limit."""
    table = hs.from_counts([[90, 10], [6, 44]])
    found = hs.estimate(table, metric, method="two_rates")

    def place(first, second):
        mean = (first + second) / 2 if metric == "fnr@macro" else 2 / (1 / first + 1 / second)
        return special.logit(mean)

    rates, ends = (0.1, 0.12), [mid_p(10, 100, 0.95), mid_p(6, 50, 0.95)]
    moved = np.array(
        [[place(end, rates[1]) for end in ends[0]], [place(rates[0], end) for end in ends[1]]], dtype=float
    )
    away = np.sqrt(((moved - place(*rates)) ** 2).sum(0))
    expected = special.expit(place(*rates) + away * [-1, 1])
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-6)
