"""Whether a judge leans along a column."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import howsure as hs
from howsure.errors import HowsureError


def rows(number, rng, lean=0.0):
    """Human labels with gaps, verdicts that are more lenient for long answers, and lengths."""
    length = rng.gamma(3, 100, number)
    truth = rng.random(number) < 0.6
    lenient = rng.random(number) < np.clip(0.1 + lean * (length - 300) / 300, 0, 1)
    return np.where(np.arange(number) % 3 == 0, truth, np.nan), (truth | lenient).astype(int), length


def test_the_slope_and_its_error_are_those_of_least_squares():
    """Slope by the normal equations; HC3 by the residuals over one minus their leverage."""
    human, judge, length = rows(300, np.random.default_rng(0), 0.3)
    known = ~np.isnan(human)
    design = np.column_stack([np.ones(known.sum()), length[known]])
    inverse = np.linalg.inv(design.T @ design)
    y = judge[known] - human[known]
    slope = inverse @ design.T @ y
    residual = (y - design @ slope) / (1 - np.einsum("ij,jk,ik->i", design, inverse, design))
    error = np.sqrt((inverse @ (design.T * residual**2) @ design @ inverse)[1, 1])
    found = hs.labels.judge_bias(human, judge, length)
    assert found == pytest.approx(slope[1])
    assert found.standard_error == pytest.approx(error)


def test_of_two_places_it_is_the_difference_of_the_differences():
    """The judge passes a quarter more than people in the first place, a half less in the second: −3 / 4."""
    human = [1, 1, 0, 0, 1, 1, 1, 0, None]
    judge = [1, 1, 1, 0, 0, 0, 1, 0, 1]
    place = ["a"] * 4 + ["b"] * 4 + ["a"]
    assert hs.labels.judge_bias(human, judge, place) == pytest.approx(-2 / 4 - 1 / 4)
    data = {"human": human, "judge": judge, "place": place}
    assert hs.labels.judge_bias("human", "judge", "place", data=data) == pytest.approx(-0.75)


def test_a_leaning_is_found_and_none_is_not():
    """For 60 unbiased judges, intervals exclude 0 in at most 8; a strong bias is detected."""
    rng = np.random.default_rng(1)
    null = [hs.labels.judge_bias(*rows(300, rng)) for _ in range(60)]
    assert sum(not each.low <= 0 <= each.high for each in null) <= 8
    assert hs.labels.judge_bias(*rows(3000, rng, 0.3)).low > 0


def test_grades_and_clusters():
    """Grades of more than two values are used as numbers; repeated cases in clusters count once."""
    rng = np.random.default_rng(2)
    human, length = rng.integers(1, 6, 60), rng.normal(size=60)
    judge = np.clip(human + (length > 0.5), 1, 5)
    once = hs.labels.judge_bias(human, judge, length)
    assert once > 0
    twice = [np.repeat(each, 2) for each in (human, judge, length)]
    together = hs.labels.judge_bias(*twice, groups=np.repeat(np.arange(60), 2))
    apart = hs.labels.judge_bias(*twice)
    assert together.standard_error == pytest.approx(once.standard_error, rel=0.1)
    assert apart.standard_error < 0.8 * together.standard_error


@pytest.mark.parametrize(
    "human, judge, along, words",
    [
        ([1, None, None, None], [1, 0, 1, 0], [1, 2, 3, 4], "`human` has 1 labels"),
        ([1, 0, 1, 0], [1, 0, 1, 0], [2, 2, 2, 2], "`covariate` is 2 in all labelled cases"),
        ([1, 0, 1, 0], [1, 0, 1, 0], ["a", "b", "c", "a"], "3 values that are no numbers"),
        (["a", "b", "c", "a"], ["a", "b", "c", "a"], [1, 2, 3, 4], "3 classes, in words"),
        ([1, 0, 1], [1, 0, 1, 0], [1, 2, 3, 4], "length"),
    ],
)
def test_misuse_is_told_in_one_line(human, judge, along, words):
    """Few labels, a constant column, or words give one line with the remedy."""
    with pytest.raises(HowsureError, match=words):
        hs.labels.judge_bias(human, judge, along)


def test_grades_need_agree_nowhere():
    """Where no grade of the judge is one that people gave, the slope is that of the differences all the same."""
    rng = np.random.default_rng(3)
    human, length = rng.random(60), rng.normal(size=60)
    judge = human + 0.25 * length
    assert hs.labels.judge_bias(human, judge, length) == pytest.approx(0.25)


def test_three_labels_are_enough():
    """Three labelled cases have a slope, two are refused."""
    three = hs.labels.judge_bias([1, 0, 1], [1, 1, 0], [1.0, 2.0, 4.0])
    assert np.isfinite(three.value)
    with pytest.raises(hs.HowsureError, match="Three or more are needed"):
        hs.labels.judge_bias([1, 0, None], [1, 1, 0], [1.0, 2.0, 4.0])


@pytest.mark.parametrize("clusters", [2, 3])
def test_few_clusters_have_their_small_sample_factor(clusters):
    """The error of few clusters is statsmodels' with its correction, G / (G − 1) · (n − 1) / (n − 2)."""
    rng = np.random.default_rng(5)
    human, judge, along = rng.integers(0, 2, 21), rng.integers(0, 2, 21), rng.normal(size=21)
    group = np.arange(21) % clusters
    fitted = sm.OLS(judge - human, sm.add_constant(along)).fit(cov_type="cluster", cov_kwds={"groups": group})
    found = hs.labels.judge_bias(human, judge, along, groups=group)
    assert (found.value, found.standard_error) == pytest.approx((fitted.params[1], fitted.bse[1]))
    reach = stats.t(clusters - 1).ppf(0.975) * fitted.bse[1]
    assert (found.low, found.high) == pytest.approx((fitted.params[1] - reach, fitted.params[1] + reach))


@pytest.mark.parametrize("unit, move", [(1e-6, 0.0), (1e4, -7.0), (-0.5, 3.0)])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_unit_of_the_column_is_that_of_the_slope(unit, move, clustered):
    """In another unit of the column the slope and its limits are in that unit, turned if the column is."""
    human, judge, length = rows(300, np.random.default_rng(0), 0.3)
    groups = np.arange(300) // 30 if clustered else None
    one = hs.labels.judge_bias(human, judge, length, groups=groups)
    other = hs.labels.judge_bias(human, judge, unit * length + move, groups=groups)
    ends = sorted([one.low / unit, one.high / unit])
    assert (other.value, other.low, other.high) == pytest.approx((one.value / unit, *ends))
    freedom = 9 if clustered else (~np.isnan(human)).sum() - 2
    assert one.high - one.value == pytest.approx(stats.t(freedom).ppf(0.975) * one.standard_error)
    assert one.method == ("cluster_robust" if clustered else "hc3")
    assert one.reason == ""


def test_a_judge_off_by_the_same_everywhere_leans_nowhere():
    """A constant difference has a slope of 0 without error, and says so; one cluster has no error at all."""
    human, along = np.array([1.0, 2.0, 3.0, 4.0, 2.0]), np.arange(5.0)
    same = hs.labels.judge_bias(human, human + 1, along, check=False)
    assert (same.value, same.standard_error) == pytest.approx((0, 0), abs=1e-12)
    single = hs.labels.judge_bias(human, [1, 2, 2, 4, 3], along, groups=[1] * 5, check=False)
    assert np.isnan([single.low, single.high]).all()
    assert np.isfinite(single.value)


def test_missing_values_of_any_column_leave_the_case_out():
    """A case counts where human, judge and column all have a value."""
    human, judge, along = [1, 0, 1, 0, None, 1], [1, 1, 1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]
    found = hs.labels.judge_bias(human, judge, along)
    kept = [0, 1, 2, 3, 5]
    gap = np.array([judge[i] - human[i] for i in kept])
    assert found.value == pytest.approx(np.polyfit([along[i] for i in kept], gap, 1)[0])
    holes = hs.labels.judge_bias([*human, 1], [*judge, 0], [*along, None])
    assert holes.value == pytest.approx(found.value)
