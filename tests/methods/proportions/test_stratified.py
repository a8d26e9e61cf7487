"""The interval of cases that are labelled in part."""

from itertools import pairwise, product
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.strata import Strata
from howsure.errors import HowsureError
from howsure.methods.numerics import binomial
from howsure.methods.numerics.confidence_levels import Level
from howsure.methods.proportions import stratified
from howsure.metrics.binding import resolve
from support.random_cases import a_case

HUMAN = [1] * 18 + [0] * 2 + [None] * 60 + [1] * 3 + [0] * 7 + [None] * 10
JUDGE = [1] * 80 + [0] * 20


def test_it_suits_judged_cases_alone():
    """For counted cases, and for a quantile, the error names the alternative."""
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
    """Intervals of higher levels contain those of lower ones, up to levels near one."""
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
    """For n successes in n trials the mid-p limit is the n-th root of 1 − level, for any level."""
    for level in (0.95, 0.5, 1e-3, 1e-6):
        low, high = binomial.mid_p(86, 86, level)
        assert (float(low), float(high)) == pytest.approx(((1 - level) ** (1 / 86), 1.0))
        low, high = binomial.mid_p(0, 86, level)
        assert (float(low), float(high)) == pytest.approx((0.0, 1 - (1 - level) ** (1 / 86)))
    assert float(binomial.mid_p(10, 10, Level(1e-40))[0]) == pytest.approx(1e-4)


def judged_at_random(seed: int) -> hs.tables.ConfusionTable:
    """Return few cases of three classes, some labelled, so that classes may be missing."""
    rng = np.random.default_rng([seed, 12])
    human = [None if rng.random() < 0.5 else str(rng.choice(list("abc"))) for _ in range(14)]
    return hs.judged(["a", "b", "c", *human], [str(label) for label in rng.choice(list("abc"), 17)])


@pytest.mark.parametrize(
    "method, metrics, seeds",
    [
        ("stratified", ("markedness@max", "nlr@min", "log_dor@macro"), (0, 1, 17)),
        ("anytime", ("markedness@max", "log_dor@macro"), (0, 1, 17)),
        ("least_favourable", ("kappa", "gwet_ac1", "fnr@micro"), (28, 120, 138)),
    ],
)
def test_a_higher_level_is_no_narrower_where_a_metric_turns_on_its_way(
    method: str, metrics: tuple[str, ...], seeds: tuple[int, ...]
):
    """Maxima, odds and kappa are not monotone along cases of few labels; higher levels still contain lower ones."""
    for seed, metric in product(seeds, metrics):
        levels = (0.3, 0.5, 0.8, 0.95, 0.999)
        table = judged_at_random(seed)
        found = [hs.estimate(table, metric, method=method, confidence_level=level) for level in levels]
        for inner, outer in pairwise(found):
            assert not outer.low > inner.low + 1e-12
            assert not outer.high < inner.high - 1e-12


def test_outcomes_that_are_as_bad_are_all_looked_at():
    """If two of three classes are equally wrong, neither their order nor the unit of weights has an effect."""
    human = ["a"] * 6 + ["b"] * 4 + ["c"] * 3 + [None] * 9
    judge = ["a"] * 6 + ["b"] * 4 + ["c"] * 3 + ["a"] * 5 + ["b"] * 2 + ["c"] * 2
    weight = np.random.default_rng(7).lognormal(size=len(judge))
    for metric in ("mcc", "fowlkes_mallows@weighted"):
        found = [
            hs.estimate(hs.judged(human, judge, labels=labels, sample_weight=weight * unit), metric)
            for labels, unit in product((["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]), (1.0, 0.1, 1e-6))
        ]
        assert {(round(each.low, 9), round(each.high, 9)) for each in found} == {(round(found[0].low, 9), 1.0)}


def test_tables_of_one_outcome_have_all_cases_of_a_stratum_there():
    """Ten cases that the judge passes, of which four have labels, are in the worst table all failed."""
    table = hs.judged([1, 1, 1, 0, *[None] * 6, 0, 0], [1] * 10 + [0] * 2)
    worst, best = table.design.extreme_tables(table.cells, np.array([0.0, 0.0, 1.0, 1.0]))  # human label × verdict
    # The first stratum is of the verdict 0, the second of 1.
    assert worst[0].tolist() == [[2, 2.5, 0, 7.5], [2, 10, 0, 0]]
    assert best[0].tolist() == [[0, 2.5, 2, 7.5], [2, 0, 0, 10]]


def groups_alone_and_together(human: list[str | None], judge: np.ndarray, weight: np.ndarray):
    """Give the table of each of two groups, whose rows alternate: of its rows alone, and as a group of all."""
    group = np.arange(len(judge)) % 2
    together = hs.judged(human, judge, sample_weight=weight, by=group)
    for name in (0, 1):
        rows = np.flatnonzero(group == name)
        yield hs.judged([human[row] for row in rows], judge[rows], sample_weight=weight[rows]), together[name]


@pytest.mark.parametrize("method", ["stratified", "delta", "least_favourable", "bayes"])
def test_the_weights_of_another_group_change_nothing(method: str):
    """Weights are 1 on average over all rows; a group whose weights are not has the interval of its rows alone."""
    rng = np.random.default_rng(9)
    judge = rng.choice(["a", "b"], 60)
    human = [str(verdict) if rng.random() < 0.8 else "b" for verdict in judge]
    human = [verdict if rng.random() < 0.5 else None for verdict in human]
    weight = rng.lognormal(size=60) * np.tile([1.0, 20.0], 30)
    for tables in groups_alone_and_together(human, judge, weight):
        found = [hs.estimate(table, "kappa", method=method, random_state=1) for table in tables]
        assert found[1].low == pytest.approx(found[0].low, rel=1e-9)
        assert found[1].high == pytest.approx(found[0].high, rel=1e-9)


def test_pseudo_cases_of_a_group_are_as_large_as_its_cases():
    """Where judge and people agree throughout, the pseudo-cases too are in the unit of the group's own weights."""
    rng = np.random.default_rng(3)
    judge = rng.choice(["a", "b"], 40)
    human = [str(verdict) if row % 3 else None for row, verdict in enumerate(judge)]
    weight = rng.lognormal(size=40) * np.tile([1.0, 50.0], 20)
    for tables in groups_alone_and_together(human, judge, weight):
        found = [hs.estimate(table, "kappa", method="delta") for table in tables]
        assert found[0].low < found[0].value == 1
        assert found[1].low == pytest.approx(found[0].low, rel=1e-9)


def test_strata_without_an_error_have_one_limit_together():
    """With a fifth of the cases labelled in two strata, all right, the limit is that of all labels as one sample."""
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


def test_reaches_are_the_root_of_the_strata_s_squares():
    """Without unseen outcomes, in large samples, each stratum moves to its own Jeffreys limits, times its reach."""
    value, trials, reach = np.array([0.3, 0.62, 0.45]), np.array([2e6, 5e6, 1.3e6]), np.array([0.5, 0.3, 0.2])
    parts = Strata(reach=reach, value=value, trials=trials, within=np.zeros(3), between=np.array(2e-7))
    z = float(NormalDist().inv_cdf(0.95))
    below, above = stratified.reaches(parts, z, 0.9)
    low, high = binomial.jeffreys(value * trials, trials, 0.9)
    assert below == pytest.approx(np.sqrt(((reach * (value - low)) ** 2).sum() + z**2 * 2e-7), rel=1e-4)
    assert above == pytest.approx(np.sqrt(((reach * (high - value)) ** 2).sum() + z**2 * 2e-7), rel=1e-4)


def test_strata_of_one_error_each_are_no_surer_than_all_their_cases_together():
    """Four equal strata with 9 of 10 right each have the upper limit of 36 of 40: Jeffreys', by its quantile."""
    parts = Strata(
        reach=np.full(4, 0.25),
        value=np.full(4, 0.9),
        trials=np.full(4, 10.0),
        within=np.zeros(4),
        between=np.array(0.0),
    )
    _, above = stratified.reaches(parts, float(NormalDist().inv_cdf(0.975)), 0.95)
    assert 0.9 + above == pytest.approx(float(stats.beta.ppf(0.975, 36.5, 4.5)), abs=1e-6)


def test_the_farthest_silent_stratum_counts_where_the_metric_turns_before_all_of_them():
    """Simultaneous shares of silent strata may change a metric less than one of them alone."""
    value, trials, reach = np.array([1.0, 1.0]), np.array([4.0, 30.0]), np.array([0.5, 0.5])
    parts = Strata(reach=reach, value=value, trials=trials, within=np.zeros(2), between=np.array(0.0))
    single, _ = binomial.jeffreys_or_mid_p(value, trials, 0.9)

    def moves(low, high):
        return (reach * (low - value) if np.allclose(low, single) else np.zeros(2)), reach * (high - value)

    below, _ = stratified.reaches(parts, float(NormalDist().inv_cdf(0.95)), 0.9, moves)
    assert below == pytest.approx(float((reach * (1 - single)).max()), rel=1e-6)
    assert below > 0.1


def test_the_unit_of_a_sum_over_strata_is_no_matter():
    """Reaches in another unit scale the limits accordingly."""
    parts = {"value": np.array([0.9, 0.8, 0.9]), "trials": np.array([10.0, 12.0, 9.0]), "within": np.zeros(3)}
    reach, z = np.array([0.4, 0.3, 0.3]), float(NormalDist().inv_cdf(0.975))
    found = stratified.reaches(Strata(reach=reach, between=np.array(0.0), **parts), z, 0.95)
    many = stratified.reaches(Strata(reach=7 * reach, between=np.array(0.0), **parts), z, 0.95)
    assert many == pytest.approx((7 * found[0], 7 * found[1]), rel=1e-12)


def test_strata_that_gain_nothing_have_no_unseen_outcomes():
    """A stratum without a gain, and one whose gain is too small for it, keep a share of zero."""
    assert stratified._unseen(np.array([0.0, 0.5, 0.0]), np.array([5.0, 20.0, 9.0]), 0.95)[[0, 2]].tolist() == [0, 0]
    assert stratified._unseen(np.array([1e-6, 0.5]), np.array([5.0, 20.0]), 0.95)[0] == 0


def test_limits_widen_up_to_the_surest_levels():
    """Levels of sequences leave down to 1e-14: a limit of sparse strata never returns towards the value."""
    rng = np.random.default_rng(3051440)
    rng.random()  # which the seed of the fuzzer spends on the kind of question
    table = a_case(rng).table()
    metric = resolve("log_nlr@max", table)
    at_level = hs.methods.Stratified().at_levels(metric, table)
    ends = np.array([[found.low, found.high] for found in (at_level(Level(10.0**-k)) for k in range(1, 15))])
    assert (np.diff(ends[:, 0]) <= 0).all()
    assert (np.diff(ends[:, 1]) >= 0).all()


def test_limits_of_two_labels_widen_with_the_level():
    """With two labels of five, weighted kappa is strongly nonlinear and Student's t has few degrees of freedom."""
    human, judge = [None, "b", "b", None, None], ["a", "c", "b", "b", "b"]
    weight = [0.031, 2.24, 7.32, 16.2, 4.11]
    table = hs.judged(human, judge, labels=["a", "b", "c", "d"], sample_weight=weight, check=False)
    levels = (0.8, 0.9, 0.95, 0.97, 0.98, 0.99)
    ends = np.array(
        [
            (found.low, found.high)
            for found in (hs.estimate(table, "weighted_kappa", confidence_level=each) for each in levels)
        ]
    )
    assert (np.diff(ends[:, 0]) <= 1e-9).all()
    assert (np.diff(ends[:, 1]) >= -1e-9).all()


def test_strata_of_different_reach_have_the_limits_of_one_proportion():
    """The number of cases of that proportion gives the variance of the weighted sum of the strata."""
    reach, share, trials = np.array([0.6, 0.3, 0.1]), np.array([0.9, 0.95, 0.5]), np.array([10.0, 20.0, 2.0])
    parts = Strata(reach=reach, value=share, trials=trials, within=np.zeros(3), between=np.array(0.0))
    variance = (reach**2 * share * (1 - share) / trials).sum()
    mean = (reach * share).sum()
    cases = mean * (1 - mean) / variance
    low, high = stratified._as_one_proportion(parts, trials, 0.9)
    expected = stats.beta.ppf([0.05, 0.95], mean * cases + 0.5, (1 - mean) * cases + 0.5)
    assert [(reach * end).sum() for end in (low, high)] == pytest.approx(expected.tolist(), abs=1e-9)
    assert np.ptp((high - share) / (1 - share)) == pytest.approx(0, abs=1e-12)
    unlabelled = stratified._as_one_proportion(parts, np.zeros(3), 0.9)
    assert [end.tolist() for end in unlabelled] == [share.tolist()] * 2
