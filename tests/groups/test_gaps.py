"""Gaps between groups: values and intervals by Fairlearn, questions of strangers, and the seams."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.groups.criteria import CRITERIA
from support.optional import optional

pl = optional("polars")
DATA = Path(__file__).parents[1] / "data"
FAIRLEARN = json.loads((DATA / "fairlearn_gaps.json").read_text())
METRICS = list(FAIRLEARN["overall"])


def cases(n=3000):
    """Return the cases of the reference; see fairlearn_gaps.py."""
    rng = np.random.RandomState(11)
    y_true, group = rng.randint(0, 2, n), rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    return y_true, np.where(rng.uniform(size=n) < np.where(group == "c", 0.75, 0.88), y_true, 1 - y_true), group


TRUE, SAID, GROUP = cases()
TABLES = hs.confusion(TRUE, SAID, by=GROUP)
GAPS = hs.gaps(TABLES, METRICS, random_state=0)


@pytest.mark.parametrize("metric", METRICS)
def test_values_equal_fairlearns(metric):
    """by_group, overall, difference, ratio, group_min and group_max are MetricFrame's."""
    assert {name: each.value for name, each in GAPS.by_group[metric].items()} == pytest.approx(
        FAIRLEARN["by_group"][metric]
    )
    assert GAPS.overall[metric].value == pytest.approx(FAIRLEARN["overall"][metric])
    for way in ("between_groups", "to_overall"):
        assert GAPS.difference(metric, method=way).value == pytest.approx(FAIRLEARN["difference"][way][metric])
        assert GAPS.ratio(metric, method=way).value == pytest.approx(FAIRLEARN["ratio"][way][metric])
    assert GAPS.group_min(metric).value == pytest.approx(FAIRLEARN["group_min"][metric])
    assert GAPS.group_max(metric).value == pytest.approx(FAIRLEARN["group_max"][metric])


@pytest.mark.parametrize("name", FAIRLEARN["functions"])
def test_disparities_equal_fairlearns(name):
    """The functions of Fairlearn's names give its values, with an interval around each."""
    function, how = name.split(",")
    settings = {
        "mean": {"agg": "mean"},
        "weights": {"sample_weight": np.random.RandomState(3).uniform(0.5, 2, len(TRUE))},
    }.get(how, {"method": how})
    found = getattr(hs.compat, function)(TRUE, SAID, sensitive_features=GROUP, random_state=0, **settings)
    assert found.value == pytest.approx(FAIRLEARN["functions"][name])
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("metric", METRICS)
def test_errors_agree_with_fairlearns_bootstrap(metric):
    """The standard error of each group is that of 2,000 resamples, and so is that of the largest gap, far from 0."""
    _, below, _, above, _ = FAIRLEARN["by_group_ci"]
    for group, error in GAPS.errors[metric].items():
        assert error == pytest.approx((above[metric][group] - below[metric][group]) / 2, rel=0.12)
    if metric == "selection_rate":  # its groups are nearly equal: the maximum is no smooth function there
        return
    widest = max(
        (each for each in GAPS.differences.values() if each.metric == metric), key=lambda each: abs(each.value)
    )
    ours = np.hypot(GAPS.errors[metric][widest.a], GAPS.errors[metric][widest.b])
    _, below, _, above, _ = FAIRLEARN["difference_ci"]
    assert ours == pytest.approx((above[metric] - below[metric]) / 2, rel=0.12)


def test_a_percentile_bootstrap_excludes_zero_where_the_projection_does_not():
    """Of selection rates that hardly differ, the bootstrap's interval of max − min starts above 0, ours at 0."""
    assert FAIRLEARN["difference_ci"][0]["selection_rate"] > 0
    assert GAPS.difference("selection_rate").low == 0


def test_two_groups_have_the_usual_interval_of_a_difference():
    """For two groups of cases the interval of a difference is MOVER's with the groups' own intervals at 95 %."""
    tables = hs.confusion(TRUE, SAID, by=np.where(GROUP == "c", "c", "ab"))
    found = hs.gaps(tables, "recall", random_state=0).differences["ab", "c"]
    own = hs.estimate(tables, "recall")
    a, b = own["ab"], own["c"]
    low = a.value - b.value - np.hypot(a.value - a.low, b.high - b.value)
    high = a.value - b.value + np.hypot(a.high - a.value, b.value - b.low)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.002)
    plain = hs.compare(tables["ab"], tables["c"], "recall")
    assert found.value == pytest.approx(plain.value)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.004)


def test_an_interval_of_all_cases_accounts_for_the_groups_own():
    """The difference of a group to all cases has the error of a literal bootstrap."""
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(400):
        at = rng.integers(0, len(TRUE), len(TRUE))
        y_true, said, group = TRUE[at], SAID[at], GROUP[at]
        own = said[(y_true == 1) & (group == "b")].mean()
        drawn.append(own - said[y_true == 1].mean())
    found = GAPS.to_overall["recall", "b", "all"]
    alone = hs.gaps(TABLES, "recall", random_state=0).to_overall
    error = (found.high - found.low) / (2 * GAPS.to_overall.found.critical)
    assert error == pytest.approx(np.std(drawn), rel=0.12)
    assert alone["b", "all"].value == pytest.approx(found.value)


def test_opposite_pairs_and_names():
    """(b, a) is the opposite of (a, b), with the inverse ratio; unknown pairs and metrics are refused."""
    one, other = GAPS.differences["recall", "a", "c"], GAPS.differences["recall", "c", "a"]
    assert (other.low, other.high) == (-one.high, -one.low)
    assert other.ratio.high == pytest.approx(1 / one.ratio.low)
    assert GAPS.differences["a", "c"].value == one.value
    for wrong in (("a", "z"), "a", ("recall", "a", "a")):
        with pytest.raises(hs.HowsureError):
            GAPS.differences[wrong]
    with pytest.raises(hs.HowsureError, match="name one of"):
        GAPS.group_min()
    with pytest.raises(hs.HowsureError):
        GAPS.difference("f1")
    with pytest.raises(hs.HowsureError):
        GAPS.difference(method="to_all")
    with pytest.raises(hs.HowsureError):
        GAPS.ratio(agg="sum")


@pytest.mark.parametrize("metrics", [[[1, 2], [3, 4]], np.zeros((2, 2)), [1], [None]])
def test_metrics_without_a_name_are_refused(metrics):
    with pytest.raises(hs.HowsureError, match="named by a spec"):
        hs.gaps(TABLES, metrics)


@pytest.mark.parametrize(
    "word, meant",
    [
        ("equal_odds", "equalized_odds"),
        ("Equalised odds", "equalized_odds"),
        ("statistical_parity", "demographic_parity"),
        ("equality_of_opportunity", "equal_opportunity"),
    ],
)
def test_words_for_criteria_lead_to_ours(word, meant):
    """The names of the literature, of which we have those of Fairlearn."""
    with pytest.raises(hs.HowsureError, match=f"Did you mean '{meant}'") as caught:
        hs.gaps(TABLES, word)
    assert caught.value.code == "unknown-metric"


def test_metrics_that_are_named_twice_count_once():
    """A metric of a criterion may be named beside it."""
    assert tuple(hs.gaps(TABLES, ["recall", "equalized_odds", "recall"], random_state=0).metrics) == ("recall", "fpr")


def test_a_reference_group_is_compared_with_each_other_group():
    """With a reference there are fewer pairs, and narrower intervals."""
    found = hs.gaps(TABLES, METRICS, reference="b", random_state=0)
    assert [pair[1:] for pair in found.differences][:2] == [("a", "b"), ("c", "b")]
    assert found.differences.found.critical < GAPS.differences.found.critical
    assert found.difference("recall").value == pytest.approx(
        max(abs(found.differences["recall", each, "b"].value) for each in "ac")
    )
    with pytest.raises(hs.HowsureError):
        hs.gaps(TABLES, "recall", reference="z")


def test_more_metrics_widen_the_intervals():
    """All metrics share one family, and a metric that repeats another adds nothing."""
    alone = hs.gaps(TABLES, "recall", random_state=0).differences.found.critical
    both = hs.gaps(TABLES, ["recall", "fpr"], random_state=0).differences.found.critical
    same = hs.gaps(TABLES, ["recall", "fnr"], random_state=0).differences.found.critical
    assert both > alone + 0.1
    assert same == pytest.approx(alone, abs=0.02)


def test_shrunken_values_lie_between_a_group_and_the_mean():
    """Small groups are moved further, and two groups alone have no shrinkage."""
    rng = np.random.default_rng(1)
    sizes = np.array([10, 30, 100, 300, 1000])
    group = np.repeat(list("vwxyz"), sizes)
    y_pred = (rng.random(sizes.sum()) < np.repeat([0.3, 0.5, 0.7, 0.75, 0.8], sizes)) * 1
    found = hs.gaps(hs.confusion(np.ones(sizes.sum(), int), y_pred, labels=[0, 1], by=group), "recall", random_state=0)
    own, moved = found.by_group["recall"], found.shrunken["recall"]
    assert abs(moved["v"].value - own["v"].value) > abs(moved["z"].value - own["z"].value)
    assert moved["v"].value > own["v"].value
    assert moved["v"].high - moved["v"].low < own["v"].high - own["v"].low
    two = hs.gaps({"a": TABLES["a"], "b": TABLES["b"]}, "recall").shrunken["recall"]["a"]
    assert np.isnan(two.value)
    assert "at least 3 groups" in two.reason


def test_the_worst_group():
    """The group with fewer hits is the only one that may be the worst; of error rates the highest is."""
    assert GAPS.may_be_worst("recall") == ("c",)
    assert GAPS.may_be_worst("fpr") == ("c",)
    assert GAPS.may_be_worst("selection_rate") == ()  # neither high nor low is better
    same = hs.confusion(np.tile([0, 1], 60), np.tile([0, 1, 0, 0], 30), by=np.repeat(["a", "b"], 60))
    assert hs.gaps(same, "recall", random_state=0).may_be_worst() == ("a", "b")


def test_a_group_without_another_to_compare_with_has_no_number_of_cases():
    """Without positive cases in one of two groups no gap has an interval; the report says so."""
    tables = hs.confusion([0, 1, 0, 1, 0, 0] * 3, [0, 1, 1, 1, 0, 1] * 3, by=["a", "a", "a", "a", "b", "b"] * 3)
    found = hs.gaps(tables, "recall", random_state=0)
    for power in (None, 0.8):
        assert [str(each["needed"]) for each in found.needed(0.05, power=power).records()] == ["nan", "nan"]
    assert "recall of b is undefined" in hs.report_of(found).to_html()


def test_cases_needed_give_the_stated_precision():
    """With the stated numbers of cases the intervals of differences have about the stated half-width."""
    needed = hs.gaps(TABLES, "recall", random_state=0).needed(0.03).records()
    factor = {each["group"]: each["needed"] / each["cases"] for each in needed}
    larger = {
        group: hs.from_counts(np.round(np.asarray(table.counts) * factor[group])) for group, table in TABLES.items()
    }
    for each in hs.gaps(larger, "recall", random_state=0).differences.values():
        assert (each.high - each.low) / 2 == pytest.approx(0.03, rel=0.05)
    more = hs.gaps(TABLES, "recall", random_state=0).needed(0.03, power=0.8).records()
    assert more[0]["needed"] > needed[0]["needed"]
    for wrong in ({"margin": 0}, {"margin": "x"}, {"margin": np.nan}, {"margin": 0.1, "power": 1}):
        with pytest.raises(hs.HowsureError):
            GAPS.needed(**wrong)


# --- questions of strangers --------------------------------------------------------------------------------------


def test_a_group_without_positive_cases_is_named_and_not_taken_for_equal():
    """Fairpipe #29: with a group without positives the gap of equalized odds was 0 with interval [0, 0]."""
    group = np.repeat(["a", "b", "c"], 40)
    y_true = np.concatenate([np.tile([0, 1], 40), np.zeros(40, int)])
    y_pred = y_true.copy()
    found = hs.gaps(hs.confusion(y_true, y_pred, by=group), "equalized_odds", random_state=0)
    worst = found.difference()
    assert "recall is undefined for c" in worst.reason
    assert worst.high > 0.1  # perfect samples do not show equality
    assert np.isnan(found.differences["recall", "a", "c"].value)
    assert "no case" in found.differences["recall", "a", "c"].difference.reason
    only = hs.gaps(hs.confusion(y_true[40:], y_pred[40:], by=group[40:]), "equal_opportunity").difference()
    assert np.isnan(only.value)
    assert only.reason


def test_one_case_in_a_group_is_kept():
    """Fairpipe #29: two groups of 30 rejected cases and one selected one had a gap of 0, without the minority."""
    group = np.array(["a"] * 30 + ["b"] * 30 + ["c"])
    y_pred = np.array([0] * 60 + [1])
    found = hs.gaps(hs.confusion(np.tile([0, 1], 31)[:61], y_pred, by=group), "demographic_parity", random_state=0)
    assert found.difference().value == 1
    assert found.difference().high == 1
    assert found.cases["c"] == 1


def test_predictions_of_one_class_have_zero_gaps_that_are_uncertain():
    """Aequitas #104: a model that predicts no positive case; precision is then undefined for all groups."""
    group = np.repeat(["a", "b"], 50)
    tables = hs.confusion(np.tile([0, 1], 50), np.zeros(100, int), by=group)
    parity = hs.gaps(tables, "demographic_parity", random_state=0).difference()
    assert parity.value == parity.low == 0 < parity.high < 0.2
    precision = hs.gaps(tables, "predictive_parity").difference()
    assert np.isnan(precision.value)
    assert "undefined for a, b" in precision.reason


def test_missing_groups_are_refused():
    """Fairlearn #1155: a missing value among the groups was a TypeError, or a group named nan."""
    y_true, y_pred = [1, 0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0, 0]
    for group in (["a"] * 4 + ["b"] * 2 + [None], pd.Series(["a"] * 4 + ["b"] * 2 + [np.nan])):
        with pytest.raises(hs.HowsureError, match="missing"):
            hs.confusion(y_true, y_pred, by=group)


def test_the_positive_class_can_be_named():
    """Fairlearn #1004: `pos_label` among the sample parameters ended in an IndexError."""
    words = np.where(TRUE == 1, "granted", "refused"), np.where(SAID == 1, "granted", "refused")
    found = hs.compat.equal_opportunity_difference(
        *words, sensitive_features=GROUP, pos_label="granted", random_state=0
    )
    assert found.value == pytest.approx(FAIRLEARN["difference"]["between_groups"]["recall"])


def test_equalized_odds_has_an_interval():
    """Fairlearn #1443: intervals of equalized odds were not possible, of two groups or many."""
    found = hs.compat.equalized_odds_difference(TRUE, SAID, sensitive_features=GROUP, random_state=0)
    assert 0 < found.low < found.value < found.high < 0.3


def test_intersections_of_two_columns():
    """Fairlearn #999: intersections of groups are small; empty combinations do not occur."""
    other = np.tile(["x", "y", "x"], 1000)
    frame = pd.DataFrame({"y": TRUE, "p": SAID, "g": GROUP, "h": other})
    found = hs.gaps(hs.confusion("y", "p", by=["g", "h"], data=frame), "recall", random_state=0)
    assert found.groups == ("a, x", "a, y", "b, x", "b, y", "c, x", "c, y")
    assert len(found.differences) == 15
    by_key = hs.gaps(hs.confusion("y", "p", by=["g", "h"], data=frame), "recall", reference=("a", "x"), random_state=0)
    assert by_key.reference == "a, x"


# --- seams -------------------------------------------------------------------------------------------------------

N = 240
RNG = np.random.default_rng(3)
THREE = RNG.integers(0, 3, N)
TWO = (THREE > 0) * 1
BY = np.array(["a", "b", "c"])[np.arange(N) % 3]
NOISY = np.where(RNG.random(N) < 0.75, TWO, 1 - TWO)
SCORE = np.round(0.5 * RNG.random(N) + 0.4 * TWO, 2)
BESIDE = {
    "plain": {},
    "weights": {"sample_weight": RNG.gamma(2, 0.5, N) + 0.1},
    "clusters within groups": {"groups": np.arange(N) % 3 + 3 * (np.arange(N) // 12)},
    "clusters across groups": {"groups": np.arange(N) // 6},
    "weights and clusters": {"groups": np.arange(N) // 6, "sample_weight": RNG.gamma(2, 0.5, N) + 0.1},
    "crossed": {"groups": np.column_stack(np.divmod(np.arange(N), 12))},
    "strata": {"strata": np.array(["x", "y"])[np.arange(N) // 6 % 2], "stratum_sizes": {"x": 0.8, "y": 0.2}},
}
SOURCES = {
    "two classes": (lambda **more: hs.confusion(TWO, NOISY, **more), "equalized_odds"),
    "three classes": (lambda **more: hs.confusion(THREE, np.roll(THREE, 1), **more), "f1@macro"),
    "scores": (lambda **more: hs.scores(TWO, SCORE, **more), "roc_auc"),
    "values": (lambda **more: hs.values(SCORE, **more), "mean"),
    "paired": (lambda **more: hs.paired(TWO, {"A": NOISY, "B": (SCORE > 0.5) * 1}, **more), "recall"),
    "paired values": (lambda **more: hs.values({"A": SCORE, "B": NOISY}, **more), "mean"),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("source", SOURCES)
def test_every_design_answers(source, beside):
    """Each kind of table with each design: intervals that contain their values, or one line."""
    make, metric = SOURCES[source]
    found = hs.gaps(make(by=BY, **BESIDE[beside]), metric, random_state=0)
    every = {"": found} if isinstance(found, hs.results.Gaps) else dict(found)
    assert list(every) == (["A", "B"] if source.startswith("paired") else [""])
    for each in every.values():
        for pair in (*each.differences.values(), *each.to_overall.values()):
            assert pair.low <= pair.value <= pair.high or pair.difference.reason
            assert np.isnan(pair.p_value) or 0 < pair.p_value <= 1
        for one in each.by_group.values():
            assert all(own.low <= own.value <= own.high for own in one.values())
        worst = each.difference()
        assert 0 <= worst.low <= worst.value <= worst.high
        again = pickle.loads(pickle.dumps(each))
        assert again.records() == each.records() or str(again) == str(each)
        assert each.to_pandas().shape[0] == 3 * len(each.metrics)


def test_clusters_across_groups_correlate_them():
    """If each cluster has a case in both groups, the difference has the error of a paired comparison."""
    rng = np.random.default_rng(0)
    ease = np.repeat(rng.normal(0, 2, 300), 2)
    right = rng.normal(0, 1, 600) + ease > -1
    y_true, group, cluster = np.ones(600, int), np.tile(["a", "b"], 300), np.repeat(np.arange(300), 2)
    tables = hs.confusion(y_true, right * 1, labels=[0, 1], by=group, groups=cluster)
    found = hs.gaps(tables, "recall", random_state=0).differences["a", "b"]
    apart = (right[::2] * 1.0) - right[1::2]
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * apart.std(ddof=1) / np.sqrt(300), rel=0.08)


def test_scores_at_a_threshold():
    """Metrics of counts of scores need a threshold; metrics of scores refuse one."""
    tables = hs.scores(TWO, SCORE, by=BY)
    found = hs.gaps(tables, "equalized_odds", threshold=0.5, random_state=0)
    right = hs.gaps(hs.confusion(TWO, (SCORE >= 0.5) * 1, by=BY), "equalized_odds", random_state=0)
    assert found.difference().value == pytest.approx(right.difference().value)
    for metric, threshold in (("recall", None), ("roc_auc", 0.5), ("recall", "x")):
        with pytest.raises(hs.HowsureError):
            hs.gaps(tables, metric, threshold=threshold)
    with pytest.raises(hs.HowsureError, match="drop it"):
        hs.gaps(TABLES, "recall", threshold=0.5)


def test_unlabelled_scores_have_gaps():
    """Calibrated scores without labels, by group."""
    found = hs.gaps(hs.calibrated(SCORE, by=BY), "recall", threshold=0.5, random_state=0)
    assert 0 <= found.difference().value <= found.difference().high


@pytest.mark.parametrize("frame", ["pandas", "polars", "file"])
def test_frames_and_files(frame, tmp_path):
    """The same gaps from frames and from a file."""
    data = pd.DataFrame({"y": TRUE, "p": SAID, "g": GROUP})
    if frame == "polars":
        data = pl.from_pandas(data)
    if frame == "file":
        data.to_csv(tmp_path / "cases.csv", index=False)
        data = str(tmp_path / "cases.csv")
    found = hs.gaps(hs.confusion("y", "p", by="g", data=data), METRICS, random_state=0)
    assert found.records() == GAPS.records()


@pytest.mark.parametrize(
    "table, metric",
    [
        (hs.from_counts([[5, 1], [2, 4]]), "recall"),
        ({}, "recall"),
        ({"a": hs.from_counts([[5, 1], [2, 4]])}, "recall"),
        ({"a": 1, "b": 2}, "recall"),
        ({"a": hs.from_counts([[5, 1], [2, 4]]), "b": hs.scores([0, 1], [0.1, 0.2])}, "recall"),
        (pd.DataFrame({"a": [1]}), "recall"),
        (None, "recall"),
        ("file.csv", "recall"),
        (TABLES, "recal"),
        (TABLES, []),
        (TABLES, None),
        (TABLES, "roc_auc"),
        (TABLES, "f1@none"),
    ],
)
def test_what_has_no_gaps_is_refused_in_one_line(table, metric):
    """No groups, no metric, the wrong kind of evidence."""
    with pytest.raises(hs.HowsureError) as caught:
        hs.gaps(table, metric)
    assert len(str(caught.value)) < 400


def test_settings_are_checked():
    """Level, method and seed."""
    for wrong in ({"confidence_level": 1.0}, {"method": "wilso"}, {"method": "tango"}, {"random_state": "x"}):
        with pytest.raises(hs.HowsureError):
            hs.gaps(TABLES, "recall", **wrong)
    assert hs.gaps(TABLES, "recall", random_state=1).records() == hs.gaps(TABLES, "recall", random_state=1).records()
    wilson = hs.gaps(TABLES, "recall", method="wilson", random_state=0)
    assert wilson.by_group["recall"]["a"].method == "wilson"


def test_criteria_are_their_metrics():
    """Each criterion asks for its metrics, and its gap has its name."""
    for name, metrics in CRITERIA.items():
        found = hs.gaps(TABLES, name, random_state=0)
        assert found.metrics == metrics
        assert found.difference().metric == f"{name}_difference"


def test_the_report_says_what_is_known():
    """The report has the largest gaps, groups without a value, and that no gap shown is no equality."""
    group, y_true = np.repeat(["a", "b", "c"], 40), np.concatenate([np.tile([0, 1], 40), np.zeros(40, int)])
    found = hs.gaps(hs.confusion(y_true, np.roll(y_true, 3), by=group), "equalized_odds", random_state=0)
    page = hs.report_of(found, title="study")
    assert list(page)[:5] == ["Largest gaps", "Groups", "Pairs of groups", "Cases needed", "What to be careful about"]
    text = page.to_markdown()
    assert "recall of c is undefined" in text
    assert "does not show equality" in text
    assert page.to_dict()["groups"] == json.loads(json.dumps(page.to_dict()["groups"], allow_nan=False))
    with pytest.raises(hs.HowsureError):
        hs.report_of(found, metrics=["recall"])
    for wrong in ({"sensitive_features": None}, {"sensitive_features": [1, 2]}):
        with pytest.raises(hs.HowsureError):
            hs.compat.equalized_odds_difference(TRUE, SAID, **wrong)


def test_huge_and_tiny_groups():
    """A group of a billion cases beside one of a single case."""
    found = hs.gaps(
        {"large": hs.from_counts([[4e8, 1e8], [1e8, 4e8]]), "one": hs.from_counts([[0, 0], [0, 1]])},
        "recall",
        random_state=0,
    )
    gap = found.differences["large", "one"]
    assert gap.low == pytest.approx(-0.2, abs=0.01)
    assert gap.high > 0.5


def test_groups_of_one_case_each_are_numbers_or_identifiers():
    """A column of numbers is no column of groups; twenty groups may have a case each."""
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.integers(0, 2, (2, 60))
    with pytest.raises(hs.HowsureError, match="There are 60 groups of 60 cases: numbers or identifiers"):
        hs.gaps(hs.confusion(y_true, y_pred, by=rng.random(60)), "recall")
    assert len(hs.gaps(hs.confusion(y_true, y_pred, by=np.arange(60) // 3), "selection_rate").groups) == 20
