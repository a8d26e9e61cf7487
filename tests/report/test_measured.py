"""Content of the report: numbers at every level, cautions, headline, and refused input."""

import dataclasses
import itertools
import json
import math
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.base import Design
from howsure.designs.traits import Description
from howsure.metrics.binding import resolve
from howsure.report import evidence
from howsure.report.gaps import gaps_section
from howsure.report.html import as_json
from howsure.report.measured import LEVELS

TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])


def section(report, title):
    return next(each for each in report.sections if each.title == title)


def cautions_of(report):
    return [each[report.level if len(each) > 1 else 0] for each in section(report, "What to be careful about").items]


def test_every_level_has_its_own_interval():
    """At each level the report's intervals are those of `estimate`."""
    report = hs.report_of(TABLE, confidence_level=0.68)
    assert report.levels == (0.68, *LEVELS)
    for each in report.to_dict()["estimates"]:
        for level, (low, high) in each["intervals"].items():
            direct = hs.estimate(TABLE, each["metric"], confidence_level=float(level))
            assert (low, high) == pytest.approx((direct.low, direct.high), rel=1e-12)


def test_the_headline_says_what_is_plausible():
    """After the answer, one sentence a model: the value, the cases, and the limits of each level."""
    report = hs.report_of({"A": TABLE, "B": TABLE}, confidence_level=0.9)
    estimate = hs.estimate(TABLE, "f1", confidence_level=0.9)
    sentence = report.headline[2][report.level]
    assert sentence == (
        f"F1 of B is {estimate.value:.2f}; with these 100 cases, anything between {estimate.low:.2f} and "
        f"{estimate.high:.2f} is plausible (90 % interval)."
    )


def test_the_headline_is_the_first_metric_that_was_asked_for():
    """With named metrics the first one is the main metric; for clusters the sentence states their number."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    predicted = np.where(rng.random(200) < 0.8, truth, 1 - truth)
    table = hs.confusion(truth, predicted, groups=np.arange(200) // 10)
    report = hs.report_of(table, metrics=["mcc", "f1"])
    assert report.headline[0][report.level].startswith("MCC is 0.")
    assert "200 cases in 20 clusters" in report.headline[0][report.level]


def test_draws_are_shared_by_all_levels_and_can_be_repeated():
    """Intervals of higher levels contain those of lower ones, and the given seed reproduces them."""
    first = hs.report_of(TABLE, metrics=["f1"], method="bayes")
    seed = int(first.to_dict()["seed"])
    second = hs.report_of(TABLE, metrics=["f1"], method="bayes", random_state=seed)
    assert first.to_dict()["estimates"] == second.to_dict()["estimates"]
    assert (f"Seed of the draws: {seed}.",) in section(second, "How to reproduce this").items
    intervals = list(first.to_dict()["estimates"][0]["intervals"].values())
    for inner, outer in itertools.pairwise(intervals):
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_an_evaluation_has_its_report():
    """The report of an evaluation has its metrics, its method, its level and its own draws."""
    evaluation = hs.evaluate(TABLE, ["f1", "kappa"], method="bayes", confidence_level=0.9)
    page = hs.report_of(evaluation, title="ward 3").to_html()
    found = json.loads(re.search(r'id="howsure-results">(.*?)</script>', page, re.DOTALL)[1])
    shown = found["estimates"][1]
    assert (shown["metric"], shown["method"]) == ("kappa", "bayes")
    assert shown["intervals"]["0.9"] == [evaluation["kappa"].low, evaluation["kappa"].high]
    assert "ward 3" in page


def test_an_evaluation_of_scores_has_curves():
    """The report of scores shows their metrics and curves, but no matrix, as there is no threshold."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 100)
    table = hs.scores(truth, rng.normal(truth, 1.0))
    report = hs.report_of(table)
    charts = section(report, "Scores and thresholds").charts
    assert [chart.title for chart in charts][:2] == ["ROC curve", "Precision–recall curve"]
    assert "Calibration" not in [chart.title for chart in charts], "scores beyond 0 and 1 are no probabilities"
    assert "Confusion matrix" not in [each.title for each in report.sections]
    assert hs.report_of(hs.evaluate(table)).to_html().count("<figure>") == len(charts)


def test_points_of_charts_say_what_the_curve_says():
    """A point's hint has the curve's own coordinates, and the limits of every level."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 60)
    table = hs.scores(truth, np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1).round(2))
    report = hs.report_of(table)
    mark = section(report, "Scores and thresholds").charts[0].lines[0].marks[7]
    for level, text in zip(report.levels, mark.texts, strict=True):
        curve = hs.roc_curve(table, confidence_level=level)
        hints = [
            (f"false positive rate {x:.3g}, true positive rate {y:.3f}, threshold {t:.3g}", f"[{low:.3f}, {high:.3f}]")
            for x, y, t, low, high in zip(curve.x, curve.y, curve["threshold"], curve.low, curve.high, strict=True)
        ]
        assert (mark.tip, text) in hints


def test_small_classes_perfect_samples_and_many_intervals_are_warned_of():
    """A class of few cases, a metric of 1, and the number of intervals that should miss are named."""
    table = hs.from_counts([[60, 0, 0], [0, 7, 2], [0, 0, 90]], labels=["cat", "owl", "dog"])
    found = cautions_of(hs.report_of(table))
    assert any("“owl” has only 9 cases" in each for each in found)
    # Precision and recall of the cat, with F1; the owl is never a wrong answer, and each dog is found.
    ones = "precision of cat, precision of owl, recall of cat, recall of dog and 1 more are 1 in this sample"
    assert any(each.startswith(ones) for each in found)
    assert any(each.startswith("This report shows 17 intervals at 95 %") for each in found)
    assert not any("“cat” has" in each for each in found)


def test_clusters_weights_and_undefined_metrics_are_warned_of():
    """The effect of the design on the intervals, and reasons for undefined metrics, are stated in words."""
    truth, predicted = [0, 1, 1, 0, 1, 0] * 5, [0, 1, 0, 0, 1, 1] * 5
    clustered = hs.confusion(truth, predicted, groups=[each // 6 for each in range(30)])
    weighted = hs.confusion(truth, predicted, sample_weight=[1, 2, 1, 1, 3, 1] * 5)
    never = hs.from_counts([[30, 0], [5, 0]])
    assert any("5 clusters" in each and "So few" in each for each in cautions_of(hs.report_of(clustered)))
    assert any("weighted" in each for each in cautions_of(hs.report_of(weighted)))
    assert any("no prediction of the class" in each for each in cautions_of(hs.report_of(never)))


def test_odd_data_are_warned_of_model_by_model():
    """A report lists cautions about counts and scores once, with the model if they do not apply to all."""
    truth = np.array([0, 1, 1, 0, 1, 0] * 10)
    chance = np.random.default_rng(0).random(60)
    scored, cut = hs.scores(truth, chance), hs.scores(truth, (chance > 0.5).astype(float))
    odd = "The only scores are 0 and 1"
    assert sum(each.startswith(odd) for each in cautions_of(hs.report_of(cut))) == 1
    subjects = [hs.results.Subject("forest", scored.at(0.5), scored), hs.results.Subject("tree", cut.at(0.5), cut)]
    found = cautions_of(hs.report_of(subjects))
    assert [each.partition(":")[0] for each in found if odd in each] == ["tree"]
    assert not any("only in case" in each for each in found)
    alike = hs.confusion(["Ill", "ill", "well"] * 20, ["ill", "ill", "well"] * 20, check=False)
    found = cautions_of(hs.report_of({"A": alike, "B": alike}))
    assert sum(each.startswith("Some classes differ only in case") for each in found) == 1


def test_groups_models_and_what_was_handed_over_are_all_there():
    """All cases come first, then each group, model by model; comparisons have their table, with their own level."""
    tables = hs.tables.Tables(["north", "south"], [TABLE, TABLE], TABLE, ["site"])
    difference = SimpleNamespace(value=0.1, low=0.05, high=0.15, confidence_level=0.9, p_value=0.002)
    report = hs.report_of({"A": tables, "B": tables}, comparisons={"A − B": difference})
    sheet = section(report, "Groups by site").sheets[0]
    assert sheet.headers[:3] == ("site", "model", "cases")
    assert [(row[0].value, row[1].value) for row in sheet.rows] == [
        ("all cases", "A"), ("all cases", "B"), ("north", "A"), ("north", "B"), ("south", "A"), ("south", "B")
    ]  # fmt: skip
    row = section(report, "Comparisons").sheets[0].rows[0]
    assert [cell.text(0) for cell in row] == ["A − B", "0.100 [0.050, 0.150] (90 %)", "0.002"]


@pytest.fixture(scope="module")
def paired():
    """Three models on the same 300 cases."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 300)
    shares = {"forest": 0.92, "logistic": 0.85, "bayes": 0.75}
    return hs.paired(
        truth, {name: np.where(rng.random(300) < share, truth, 1 - truth) for name, share in shares.items()}
    )


@pytest.mark.parametrize(
    "correction, words", [("holm", "Holm"), ("max_t", "cover simultaneously"), ("none", "by chance alone")]
)
def test_pairs_of_models_are_compared_in_words_and_on_one_axis(paired, correction, words):
    """Each pair has its sentence, interval and p-value; a caution describes the adjustment for their number."""
    found = hs.compare_all(paired, "f1", correction=correction, random_state=0)
    report = hs.report_of({name: paired.model(name) for name in paired.models}, comparisons=found)
    part = section(report, "Comparisons")
    assert [each[0] for each in part.items] == [each.sentence() for each in found.values()]
    sheet = part.sheets[0]
    assert sheet.title == "Differences in F1"
    assert ("p-value, adjusted" in sheet.headers) == (correction != "none")
    (axis,) = sheet.axes
    left, *_, right = (float(tick.replace("−", "-")) for tick in axis.ticks)
    for row, each in zip(sheet.rows, found.values(), strict=True):
        start, width = row[1].bar.spans[0]
        ends = [left + (right - left) * share / 100 for share in (start, start + width, axis.line)]
        assert ends == pytest.approx([each.low, each.high, 0], abs=1e-4)
        assert row[2].order == each.p_value
    assert any(words in each and "3 comparisons" in each for each in cautions_of(report))
    held = report.to_dict()["comparisons"]["forest − bayes"]
    assert (held["low"], held["p_value"]) == (found["forest", "bayes"].low, found["forest", "bayes"].p_value)


def test_draws_tell_probabilities_in_place_of_p_values(paired):
    """A comparison by posterior draws shows P(greater) and that of no practical difference, and no p-value."""
    found = hs.compare(paired, "f1", a="forest", b="logistic", method="bayes", rope=0.02, random_state=0)
    sheet = section(hs.report_of(paired.model("forest"), comparisons=found), "Comparisons").sheets[0]
    assert sheet.headers[2:] == ("probability that it is above 0", "probability of no practical difference")
    assert [cell.order for cell in sheet.rows[0][2:]] == [found.probability_greater.value, found.rope.inside.value]


def test_pooled_values_have_their_forest():
    """Each experiment, the pooled value and the prediction interval have a row; disagreement is warned of."""
    pooled = hs.pool([0.91, 0.74, 0.93], [0.010, 0.020, 0.015], method="dl", names=["Ulm", "Bern", "Graz"])
    report = hs.report_of(TABLE, aggregates={"all sites": pooled})
    whole, forest = section(report, "Pooled experiments").sheets
    assert [cell.text(0) for cell in whole.rows[0]][3:] == [f"{pooled.i2:.3g}", f"{pooled.tau2:.3g}"]
    assert [row[0].value for row in forest.rows] == ["Ulm", "Bern", "Graz", "pooled", "a further experiment"]
    assert forest.rows[1][1].text(0) == "0.740 [0.701, 0.779] (95 %)"
    assert forest.rows[3][1].order == pooled.value
    assert "τ²" in forest.note
    assert any("differ by more than chance" in each for each in cautions_of(report))
    assert report.to_dict()["aggregates"]["all sites"]["tau2"] == pooled.tau2
    assert json.dumps(hs.report_of(TABLE, aggregates=hs.pool([0.9], [0.02])).to_dict(), allow_nan=False)


def test_what_a_table_rests_on_is_said():
    """For scores the threshold is named; for reviewed, corrected and calibrated tables their assumptions."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.25), 0, 1)
    page = hs.report_of(hs.evaluate(hs.scores(truth, score), ["f1", "roc_auc"], threshold=0.4)).to_html()
    assert "predicted positive if its score is at least 0.4" in page
    calibrated = hs.report_of(hs.calibrated(score[:20]))
    assert ("Prediction for these cases; assumes calibrated scores.",) in section(
        calibrated, "What was evaluated"
    ).items
    told = [each for each in cautions_of(calibrated) if "assumes calibrated scores" in each]
    assert len(told) == 1, "a reason is given once, not once a metric"
    reviews = [[[95, 5], [22, 18]], [[0, 0], [3, 97]]]
    reviewed = hs.evaluate(hs.reviewed([[560, 40], [60, 340]], reviews, labels=["healthy", "ill"]))
    assert "the estimate there is that of the prior" in hs.report_of(reviewed).to_html()
    corrected = hs.labels.corrected(hs.from_counts([[560, 40], [60, 340]]), sensitivity=0.9, specificity=0.98)
    assert hs.report_of(hs.evaluate(corrected)).to_html()


def page_of_classes(number):
    """Return the size of a page for a number of classes with long names."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.2, (number, number)) + np.diag(rng.poisson(40, number))
    report = hs.report_of(hs.from_counts(counts, labels=[f"class number {i:04}" for i in range(number)]))
    assert len(section(report, "Classes").sheets[0].rows) == number
    return len(report.to_html().encode())


@pytest.mark.thorough
def test_a_page_on_a_thousand_classes_would_stay_under_two_megabytes():
    """Each further class takes its share of 2 MB and less, by the pages on 200 and on 240 classes."""
    small, large = page_of_classes(200), page_of_classes(240)
    assert small + 800 * (large - small) / 40 < 2_000_000


@pytest.mark.slow
def test_a_thousand_classes_stay_under_two_megabytes():
    """The page on 1,000 classes is under 2 MB, with each class's intervals."""
    assert page_of_classes(1000) < 2_000_000


def test_bars_are_drawn_to_scale():
    """A bar's ends are at the limits on the axis of the sheet; infinite intervals have no bar."""
    table = hs.from_counts([[50, 0], [5, 42]])
    report = hs.report_of(table, metrics=["recall", "plr"])
    sheet = section(report, "Metrics").sheets[0]
    left, *_, right = map(float, sheet.axes[0].ticks)
    bar, (low, high) = sheet.rows[0][1].bar, report.to_dict()["estimates"][0]["intervals"]["0.95"]
    start, width = bar.spans[report.level]
    assert left + (right - left) * start / 100 == pytest.approx(low, abs=1e-4)
    assert (right - left) * width / 100 == pytest.approx(high - low, abs=1e-4)
    assert sheet.rows[1][1].bar is None


def test_methods_come_with_their_sources():
    """Each method and metric that was used is explained, with the source that its docstring names."""
    sheets = section(hs.report_of(TABLE), "Methods").sheets
    methods = {row[0].value: (row[1].value, row[2].value) for row in sheets[0].rows}
    assert set(methods) == {each.method for each in hs.evaluate(TABLE).values()}
    assert "Stein" in methods["flow"][1]
    assert all(row[1].value for sheet in sheets for row in sheet.rows)


@pytest.mark.thorough
def test_more_classes_than_fit_a_matrix():
    """Beyond a hundred classes the most confused ones and the largest confusions replace the matrix."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.2, (300, 300)) + np.diag(rng.poisson(40, 300))
    report = hs.report_of(hs.from_counts(counts))
    part = section(report, "Confusion matrix")
    assert [sheet.title for sheet in part.sheets] == ["Most frequent confusions"]
    assert [len(sheet.rows) for sheet in part.matrices] == [11]
    largest = part.sheets[0].rows
    np.fill_diagonal(counts, 0)
    assert [row[2].order for row in largest] == sorted(counts.ravel())[::-1][: len(largest)]
    assert len(report.to_html().encode()) < 2_000_000


def test_so_many_metrics_that_only_one_level_is_shown(monkeypatch):
    """With many metrics the page only shows the requested level."""
    monkeypatch.setattr("howsure.report.measured.MOST", 30)
    report = hs.report_of(hs.from_counts(np.eye(8) * 9 + 1), metrics=["accuracy"], confidence_level=0.9)
    assert report.levels == (0.9,)


@pytest.mark.thorough
def test_three_models_ten_classes_five_groups_in_time():
    """The report on 3 models, 10 classes and 5 groups takes under 5 s of processor time and under 2 MB."""
    rng = np.random.default_rng(1)
    truth, site = rng.integers(0, 10, 5000), rng.integers(0, 5, 5000)
    started = time.process_time()
    subjects = []
    for number in range(3):
        predicted = np.where(rng.random(5000) < 0.9 - 0.05 * number, truth, rng.integers(0, 10, 5000))
        subjects.append(hs.results.Subject(f"model {number}", hs.confusion(truth, predicted, by={"site": site})))
    page = hs.report_of(subjects).to_html()
    assert time.process_time() - started < 5
    assert len(page.encode()) < 2_000_000


def test_multilabel_tables_have_a_report():
    """Labels replace classes; there is no matrix of them."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (80, 3))
    table = hs.confusion(truth, np.where(rng.random((80, 3)) < 0.8, truth, 1 - truth))
    report = hs.report_of(table)
    assert section(report, "What was evaluated").items[0] == ("80 cases, 3 labels.",)
    assert len(section(report, "Classes").sheets[0].rows) == 3
    assert report.to_html()


def test_scores_that_tell_nothing_still_have_a_report():
    """With one class there are reasons instead of curves; constant scores have both."""
    single = hs.report_of(hs.scores([1, 1, 1], [0.2, 0.5, 0.7], pos_label=1))
    assert any("no case" in each for each in cautions_of(single))
    assert "Scores and thresholds" not in [each.title for each in single.sections]
    constant = hs.report_of(hs.scores([0, 1, 1, 0], [0.5] * 4))
    assert section(constant, "Scores and thresholds").charts
    assert all(each.to_html() for each in (single, constant))


def test_shares_of_classes_know_the_design():
    """Where cases come in clusters of copies, a class's share is as uncertain as without the copies."""
    truth = np.array([0, 1, 1, 0, 1, 1, 0, 1] * 10)
    shares = {}
    for copies in (1, 4):
        group = np.repeat(np.arange(80), copies)
        table = hs.confusion(np.repeat(truth, copies), np.repeat(truth, copies), groups=group)
        report = hs.report_of(table)
        cell = section(report, "What was evaluated").sheets[0].rows[0][2]
        shares[copies] = cell.text(report.level)
    assert shares[1] == shares[4]


def test_what_cannot_be_reported_on_is_refused():
    """Nothing, a model without evidence, and two models of one name are refused, with the remedy."""
    for nothing in ([], {}, [hs.results.Subject("A")]):
        with pytest.raises(hs.HowsureError, match="nothing to report on"):
            hs.report_of(nothing)
    with pytest.raises(hs.HowsureError, match=r"called \['A'\]"):
        hs.report_of([hs.results.Subject("A", TABLE), hs.results.Subject("A", TABLE)])


def test_the_results_are_json_whatever_they_hold(strange):
    """The machine's block has no sign that HTML takes for markup, and reads back as it was; undefined is null."""
    text = as_json(strange.to_dict())
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == strange.to_dict()
    assert json.loads(as_json({"label": "\u2028</script><!--"})) == {"label": "\u2028</script><!--"}
    never = hs.report_of(hs.from_counts([[30, 0], [5, 0]]), metrics=["precision"]).to_dict()["estimates"][0]
    assert never["value"] is None
    assert math.isnan(hs.estimate(hs.from_counts([[30, 0], [5, 0]]), "precision").value)


@pytest.mark.thorough
def test_the_page_asks_nothing_of_anyone(report):
    """The page contains no address, import or external source, and its policy allows none."""
    page = report.to_html()
    assert not re.findall(r"https?:|//[a-z]|\bsrc=|url\(|@import|<link|<iframe|<img", page)
    assert "default-src 'none'" in page


def test_without_jinja2_the_page_says_how_to_install_it():
    """The error names the extra; Markdown and LaTeX do without."""
    code = (
        "import sys; sys.modules['jinja2'] = None; import howsure as hs\n"
        "report = hs.report_of(hs.from_counts([[5, 1], [2, 9]])); report.to_markdown(); report.to_latex()\n"
        "try: report.to_html()\nexcept hs.HowsureError as error: assert 'howsure[report]' in str(error)\n"
        "else: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reports_are_saved_by_suffix(tmp_path):
    """.html, .md and .tex name the format; another suffix or a missing folder is refused in one line."""
    report = hs.report_of(TABLE, title="ward")
    assert report.save(tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert report.save(tmp_path / "a.md").read_text(encoding="utf-8") == report.to_markdown()
    assert report.save(str(tmp_path / "a.tex")).read_text(encoding="utf-8") == report.to_latex()
    with pytest.raises(hs.HowsureError, match="suffix"):
        report.save(tmp_path / "a.pdf")
    with pytest.raises(hs.HowsureError, match="cannot be written"):
        report.save(tmp_path / "missing" / "a.html")


def test_notebooks_show_the_report_in_a_frame():
    """In a notebook the page is in a frame of its own, escaped."""
    shown = hs.report_of(TABLE)._repr_html_()
    assert shown.startswith("<iframe ")
    assert "<script" not in shown


@pytest.mark.parametrize("method", ["bayes", "bootstrap_percentile", "bootstrap_bca"])
def test_a_report_shows_the_estimates_that_it_is_given(paired, method):
    """For joint draws the intervals are the evaluation's own at its level, and from the same draws at the others."""
    settings = {"method": method, "random_state": 0}
    found = {
        level: hs.evaluate_models(paired, ["accuracy", "mcc"], confidence_level=level, **settings) for level in LEVELS
    }
    report = hs.report_of(found[0.9]["logistic"])
    assert report.levels[report.level] == 0.9
    for shown in report.to_dict()["estimates"][:2]:
        assert shown["method"] == method
        for level in LEVELS:
            own = found[level]["logistic"][shown["metric"]]
            assert shown["intervals"][f"{level:g}"] == [own.low, own.high]


def test_evaluations_of_models_have_one_report(paired):
    """A mapping of evaluations is shown side by side, each with its own numbers; levels that differ are refused."""
    found = hs.evaluate_models(paired, "f1", method="bayes", random_state=0)
    report = hs.report_of(found)
    row = section(report, "Metrics").sheets[0].rows[0]
    assert [cell.order for cell in row[1:]] == [each["f1"].value for each in found.values()]
    assert [cell.texts[report.level] for cell in row[1:]] == [str(each["f1"])[6:] for each in found.values()]
    with pytest.raises(hs.HowsureError, match=r"levels \[0.9, 0.95\]"):
        hs.report_of({"A": hs.evaluate(TABLE), "B": hs.evaluate(TABLE, confidence_level=0.9)})
    with pytest.raises(hs.HowsureError, match="`confidence_level` is for tables"):
        hs.report_of(found, confidence_level=0.9)


def test_groups_of_scores_and_predictions_have_all_their_metrics():
    """Groups by two columns have a row each, under the columns' names, with metrics of counts and of scores."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 240)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1).round(2)
    by = {"site": np.repeat(["a", "b"], 120), "sex": np.tile(["f", "m"], 120)}
    tables, scored = hs.confusion(truth, (score >= 0.5).astype(int), by=by), hs.scores(truth, score, by=by)
    report = hs.report_of([hs.results.Subject("", tables, scored)], metrics=["f1"])
    sheet = section(report, "Groups by site and sex").sheets[0]
    assert sheet.headers == ("site", "sex", "cases", "F1", "ROC AUC", "average precision")
    assert [(row[0].value, row[1].value) for row in sheet.rows] == [
        ("all cases", ""), ("a", "f"), ("a", "m"), ("b", "f"), ("b", "m")
    ]  # fmt: skip
    assert sheet.rows[2][3].order == hs.estimate(tables["a", "m"], "f1").value
    assert sheet.rows[3][4].order == hs.estimate(scored["b", "f"], "roc_auc").value
    assert report.to_dict()["tables"][1]["group"] == {"site": "a", "sex": "f"}
    assert "Each bar" not in report.to_markdown() + report.to_latex()


def test_groups_have_the_intervals_of_their_own_tables_at_each_level(monkeypatch):
    """All groups are computed in one pass per level, and each has the results of its table alone."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 240)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1).round(2)
    by = {"site": np.repeat(["a", "b", "c"], 80)}
    tables, scored = hs.confusion(truth, (score >= 0.5).astype(int), by=by), hs.scores(truth, score, by=by)
    calls = []
    monkeypatch.setattr(
        evidence, "evaluate", lambda *given, **asked: calls.append(asked) or hs.evaluate(*given, **asked)
    )
    report = hs.report_of([hs.results.Subject("", tables, scored)], metrics=["f1", "mcc"])
    # Counts and scores, the classes, and the shares of the classes: each once a level.
    assert len(calls) == 4 * len(report.levels)
    for each in report.to_dict()["estimates"]:
        if each["group"]["site"] is not None:
            table = (scored if each["metric"] in {"roc_auc", "average_precision"} else tables)[each["group"]["site"]]
            for level in report.levels:
                alone = hs.estimate(table, each["metric"], confidence_level=level)
                assert each["intervals"][f"{level:g}"] == pytest.approx([alone.low, alone.high], rel=1e-9)


def test_a_design_of_ones_own_speaks_for_itself():
    """A design's description of its cases, and its cautions, are in the headline and among the cautions."""

    class Panel(Design):
        description = Description("from a rotating panel", caveats=("Households stay in the panel for a year.",))

        def variance(self, counts, gradient):
            return 2 * (counts * gradient**2).sum(-1)

        def collapse_cells(self, codes, size):  # noqa: ARG002 - as of every design
            return self

    report = hs.report_of(TABLE.with_design(Panel()), metrics=["f1"])
    assert "these 100 cases from a rotating panel" in report.headline[0][report.level]
    assert "Households stay in the panel for a year." in cautions_of(report)


@pytest.mark.parametrize(
    "asked, shown",
    [("f1", ["f1", "roc_auc", "average_precision"]), (["roc_auc"], ["roc_auc"]), (["ece", "f1"], ["f1", "ece"])],
)
def test_of_predictions_and_scores_each_metric_is_of_its_own_table(asked, shown):
    """Requested metrics of scores are shown alone; by default the usual ones are added to those of predictions."""
    truth, score = [0, 1, 0, 1, 1, 0], [0.1, 0.6, 0.3, 0.8, 0.4, 0.7]
    scores = hs.scores(truth, score)
    report = hs.report_of([hs.results.Subject("model", scores.at(0.5), scores)], metrics=asked)
    names = [each["metric"] for each in report.to_dict()["estimates"]]
    assert [name for name in names if "@" not in name] == shown  # without the metrics of each class


def test_no_metric_is_told_whatever_holds_it():
    """Numbers in an array are refused in words, as in `evaluate`."""
    with pytest.raises(hs.HowsureError, match="not by float"):
        hs.report_of(hs.confusion([0, 1], [0, 1]), metrics=np.array([0.1, 0.9]))


TRUTH = ["a", "b"] * 50
STRAY = {"x": ["a", "b"] * 45 + ["b", "a"] * 5, "y": ["a", "b"] * 48 + ["other", "b", "b", "a"]}
F1 = {"x": 0.9, "y": np.mean([2 * 48 / (50 + 49), 2 * 49 / (50 + 50)])}


def shown_values(report):
    """Return value and limits of macro F1 by model."""
    found = [each for each in report.to_dict()["estimates"] if each["metric"] == "f1@macro"]
    return {each["model"]: (each["value"], list(each["intervals"].values())) for each in found}


@pytest.mark.parametrize("method", [None, "bayes", "delta"])
def test_models_of_one_table_are_reported_over_one_set_of_classes(method):
    """A word of one model that never occurs changes neither value nor limits at any level, as in `compare`."""
    both = hs.paired(TRUTH, STRAY)
    settings = {"metrics": ["f1@macro"], "method": method, "random_state": 0}
    report = hs.report_of(both, **settings)
    (difference,) = report.to_dict()["comparisons"].values()
    alone = {name: both.model(name) for name in STRAY}
    made = hs.evaluate_models(both, "f1@macro", method=method, random_state=0)
    for found in (shown_values(each) for each in (report, hs.report_of(alone, **settings), hs.report_of(dict(made)))):
        for name, (value, limits) in found.items():
            assert value == pytest.approx(F1[name])
            assert all(low < value < high for low, high in limits)
            assert all(inner[0] > outer[0] for inner, outer in itertools.pairwise(limits))
    assert (difference["first_value"], difference["second_value"]) == pytest.approx((F1["x"], F1["y"]))


def test_models_are_reported_over_one_set_of_classes_in_every_group():
    """Each group has the classes on which all models are defined there."""
    group = ["g"] * 50 + ["h"] * 50
    tables = {name: hs.confusion(TRUTH, each, by=group, labels=["a", "b", "other"]) for name, each in STRAY.items()}
    report = hs.report_of(tables, metrics=["f1@macro"])
    found = [each for each in report.to_dict()["estimates"] if each["metric"] == "f1@macro"]
    values = {(each["model"], *each["group"].values()): each["value"] for each in found}
    assert values["x", "h"] == pytest.approx(0.8)
    assert values["y", "h"] == pytest.approx(np.mean([2 * 23 / (25 + 24), 2 * 24 / (25 + 25)]))
    assert values["y", "g"] == pytest.approx(1)


def test_other_cases_are_reported_by_themselves():
    """Test sets that lack different classes are not models on the same cases."""
    tables = {
        "one": hs.from_counts([[8, 2, 0], [1, 9, 0], [0, 0, 0]]),
        "two": hs.from_counts([[0] * 3, [1, 8, 1], [0, 2, 8]]),
    }
    found = shown_values(hs.report_of(tables, metrics=["f1@macro"]))
    for name, table in tables.items():
        assert found[name][0] == pytest.approx(hs.estimate(table, "f1@macro").value)


def test_own_metrics_stand_beside_averages_over_one_set_of_classes():
    """A metric without a spec string is estimated as it is."""
    both = hs.paired(TRUTH, STRAY)
    own = dataclasses.replace(resolve("accuracy", both.model("x")), name="share", spec=None)
    report = hs.report_of(both, metrics=["f1@macro", own])
    assert shown_values(report)["y"][0] == pytest.approx(F1["y"])
    values = {each["model"]: each["value"] for each in report.to_dict()["estimates"] if each["metric"] == "share"}
    assert values == pytest.approx({"x": 0.9, "y": 0.97})


def test_thresholds_are_stated_once_unless_they_differ():
    """A threshold that all models share is stated once; different ones are stated with the names of their models."""
    scored = hs.scores([0, 1] * 10, np.linspace(0, 1, 20))

    def said(**thresholds):
        subjects = [hs.results.Subject(name, scored.at(each), scored, each) for name, each in thresholds.items()]
        lines = hs.report_of(subjects, metrics=["roc_auc"])["What was evaluated"].items
        return [line for (line,) in lines if "at least" in line]

    assert said(A=0.4, B=0.4) == ["A case is predicted positive if its score is at least 0.4."]
    assert said(A=0.4, B=0.5, C=0.4) == [
        "A, C: a case is predicted positive if its score is at least 0.4.",
        "B: a case is predicted positive if its score is at least 0.5.",
    ]


def test_an_audit_is_in_words_and_numbers():
    """Headline, pairs and cases needed name metrics in words; cases are numbers; marks stand only over what is drawn."""
    table = hs.confusion("label", "forest", data="examples/breast_cancer.csv", by="tumour_size")
    found = hs.gaps(table, "equalized_odds")
    report = hs.report_of(found)
    assert [text.partition(":")[0] for (text,) in report.headline] == ["Recall", "FPR"]
    assert {row[0].value.partition(":")[0] for row in report["Pairs of groups"].sheets[0].rows} == {"recall", "FPR"}
    needed = found.needed(0.05)
    for row, each in zip(report["Cases needed"].sheets[0].rows, needed.records(), strict=True):
        group, metric, cases, wanted, more = row
        assert (group.value, metric.value.lower(), cases.order) == (each["group"], each["metric"], each["cases"])
        assert (wanted.order, more.order) == (each["needed"], max(each["needed"] - each["cases"], 0))
    for title in ("recall of each group", "FPR of each group"):
        head = report.to_html().partition(f"<bdi>{title}</bdi>")[2].partition("</thead>")[0]
        assert head.count('class="key') == 2


RISKY = {"y_true": [0, 0, 1, 1, 0, 1] * 20, "y_score": [0.1, 0.4, 0.35, 0.8, 0.2, 0.6] * 20}
RESULTS = {
    "decision curve": lambda **by: hs.decision_curve(*RISKY.values(), thresholds=[0.2, 0.5], **by),
    "net benefit": lambda **by: hs.decision_curve(*RISKY.values(), thresholds=[0.2, 0.5], **by)["model"],
    "difference of strategies": lambda **by: hs.decision_curve(*RISKY.values(), thresholds=[0.2, 0.5], **by).difference("model"),
    "joint region": lambda **by: hs.joint_region(hs.scores(*RISKY.values(), **by), "recall", "precision", threshold=0.3),
    "joint test": lambda **by: hs.joint_test(hs.scores(*RISKY.values(), **by), ["recall>0.4", "fpr<0.6"], threshold=0.3),
    "certified threshold": lambda **by: hs.certified_threshold(hs.scores(*RISKY.values(), **by), "recall>0.3"),
    "gaps": lambda **by: hs.gaps(hs.scores(*RISKY.values(), **by).at(0.3) if not by else hs.scores(*RISKY.values(), **by), "recall", threshold=0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_each_result_of_decisions_requirements_and_groups_has_a_report(name):
    """A report has the result's records among its own, and is written as a page, as Markdown and as LaTeX."""
    by = {"by": {"site": ["a", "b"] * 60}} if name == "gaps" else {}
    result = RESULTS[name](**by)
    report = hs.report_of(result, title="ward 3", checklist="tripod-ai")
    numbers = json.dumps(report.to_dict())
    first = next(value for value in result.records()[0].values() if isinstance(value, float) and math.isfinite(value))
    assert str(first)[:8] in numbers
    assert "ward 3" in report.to_html()
    assert "ward 3" in report.to_markdown()
    assert report.to_latex().startswith("\\begin{table}")
    with pytest.raises(hs.HowsureError, match="metrics"):
        hs.report_of(result, metrics=["recall"])


def test_the_headline_of_a_net_benefit_names_the_thresholds_that_show_it():
    """It is where the simultaneous band is above 0; a difference has a value, no net benefit of its own."""
    curve = hs.decision_curve(*RISKY.values(), thresholds=[0.2, 0.5, 0.9], random_state=0)
    shown = curve.thresholds[curve["model"].simultaneous_low > 0].tolist()
    (words,) = hs.report_of(curve["model"]).headline[0]
    assert (
        words
        == f"model: the value is shown to be above 0 at {len(shown)} of 3 thresholds, between {shown[0]:g} and {shown[-1]:g}."
    )
    (words,) = hs.report_of(curve.difference("treat all", "model")).headline[0]
    assert words == "treat all − model: no threshold shows a value above 0."


@pytest.mark.parametrize("name", ["joint region", "joint test", "certified threshold"])
def test_results_of_groups_have_one_report(name):
    """The report of requirements and regions by group has a sentence for each group."""
    report = hs.report_of(RESULTS[name](by={"site": ["a", "b"] * 60}))
    assert [text[0].partition(":")[0] for text in report.headline][-2:] == ["a", "b"]


def test_gaps_that_fail_leave_their_reason():
    """If the gaps of a model cannot be computed, one sentence names the model and the reason, and the others are shown."""
    rng = np.random.default_rng(3)
    truth, site = rng.integers(0, 2, 120), {"site": np.repeat(["a", "b"], 60)}
    two = hs.confusion(truth, truth[::-1], by=site)
    three = hs.confusion(rng.integers(0, 3, 120), rng.integers(0, 3, 120), by=site)
    found = gaps_section({"A": two, "B": three}, ["recall"], 0.95, np.random.SeedSequence(0))
    assert found.paragraphs[0][0].startswith("Recall: the largest gap")
    (reason,) = found.paragraphs[-1]
    assert reason.startswith("The gaps of B are not known: `recall`")
    assert len(found.sheets) == 2
    alone = gaps_section({"B": three}, ["recall"], 0.95, np.random.SeedSequence(0))
    assert alone.paragraphs[0][0].startswith("The gaps are not known: `recall`")


def test_groups_have_a_section_on_gaps():
    """The gaps of the requested metrics of counts, as `gaps` gives them; none for one group or without `by=`."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 600)
    site = rng.choice(["a", "b", "c"], 600)
    predicted = np.where(rng.random(600) < np.where(site == "a", 0.6, 0.9), truth, 1 - truth)
    table = hs.confusion(truth, predicted, by={"site": site})
    gaps = hs.gaps(table, ["recall", "fpr"], random_state=1)
    found = section(hs.report_of(table, metrics=["recall", "fpr", "f1@none"], random_state=1), "Gaps between groups")
    assert [each[0] for each in found.paragraphs[:2]] == [gaps.sentence("recall"), gaps.sentence("fpr")]
    largest = gaps.difference("recall")
    assert found.sheets[0].rows[0][1].text(0).startswith(f"{largest.value:.3f} [{largest.low:.3f}")
    assert len(found.sheets[1].rows) == 6
    for other in (hs.confusion(truth, predicted), hs.confusion(truth, predicted, by={"site": np.full(600, "a")})):
        assert "Gaps between groups" not in hs.report_of(other)
    two = hs.report_of({"A": table, "B": hs.confusion(truth, truth[::-1], by={"site": site})}, metrics=["recall"])
    titles = [each.title for each in section(two, "Gaps between groups").sheets]
    assert titles[::2] == ["A: Largest gaps", "B: Largest gaps"]
    average = section(hs.report_of(hs.gaps(table, ["f1@macro"])), "Largest gaps").sheets[0]
    assert average.rows[0][0].value == "F1, macro average, difference"
