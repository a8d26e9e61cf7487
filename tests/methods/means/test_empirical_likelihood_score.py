"""The score interval of a mean: its definition, the special cases with names, and its error rates."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize, stats

import howsure as hs
from howsure.methods.means.empirical_likelihood import Units, reaches, score_limits, score_statistic, support_of
from howsure.methods.means.empirical_likelihood_score import _student_of

NAME = "empirical_likelihood_score"


def wilson(hits, n, z):
    """Return Wilson's limits, by their formula."""
    centre, half = (hits + z * z / 2) / (n + z * z), z / (n + z * z) * np.sqrt(hits * (n - hits) / n + z * z / 4)
    return centre - half, centre + half


def by_brute_force(totals, sizes, support, null):
    """Return T² = (Σ e)² / (G V), with the weights of largest likelihood by a general optimiser."""
    typical = (sizes**2).sum() / sizes.sum()
    e = totals - null * sizes
    ends = typical * (np.array(support) - null)
    every, count = np.append(e, ends), len(e)
    start = np.full(len(every), 1 / len(every))
    found = optimize.minimize(
        lambda q: -np.log(q[:count]).sum(),
        start,
        jac=lambda q: np.append(-1 / q[:count], [0, 0]),
        bounds=[(1e-9, 1)] * count + [(0, 1)] * 2,
        constraints=[{"type": "eq", "fun": lambda q: q.sum() - 1}, {"type": "eq", "fun": lambda q: q @ every}],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    )
    return e.sum() ** 2 / (count * (found.x @ every**2))


@pytest.mark.parametrize("seed", range(6))
def test_the_statistic_equals_its_definition(seed):
    """The weights maximise the likelihood on the units and the ends of the support, and give the variance."""
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.5, 2, 9)
    totals = sizes * rng.choice([0.0, 0.5, 1.0], 9, p=[0.2, 0.2, 0.6])
    units = Units.of(totals, sizes, np.ones(9))
    support = support_of(units, (0.0, 1.0), is_difference=False)
    for null in (0.7 * units.mean, (1 + units.mean) / 2):
        expected = by_brute_force(totals, sizes, support, null)
        assert score_statistic(units, support, null) ** 2 == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize("hits, n", [(0, 8), (3, 8), (7, 8), (8, 8), (29, 30), (500, 1000)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_two_values_have_wilsons_interval(hits, n, level):
    """For 0 and 1 the score test's variance is θ (1 − θ) / n."""
    x = np.arange(n) < hits
    found = hs.estimate(hs.values(x * 1.0, bounds=(0, 1)), "mean", method=NAME, confidence_level=level)
    expected = wilson(hits, n, stats.norm.ppf(0.5 + level / 2))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "counts", [(20, 0, 4, 6), (20, 7, 4, 9), (0, 12, 0, 0), (5, 3, 3, 1), (30, 0, 0, 10), (900, 30, 55, 15)]
)
def test_paired_scores_of_0_and_1_have_tangos_interval_and_mcnemars_test(counts):
    """The interval is Tango's at every level, and p at 0 is that of McNemar's statistic (b − c)² / (b + c)."""
    first, second = (np.repeat(each, counts) for each in ([1.0, 1, 0, 0], [1.0, 0, 1, 0]))
    table = hs.values({"a": first, "b": second}, bounds=(0, 1))
    for level in (0.8, 0.95, 0.99):
        own, tango = (hs.compare(table, "mean", method=each, confidence_level=level) for each in (NAME, "tango"))
        assert (own.low, own.high) == pytest.approx((tango.low, tango.high), abs=1e-8)
    _, b, c, _ = counts
    expected = stats.chi2.sf((b - c) ** 2 / (b + c), 1) if b + c else 1.0
    assert hs.compare(table, "mean", method=NAME).p_value == pytest.approx(expected, abs=1e-12)


def test_equal_items_with_half_marks_change_nothing():
    """Among 40 items 8 are worse and none better: McNemar's p, for any common value on the others."""
    for others in (1.0, 0.5):
        second = np.ones(40)
        second[:4] = others
        first = second.copy()
        first[4:12] = 0.0
        found = hs.compare(hs.values({"a": first, "b": second}, bounds=(0, 1)), "mean")
        assert found.p_value == pytest.approx(stats.chi2.sf(8, 1))


def examples():
    """Return tables of pairs: half marks, grades, runs, clusters, weights, and values without bounds."""
    rng = np.random.default_rng(7)
    half = rng.choice([0, 0.5, 1], (2, 40), p=[0.1, 0.1, 0.8])
    grades = rng.integers(1, 6, 30)
    close = np.clip(grades + rng.choice([-1, 0, 1], 30, p=[0.05, 0.8, 0.15]), 1, 5)
    right = rng.random((2, 90)) < 0.7
    yield hs.values({"a": half[0], "b": half[1]}, bounds=(0, 1))
    yield hs.values({"a": close, "b": grades}, bounds=(1, 5))
    yield hs.trials(right.ravel(), task=np.tile(np.repeat(np.arange(30), 3), 2), model=np.repeat(["a", "b"], 90))
    yield hs.values({"a": right[0] * 1.0, "b": right[1] * 1.0}, bounds=(0, 1), groups=np.repeat(np.arange(30), 3))
    yield hs.values({"a": half[0], "b": half[1]}, bounds=(0, 1), sample_weight=rng.lognormal(size=40))
    yield hs.values({"a": rng.lognormal(size=20), "b": rng.lognormal(size=20)})


@pytest.mark.parametrize("table", [*examples()], ids=["half", "grades", "runs", "clusters", "weights", "unbounded"])
def test_p_values_and_limits_agree(table):
    """At each limit of the interval the p-value is 1 minus its level, and exchanging the models changes the signs."""
    for level in (0.6, 0.95, 0.99):
        found = hs.compare(table, "mean", confidence_level=level)
        assert found.method == NAME
        for limit in (found.low, found.high):
            assert found.limits.p_value(limit) == pytest.approx(1 - level, rel=1e-6)
        back = hs.compare(table, "mean", a="b", b="a", confidence_level=level)
        assert (back.low, back.high) == pytest.approx((-found.high, -found.low), rel=1e-9)


def test_units_of_one_case_are_cases():
    """Clusters of one case, equal weights and repeated runs of one outcome leave the interval as it is."""
    x = np.random.default_rng(3).choice([0, 0.5, 1], 30, p=[0.2, 0.2, 0.6])
    plain = hs.estimate(hs.values(x, bounds=(0, 1)), "mean")
    assert plain.method == NAME
    for other in ({"groups": np.arange(30)}, {"sample_weight": np.full(30, 3.0)}):
        found = hs.estimate(hs.values(x, bounds=(0, 1), **other), "mean")
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


def test_the_interval_moves_with_the_scale():
    """Values in other units give the limits in these units."""
    x = np.random.default_rng(4).lognormal(size=25)
    plain, moved = (hs.estimate(hs.values(each), "mean") for each in (x, 1000 * x + 5))
    assert (moved.low, moved.high) == pytest.approx((1000 * plain.low + 5, 1000 * plain.high + 5), rel=1e-9)


def test_equal_values_leave_room_within_the_bounds():
    """Equal values have the limits of z² more cases at a bound; without bounds a reason names what is missing."""
    z2 = stats.norm.ppf(0.975) ** 2
    found = hs.estimate(hs.values(np.full(15, 0.8), bounds=(0, 1)), "mean")
    assert (found.low, found.high) == pytest.approx((0.8 * 15 / (15 + z2), (0.8 * 15 + z2) / (15 + z2)))
    unbounded = hs.estimate(hs.values(np.ones(15)), "mean")
    assert np.isnan(unbounded.low)
    assert "bounds" in unbounded.reason
    assert "a single case" in hs.estimate(hs.values([0.5], bounds=(0, 1)), "mean").reason
    same = np.linspace(0, 1, 20)
    equal = hs.compare(hs.values({"a": same, "b": same}, bounds=(0, 1)), "mean")
    assert equal.low == pytest.approx(-z2 / (20 + z2))
    assert equal.p_value == 1


def test_extreme_levels_and_values_stay_within_the_bounds():
    """At levels next to 1 the limits approach the bounds; tiny and huge values, and one that is far out, are fine."""
    x = np.array([0.0] * 19 + [1.0, 0.5])
    found = hs.estimate(hs.values(x, bounds=(0, 1)), "mean", confidence_level=1 - 1e-12)
    assert 0 <= found.low < found.value < found.high < 1
    for scale in (1e-80, 1e80):
        small = hs.estimate(hs.values([*x[:5].tolist(), scale, 2 * scale, 3 * scale]), "mean")
        assert small.low < small.value < small.high
    outlier = hs.estimate(hs.values(np.append(np.linspace(0, 1, 50), 1e6)), "mean")
    assert outlier.low < 0.5
    assert outlier.high > 1e6 / 51


def test_stratified_values_have_another_method():
    """Strata of known size are not a single sample, and the message states this."""
    table = hs.values([0.2, 0.4, 0.5, 0.9], bounds=(0, 1), strata=[0, 0, 1, 1], stratum_sizes={0: 10, 1: 30})
    with pytest.raises(hs.HowsureError, match="one sample of cases or clusters"):
        hs.estimate(table, "mean", method=NAME)


STUDIES = {  # differences of equally good models, with the bounds of the scores
    "right, half, wrong": (lambda rng: rng.choice([-1, -0.5, 0, 0.5, 1], 40, p=[0.02, 0.03, 0.9, 0.03, 0.02]), 1),
    "grades": (lambda rng: rng.choice(5, (2, 50), p=[0.02, 0.03, 0.1, 0.25, 0.6]) * (rng.random(50) < 0.15), 4),
    "runs": (lambda rng: rng.binomial(3, rng.beta(2, 0.3, 30), (2, 30)) / 3, 1),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_equal_models_are_seldom_told_apart(name):
    """Few p-values are small: p < 0.05 in at most 6 % of studies and p < 0.01 in at most 1.6 %, up to noise."""
    rng, found = np.random.default_rng(11), []
    draw, most = STUDIES[name]
    for _ in range(1000):
        drawn = draw(rng)
        units = Units.of(
            drawn[0] - drawn[1] if drawn.ndim == 2 else drawn, np.ones(drawn.shape[-1]), np.ones(drawn.shape[-1])
        )
        support = support_of(units, (-most, most), is_difference=True)
        found.append(2 * stats.norm.sf(score_statistic(units, support, 0.0)))
    for level, wanted in ((0.05, 0.06), (0.01, 0.016)):
        assert np.mean(np.array(found) < level) <= wanted + 2.5 * np.sqrt(wanted / 1000)


def test_limits_are_far_enough_at_the_end_of_the_support():
    """A limit is at least as far out as the mean with z² more units at the end."""
    units = Units.of(np.array([0.2, 0.3]), np.ones(2), np.array([1.0, 4.0]))
    low, high = score_limits(units, (0.0, 1.0), 2.0)
    assert low <= units.mean * 5 / 9 + 1e-12
    assert high >= (units.mean * 5 + 4) / 9 - 1e-12


def reach_of(totals, sizes, sign):
    """Return the farther of two: the root mean square off the median, and the standard deviation with the tail's part."""
    typical = (sizes**2).sum() / sizes.sum()
    values = totals / sizes
    median = np.median(values)  # of an odd number of units
    apart = ((totals - median * sizes) / typical)[values != median]
    off = (totals - totals.sum() / sizes.sum() * sizes) / typical
    second, third = (off**2).mean(), (off**3).mean()
    return max(np.sqrt((apart**2).mean()), np.sqrt(second) + max(sign * third / second, 0.0))


@pytest.mark.parametrize("skewed", [-1.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_support_reaches_as_far_as_its_two_rules(seed, skewed):
    """One side has the standard deviation with third moment over variance, the other one the deviation from the median."""
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.5, 2.0, 41)
    totals = sizes * (3.0 + skewed * rng.gamma(0.7, 2.0, 41))
    found = reaches(Units.of(totals, sizes, np.ones(41)))
    assert found == pytest.approx((reach_of(totals, sizes, -1.0), reach_of(totals, sizes, 1.0)), rel=1e-12)
    assert np.argmax(found) == (skewed > 0)


def test_the_support_of_differences_ends_at_the_largest_one():
    """Towards 0 differences end at the largest magnitude; a largest one that occurs twice ends the support both ways."""
    once = Units.of(np.array([-0.6, 0.3, 0.2, 0.9, 0.4]), np.ones(5), np.ones(5))
    twice = Units.of(np.array([-0.9, 0.3, 0.2, 0.9, 0.4]), np.ones(5), np.ones(5))
    free = (-np.inf, np.inf)
    low, high = support_of(once, free, is_difference=False)
    assert low < -0.9
    assert high > 0.9
    assert support_of(once, free, is_difference=True) == (-0.9, high)
    assert support_of(twice, free, is_difference=True) == pytest.approx((-0.9, 0.9), abs=1e-12)
    assert support_of(twice, free, is_difference=False)[0] < -0.9


@pytest.mark.parametrize("z", [0.3, 1.96, 3.3])
def test_limits_are_exact_roots(z):
    """At a limit Σ 1 / (1 + λ e) = G with λ = z² / Σ e, to the last digits."""
    rng = np.random.default_rng(1)
    sizes = rng.uniform(0.5, 2.0, 30)
    totals = sizes * rng.beta(0.7, 0.4, 30)
    units = Units.of(totals, sizes, np.ones(30))
    for limit in score_limits(units, support_of(units, (0.0, 1.0), is_difference=False), z):
        e = totals - limit * sizes
        assert (1 / (1 + z * z / e.sum() * e)).sum() == pytest.approx(30, abs=1e-9)


def test_differences_have_the_error_and_the_effective_number_of_their_units():
    """Heavy units in favour of either model are as likely to be missed: Student's t has Kish's number less one."""
    weight = np.array([1.0, 2.0, 0.5, 4.0])
    units = Units.of(weight * np.array([0.3, -0.2, 0.9, 0.1]), weight, np.ones(4))
    error, freedom = _student_of(SimpleNamespace(contrast=object()), None, units)
    assert freedom == pytest.approx(weight.sum() ** 2 / (weight**2).sum() - 1)
    mean = weight @ [0.3, -0.2, 0.9, 0.1] / 7.5
    squares = (weight * (np.array([0.3, -0.2, 0.9, 0.1]) - mean)) ** 2
    assert error == pytest.approx(np.sqrt(4 / 3 * squares.sum()) / 7.5)
