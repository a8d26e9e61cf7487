"""Score intervals for paired shares equal published examples."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, stats

import howsure as hs
from howsure.methods.numerics.binomial import wilson, wilson_cc
from howsure.methods.proportions.paired_proportions import NamBlackwelder, NewcombePaired, NewcombePairedCC, Tango
from howsure.metrics.contrast import PairCounts
from support.pairs import pair_of


@pytest.mark.parametrize(
    "counts, tango, newcombe",
    [
        ((59, 6, 16, 80), (-0.1240, -0.0054), (-0.1186, -0.0046)),  # Cavo et al. 2012
    ],
)
def test_intervals_of_published_examples(counts, tango, newcombe):
    """Tango's and Newcombe's intervals of Fagerland, Lydersen and Laake's examples (2014, 2017)."""
    table = pair_of(*counts)
    for method, expected in (("tango", tango), ("newcombe_paired", newcombe)):
        found = hs.compare(table, "accuracy", method=method)
        assert (found.low, found.high) == pytest.approx(expected, abs=6e-5)


def test_a_correlation_within_its_continuity_correction_is_none():
    """Newcombe's φ is 0 where 0 ≤ ad − bc ≤ n / 2: the limits are those of independent Wilson intervals."""
    found = hs.compare(pair_of(5, 4, 4, 4), "accuracy", method="newcombe_paired")  # 5·4 − 4·4 = 4, n / 2 = 8.5
    low, high = wilson(9, 17, 0.95)
    reach = np.hypot(9 / 17 - low, high - 9 / 17)
    assert (found.low, found.high) == pytest.approx((-reach, reach), rel=1e-9)


@pytest.mark.parametrize(
    "counts, expected",
    [
        ((59, 6, 16, 80), (0.7476, 0.9876)),  # Cavo et al. 2012
        ((1, 1, 7, 12), (0.0653, 0.9069)),  # Bentur et al. 2009
    ],
)
def test_the_score_interval_of_a_ratio_of_published_examples(counts, expected):
    """The limits equal Tang's asymptotic score interval in Fagerland, Lydersen and Laake's book (2017, chapter 8)."""
    found = hs.compare(pair_of(*counts), "accuracy", contrast="ratio")
    assert found.method == "nam_blackwelder"
    assert (found.low, found.high) == pytest.approx(expected, abs=6e-5)


def score_by_search(both, first, second, ratio):
    """Return the score statistic at a ratio, with the most likely cell probabilities found by numerical search."""
    m = both + first + second

    def loss(q):
        cells = np.array([(1 - (1 + ratio) * q) / ratio, (q - 1 + ratio) / ratio, q])
        return -stats.multinomial.logpmf([both, first, second], m, np.maximum(cells, 1e-300) / cells.sum())

    best = optimize.minimize_scalar(loss, bounds=(max(0, 1 - ratio), 1 / (1 + ratio)), options={"xatol": 1e-12})
    return (both + first - ratio * (both + second)) / np.sqrt(m * ((1 + ratio) * best.x - 1 + ratio))


@pytest.mark.parametrize("counts", [(20, 3, 5), (2, 7, 1), (40, 1, 9), (5, 5, 5)])
@pytest.mark.parametrize("ratio", [0.4, 0.9, 1.3, 3.0])
def test_the_score_of_a_ratio_has_the_most_likely_probabilities(counts, ratio):
    """The closed form equals a numerical search for the restricted maximum of the likelihood."""
    both, first, second = counts
    found = float(NamBlackwelder.score(PairCounts(both, first, second, 3), ratio))
    assert found == pytest.approx(score_by_search(both, first, second, ratio), rel=1e-5)


numbers = st.integers(0, 200)


@given(numbers, numbers, numbers, numbers, st.floats(0.05, 20))
def test_scores_of_a_ratio_are_symmetric_and_those_of_mcnemar_at_one(both, first, second, neither, ratio):
    """Swapped models have the reciprocal ratio and the opposite score; at a ratio of 1 the score is that of no difference."""
    counts, swapped = PairCounts(both, first, second, neither), PairCounts(both, second, first, neither)
    assert NamBlackwelder.score(counts, ratio) == pytest.approx(
        -NamBlackwelder.score(swapped, 1 / ratio), rel=1e-6, abs=1e-6
    )
    assert NamBlackwelder.score(counts, 1.0) == pytest.approx(Tango.score(counts, 0.0), rel=1e-9, abs=1e-9)


def test_a_ratio_of_few_cases_has_the_p_value_of_mcnemar():
    """Six cases that only the first gets right and one that both do: the test is McNemar's asymptotic one."""
    found = hs.compare(hs.paired_counts([[1, 6], [0, 0]]), "accuracy", contrast="ratio")
    assert found.p_value == pytest.approx(stats.chi2.sf(6, 1), rel=1e-9)
    assert found.low > 1
    assert found.value == 7


def test_a_ratio_to_zero_is_undefined_and_one_of_zero_starts_at_zero():
    """Where the second model is never right the ratio has a reason; where the first is not, the lower limit is 0."""
    undefined = hs.compare(hs.paired_counts([[0, 3], [0, 5]]), "accuracy", contrast="ratio")
    assert np.isnan([undefined.value, undefined.low, undefined.high]).all()
    assert "second" in undefined.reason
    never = hs.compare(hs.paired_counts([[0, 0], [3, 5]]), "accuracy", contrast="ratio")
    assert (never.value, never.low) == (0, 0)
    assert 1 < never.high < 2


def tango_by_search(first, second, total, difference):
    """Return the score statistic at a difference, with the most likely cell probabilities found by numerical search."""

    def loss(q):
        rest = total - first - second
        cells = np.maximum([q + difference, q, 1 - 2 * q - difference], 1e-300)
        return -(np.array([first, second, rest]) * np.log(cells)).sum()

    ends = max(0.0, -difference), (1 - difference) / 2
    best = optimize.minimize_scalar(loss, bounds=ends, options={"xatol": 1e-12}).x
    return (first - second - total * difference) / np.sqrt(total * (2 * best + difference * (1 - difference)))


@pytest.mark.parametrize("counts", [(20, 3, 5, 4), (2, 7, 1, 30), (5, 5, 5, 5)])
@pytest.mark.parametrize("difference", [-0.4, -0.05, 0.1, 0.6])
def test_the_score_of_a_difference_has_the_most_likely_probabilities(counts, difference):
    """The closed form equals a numerical search for the restricted maximum of the likelihood."""
    _, first, second, _ = counts
    found = float(Tango.score(PairCounts(*counts), difference))
    assert found == pytest.approx(tango_by_search(first, second, sum(counts), difference), rel=1e-5)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "counts", [(20, 3, 5, 4), (9, 0, 4, 2), (1, 6, 0, 0), (0, 0, 0, 8), (12, 0, 0, 0), (0, 5, 0, 0)]
)
def test_limits_have_the_quantile_as_their_score(counts, level):
    """The score is the normal quantile at each limit that is inside the range, and not beyond it at the end of the range."""
    z = stats.norm.ppf((1 + level) / 2)
    low, high = (float(each) for each in Tango().limits(PairCounts(*counts), level))
    for limit, sign, end in ((low, 1, -1), (high, -1, 1)):
        score = float(Tango.score(PairCounts(*counts), limit)) * sign
        assert score <= z + 1e-6 if limit == end else score == pytest.approx(z, rel=1e-6)
    if counts[0]:
        low, high = (float(each) for each in NamBlackwelder().limits(PairCounts(*counts), level))
        for limit, sign in ((low, 1), (high, -1)):
            if 0 < limit < np.inf:
                assert sign * float(NamBlackwelder.score(PairCounts(*counts), limit)) == pytest.approx(z, rel=1e-5)
        assert low < (counts[0] + counts[1]) / (counts[0] + counts[2]) < high or low == 0


@pytest.mark.parametrize("counts", [(41, 17, 6, 12), (20, 3, 5, 4), (3, 9, 8, 2), (0, 7, 4, 0), (9, 0, 0, 4)])
def test_newcombes_limits_are_squares_added(counts):
    """Methods 9 and 10: Wilson's limits with and without continuity correction, and φ, in the latter reduced by n / 2."""
    both, first, second, neither = counts
    n, hits = sum(counts), np.array([both + first, both + second])
    p, q = hits / n
    determinant = both * neither - first * second
    product = np.sqrt(float(np.prod([*hits, *(n - hits)])))
    for method, single, numerator in (
        (NewcombePaired, wilson, max(determinant - n / 2, 0) if determinant > 0 else determinant),
        (NewcombePairedCC, wilson_cc, determinant),
    ):
        (a, c), (b, d) = single(hits, n, 0.9)
        phi = numerator / product if product else 0.0
        low = p - q - np.sqrt((p - a) ** 2 - 2 * phi * (p - a) * (d - q) + (d - q) ** 2)
        high = p - q + np.sqrt((b - p) ** 2 - 2 * phi * (b - p) * (q - c) + (q - c) ** 2)
        found = [float(each) for each in method().limits(PairCounts(*counts), 0.9)]
        assert found == pytest.approx([low, high], rel=1e-9)


@pytest.mark.parametrize("counts", [(41, 17, 6, 12), (2, 7, 1, 30), (0, 5, 3, 0), (6, 3, 6, 2)])
def test_the_p_value_of_no_difference_is_mcnemars(counts):
    """It is that of (b − c)² / (b + c), for the difference and, with successes of both, for the ratio."""
    _, first, second, _ = counts
    expected = stats.chi2.sf((first - second) ** 2 / (first + second), 1)
    found = hs.compare(pair_of(*counts), "accuracy", method="tango")
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    found = hs.compare(pair_of(*counts), "accuracy", contrast="ratio")
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    p, q = (counts[0] + first) / sum(counts), (counts[0] + second) / sum(counts)
    assert found.value == pytest.approx(p / q)


def test_without_a_case_there_is_the_reason():
    """No positive case: no recall, no limits and no p-value, next to a group that has them."""
    truth, said = np.r_[np.zeros(6, int), np.tile([0, 1], 10)], np.arange(26) % 3 % 2
    by = np.repeat(["none", "some"], [6, 20])
    table = hs.paired(truth, {"A": said, "B": np.roll(said, 1)}, by=by, labels=[0, 1])
    found = hs.compare(table, "recall", method="tango")
    none, some = found["none"], found["some"]
    assert np.isnan([none.low, none.high, none.p_value]).all()
    assert none.reason
    alone = hs.compare(
        hs.paired(truth[6:], {"A": said[6:], "B": np.roll(said, 1)[6:]}, labels=[0, 1]), "recall", method="tango"
    )
    assert [some.low, some.high, some.p_value] == pytest.approx([alone.low, alone.high, alone.p_value], rel=1e-9)
    assert some.reason == ""
