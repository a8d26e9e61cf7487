"""Intervals of the worst and of the best class."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table

CLEAR = [[60, 5, 3], [4, 40, 16], [2, 1, 69]]  # of which the second class is found least often
TIED = [[16, 2, 2], [2, 16, 2], [2, 2, 16]]


@pytest.mark.parametrize("metric", ["recall", "f1", "informedness", "class_mcc"])
@pytest.mark.parametrize("average, choose", [("min", np.argmin), ("max", np.argmax)])
def test_a_clear_winner_has_its_own_interval(metric, average, choose):
    """Where no other class may be the worst, or the best, the limits are that class's."""
    table = hs.from_counts(np.array([[600, 5, 3], [80, 400, 160], [2, 1, 690]]) * 10)
    found = hs.estimate(table, f"{metric}@{average}")
    each = [hs.estimate(table, f"{metric}@binary+positive_class={label}") for label in range(3)]
    own = each[choose([float(one) for one in each])]
    assert found.method == "extremes"
    assert (found.value, found.low, found.high) == pytest.approx((own.value, own.low, own.high), rel=1e-9)


def test_classes_that_tie_share_the_level():
    """For three classes that may be the worst, the upper limit is the smallest at a third of 1 − level."""
    found = hs.estimate(hs.from_counts(TIED), "recall@min")
    low = hs.estimate(hs.from_counts(TIED), "recall@binary+positive_class=0").low
    high = hs.estimate(hs.from_counts(TIED), "recall@binary+positive_class=0", confidence_level=1 - 0.05 / 3).high
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.high > hs.estimate(hs.from_counts(TIED), "recall@binary+positive_class=0").high


def test_the_largest_mirrors_the_smallest():
    """The best recall is 1 minus the worst miss rate, including the limits."""
    best, worst = (hs.estimate(hs.from_counts(CLEAR), metric) for metric in ("recall@max", "fnr@min"))
    assert (best.low, best.high) == pytest.approx((1 - worst.high, 1 - worst.low), rel=1e-9)


def test_the_limits_hold_the_value_and_grow_with_the_level():
    """For any classes, the interval contains the value, and higher levels contain lower ones."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = hs.from_counts(rng.poisson(rng.uniform(0, 8, (4, 4))) + 6 * np.eye(4, dtype=int))
        for metric in ("recall@min", "markedness@max", "plr@min"):
            small, large = (hs.estimate(table, metric, confidence_level=level) for level in (0.8, 0.99))
            if np.isfinite(small.value) and np.isfinite(small.low):
                assert large.low <= small.low <= small.value <= small.high <= large.high


def test_a_class_without_cases_is_left_out():
    """It has no recall, and cannot be the worst."""
    table = hs.from_counts([[30, 10, 0], [2, 380, 0], [0, 0, 0]])
    found, own = (hs.estimate(table, metric) for metric in ("recall@min", "recall@binary+positive_class=0"))
    assert (found.value, found.low, found.high) == pytest.approx((own.value, own.low, own.high), rel=1e-9)


def test_some_classes_alone():
    """Intervals of other classes do not affect those of chosen classes."""
    table = hs.from_counts(CLEAR)
    some = resolve("recall@min", table, classes=[0, 2])
    found, own = hs.estimate(table, some), hs.estimate(table, "recall@binary+positive_class=0")
    assert (found.value, found.low) == pytest.approx((own.value, own.low))


@pytest.mark.parametrize("metric", ["recall@min", "f1@max", "informedness@max"])
def test_batches_are_tables_one_by_one(metric):
    """In a batch every table has the limits that it has alone."""
    counts = np.random.default_rng(2).poisson(np.eye(3) * 20 + 3).astype(float)
    batch = hs.lab.Cells(counts / counts.sum(), 90).tables(12, np.random.default_rng(2))
    bound = resolve(metric, batch)
    (together,) = hs.methods.Extremes().intervals([bound], batch, 0.95)
    for place in range(12):
        alone = hs.methods.Extremes().interval(bound, select_table(batch, place), 0.95)
        assert (together.low[place], together.high[place]) == pytest.approx((alone.low, alone.high), rel=1e-6)


@pytest.mark.parametrize("roles", [{}, {"groups": "unit"}, {"sample_weight": "weight"}])
def test_designs_enter_by_the_classes_own_intervals(roles):
    """Clusters and weights widen the interval as they widen that of the worst class."""
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 100)
    columns = {"unit": np.arange(300) // 5, "weight": rng.gamma(1, 1, 300)}
    given = {role: columns[name] for role, name in roles.items()}
    said = np.where(rng.random(300) < np.array([0.95, 0.5, 0.9])[truth], truth, (truth + 1) % 3)
    table = hs.confusion(truth, said, **given)
    found, own = (hs.estimate(table, metric) for metric in ("recall@min", "recall@binary+positive_class=1"))
    assert (found.low, found.high) == pytest.approx((own.low, own.high), rel=1e-9)


def test_labels_of_multilabel_data():
    """The worst of many labels has its own interval too."""
    rng = np.random.default_rng(4)
    truth = rng.random((200, 3)) < 0.4
    said = np.where(rng.random((200, 3)) < [0.02, 0.45, 0.05], ~truth, truth)
    table = hs.confusion(truth.astype(int), said.astype(int))
    found, own = (hs.estimate(table, metric) for metric in ("recall@min", "recall@binary+positive_class=1"))
    assert (found.value, found.low, found.high) == pytest.approx((own.value, own.low, own.high), rel=1e-9)


def test_averages_are_refused():
    """It is for the worst and the best, and the error names an alternative."""
    with pytest.raises(hs.HowsureError, match=r"worst or the best.*Delta"):
        hs.estimate(hs.from_counts(CLEAR), "recall@macro", method="extremes")


@pytest.mark.parametrize("metric", ["recall@min", "g_mean@max", "informedness@max", "markedness@max"])
def test_it_covers_where_the_delta_method_does_not(metric):
    """For four classes with one hardly ever wrong, 95 % intervals cover in 93 % of studies and more."""
    right = np.array([0.999, 0.93, 0.9, 0.95])
    shares = (np.diag(right) + (1 - right)[:, None] * (1 - np.eye(4)) / 3) / 4
    truth = hs.lab.Cells(shares, 500)
    found = hs.lab.coverage(metric, truth=truth, draws=400, random_state=0)
    assert found.method == "extremes"
    assert found.coverage > 0.93


@pytest.mark.parametrize("filled", [0, 1])
@pytest.mark.parametrize("average", ["min", "max"])
def test_a_class_that_is_said_to_have_a_value_may_have_any(filled, average):
    """The precision of a class that was never predicted is unknown, whatever value it is given."""
    table = hs.from_counts([[10, 2, 0], [3, 9, 0], [1, 1, 0]])
    found = hs.estimate(table, f"precision+zero_division={filled}@{average}")
    others = [hs.estimate(table, f"precision@binary+positive_class={label}") for label in (0, 1)]
    if average == "max":
        assert found.high == 1
        assert found.low == pytest.approx(max(each.low for each in others), abs=0.1)
    else:
        assert found.low == 0
        assert found.high == pytest.approx(min(each.high for each in others), abs=0.1)
    assert found.low <= found.value <= found.high


def test_labels_that_read_alike_are_told_apart_in_groups():
    """Classes are identified by their position, not by their names."""
    counts = np.array([[30, 4, 3], [3, 25, 2], [6, 2, 20]])
    groups = hs.estimate(hs.from_counts(np.stack([counts, counts.T]), labels=[1, "1", 2]), "recall@min")
    alone = hs.estimate(hs.from_counts(counts), "recall@min")
    assert (groups[0].low, groups[0].high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("metric", ["diag_mass@max", "precision@max", "f1@max", "recall@min"])
def test_a_class_that_never_occurs_changes_nothing(metric):
    """A class without true cases and predictions is a constant, and no candidate for the best or the worst."""
    truth, said = ["b"] * 9 + ["c"] * 3, ["b"] * 8 + ["c"] * 4
    few = hs.estimate(hs.confusion(truth, said, labels=["b", "c"]), metric, confidence_level=0.999)
    more = hs.estimate(hs.confusion(truth, said, labels=["a", "b", "c", "d"]), metric, confidence_level=0.999)
    assert (more.value, more.low, more.high) == pytest.approx((few.value, few.low, few.high), rel=1e-9)


@pytest.mark.parametrize(
    "counts, metric",
    [([[3, 1], [0, 0]], "precision@min"), ([[3, 1], [0, 0]], "npv@max"), ([[5, 0], [0, 0]], "npv@min")],
)
def test_a_constant_class_that_is_certainly_the_worst_leaves_no_interval(counts, metric):
    """As for other averages, the reason says that the metric does not vary: a point is no interval."""
    found = hs.estimate(hs.from_counts(counts, check=False), metric)
    assert np.isnan([found.low, found.high]).all()
    assert found.value in (0, 1)
    assert "does not vary between samples" in found.reason
