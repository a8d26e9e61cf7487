"""Proportions from their two counts."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import howsure as hs


@pytest.mark.parametrize(
    "method, theirs",
    [("wilson", "wilson"), ("beta", "beta"), ("jeffreys", "jeffreys"), ("wald", "normal"), ("agresti_coull",) * 2],
)
@pytest.mark.parametrize("k, n", [(3, 20), (42, 47), (1, 200)])
def test_intervals_of_counts_are_statsmodels(method, theirs, k, n):
    """The intervals of statsmodels' `proportion_confint` follow from the same counts."""
    found, expected = hs.proportion(k, n, method=method), proportion_confint(k, n, method=theirs)
    assert found == k / n
    assert found.metric == "proportion"
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


def test_the_posterior_of_a_proportion_is_jeffreys():
    """Posterior draws come from Beta(k + 1/2, n − k + 1/2)."""
    found = hs.proportion(3, 20, method="bayes", random_state=0)
    assert found.draws.mean() == pytest.approx(3.5 / 21, abs=0.004)


@pytest.mark.parametrize(
    "k, n, words",
    [(5, 4, "beyond `n` = 4"), (3.5, 9, "whole number"), (-1, 9, "at least 0"), (0, 0, "`n` must be")],
)
def test_counts_that_are_none_are_refused(k, n, words):
    """Counts are whole, k is at most n, and there is a trial."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.proportion(k, n)


def test_numpys_numbers_are_counts():
    """Counts may be NumPy's integers."""
    assert hs.proportion(np.int64(3), np.uint8(4)) == 0.75
