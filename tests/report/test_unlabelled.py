"""The report on scores whose labels nobody has seen."""

import re

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core import draws

RNG = np.random.default_rng(5)
SCORE = RNG.beta(0.5, 0.6, 30).round(3)  # reports draw whole curves


@pytest.fixture(scope="module")
def scored():
    """Return a table of scores without labels."""
    return hs.calibrated(SCORE)


@pytest.fixture(scope="module")
def unlabelled(scored):
    """Return the report on it, with the decisions at a half."""
    return hs.report_of([hs.results.Subject("", scored.at(0.5), scored, 0.5)], random_state=0)


def test_it_says_first_that_no_label_was_seen(unlabelled):
    """The assumption of unlabelled data comes before any number; there is no statement about missing labels."""
    (first,) = unlabelled.headline[0]
    assert first.startswith("No label of these cases was seen: ")
    assert "are right only if the scores are calibrated" in first
    markdown, page = unlabelled.to_markdown(), unlabelled.to_html()
    assert markdown.index("No label of these cases was seen") < markdown.index("F1 is")
    assert page.index("No label of these cases was seen") < page.index("F1 is")
    assert "No label is missing" not in page
    assert "it assumes that the scores are calibrated" in page


def test_models_without_labels_are_named(scored):
    """If some models have labels, those without are named; for labelled models there is no note."""
    labelled = hs.scores((RNG.random(30) < SCORE).astype(int), SCORE)
    both = hs.report_of({"seen": labelled, "unseen": scored}, metrics=["roc_auc"], method="delta")
    assert both.headline[0][0].startswith("No label of these cases was seen (unseen): ")
    alone = hs.report_of(labelled, metrics=["roc_auc"])
    assert len(alone.headline) == 1
    assert "No label is missing" in alone.to_markdown()


def test_expected_cases_are_counted_in_digits_that_mean_something(unlabelled):
    """Expected counts are called so, and have no more digits than three or one behind the point."""
    classes = unlabelled["What was evaluated"].sheets[0]
    assert classes.headers[1] == "expected cases"
    shown = [row[1].value for row in classes.rows]
    assert sum(row[1].order for row in classes.rows) == pytest.approx(30)
    shown += [cell.value for row in unlabelled["Confusion matrix"].matrices[0].rows for cell in row[1:]]
    assert all(re.fullmatch(r"[\d,]+(\.\d{1,2})?", each) and len(each) <= 5 for each in shown), shown
    assert "Each cell has the number of expected cases" in unlabelled.to_markdown()


def test_no_outline_has_a_point_that_is_no_number(unlabelled):
    """Bands are drawn where their limits are known: all paths of the page consist of numbers."""
    page = unlabelled.to_html()
    assert len(re.findall(r'class="band', page)) >= 5 * len(unlabelled.levels)
    outlines = re.findall(r'd="([^"]*)"', page)
    assert not [each for each in outlines if "nan" in each or "inf" in each]


def test_labels_are_drawn_once_for_all_levels(monkeypatch):
    """A metric whose interval is drawn is drawn once, and cut at each level: as each level alone has it."""
    scored, calls = hs.calibrated(SCORE), []
    original = draws.drawn_blocks
    monkeypatch.setattr(draws, "drawn_blocks", lambda *given: calls.append(given) or original(*given))
    report = hs.report_of(scored, metrics=["roc_auc"], random_state=3)
    assert len(calls) == 1
    monkeypatch.undo()
    assert len(report.levels) == 4
    for each in report.to_dict()["estimates"]:
        for level in report.levels:
            alone = hs.estimate(scored, each["metric"], confidence_level=level, random_state=3)
            assert each["intervals"][f"{level:g}"] == [alone.low, alone.high]
