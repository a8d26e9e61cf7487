"""The exact interval inverts the exact test, has the exact distribution of U, and covers tiny samples."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.areas.delong import hanley_mcneil_variance
from howsure.methods.areas.mann_whitney import MannWhitney, wins_distribution


def test_distribution_is_the_tests():
    """At one half every order of the cases is equally likely."""
    for m, n in ((3, 4), (6, 2), (5, 5)):
        cumulative = np.cumsum(wins_distribution(m, n, 0.5))
        for wins in range(m * n + 1):
            assert cumulative[wins] == pytest.approx(_null_cumulative(m, n)[wins], abs=1e-12)


def _null_cumulative(m, n):
    """Return the cumulative distribution of U by listing every placement of the positive cases."""
    counts = np.zeros(m * n + 1)
    for places in combinations(range(m + n), m):
        counts[sum(place - index for index, place in enumerate(places))] += 1
    return np.cumsum(counts) / counts.sum()


def test_distribution_is_savages():
    """Elsewhere an order's probability is a product of shares of hazards (Savage 1956), added up over all orders."""
    m, n, area = 2, 3, 0.8
    hazards = np.array([1 - area] * m + [area] * n)
    expected = np.zeros(m * n + 1)
    for order in permutations(range(m + n)):
        left = hazards[list(order)]
        probability = np.prod(left / np.cumsum(left[::-1])[::-1])
        wins = sum(1 for i, first in enumerate(order) for second in order[i + 1 :] if first >= m > second)
        expected[wins] += probability
    assert wins_distribution(m, n, area) == pytest.approx(expected)


def test_moments_are_hanley_and_mcneils():
    """Lehmann's alternatives are exponential scores up to a transform: Hanley and McNeil's mean and variance."""
    area = 0.7
    for m, n in ((7, 4), (4, 7)):
        share = wins_distribution(m, n, area)
        wins = np.arange(m * n + 1) / (m * n)
        assert share.sum() == pytest.approx(1)
        assert share @ wins == pytest.approx(area)
        assert share @ (wins - area) ** 2 == pytest.approx(hanley_mcneil_variance(area, m, n))


@pytest.mark.thorough
def test_interval_holds_one_half_when_the_test_does_not_reject():
    """Interval and SciPy's exact two-sided test agree, at several levels."""
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(40):
        m, n = rng.integers(3, 9, 2)
        high, low = rng.normal(0.9, size=m), rng.normal(size=n)
        p_value = stats.mannwhitneyu(high, low, method="exact").pvalue
        table = hs.scores([1] * m + [0] * n, np.concatenate([high, low]))
        for level in (0.8, 0.95):
            _, limits = hs.estimate(table, "roc_auc", method="mann_whitney", confidence_level=level)
            assert (limits[0] <= 0.5 <= limits[1]) == (p_value > 1 - level)
            seen.add(p_value > 1 - level)
    assert seen == {True, False}


def test_limits_solve_their_equations_and_mirror():
    """At each limit a U as far off has half the remaining probability; reversed scores give the mirrored interval."""
    truth, score = [0] * 6 + [1] * 4, [1, 2, 3, 5, 7, 9, 4, 6, 8, 10]
    value, (low, high) = hs.estimate(hs.scores(truth, score), "roc_auc", method=MannWhitney())
    wins = round(value * 24)
    tails = [wins_distribution(*sizes, low)[wins:].sum() for sizes in ((4, 6), (6, 4))]
    assert max(tails) == pytest.approx(0.025)
    tails = [wins_distribution(*sizes, high)[: wins + 1].sum() for sizes in ((4, 6), (6, 4))]
    assert max(tails) == pytest.approx(0.025)
    reversed_ = hs.estimate(hs.scores(truth, np.negative(score)), "roc_auc", method=MannWhitney())
    assert (reversed_.low, reversed_.high) == pytest.approx((1 - high, 1 - low))


def test_ties_separation_and_equal_scores():
    """Ties widen the interval, separated classes have a one-sided one, and equal scores give little information."""
    tied = hs.estimate(hs.scores([0, 0, 1, 1], [1, 2, 2, 3]), "roc_auc", method=MannWhitney())
    assert tied.low < hs.estimate(hs.scores([0, 0, 1, 1], [1, 2, 3, 4]), "roc_auc", method=MannWhitney()).low
    separated = hs.estimate(hs.scores([0] * 5 + [1] * 5, range(10)), "roc_auc", method=MannWhitney())
    assert separated.high == 1
    assert 0.4 < separated.low < 0.8
    equal = hs.estimate(hs.scores([0, 1] * 4, [3] * 8), "roc_auc", method=MannWhitney())
    assert (equal.low + equal.high) / 2 == pytest.approx(0.5)
    assert equal.high - equal.low > 0.7


@pytest.mark.parametrize(
    "table, metric, words",
    [
        (hs.scores([0, 1, 0], [1, 2, 3], sample_weight=[1, 2, 1]), "roc_auc", "independent"),
        (hs.scores([0, 1, 0], [1, 2, 3], groups=[1, 2, 1]), "roc_auc", "independent"),
        (hs.scores([0, 1] * 50, range(100)), "roc_auc", "1600 pairs"),
        (hs.scores([0, 1], [1, 2]), "ap", "MannWhitney"),
    ],
)
def test_unfit_requests_are_refused(table, metric, words):
    """The error names an alternative."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, metric, method="mann_whitney")


def coverage(area, sizes, repeats, seed):
    """Return the coverage of the exact interval for normal scores with this area."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], sizes)
    shift = np.sqrt(2) * stats.norm.ppf(area)
    inside = 0
    for _ in range(repeats):
        _, (low, high) = hs.estimate(hs.scores(truth, rng.normal(truth * shift)), "roc_auc", method=MannWhitney())
        inside += low <= area <= high
    return inside / repeats


@pytest.mark.thorough
def test_coverage_in_brief():
    """With four cases of each class the interval of normal scores covers at least 95 %, within noise (150 samples)."""
    assert coverage(0.85, (4, 4), 150, 5) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3, 3), (5, 5), (10, 4), (4, 10)])
@pytest.mark.parametrize("area", [0.6, 0.8, 0.9, 0.95])
def test_coverage(sizes, area):
    """The same for several sizes and areas, at least 94 % (2 000 samples)."""
    assert coverage(area, sizes, 2000, 6) >= 0.94


def test_the_interval_holds_the_value_at_low_levels_too():
    """With 199 of 200 pairs the limits at level 0.5 are below the value; the interval is extended to contain it."""
    truth = [1] * 20 + [0] * 10
    score = [*range(11, 30), 9.5, *range(10)]
    table = hs.scores(truth, [value if value != 9.5 else 8.5 for value in score])
    found = hs.estimate(table, "roc_auc", method="mann_whitney", confidence_level=0.5)
    assert found.value == pytest.approx(0.995)
    assert found.low < found.value <= found.high


def test_one_pair_that_is_won_bounds_the_area_from_below():
    """Of six pairs one is won: the lower limit is where one or more of them are in a fortieth of studies."""
    table = hs.scores([0, 0, 0, 1, 1], [0.2, 0.5, 0.6, 0.3, 0.1])
    found = hs.estimate(table, "roc_auc", method="mann_whitney")
    assert found.value == pytest.approx(1 / 6)
    chances = [1 - wins_distribution(*sizes, found.low)[0] for sizes in ((2, 3), (3, 2))]
    assert found.low > 0
    assert max(chances) == pytest.approx(0.025, rel=1e-5)
