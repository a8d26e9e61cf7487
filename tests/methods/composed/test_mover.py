"""MOVER and Fieller against arithmetic, and coverage where the plain delta method fails."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.numerics import binomial


def test_informedness_is_newcombes_hybrid():
    """Recall + specificity - 1 has the limits of Newcombe's square-and-add of two Wilson intervals."""
    table = hs.from_counts([[80, 12], [9, 33]])
    estimate = hs.estimate(table, "informedness", method="mover")
    p, q = 33 / 42, 80 / 92
    (a, b), (c, d) = (tuple(map(float, binomial.wilson(x, n, 0.95))) for x, n in ((33, 42), (80, 92)))
    low = p + q - 1 - np.hypot(p - a, q - c)
    high = p + q - 1 + np.hypot(b - p, d - q)
    assert [estimate.low, estimate.high] == pytest.approx([low, high], abs=1e-12)


def test_macro_recall_adds_up_independent_parts():
    """Macro recall and macro precision combine the classes' Wilson intervals without a correlation."""
    counts = np.array([[40, 5, 2], [6, 25, 4], [1, 3, 14]])
    for metric, totals in (("recall@macro", counts.sum(1)), ("precision@macro", counts.sum(0))):
        estimate = hs.estimate(hs.from_counts(counts), metric, method="mover")
        shares = np.diag(counts) / totals
        low, high = binomial.wilson(np.diag(counts), totals, 0.95)
        expected = [shares.mean() - np.linalg.norm(shares - low) / 3, shares.mean() + np.linalg.norm(high - shares) / 3]
        assert [estimate.low, estimate.high] == pytest.approx(expected, abs=1e-12)


def test_macro_f1_carries_the_correlation_of_its_classes():
    """For macro F1 the parts share cells: their sum of squares is scaled to the delta method's variance."""
    counts = np.array([[40, 5, 2], [6, 25, 4], [1, 3, 14]])
    tp, rows, columns = np.diag(counts), counts.sum(1), counts.sum(0)
    union = rows + columns - tp
    jaccard = tp / union
    f1 = 2 * jaccard / (1 + jaccard)
    low, high = (2 * each / (1 + each) for each in binomial.wilson(tp, union, 0.95))
    alone = (jaccard * (1 - jaccard) / union * (2 / (1 + jaccard) ** 2) ** 2).sum() / 9
    whole = hs.estimate(hs.from_counts(counts), "f1@macro", method="wald").standard_error ** 2
    factor = np.sqrt(whole / alone)
    expected = [
        f1.mean() - factor * np.linalg.norm(f1 - low) / 3,
        f1.mean() + factor * np.linalg.norm(high - f1) / 3,
    ]
    estimate = hs.estimate(hs.from_counts(counts), "f1@macro", method="mover")
    assert [estimate.low, estimate.high] == pytest.approx(expected, abs=1e-12)
    assert abs(factor - 1) > 0.01


def test_paired_accuracies_have_newcombes_interval_with_their_phi():
    """Newcombe's square-and-add for paired shares (1998): two Wilson intervals, and φ of who is right where."""
    both, only_first, only_second, neither = 41, 17, 6, 12
    first = np.repeat([1, 1, 0, 0], [both, only_first, only_second, neither])
    second = np.repeat([1, 0, 1, 0], [both, only_first, only_second, neither])
    found = hs.compare(
        hs.paired(np.ones(76, dtype=int), {"A": first, "B": second}, labels=[0, 1]), "accuracy", method="mover"
    )
    n, p, q = 76, 58 / 76, 47 / 76
    (a, b), (c, d) = (tuple(map(float, binomial.wilson(x, n, 0.95))) for x in (58, 47))
    phi = np.corrcoef(first, second)[0, 1]
    low = p - q - np.sqrt((p - a) ** 2 + (d - q) ** 2 - 2 * phi * (p - a) * (d - q))
    high = p - q + np.sqrt((b - p) ** 2 + (q - c) ** 2 - 2 * phi * (b - p) * (q - c))
    assert 0.2 < phi < 0.5
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_undefined_classes_are_no_parts():
    """A class that never occurs has no recall: the other classes' intervals make the average's."""
    counts = np.array([[40, 5, 2], [0, 0, 0], [1, 3, 14]])
    estimate = hs.estimate(hs.from_counts(counts), "recall@macro", method="mover")
    shares = np.array([40 / 47, 14 / 18])
    low, high = binomial.wilson([40, 14], [47, 18], 0.95)
    expected = [shares.mean() - np.linalg.norm(shares - low) / 2, shares.mean() + np.linalg.norm(high - shares) / 2]
    assert [estimate.low, estimate.high] == pytest.approx(expected, abs=1e-12)
    assert "without 1 of 3 classes" in estimate.reason


def test_perfect_samples_have_width():
    """A perfect sample's limits come from the classes' Wilson limits; the interval ends at 1, with positive width."""
    counts = np.diag([30, 20, 8])
    for metric in ("recall@macro", "precision@macro", "balanced_accuracy"):
        estimate = hs.estimate(hs.from_counts(counts), metric, method="mover")
        low, _ = binomial.wilson(np.diag(counts), np.diag(counts), 0.95)
        assert estimate.low == pytest.approx(1 - np.linalg.norm(1 - low) / 3, abs=1e-12)
        assert estimate.high == pytest.approx(1)


def test_adjusting_for_chance_moves_the_interval_with_the_value():
    """Adjusted balanced accuracy is linear in balanced accuracy, and so are its limits: perfect samples included."""
    for counts in ([[40, 5, 2], [6, 25, 4], [1, 3, 14]], np.diag([30, 20, 8]), [[9, 1, 0], [2, 7, 0], [0, 0, 0]]):
        table = hs.from_counts(counts)
        plain = hs.estimate(table, "balanced_accuracy", method="mover")
        adjusted = hs.estimate(table, "balanced_accuracy+adjusted=true", method="mover")
        chance = 1 / np.count_nonzero(np.sum(counts, 1))
        expected = [(limit - chance) / (1 - chance) for limit in (plain.value, plain.low, plain.high)]
        assert [adjusted.value, adjusted.low, adjusted.high] == pytest.approx(expected, abs=1e-9)


def test_wilson_of_f1_goes_through_jaccard():
    """Binary F1 is 2J / (1 + J): its Wilson interval is that of J among tp + fp + fn, carried over."""
    estimate = hs.estimate(hs.from_counts([[80, 12], [9, 33]]), "f1", method="wilson")
    low, high = binomial.wilson(33, 33 + 12 + 9, 0.95)
    assert [estimate.low, estimate.high] == pytest.approx([2 * low / (1 + low), 2 * high / (1 + high)], abs=1e-12)


def test_fieller_limits_solve_their_equation():
    """At its limits θ, (A - θB)² = z² Σ C (a - θb)²."""
    tp, fp, fn, beta = 33, 12, 9, 2.0
    table = hs.from_counts([[80, fp], [fn, tp]])
    estimate = hs.estimate(table, "fbeta+beta=2", method="fieller")
    z = stats.norm.ppf(0.975)
    for limit in (estimate.low, estimate.high):
        slopes = np.array([(1 + beta**2) * (1 - limit), -limit, -limit * beta**2])
        assert (slopes @ [tp, fp, fn]) ** 2 == pytest.approx(z**2 * (slopes**2 @ [tp, fp, fn]), rel=1e-9)


def test_unfit_methods_say_what_to_use():
    """An inapplicable method is named with the metric and an alternative."""
    table = hs.from_counts([[80, 12], [9, 33]])
    for method, metric, words in (
        ("wilson", "mcc", "`Wilson` needs a proportion, and `mcc` is not one. Use `Delta"),
        ("wilson", "fbeta+beta=2", "Use `Fieller"),
        ("fieller", "mcc", "`Fieller` needs a ratio"),
        ("mover", "mcc", "`Mover` needs an average"),
    ):
        with pytest.raises(hs.HowsureError) as caught:
            hs.estimate(table, metric, method=method)
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "metric, floor", [("recall@macro", 0.92), ("precision@macro", 0.92), ("f1@macro", 0.92), ("accuracy", 0.93)]
)
def test_default_intervals_cover_in_small_samples(metric, floor):
    """With sixty cases of three classes at accuracy 0.9, the default covers where Wald's interval falls short."""
    rng = np.random.default_rng(17)
    shares = np.array([[0.45, 0.03, 0.02], [0.02, 0.27, 0.01], [0.01, 0.01, 0.18]])
    truth = hs.estimate(hs.from_counts(shares * 100), metric).value
    tables = hs.from_counts(rng.multinomial(60, shares.ravel(), 700).reshape(-1, 3, 3))
    found = [hs.estimate(tables, metric, method=method).values() for method in ("auto", "wald")]
    ours, wald = ([each.low <= truth <= each.high for each in estimates] for estimates in found)
    assert len(ours) == 700
    assert np.mean(ours) >= floor
    assert sum(ours) >= sum(wald)


def test_a_constant_has_no_interval_of_rounding():
    """The mean prevalence is one over the number of classes, for any sample and weights: nothing varies."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        true, said = rng.integers(0, 5, (2, 80))
        table = hs.confusion(true, said, labels=range(5), sample_weight=rng.lognormal(0, 2, 80))
        found = hs.estimate(table, "prevalence@macro", method="mover")
        assert found.value == pytest.approx(0.2)
        assert np.isnan([found.low, found.high]).all()
        assert "does not vary" in found.reason


def test_the_standard_error_is_told_where_the_metric_is_defined():
    """It is that of the delta method; an undefined metric has none, with a reason."""
    table = hs.from_counts([[40, 5, 2], [6, 25, 4], [1, 3, 14]])
    for metric in ("recall@macro", "f1@macro"):
        found, delta = (hs.estimate(table, metric, method=each) for each in ("mover", "delta"))
        assert found.standard_error == pytest.approx(delta.standard_error)
    nothing = hs.estimate(hs.from_counts([[0, 0], [0, 7]]), "informedness", method="mover")
    assert np.isnan([nothing.value, nothing.standard_error, nothing.low]).all()
    assert nothing.reason.startswith("undefined")


def test_an_average_over_one_class_is_that_class():
    """Where one class alone has cases, macro recall has the limits of its recall."""
    found = hs.estimate(hs.from_counts([[30, 6], [0, 0]]), "recall@macro", method="mover")
    low, high = binomial.wilson(30, 36, 0.95)
    assert [found.value, found.low, found.high] == pytest.approx([30 / 36, float(low), float(high)])


def test_names_of_other_methods_lead_to_mover():
    """Newcombe's and Wilson's method for a difference of two proportions is this one: the refusals name it."""
    first, second = hs.from_counts(tp=56, fn=14, fp=1, tn=1), hs.from_counts(tp=48, fn=32, fp=1, tn=1)
    for name in ("newcombe", "wilson"):
        with pytest.raises(hs.HowsureError, match=r"Use `Mover\(\)`"):
            hs.compare(first, second, "recall", method=name)
    found = hs.compare(first, second, "recall", method="mover")
    # Newcombe (1998), Statistics in Medicine 17, 873, table II, method 10
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=2e-4)


def added(shares, worth, level):
    """Return the limits of the mean of independent proportions: squares of the distances of Wilson's limits added."""
    low, high = binomial.wilson(shares * worth, worth, level)
    number = len(shares)
    below, above = np.linalg.norm(shares - low) / number, np.linalg.norm(high - shares) / number
    return shares.mean() - below, min(shares.mean() + above, 1)


@pytest.mark.parametrize("kind", ["usual", "one class is right throughout", "alike"])
@pytest.mark.parametrize("batch", [False, True])
def test_classes_in_clusters_have_their_effective_cases(kind, batch):
    """They are p (1 − p) over the variance between the clusters of a class, less for Student's t, at most its cases.

    A class without errors has as many as it has clusters.
    """
    number, size, level = np.array([10, 8]), 6, 0.9
    group = np.arange(number.sum() * size) // size
    truth = np.repeat([0, 1], number * size)
    rng = np.random.default_rng(3)
    right = rng.random(len(truth)) < rng.beta(3, 1, number.sum())[group]
    if kind == "one class is right throughout":
        right[truth == 1] = True
    elif kind == "alike":
        right = np.arange(len(truth)) % size < 4 + (group == 3) - (group == 15)
    said = np.where(right, truth, 1 - truth)
    shares, worth = np.empty(2), np.empty(2)
    for side in (0, 1):
        own = truth == side
        shares[side] = p = right[own].mean()
        variance = (
            ((np.bincount(group[own], right[own] - p) / own.sum()) ** 2).sum() * number[side] / (number[side] - 1)
        )
        cases = p * (1 - p) / variance if variance > 0 else number[side]
        student = stats.norm.ppf((1 + level) / 2) / stats.t.ppf((1 + level) / 2, number[side] - 1)
        worth[side] = min(cases * student**2, own.sum())
    assert (worth == number * size).all() == (kind == "alike")
    if batch:
        by = np.repeat(["a", "b"], len(truth))
        table = hs.confusion(np.tile(truth, 2), np.r_[said, truth], groups=np.r_[group, group + 99], by=by)
        found = hs.estimate(table, "recall@macro", method="mover", confidence_level=level)["a"]
    else:
        found = hs.estimate(
            hs.confusion(truth, said, groups=group), "recall@macro", method="mover", confidence_level=level
        )
    assert (found.low, found.high) == pytest.approx(added(shares, worth, level), rel=1e-6)


def test_classes_of_weighted_cases_have_at_most_kishs_number():
    """Their effective number is p (1 − p) over the variance of the weighted share, or Kish's without errors."""
    rng = np.random.default_rng(9)
    truth = np.repeat([0, 1, 2], [40, 30, 20])
    weight = rng.gamma(2.0, size=90)
    said = np.where((rng.random(90) < 0.75) | (truth == 2), truth, (truth + 1) % 3)
    shares, worth = np.empty(3), np.empty(3)
    for side in range(3):
        own, met = weight[truth == side], (said == truth)[truth == side]
        shares[side] = p = (own * met).sum() / own.sum()
        variance = (own**2 * (met - p) ** 2).sum() / own.sum() ** 2
        kish = own.sum() ** 2 / (own**2).sum()
        worth[side] = min(p * (1 - p) / variance, kish) if variance > 0 else kish
    found = hs.estimate(hs.confusion(truth, said, sample_weight=weight), "recall@macro", method="mover")
    assert (found.low, found.high) == pytest.approx(added(shares, worth, 0.95), rel=1e-6)
