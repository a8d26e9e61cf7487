"""Cases graded by a judge and labelled by people in part."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.errors import HowsureError

JUDGE = ["pass"] * 80 + ["fail"] * 20
HUMAN = ["pass"] * 19 + ["fail"] + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15


def study(labelled, others, rng, rate=0.85, right=0.9):
    """Human labels with gaps, verdicts, and predictions of a filter; 0 and 1."""
    n = labelled + others
    truth = (rng.random(n) < rate).astype(int)
    judge, filtered = (np.where(rng.random(n) < right, truth, 1 - truth) for _ in range(2))
    return np.where(np.arange(n) < labelled, truth, np.nan), judge, filtered


def jeffreys(x, n):
    """Return the limits of Jeffreys' posterior of a share, Beta(x + 1/2, n - x + 1/2)."""
    return tuple(stats.beta.ppf([0.025, 0.975], x + 0.5, n - x + 0.5))


def test_cases_without_a_label_are_as_those_of_their_verdict():
    """People pass 19 of 20 cases that the judge passes (of 80) and 1 of 5 others (of 20): 76 + 4 of 100, by cell."""
    table = hs.judged(HUMAN, JUDGE)
    assert table.labels.tolist() == ["fail", "pass"]
    np.testing.assert_allclose(table.counts, [[20 * 4 / 5, 80 / 20], [20 / 5, 80 * 19 / 20]])
    assert hs.estimate(table, "pass_rate") == pytest.approx(0.8)
    assert hs.estimate(table, "recall") == pytest.approx(76 / 80)  # the judge passes 76 of 80 that people pass
    assert hs.estimate(table, "specificity") == pytest.approx(16 / 20)


def test_a_partially_verified_reference_has_the_estimate_of_begg_and_greenes():
    """Sensitivity q p₁ / (q p₁ + (1 − q) p₀) and its variance by the delta method, from 1,000 + 400 verified of 10,000."""
    test = np.repeat([1, 0], [3000, 7000])
    reference = np.full(10000, np.nan)
    reference[:1000] = np.arange(1000) < 800  # of the positive tests 800 of 1,000 have the disease
    reference[3000:3400] = np.arange(400) < 40  # of the negative ones 40 of 400
    share, ill, missed = 0.3, 0.8, 0.1
    sensitivity = share * ill / (share * ill + (1 - share) * missed)
    logit_variance = 1 / (10000 * share * (1 - share)) + (1 - ill) / (1000 * ill) + (1 - missed) / (400 * missed)
    found = hs.estimate(hs.judged(reference, test), "sensitivity")
    assert found == pytest.approx(sensitivity)
    assert found.standard_error == pytest.approx(sensitivity * (1 - sensitivity) * logit_variance**0.5, rel=0.01)
    well = (1 - share) * (1 - missed) / ((1 - share) * (1 - missed) + share * (1 - ill))
    assert hs.estimate(hs.judged(reference, test), "specificity") == pytest.approx(well)


def test_the_interval_puts_together_those_of_the_verdicts():
    """Its reach is the root of the squared reaches of either share, times the verdict's share, and of the shares'."""
    found = hs.estimate(hs.judged(HUMAN, JUDGE), "pass_rate")
    parts = [(0.8, 19 / 20, jeffreys(19, 20)), (0.2, 1 / 5, jeffreys(1, 5))]
    verdicts = 0.8 * 0.2 * (19 / 20 - 1 / 5) ** 2 / 100  # variance of the verdicts' shares
    z = stats.norm.ppf(0.975)
    for end, limit in enumerate((found.low, found.high)):
        square = sum(weight**2 * (share - ends[end]) ** 2 for weight, share, ends in parts)
        assert abs(limit - 0.8) == pytest.approx(np.sqrt(square + z**2 * verdicts), rel=1e-6)
    assert found.method == "stratified"


def test_the_value_is_that_of_prediction_powered_inference_with_its_best_weight():
    """λ mean of the other verdicts + mean of label − λ verdict, with λ = Cov / Var / (1 + n / N) of the labelled."""
    human, judge, _ = study(150, 1200, np.random.default_rng(0))
    known = ~np.isnan(human)
    slope = np.cov(human[known], judge[known], bias=True)[0, 1] / judge[known].var()
    weight = slope / (1 + known.sum() / (~known).sum())
    expected = weight * judge[~known].mean() + (human[known] - weight * judge[known]).mean()
    found = hs.estimate(hs.judged(human, judge, check=False), "pass_rate")
    assert found == pytest.approx(expected, abs=1e-12)


def test_any_metric_of_human_labels_and_a_prediction():
    """With `y_pred` the table is human label × prediction, by human labels for each verdict and prediction."""
    human, judge, filtered = study(200, 1000, np.random.default_rng(1))
    known = ~np.isnan(human)
    table = hs.judged(human, judge, y_pred=filtered, check=False)
    expected = np.zeros((2, 2))
    for verdict, said in np.ndindex(2, 2):
        cases = (judge == verdict) & (filtered == said)
        for label in range(2):
            expected[label, said] += cases.sum() * (human[cases & known] == label).mean()
    np.testing.assert_allclose(table.counts, expected)
    f1 = hs.estimate(table, "f1")
    assert f1 == pytest.approx(2 * expected[1, 1] / (expected[1].sum() + expected[:, 1].sum()))
    alone = hs.estimate(hs.confusion(human[known].astype(int), filtered[known]), "f1")
    assert f1.high - f1.low < alone.high - alone.low


@pytest.mark.parametrize("metric", ["pass_rate", "f1", "kappa"])
def test_the_standard_error_agrees_with_resampling_and_the_posterior(metric):
    """Resamples and posterior draws have the delta method's standard error, within a tenth."""
    human, judge, filtered = study(400, 1000, np.random.default_rng(2), rate=0.7)
    for beside in ({}, {"y_pred": filtered}, {"groups": np.arange(1400) // 2}, {"sample_weight": 1 + judge}):
        table = hs.judged(human, judge, check=False, **beside)
        expected = hs.estimate(table, metric).standard_error
        for method in (hs.methods.Bootstrap("percentile", 1000), hs.methods.Dirichlet(n_draws=1000)):
            drawn = hs.estimate(table, metric, method=method, random_state=0).standard_error
            assert drawn == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("beside", [{}, {"y_pred": JUDGE[::-1]}, {"groups": np.arange(100) // 2}])
def test_what_reads_tables_reads_judged_ones(beside):
    """The per-class report, a comparison, the page, the bootstraps and a metric of one class work."""
    table = hs.judged(HUMAN, JUDGE, **beside)
    assert "macro avg" in str(hs.classification_report(table))
    assert hs.compare(table, table, "pass_rate", a="x", b="y").value == 0
    assert "pass_rate" in hs.report_of(hs.evaluate(table, ["pass_rate", "f1"]), title="judged").to_html()
    for method in ("bootstrap", hs.methods.Bootstrap("bca", 200), "bayes", "delta"):
        found = hs.estimate(table, "pass_rate", method=method, random_state=0)
        assert found.low < found < found.high
    one = hs.estimate(table, "recall@binary+positive_class=fail")
    assert one.low < one < one.high


def test_three_classes_have_a_rate_each():
    """Grades good, middling and bad: shares of each add up to 1, and agreement is of all three."""
    rng = np.random.default_rng(8)
    truth = rng.choice(["bad", "good", "middling"], 600, p=[0.2, 0.5, 0.3])
    judge = np.where(rng.random(600) < 0.8, truth, rng.choice(["bad", "good", "middling"], 600))
    human = [str(each) if place < 150 else None for place, each in enumerate(truth)]
    report = hs.labels.judge_report(hs.judged(human, judge))
    rates = [each for name, each in report.items() if name.startswith("pass_rate@")]
    assert len(rates) == 3
    assert sum(rates) == pytest.approx(1)
    assert report["judge_kappa"].low > 0
    with pytest.raises(HowsureError, match="two classes"):
        report.sentence()


def test_a_report_is_of_human_labels_and_verdicts():
    """A table with a prediction, or of counted cases, has no judge to report on."""
    for table in (hs.judged(HUMAN, JUDGE, y_pred=JUDGE), hs.from_counts([[5, 1], [2, 9]])):
        with pytest.raises(HowsureError, match="human labels and verdicts"):
            hs.labels.judge_report(table)


def test_cases_that_always_come_in_twos_tell_as_much_as_one():
    """Clusters of two equal cases give the interval of single cases, at most a tenth wider for few clusters."""
    human, judge, _ = study(100, 900, np.random.default_rng(3))
    single = hs.estimate(hs.judged(human, judge, check=False), "pass_rate")
    twice = [np.repeat(each, 2) for each in (human, judge, np.arange(1000))]
    together = hs.estimate(hs.judged(twice[0], twice[1], groups=twice[2], check=False), "pass_rate")
    assert together == pytest.approx(single.value)
    assert 1 <= (together.high - together.low) / (single.high - single.low) < 1.1
    apart = hs.estimate(hs.judged(twice[0], twice[1], check=False), "pass_rate")
    assert apart.high - apart.low < 0.8 * (together.high - together.low)


def test_the_scale_of_weights_does_not_matter():
    """Equal weights have no effect, and a case of weight two counts more than one of weight one."""
    plain = hs.estimate(hs.judged(HUMAN, JUDGE), "pass_rate")
    equal = hs.estimate(hs.judged(HUMAN, JUDGE, sample_weight=np.full(100, 7.0)), "pass_rate")
    assert (equal.value, equal.low, equal.high) == pytest.approx((plain.value, plain.low, plain.high))
    heavy = np.where(np.array(JUDGE) == "pass", 2.0, 1.0)
    assert hs.estimate(hs.judged(HUMAN, JUDGE, sample_weight=heavy), "pass_rate") == pytest.approx(
        (160 * 19 / 20 + 20 / 5) / 180
    )


def test_groups_of_cases_have_a_table_each():
    """With `by` each group's table is that of its cases alone, also from a frame with named columns."""
    human, judge, filtered = study(200, 600, np.random.default_rng(4))
    rows = {
        "human": human,
        "verdict": judge,
        "filter": filtered,
        "site": np.arange(800) % 2,
        "talk": np.arange(800) // 4,
    }
    every = {"labels": [0, 1], "check": False}
    tables = hs.judged("human", "verdict", y_pred="filter", data=rows, by="site", groups="talk", **every)
    second = rows["site"] == 1
    alone = hs.judged(human[second], judge[second], y_pred=filtered[second], groups=rows["talk"][second], **every)
    for metric in ("pass_rate", "f1"):
        found, expected = hs.estimate(tables[1], metric), hs.estimate(alone, metric)
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert tables.overall.rows == 800


def test_two_systems_are_compared_on_the_same_cases():
    """The difference is that of the systems' rates, and narrower than for separate cases if they are correlated."""
    rng = np.random.default_rng(5)
    hard = rng.random(2000) < 0.3
    truth = {"A": rng.random(2000) < np.where(hard, 0.3, 0.95), "B": rng.random(2000) < np.where(hard, 0.2, 0.95)}
    judge = {name: np.where(rng.random(2000) < 0.95, each, ~each).astype(int) for name, each in truth.items()}
    human = {name: np.where(np.arange(2000) < 300, each, np.nan) for name, each in truth.items()}
    both = hs.judged(human, judge, check=False)
    assert both.models == ["A", "B"]
    paired = hs.compare(both, "pass_rate")
    rates = [hs.estimate(both.model(name), "pass_rate") for name in "AB"]
    assert paired.value == pytest.approx(rates[0] - rates[1])
    separate = hs.compare(*(hs.judged(human[name], judge[name], check=False) for name in "AB"), "pass_rate")
    assert paired.high - paired.low < separate.high - separate.low
    assert separate.p_value < 1
    assert (paired.p_value < 0.05) == (not paired.low <= 0 <= paired.high)


def test_a_verdict_without_a_label_may_be_anything():
    """For 10 cases of a verdict without labels, none or all may pass: the interval allows for both, with a note."""
    human = ["pass"] * 18 + ["fail"] * 2 + [None] * 80
    found = hs.estimate(hs.judged(human, ["pass"] * 90 + ["fail"] * 10), "pass_rate")
    assert found.low <= 0.81
    assert found.high >= 0.91
    assert "1 verdict has no human label" in found.reason
    assert (
        hs.judged(human, ["pass"] * 99 + ["fail"]).design.description.estimate_caveat == "1 verdict has no human label"
    )


def test_it_says_where_the_human_labels_alone_tell_as_much():
    """Verdicts that are independent of human labels add no information; mostly correct ones do."""
    rng = np.random.default_rng(6)
    human, judge, _ = study(40, 400, rng, rate=0.6, right=0.95)
    assert not hs.estimate(hs.judged(human, judge, check=False), "pass_rate").reason
    table = hs.judged([1, 1, 0, 0] * 10 + [None] * 400, [0, 1] * 220)
    assert "the human labels alone are as precise" in hs.estimate(table, "pass_rate").reason
    assert any("human labels alone" in each for each in table.cautions)


def test_all_cases_may_have_a_label():
    """Where people labelled every case the pass rate is theirs, with the interval of a share in each verdict."""
    human = ["pass"] * 60 + ["fail"] * 40
    table = hs.judged(human, ["pass"] * 70 + ["fail"] * 30)
    found = hs.estimate(table, "pass_rate")
    low, high = jeffreys(60, 100)
    assert found == pytest.approx(0.6)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02)


@pytest.mark.parametrize(
    "human, judge, options, words",
    [
        ([None] * 4, [1, 0, 1, 0], {}, "`human` has 0 labels of 4 cases"),
        ([1, None, None], [1, 0, 1], {}, "`human` has 1 labels of 3 cases"),
        ([1, 0, None], [1, None, 0], {}, "`judge` has 1 missing values. Only `human` may lack some"),
        ([1, 0, None], [1, 0], {}, "length"),
        (["pass", "fail", None], [1, 0, 1], {}, "`human` holds text .* and `judge` holds number"),
        (["good", "bad", None], ["pass", "fail", "pass"], {}, "human"),
        (["pass", "pass", None], ["pass"] * 3, {}, "labels"),
        ({"A": [1, 0], "B": [1, 0]}, [1, 0], {}, "both by name"),
        ({"A": [1, 0]}, {"A": [1, 0]}, {}, "Two are compared at a time"),
        ({"A": [1, 0], "B": [1, 0]}, {"A": [1, 0], "B": [1, 0]}, {"y_pred": [1, 0]}, "without `y_pred`"),
        ([1, 0, None, None], [1, 0, 1, 0], {"by": ["a", "a", "b", "b"]}, "In the group 'b': `human` has 0 labels"),
    ],
)
def test_misuse_is_told_in_one_line(human, judge, options, words):
    """Missing labels and verdicts, other lengths, classes that are not shared: one line names the culprit."""
    with pytest.raises(HowsureError, match=words):
        hs.judged(human, judge, **options)


def coverage(setting, number):
    """Return the coverage of 95 % intervals for the pass rate and the judge's kappa, and the widths of the first."""
    n, others, rate, tpr, tnr = setting
    shares = np.array([[(1 - rate) * tnr, (1 - rate) * (1 - tnr)], [rate * (1 - tpr), rate * tpr]])
    rng = np.random.default_rng([n, round(1000 * rate)])
    agreed, chance = shares.trace(), shares.sum(0) @ shares.sum(1)
    held, widths = np.zeros(2), []
    for _ in range(number):
        cell = rng.choice(4, n, p=shares.ravel())
        rest = (rng.random(others) < shares[:, 1].sum()).astype(int)
        human = np.concatenate([cell // 2, np.full(others, np.nan)])
        table = hs.judged(human, np.concatenate([cell % 2, rest]), labels=[0, 1], check=False)
        truths = (rate, (agreed - chance) / (1 - chance))
        found = [hs.estimate(table, metric) for metric in ("pass_rate", "kappa")]
        held += [each.low <= truth <= each.high for each, truth in zip(found, truths, strict=True)]
        assert found[0].low >= 0
        assert found[0].high <= 1
        widths.append(found[0].high - found[0].low)
    return held / number, np.mean(widths)


@pytest.mark.thorough
def test_intervals_cover_in_a_short_sample():
    """In 60 studies with 50 labels the rate is covered in 95 %: fewer than 52 would occur in one of 1,000 runs."""
    held, width = coverage((50, 500, 0.9, 0.95, 0.7), 60)
    assert (held >= 52 / 60).all()
    assert width < 0.16  # of 50 human labels alone it is 0.167 on average


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [(20, 1000, 0.9, 0.95, 0.7), (50, 1000, 0.99, 0.98, 0.6), (100, 1000, 0.5, 0.9, 0.8), (500, 5000, 0.95, 0.95, 0.7)],
)
def test_intervals_cover(setting):
    """The rate's intervals cover 95 %, and kappa's, which is not linear in the shares, 94, less three standard errors."""
    held, _ = coverage(setting, 1000)
    assert (held > np.array([0.95, 0.94]) - 3 * np.sqrt(0.95 * 0.05 / 1000)).all()


def test_labels_of_weight_0_are_no_labels():
    """A group whose labelled cases all have weight 0 is refused like one without labels."""
    with pytest.raises(hs.HowsureError, match="`human` has 0 labels of 3 cases"):
        hs.judged([1, 0, None] * 2, [1, 0, 1] * 2, sample_weight=[1, 1, 1, 0, 0, 0], by=list("uuuvvv"))


def test_a_report_has_the_rates_of_people_and_of_the_judge():
    """Of 80 passed 18 of 20 are right, of 20 failed 4 of 5: the rates follow by verdict, and those of each alone."""
    judge = ["pass"] * 80 + ["fail"] * 20
    human = ["pass"] * 18 + ["fail"] * 2 + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15
    report = hs.labels.judge_report(hs.judged(human, judge), confidence_level=0.9)
    table = np.array([[16.0, 8.0], [4.0, 72.0]])  # human × judge: fail, pass
    chance = 0.24 * 0.2 + 0.76 * 0.8
    expected = {
        "pass_rate": 0.76,
        "pass_rate_human": 19 / 25,
        "pass_rate_judge": 0.8,
        "judge_tpr": table[1, 1] / 76,
        "judge_tnr": table[0, 0] / 24,
        "judge_kappa": (0.88 - chance) / (1 - chance),
        "judge_accuracy": 0.88,
    }
    assert {name: each.value for name, each in report.items()} == pytest.approx(expected)
    assert (report.cases, report.labelled, len(report), report.confidence_level) == (100, 25, 7, 0.9)
    assert report["pass_rate_judge"].standard_error == pytest.approx(np.sqrt(0.8 * 0.2 / 100), rel=0.01)
    assert [row["metric"] for row in report.records()] == [*expected]
    rate = report["pass_rate"]
    low, high = f"{100 * rate.low:.1f} %", f"{100 * rate.high:.1f} %"
    assert report.sentence() == (
        f"People would pass 76.0 % of the cases (90 % interval {low} to {high}; 100 cases judged, 25 labelled by people)."
    )
    assert "100 cases judged, 25 labelled by people" in report.grid().caption
    with pytest.raises(hs.HowsureError, match="judge_tpr"):
        report["judge_tp"]


def test_a_report_of_many_grades_has_the_share_of_each():
    """Of three grades there is a share of each, by people, by the judge and together, and no sentence."""
    judge = np.repeat(["a", "b", "c"], [50, 30, 20])
    human = np.where(np.arange(100) % 5 == 0, np.where(np.arange(100) % 10 == 0, judge, "b"), None)
    report = hs.labels.judge_report(hs.judged(human, judge))
    known = human != None  # noqa: E711 - elementwise
    for grade, number in zip("abc", (50, 30, 20), strict=True):
        shares = [(human[known & (judge == each)] == grade).mean() * (judge == each).mean() for each in "abc"]
        found = [report[f"pass_rate{whose}@binary+positive_class={grade}"] for whose in ("", "_human", "_judge")]
        expected = [sum(shares), (human[known] == grade).mean(), number / 100]
        assert [each.value for each in found] == pytest.approx(expected)
    with pytest.raises(hs.HowsureError, match="of two classes"):
        report.sentence()
