"""Estimates and comparisons as sentences, for papers and cards, without unsupported claims."""

import math

import numpy as np
import pytest

import howsure as hs

TABLE = hs.from_counts(tp=42, fn=5, fp=3, tn=50)


def test_shares_have_numerator_and_denominator():
    """A proportion of unweighted cases is printed with its counts, as in STARD; other metrics with the cases."""
    for metric, counts in {
        "sensitivity": (42, 47),
        "specificity": (50, 53),
        "ppv": (42, 45),
        "accuracy": (92, 100),
    }.items():
        found = hs.estimate(TABLE, metric)
        assert (found.counts, found.cases) == (counts, 100)
        assert found.value == pytest.approx(counts[0] / counts[1])
        assert f"; {counts[0]} of {counts[1]}; mid-p exact interval)." in found.sentence("clinical")
    for metric in ("f1", "mcc", "plr", "fdr+zero_division=0"):
        assert hs.estimate(TABLE, metric).counts is None or metric.startswith("fdr")
    assert "; 100 cases; " in hs.estimate(TABLE, "mcc").sentence()


@pytest.mark.parametrize(
    "table",
    [
        hs.confusion([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=[1, 2, 0.5, 1]),
        hs.estimate(hs.calibrated([0.2, 0.7, 0.9]), "accuracy", threshold=0.5),
    ],
)
def test_weights_and_expected_counts_are_no_counts(table):
    """Sums of weights and expected numbers are not printed as counts."""
    found = table if isinstance(table, hs.Estimate) else hs.estimate(table, "recall")
    assert found.counts is None


@pytest.mark.parametrize("style", ["clinical", "ml", "card"])
@pytest.mark.parametrize("metric", ["sensitivity", "mcc", "lr+", "ppv_at+prevalence=0.02", "f2"])
def test_every_style_has_the_numbers(style, metric):
    """Each style is one sentence with the limits, the level and the method of the estimate."""
    found = hs.estimate(TABLE, metric, confidence_level=0.9)
    said = found.sentence(style)
    in_percent = style == "ml" and found.bounds[1] <= 1 and found.bounds[0] >= 0
    unit, decimals = (100, 1) if in_percent else (1, 3)
    assert all(f"{unit * each:.{decimals}f}" in said for each in (found.value, found.low, found.high))
    assert "90 %" in said or "90%" in said
    assert said.endswith(".")
    assert "\n" not in said


def test_what_is_undefined_is_told_so():
    """An undefined value is printed with its reason; one without limits with a note."""
    assert (
        hs.estimate(hs.from_counts([[5, 3], [0, 0]]), "recall")
        .sentence()
        .startswith("Recall is undefined: there is no")
    )
    alone = hs.Estimate(0.5, low=math.nan, high=math.nan, metric="f1")
    assert "no interval" in alone.sentence()
    with pytest.raises(hs.HowsureError, match="style"):
        alone.sentence("apa")


def test_evaluations_join_their_sentences():
    """An evaluation has one sentence for each metric, by the requested names."""
    said = hs.evaluate(TABLE, ["sensitivity", "specificity"]).sentence()
    assert said == " ".join(hs.estimate(TABLE, each).sentence() for each in ("sensitivity", "specificity"))


def test_comparisons_have_signs_and_points():
    """A difference of proportions is printed in signed points, a ratio plainly; a tie is not printed as a finding."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    models = {name: np.where(rng.random(300) < rate, truth, 1 - truth) for name, rate in (("A", 0.95), ("B", 0.7))}
    paired = hs.paired(truth, models)
    found = hs.compare(paired, "accuracy")
    said = found.sentence("ml")
    assert f"A − B = +{100 * found.value:.1f} points (95 % CI +{100 * found.low:.1f} to +{100 * found.high:.1f}" in said
    assert said.endswith("paired, n = 300).")
    tie = hs.compare(hs.paired(truth, {"A": models["A"], "C": models["A"]}), "accuracy")
    assert tie.sentence("clinical").endswith("the difference is not significant.")
    ratio = hs.compare(paired, "accuracy", contrast="ratio").sentence("ml")
    assert "points" not in ratio
    separate = hs.compare(TABLE, hs.from_counts(tp=30, fn=17, fp=3, tn=50), "mcc").sentence("ml")
    assert "paired" not in separate
    assert "points" not in separate


PLANS = {
    "width": lambda: hs.plan(TABLE, "accuracy", width=0.05),
    "power": lambda: hs.plan(TABLE, "f1", power=0.8, null=0.85, alternative="greater"),
    "support": lambda: hs.plan(TABLE, "recall", support=30),
    "difference": lambda: hs.plan(MODELS, "accuracy", width=0.1),
    "words": lambda: hs.plan(hs.from_counts(TABLE.counts, labels=["benign", "malignant"]), "f1", width=0.1),
}
BOARDS = {
    "tied": lambda: hs.leaderboard(MODELS, "accuracy", random_state=0),
    "lower is better": lambda: hs.leaderboard(MODELS, "fpr", random_state=0),
    "separate": lambda: hs.leaderboard(
        {"A": TABLE, "B": hs.from_counts(tp=4, fn=30, fp=40, tn=5)}, "mcc", random_state=0
    ),
}
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, 200)
MODELS = hs.paired(TRUTH, {name: np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH) for name in "AB"})


@pytest.mark.parametrize("plan", PLANS)
def test_plans_have_a_sentence_in_every_style(plan):
    """The number of cases, the goal and the number of simulated studies; a named positive class is named."""
    found = PLANS[plan]()
    for style in ("card", "clinical", "ml"):
        said = found.sentence(style)
        assert f"{found.n:,}" in said
        assert f"{found.target:.3g}" in said
        assert f"{found.studies:,} simulated studies" in said
        assert ("malignant" in said) == (plan == "words")
        assert said.endswith(".")
        assert "\n" not in said


@pytest.mark.parametrize("style", ["card", "clinical", "ml"])
@pytest.mark.parametrize("board", BOARDS)
def test_leaderboards_have_a_sentence_in_every_style(board, style):
    """The first model, those that may be the best too, and the corrected value with its limits."""
    found = BOARDS[board]()
    said, won = found.sentence(style), found.winner
    assert found.places[0].model in said
    assert all(model in said for model in found.tied)
    digits = (f"{each:.3f}" for each in (won.value, won.low, won.high))
    in_percent = (f"{100 * each:.1f}" for each in (won.value, won.low, won.high))
    assert all(each in said for each in digits) or (style == "ml" and all(each in said for each in in_percent))
    assert ("highest" in said) == (style == "clinical" and found.better == "higher")


def test_unknown_styles_are_refused():
    """A style that does not exist is named with those that do."""
    for found in (hs.compare(MODELS, "accuracy"), BOARDS["tied"](), PLANS["width"]()):
        with pytest.raises(hs.HowsureError, match="style 'plain'"):
            found.sentence("plain")


@pytest.mark.parametrize("style", ["card", "clinical", "ml"])
def test_a_winner_without_an_interval_has_a_reason(style):
    """A single cluster shows no variation: no style prints empty limits."""
    both = {"A": [1, 1, 0, 1, 0, 1], "B": [1, 0, 0, 1, 0, 0]}
    board = hs.leaderboard(
        hs.paired([1, 1, 0, 1, 0, 1], both, groups=["x"] * 6, check=False), "accuracy", random_state=0
    )
    assert math.isnan(board.winner.low)
    said = board.sentence(style)
    assert board.winner.reason in said
    assert "[," not in said
    assert "CI" not in said
