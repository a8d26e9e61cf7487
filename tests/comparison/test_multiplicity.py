"""Adjusted p-values, and simultaneous differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from statsmodels.stats.multitest import multipletests

import howsure as hs
from howsure.comparison.multiplicity import adjusted_p_values, simultaneous_differences


@settings(max_examples=40)
@given(
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12),
    st.sampled_from(["holm", "fdr_bh", "bonferroni"]),
)
def test_adjusted_like_statsmodels(p_values, correction):
    """Holm, Benjamini–Hochberg and Bonferroni are statsmodels'."""
    expected = multipletests(p_values, method=correction)[1]
    np.testing.assert_allclose(adjusted_p_values(p_values, correction), expected, rtol=1e-12)


def test_undefined_p_values_do_not_count():
    """A comparison without a p-value makes the others no less certain."""
    np.testing.assert_allclose(adjusted_p_values([0.01, np.nan, 0.04]), [0.02, np.nan, 0.04])


@pytest.mark.thorough
def test_simultaneous_intervals_hold_together():
    """All ten differences of five correlated means are in their intervals in 95 % of the studies."""
    rng = np.random.default_rng(5)
    truth = np.array([0.0, 0.1, 0.1, 0.4, 1.0])
    mixing = rng.normal(size=(5, 5)) + np.eye(5)
    covariance = mixing @ mixing.T / 40
    studies, held, alone = 600, 0, 0
    differences = truth[:, None] - truth
    off = ~np.eye(5, dtype=bool)
    for _ in range(studies):
        observed = rng.multivariate_normal(truth, covariance)
        draws = rng.multivariate_normal(observed, covariance, 1000).T
        named = {str(i): row for i, row in enumerate(draws)}
        found = simultaneous_differences(named, {str(i): value for i, value in enumerate(observed)})
        inside = (found.low <= differences) & (differences <= found.high)
        held += inside[off].all()
        ranges = found.rank_sets()
        best = [1 + (truth > value).sum() for value in truth]
        worst = [5 - (truth < value).sum() for value in truth]
        alone += all(ranges[str(i)][0] <= best[i] and worst[i] <= ranges[str(i)][1] for i in range(5))
    error = np.sqrt(0.95 * 0.05 / studies)
    assert abs(held / studies - 0.95) < 4 * error
    assert alone / studies > 0.95 - 4 * error


def test_one_pair_is_the_plain_test():
    """With two models the interval is the normal interval, and the p-value the two-sided one."""
    rng = np.random.default_rng(3)
    draws = {"A": rng.normal(0.3, 0.1, 200_000), "B": rng.normal(0.0, 0.1, 200_000)}
    found = simultaneous_differences(draws, {"A": 0.3, "B": 0.0})
    assert found.critical == pytest.approx(1.96, abs=0.02)
    assert found.p_value[0, 1] == pytest.approx(0.0339, abs=0.003)  # 2 * (1 - Phi(0.3 / sqrt(0.02)))


def test_equal_models_have_no_interval():
    """Two models that never differ have no standard error, hence no interval and no p-value."""
    same = np.random.default_rng(0).normal(size=50)
    found = simultaneous_differences({"A": same, "B": same, "C": same[::-1]})
    assert np.isnan(found.low[0, 1])
    assert np.isnan(found.p_value[0, 1])
    assert np.isfinite(found.low[0, 2])


def test_unknown_corrections_are_refused():
    """A wrong name comes back with the nearest known one, a wrong p-value with its range."""
    with pytest.raises(hs.HowsureError, match="holm"):
        adjusted_p_values([0.1], "holms")
    with pytest.raises(hs.HowsureError, match="outside"):
        adjusted_p_values([1.1])


def test_shown_as_tables():
    """Text and frames contain one row per pair."""
    differences = simultaneous_differences({"A": [0.9, 0.8, 0.7], "B": [0.5, 0.9, 0.1]})
    assert "A − B" in str(differences)
    assert differences.to_pandas()["a"].tolist() == ["A"]


@pytest.mark.parametrize("values", [int, 3, [1, 2], {"A": 1}, {"A": 1, "B": 2, "C": 3}, {"A": 1, "B": "x"}])
def test_stated_values_are_one_number_for_each_model(values):
    """Other values are refused by the name of the argument."""
    draws = {"A": [1, 2, 3.0], "B": [2, 2, 1.0]}
    with pytest.raises(hs.HowsureError, match="`values"):
        simultaneous_differences(draws, values=values)
    found = simultaneous_differences(draws, values={"A": 5, "B": 3})
    assert found.value[0, 1] == 2
