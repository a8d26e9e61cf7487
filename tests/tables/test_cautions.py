"""Cautions of tables about unusual data: a line each, which names the place."""

import warnings

import numpy as np
import pytest

import howsure as hs

TRUTH = ["cat", "dog", "owl"] * 10
TWO = [0, 1, 1, 0] * 10
ONE_HOT = np.eye(3)[[0, 1, 2, 1, 0, 2] * 5]
ODD = {  # unusual data → the table, and words of its one caution
    "case": (
        lambda: hs.confusion(TRUTH, ["Cat", "dog", "owl"] * 10, check=False),
        ["('Cat', 'cat')", "differ only in case"],
    ),
    "blanks": (
        lambda: hs.confusion(TRUTH, ["cat", "dog ", "dog"] * 10, check=False),
        ["('dog', 'dog ')", "look whether they mean the same"],
    ),
    "type": (lambda: hs.confusion([1, 0] * 10, np.array(["1", 0] * 10, dtype=object), check=False), ["text or a number"]),
    "predictions for scores": (lambda: hs.scores(TWO, [0, 1, 0, 0] * 10), ["only scores are 0 and 1", "predictions"]),
    "one score": (lambda: hs.scores(TWO, [0.5] * 40), ["only scores are 0.5"]),
    "rows of predictions": (lambda: hs.multiclass_scores([0, 1, 2] * 10, ONE_HOT), ["only scores are 0 and 1"]),
    "no case right": (lambda: hs.confusion([0, 1] * 10, [1, 0] * 10), ["No case is right", "same codes"]),
    "every case right": (lambda: hs.confusion(TRUTH, list(TRUTH)), ["Every case is right", "made from the labels"]),
    "no label right": (lambda: hs.confusion([[0, 1], [1, 0]], [[1, 0], [0, 1]]), ["No case is right"]),
    "every label right": (lambda: hs.confusion([[0, 1], [1, 0]], [[0, 1], [1, 0]]), ["Every case is right"]),
    "a class that never occurs": (lambda: hs.from_counts([[9, 1, 2], [3, 9, 0], [0, 0, 0]]), ["“2” is predicted and never"]),
    "one class predicted": (lambda: hs.scores(TWO, range(40)).at(0), ["Every case is predicted “1”: look at the threshold"]),
    "very many classes": (lambda: hs.from_counts(np.eye(2001) + np.eye(2001, k=1)), ["There are 2,001 classes"]),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_odd_data_are_named_with_what_to_look_at(odd):
    """What is odd in data that were taken is one caution of the table, in one line."""
    make, words = ODD[odd]
    cautions = [each for each in make().cautions if all(word in each for word in words)]
    assert len(cautions) == 1
    assert "look" in cautions[0]
    assert "\n" not in cautions[0]


USUAL = {
    "three classes": lambda: hs.confusion(TRUTH, [*TRUTH[:25], "cat", "cat", "owl", "dog", "dog"]),
    "a matrix": lambda: hs.from_counts([[50, 3], [5, 42]]),
    "a class without errors": lambda: hs.from_counts([[50, 0], [5, 42]]),
    "a batch": lambda: hs.from_counts([[[50, 3], [5, 42]], [[0, 9], [8, 0]]]).stack,
    "scores": lambda: hs.scores([0, 1, 1], [0.2, 0.4, 0.9]),
    "two cases": lambda: hs.scores([0, 1], [0.2, 0.4]),
    "scores of three classes": lambda: hs.multiclass_scores([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0, 0, 1]]),
    "two models": lambda: hs.paired(TWO, {"A": [0, 1, 0, 0] * 10, "B": [1, 1, 0, 0] * 10}),
    "no labels": lambda: hs.calibrated([0.1, 0.4, 0.9]),
}


@pytest.mark.parametrize("kind", USUAL)
def test_usual_data_have_no_caution(kind):
    """A table of usual data has no caution, for any kind."""
    assert USUAL[kind]().cautions == ()


def test_a_table_says_what_its_design_says():
    """The cautions of the design come first, then those of the counts."""
    table = hs.confusion([0, 1] * 10, [1, 0] * 10, sample_weight=[1, 2] * 10)
    assert table.cautions[: len(table.design.description.caveats)] == table.design.description.caveats
    assert [each.partition(":")[0] for each in table.cautions[1:]] == ["No case is right"]


@pytest.mark.parametrize("word", ["?", "-", "missing", " Unknown "])
def test_a_word_for_a_missing_value_is_named(word):
    """A class that is a word for a missing value counts like any other if nobody checks, and the table says so."""
    table = hs.confusion(["a", "b", word, "b"], ["a", "b", "a", "a"], check=False)
    assert any("words for missing values" in each and word in each for each in table.cautions)


@pytest.mark.parametrize(
    "labels, found",
    [
        ([1, 2, 3, 99], "99"),
        ([-1, 1, 2, 3], "-1"),
        ([1, 2, 3, 4, 5, 6, 7, 9], "9"),
        ([0.0, 1.0, 999.0], "999"),
        ([-9, -99, 1, 2, 5], "-99, -9"),
        (["1", "2", "99"], "'99'"),
        ([-1, 1], ""),
        ([-1, 0, 1], ""),
        ([-2, -1, 1, 2], ""),
        (range(10), ""),
        ([97, 98, 99], ""),
        ([1, 9], ""),
        ([1, 2, 9, 16], ""),
        ([5, 20, 21, 60, 95, 99], ""),
        ([0.5, 1.0, 99.0], ""),
        (["a", "b", "99"], ""),
        ([False, True], ""),
    ],
)
def test_a_number_for_a_missing_value_is_named(labels, found):
    """A number such as 99 beyond the scale of the others has a caution, for classes and for ratings."""
    labels = [*labels]
    said = labels[::-1] * 3
    for table in (hs.confusion(labels * 3, said), hs.ratings([*zip(labels * 3, said, strict=True)], check=False)):
        words = [each for each in table.cautions if "far from the others" in each]
        assert len(words) == (found != "")
        assert all(f"({found})" in each for each in words)


def test_plus_and_minus_are_classes():
    """A minus sign beside a plus sign is a class, and “none” may be one."""
    for labels in (["+", "-", "-"], ["none", "some", "none"]):
        table = hs.confusion(labels, labels[::-1])
        assert not any("missing values" in each for each in table.cautions)


def test_a_threshold_below_one_of_scores_in_per_cent_is_warned_of():
    """Scores up to 100 and a threshold of 0.5: nearly all cases would be positive. A threshold of 50 is taken as it is."""
    table = hs.scores([0, 1, 1, 0, 1, 0], [12, 80, 70, 40, 95, 0])
    with pytest.warns(hs.HowsureWarning, match="from 0 to 95. In per cent it is 50"):
        hs.estimate(table, "f1", threshold=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hs.estimate(table, "f1", threshold=50)
        hs.estimate(hs.scores([0, 1, 1, 0], [-3.0, 2.0, 25.0, 0.1]), "f1", threshold=0.5)
