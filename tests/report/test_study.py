"""The report on a study, and the display of each result in notebooks."""

import json
import re

import numpy as np
import pytest

import howsure as hs
from howsure.grids import plain
from howsure.report.study import report_of_study


@pytest.fixture(scope="module")
def study():
    """Two groups of three experiments and a single one; names contain markup."""
    made = hs.Study(seed=1, n_draws=400)
    for name, hits in {
        "mlp/0": 45,
        "mlp/1": 41,
        "mlp/2": 28,
        "<b>svm</b>/0": 37,
        "<b>svm</b>/1": 36,
        "rule": 30,
    }.items():
        made.add(name, [[hits, 50 - hits], [52 - hits, hits]])
    made.add_metric("accuracy", aggregation="dl")
    made.add_metric("f1", aggregation="reml_knha")
    return made


@pytest.fixture(scope="module")
def report(study):
    return report_of_study(study, title="three <i>models</i>", rope=0.02, command="howsure study run three.toml")


def sheets_of(report, title):
    section = next(each for each in report.sections if each.title == title)
    assert all(sheet.title.endswith(f": {title}") for sheet in section.sheets)
    return {sheet.title.rpartition(": ")[0]: sheet for sheet in section.sheets}


def test_each_group_has_its_headline(study, report):
    """After the answer, a group has a sentence on its aggregate, an experiment alone on its own interval."""
    pooled = study.aggregate("accuracy")["mlp"]
    assert report.headline[1][0] == (
        f"Accuracy of mlp is {pooled.value:.2f}; with these 306 cases of 3 experiments, anything between {pooled.low:.2f} "
        f"and {pooled.high:.2f} is plausible (95 % interval)."
    )
    alone = study.summaries("accuracy")["rule"]
    assert f"with these 102 cases, anything between {alone.low:.2f} and" in report.headline[3][0]


def test_each_metric_has_experiments_forests_differences_and_ranks(study, report):
    """The sheets contain the numbers of the study's own reports."""
    sheets = sheets_of(report, "F1")
    assert list(sheets) == [
        "Each experiment",
        "Forest plot of mlp",
        "Forest plot of <b>svm</b>",
        "Differences of the groups",
        "Ranks of the groups",
        "Differences of all experiments",
        "Ranks of all experiments",
    ]
    summary = study.summaries("f1")["mlp/0"]
    row = sheets["Each experiment"].rows[0]
    assert (row[0].value, row[1].order, row[2].order) == ("mlp/0", study.observed("f1", "mlp/0"), summary.median)
    assert row[2].texts[0].startswith(f"[{summary.low:.3f}, {summary.high:.3f}]")
    assert [each[0].value for each in sheets["Forest plot of mlp"].rows][:4] == ["mlp/0", "mlp/1", "mlp/2", "pooled"]
    difference = study.compare("f1", "mlp", "rule", rope=0.02)
    shown = {each[0].value: each for each in sheets["Differences of the groups"].rows}["mlp − rule"]
    assert [cell.order for cell in shown[1:]] == [
        difference.value,
        difference.probability_greater.value,
        difference.rope.inside.value,
    ]
    assert sheets["Ranks of the groups"].rows[0][1].order == study.ranks("f1", among=list(study.groups))["mlp"][1]
    assert len(sheets["Differences of all experiments"].rows) == 15


def test_disagreement_and_many_comparisons_are_warned_of(report):
    """Experiments that differ by more than chance, and the number of compared pairs, are among the cautions."""
    found = [each[0] for each in report["What to be careful about"].items]
    assert found[0].startswith("36 comparisons are made, and neither intervals nor p-values are adjusted")
    assert any(each.startswith("accuracy, mlp: the experiments differ by more than chance") for each in found)


def test_the_page_shows_names_as_text_and_holds_all_numbers(study, report):
    """Markup in names is escaped, and the machine's block has the study's records."""
    page = report.to_html()
    assert "<b>svm" not in page
    assert "<i>models" not in page
    held = json.loads(re.search(r'id="howsure-results">(.*?)</script>', page, re.DOTALL)[1])
    assert held["aggregates"] == plain(study.aggregate().records())
    assert held["comparisons"]["f1: mlp − rule"]["value"] == study.compare("f1", "mlp", "rule").value
    assert hs.report_of(study, title="three").to_html().startswith("<!DOCTYPE html>")
    assert "Forest plot of mlp" in report.to_markdown()
    assert r"\begin{table}" in report.to_latex()


def test_a_study_of_one_experiment_has_a_report():
    """There are no differences and no pooled values; without a metric it is refused."""
    study = hs.Study(n_draws=200)
    study.add("a", [[5, 1], [2, 6]])
    with pytest.raises(hs.HowsureError, match="no metric"):
        hs.report_of(study)
    study.add_metric("f1")
    report = report_of_study(study)
    assert list(sheets_of(report, "F1")) == ["Each experiment"]
    assert "What to be careful about" not in [each.title for each in report.sections]


@pytest.mark.thorough
@pytest.mark.parametrize("width, scheme", [(400, "dark"), (1600, "light")])
def test_a_study_s_page_in_a_browser(report, opened, width, scheme):
    """It opens offline without a complaint, fits the window, and axe-core finds no fault."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(report, width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for summary in page.locator("details summary").all():
        summary.click()
    violations = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in violations] == []


def test_notebooks_show_every_result_as_a_table(study):
    """Estimates, evaluations, comparisons, ranks, differences, pooled values, studies and their reports have HTML."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    names = ("<A>", "B", "C")
    table = hs.paired(truth, {name: np.where(rng.random(120) < 0.8, truth, 1 - truth) for name in names})
    drawn = hs.evaluate_models(table, "f1", method="bayes", random_state=0)
    estimates = {name: each["f1"] for name, each in drawn.items()}
    shown = [
        hs.evaluate(table.model("B")),
        hs.compare(table, "f1", a="<A>", b="B"),
        hs.compare_all(table, "f1"),
        hs.ranks(estimates),
        hs.comparison.simultaneous_differences(estimates),
        hs.pool([0.9, 0.8], [0.02, 0.03], names=["<A>", "B"]),
        hs.labels.review_plan(hs.from_counts([[50, 3], [5, 42]]), "f1", budget=20),
        study,
        study.summaries("f1"),
        study.comparisons("f1"),
        study.aggregate("f1"),
    ]
    for each in shown:
        html = each._repr_html_()
        assert html.startswith("<table")
        assert "<A>" not in html
        assert "<b>svm" not in html
    assert "<b>f1</b>" in estimates["B"]._repr_html_()
    assert hs.Study()._repr_html_().startswith("<table"), "an empty study too"
