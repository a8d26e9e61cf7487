"""Truths like a pilot's, and the studies that are drawn from them: counts and variances in closed form."""

import math

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.contrast import EFFECTS
from howsure.planning.clustered import Clustering
from howsure.planning.pilots import Pilot

COUNTS = np.array([[50.0, 3], [5, 42]])
TABLE, OTHER = hs.from_counts(COUNTS), hs.from_counts([[80, 26], [18, 76]])  # of 100 and of 200 cases


def of(*tables, metric="accuracy", effect="difference", **settings):
    return Pilot.of(tables, metric, effect=EFFECTS[effect], **settings)


@pytest.mark.parametrize("value", [0.5, 0.7, 0.92, 0.99])
def test_another_accuracy_keeps_the_shares_of_right_and_wrong_cases(value):
    """Among the right cases, and among the wrong ones, the cells stay in proportion; the number of cases stays."""
    moved = of(TABLE).moved(value)
    assert moved.value == pytest.approx(value, abs=1e-8)
    counts = moved.tables[0].counts
    assert counts.sum() == pytest.approx(100)
    assert counts[0, 0] / counts[1, 1] == pytest.approx(50 / 42)
    assert counts[0, 1] / counts[1, 0] == pytest.approx(3 / 5)
    assert moved.variance == pytest.approx(value * (1 - value), rel=1e-6)
    assert of(TABLE).null_variance(value) == pytest.approx(value * (1 - value), rel=1e-6)


def test_another_truth_of_fixed_classes_keeps_them():
    """With fixed numbers of the classes another accuracy has the same numbers."""
    moved = of(TABLE.with_design(hs.designs.FixedMargins())).moved(0.8)
    assert moved.tables[0].counts.sum(1) == pytest.approx([53, 47])
    assert moved.tables[0].counts.trace() == pytest.approx(80)
    odds = [row[place] / row[1 - place] for place, row in enumerate(moved.tables[0].counts)]
    before = [50 / 3, 42 / 5]  # exponential tilting divides the odds by one factor for equal steps
    assert (odds[0] / before[0]) ** (1 / 100) == pytest.approx((odds[1] / before[1]) ** (1 / 100), rel=0.05)


def test_another_difference_moves_both_test_sets():
    """The difference has the value, and each test set its number of cases."""
    moved = of(TABLE, OTHER).moved(0.0)
    assert moved.value == pytest.approx(0, abs=1e-8)
    assert [each.counts.sum() for each in moved.tables] == pytest.approx([100, 200])
    first, second = (each.counts.trace() / each.counts.sum() for each in moved.tables)
    assert first == pytest.approx(second)
    assert 0.78 < first < 0.92
    with pytest.raises(hs.HowsureError, match="No truth like the pilot"):
        of(TABLE).moved(1.01)
    with pytest.raises(hs.HowsureError, match="No truth like the pilot"):
        of(hs.from_counts([[5, 0], [3, 0]]), metric="recall").moved(0.5)


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_variances_are_those_of_one_case_of_both_test_sets(effect):
    """Times the number of all cases, the variance is the sum of the two binomial ones, relative for a ratio."""
    pilot = of(TABLE, OTHER, effect=effect, method=hs.methods.Wald())
    shares, sizes = np.array([0.92, 0.78]), np.array([100, 200])
    each = shares * (1 - shares) / sizes
    variance = 300 * (each.sum() if effect == "difference" else (0.92 / 0.78) ** 2 * (each / shares**2).sum())
    assert (pilot.cases, pilot.unit, pilot.is_comparison) == (300, 1, True)
    assert pilot.value == pytest.approx(0.14 if effect == "difference" else 0.92 / 0.78)
    assert pilot.variance == pytest.approx(variance, rel=1e-6)
    assert pilot.null_variance(0.1 if effect == "difference" else 1.0) == pilot.variance


def test_equal_test_sets_have_the_pooled_variance_under_the_null():
    """Without a difference both of two test sets of one size have the pooled share: 4 p (1 − p) on one case."""
    pilot = of(TABLE, hs.from_counts([[40, 13], [9, 38]]), method=hs.methods.Wald())
    assert pilot.null_variance(0.0) == pytest.approx(4 * 0.85 * 0.15, rel=1e-3)
    assert pilot.null_variance(0.01) == pilot.variance == pytest.approx(2 * (0.92 * 0.08 + 0.78 * 0.22))
    assert of(hs.from_counts(COUNTS), metric="mcc").null_variance(0.5) == of(TABLE, metric="mcc").variance


def test_clusters_are_the_units_of_a_pilot():
    """The unit is the mean number of cases of a cluster; stated ones multiply the variance by the design effect."""
    truth, said = np.arange(60) % 2, np.where(np.arange(60) % 7 == 0, 1 - np.arange(60) % 2, np.arange(60) % 2)
    pilot = of(hs.confusion(truth, said, groups=np.arange(60) // 4))
    assert pilot.unit == pytest.approx(4)
    assert pilot.numbers(500) == 504
    assert of(TABLE).numbers(500) == 4
    assert of(TABLE, OTHER).numbers(500) == 8
    stated = of(TABLE, clustering=Clustering(5, 0.25))
    assert (stated.unit, stated.numbers(100)) == (5, 104)
    assert stated.variance == pytest.approx(2 * 0.92 * 0.08)
    drawn = stated.drawn(50, 30, np.random.default_rng(0))
    assert drawn[0].rows == 50
    assert stated.draws_studies
    strata = hs.confusion(
        truth, said, strata=truth, stratum_sizes={0: 0.5, 1: 0.5}, groups=np.arange(60) // 4 * 2 + truth
    )
    assert of(strata).unit == pytest.approx(60 / 30)


def test_drawn_studies_have_the_shares_of_their_test_sets():
    """Of 600 cases, a third are of the first test set; their means and variances are binomial."""
    pilot = of(TABLE, OTHER)
    first, second = pilot.drawn(600, 4000, np.random.default_rng(1))
    assert (first.rows, second.rows) == (200, 400)
    for table, share, number in ((first, 0.92, 200), (second, 0.78, 400)):
        right = table.counts[:, [0, 1], [0, 1]].sum(1)
        assert (table.counts.sum((1, 2)) == number).all()
        assert right.mean() == pytest.approx(number * share, abs=5 * math.sqrt(number * share * (1 - share) / 4000))
        assert right.var() == pytest.approx(number * share * (1 - share), rel=0.12)
    joint, metric = pilot.of_batch((first, second))
    values = first.counts[:, [0, 1], [0, 1]].sum(1) / 200 - second.counts[:, [0, 1], [0, 1]].sum(1) / 400
    assert np.asarray(metric(joint.counted)) == pytest.approx(values)
    few = pilot.drawn(600, 3, np.random.default_rng(2))
    joint, metric = pilot.of_batch(few)
    alone = [float(one(table.counted)) for table, one in pilot.one_by_one(few)]
    assert alone == pytest.approx(np.asarray(metric(joint.counted)).tolist())


def test_resampled_pilots_tell_their_values_and_variances():
    """Each has its own accuracy p and the variance p (1 − p); one without an error that of two pseudo-cases."""
    pilot = of(hs.from_counts([[29, 1], [0, 30]]), method=hs.methods.Wald())
    joint, values, variances = pilot.told(400, np.random.default_rng(3))
    right = joint.counts[:, [0, 1], [0, 1]].sum(1)
    assert values == pytest.approx(right / 60)
    some = right < 60
    assert 0.2 < some.mean() < 0.8
    assert variances[some] == pytest.approx((values * (1 - values))[some])
    perfect = (60 + 1) / 62  # half of two pseudo-cases is right
    assert variances[~some] == pytest.approx(np.full((~some).sum(), 60 * perfect * (1 - perfect) / 62), rel=0.01)


def test_pilots_without_variation_are_filled():
    """Two pseudo-cases over the cells give a perfect pilot a variance, and it says so; others stay as they are."""
    perfect = of(hs.from_counts([[50, 0], [0, 40]])).varies()
    assert perfect.value == pytest.approx(91 / 92)
    assert perfect.cases == pytest.approx(92)
    assert "pseudo-counts" in perfect.note
    assert of(TABLE).varies().note == ""
    for table, metric, words in (
        (hs.from_counts([[5, 0], [0, 0]]), "recall", "undefined on the pilot"),
        (TABLE.with_design(hs.designs.FixedMargins()), "prevalence", "does not vary between samples"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            of(table, metric=metric).varies()


def test_models_of_one_table_are_a_comparison():
    """Two models of the same cases are compared by name, in the order asked for."""
    truth = np.arange(40) % 2
    said = {
        "a": np.where(np.arange(40) % 5 == 0, 1 - truth, truth),
        "b": np.where(np.arange(40) % 8 == 0, 1 - truth, truth),
    }
    table = hs.paired(truth, said)
    assert of(table).value == pytest.approx(32 / 40 - 35 / 40)
    assert of(table, names=("b", "a")).value == pytest.approx(35 / 40 - 32 / 40)
    assert of(table).is_comparison
    assert not of(TABLE).is_comparison
    assert of(TABLE, names=(None, None)).name == "accuracy"
    assert of(table, names=("b", "a")).name.index("b") < of(table, names=("b", "a")).name.index("a", 9)


def test_one_class_needs_its_own_table_alone():
    """A metric of one class of three is planned from the two-by-two table of that class, with the same value."""
    three = hs.from_counts([[30, 2, 1], [3, 25, 4], [2, 2, 31]])
    pilot = of(three, metric="recall@binary+positive_class=1")
    reduced = pilot.reduced()
    assert reduced.tables[0].counts.shape == (2, 2)
    assert reduced.value == pytest.approx(pilot.value) == pytest.approx(25 / 32)
    assert reduced.variance == pytest.approx(pilot.variance)
    assert of(TABLE, OTHER).reduced().tables == (TABLE, OTHER)
