"""Mid-p limits of many proportions, compiled, against SciPy's incomplete beta function."""

import numpy as np
import pytest
from scipy import special, stats

from howsure.methods.numerics.binomial import mid_p
from howsure.native.mid_p import mid_p_limits


def counts_of(most, rng, *, whole):
    """Return successes and trials of up to so many cases; none, or all of them, are successes in some."""
    trials = rng.integers(1, most + 1, 400) + (0 if whole else rng.random(400) + 0.5)
    successes = np.floor(rng.random(400) * (trials + 1)) if whole else 0.5 + rng.random(400) * (trials - 1)
    successes[:40], successes[40:80] = 0.0, trials[40:80]
    return successes, trials * 1.0


@pytest.mark.parametrize("tail", [1e-10, 0.005, 0.025, 0.3, 0.4999])
@pytest.mark.parametrize("most", [3, 40, 8000])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.usefixtures("compiled")
def test_limits_solve_their_equations(tail, most, whole):
    """The mean of the two tails of SciPy's beta function is the requested one, for counts that are not whole too."""
    x, n = counts_of(most, np.random.default_rng(most), whole=whole)
    low, high = mid_p_limits(x, n, tail, stats.norm.isf(tail))
    y = n - x
    for hits, misses, limit in ((x, y, low), (y, x, 1 - high)):
        # An interval contains the observed proportion; a limit next to 1 has too few digits of 1 - p.
        solved = (x > 0) & (y > 0) & (limit < hits / n - 1e-12) & (limit > 1e-8)
        assert solved.sum() > 20
        a, b, p = (each[solved] for each in (hits, misses, limit))
        found = (special.betainc(a, b + 1, p) + special.betainc(a + 1, b, p)) / 2
        assert found == pytest.approx(tail, rel=1e-7)
    assert low[:40].tolist() == [0.0] * 40
    assert high[40:80].tolist() == [1.0] * 40
    assert high[:40] == pytest.approx(1 - (2 * tail) ** (1 / n[:40]), rel=1e-9)  # p**n / 2 is the tail
    assert low[40:80] == pytest.approx((2 * tail) ** (1 / n[40:80]), rel=1e-9)
    assert ((low <= x / n) & (x / n <= high)).all()


@pytest.mark.parametrize("size", [1, 30, 300])
@pytest.mark.parametrize("whole", [True, False])
def test_they_are_those_by_numpy(size, whole, by_numpy):
    """Compiled or not, few counts or many have the same limits."""
    x, n = (each[:size] for each in counts_of(300, np.random.default_rng(size), whole=whole))
    order = np.random.default_rng(0).permutation(size)

    def limits():
        return np.concatenate([mid_p(x[order], n[order], level) for level in (0.5, 0.95, 0.999)])

    assert limits() == pytest.approx(by_numpy(limits), rel=1e-7)


@pytest.mark.usefixtures("compiled")
def test_what_it_does_not_take_is_left_to_numpy():
    """Very many trials, a small part of a case and levels next to 1 are; no trials and unknown counts give nan."""
    for x, n, tail in ((3.0, 2.0**14, 0.025), (0.2, 3.0, 0.025), (2.8, 3.0, 0.025), (1.0, 3.0, 0.0), (1.0, 3.0, 0.5)):
        assert mid_p_limits(np.array([x]), np.array([n]), tail, 1.96) is None
    found = mid_p_limits(np.array([0.0, np.nan, 1.0]), np.array([0.0, 3.0, np.nan]), 0.025, 1.96)
    assert found is not None
    assert np.isnan(found).all()


@pytest.mark.parametrize("successes", [0.0, 0.001])
def test_a_hundredth_of_a_case_is_left_to_numpy(successes):
    """Strata with hardly any weight have such counts: none of them a success, or all."""
    low, high = mid_p(np.array([0.0, successes]), np.array([1.2, successes + 0.008]), 0.95)
    assert mid_p_limits(np.array([0.0, successes]), np.array([1.2, successes + 0.008]), 0.025, 1.96) is None
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert high[0] == pytest.approx(1 - 0.05 ** (1 / 1.2))
    low, high = mid_p(np.array([0.0, 0.0]), np.array([1.2, 0.008]), 0.95)
    assert high == pytest.approx([1 - 0.05 ** (1 / 1.2), 1.0])
