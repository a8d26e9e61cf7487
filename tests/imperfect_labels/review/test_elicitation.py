"""Beta priors agree with the statements that they come from, by SciPy's own distribution functions."""

import pytest
from hypothesis import given, strategies as st
from scipy import stats

import howsure as hs

rates = st.floats(0.01, 0.99)


@given(rates, st.floats(0.51, 0.99))
def test_one_limit_has_its_probability(limit, sure):
    """With one limit the mode is at the end of the range, and the limit has the stated probability."""
    a, b = hs.labels.beta_prior(below=limit, sure=sure)
    assert a == 1
    assert stats.beta(a, b).cdf(limit) == pytest.approx(sure, rel=1e-9)
    a, b = hs.labels.beta_prior(above=limit, sure=sure)
    assert b == 1
    assert stats.beta(a, b).sf(limit) == pytest.approx(sure, rel=1e-9)


@pytest.mark.parametrize("above, below", [(0.02, 0.2), (0.4, 0.6), (0.001, 0.002), (0.9, 0.999), (1e-4, 0.9)])
@pytest.mark.parametrize("sure", [0.6, 0.9, 0.99])
def test_two_limits_have_equal_tails(above, below, sure):
    """As much probability lies below the lower limit as above the upper one."""
    prior = stats.beta(*hs.labels.beta_prior(above=above, below=below, sure=sure))
    assert prior.cdf(above) == pytest.approx((1 - sure) / 2, rel=1e-6)
    assert prior.sf(below) == pytest.approx((1 - sure) / 2, rel=1e-6)


@pytest.mark.parametrize("limit, mean", [({"below": 0.2}, 0.1), ({"above": 0.8}, 0.9), ({"below": 0.5}, 0.3)])
def test_a_mean_is_kept(limit, mean):
    """The prior has the mean, and the limit its probability."""
    prior = stats.beta(*hs.labels.beta_prior(**limit, mean=mean))
    ((name, value),) = limit.items()
    assert prior.mean() == pytest.approx(mean)
    assert (prior.cdf if name == "below" else prior.sf)(value) == pytest.approx(0.9, rel=1e-9)


@pytest.mark.parametrize(
    "statement, words",
    [
        ({}, "needs a limit"),
        ({"below": 20}, "`below` is 20, and a rate lies between 0 and 1"),
        ({"below": 0.2, "sure": 90}, "`sure` is 90"),
        ({"below": 0.2, "mean": 0.3}, "lies there too"),
        ({"below": 0.2, "mean": 0.05}, "surer than 0.9"),
        ({"below": 0.2, "above": 0.3}, "cannot be above 0.3 and below 0.2"),
        ({"below": 0.2, "above": 0.1, "mean": 0.15}, "leave out `mean`"),
        ({"below": "low"}, "`below`"),
    ],
)
def test_contradictions_are_refused(statement, words):
    """The message has the number and the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.labels.beta_prior(**statement)
