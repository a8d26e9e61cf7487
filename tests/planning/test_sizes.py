"""How many cases a study takes: against closed forms, other packages, published figures, and fresh studies."""

import math
import pickle
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import NormalIndPower, TTestIndPower, TTestPower, normal_sample_size_one_tail
from statsmodels.stats.proportion import (
    power_ztost_prop,
    samplesize_confint_proportion,
    samplesize_proportions_2indep_onetail,
)

import howsure as hs
from howsure.metrics.contrast import EFFECTS
from howsure.planning.goals import Shown, Width
from howsure.planning.pilots import Pilot
from howsure.planning.search import simulated
from howsure.tables.table import select_table

PILOT = hs.from_counts([[50, 3], [5, 42]])  # accuracy 0.92
OTHER = hs.from_counts([[40, 13], [9, 38]])  # accuracy 0.78
ASAH = pd.read_csv(Path(__file__).parents[1] / "data" / "asah.csv")
NORMAL = NormalDist().inv_cdf


def paired_of(both, first, second, neither):
    """Return 100 cases by which of two models is right."""
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [both, first, second, neither], axis=0)
    truth = np.arange(len(right)) % 2
    return hs.paired(
        truth, {"new": np.where(right[:, 0], truth, 1 - truth), "old": np.where(right[:, 1], truth, 1 - truth)}
    )


PAIRED = paired_of(70, 18, 7, 5)  # a quarter of the cases discordant, difference 0.11


# ------------------------------------------------------------------------------- the normal distribution alone


@pytest.mark.usefixtures("few")
def test_width_of_a_share_is_the_closed_form():
    """The normal step for a share is statsmodels' sample size of a normal interval of a proportion."""
    found = hs.plan(PILOT, "accuracy", width=0.05).asymptotic
    assert found == pytest.approx(samplesize_confint_proportion(0.92, 0.025), rel=1e-9)


@pytest.mark.usefixtures("few")
def test_sensitivity_takes_the_positives_and_their_share():
    """Buderer (1996): z² SN (1 − SN) / W² positives, and that over the prevalence in all; W is half the width."""
    pilot = hs.from_counts([[720, 80], [20, 180]])  # sensitivity 0.9, specificity 0.9, prevalence 0.2
    positives = 1.96**2 * 0.9 * 0.1 / 0.1**2
    assert hs.plan(pilot, "recall", width=0.2).asymptotic == pytest.approx(positives / 0.2, rel=1e-4)
    assert math.ceil(positives / 0.2) == 173


@pytest.mark.usefixtures("few")
def test_goal_for_a_share_has_the_variance_of_the_null():
    """One proportion against a value: statsmodels' formula with either hypothesis' own standard deviation."""
    found = hs.plan(PILOT, "accuracy", power=0.8, null=0.85, alternative="greater").asymptotic
    expected = normal_sample_size_one_tail(0.07, 0.8, 0.05, math.sqrt(0.85 * 0.15), math.sqrt(0.92 * 0.08))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.usefixtures("few")
def test_two_test_sets_have_the_pooled_variance():
    """Two proportions of equal samples: statsmodels' sample size with the pooled share under the null."""
    found = hs.plan(PILOT, OTHER, "accuracy", power=0.8).asymptotic
    assert found == pytest.approx(2 * samplesize_proportions_2indep_onetail(0.14, 0.78, 0.8), rel=1e-5)


@pytest.mark.usefixtures("few")
def test_not_worse_has_the_variance_of_the_truth():
    """Non-inferiority of two proportions: (z + z)² times the sum of the variances over the squared distance."""
    asked = {"power": 0.9, "margin": 0.05, "alternative": "greater"}
    variance = 0.92 * 0.08 + 0.78 * 0.22
    expected = 2 * (NORMAL(0.95) + NORMAL(0.9)) ** 2 * variance / (0.14 + 0.05) ** 2
    assert hs.plan(PILOT, OTHER, "accuracy", **asked).asymptotic == pytest.approx(expected, rel=1e-9)


@pytest.mark.usefixtures("few")
def test_same_cases_are_connors_formula():
    """McNemar's test: (z sqrt(ψ) + z sqrt(ψ − δ²))² / δ² cases, ψ the discordant share (Connor 1987)."""
    expected = (NORMAL(0.975) * math.sqrt(0.25) + NORMAL(0.8) * math.sqrt(0.25 - 0.11**2)) ** 2 / 0.11**2
    assert hs.plan(PAIRED, "accuracy", power=0.8).asymptotic == pytest.approx(expected, rel=1e-5)


@pytest.mark.usefixtures("few")
def test_equivalence_has_the_power_of_two_one_sided_tests():
    """At the planned number statsmodels' two one-sided tests of a proportion have the requested power."""
    found = hs.plan(PILOT, "accuracy", power=0.8, margin=(0.87, 0.97), confidence_level=0.9).asymptotic
    power = power_ztost_prop(0.87, 0.97, found, 0.92, alpha=0.05, variance_prop=0.92, discrete=False)[0]
    assert power == pytest.approx(0.8, abs=1e-6)


@pytest.fixture(scope="module")
def normal_values():
    """Return 120 values at normal quantiles, of mean zero."""
    at = (np.arange(120) + 0.5) / 120
    return np.array([NORMAL(each) for each in at])


def test_means_are_those_of_a_t_test(normal_values):
    """A mean half a standard deviation off: the z test's number first, the t test's after the simulated check."""
    spread = np.std(normal_values, ddof=1)
    plan = hs.plan(hs.values(normal_values + 0.5 * spread), "mean", power=0.8, null=0.0, method="delta")
    assert plan.asymptotic == pytest.approx(NormalIndPower().solve_power(0.5, power=0.8, alpha=0.05, ratio=0), rel=1e-4)
    assert plan.n == pytest.approx(TTestPower().solve_power(0.5, power=0.8, alpha=0.05), abs=1.5)


@pytest.mark.thorough
def test_two_means_are_those_of_a_t_test(normal_values):
    """Two means half a standard deviation apart: the two-sample z and t tests."""
    shifted = normal_values + 0.5 * np.std(normal_values, ddof=1)
    plan = hs.plan(hs.values(shifted), hs.values(normal_values), "mean", power=0.8, method="delta")
    assert plan.asymptotic == pytest.approx(2 * NormalIndPower().solve_power(0.5, power=0.8, alpha=0.05), rel=1e-5)
    assert plan.n == pytest.approx(2 * TTestIndPower().solve_power(0.5, power=0.8, alpha=0.05), abs=4)


@pytest.mark.usefixtures("few")
def test_areas_of_the_same_cases_have_delongs_variance():
    """PROC's `power.roc.test(r.ndka, r.wfns, power=0.9)`: 64.77777 cases and 113.7561 controls.

    These figures are in the tests of pROC 1.18. It gives both models the first one's variance under the null, we the
    variance of the truth: with its null variance the parts of ours give its number.
    """
    positive = ASAH["outcome"] == "Poor"
    first, second = (hs.estimate(hs.scores(positive, ASAH[name]), "roc_auc") for name in ("ndka", "wfns"))
    table = hs.paired_scores(positive, {name: ASAH[name] for name in ("ndka", "wfns")})
    gap = hs.compare(table, "roc_auc")
    own, variance = hs.plan(table, "roc_auc", power=0.9).asymptotic, gap.standard_error**2
    covariance = (first.standard_error**2 + second.standard_error**2 - variance) / 2
    null = 2 * first.standard_error**2 - 2 * covariance
    assert own == pytest.approx(113 * (NORMAL(0.975) + NORMAL(0.9)) ** 2 * variance / gap.value**2, rel=1e-4)
    theirs = 113 * (NORMAL(0.975) * math.sqrt(null) + NORMAL(0.9) * math.sqrt(variance)) ** 2 / gap.value**2
    assert theirs == pytest.approx(64.77777 + 113.7561, rel=1e-6)


def test_power_of_an_area_is_near_obuchowskis():
    """PROC's tests have a power of 0.9904833 of the area of s100b, by Obuchowski's formula; ours is simulated."""
    table = hs.scores(ASAH["outcome"] == "Poor", ASAH["s100b"])
    assert hs.plan(table, "roc_auc", n=113, null=0.5).power == pytest.approx(0.9905, abs=0.015)


def test_width_of_an_area_by_newcombes_formula():
    """Pmvalsampsize 0.2.1 gives 1,026 cases: cstatistic=0.770004, prevalence=500/5500, cstatciwidth=0.1."""
    low = np.array([NORMAL((each + 0.5) / 5000) for each in range(5000)])
    high = np.array([NORMAL((each + 0.5) / 500) for each in range(500)]) + math.sqrt(2) * NORMAL(0.77)
    pilot = Pilot.of(
        (hs.scores(np.repeat([0, 1], [5000, 500]), np.concatenate([low, high])),),
        "roc_auc",
        effect=EFFECTS["difference"],
        method=hs.methods.Newcombe(),
    )
    assert pilot.value == pytest.approx(0.770004, abs=1e-6)
    assert pilot.variance * (2 * 1.96 / 0.1) ** 2 == pytest.approx(1026, rel=3e-3)  # which has terms of 1 / n², too


# ------------------------------------------------------------------------------------------ the simulated check

PROMISES = {
    "width of F1": ((PILOT, "f1"), {"width": 0.1}),
    "width, few cases": ((PILOT, "mcc"), {"width": 0.4}),
    "width, clusters": ((PILOT, "accuracy"), {"width": 0.15, "cluster_size": 5, "icc": 0.2}),
    "power, same cases": ((PAIRED, "accuracy"), {"power": 0.8}),
    "power, test sets": ((PILOT, OTHER, "f1"), {"power": 0.8}),
    "not worse": ((PAIRED, "accuracy"), {"power": 0.9, "margin": 0.1, "true_value": 0.0, "alternative": "greater"}),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROMISES)
def test_fresh_studies_keep_the_promise(name):
    """Studies from another seed have the width within 3 %, or the power within 2 points and the simulation's error."""
    given, asked = PROMISES[name]
    plan = hs.plan(*given, **asked)
    again = hs.plan(
        *given, n=plan.n, random_state=5, **{key: asked[key] for key in asked if key not in {"width", "power"}}
    )
    if plan.goal == "width":
        assert again.width == pytest.approx(plan.target, rel=0.03 + 0.5 * plan.units**-1 * ("clusters" in name))
    else:
        assert again.power == pytest.approx(plan.target, abs=0.02 + 3 * math.sqrt(0.2 / again.studies))


def test_batches_are_what_each_study_is_alone():
    """A simulated study counts as shown where `compare` of its table alone has limits that show it."""
    pilot = Pilot.of((PAIRED,), "accuracy", effect=EFFECTS["difference"])
    goal, seed = Shown(0.8, 0.95, ((0.0, math.inf), (-math.inf, 0.0))), np.random.SeedSequence(3)
    tables = pilot.drawn(60, 40, np.random.default_rng(0))
    joint, metric = pilot.of_batch(tables)
    together = goal.seen(joint, pilot.chosen.at_levels(metric, joint)(0.95))
    alone = [hs.compare(select_table(joint, index), "accuracy") for index in range(40)]
    assert together.tolist() == [float(each.low > 0 or each.high < 0) for each in alone]
    assert 0 < together.mean() < 1
    assert simulated(pilot, [goal, Width(1.0, 0.95)], 0.95, 60, seed)[0].studies == 4000


def test_plans_do_not_change_from_call_to_call():
    """The same seed gives the same number, and another seed one that is near."""
    first, second, other = (hs.plan(PILOT, "f1", width=0.1, random_state=seed) for seed in (1, 1, 2))
    assert first.n == second.n
    assert other.n == pytest.approx(first.n, rel=0.03)
    assert pickle.loads(pickle.dumps(first)).records() == first.records()


def test_smallest_difference_is_that_which_takes_so_many_cases():
    """The smallest value that n cases show, used as the true value, needs n cases."""
    smallest = hs.plan(PAIRED, "accuracy", n=200, power=0.8)
    back = hs.plan(PAIRED, "accuracy", power=0.8, true_value=smallest.true_value)
    assert 0 < smallest.true_value < 0.2
    assert back.n == pytest.approx(200, rel=0.03)


def test_one_number_serves_all_that_is_asked():
    """With several goals the one with most cases decides."""
    width, support = hs.plan(PILOT, "f1", width=0.1), hs.plan(PILOT, "f1", support={"1": 300})
    both = hs.plan(PILOT, "f1", width=0.1, support={"1": 300})
    assert (both.goal, both.n) == ("support", support.n)
    assert both.n > width.n
    assert both.width < 0.1


def test_classes_are_met_as_often_as_the_binomial_says():
    """71 cases contain thirty of a class of 47 % with probability 0.8, by the binomial distribution."""
    chance = [sum(math.comb(n, k) * 0.47**k * 0.53 ** (n - k) for k in range(30, n + 1)) for n in (70, 71)]
    assert chance[0] < 0.8 <= chance[1]
    assert hs.plan(PILOT, "accuracy", support={"1": 30}).n == 71


def test_perfect_pilot_is_planned_by_pseudo_cases():
    """A pilot without an error is planned with two pseudo-cases, and the plan states this."""
    plan = hs.plan(hs.from_counts([[50, 0], [0, 40]]), "accuracy", width=0.05)
    assert plan.true_value == pytest.approx(91 / 92)  # of two pseudo-cases spread over four cells one is right
    assert "pseudo-counts" in plan.note
    assert plan.asymptotic == pytest.approx(4 * 1.959964**2 * (91 / 92) * (1 / 92) / 0.05**2, rel=1e-5)


def test_pilots_like_a_perfect_one_surround_its_plan():
    """The range of numbers from other pilots includes the planned one if most of these are perfect, too."""
    plan = hs.plan(hs.from_counts([[50, 0], [0, 40]]), "recall", width=0.1)
    assert plan.low <= plan.n <= plan.high
    assert "pilot (90 cases)" in plan.sentence()


def of_two(first, second):
    """Return the table of 300 cases of which two models are wrong from one case to another."""
    truth = np.arange(300) % 2
    said = [
        np.where((np.arange(300) >= start) & (np.arange(300) < stop), 1 - truth, truth)
        for start, stop in (first, second)
    ]
    return hs.paired(truth, {"a": said[0], "b": said[1]})


@pytest.mark.parametrize(
    "metric",
    ["accuracy", pytest.param("f1", marks=pytest.mark.thorough), pytest.param("mcc", marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize("stop", [64, 44])  # 44 and 24 errors, of which 24 are common
def test_the_interval_of_a_plan_contains_its_number_and_has_no_upper_end_where_the_difference_may_be_0(metric, stop):
    """Pilots like one with nearly equal models show larger differences, and smaller numbers, on either side of 0."""
    pilot = of_two((0, 45), (20, stop))
    plan = hs.plan(pilot, metric, power=0.8)
    known = hs.compare(pilot, metric)
    assert plan.low <= plan.n <= plan.high
    assert np.isinf(plan.high) == (known.low < 0 < known.high) == (stop == 64)
    assert plan.records()[0]["unbounded"] == np.isinf(plan.high)
    assert ("no upper end" in plan.sentence()) == np.isinf(plan.high)


def test_share_of_a_stated_value_does_not_hang_on_the_pilot():
    """A stated accuracy has the variance p (1 − p), for any pilot: the numbers of other pilots are the same."""
    plan = hs.plan(PILOT, "accuracy", width=0.1, true_value=0.95)
    assert (plan.low, plan.high) == pytest.approx((plan.n, plan.n), rel=1e-6)
    assert "may take" not in plan.sentence()


def test_value_at_the_end_of_its_range_has_a_width():
    """Were the accuracy 1, first order would have no variance: the width is that of studies without an error."""
    plan = hs.plan(PILOT, "accuracy", width=0.1, true_value=1)
    widths = [hs.estimate(hs.from_counts([[n, 0], [0, 0]]), "accuracy") for n in (plan.n - 1, plan.n)]
    assert [each.high - each.low for each in widths] == pytest.approx([0.1, 0.1], rel=0.05)
    assert plan.width == pytest.approx(0.1, rel=0.03)


def test_anytime_intervals_are_as_narrow_or_as_telling_as_asked():
    """A confidence sequence needs more cases than to first order, and the search finds them."""
    plan = hs.plan(PILOT, "accuracy", width=0.1, method="anytime")
    assert plan.width == pytest.approx(0.1, rel=0.01)
    assert plan.n > 2 * plan.asymptotic


def test_smallest_value_near_the_end_of_its_range():
    """If all of 100 cases are right the exact lower limit is 0.05 ** (1 / 100) = 0.9705, above 0.97."""
    found = hs.plan(PILOT, "accuracy", power=0.8, n=100, null=0.97, alternative="greater")
    assert 0.99 < found.true_value < 1
    assert found.power == pytest.approx(found.true_value**100, abs=0.03)
    with pytest.raises(hs.HowsureError, match="20 cases show no value of `accuracy` with a power of 0.8"):
        hs.plan(PILOT, "accuracy", power=0.8, n=20, null=0.99, alternative="greater")


# ------------------------------------------------------------------------------------------------------- splits


def test_best_split_is_neymans():
    """Balanced accuracy of shares 0.9 and 0.6: cases of the classes in proportion to their standard deviations."""
    table = hs.from_counts([[90, 10], [40, 60]])
    first, second = hs.plan(table, "balanced_accuracy", width=0.1).splits
    assert second.best / first.best == pytest.approx(math.sqrt(0.6 * 0.4 / (0.9 * 0.1)), rel=0.02)
    n, even = first.cases + second.cases, 2 * (0.9 * 0.1 + 0.6 * 0.4)
    best = (math.sqrt(0.9 * 0.1) + math.sqrt(0.6 * 0.4)) ** 2
    assert first.best + second.best == pytest.approx(n * best / even, abs=2)


def test_best_split_keeps_the_width():
    """Studies of the best split have the width of the planned ones: with fixed classes, within 3 %."""
    table = hs.from_counts([[90, 10], [40, 60]]).with_design(hs.designs.FixedMargins())
    shares = [each.best for each in hs.plan(table, "balanced_accuracy", width=0.1).splits]
    right = [round(0.9 * shares[0]), round(0.6 * shares[1])]
    split = hs.from_counts([[right[0], shares[0] - right[0]], [shares[1] - right[1], right[1]]])
    again = hs.plan(split.with_design(hs.designs.FixedMargins()), "balanced_accuracy", n=sum(shares))
    assert again.width == pytest.approx(0.1, rel=0.03)


def test_sensitivity_needs_no_negatives():
    """The best split for a sensitivity has no negative case."""
    negatives, positives = hs.plan(PILOT, "recall", width=0.1).splits
    assert negatives.best == 0
    assert positives.best == pytest.approx(positives.cases, abs=1)


def test_test_sets_are_split_by_their_spread():
    """Among two test sets the one with the larger variance gets more cases."""
    first, second = hs.plan(PILOT, OTHER, "accuracy", width=0.1).splits
    assert second.best / first.best == pytest.approx(math.sqrt(0.78 * 0.22 / (0.92 * 0.08)), rel=0.01)


def test_clusters_of_other_sizes_have_the_same_variance():
    """Twice the clusters' size takes (1 + (2 m − 1) icc) / (1 + (m − 1) icc) times the cases."""
    plan = hs.plan(PILOT, "accuracy", width=0.1, cluster_size=5, icc=0.2)
    clusters = dict(plan.cluster_sizes)
    assert 10 * clusters[10] == pytest.approx(plan.n * (1 + 9 * 0.2) / (1 + 4 * 0.2), rel=0.02)
    assert plan.asymptotic == pytest.approx(1.8 * hs.plan(PILOT, "accuracy", width=0.1).asymptotic)


def test_clusters_of_the_pilot_tell_their_correlation():
    """Clusters with full agreement have an intracluster correlation of 1: more cases in each add nothing."""
    truth = np.repeat(np.arange(40) % 2, 4)
    said = np.where(np.repeat(np.arange(40) % 5 == 0, 4), 1 - truth, truth)
    pilot = hs.confusion(truth, said, groups=np.repeat(np.arange(40), 4))
    plan = hs.plan(pilot, "accuracy", width=0.2)
    assert {clusters for _, clusters in plan.cluster_sizes} <= {plan.units, plan.units - 1, plan.units + 1}


@pytest.mark.usefixtures("few")
def test_more_runs_help_as_far_as_they_go():
    """Tasks of r runs have the variance between + within / r: with runs without end half of it is left here."""
    rng = np.random.default_rng(4)
    chance = np.repeat(rng.beta(1.0, 1.0, 200), 4)
    table = hs.trials((rng.random(800) < chance).astype(int), task=np.repeat(np.arange(200), 4))
    mean, icc = hs.estimate(table, "mean").value, hs.estimate(table, "icc").value
    for runs in (1, 4, 16):
        plan = hs.plan(table, "mean", width=0.1, cluster_size=runs)
        variance = mean * (1 - mean) * (icc + (1 - icc) / runs)
        assert plan.asymptotic == pytest.approx(variance * (2 * 1.959964 / 0.1) ** 2, rel=0.01)


# ------------------------------------------------------------------------------------------- labels, and refusals


def test_labels_beside_a_judge_are_those_of_the_label_plan():
    """For judged cases the number is that of all human labels, with the split of the label plan."""
    judge = ["pass"] * 800 + ["fail"] * 200
    human = ["pass"] * 57 + ["fail"] * 3 + [None] * 740 + ["fail"] * 10 + ["pass"] * 5 + [None] * 185
    table = hs.judged(human, judge)
    plan, labels = hs.plan(table, "pass_rate", width=0.08), hs.labels.label_plan(table, "pass_rate", width=0.08)
    assert plan.n == 75 + labels.labels.sum()
    assert [each.best for each in plan.splits] == (labels.labelled + labels.labels).astype(int).tolist()
    assert plan.studies == 0


def test_reviews_are_the_fewest_that_the_review_plan_needs():
    """For reviewed cases the number is the smallest budget with which the review plan reaches the width."""
    table = hs.reviewed([[900, 20], [30, 50]], [[[0, 0], [3, 2]], [[0, 0], [0, 5]]])
    more = hs.plan(table, "precision", width=0.3).n - 10
    assert hs.labels.review_plan(table, "precision", budget=more).planned_width <= 0.3
    assert hs.labels.review_plan(table, "precision", budget=more - 1).planned_width > 0.3


REFUSED = {
    "nothing asked": ((PILOT, "f1"), {}, "State the aim of the study"),
    "no metric": ((PILOT,), {"width": 0.1}, r"Call `plan\("),
    "width below zero": ((PILOT, "f1"), {"width": -0.1}, "`width` is -0.1"),
    "width of the whole range": ((PILOT, "f1"), {"width": 1.0}, "any study reaches it"),
    "width of one limit": ((PILOT, "f1"), {"width": 0.1, "alternative": "less"}, "two limits"),
    "width and number": ((PILOT, "f1"), {"width": 0.1, "n": 100}, "not both"),
    "power in percent": ((PILOT, "f1"), {"power": 80, "null": 0.5}, "Did you mean 0.8"),
    "power of nothing": ((PILOT, "f1"), {"power": 0.8}, "null=0.8"),
    "what is not true": ((PILOT, "f1"), {"power": 0.8, "null": 0.95, "alternative": "greater"}, "no study shows"),
    "no difference": ((PAIRED, "accuracy"), {"power": 0.8, "true_value": 0.0}, "no study shows"),
    "margin of nothing": ((PILOT, "f1"), {"power": 0.8, "margin": 0.1}, "`margin` lies around a value"),
    "margin below zero": ((PAIRED, "f1"), {"power": 0.8, "margin": -0.1}, "`margin` is -0.1"),
    "unreachable truth": ((PILOT, "f1"), {"width": 0.1, "true_value": 1.5}, "No truth like the pilot"),
    "three knobs": ((PAIRED, "f1"), {"power": 0.8, "n": 90, "true_value": 0.1}, "one is found from the others"),
    "undefined": ((hs.from_counts([[5, 0], [0, 0]]), "recall"), {"width": 0.1}, "undefined on the pilot"),
    "constant": ((PILOT.with_design(hs.designs.FixedMargins()), "prevalence"), {"width": 0.1}, "does not vary"),
    "clusters without icc": ((PILOT, "f1"), {"width": 0.1, "cluster_size": 5}, "`icc=`"),
    "icc of one": ((PILOT, "f1"), {"width": 0.1, "cluster_size": 5, "icc": 1}, "from 0 to below 1"),
    "clusters of scores with weights": (
        (hs.confusion([0, 1] * 9, [0, 1, 1] * 6, sample_weight=np.arange(1.0, 19)), "f1"),
        {"width": 0.3, "cluster_size": 5, "icc": 0.1},
        "without weights",
    ),
    "clusters of mean weight one": (
        (hs.confusion([0, 1] * 9, [0, 1, 1] * 6, sample_weight=[0.5, 1.5] * 9), "f1"),
        {"width": 0.3, "cluster_size": 5, "icc": 0.1},
        "without weights",
    ),
    "class that never comes": ((hs.from_counts([[5, 1], [0, 0]]), "accuracy"), {"support": 5}, "no case of class"),
    "class that nobody knows": ((PILOT, "accuracy"), {"support": {"2": 5}}, "no class '2'"),
    "groups": ((hs.confusion([0, 1, 1], [0, 1, 0], by=["a", "a", "b"]), "f1"), {"width": 0.1}, "one table at a time"),
    "two kinds": ((PILOT, hs.values([1.0, 2.0]), "accuracy"), {"power": 0.8}, "two tables of one kind"),
    "tiny difference": ((PAIRED, "accuracy"), {"power": 0.8, "true_value": 1e-6}, "takes more than"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_questions_are_refused_in_one_line(name):
    """What cannot be planned is refused in one line that names the culprit and the remedy."""
    given, asked, words = REFUSED[name]
    with pytest.raises(hs.HowsureError, match=words):
        hs.plan(*given, **asked)


def test_what_so_many_cases_reach_has_a_curve_around_them():
    """The curve goes from an eighth to eight times the number, in equal ratios; widths fall as 1 / √n about it."""
    plan = hs.plan(PILOT, "accuracy", n=400, method="wald")
    assert (plan.goal, plan.n, plan.units, plan.pilot) == ("width", 400, 400, 100)
    assert np.isnan([plan.asymptotic, plan.low, plan.high, plan.power, plan.support]).all()
    assert len(plan.curve.n) == 41
    assert plan.curve.n == pytest.approx(np.geomspace(50, 3200, 41))
    assert plan.curve.reached * np.sqrt(plan.curve.n) == pytest.approx(np.full(41, 20 * plan.width), rel=1e-6)
    assert plan.width == pytest.approx(2 * NORMAL(0.975) * math.sqrt(0.92 * 0.08 / 400), rel=0.01)
    assert plan.target == plan.width
    assert (plan.curve.low <= plan.curve.reached).all()
    assert (plan.curve.high >= plan.curve.reached).all()
    few = hs.plan(PILOT, "accuracy", n=3, support=1, random_state=1)
    assert few.curve.n[0] == pytest.approx(2)
    assert few.support == pytest.approx(1 - 0.53**3 - 0.47**3, abs=0.03)


@pytest.mark.usefixtures("few")
def test_a_ratio_of_two_test_sets_is_planned_by_its_relative_variance():
    """The ratio of two shares has the variance R² Σ (1 − p) / p on one case of either of two equal test sets."""
    found = hs.plan(PILOT, OTHER, "accuracy", width=0.2, contrast="ratio", method="delta").asymptotic
    ratio = 0.92 / 0.78
    variance = 2 * ratio**2 * (0.08 / 0.92 + 0.22 / 0.78)
    assert found == pytest.approx(variance * (2 * NORMAL(0.975) / 0.2) ** 2, rel=1e-4)


def test_a_lower_smallest_value_is_shown_from_below():
    """For `less` the smallest value lies below the null one, as far as n cases show, and never beyond the range."""
    above, below = (
        hs.plan(PILOT, "accuracy", power=0.8, n=400, null=0.8, alternative=each) for each in ("greater", "less")
    )
    z = NORMAL(0.95)
    for plan, sign in ((above, 1), (below, -1)):
        value = plan.true_value
        gap = z * math.sqrt(0.8 * 0.2 / 400) + NORMAL(0.8) * math.sqrt(value * (1 - value) / 400)
        assert sign * (value - 0.8) == pytest.approx(gap, rel=0.15)
        assert plan.power == pytest.approx(0.8, abs=0.03)
        assert plan.curve.high - plan.curve.low == pytest.approx(np.zeros(41), abs=1e-6)  # the value is stated
    with pytest.raises(hs.HowsureError, match="drop `margin`"):
        hs.plan(PILOT, "accuracy", power=0.8, n=400, margin=(0.8, 0.95))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    "first, second",
    [
        ([[50, 3], [5, 42]], [[400, 130], [90, 380]]),
        ([[400, 130], [90, 380]], [[50, 3], [5, 42]]),
        ([[50, 3], [5, 42]], [[40, 13], [9, 38]]),
    ],
)
def test_test_sets_of_unequal_size_are_pooled(first, second):
    """The normal approximation is the textbook's for two proportions, pooled under the null, whatever the sizes."""
    tables = [hs.from_counts(each) for each in (first, second)]
    found = hs.plan(*tables, "accuracy", power=0.8)
    sizes = np.array([table.rows for table in tables])
    right, shares = np.array([np.trace(table.counts) for table in tables]) / sizes, sizes / sizes.sum()
    pooled = shares @ right
    null, true = pooled * (1 - pooled) * (1 / shares).sum(), (right * (1 - right) / shares).sum()
    quantiles = np.array([NormalDist().inv_cdf(each) for each in (0.975, 0.8)])
    expected = (quantiles @ np.sqrt([null, true]) / (right[0] - right[1])) ** 2
    assert found.asymptotic == pytest.approx(expected, rel=1e-5)
