"""Counts of identical cases are the cases written out, and the layouts of other packages are read or refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.tables.cautions import of_positive
from support.shell import run

LINES = {
    "truth": ["n", "n", "p", "p"],
    "said": ["n", "p", "n", "p"],
    "other": ["n", "n", "p", "n"],
    "n": [50, 3, 5, 42],
}
SCORED = {"truth": [0, 0, 1, 1, 1], "score": [0.1, 0.4, 0.4, 0.9, 0.2], "other": [0.3, 0.1, 0.8, 0.7, 0.9]}
SCORED |= {"n": [7, 3, 2, 9, 0], "site": ["a", "b", "a", "b", "a"]}


def written_out(lines):
    """Return the columns with each line as often as its number says."""
    number = lines["n"]
    return {name: list(np.repeat(column, number)) for name, column in lines.items() if name != "n"}


SOURCES = {
    "confusion": (lambda data, **more: hs.confusion("truth", "said", data=data, **more), LINES, "f1"),
    "paired": (
        lambda data, **more: hs.paired("truth", ["said", "other"], data=data, **more).model("other"),
        LINES,
        "f1",
    ),
    "scores": (lambda data, **more: hs.scores("truth", "score", data=data, **more), SCORED, "roc_auc"),
    "paired scores": (
        lambda data, **more: hs.paired_scores("truth", ["score", "other"], data=data, **more).model("other"),
        SCORED,
        "roc_auc",
    ),
    "values": (lambda data, **more: hs.values("score", data=data, **more), SCORED, "mean"),
    "clusters": (
        lambda data, **more: hs.confusion("truth", "truth", data=data, groups="site", check=False, **more),
        SCORED,
        "accuracy",
    ),
    "columns of classes": (
        lambda data, **more: hs.multiclass_scores("truth", ["score", "other"], data=data, labels=[0, 1], **more),
        SCORED,
        "log_loss",
    ),
}


@pytest.mark.parametrize("kind", ["mapping", "pandas", "polars", "lazy", "csv"])
@pytest.mark.parametrize("source", SOURCES)
def test_counts_are_the_cases_written_out(source, kind, tmp_path):
    """Value and limits are those of the file with a row for each case."""
    make, lines, metric = SOURCES[source]
    if source == "columns of classes":
        lines = {**lines, "other": [1 - each for each in lines["score"]]}
    pd.DataFrame(lines).to_csv(tmp_path / "lines.csv", index=False)
    data = {
        "mapping": lines,
        "pandas": pd.DataFrame(lines),
        "polars": pl.DataFrame(lines),
        "lazy": pl.LazyFrame(lines),
        "csv": tmp_path / "lines.csv",
    }[kind]
    found, right = make(data, counts="n"), make(written_out(lines))
    assert found.rows == right.rows
    one, other = (hs.estimate(table, metric) for table in (found, right))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


@pytest.mark.parametrize("command", ["report", "compare", "leaderboard"])
def test_the_shell_takes_counts(command, tmp_path):
    """Each command that reads labels has `--counts`."""
    path = tmp_path / "lines.csv"
    pd.DataFrame(LINES).to_csv(path, index=False)
    models = ["said"] if command == "report" else ["said", "other"]
    found = run(command, path, "--y-true", "truth", "--y-pred", *models, "--counts", "n", "--format", "csv")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    "given, words",
    [
        ({"counts": [0.4, 0.1, 0.1, 0.4]}, "whole numbers of identical cases"),
        ({"counts": [1, 2, -3, 4]}, "is negative"),
        ({"counts": [1, 2, 3, 4], "sample_weight": [1, 1, 1, 1]}, "and not both"),
        ({"sample_weight": LINES["n"]}, "Give them as `counts`"),
        ({"counts": [0, 0, 0, 0]}, "all zeros"),
    ],
)
def test_what_are_no_counts(given, words):
    """Fractions, and weights that look like counts, are refused with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.confusion(LINES["truth"], LINES["said"], **given)


def test_weights_of_many_cases_are_weights():
    """Whole-number weights of cases that repeat their labels are no table of frequencies."""
    table = hs.confusion(["a", "b", "a", "b", "a"], ["a", "b", "b", "b", "a"], sample_weight=[3, 5, 4, 4, 7])
    assert type(table.design).__name__ == "Weighted"


# --- positive class -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("case", "control"),
        ("disease", "healthy"),
        ("+", "-"),
        ("ER+", "ER-"),
        ("fraud", "legit"),
        ("abnormal", "normal"),
        ("attack", "benign"),
        ("event", "no event"),
        ("churned", "retained"),
        ("diabetes", "not diabetes"),
    ],
)
def test_words_that_suggest_the_other_class_are_a_caution(words):
    """The alphabet makes the wrong one positive; a stated one has no caution."""
    positive, negative = words
    table = hs.confusion([*words] * 5, [*words] * 4 + [negative, positive])
    said = [each for each in table.cautions if "pos_label" in each]
    assert len(said) == (max(words) == negative)
    assert not [each for each in hs.confusion([*words], [*words], pos_label=positive).cautions if "pos_label" in each]


@pytest.mark.parametrize("words", [("no", "yes"), ("benign", "malignant"), ("ham", "spam"), ("cat", "dog"), ("a", "b")])
def test_other_words_are_no_caution(words):
    """The last word is the positive one, or neither suggests it."""
    assert not [*of_positive(*words)]


@pytest.mark.parametrize(
    "labels, named", [((0, 1), False), ((False, True), False), (("0", "1"), False), ((1, 2), True)]
)
def test_the_positive_class_is_printed_where_labels_do_not_say_it(labels, named):
    """Zero and one, and truth values, need no name; all others are named in print, repr and records."""
    table = hs.confusion([labels[i % 2] for i in range(20)], [labels[i % 3 > 0] for i in range(20)])
    found = hs.estimate(table, "f1")
    assert ("positive: 2" in str(found)) is named
    assert ("positive: 2" in repr(table)) is named
    assert found.to_dict()["positive"] == "2" * named
    assert "positive" not in str(hs.estimate(table, "accuracy"))


def test_every_result_names_the_positive_class():
    """Estimates, evaluations, groups, comparisons and leaderboards say it; a stated one is not printed with a number."""
    words = ["case", "control"] * 20
    said = ["case", "control", "control", "control"] * 10
    table = hs.confusion(words, said)
    pair = hs.paired(words, {"a": said, "b": words[::-1]})
    groups = hs.evaluate(hs.confusion(words, said, by=["x"] * 20 + ["y"] * 20), ["recall"])
    for each in (
        hs.estimate(table, "f1"),
        hs.evaluate(table, ["f1"]),
        groups,
        hs.compare(pair, "f1"),
        hs.leaderboard(pair, "f1"),
    ):
        assert "control" in str(each)
    stated = hs.estimate(hs.confusion(words, said, pos_label="case"), "f1")
    assert "case" not in str(stated)
    assert "case" in repr(stated)
    assert stated.positive == "case"


def test_an_area_of_zero_gives_that_of_the_other_class():
    """Scores that are high for the other class have an area below one half: the result says so."""
    found = hs.estimate(hs.scores(["control", "case"] * 10, [0.1, 0.9, 0.4, 0.6] * 5), "roc_auc")
    assert found.value == 0
    assert "of the other class, case, it is 1.000" in found.reason


def test_scikit_learns_functions_ask_for_the_positive_class():
    """They say which classes there are, and what to write."""
    with pytest.raises(hs.HowsureError, match="'benign' and 'malignant'.*pos_label='malignant'"):
        hs.f1_score(["benign", "malignant"] * 3, ["benign"] * 6)


# --- layouts --------------------------------------------------------------------------------------------------------

TALLIES = [[0, 0, 14], [2, 6, 6], [0, 8, 6], [3, 9, 2], [7, 7, 0], [3, 5, 6]]


def test_numbers_by_category_are_read_or_refused():
    """Fleiss' kappa of the numbers is that of the ratings; Conger's needs to know who said what."""
    with pytest.raises(hs.HowsureError, match="layout='category_counts'"):
        hs.ratings(TALLIES)
    table = hs.ratings(TALLIES, layout="category_counts")
    each = [[place for place, number in enumerate(row) for _ in range(number)] for row in TALLIES]
    share = np.array(TALLIES) / 14
    agreeing = ((np.array(TALLIES) * (np.array(TALLIES) - 1)).sum(1) / (14 * 13)).mean()
    chance = (share.mean(0) ** 2).sum()
    assert hs.estimate(table, "fleiss_kappa").value == pytest.approx((agreeing - chance) / (1 - chance))
    assert hs.estimate(hs.ratings(each, check=False), "fleiss_kappa").value == pytest.approx(
        (agreeing - chance) / (1 - chance)
    )
    with pytest.raises(hs.HowsureError, match="which rater"):
        hs.estimate(table, "conger_kappa")
    with pytest.raises(hs.HowsureError, match="which rater"):
        hs.estimate(table, "fleiss_kappa", method="raters")


def test_raters_in_rows_are_read_or_refused():
    """Four observers in rows, of twelve units, are no twelve raters of four items."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 2, 3],
        [1, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    ]
    with pytest.raises(hs.HowsureError, match="layout='raters_by_items'"):
        hs.ratings(rows)
    found, right = hs.ratings(rows, layout="raters_by_items"), hs.ratings(np.array(rows).T)
    assert hs.estimate(found, "fleiss_kappa").value == hs.estimate(right, "fleiss_kappa").value


@pytest.mark.parametrize(
    "winner, more, share",
    [
        (["left", "right", "right"], {}, 1 / 3),
        (["first", "first", "second"], {}, 2 / 3),
        ([1, 2, 2], {}, 1 / 3),
        ([1, 0, 0.5], {}, 1 / 2),
        ([1, 0, 0], {"numbers": "score"}, 1 / 3),
        ([1, 0, 0], {"numbers": "index"}, 2 / 3),
        ([True, True, False], {}, 2 / 3),
    ],
)
def test_winners_in_words_and_numbers(winner, more, share):
    """The share of the first model follows from what the words mean."""
    table = hs.preferences(["A"] * 3, ["B"] * 3, winner, **more)
    assert hs.estimate(table.model("A"), "win_rate").value == pytest.approx(share)


def test_zero_and_one_are_a_score_or_an_index():
    """Nothing says which: refused with both readings."""
    with pytest.raises(hs.HowsureError, match="numbers='score'.*numbers='index'"):
        hs.preferences(["A", "B"], ["B", "A"], [0, 1])


def test_blank_groups_and_marks_of_ignored_cases():
    """A blank is no cluster; labels that are never predicted may mark cases to be left out."""
    for role in ({"groups": ["", "a", "", "b"]}, {"by": ["x", "", "x", "x"]}):
        with pytest.raises(hs.HowsureError, match="blank"):
            hs.confusion([0, 1, 0, 1], [0, 1, 1, 1], **role)
    for mark in (255, -1):
        assert [each for each in hs.confusion([0, 1, mark] * 5, [0, 1, 1] * 5).cautions if "left out" in each]
    printed = str(hs.evaluate(hs.confusion([0, 1] * 8, [0, 1] * 8, by=["all"] * 8 + ["b"] * 8), "accuracy"))
    assert "all cases" in printed
