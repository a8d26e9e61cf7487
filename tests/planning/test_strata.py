"""Plans of cases from strata of known sizes, of clusters within them, and of other tables that are not counted."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.contrast import EFFECTS
from howsure.planning.pilots import Pilot
from howsure.tables.table import select_table


def sampled(shares, **columns):
    """Return 300 cases, a hundred of each of three strata, right in 0.9, 0.8 and 0.7 of them."""
    truth = np.arange(300) % 2
    wrong = np.arange(300) % 100 < np.repeat([10, 20, 30], 100)
    sizes = dict(zip("abc", shares, strict=True))
    return hs.confusion(
        truth, np.where(wrong, 1 - truth, truth), strata=np.repeat([*"abc"], 100), stratum_sizes=sizes, **columns
    )


def test_stratified_cases_have_the_variance_within_strata():
    """Equal samples of strata with the shares W have the variance 3 Σ W² p (1 − p) on one case (Cochran 1977)."""
    plan = hs.plan(sampled((0.5, 0.3, 0.2)), "accuracy", width=0.1)
    within = 3 * (0.25 * 0.09 + 0.09 * 0.16 + 0.04 * 0.21) * 100 / 99
    assert plan.asymptotic == pytest.approx(within * (2 * 1.959964 / 0.1) ** 2, rel=1e-3)
    assert plan.units == plan.n
    assert "clusters" not in plan.sentence()


def test_stratified_cases_of_another_truth():
    """With a stated value the strata keep their frequencies, and the metric has the value."""
    plan = hs.plan(sampled((0.5, 0.3, 0.2)), "accuracy", width=0.1, true_value=0.9)
    assert plan.true_value == pytest.approx(0.9)
    assert plan.n < hs.plan(sampled((0.5, 0.3, 0.2)), "accuracy", width=0.1).n


def test_studies_drawn_from_strata_are_what_each_is_alone():
    """The intervals of a batch of studies from strata, of clusters too, are those of its tables one by one."""
    for columns in ({}, {"groups": np.arange(300) // 4}):
        pilot = Pilot.of((sampled((1000, 600, 400), **columns),), "accuracy", effect=EFFECTS["difference"])
        joint, metric = pilot.of_batch(pilot.drawn(600, 4, np.random.default_rng(0)))
        together = pilot.chosen.at_levels(metric, joint)(0.95)
        alone = [hs.estimate(select_table(joint, index), "accuracy", method=pilot.chosen) for index in range(4)]
        assert together.low.tolist() == pytest.approx([each.low for each in alone])
        assert joint.rows == 600


def test_clusters_in_strata_are_drawn():
    """Clusters drawn from strata of known sizes are planned in clusters, and checked by drawn studies."""
    plan = hs.plan(sampled((0.5, 0.3, 0.2), groups=np.arange(300) // 4), "accuracy", width=0.15)
    assert plan.n == 4 * plan.units
    assert plan.studies > 0


def test_strata_that_run_out_are_told():
    """If a plan needs more cases of a stratum than exist, it states this."""
    assert "Some strata have fewer cases" in hs.plan(sampled((1000, 5000, 150)), "accuracy", n=900).note
    assert "Some strata" not in hs.plan(sampled((1000, 5000, 150)), "accuracy", n=400).note


SHARES = (0.5, 0.3, 0.2)
CARRIED = hs.transported(hs.from_counts([[50, 3], [5, 42]]), {0: 60, 1: 90})
REFUSED = {
    "clusters": (sampled(SHARES), {"width": 0.3, "cluster_size": 5, "icc": 0.1}, "without weights"),
    "classes": (sampled(SHARES), {"support": 30}, "counts cases"),
    "classes of estimates": (CARRIED, {"support": 30}, "counts cases"),
    "another truth of estimates": (CARRIED, {"width": 0.1, "true_value": 0.5}, "counts are estimates"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_such_tables_do_not_tell_is_refused(name):
    """Information that the table lacks gives a one-line error."""
    table, asked, words = REFUSED[name]
    with pytest.raises(hs.HowsureError, match=words):
        hs.plan(table, "f1", **asked)


def test_estimates_from_two_samples_say_so():
    """A table from two samples is planned with both in proportion, and the plan states this."""
    assert "other samples" in hs.plan(CARRIED, "precision", width=0.2).sentence()
