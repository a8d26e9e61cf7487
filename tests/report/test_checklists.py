"""Checklists of reporting guidelines: what a report answers, and what it leaves to the author."""

import csv
import functools
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import howsure as hs
from howsure.report.checklists import checklist as module
from howsure.report.checklists.facts import FACTS
from howsure.report.checklists.names import NAMES

DATA = Path(__file__).parents[2] / "examples" / "breast_cancer.csv"
ROWS = list(csv.DictReader(DATA.read_text(encoding="utf-8").splitlines()))
TRIPOD_AI = """
    1 2 3a 3b 3c 4 5a 5b 6a 6b 6c 7 8a 8b 8c 9a 9b 9c 10 11 12a 12b 12c 12d 12e 12f 12g 13 14 15 16 17 18a 18b
    18c 18d 18e 18f 19 20a 20b 20c 21 22 23a 23b 24 25 26 27a 27b 27c
"""
PUBLISHED = {  # item numbers: Nature Medicine 31, 3283 (table 2); BMJ 385, e078378 (table 2); Radiol Artif Intell 6, e240300
    "stard-ai": [
        *map(str, range(1, 15)),
        *["15a", "15b", "15c", "15d", "16a", "16b", "16c", "17a", "17b"],
        *map(str, range(18, 26)),
        *["26a", "26b"],
        *map(str, range(27, 40)),
        *["40a", "40b"],
    ],
    "tripod-ai": TRIPOD_AI.split(),
    "claim": [str(number) for number in range(1, 45)],
}


def published(name):
    """Return the data of a checklist."""
    return tomllib.loads(Path(module.__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@functools.cache
def diagnostic(threshold=0.3, **further):
    """Return the report of a diagnostic study, split by tumour size."""
    scored = hs.scores("label", "score_forest", data=str(DATA), pos_label="malignant", by="tumour_size")
    subject = hs.results.Subject("", scored.at(threshold), scored, threshold)
    metrics = ["sensitivity", "specificity", "ppv_at+prevalence=0.1", "roc_auc", "ece"]
    return hs.report_of([subject], metrics=metrics, files=[DATA], command="howsure report", **further)


@functools.cache
def plain():
    """Return the report of a table of counts alone."""
    return hs.report_of(hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"]))


@functools.cache
def unlabelled():
    """Return the report of scores without labels."""
    return hs.report_of(hs.calibrated(np.linspace(0.05, 0.95, 40)))


@functools.cache
def audit():
    """Return the report of a fairness audit."""
    table = hs.confusion("label", "forest", data=str(DATA), by="tumour_size")
    return hs.report_of(hs.gaps(table, "equalized_odds"), files=[DATA])


@functools.cache
def readers():
    """Return the report of a study with three readers."""
    rng = np.random.default_rng(5)
    truth = np.tile(rng.integers(0, 2, 40), 3)
    score = truth + rng.normal(size=120)
    study = hs.reader_study(score, truth=truth, reader=np.repeat([1, 2, 3], 40), case=np.tile(np.arange(40), 3))
    return hs.report_of(study)


@functools.cache
def requirements():
    """Return the report of two requirements that are tested together."""
    return hs.report_of(hs.joint_test(hs.from_counts(tp=95, fn=5, fp=8, tn=92), ["recall>0.85", "specificity>0.8"]))


REPORTS = {
    "requirements": requirements,
    "diagnostic": diagnostic,
    "plain": plain,
    "unlabelled": unlabelled,
    "audit": audit,
    "readers": readers,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_items_have_the_published_numbers(name):
    """Each item of the published guideline occurs once, in its order."""
    assert list(plain().checklist(name)) == PUBLISHED[name]


def test_items_name_facts_that_exist():
    """Every fact of an item is registered, and every registered fact answers an item of some checklist."""
    used = set()
    for name in NAMES:
        for part in published(name)["parts"].values():
            for fields in part.values():
                assert fields.keys() <= {"topic", "needs", "shows", "author"}
                assert "needs" in fields or fields.keys() == {"topic"}, "only facts that are needed answer an item"
                used |= {*fields.get("needs", ()), *fields.get("shows", ())}
    assert used == FACTS.keys()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("made", REPORTS)
def test_nothing_is_answered_without_evidence(name, made):
    """Evidence has a number, answered items lack nothing, and the counts at the head are those of the items."""
    report = REPORTS[made]()
    found = report.checklist(name)
    fields = {number: each for part in published(name)["parts"].values() for number, each in part.items()}
    for number, item in found.items():
        if item.status == "for the author":
            assert not item.evidence
            continue
        assert re.search(r"\d|“", item.said(found.level)), item
        needs = fields[number].get("needs", [])
        assert needs
        if item.status == "answered":
            assert (item.missing, item.author, item.to_add) == ((), "", "")
        else:
            assert item.to_add
    counts = Counter(each.status for each in found.values())
    answered, partly, author = (counts[status] for status in module.STATUSES)
    figures = [int(each) for each in re.findall(r"\d+", found.summary.partition(": ")[2])]
    assert figures == [len(found), answered, partly, author]


def test_the_cross_tabulation_is_that_of_the_file():
    """Item 30 of STARD-AI has the four counts of the file, counted here from its rows."""
    counts = Counter((row["label"], float(row["score_forest"]) >= 0.3) for row in ROWS)
    tp, fn = counts["malignant", True], counts["malignant", False]
    fp, tn = counts["benign", True], counts["benign", False]
    item = diagnostic().checklist("stard-ai")["30"]
    assert item.status == "answered"
    assert item.said(0) == (
        f"Predictions: of {tp + fn} “malignant”, {tp} were predicted “malignant” and {fn} “benign”; "
        f"of {tn + fp} “benign”, {tn} “benign” and {fp} “malignant”."
    )


def test_estimates_are_those_of_the_report_at_every_level():
    """Item 31 has the value and the interval of each metric, at each confidence level of the page."""
    report = diagnostic()
    item = report.checklist("stard-ai")["31"]
    scored = hs.scores("label", "score_forest", data=str(DATA), pos_label="malignant")
    for place, level in enumerate(report.levels):
        each = hs.estimate(scored, "roc_auc", confidence_level=level)
        assert f"ROC AUC {each.value:.3f} [{each.low:.3f}, {each.high:.3f}]" in item.said(place)


def test_subgroups_have_the_numbers_of_each_group():
    """Item 23a of TRIPOD+AI has the main metric of each group; without groups it names the option that adds them."""
    item = diagnostic().checklist("tripod-ai")["23a"]
    assert item.status == "answered"
    for size in ("small", "medium", "large"):
        rows = [row for row in ROWS if row["tumour_size"] == size and row["label"] == "malignant"]
        recall = sum(float(row["score_forest"]) >= 0.3 for row in rows) / len(rows)
        assert f"{size} {recall:.3f} [" in item.said(0)
    without = plain().checklist("tripod-ai")["23a"]
    assert without.status == "partly answered"
    assert without.missing == ("subgroups from --by",)


def test_calibration_is_missing_until_it_is_measured():
    """Discrimination alone answers a part of item 12e of TRIPOD+AI; the item says what adds the other part."""
    scored = hs.scores("label", "score_forest", data=str(DATA), pos_label="malignant")
    alone = hs.report_of(scored, metrics=["roc_auc"]).checklist("tripod-ai")["12e"]
    assert alone.missing == ("calibration from --y-score and the metrics calibration_slope and observed_expected",)
    assert not hs.report_of(scored, metrics=["roc_auc", "calibration_slope"]).checklist("tripod-ai")["12e"].missing


def test_scores_without_labels_answer_no_question_about_the_truth():
    """Without labels there is no cross-tabulation, no accuracy and no number of cases with the condition."""
    found = unlabelled().checklist("stard-ai")
    assert {found[number].status for number in ("20", "23", "28", "30", "31")} == {"for the author"}


def test_weighted_and_estimated_counts_are_called_so():
    """Sums of weights are not presented as numbers of cases."""
    weights = np.linspace(0.5, 2, 20)
    table = hs.confusion([0, 1] * 10, [0, 1, 1, 1] * 5, sample_weight=weights)
    found = hs.report_of(table).checklist("stard-ai")
    assert found["30"].said(0).endswith("(weighted counts).")
    assert "(weighted counts)" not in plain().checklist("stard-ai")["30"].said(0)


def test_an_audit_answers_with_its_largest_gaps():
    """The model card of a fairness audit has each group and the largest difference with its interval."""
    report = audit()
    item = report.checklist("model-card")["Unitary results"]
    gap = report.results["largest"]["recall, difference"]
    assert item.status == "answered"
    assert f"Largest difference in recall: {gap['value']:.3f} [{gap['low']:.3f}, {gap['high']:.3f}]" in item.said(0)


def test_readers_answer_with_their_means():
    """The mean over readers is an estimate of accuracy, with its interval."""
    report = readers()
    row = report.results["results"][0]
    item = report.checklist("stard-ai")["31"]
    assert f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" in item.said(0)


def test_a_report_has_the_checklist_as_a_section():
    """The section stands before the last one; its tables have each item once, and the results each item's status."""
    report = diagnostic(checklist="stard-ai")
    titles = list(report)
    assert titles[-2:] == ["Checklist: STARD-AI 2025", "How to reproduce this"]
    section = report["Checklist: STARD-AI 2025"]
    listed = [row[0].value for sheet in section.sheets for row in sheet.rows]
    assert sorted(listed) == sorted(PUBLISHED["stard-ai"])
    answered = section.sheets[0]
    assert answered.title == f"Answered: {len(answered.rows)}"
    found = report.checklist("stard-ai")
    assert section.paragraphs[0][0] == found.summary
    statuses = {each["item"]: each["status"] for each in json.loads(json.dumps(report.to_dict()))["checklist"]}
    assert statuses == {number: item.status for number, item in found.items()}
    for text in (report.to_html(), report.to_markdown(), report.to_latex()):
        assert "231" not in text.partition("Partly answered")[0].rpartition("Answered")[2]
        assert "206 were predicted" in text


def test_a_checklist_can_be_filled_in():
    """Its Markdown has a line for each item in the order of the guideline, with an empty cell for the page."""
    found = diagnostic().checklist("claim")
    lines = found.to_markdown().splitlines()
    assert lines[0] == "| item | topic | status | evidence | to add | page |"
    assert lines[1] == "| :--- | :--- | :--- | :--- | :--- | :--- |"
    rows = lines[2 : 2 + len(found)]
    assert [re.split(r" \| ?", line)[0].removeprefix("| ") for line in rows] == list(found)
    assert all(line.endswith("|  |") for line in rows)
    assert found.source.partition(",")[0] in lines[-1]
    assert list(found.to_pandas().columns) == ["item", "part", "topic", "status", "evidence", "to_add"]


def test_printing_lists_the_evidence_and_what_howsure_could_add():
    """The text has the answered items with numbers, the numbers of the author's, and options that would add evidence."""
    text = str(diagnostic().checklist("tripod-ai"))
    assert "answered\n  23a: performance with confidence intervals" in text
    assert "12d (clusters from --groups)" in text
    assert max(map(len, text.splitlines())) <= 101


def test_requirements_are_stated_with_their_p_value():
    """A joint test answers with its statement, and its report does not pass for a number of cases."""
    found = requirements().checklist("stard-ai")
    assert requirements().headline[0][0] in found["31"].said(0)
    assert found["24"].status == "for the author"


def test_a_decision_curve_answers_with_where_a_model_is_useful():
    """The main sentences of a report on decision curves are evidence of clinical utility."""
    said = "forest has a larger net benefit than treating all and than treating none from 0.1 to 0.4."
    report = hs.results.Report(
        title="",
        about="569 cases, 99 thresholds",
        headline=((said,),),
        sections=(),
        levels=(0.95,),
        level=0,
        results={"net_benefit": [{"threshold": 0.1, "value": 0.3}]},
    )
    assert said in report.checklist("tripod-ai")["12e"].said(0)
    assert report.checklist("stard-ai")["24"].said(0) == "Evaluated: 569 cases, 99 thresholds."


def test_unknown_names_are_refused():
    """An unknown checklist, item or status is refused with the nearest name."""
    with pytest.raises(hs.HowsureError, match="no checklist 'stard'.*stard-ai") as caught:
        plain().checklist("stard")
    assert caught.value.code == "unknown-checklist"
    found = plain().checklist("stard-ai")
    with pytest.raises(hs.HowsureError, match="no item of STARD-AI 2025 '15'"):
        found["15"]
    with pytest.raises(hs.HowsureError, match="no status of an item 'done'"):
        found.of("done")


STRANGE = ('<script>alert("x")</script>', "two\nlines\t|", "é" * 300, "🦊 שלום عالم", "50 % \\textbf{_x_}")


def test_strange_names_are_shown_and_short():
    """Markup, line breaks, long and right-to-left names of classes, groups and models are shown, escaped and cut."""
    rng = np.random.default_rng(3)
    truth = np.concatenate([np.arange(5), rng.integers(0, 5, 200)])
    said = np.where(rng.random(205) < 0.7, truth, rng.integers(0, 5, 205))
    names = np.array(STRANGE)
    table = hs.confusion(names[truth], names[said], by={STRANGE[0]: names[rng.integers(0, 5, 205)]})
    for name in NAMES:
        report = hs.report_of(dict.fromkeys(STRANGE[:2], table), title=STRANGE[0], checklist=name, metrics=["accuracy"])
        assert "<script>alert" not in report.to_html()
        outside = re.sub(r"```sh\n.*?\n```", "", report.to_markdown(), flags=re.DOTALL)
        assert "<script>" not in outside
        evidence = " ".join(item.said(0) for item in report.checklist(name).values())
        assert "é" * 20 in evidence
        assert "é" * 41 not in evidence
        assert report.to_latex()


def test_many_classes_and_groups_stay_short():
    """With 120 classes, whose matrix is not in the results, or 300 groups, one of them of one case, evidence is short."""
    rng = np.random.default_rng(4)
    truth = np.concatenate([np.arange(120), rng.integers(0, 120, 4880)])
    said = np.where(rng.random(5000) < 0.5, truth, rng.integers(0, 120, 5000))
    many = hs.report_of(hs.confusion(truth, said), metrics=["accuracy"])
    groups = np.concatenate([[0], rng.integers(1, 300, 4999)])
    split = hs.report_of(hs.confusion(truth % 2, said % 2, by=groups), metrics=["recall"])
    for report in (many, split):
        for name in NAMES:
            for item in report.checklist(name).values():
                assert len(item.said(0)) < 1000, item
    assert "5,000 cases" in many.checklist("stard-ai")["24"].said(0)
    assert many.checklist("stard-ai")["30"].status == "for the author"
    assert "and 292 more" in split.checklist("stard-ai")["25"].said(0)
