"""How many cases people should label next, and which."""

import numpy as np
import pytest
from scipy import stats

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


def contributions(labelled, totals, rates):
    """Return N² s² of each stratum, its spread pooled with 4 degrees of freedom, and the variance between strata."""
    squares = labelled * rates * (1 - rates)
    pooled = squares.sum() / (labelled - 1).sum()
    share = totals / totals.sum()
    within = share**2 * (squares + 4 * pooled) / (labelled - 1 + 4)
    return within, share @ (rates - share @ rates) ** 2 / totals.sum()


LABELLED, TOTALS, RATES = np.array([15.0, 60.0]), np.array([200.0, 800.0]), np.array([1 / 3, 0.95])


@pytest.mark.parametrize("width", [0.1, 0.08, 0.06])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_plans_are_the_fewest_labels_by_brute_force(width, level):
    """No smaller number in any split of the two verdicts has the width, nor one drawn from all cases."""
    plan = hs.labels.label_plan(hs.judged(HUMAN, JUDGE), "pass_rate", width=width, confidence_level=level)
    squares, between = contributions(LABELLED, TOTALS, RATES)
    z = stats.norm.ppf((1 + level) / 2)
    assert plan.current_width == pytest.approx(2 * z * np.sqrt((squares / LABELLED).sum() + between))
    wanted = (width / (2 * z)) ** 2 - between
    first, second = np.meshgrid(np.arange(186), np.arange(741), indexing="ij")
    enough = squares[0] / (15 + first) + squares[1] / (60 + second) <= wanted
    fewest = (first + second)[enough].min()
    assert fewest <= plan.labels.sum() <= fewest + 1  # each verdict is rounded up
    others = TOTALS - LABELLED
    even = [(squares / (LABELLED + n * others / others.sum())).sum() <= wanted for n in range(926)]
    assert plan.at_random == even.index(True)
    assert (plan.width, plan.confidence_level, plan.metric) == (width, level, "pass_rate")
    assert (plan.cases.tolist(), plan.labelled.tolist()) == (TOTALS.tolist(), LABELLED.tolist())


def test_the_narrowest_width_is_that_of_labels_of_all_cases():
    """It is told where less is asked for, and takes a label of every case; at random there are not enough before."""
    squares, between = contributions(LABELLED, TOTALS, RATES)
    narrowest = 2 * Z * np.sqrt((squares / TOTALS).sum() + between)
    table = hs.judged(HUMAN, JUDGE)
    with pytest.raises(HowsureError, match=f"make the interval {narrowest:.3g} wide, more than 0.04"):
        hs.labels.label_plan(table, width=0.04)
    plan = hs.labels.label_plan(table, width=narrowest * (1 + 1e-9))
    assert plan.labels.tolist() == [185, 740]
    assert plan.at_random == 925
    assert "from all cases" in plan.sentence()


def test_verdicts_without_cases_are_no_rows():
    """The rows, numbers and sentence of a plan are of the verdicts that occur."""
    table = hs.judged(HUMAN, JUDGE, labels=["fail", "maybe", "pass"], check=False)
    plan = hs.labels.label_plan(table, "accuracy", width=0.09)
    assert [each["verdict"] for each in plan.records()] == ["fail", "pass"]
    rows = [(each["cases"], each["labelled"]) for each in plan.records()]
    assert rows == [(200, 15), (800, 60)]
    assert plan.grid().rows[1][:3] == ("pass", "800", "60")
    assert f"takes {int(plan.labels.sum()):,} more labels (fail " in plan.sentence()
    assert plan.sentence().startswith("accuracy: 95 % interval ")
