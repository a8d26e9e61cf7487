"""Exact prediction intervals of scores without labels, and the methods that do not serve them."""

from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.designs.poisson_binomial import poisson_binomial
from howsure.methods.drawn.predictive import MANY, MOST_COUNTS, _quantile, _thinned, joint_distribution
from howsure.methods.library import METHODS
from howsure.metrics.binding import resolve
from howsure.native.ends import ends


def enumerated(score, threshold, metric):
    """Return the metric's value and chance for each of the 2ⁿ labellings."""
    called = score >= threshold
    labels = np.array(list(product((0, 1), repeat=len(score))))
    chances = np.where(labels == 1, score, 1 - score).prod(1)
    cells = [((labels == i) & (called == j)).sum(1) for i, j in np.ndindex(2, 2)]
    table = hs.calibrated(score).at(threshold)
    with np.errstate(all="ignore"):
        values = resolve(metric, table)(np.stack(cells, -1).reshape(-1, 2, 2).astype(float))
    return values, chances


@pytest.mark.parametrize("metric", ["accuracy", "precision", "f1", "mcc", "kappa"])
@pytest.mark.parametrize("n", [5, 11])
def test_limits_are_quantiles_over_all_labellings(metric, n):
    """At most half of 1 − level is beyond each limit, and more would be if the limit moved inwards."""
    score = np.random.default_rng(n).beta(1.5, 1, n)
    values, chances = enumerated(score, 0.5, metric)
    defined = ~np.isnan(values)
    values, chances = values[defined], chances[defined] / chances[defined].sum()
    estimate = hs.estimate(hs.calibrated(score), metric, threshold=0.5, confidence_level=0.8)
    tiny = 1e-9
    assert chances[values < estimate.low - tiny].sum() <= 0.1 + tiny
    assert chances[values <= estimate.low + tiny].sum() > 0.1
    assert chances[values > estimate.high + tiny].sum() <= 0.1 + tiny
    assert chances[values >= estimate.high - tiny].sum() > 0.1
    spread = np.sqrt(chances @ (values - chances @ values) ** 2)
    assert estimate.standard_error == pytest.approx(spread, abs=1e-10)


def test_the_joint_distribution_is_the_product_of_both_sums():
    """True positives and false negatives are independent, and their tables have whole counts."""
    score = np.random.default_rng(4).random(40)
    table = hs.calibrated(score).at(0.6)
    tables, mass = joint_distribution(table.design.cases, (2, 2))
    above = score >= 0.6
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.array_equal(tables, np.rint(tables))
    assert set(tables.sum((1, 2))) == {40.0}
    for cell, side in (((1, 1), above), ((1, 0), ~above)):
        start, expected = poisson_binomial(score[side])
        found = np.bincount(tables[:, *cell].astype(int), mass, start + len(expected))[start:]
        assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.thorough
def test_many_cases_are_taken_together_without_loss():
    """At 50 000 cases the limits are those of a million drawn tables, to a fiftieth of the standard error."""
    score = np.random.default_rng(6).beta(2, 3, 50_000)
    table = hs.calibrated(score).at(0.4)
    for metric in ("f1", "mcc"):
        exact = hs.estimate(table, metric)
        drawn = hs.estimate(table, metric, method=hs.methods.Bootstrap("percentile", 400_000), random_state=0)
        assert exact.method == "predictive"
        tolerance = 0.02 * exact.standard_error
        assert (exact.low, exact.high) == pytest.approx((drawn.low, drawn.high), abs=tolerance)
        assert exact.standard_error == pytest.approx(drawn.standard_error, rel=0.01)


def test_what_is_certain_has_no_interval():
    """Recall at threshold 0, and every metric of scores of 0 and 1, do not vary: nan with the reason."""
    for score, metric, threshold, value in (
        ([0.2, 0.5, 0.9], "recall", 0.0, 1.0),
        ([0.0, 1.0, 1.0, 0.0], "accuracy", 0.5, 1.0),
    ):
        estimate = hs.estimate(hs.calibrated(score), metric, threshold=threshold)
        assert estimate.value == value
        assert np.isnan([estimate.low, estimate.high]).all()
        assert "does not vary" in estimate.reason


def test_no_interval_is_a_point():
    """Two cases of even probability have accuracy 1/2 with probability 1/2: at level 0.2 no width, but a reason."""
    found = hs.estimate(hs.calibrated([0.5, 0.5]).at(0.5), "accuracy", confidence_level=0.2)
    assert found.value == 0.5
    assert np.isnan([found.low, found.high]).all()
    assert "does not vary" in found.reason


def test_tables_without_a_value_are_counted():
    """Recall is undefined on the labelling without a positive case, which the reason gives the probability of."""
    estimate = hs.estimate(hs.calibrated([0.3, 0.2, 0.6]), "recall", threshold=0.5)
    assert "undefined with probability 0.22" in estimate.reason  # 0.7 · 0.8 · 0.4
    undefined = hs.estimate(hs.calibrated([0.3, 0.2]), "precision", threshold=0.5)
    assert np.isnan(undefined.value)
    assert "no prediction of the class" in undefined.reason


def test_draws_are_the_same_each_time():
    """Areas of few scores, whose labels are drawn, have the same interval each time, and follow a seed."""
    table = hs.calibrated(np.random.default_rng(1).random(50))
    first, second = hs.estimate(table, "roc_auc"), hs.estimate(table, "roc_auc")
    assert (first.method, first.low, first.high) == ("predictive", second.low, second.high)
    assert hs.estimate(table, "roc_auc", random_state=5).low != first.low


@pytest.mark.parametrize("target", ["batch", "population"])
def test_methods_of_labelled_cases_are_refused(target):
    """Methods that would treat expected cases as observed ones name an alternative; the others work."""
    scores = hs.calibrated(np.random.default_rng(2).random(60), target=target)
    refused = set()
    for name in METHODS:
        if name in {"delong", "delong_wald", "hanley_mcneil", "newcombe"}:
            table, metric = scores, "roc_auc"
        else:
            table, metric = scores.at(0.5), "f1"
        try:
            estimate = hs.estimate(table, metric, method=name, random_state=0)
        except hs.HowsureError as error:
            assert "Use" in str(error)  # noqa: PT017 - the test is about which methods refuse
            refused.add(name)
        else:
            assert estimate.low < estimate.value < estimate.high
            assert "assumes calibrated scores" in estimate.reason or target == "population"
    served = {"wald", "delta", "fieller", "bootstrap_percentile", "bayes"}
    others = {"predictive"} if target == "batch" else {f"bootstrap_{kind}" for kind in ("basic", "bca", "studentized")}
    assert set(METHODS) - refused == served | others


def test_priors_and_labelled_tables_are_refused():
    """A prior has nothing to add to scores, and labelled cases have no predictive distribution."""
    with pytest.raises(hs.HowsureError, match="no prior to add"):
        hs.estimate(hs.calibrated([0.2, 0.7]).at(0.5), "f1", method=hs.methods.Dirichlet(prior=1))
    with pytest.raises(hs.HowsureError, match="needs scores without labels"):
        hs.estimate(hs.from_counts([[5, 1], [2, 8]]), "f1", method="predictive")


def test_counts_that_are_taken_together_keep_their_mass_and_mean():
    """Many counts are merged to few, in order; their probabilities and their mean are unchanged."""
    counts = np.arange(100.0, 100.0 + 7 * MOST_COUNTS + 3)
    mass = np.random.default_rng(4).dirichlet(np.ones(len(counts)))
    few, together = _thinned(counts, mass)
    assert len(few) == MOST_COUNTS
    assert (np.diff(few) > 0).all()
    assert (together.sum(), together @ few) == pytest.approx((1.0, mass @ counts))
    assert together[0] == pytest.approx(mass[counts < few[0] + (few[1] - few[0]) / 2].sum(), rel=0.5)


@pytest.mark.parametrize("kind", ["spread", "tied", "one", "crowded", "endless", "narrow"])
@pytest.mark.parametrize("size", [MANY - 1, MANY, 5 * MANY])
def test_quantiles_in_bins_are_those_of_sorted_values(kind, size):
    """The smallest value up to which a share of the mass is, for any spacing, also for one or infinite values."""
    rng = np.random.default_rng(size)
    values = {
        "spread": rng.normal(size=size),
        "tied": rng.integers(0, 7, size) / 7,
        "one": np.full(size, 0.3),
        "crowded": np.append(1e9, rng.random(size - 1)),
        "endless": np.where(np.arange(size) % 9 == 0, np.inf, rng.random(size)),
        "narrow": np.where(rng.random(size) < 0.5, 0.0, 5e-324),
    }[kind]
    mass = rng.dirichlet(np.ones(size))
    quantile = _quantile(values, mass, *ends(values))
    for share in (1e-9, 0.0251, 0.3337, 0.9749, 1 - 1e-9):
        found = quantile(share)
        assert mass[values < found].sum() < share + 1e-12
        assert mass[values <= found].sum() >= share - 1e-12
        assert found in values
