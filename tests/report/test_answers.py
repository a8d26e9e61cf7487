"""What the report opens with, in ten kinds of report, and who is ahead of whom."""

import itertools
from types import SimpleNamespace

import pytest

import howsure as hs
from howsure.report.answers import standing
from howsure.report.evals import report_of_log
from support import scenarios
from support.examples import EXAMPLES

LOGS = EXAMPLES / "logs"

# The first words of each page, by hand from the scenario's cases; the limits are those of `estimate`.
ANSWERS = {
    # 2 × 42 / (2 × 42 + 3 + 5) = 84 / 92
    "one_model": "F1 is 0.91; with these 100 cases, anything between 0.84 and 0.96 is plausible (95 % interval).",
    # 40 cases are wrong for the second alone, none for the first alone
    "two_models": "forest is ahead of tree in F1.",
    # 20 against 22 cases are not a difference; 58 more are wrong for the third than for the second, and so on
    "five_models": "forest and boosted_trees are ahead of logistic, naive_bayes and majority_vote_of_neighbours in F1; "
    "forest and boosted_trees do not differ significantly.",
    # 240 of 300 ill are called ill, and 23 healthy: 2 × 240 / (300 + 263)
    "groups": "F1 is 0.85; with these 600 cases, anything between",
    # 300 right and 9 + 6 + 5 + 4 + 14 wrong. Each class's F1 is 40 / (its cases + its predictions): 40 / 41 for ant and
    # yak, 40 / 57 for cat and dog, 40 / 47 for cow and elk, 40 / 46 for hen and owl, 40 / 42 for seven; their mean is
    # 0.898.
    "many_classes": "F1, macro average is 0.90; with these 338 cases, anything between",
    "unlabelled": "No label of these cases was seen: all numbers are expectations under the scores, and are right only "
    "if the scores are calibrated.",
    # 0.8 × 90 / 100 + 0.2 × 5 / 50 = 0.74
    "judged": "Pass rate is 0.74; with these 1,000 cases with 150 labels, anything between",
    "study": "mlp is ahead of rule in accuracy.",
    # 2 × 2 / (2 × 2 + 5 + 1) = 0.4
    "rare": "F1 is 0.40; with these 1,003 cases, only 3 of them “ill”, anything between",
    "perfect": "F1 is 1 in this sample; with these 30 cases, values down to",
}


@pytest.mark.parametrize("make", scenarios.SCENARIOS, ids=lambda make: make.__name__)
def test_a_report_opens_with_the_answer(make):
    """One model: its main metric; several: their order; without labels: that none was seen; in page and text."""
    report = make()
    first = report.headline[0][report.level if len(report.headline[0]) > 1 else 0]
    assert first.startswith(ANSWERS[make.__name__])
    page = report.to_html()
    assert page.index('<h1 class="headline">') < page.index("<h2")
    assert page.count("<h1") == 1
    assert report.to_markdown().split("\n\n")[1] == (report.about or first)


def test_what_stands_out_comes_after_the_answer():
    """The lowest and the highest group, and the most frequent confusion, follow in a sentence each."""
    groups, animals = scenarios.groups(), scenarios.many_classes()
    assert groups.headline[1][groups.level].startswith("By site, F1 is lowest in “Ulm”, 0.6")
    assert ", and highest in “Graz”, 0.9" in groups.headline[1][groups.level]
    # 20 cats are right, 9 are called dogs, and 1 by the class that follows.
    assert animals.headline[1] == ("Most often confused: 9 of 30 “cat” were taken for “dog”.",)


def test_models_that_nobody_compared_are_not_ranked():
    """For models without common cases the report names the highest value, and states that none were compared."""
    better, worse = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[40, 13], [9, 38]])
    report = hs.report_of({"old": worse, "new": better})
    assert report.headline[0] == (
        "new has the highest F1 of 2 models, 0.91; whether the models differ by more than chance was not compared.",
    )


def compared(first, second, low, high, *, better="higher", p_value=0.001):
    """Return a comparison of two models with this interval of the difference."""
    estimate = hs.estimate(hs.from_counts([[5, 1], [2, 6]]), "accuracy")
    return hs.Comparison(
        metric="accuracy", contrast="difference", a=estimate, b=estimate, names=(first, second), value=(low + high) / 2,
        low=low, high=high, p_value=p_value, standard_error=0.1, confidence_level=0.95, method="flow", better=better,
    )  # fmt: skip


def test_who_is_ahead_follows_from_the_pairs():
    """Ahead is who is shown to be better; lower values can be; an adjusted p-value can undo an interval."""
    ahead, tie = (0.1, 0.3), (-0.1, 0.1)
    assert standing("AB", [compared("A", "B", *ahead)]) == "A is ahead of B in accuracy."
    assert standing("AB", [compared("A", "B", *tie)]) == "A and B do not differ significantly in accuracy."
    assert (
        standing("AB", [compared("A", "B", *ahead, p_value=0.2)]) == "A and B do not differ significantly in accuracy."
    )
    lower = compared("A", "B", *ahead, better="lower")
    assert standing("AB", [lower]) == "B is ahead of A in accuracy, where lower is better."
    some = [compared("A", "B", *tie), compared("A", "C", *ahead), compared("B", "C", *tie)]
    assert standing("ABC", some) == (
        "The best in accuracy is one of A and B, which do not differ significantly; C is behind at least one of them."
    )
    # A is better than B and B than C, so A is better than C, although their own interval contains 0.
    chain = [compared("A", "B", *ahead), compared("B", "C", *ahead), compared("A", "C", *tie)]
    assert standing("ABC", chain) == "A is ahead of B and C in accuracy."


def test_what_was_not_compared_has_no_order():
    """If a pair is missing, or the compared objects are not models, no order is stated."""
    assert standing("ABC", [compared("A", "B", 0.1, 0.3)]) == ""
    table = hs.from_counts([[50, 3], [5, 42]])
    difference = SimpleNamespace(value=0.1, low=0.05, high=0.15)
    report = hs.report_of({"A": table, "B": table}, comparisons={"A − B": difference})
    assert "was not compared" in report.headline[0][0]


def test_many_models_are_counted():
    """If there are more than five names in a sentence, the last ones are counted."""
    names = [f"m{place}" for place in range(8)]
    pairs = [compared(a, b, -0.1, 0.1) for a, b in itertools.combinations(names, 2)]
    assert standing(names, pairs) == "m0, m1, m2, m3 and 4 more do not differ significantly in accuracy."


def test_an_evaluation_of_language_models_says_who_is_ahead():
    """The new model solves 78 of 120 items, the old one 70 and the small one 37: two are not distinguished."""
    found = hs.evaluate_log(hs.read_log([LOGS / name for name in ("new", "old", "small")]))
    assert report_of_log(found).headline == (
        ("In reading, new is ahead of small; new does not differ significantly from old.",),
    )
    alone = hs.evaluate_log(hs.read_log([LOGS / "new"]))
    assert report_of_log(alone).headline[0][0].startswith("Mean of new in reading is 0.65; with these items, anything")
