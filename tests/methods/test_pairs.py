"""Score intervals for paired shares equal published examples."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, stats

import howsure as hs
from howsure.methods.binomial import wilson
from howsure.methods.pairs import NamBlackwelder, Tango
from howsure.metrics.contrast import PairCounts


def table_of(both, first, second, neither):
    """Return the paired table of two models that are right so often together, alone, and not at all."""
    numbers = [both, first, second, neither]
    truth = np.arange(sum(numbers)) % 2
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], numbers, axis=0)
    said = np.where(right == 1, truth[:, None], 1 - truth[:, None])
    return hs.paired(truth, {"A": said[:, 0], "B": said[:, 1]}, labels=[0, 1])


@pytest.mark.parametrize(
    "counts, tango, newcombe",
    [
        ((59, 6, 16, 80), (-0.1240, -0.0054), (-0.1186, -0.0046)),  # Cavo et al. 2012
    ],
)
def test_intervals_of_published_examples(counts, tango, newcombe):
    """Tango's and Newcombe's intervals of Fagerland, Lydersen and Laake's examples (2014, 2017)."""
    table = table_of(*counts)
    for method, expected in (("tango", tango), ("newcombe_paired", newcombe)):
        found = hs.compare(table, "accuracy", method=method)
        assert (found.low, found.high) == pytest.approx(expected, abs=6e-5)


def test_a_correlation_within_its_continuity_correction_is_none():
    """Newcombe's φ is 0 where 0 ≤ ad − bc ≤ n / 2: the limits are those of independent Wilson intervals."""
    found = hs.compare(table_of(5, 4, 4, 4), "accuracy", method="newcombe_paired")  # 5·4 − 4·4 = 4, n / 2 = 8.5
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
    found = hs.compare(table_of(*counts), "accuracy", contrast="ratio")
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
