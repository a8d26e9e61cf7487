"""McNemar's tests equal published examples and statsmodels."""

import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference

import howsure as hs
from support.pairs import pair_of

WHOLE = st.integers(0, 60)


@pytest.mark.parametrize(
    "method, expected",
    [("asymptotic", 0.033006), ("corrected", 0.055009), ("exact", 0.052479), ("mid_p", 0.034690)],
)
def test_mcnemar_of_a_published_example(method, expected):
    """Complete response before and after consolidation: Fagerland, Lydersen, Laake (2017), chapter 8; Cavo et al. 2012."""
    assert hs.mcnemar(pair_of(59, 6, 16, 80), method=method).p_value == pytest.approx(expected, abs=5e-7)


@given(st.tuples(WHOLE, WHOLE, WHOLE, WHOLE).filter(lambda counts: sum(counts) > 1))
def test_mcnemar_equals_statsmodels(counts):
    """Exact, asymptotic and corrected p-values and statistics equal statsmodels'."""
    both, first, second, neither = counts
    table = pair_of(*counts)
    for method, options in {
        "exact": {"exact": True},
        "asymptotic": {"exact": False, "correction": False},
        "corrected": {"exact": False},
    }.items():
        if first + second == 0 and method != "exact":
            continue  # statsmodels divides by zero
        if first == second and method == "corrected":
            continue  # statsmodels corrects a difference of 0 to -1
        expected = reference([[both, first], [second, neither]], **options)
        found = hs.mcnemar(table, method=method)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert (found.only_first, found.only_second) == (first, second)


@given(WHOLE, WHOLE)
def test_mid_p_gives_half_weight_to_the_observed_count(first, second):
    """The mid-p value is both tails beyond the observed count, and half of its own probability in either."""
    n, fewer = first + second, min(first, second)
    expected = 2 * (stats.binom.cdf(fewer - 1, n, 0.5) + stats.binom.pmf(fewer, n, 0.5) / 2)
    assert hs.mcnemar(pair_of(3, first, second, 2), method="mid_p").p_value == pytest.approx(min(expected, 1), rel=1e-9)


def test_counts_are_made_a_table_first():
    """The 2 × 2 table of other packages is refused with the function that reads it, which gives the same test."""
    numbers = [[10, 5], [12, 30]]
    with pytest.raises(hs.HowsureError, match=r"`paired_counts\(\[\[both, only_a\], \[only_b, neither\]\]\)`"):
        hs.mcnemar(numbers)
    found = hs.mcnemar(hs.paired_counts(numbers), method="exact")
    assert found.p_value == pytest.approx(reference(numbers, exact=True).pvalue)
