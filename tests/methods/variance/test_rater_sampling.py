"""Intervals that cover for other raters."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.library import default_method
from howsure.methods.variance.rater_sampling import _Variances
from howsure.metrics.binding import resolve

SAID = ["aaab", "abaa", "bbab", "bbbb", "aaaa", "abbb", "aaaa", "bbbb", "baba", "aaaa", "bbbb", "aaab", "abab", "aaaa"]
TABLE = hs.ratings([list(each) for each in SAID * 3])
LEANING = hs.ratings([[*each, "a"] for each in SAID * 3])  # a fifth rater gives the same rating to all items


def without(rater, items):
    """Return AC1 of two categories without a rater, from its definition."""
    said = np.array([[each == "b" for at, each in enumerate(item) if at != rater] for item in items], dtype=float)
    share = said.mean(1)
    number = said.shape[1]
    agreement = (number * (share**2 + (1 - share) ** 2) - 1) / (number - 1)
    chance = 2 * share.mean() * (1 - share.mean())
    return (agreement.mean() - chance) / (1 - chance)


def test_the_variance_of_raters_is_the_jackknifes():
    """Leaving out each rater gives the jackknife's standard error, whose quantile is Student's t."""
    values = np.array([without(rater, SAID) for rater in range(4)])
    expected = np.sqrt(3 / 4 * ((values - values.mean()) ** 2).sum())
    found = hs.estimate(TABLE, "gwet_ac1", method="raters")
    assert found.standard_error == pytest.approx(expected)
    scaled = np.arctanh([found.low, found.value, found.high])  # Fisher's z, half the logit of (1 + x) / 2
    reach = stats.t.ppf(0.975, 3) * expected / (1 - found.value**2)
    assert np.diff(scaled) == pytest.approx([reach, reach])


def test_items_and_raters_have_the_sum_of_both_variances():
    """The variance for other items and raters is the items' and the raters', also where raters differ little."""
    for table in (TABLE, LEANING):
        own, raters, both = (
            hs.estimate(table, "gwet_ac1", method=name).standard_error
            for name in ("delta", "raters", "items_and_raters")
        )
        assert both == pytest.approx(np.hypot(own, raters))
        wide, narrow = hs.estimate(table, "gwet_ac1", method="items_and_raters"), hs.estimate(table, "gwet_ac1")
        assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    "table, metric, words",
    [
        (hs.ratings([["a", "b"], ["a", "a"]]), "gwet_ac1", "needs three raters who rate"),
        (TABLE, "agreement_gap", "is of one of them"),
        (hs.from_counts([[5, 1], [2, 4]]), "accuracy", "is for the agreement of one set of raters"),
    ],
    ids=["two raters", "one rater's metric", "no raters"],
)
def test_what_raters_cannot_be_left_out_of_is_refused(table, metric, words):
    """Two raters, a metric of one of them, and other tables are refused in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, metric, method="items_and_raters")


def test_perfect_agreement_is_no_point_for_other_raters_either():
    """Raters who agree on all items have an interval for other items and raters; of raters alone nothing is known."""
    table = hs.ratings([[each] * 3 for each in "abab" * 5])
    both, raters = (hs.estimate(table, "fleiss_kappa", method=name) for name in ("items_and_raters", "raters"))
    assert both.low < both.value == both.high == 1
    assert np.isnan(raters.low)
    assert raters.reason


def test_items_that_are_all_alike_leave_the_raters_variance():
    """If each item has the same agreement, other items add nothing, but other raters still do."""
    table = hs.ratings([["a", "a", "b"], ["b", "b", "a"]] * 10)
    both, raters = (hs.estimate(table, "percent_agreement", method=name) for name in ("items_and_raters", "raters"))
    assert both.standard_error == pytest.approx(np.sqrt(2 / 3 * (1 - 1 / 3)))  # of 1, 0 and 0 without each rater
    assert [both.low, both.high] == pytest.approx([raters.low, raters.high])


def ratings_of_other_raters(rng, raters, items):
    """Return ratings of two categories by raters who differ in skill and leaning."""
    truth, ease = rng.random((items, 1)) < 0.4, rng.beta(4, 2, (items, 1))
    knows = rng.random((items, raters)) < ease * rng.beta(8, 2, raters)
    return np.where(knows, truth, rng.random((items, raters)) < rng.beta(2, 3, raters)) * 1


@pytest.mark.thorough
@pytest.mark.parametrize("raters", [3, 5])
def test_coverage_for_other_raters(raters):
    """In 300 studies with new raters of 50 new items each, 92 to 99.7 % cover the value of all raters."""
    rng = np.random.default_rng(3)
    many = [ratings_of_other_raters(rng, 400, 2000) for _ in range(10)]
    share = [each.mean() for each in many]
    agreement = [np.mean([(400 * (p**2 + (1 - p) ** 2) - 1) / 399 for p in each.mean(1)]) for each in many]
    truth = np.mean([1 - (1 - a) / (1 - 2 * p * (1 - p)) for a, p in zip(agreement, share, strict=True)])
    held = []
    for _ in range(300):
        table = hs.ratings(ratings_of_other_raters(rng, raters, 50))
        found = hs.estimate(table, "gwet_ac1", method="items_and_raters")
        held.append(found.low <= truth <= found.high)
    assert 0.92 <= np.mean(held) <= 0.997


def studies(rng, size, items):
    """Return ratings of two categories, 15 % the second, by three raters, of several studies."""
    truth, ease = rng.random((size, items, 1)) < 0.15, rng.beta(4, 2, (size, items, 1))
    knows = rng.random((size, items, 3)) < ease
    return np.where(knows, truth, rng.random((size, items, 3)) < 0.15) * 1


def test_coverage_for_other_items():
    """In 1,000 studies of 50 items, one in seven of the rare kind, at least 91 % cover the true kappa and AC1."""
    rng = np.random.default_rng(4)
    (many,) = studies(rng, 1, 200_000)
    said = studies(rng, 1000, 50)
    table = hs.ratings(many)
    counts = np.array([[(each == row).all(-1).sum() for row in table.codes] for each in said], dtype=float)
    batch = dataclasses.replace(table, counts=counts, rows=np.full(1000, 50))
    for name in ("fleiss_kappa", "gwet_ac1"):
        truth = float(resolve(name, table)(table.counted))
        metric = resolve(name, batch)
        found = default_method(metric, batch).interval(metric, batch, 0.95)
        assert 0.91 <= np.mean((found.low <= truth) & (truth <= found.high)) <= 0.985, name


@pytest.mark.parametrize("items, raters, own, of_items", [(2.0, 3.0, 4, 10.0), (1.0, 0.2, 2, 49.0), (0.5, 0.5, 7, 3.0)])
def test_both_variances_have_the_degrees_of_freedom_of_satterthwaite(items, raters, own, of_items):
    """The square of their sum over the sum of squares by degrees of freedom; without variance those of the items."""
    found = _Variances(items, raters, own)
    expected = (items + raters) ** 2 / (items**2 / of_items + raters**2 / own)
    assert found.degrees_of_freedom(of_items) == pytest.approx(expected)
    assert found.factor == pytest.approx((items + raters) / items)
    assert found.degrees_of_freedom(np.inf) == pytest.approx((items + raters) ** 2 / (raters**2 / own))
    assert _Variances(0.0, 0.0, own).degrees_of_freedom(of_items) == of_items
    assert _Variances(0.0, raters, own).factor == 1
