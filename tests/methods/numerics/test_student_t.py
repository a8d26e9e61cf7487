"""One quantile of Student's t without SciPy."""

import numpy as np
import pytest
from scipy import stats

from howsure.methods.core.standard_errors import quantile
from howsure.methods.numerics.confidence_levels import Level
from howsure.methods.numerics.student_t import is_ordinary, upper_quantile


@pytest.mark.parametrize("degrees_of_freedom", [2, 2.1, 3, 7.3, 31.9, 385, 401, 569, 3601, 4096, 4100, 1e5, 1e12])
def test_a_quantile_is_that_of_the_distribution(degrees_of_freedom):
    """The probability beyond the quantile equals SciPy's, for few and many degrees of freedom, in both tails."""
    for tail in (0.45, 0.25, 0.05, 0.025, 0.0005, 1e-9):
        assert is_ordinary(tail, degrees_of_freedom)
        beyond = stats.t.sf(upper_quantile(tail, degrees_of_freedom), degrees_of_freedom)
        assert beyond == pytest.approx(tail, rel=1e-11)


@pytest.mark.parametrize("degrees_of_freedom", [0.5, 1.0, np.inf, -1.0, np.nan])
def test_what_takes_many_steps_is_left_to_scipy(degrees_of_freedom):
    """Fewer than two degrees of freedom, infinitely many and none at all have SciPy's quantiles."""
    assert not is_ordinary(0.025, degrees_of_freedom)
    expected = stats.t.isf(0.025, degrees_of_freedom) if degrees_of_freedom > 0 else np.nan
    np.testing.assert_allclose(quantile(0.95, degrees_of_freedom), expected, rtol=1e-10)


def test_a_quantile_keeps_the_shape_of_what_it_is_of():
    """One number of degrees of freedom gives one quantile, an array of one an array of one, as of many."""
    assert np.shape(quantile(0.95, 10.0)) == ()
    assert np.shape(quantile(0.95, np.array([10.0]))) == (1,)
    np.testing.assert_allclose(quantile(0.95, np.array([10.0, 10.0])), quantile(0.95, 10.0), rtol=1e-9)


@pytest.mark.parametrize("tail", 10.0 ** -np.arange(20, 200, 9))
def test_far_out_a_quantile_is_still_that_of_the_distribution(tail):
    """With one and two degrees of freedom, and slightly more, it has a closed form: cot(πp), 1/√(2p)."""
    level = Level(2 * tail)
    for near in (0.0, 1e-15, 2e-9):
        np.testing.assert_allclose(quantile(level, 1 + near), 1 / (np.pi * tail), rtol=2e-6)
        np.testing.assert_allclose(quantile(level, 2 + near), 1 / np.sqrt(2 * tail), rtol=2e-6)
    found = quantile(level, np.geomspace(0.3, 300, 400))
    assert not np.isnan(found).any()
    if tail > 1e-160:  # beyond, SciPy 1.13 is off by a factor of up to three
        assert (np.diff(found[np.isfinite(found)]) < 0).all()


def test_tables_of_a_batch_each_have_the_quantile_of_their_degrees_of_freedom():
    """Normal if they are infinite, next to others that are not; nan if there are none."""
    found = quantile(0.95, np.array([np.inf, 5.0, 0.5, np.nan, np.inf]))
    expected = [stats.norm.ppf(0.975), stats.t.ppf(0.975, 5), stats.t.ppf(0.975, 0.5), np.nan, stats.norm.ppf(0.975)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
