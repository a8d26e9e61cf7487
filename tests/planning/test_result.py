"""The result of a plan: its rows and its words, from numbers that are stated."""

import math
from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.planning.result import Plan, curve_of
from howsure.planning.splits import Share

INF, NAN = math.inf, math.nan
CURVE = curve_of(np.array([10.0, 20.0]), np.array([0.4, 0.3]), None, 0.95)
WIDTH = Plan(
    metric="accuracy",
    goal="width",
    target=0.05,
    n=1453,
    asymptotic=1439.2,
    low=1200.3,
    high=1700.2,
    units=1453,
    width=0.0501,
    power=NAN,
    support=NAN,
    true_value=0.9234,
    regions=(),
    confidence_level=0.95,
    alternative="two-sided",
    method="wilson",
    studies=4000,
    pilot=1100,
    curve=CURVE,
)
POWER = replace(WIDTH, goal="power", target=0.8, regions=((0.85, INF),))
SUPPORT = replace(WIDTH, goal="support", target=0.8)


@pytest.mark.parametrize(
    "plan, expected",
    [
        (
            WIDTH,
            (
                "accuracy: 1,453 cases give 95 % intervals 0.05 wide on average, if the value is 0.923 (1,440 by the normal "
                "distribution, checked on 4,000 simulated studies). Given the uncertainty of the pilot (1,100 cases), it may take 1,201 to "
                "1,701."
            ),
        ),
        (
            replace(POWER, low=NAN, high=NAN, asymptotic=NAN, positive="ill"),
            (
                "accuracy of ill: 1,453 cases show with a power of 0.8 that the value is above 0.85, if it is 0.923 (95 % "
                "intervals) (checked on 4,000 simulated studies)."
            ),
        ),
        (
            replace(SUPPORT, low=5.0, high=5.0, studies=0, units=291, note="A note"),
            (
                "1,453 cases in 291 clusters hold enough cases of each class with a chance of 0.8, by the normal "
                "distribution alone. A note."
            ),
        ),
        (
            replace(WIDTH, high=INF),
            (
                "accuracy: 1,453 cases give 95 % intervals 0.05 wide on average, if the value is 0.923 (1,440 by the normal "
                "distribution, checked on 4,000 simulated studies). Given the uncertainty of the pilot (1,100 cases), it may take 1,201 or "
                "more: the interval has no upper end, as the pilot does not exclude that no number suffices."
            ),
        ),
    ],
)
def test_a_plan_is_a_sentence_of_its_numbers(plan, expected):
    """Numbers of cases are rounded up, and each goal has its words, with what the pilot leaves open."""
    assert plan.sentence() == expected


@pytest.mark.parametrize(
    "regions, words",
    [
        (((0.85, INF),), "is above 0.85"),
        (((-INF, 0.85),), "is below 0.85"),
        (((-0.1, 0.1),), "is between -0.1 and 0.1"),
        (((0.5, INF), (-INF, 0.5)), "differs from 0.5"),
    ],
)
def test_what_is_to_be_shown_is_in_words(regions, words):
    """A value is above, below, different from or between values, in every style."""
    plan = replace(POWER, regions=regions)
    assert f"that the value {words}, if" in plan.sentence()
    assert f"the accuracy {words}, at" in plan.sentence("clinical")
    assert f"to show that the value {words} at" in plan.sentence("ml")


@pytest.mark.parametrize(
    "plan, style, expected",
    [
        (
            WIDTH,
            "clinical",
            (
                "A sample of 1,453 cases gives a 95% CI of the accuracy that is 0.05 wide on average, at a true value of "
                "0.923 (4,000 simulated studies)."
            ),
        ),
        (
            replace(POWER, units=291),
            "clinical",
            (
                "A sample of 1,453 cases in 291 clusters has a power of 0.8 to show that the value of the accuracy is above "
                "0.85, at a true value of 0.923 and with 95% CIs (4,000 simulated studies)."
            ),
        ),
        (
            replace(SUPPORT, studies=0),
            "clinical",
            (
                "A sample of 1,453 cases contains enough cases of each class with a probability of 0.8 (normal "
                "approximation)."
            ),
        ),
        (
            replace(WIDTH, units=291),
            "ml",
            (
                "Accuracy: n = 1,453 (291 clusters) for a 95 % interval 0.05 wide on average at a true value of 0.923 "
                "(4,000 simulated studies)."
            ),
        ),
        (
            POWER,
            "ml",
            (
                "Accuracy: n = 1,453 for a power of 0.8 to show that the value is above 0.85 at a true value of 0.923 (4,000 simulated "
                "studies)."
            ),
        ),
        (
            SUPPORT,
            "ml",
            "Accuracy: n = 1,453 for a probability of 0.8 of enough cases of each class (4,000 simulated studies).",
        ),
    ],
)
def test_a_plan_has_sentences_for_papers(plan, style, expected):
    """Clinical papers and those of machine learning have their own words."""
    assert plan.sentence(style) == expected
    with pytest.raises(hs.HowsureError, match="style"):
        plan.sentence("poem")


def test_rows_are_the_parts_of_a_plan():
    """All cases, with the interval of their number, then the parts of the split, and other sizes of clusters."""
    plan = replace(
        WIDTH,
        units=291,
        splits=(Share("class a", 1000, 700), Share("class b", 453, 610)),
        cluster_sizes=((10, 200), (2, 600)),
        split_note="Weighed.",
    )
    parts = [tuple(row.values()) for row in plan.records()]
    assert parts == [
        ("all", 1453, 291, 1310, 1200.3, 1700.2, False),
        ("class a", 1000, None, 700, None, None, None),
        ("class b", 453, None, 610, None, None, None),
        ("or clusters of 10", 2000, 200, None, None, None, None),
        ("or clusters of 2", 1200, 600, None, None, None, None),
    ]
    grid = plan.grid()
    assert grid.headers == ("part", "cases", "clusters", "best split")
    assert grid.rows[0] == ("all", "1,453", "291", "1,310")
    assert grid.rows[4] == ("or clusters of 2", "1,200", "600", "")
    assert str(plan).rstrip().endswith("Weighed.")
    assert WIDTH.grid().headers == ("part", "cases")
    assert WIDTH.records() == [
        {"part": "all", "cases": 1453, "clusters": None, "best_split": None}
        | {"low": 1200.3, "high": 1700.2, "unbounded": False}
    ]
    assert replace(WIDTH, high=INF).records()[0]["unbounded"]


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_the_band_has_its_share_of_the_pilots(level):
    """The limits are the quantiles of the pilots' values at each number of cases, and hold the curve."""
    rng = np.random.default_rng(0)
    band, reached = rng.random((50, 3)), np.array([0.5, -1.0, 2.0])
    n = np.array([1.0, 2.0, 3.0])
    curve = curve_of(n, reached, band, level)
    for place in range(3):
        ends = np.quantile(band[:, place], [(1 - level) / 2, 1 - (1 - level) / 2])
        assert curve.low[place] == pytest.approx(min(ends[0], reached[place]))
        assert curve.high[place] == pytest.approx(max(ends[1], reached[place]))
    assert curve.reached.tolist() == reached.tolist()
    assert np.isnan(CURVE.low).all()
    assert np.isnan(CURVE.high).all()
    assert CURVE.n.tolist() == [10, 20]
