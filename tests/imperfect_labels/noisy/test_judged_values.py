"""Cases graded by a judge in numbers, and by people in part."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError
from howsure.imperfect_labels.noisy.judged_values import _ranges


def study(labelled, others, rng):
    """Human grades from 1 to 5 with gaps, all of them, and the judge's score."""
    quality = rng.beta(4, 1.5, labelled + others)
    grades = np.clip(np.round(1 + 4 * quality + rng.normal(0, 0.5, len(quality))), 1, 5)
    score = np.clip(quality + rng.normal(0, 0.08, len(quality)), 0, 1)
    return np.where(np.arange(len(grades)) < labelled, grades, np.nan), grades, score


def test_the_mean_is_that_of_the_judges_strata():
    """With 20 grades there are two strata, cut at the median score of graded cases: weighted means of the strata."""
    human, _, score = study(20, 200, np.random.default_rng(0))
    known = ~np.isnan(human)
    upper = score > np.sort(score[known])[9]  # than the tenth of twenty
    expected = sum(part.mean() * human[known & part].mean() for part in (upper, ~upper))
    table = hs.judged_values(human, score, bounds=(1, 5))
    assert table.counts.sum() == pytest.approx(220)
    assert hs.estimate(table, "mean") == pytest.approx(expected)


def test_zeros_and_ones_are_verdicts():
    """If human and judge give 0 and 1, the mean is the pass rate of `judged`, with its interval."""
    rng = np.random.default_rng(1)
    truth = rng.random(500) < 0.8
    judge = np.where(rng.random(500) < 0.9, truth, ~truth).astype(float)
    human = np.where(np.arange(500) < 60, truth, np.nan)
    rate = hs.estimate(hs.judged(human, judge, check=False), "pass_rate")
    mean = hs.estimate(hs.judged_values(human, judge, bounds=(0, 1)), "mean")
    assert (mean.value, mean.low, mean.high) == pytest.approx((rate.value, rate.low, rate.high))


def test_only_the_order_of_the_judges_grades_matters():
    """A judge with grades from 0 to 100, or with their logarithms, gives the same result."""
    human, _, score = study(80, 800, np.random.default_rng(2))
    found = [hs.estimate(hs.judged_values(human, each, bounds=(1, 5)), "mean") for each in (score, np.exp(5 * score))]
    assert found[0].low == pytest.approx(found[1].low)


def test_a_judge_narrows_the_interval_and_holds_the_truth():
    """With 100 human grades the interval is at least a tenth narrower than from them alone, also for proportions."""
    rng = np.random.default_rng(3)
    human, _, score = study(100, 2000, rng)
    known = ~np.isnan(human)
    table = hs.judged_values(human, score, bounds=(1, 5))
    for metric in ("mean", "share+at_least=4"):
        together, alone = hs.estimate(table, metric), hs.estimate(hs.values(human[known], bounds=(1, 5)), metric)
        assert together.high - together.low < 0.9 * (alone.high - alone.low)
    assert hs.estimate(table, "median").reason  # most grades are equal, so it varies in no repetition


@pytest.mark.thorough
def test_the_median_of_fine_grades_is_covered():
    """In 60 studies with 100 human grades, 0.95 minus three standard errors of 0.028 cover the median of all."""
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        human, grades, score = study(100, 2000, rng)
        fraction = rng.random(len(human))
        median = hs.estimate(hs.judged_values(human - fraction, score, bounds=(0, 5)), "median")
        held += median.low <= np.median(grades - fraction) <= median.high
    assert held / 60 > 0.95 - 3 * 0.028


def test_groups_weights_and_parts_go_through():
    """Clusters widen the interval where grades go together in them; each part has a table of its own."""
    human, _, score = study(120, 600, np.random.default_rng(4))
    rows = {"human": human, "score": score, "talk": np.repeat(np.arange(240), 3), "half": np.arange(720) % 2}
    rows["weight"] = 1.0 + rows["half"]
    tables = hs.judged_values("human", "score", data=rows, bounds=(1, 5), by="half", groups="talk")
    second = rows["half"] == 1
    alone = hs.judged_values(human[second], score[second], bounds=(1, 5), groups=rows["talk"][second])
    assert hs.estimate(tables[1], "mean").low == pytest.approx(hs.estimate(alone, "mean").low)
    weighted = hs.judged_values("human", "score", data=rows, bounds=(1, 5), sample_weight="weight")
    found = hs.estimate(weighted, "mean")
    assert 1 < found.low < found < found.high < 5


def pair(labelled, others, rng):
    """Grades of two systems' outputs, the second's a little worse, of which people gave the first few; the judge's."""
    quality = rng.beta(4, 1.5, labelled + others)
    both = quality, np.clip(quality - 0.1 + rng.normal(0, 0.1, len(quality)), 0, 1)
    grades = [np.clip(np.round(1 + 4 * each + rng.normal(0, 0.5, len(each))), 1, 5) for each in both]
    scores = [np.clip(each + rng.normal(0, 0.08, len(each)), 0, 1) for each in both]
    known = np.arange(labelled + others) < labelled
    return {"A": np.where(known, grades[0], np.nan), "B": np.where(known, grades[1], np.nan)}, dict(
        zip("AB", scores, strict=True)
    )


def test_two_systems_are_compared_by_strata_of_the_judges_difference():
    """With 20 grades there are two strata, cut at the median difference of graded cases: weighted stratum means."""
    human, judge = pair(20, 200, np.random.default_rng(5))
    known, gap = ~np.isnan(human["A"]), judge["A"] - judge["B"]
    upper = gap > np.sort(gap[known])[9]
    mean = {
        name: sum(part.mean() * grades[known & part].mean() for part in (upper, ~upper))
        for name, grades in human.items()
    }
    table = hs.judged_values(human, judge, bounds=(1, 5))
    found = hs.compare(table, "mean")
    assert found.value == pytest.approx(mean["A"] - mean["B"])
    assert hs.estimate(table.model("B"), "mean") == pytest.approx(mean["B"])
    assert -4 < found.low < found.value < found.high < 4
    turned = hs.compare(
        hs.judged_values(*({"B": each["B"], "A": each["A"]} for each in (human, judge)), bounds=(1, 5)), "mean"
    )
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_a_case_counts_as_graded_where_people_graded_both_outputs():
    """A grade of one system's output alone has no information on their difference."""
    human, judge = pair(30, 100, np.random.default_rng(6))
    fewer = {"A": human["A"].copy(), "B": np.where(np.arange(130) < 25, human["B"], np.nan)}
    both = {name: np.where(np.arange(130) < 25, grades, np.nan) for name, grades in human.items()}
    found, expected = (hs.compare(hs.judged_values(each, judge, bounds=(1, 5)), "mean") for each in (fewer, both))
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


@pytest.mark.parametrize("options", [{}, {"groups": "talk"}, {"sample_weight": "weight"}, {"by": "half"}])
@pytest.mark.parametrize("method", ["auto", "wald", "bootstrap_percentile", "bayes"])
def test_pairs_go_through_all_designs_and_methods(options, method):
    """Limits contain the difference, within the bounds, in every group."""
    human, judge = pair(60, 300, np.random.default_rng(7))
    rows = {"a": human["A"], "b": human["B"], "judge_a": judge["A"], "judge_b": judge["B"]}
    rows |= {"talk": np.arange(360) // 3, "weight": 1.0 + np.arange(360) % 3, "half": np.arange(360) % 2}
    columns = {"A": "a", "B": "b"}, {"A": "judge_a", "B": "judge_b"}
    given = hs.judged_values(*columns, data=rows, bounds=(1, 5), **options)
    for table in given.values() if options.get("by") else [given]:
        found = hs.compare(table, "mean", method=method, random_state=0)
        assert -4 <= found.low < found.value < found.high <= 4


@pytest.mark.thorough
def test_differences_are_covered_in_a_short_sample():
    """In 25 studies with 50 graded pairs at least 20 cover the difference, as in 999 of 1,000 runs at 95 %."""
    rng = np.random.default_rng(8)
    everyone = pair(300_000, 0, rng)[0]
    truth = everyone["A"].mean() - everyone["B"].mean()
    found = [hs.compare(hs.judged_values(*pair(50, 300, rng), bounds=(1, 5)), "mean") for _ in range(25)]
    assert sum(each.low <= truth <= each.high for each in found) >= 20


@pytest.mark.parametrize(
    "human, judge, options, words",
    [
        (["good", None, "bad"], [1, 2, 3], {}, "`human` is not numeric"),
        ([1, None, 2], ["a", "b", "c"], {}, "`judge` is not numeric"),
        ([1, None, 2], [1, None, 3], {}, "`judge` has 1 missing values"),
        ([None, None, 2], [1, 2, 3], {}, "`human` has 1 labels of 3 cases"),
        ([1, None, 6], [1, 2, 3], {"bounds": (1, 5)}, "`human` holds 6, outside the bounds 1 and 5"),
        ([1, None, 2], [1, 2], {}, "length"),
        ({"A": [1, 2]}, {"B": [1, 2]}, {}, "of two systems both by name"),
        ({"A": [1, 2], "B": [1, 2]}, {"A": [1, 2], "B": [1, None]}, {}, r"`judge\['B'\]` has 1 missing"),
        ({"A": [1, None], "B": [None, 2]}, {"A": [1, 2], "B": [1, 2]}, {}, "has 0 labels of 2 cases"),
    ],
)
def test_misuse_is_told_in_one_line(human, judge, options, words):
    """Words for numbers, missing grades, grades outside the bounds: one line names the culprit."""
    with pytest.raises(HowsureError, match=words):
        hs.judged_values(human, judge, **options)


def held(labelled, number):
    """Return the coverage of 95 % intervals for the mean grade."""
    rng = np.random.default_rng(labelled)
    truth = study(300_000, 0, rng)[1].mean()
    found = [
        hs.estimate(hs.judged_values(*study(labelled, 500, rng)[::2], bounds=(1, 5)), "mean") for _ in range(number)
    ]
    return np.mean([each.low <= truth <= each.high for each in found])


@pytest.mark.thorough
def test_intervals_cover_in_a_short_sample():
    """In 60 studies with 30 grades at least 52 cover the mean, as in 999 of 1,000 runs at 95 %."""
    assert held(30, 60) >= 52 / 60


@pytest.mark.slow
@pytest.mark.parametrize("labelled", [20, 100, 300])
def test_intervals_cover(labelled):
    """Coverage is at least 95 %, less three standard errors of the simulation."""
    assert held(labelled, 1000) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 1000)


@pytest.mark.parametrize("metric", ["mean", "std", "median"])
@pytest.mark.parametrize("bounds", [None, (0, 2)])
def test_a_group_has_the_interval_of_its_own_cases(metric, bounds):
    """Grades that occur only in other groups are not possible outcomes of a group."""
    human = np.array([0.98, 1.09, 0.93, 0.94, 1.05, 1.08, np.nan, np.nan])
    judge, by = np.array([1, 0.9, 0.95, 1, 1.1, 1.02, 0.97, 1]), np.array([0, 1, 0, 0, 1, 1, 0, 1])
    groups = hs.estimate(hs.judged_values(human, judge, by=by, bounds=bounds), metric)
    for group in (0, 1):
        own = by == group
        alone = hs.estimate(hs.judged_values(human[own], judge[own], bounds=bounds), metric)
        assert (groups[group].low, groups[group].high) == (alone.low, alone.high)


def test_a_group_without_grades_is_refused():
    """A group in which people graded nothing has no outcomes at all."""
    with pytest.raises(hs.HowsureError, match="In the group 1: `human` has 0 labels"):
        hs.judged_values([1.0, 2.0, np.nan, np.nan], [1.0, 2.0, 3.0, 4.0], by=[0, 0, 1, 1])


def test_one_infinite_grade_is_refused():
    """A single infinite grade among finite ones is named."""
    with pytest.raises(hs.HowsureError, match="infinite"):
        hs.judged_values(["1", "2", None], ["1", "inf", "3"])


def test_the_ranges_of_the_strata_are_their_lowest_and_highest_grade():
    """A stratum of one grade is named by it."""
    assert _ranges(np.array([0.2, 0.9, 0.1, 0.9]), np.array([0, 1, 0, 1])) == ("0.1 to 0.2", "0.9")
    assert _ranges(np.array([]), np.array([], dtype=int)) == ()
