"""How many cases people should label next, and which."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError

JUDGE = ["pass"] * 800 + ["fail"] * 200
HUMAN = ["pass"] * 57 + ["fail"] * 3 + [None] * 740 + ["fail"] * 10 + ["pass"] * 5 + [None] * 185
Z = 1.959963984540054


def test_labels_are_shared_out_by_size_times_spread():
    """With 54 and 77 more labels, labels are proportional to cases times spread, and the variance is as requested."""
    table = hs.judged(HUMAN, JUDGE)
    plan = hs.labels.label_plan(table, "pass_rate", width=0.08)
    labels = plan.labelled + plan.labels
    # Spreads lean towards their average over 75 − 2 degrees of freedom, with the weight of 4.
    squares = np.array([15 * (1 / 3) * (2 / 3), 60 * 0.05 * 0.95])
    spread = np.sqrt((squares + 4 * squares.sum() / 73) / (np.array([14, 59]) + 4))
    sizes = np.array([200, 800])
    assert labels[0] / labels[1] == pytest.approx((sizes * spread)[0] / (sizes * spread)[1], rel=0.03)
    rate = np.array([1 / 3, 0.95])
    between = 0.2 * 0.8 * (rate[1] - rate[0]) ** 2 / 1000
    variance = [((sizes / 1000 * spread) ** 2 / many).sum() + between for many in (labels, labels - 1)]
    assert 2 * Z * np.sqrt(variance[0]) <= 0.08 < 2 * Z * np.sqrt(variance[1])


def test_no_other_plan_of_as_many_labels_is_better():
    """Moving labels from one verdict to the other makes the interval wider, and labels at random are more."""
    plan = hs.labels.label_plan(hs.judged(HUMAN, JUDGE), "pass_rate", width=0.06)
    assert plan.labels.sum() < plan.at_random
    assert [each["label"] for each in plan.records()] == plan.labels.tolist()
    assert f"takes {plan.labels.sum():,} more labels" in str(plan)


def test_the_plan_keeps_its_promise():
    """Following the plan in new studies gives intervals of the requested width, within a tenth on average."""
    rng = np.random.default_rng(0)
    plan = hs.labels.label_plan(hs.judged(HUMAN, JUDGE), "pass_rate", width=0.06)
    many = (plan.labelled + plan.labels).astype(int)
    widths = []
    for _ in range(20):
        human = [
            [*rng.binomial(1, rate, number).tolist(), *[None] * (cases - number)]
            for rate, number, cases in zip((1 / 3, 0.95), many.tolist(), (200, 800), strict=True)
        ]
        found = hs.estimate(hs.judged([*human[0], *human[1]], [0] * 200 + [1] * 800), "pass_rate")
        widths.append(found.high - found.low)
    assert np.mean(widths) == pytest.approx(0.06, rel=0.1)


def test_other_metrics_and_tables_have_plans():
    """Kappa, F1 of a prediction and the mean of grades have plans that name their strata."""
    kappa = hs.labels.label_plan(hs.judged(HUMAN, JUDGE), "kappa", width=0.2)
    assert kappa.strata == ("fail", "pass")
    rng = np.random.default_rng(1)
    filtered = np.where(rng.random(1000) < 0.9, JUDGE, "fail")
    by_filter = hs.labels.label_plan(hs.judged(HUMAN, JUDGE, y_pred=filtered), "f1", width=0.05)
    assert by_filter.strata[1] == "fail, pass"
    grades = [float(each) if place < 40 else None for place, each in enumerate(rng.integers(1, 6, 400))]
    plan = hs.labels.label_plan(hs.judged_values(grades, rng.random(400), bounds=(1, 5)), "mean", width=0.4)
    assert plan.labels.sum() > 0
    assert " to " in plan.strata[0]


def test_a_width_that_is_reached_needs_no_label():
    """If the interval is already narrow enough, no label is requested."""
    plan = hs.labels.label_plan(hs.judged(HUMAN, JUDGE), "pass_rate", width=0.5)
    assert plan.labels.tolist() == [0, 0]
    assert plan.at_random == 0


@pytest.mark.parametrize(
    "table, width, words",
    [
        (hs.judged(HUMAN, JUDGE), 0.01, "Judge more cases"),
        (hs.judged(HUMAN, JUDGE), -1, "`width` is -1"),
        (hs.judged(HUMAN, JUDGE), "x", "`width` is 'x'"),
        (hs.from_counts([[5, 1], [2, 9]]), 0.1, "table of judged cases"),
    ],
)
def test_misuse_is_told_in_one_line(table, width, words):
    """A width that no label can give, or no width, or another table."""
    with pytest.raises(HowsureError, match=words):
        hs.labels.label_plan(table, width=width)
