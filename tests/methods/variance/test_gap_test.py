"""Intervals of calibration errors cover, in particular 0."""

import numpy as np
import pytest
from scipy import special, stats

import howsure as hs
from howsure.methods.variance.gap_test import _Gaps
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table
from howsure.testing import check_method

CALIBRATED = lambda score: score  # noqa: E731 - two adjacent links
EXTREME = lambda score: special.expit(0.7 * special.logit(score))  # noqa: E731
ERRORS = ("ece", "ece+norm=l2", "ece+norm=max", "ece+strategy=quantile", "ece+debiased=true", "brier_reliability")


def sample(seed, size, link=CALIBRATED):
    """Return truth and uniform scores, whose true probabilities follow from a link."""
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.001, 0.999, size)
    return rng.random(size) < link(score), score


def true_errors(link):
    """Return the errors in the population, by the middles of a fine grid in each bin."""
    score = (np.arange(100_000) + 0.5) / 100_000
    gaps = (link(score) - score).reshape(10, -1).mean(1)
    largest, square = np.abs(gaps).max(), (gaps**2).mean()
    size = np.abs(gaps).mean()
    return dict(zip(ERRORS, (size, square**0.5, largest, size, size, square), strict=True))


def missed(link, size, repetitions, specs):
    """Return the non-coverage of each error's interval, above and below the true value."""
    truth, found = true_errors(link), dict.fromkeys(specs, 0)
    for seed in range(repetitions):
        table = hs.scores(*sample(seed, size, link))
        for spec in specs:
            estimate = hs.estimate(table, spec)
            assert estimate.low <= estimate.value <= estimate.high
            found[spec] += not estimate.low <= truth[spec] <= estimate.high
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("link", [CALIBRATED, EXTREME], ids=["calibrated", "too extreme"])
def test_the_default_interval_covers(link):
    """At n = 200, for calibrated scores (truth 0) and too extreme ones, as often as 93 % coverage has it."""
    assert max(missed(link, 200, 12, ("ece",)).values()) <= stats.binom(12, 0.07).ppf(0.999)


@pytest.mark.slow
@pytest.mark.parametrize("size", [200, 1000, 5000])
@pytest.mark.parametrize("link", [CALIBRATED, EXTREME], ids=["calibrated", "too extreme"])
def test_all_calibration_errors_cover(link, size):
    """Each error's 95 % interval covers at least 93 % of the time, within the simulation's noise."""
    most = stats.binom(300, 0.07).ppf(0.999)
    assert max(missed(link, size, 300, ERRORS).values()) <= most


@pytest.mark.parametrize("spec", ERRORS)
def test_calibrated_scores_may_have_no_error(spec):
    """The interval of calibrated scores starts at 0; that of badly calibrated ones does not, and narrows with n."""
    assert hs.estimate(hs.scores(*sample(0, 1000)), spec).low == 0
    wide, narrow = (hs.estimate(hs.scores(*sample(1, size, lambda s: s**3)), spec) for size in (500, 8000))
    assert 0 < wide.low < wide.high
    assert 0 < narrow.low < narrow.high < narrow.low + (wide.high - wide.low) / 2
    assert narrow.method == "gap_test"


@pytest.mark.thorough
def test_the_lower_limit_is_the_exact_test_of_calibration():
    """It leaves 0 where the error is beyond its quantile among samples whose labels are drawn from the scores."""
    _, score = sample(0, 400)
    rng = np.random.default_rng(1)
    drawn = [hs.estimate(hs.scores(rng.random(400) < score, score), "ece", method="wald").value for _ in range(300)]
    found = [hs.estimate(hs.scores(rng.random(400) < score, score), "ece", confidence_level=0.8) for _ in range(15)]
    for each in found:
        tail = np.mean(np.array(drawn) >= each.value)
        if not 0.05 < tail < 0.15:  # where the simulation has power
            assert (each.low > 0) == (tail < 0.1)


def test_resolution_of_scores_without_information_may_be_zero():
    """Uninformative scores have resolution 0, which the interval contains."""
    rng = np.random.default_rng(0)
    useless = hs.estimate(hs.scores(rng.random(500) < 0.3, rng.random(500)), "brier_resolution")
    assert useless.low == 0 < useless.value < useless.high
    assert hs.estimate(hs.scores(*sample(0, 500)), "brier_resolution").low > 0.03


def test_a_perfect_sample_proves_no_perfection():
    """Ten cases of score 1 that are all positive leave room for an error; more of them leave less."""
    few, many = (hs.estimate(hs.scores([0] * n + [1] * n, [0.0] * n + [1.0] * n), "ece") for n in (10, 1000))
    assert few.value == few.low == 0
    assert 0.05 < few.high < 0.4
    assert 0 < many.high < 0.01


def test_weights_and_clusters_widen_the_interval():
    """Twice the same cases, as weights, change nothing; as clusters of two they have the interval of half the cases."""
    truth, score = sample(3, 600, EXTREME)
    one = hs.estimate(hs.scores(truth, score), "ece")
    weighted = hs.estimate(hs.scores(truth, score, sample_weight=np.full(600, 2.0)), "ece")
    assert (weighted.low, weighted.high) == pytest.approx((one.low, one.high), rel=1e-6)
    twice = {"groups": np.tile(np.arange(600), 2)}
    clustered = hs.estimate(hs.scores(np.tile(truth, 2), np.tile(score, 2), **twice), "ece")
    assert (clustered.low, clustered.high) == pytest.approx((one.low, one.high), abs=0.006)
    assert clustered.value == pytest.approx(one.value)


def test_the_p_value_of_zero_is_a_test_of_calibration():
    """It is large for calibrated scores, and the smallest possible value for badly calibrated ones."""
    from howsure.metrics.binding import resolve

    fine, bad = (hs.scores(*sample(0, 1000, link)) for link in (CALIBRATED, lambda score: score**3))
    assert hs.methods.GapTest().p_value(resolve("ece", fine), fine, 0.0) > 0.05
    assert hs.methods.GapTest().p_value(resolve("ece", bad), bad, 0.0) == pytest.approx(2 / 4097)


def test_what_is_no_calibration_error_is_refused():
    """The message names an alternative, also for scores without labels."""
    check_method("gap_test")
    with pytest.raises(hs.HowsureError, match="for calibration errors such as `ece`, not for `roc_auc`"):
        hs.estimate(hs.scores(*sample(0, 50)), "roc_auc", method="gap_test")
    with pytest.raises(hs.HowsureError, match="labelled"):
        hs.estimate(hs.calibrated(np.linspace(0.1, 0.9, 50)), "ece", method="gap_test")


@pytest.mark.parametrize("method", ["bayes", "bootstrap_percentile"])
def test_draws_add_noise_and_are_refused(method):
    """A resample's noise adds to the error: its interval would miss the truth 0 of every calibrated score."""
    truth, score = sample(0, 200)
    with pytest.raises(hs.HowsureError, match="adds the noise of its draws to `ece` .* Use 'gap_test'"):
        hs.estimate(hs.scores(truth, score), "ece", method=method)
    models = hs.paired_scores(truth, {"a": score, "b": score**2})
    with pytest.raises(hs.HowsureError, match="Use 'mover'"):
        hs.compare(models, "ece", method=method)


def test_an_average_over_classes_has_no_interval():
    """Its limits are nan, with the reason and an alternative: a single class has an interval."""
    rng = np.random.default_rng(0)
    score = rng.dirichlet(np.ones(3), 200)
    truth = (score.cumsum(1) < rng.random((200, 1))).sum(1)
    table = hs.multiclass_scores(truth, score)
    average = hs.estimate(table, "ece@macro")
    assert np.isnan(average.low)
    assert "one class at a time" in average.reason
    assert hs.estimate(table, "ece@binary+positive_class=1").low == 0


@pytest.mark.parametrize("spec", ["ece", pytest.param("ici+curve=logistic", marks=pytest.mark.thorough)])
def test_limits_and_p_values_of_a_difference_agree(spec):
    """A higher level gives a wider interval, and p is 1 minus the level of the interval that ends at 0."""
    rng, levels = np.random.default_rng(3), (0.5, 0.95, 0.99)
    stated = rng.uniform(0.02, 0.98, 400)
    chance = special.expit(0.7 * special.logit(stated))
    near = special.expit(special.logit(chance) + rng.normal(0, 0.3, 400))
    truth = rng.random(400) < chance
    for other in (stated, near):
        models = hs.paired_scores(truth, {"right": chance, "other": other})
        found = hs.compare(models, spec)
        each = [found if level == 0.95 else hs.compare(models, spec, confidence_level=level) for level in levels]
        assert [one.low for one in each] == sorted((one.low for one in each), reverse=True)
        assert [one.high for one in each] == sorted(one.high for one in each)
        assert each[0].low <= found.value <= each[0].high
        assert 2 / 4097 <= found.p_value < 1
        for level, one in zip(levels, each, strict=True):
            if abs(found.p_value - (1 - level)) > 0.1 * (1 - level):
                assert (found.p_value < 1 - level) == (not one.low <= 0 <= one.high), level


def test_the_sides_of_a_difference_change_places():
    """The opposite difference has the opposite limits and the same p-value; models of equal scores differ by 0."""
    truth, score = sample(5, 300, EXTREME)
    models = hs.paired_scores(truth, {"a": score, "b": EXTREME(score)})
    one, other = hs.compare(models, "ece", a="a", b="b"), hs.compare(models, "ece", a="b", b="a")
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    assert one.p_value == pytest.approx(other.p_value)
    equal = hs.compare(hs.paired_scores(truth, {"a": score, "b": score * (1 - 1e-12)}), "ece")
    assert equal.low <= 0 <= equal.high
    assert equal.p_value == 1


def test_interpolated_limits_are_those_of_the_test():
    """Between the norms of the grid the limits deviate by little of the interval's width."""
    table = hs.scores(*sample(1, 500, EXTREME))
    metric = resolve("ece", table)
    gaps = _Gaps.of(metric.structure, table)
    for level in (0.5, 0.9, 0.99):
        exact, found = gaps.limits(level), gaps.interpolated(level)
        assert found == pytest.approx(exact, abs=0.03 * (exact[1] - exact[0]))
    assert gaps.interpolated(1 - 1e-6) == (0.0, np.inf)


@pytest.mark.thorough
def test_a_difference_is_recovered_from_both_intervals():
    """For a calibrated and a too extreme model, the intervals of the difference and of both errors cover."""
    truth = -true_errors(lambda score: special.expit(0.7 * special.logit(score)))["ece"]
    missed = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        stated = rng.uniform(0.001, 0.999, 300)
        chance = special.expit(0.7 * special.logit(stated))
        models = hs.paired_scores(rng.random(300) < chance, {"right": chance, "extreme": stated})
        found = hs.compare(models, "ece")
        assert found.method == "mover"
        missed += not found.low <= truth <= found.high
    assert missed <= stats.binom(6, 0.07).ppf(0.999)


@pytest.mark.parametrize("spec", ["ece", "ece+norm=l2", "ece+norm=max"])
def test_the_error_of_a_batch_is_that_of_its_tables(spec):
    """Bins of equal width are the same in all tables of the same scores."""
    tables = hs.lab.BinormalScores(0.8, 30, 30, levels=12).tables(3, np.random.default_rng(0))
    alone = [hs.estimate(select_table(tables, index), spec).value for index in range(3)]
    assert resolve(spec, tables)(tables.counted) == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize(
    "draws", [pytest.param(6, marks=pytest.mark.thorough), pytest.param(200, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("intercept, slope", [(-0.8, 1.0), (0.0, 1.7)])
def test_errors_away_from_zero_are_covered(intercept, slope, draws):
    """For 200 cases with scores that are all too low, or too extreme, coverage is consistent with 93 %."""
    truth = hs.lab.BinormalScores(0.85, 60, 140, intercept=intercept, slope=slope)
    found = hs.lab.coverage("ece", truth=truth, draws=draws, random_state=4)
    assert found.missed_below + found.missed_above <= stats.binom(draws, 0.07).ppf(0.999) / draws


def test_sums_that_are_zero_have_no_side():
    """The gaps of the resolution sum to 0, so rounding, which depends on the unit of the weights, gives no side."""
    weight = np.array([1.739, 0.815, 0.176, 0.906, 2.014, 0.517, 184.8, 0.0188, 0.0633, 26.75, 0.855, 0.245])
    score, truth = [0.8, 0.8, 0.6, 1.0, 0.7, 0.8, 0.8, 0.9, 0.7, 1.0, 0.9, 0.6], [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    groups = [5, 9, 8, 0, 8, 2, 8, 6, 6, 11, 1, 10]
    found = [
        hs.estimate(
            hs.scores(truth, score, sample_weight=unit * weight, groups=groups),
            "brier_resolution",
            confidence_level=0.999,
        ).high
        for unit in (1.0, 7.3, 3.1, 13.9)
    ]
    assert found == pytest.approx([found[0]] * 4)


def test_gaps_that_are_as_large_are_all_off_zero():
    """The resolution's first and fourth gap are 13/16 of a case; the order by rounding has no effect."""
    cases, positive = np.array([17, 4, 8, 15, 4]), np.array([13, 3, 6, 13, 4])
    score = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], cases)
    truth = np.concatenate([np.arange(n) < k for n, k in zip(cases, positive, strict=True)])
    found = [
        hs.estimate(hs.scores(truth, score, sample_weight=np.full(48, unit)), "brier_resolution").high
        for unit in (1.0, 0.1, 7.3, 1000.0)
    ]
    assert found == pytest.approx([found[0]] * 4, rel=1e-9)


def gaps_of(truth, score):
    """Return the calibration errors of rows of labels of the same scores, in ten bins of equal width, by norm."""
    place = np.minimum((score * 10).astype(int), 9)
    inside = place == np.arange(10)[:, None]
    share = inside.mean(1)
    gap = ((truth - score) @ inside.T) / inside.sum(1)
    return {
        "ece": np.abs(gap) @ share,
        "ece+norm=l2": np.sqrt(gap**2 @ share),
        "ece+norm=max": np.abs(gap).max(-1),
        "brier_reliability": gap**2 @ share,
    }


@pytest.mark.parametrize("spec", ["ece", "ece+norm=l2", "ece+norm=max", "brier_reliability"])
def test_the_p_value_of_calibration_is_that_of_labels_drawn_from_the_scores(spec):
    """Twice the share of samples, their labels drawn from the scores themselves, whose error is as large as this one's."""
    rng = np.random.default_rng(12)
    truth, score = sample(14, 400, lambda s: special.expit(0.8 * special.logit(s)))
    observed = gaps_of(truth[None] * 1.0, score)[spec][0]
    drawn = gaps_of((rng.random((20_000, 400)) < score) * 1.0, score)[spec]
    expected = 2 * (drawn >= observed).mean()
    table = hs.scores(truth, score)
    metric = resolve(spec, table)
    assert float(metric(table.counted)) == pytest.approx(observed)
    assert 0.01 < expected < 0.8
    assert hs.methods.GapTest().p_value(metric, table, 0.0) == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("spec", ["ece", "ece+norm=l2", "brier_reliability", "brier_resolution"])
def test_limits_are_where_the_p_value_is_what_the_level_leaves(spec):
    """At each limit of a 90 % interval a two-sided test of that error has p = 0.1, for any power of the error."""
    table = hs.scores(*sample(1, 500, lambda s: s**2))
    found = hs.estimate(table, spec, confidence_level=0.9)
    metric = resolve(spec, table)
    for limit in (found.low, found.high):
        assert hs.methods.GapTest().p_value(metric, table, limit) == pytest.approx(0.1, abs=0.02)
    assert hs.methods.GapTest().p_value(metric, table, found.value) > 0.5


def test_two_clusters_have_an_interval_and_one_has_none():
    """One degree of freedom is enough; a single cluster shows no variation between clusters."""
    truth, score = sample(2, 80)
    two = hs.estimate(hs.scores(truth, score, groups=np.arange(80) % 2), "ece")
    assert two.low <= two.value < two.high
    table = hs.scores(truth, score, groups=np.arange(80) % 2)
    assert 0 < hs.methods.GapTest().p_value(resolve("ece", table), table, 0.0) <= 1
    alone = hs.estimate(hs.scores(truth, score, groups=np.zeros(80)), "ece")
    assert np.isnan([alone.low, alone.high]).all()


def test_quantile_bins_go_by_the_middle_of_tied_scores():
    """Among eight cases five have one score, whose middle is below the median: two bins of six cases and two."""
    score, truth = [0.1] + [0.5] * 5 + [0.9] * 2, [0, 1, 1, 0, 0, 1, 1, 0]
    expected = abs(2.6 / 6 - 3 / 6) * 6 / 8 + abs(0.9 - 0.5) * 2 / 8
    found = hs.estimate(hs.scores(truth, score), "ece+bins=2+strategy=quantile", method="wald")
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("sign", [-1, 1])
def test_errors_of_one_side_have_the_side_of_all_cases_together(sign):
    """If all true gaps may be on one side, it is that of their sum: labels above the scores, or below."""
    rng = np.random.default_rng(4)
    score = rng.uniform(0.3, 0.7, 400)
    table = hs.scores(rng.random(400) < score + 0.15 * sign, score)
    metric = resolve("ece", table)
    gaps = _Gaps.of(metric.structure, table)
    assert np.sign(gaps.sums.sum()) == sign
    assert (np.sign(gaps.directions[-1][gaps.covariance.diagonal() > 0]) == sign).all()
    assert (gaps.directions[1] * gaps.sums >= 0).all()
    assert gaps.norm(gaps.directions[-1]) == pytest.approx(1)
