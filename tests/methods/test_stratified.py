"""The interval of cases that are labelled in part."""

from itertools import pairwise

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError
from howsure.methods import binomial, stratified
from howsure.methods.levels import Level

HUMAN = [1] * 18 + [0] * 2 + [None] * 60 + [1] * 3 + [0] * 7 + [None] * 10
JUDGE = [1] * 80 + [0] * 20


def test_it_suits_judged_cases_alone():
    """Of counted cases, and of a quantile, it says what to use."""
    with pytest.raises(HowsureError, match=r"for cases of which some are labelled, from `judged`"):
        hs.estimate(hs.from_counts([[5, 2], [1, 9]]), "recall", method="stratified")
    table = hs.judged_values(HUMAN, JUDGE)
    with pytest.raises(HowsureError, match="`median` is none"):
        hs.estimate(table, "median", method="stratified")
    assert hs.estimate(table, "median").method == "delta"


def test_of_one_verdict_it_is_the_interval_of_the_labels():
    """Where the judge passes all, human labels alone speak: Jeffreys' interval of 18 of 20."""
    found = hs.estimate(hs.judged([*HUMAN[:20], None], [1] * 21, labels=[0, 1]), "pass_rate")
    assert (found.low, found.high) == pytest.approx(tuple(map(float, binomial.jeffreys(18, 20, 0.95))))


def test_limits_move_out_with_the_level_and_stay_within_the_range():
    """Intervals of higher levels hold those of lower ones, up to those that leave next to nothing."""
    table = hs.judged(HUMAN, JUDGE)
    for metric in ("pass_rate", "kappa", "f1"):
        found = [hs.estimate(table, metric, confidence_level=level) for level in (0.5, 0.9, 0.99, 1 - 1e-12)]
        for inner, outer in pairwise(found):
            assert outer.low <= inner.low <= inner.value <= inner.high <= outer.high
        assert found[-1].low >= (-1 if metric == "kappa" else 0)
        assert found[-1].high <= 1


def test_no_interval_is_a_point():
    """Where judge and people agree on all cases, and all pass, the interval has width and reaches the end."""
    table = hs.judged([1] * 20 + [None] * 80, [1] * 100, labels=[0, 1])
    found = hs.estimate(table, "pass_rate")
    assert found.low < found.value == found.high == 1
    # p**20 / 2 = 2.5 %
    assert found.low == pytest.approx(0.05 ** (1 / 20))


def test_the_exact_interval_of_equal_outcomes_holds_at_any_level():
    """Of n successes in n the mid-p limit is the n-th root of what the level leaves, however small the level."""
    for level in (0.95, 0.5, 1e-3, 1e-6):
        low, high = binomial.mid_p(86, 86, level)
        assert (float(low), float(high)) == pytest.approx(((1 - level) ** (1 / 86), 1.0))
        low, high = binomial.mid_p(0, 86, level)
        assert (float(low), float(high)) == pytest.approx((0.0, 1 - (1 - level) ** (1 / 86)))
    assert float(binomial.mid_p(10, 10, Level(1e-40))[0]) == pytest.approx(1e-4)


def test_strata_without_an_error_have_one_limit_together():
    """Of two strata with a fifth of the cases labelled, all right, the accuracy has the limit of all labels as one."""
    score = np.repeat([0.4, 0.6], [200, 100])
    label = np.full(300, None, dtype=object)
    label[::5] = "ok"
    pool = hs.partly_labelled(label, np.full(300, "ok"), score, labels=["fault", "ok"])
    assert len(pool.design.names) == 2
    found = hs.estimate(pool, "accuracy")
    # p**60 / 2 = 2.5 %
    assert found.low == pytest.approx(0.05 ** (1 / 60))
    assert found.high == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_of_silent_strata_is_the_largest_sum_that_they_leave_possible(seed):
    """No shares with ``Π (1 - p)**m`` at 5 % and more have a larger sum of gains, of many tried, and some nearly as large."""
    rng = np.random.default_rng(seed)
    strata = int(rng.integers(1, 4))
    trials, gain = rng.integers(2, 40, strata).astype(float), rng.random(strata)
    shares = stratified._unseen(gain, trials, 0.95)
    assert np.prod((1 - shares) ** trials) == pytest.approx(0.05)
    found = shares @ gain
    tried = -np.expm1(np.log(0.05) * rng.dirichlet(np.ones(strata), 50_000) / trials) @ gain
    assert tried.max() <= found + 1e-12
    assert found == pytest.approx(tried.max(), rel=0.01)


def test_silent_strata_of_a_higher_level_move_a_metric_farther():
    """Each share that they leave possible grows with the level, and with it the interval."""
    trials, gain = np.array([5.0, 20.0, 9.0]), np.array([0.3, 0.5, 0.1])
    found = [stratified._unseen(gain, trials, level) for level in (0.3, 0.8, 0.95, 0.999)]
    assert all((outer >= inner).all() for inner, outer in pairwise(found))
