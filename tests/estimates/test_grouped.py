"""Results of groups: the overall one first, and draws that depend on the group alone."""

import pickle

import numpy as np
import pytest

import howsure as hs
from howsure.estimates.grouped import Grouped, Results, grouped
from howsure.methods.core.draws import group_seed

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 300)
SAID = {name: np.where(RNG.random(300) < share, TRUTH, 1 - TRUTH) for name, share in (("A", 0.9), ("B", 0.8))}
SITE = np.repeat(["x", "y", "z"], 100)


def by_site(chosen=("x", "y", "z")):
    """Return the paired tables of some of the sites."""
    inside = np.isin(SITE, chosen)
    return hs.paired(TRUTH[inside], {name: each[inside] for name, each in SAID.items()}, by=SITE[inside])


def test_a_groups_seed_follows_from_the_seed_and_its_key():
    """The same seed and key give the same stream, for any scalar type of the key; others give different streams."""

    def drawn(random_state, key):
        return np.random.default_rng(group_seed(random_state, key)).random(5).tolist()

    assert drawn(0, "x") == drawn(np.random.SeedSequence(0), "x") == drawn(0, np.str_("x"))
    assert drawn(0, ("x", 3)) == drawn(0, (np.str_("x"), np.int64(3)))
    others = [drawn(0, "y"), drawn(1, "x"), drawn(0, 1), drawn(0, "1"), np.random.default_rng(0).random(5).tolist()]
    assert all(each != drawn(0, "x") for each in others)
    assert len({tuple(each) for each in others}) == len(others)


def test_a_groups_draws_do_not_depend_on_the_other_groups():
    """With one seed a group has the same draws alone and among others, and all streams differ."""
    every, alone = (
        hs.compare(tables, "accuracy", method="bayes", random_state=3) for tables in (by_site(), by_site(["y"]))
    )
    assert np.array_equal(every["y"].draws, alone["y"].draws)
    itself = hs.compare(by_site()["y"], "accuracy", method="bayes", random_state=group_seed(3, "y"))
    assert np.array_equal(every["y"].draws, itself.draws)
    assert np.array_equal(
        every.overall.draws, hs.compare(by_site().overall, "accuracy", method="bayes", random_state=3).draws
    )
    same = grouped(
        by_site(), lambda table, seed: hs.compare(by_site()["x"], "accuracy", method="bayes", random_state=seed), 3
    )
    streams = [same.overall.draws, *(each.draws for each in same.values())]
    assert np.abs(np.corrcoef(streams) - np.eye(4)).max() < 0.06  # of 10,000 draws, six standard errors


def test_records_hold_the_overall_result_first_and_then_the_groups():
    """The groups' columns come first, None for all together; a column of the result itself keeps its name."""
    pytest.importorskip("polars")
    sites = {"site": SITE, "metric": np.tile([1, 2], 150), "t": TRUTH, "p": SAID["A"]}
    tables = hs.confusion("t", "p", data=sites, by=["site", "metric"])
    found = grouped(tables, lambda table, seed: hs.evaluate(table, ["accuracy", "f1"], random_state=seed))
    records = found.records()
    assert list(records[0])[:3] == ["site", "group_metric", "metric"]
    assert [(each["site"], each["group_metric"], each["metric"]) for each in records[:4]] == [
        (None, None, "accuracy"),
        (None, None, "f1"),
        ("x", 1, "accuracy"),
        ("x", 1, "f1"),
    ]
    assert len(records) == 2 * (1 + 6)
    assert found["x", 1]["f1"].value == records[3]["value"]
    assert found.to_pandas().shape[0] == found.to_polars().shape[0] == 14
    assert str(found).splitlines()[2].startswith("all")


def test_a_group_that_is_not_there_is_named():
    """A lookup that fails is a KeyError too, and names the groups."""
    found = hs.compare(by_site(), "accuracy")
    with pytest.raises(KeyError, match="no group 'w'"):
        found["w"]
    assert list(found) == ["x", "y", "z"]
    assert "w" not in found
    with pytest.raises(hs.HowsureError, match="no model 'C'"):
        hs.evaluate_models(by_site()["x"], "f1")["C"]


def test_a_group_that_is_refused_is_named():
    """Where one group's table cannot serve, the error names the group."""
    tables = hs.scores([0, 1, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6], by=["a", "a", "b", "b", "a", "a"])
    with pytest.raises(hs.HowsureError, match="Group 'b': .*one of the classes has no case"):
        hs.optimal_threshold(tables, n_resamples=39)


def test_results_can_be_sent_to_other_processes():
    """Results of groups and of models survive pickling."""
    found = hs.evaluate_models(by_site(), "f1", method="bayes", random_state=0)
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, Grouped)
    assert isinstance(again["x"], Results)
    assert again.records() == found.records()
    assert again["x"]["A"]["f1"].stream == found["x"]["A"]["f1"].stream


def test_names_say_what_each_result_is_of():
    """By name there are the overall comparisons and those of each group."""
    assert list(hs.compare(by_site(["x"]), "accuracy").by_name()) == ["all: A − B", "x: A − B"]
    assert list(hs.roc_curve(hs.scores(TRUTH, RNG.random(300), by=SITE)).by_name()) == ["all", "x", "y", "z"]


def test_many_groups_are_shown_shortened():
    """The repr of many long results shows the first of them, and their number."""
    curves = hs.roc_curve(hs.scores(TRUTH, np.arange(300), by=SITE))
    assert len(repr(curves).splitlines()) <= 33
    assert "… and 3 more groups" in repr(curves)
    assert "more groups" not in repr(hs.mcnemar(by_site()))
    assert repr(hs.mcnemar(by_site())).count("mid_p") == 4
