"""Every metric is its textbook formula, and every average its own, written out here a second time."""

import math

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.averages import AVERAGES
from howsure.metrics.binding import resolve
from howsure.metrics.forms import Ratio
from howsure.metrics.registry import REGISTRY
from support.arguments import spec_of

RNG = np.random.default_rng(77)


def harmonic(*values):
    """Return the harmonic mean."""
    return len(values) / sum(1 / each for each in values)


def formulas(tp, fn, fp, tn):
    """Return every metric of one class, by recall r, specificity s, precision p, npv v and the class's share of the cases."""
    n = tp + fn + fp + tn
    r, s, p, v, share = tp / (tp + fn), tn / (tn + fp), tp / (tp + fp), tn / (tn + fn), (tp + fn) / n
    return {
        "recall": r,
        "specificity": s,
        "precision": p,
        "npv": v,
        "fpr": 1 - s,
        "fnr": 1 - r,
        "fdr": 1 - p,
        "for": 1 - v,
        "f1": harmonic(p, r),
        "fbeta": harmonic(p, r),
        "jaccard": 1 / (1 / p + 1 / r - 1),
        "prevalence": share,
        "pass_rate": share,
        "model_bias": share * r + (1 - share) * (1 - s),
        "diag_mass": share * r,
        "class_accuracy": share * r + (1 - share) * s,
        "informedness": r + s - 1,
        "markedness": p + v - 1,
        "class_mcc": math.sqrt(r * s * p * v) - math.sqrt((1 - r) * (1 - s) * (1 - p) * (1 - v)),
        "ppv_at": 0.1 * r / (0.1 * r + 0.9 * (1 - s)),
        "npv_at": 0.9 * s / (0.9 * s + 0.1 * (1 - r)),
        "p4": harmonic(p, r, s, v),
        "g_mean": math.sqrt(r * s),
        "fowlkes_mallows": math.sqrt(p * r),
        "plr": r / (1 - s),
        "nlr": (1 - r) / s,
        "dor": (r / (1 - r)) / ((1 - s) / s),
        "log_plr": math.log(r) - math.log(1 - s),
        "log_nlr": math.log(1 - r) - math.log(s),
        "log_dor": math.log(tp) + math.log(tn) - math.log(fn) - math.log(fp),
        "prevalence_threshold": (math.sqrt(r * (1 - s)) + s - 1) / (r + s - 1),
        "lift": p / share,
        "precision_gain": (p - share) / ((1 - share) * p),
        "recall_gain": (r - share) / ((1 - share) * r),
        "f1_gain": (harmonic(p, r) - share) / ((1 - share) * harmonic(p, r)),
        "fbeta_gain": (harmonic(p, r) - share) / ((1 - share) * harmonic(p, r)),
        "net_benefit": share * r - 0.25 * (1 - share) * (1 - s),  # at a risk of 0.2, whose odds are 1/4
        "standardized_net_benefit": r - 0.25 * (1 / share - 1) * (1 - s),
        "interventions_avoided": (1 - share) * s - 7 / 3 * share * (1 - r),  # at 0.3
        "expected_cost": (1 - share) * (1 - s) + 10 * share * (1 - r),
    }


OUTCOMES = [definition.name for definition in REGISTRY if definition.form.name == "outcomes"]


def outcomes(counts, index):
    """Count a class's outcomes cell by cell."""
    size = len(counts)
    sums = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for i in range(size):
        for j in range(size):
            sums[i == index, j == index] += int(counts[i, j])
    return sums[True, True], sums[True, False], sums[False, True], sums[False, False]


@pytest.mark.parametrize("name", OUTCOMES)
def test_one_class_and_its_averages(name):
    """Each metric of one class is its formula, and micro, macro, weighted, min, max and the means follow from it."""
    for _ in range(8):
        size = int(RNG.integers(2, 7))
        counts = RNG.integers(1, 15, (size, size)) + np.diag(RNG.integers(30, 90, size))
        table = hs.from_counts(counts)
        each = [outcomes(counts, index) for index in range(size)]
        values = np.array([formulas(*one)[name] for one in each])
        expected = {f"binary+positive_class={index}": values[index] for index in range(size)}
        expected |= {
            "micro": formulas(*np.sum(each, 0))[name],
            "macro": sum(values) / size,
            "weighted": sum(values * counts.sum(1)) / counts.sum(),
            "min": min(values),
            "max": max(values),
        }
        if min(values) > 0:
            expected |= {"geometric": math.prod(values) ** (1 / size), "harmonic": harmonic(*values)}
        for average, value in expected.items():
            spec = f"{spec_of(REGISTRY.find(name))}@{average}"
            assert float(resolve(spec, table)(counts)) == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 2, 3.5])
def test_beta_weights_recall(beta):
    """F-beta and its gain weigh recall beta² times as much as precision."""
    tn, fp, fn, tp = 61, 14, 9, 27
    p, r, share = tp / (tp + fp), tp / (tp + fn), (tp + fn) / 111
    value = (1 + beta**2) * p * r / (beta**2 * p + r)
    table = hs.from_counts([[tn, fp], [fn, tp]])
    assert hs.estimate(table, f"fbeta+beta={beta}").value == pytest.approx(value)
    gains = ((p - share) / ((1 - share) * p), (r - share) / ((1 - share) * r))
    expected = (gains[0] + beta**2 * gains[1]) / (1 + beta**2)
    assert hs.estimate(table, f"fbeta_gain+beta={beta}").value == pytest.approx(expected)
    assert hs.estimate(table, f"fbeta_gain+beta={beta}").value == pytest.approx((value - share) / ((1 - share) * value))


def test_agreement_as_arithmetic():
    """Kappa, Scott's pi, Gwet's AC1 and weighted kappa from their definitions by pairs of raters."""
    for size in (2, 3, 5):
        counts = RNG.integers(1, 25, (size, size)) + 15 * np.eye(size, dtype=int)
        p = counts / counts.sum()
        true, predicted = p.sum(1), p.sum(0)
        mean = (true + predicted) / 2
        chance = {
            "kappa": sum(true * predicted),
            "scotts_pi": sum(mean**2),
            "gwet_ac1": sum(mean * (1 - mean)) / (size - 1),
        }
        for name, by_chance in chance.items():
            value = (np.trace(p) - by_chance) / (1 - by_chance)
            assert hs.estimate(hs.from_counts(counts), name).value == pytest.approx(value, rel=1e-12)
        for power in (0, 1, 1.5, 2, 3):
            pairs = [(i, j, abs(i - j) ** power if i != j else 0) for i in range(size) for j in range(size)]
            seen, expected = sum(w * p[i, j] for i, j, w in pairs), sum(w * true[i] * predicted[j] for i, j, w in pairs)
            found = hs.estimate(hs.from_counts(counts), f"weighted_kappa+power={power}").value
            assert found == pytest.approx(1 - seen / expected, rel=1e-12)


@pytest.mark.parametrize("counts", [[[5, 4], [6, 0]], [[44, 6, 3], [7, 29, 5], [2, 8, 21]]])
def test_krippendorffs_alpha_counts_pairs_of_values(counts):
    """Alpha is 1 - observed over expected disagreement, expected among the 2n values without replacement (2004)."""
    cells = np.array(counts)
    n, values = cells.sum(), cells.sum(0) + cells.sum(1)
    observed = 1 - np.trace(cells) / n
    expected = 1 - (values * (values - 1)).sum() / (2 * n * (2 * n - 1))
    table = hs.from_counts(counts)
    found, pi = (hs.estimate(table, name, method="wald") for name in ("krippendorff_alpha", "scotts_pi"))
    assert found.value == pytest.approx(1 - observed / expected, abs=1e-12)
    assert 1 - found.value == pytest.approx((1 - pi.value) * (2 * n - 1) / (2 * n), rel=1e-12)
    assert found.standard_error == pytest.approx(pi.standard_error * (2 * n - 1) / (2 * n), rel=1e-9)


def test_krippendorffs_alpha_of_groups_has_their_own_numbers_of_cases():
    """Each group's alpha is the one of its table alone."""
    true, predicted, group = [0, 1, 1, 0, 1, 0, 1], [0, 1, 0, 0, 1, 1, 1], list("aaabbbb")
    found = hs.estimate(hs.confusion(true, predicted, by=group), "krippendorff_alpha")
    alone = [hs.confusion(true[part], predicted[part]) for part in (slice(3), slice(3, 7))]
    assert found.value.tolist() == [hs.estimate(each, "krippendorff_alpha").value for each in alone]


def test_power_zero_is_unweighted_kappa():
    """With equal weights of all errors, weighted kappa is Cohen's, including its standard error."""
    table = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
    one, other = (hs.estimate(table, name, method="wald") for name in ("weighted_kappa+power=0", "kappa"))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-9)


@pytest.mark.parametrize("power", [0, 0.5, 1, 1.5, 2])
def test_weighted_kappa_is_at_least_minus_one_up_to_the_square(power):
    """For any table: if all cases go to the mirrored class, with both ends equally often, it is exactly −1."""
    rng, size = np.random.default_rng(0), 4
    tables = np.concatenate([rng.dirichlet(np.full(size**2, 0.1), 3000), np.zeros((3000, size**2))])
    tables[3000:, (size - 1) * np.arange(1, size + 1)] = rng.dirichlet(np.ones(size), 3000)
    ends = np.zeros((1, size**2))
    ends[0, [size - 1, size * (size - 1)]] = 0.5
    tables = np.concatenate([tables, ends])
    metric = resolve(f"weighted_kappa+power={power}", hs.from_counts(np.eye(size, dtype=int)))
    values = metric(tables.reshape(-1, size, size))
    assert metric.range == (-1, 1)
    assert np.nanmin(values) == pytest.approx(-1, abs=1e-9)
    assert values[-1] == pytest.approx(-1)


def test_weighted_kappa_beyond_the_square_has_no_lower_bound():
    """Two of a hundred cases that are two classes off, where chance has few: 2/100 · 2³ are many times 4 · 0.98/100."""
    table = hs.from_counts([[0, 0, 1], [0, 98, 0], [1, 0, 0]])
    cubic = resolve("weighted_kappa+power=3", table)
    assert cubic.range == (-np.inf, 1)
    assert float(cubic(table.counted)) == pytest.approx(1 - 0.16 / (4 * 0.01 * 0.98 + 2 * 0.01**2 * 8))
    assert resolve("weighted_kappa+power=3", hs.from_counts([[3, 1], [1, 3]])).range == (-1, 1)


def test_correlation_of_indicators():
    """MCC is Pearson's correlation for two classes, and for more the ratio of the summed covariances."""
    for size in (2, 4):
        counts = RNG.integers(1, 25, (size, size)) + 15 * np.eye(size, dtype=int)
        i, j = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
        x, y = np.eye(size)[i], np.eye(size)[j]
        x, y = x - x.mean(0), y - y.mean(0)
        expected = (x * y).sum() / math.sqrt((x * x).sum() * (y * y).sum())
        assert hs.estimate(hs.from_counts(counts), "mcc").value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("average", ["geometric", "harmonic"])
def test_means_of_ratios_need_values_that_are_not_negative(average):
    """A class with a negative value is not dropped from a geometric or harmonic mean: that has no value."""
    table = hs.from_counts([[5, 20, 3], [18, 4, 6], [2, 3, 30]])
    assert hs.estimate(table, "informedness@min").value < 0 < hs.estimate(table, "informedness@max").value
    estimate = hs.estimate(table, f"informedness@{average}")
    assert np.isnan(estimate.value)
    assert "negative" in estimate.reason


@pytest.mark.parametrize("name", ["min", "max"])
def test_of_classes_that_tie_within_rounding_the_rarest_is_the_extreme(name):
    """Logarithms of odds ratios that are all 1 differ by rounding: that does not choose whose slope it is."""
    average = next(each for each in AVERAGES if each.name == name)
    for values in ([0.0, 1e-16, -2e-16], [2e-16, -1e-16, 0.0], [0.5, 0.5 + 1e-16, 0.5 - 1e-16]):
        by_value, _ = average.slopes(np.array(values), np.array([30.0, 20.0, 10.0]))
        assert by_value.tolist() == [0, 0, 1]


@pytest.mark.parametrize("average", ["geometric", "harmonic"])
def test_a_class_at_zero_makes_the_mean_zero(average):
    """Zero is a value: a class whose recall is 0 makes the geometric and the harmonic mean 0."""
    table = hs.from_counts([[12, 3, 1], [4, 0, 6], [2, 3, 19]])
    estimate = hs.estimate(table, f"recall@{average}")
    assert estimate.value == 0
    assert 0 == estimate.low < estimate.high < 1


def test_adjusted_balanced_accuracy_stays_in_its_range_without_some_classes():
    """Chance is one over the classes that occur: with two of five, all wrong is -1, and has an interval."""
    counts = np.zeros((5, 5))
    counts[0, 1], counts[1, 0] = 10, 9
    estimate = hs.estimate(hs.from_counts(counts), "balanced_accuracy+adjusted=true")
    assert estimate.value == estimate.low == -1
    assert -1 < estimate.high < 0


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2]])
def test_a_proportion_rises_with_the_share_of_its_successes(order):
    """Among two groups of cells with different coefficients, the one with the higher ratio contains the successes."""
    numerator, denominator = np.array([1.0, 1, 0])[order], np.array([2.0, 1, 0])[order]  # (x + y) / (2 x + y)
    share = Ratio(numerator, denominator).proportion
    assert share.successes.tolist() == [each == 1 for each in order]
    assert share.trials.tolist() == [True, True, False]
    assert share.metric(np.array([0.0, 0.25, 1.0])) == pytest.approx([1 / 2, 1 / (2 * 0.75 + 0.25), 1])


def test_krippendorffs_alpha_of_an_effective_size_below_one_is_in_its_range():
    """Two strata of one cluster have an effective size below one case; alpha counts the values of both cases."""
    table = hs.confusion(
        ["a", "b"],
        ["c", "b"],
        sample_weight=[1, 5],
        groups=[0, 0],
        strata=[0, 1],
        stratum_sizes={0: 0.8, 1: 0.2},
        labels=["a", "b", "c"],
    )
    alpha, pi = (hs.estimate(table, name, method="wald").value for name in ("krippendorff_alpha", "scotts_pi"))
    assert -1 <= alpha <= 1
    # (1 - pi)(2n - 1) / 2n with n = 2
    assert 1 - alpha == pytest.approx((1 - pi) * 3 / 4)


def test_clusters_do_not_change_krippendorffs_alpha():
    """Clusters widen the interval of alpha; its value is that of its definition, from pairs of all values."""
    first, second = np.array(list("aaaabbbbccab")), np.array(list("aababbbcccab"))
    values = np.concatenate([first, second])
    expected = (values[:, None] != values).sum() / (len(values) * (len(values) - 1))
    alpha = 1 - (first != second).mean() / expected
    groups = np.repeat(np.arange(4), 3)
    for table in (hs.confusion(first, second, groups=groups), hs.ratings(np.stack([first, second], 1), groups=groups)):
        assert hs.estimate(table, "krippendorff_alpha").value == pytest.approx(alpha)


@pytest.mark.parametrize("metric", ["fbeta", "fbeta_gain"])
def test_a_negative_beta_is_refused(metric):
    """Its square would be that of the positive one."""
    with pytest.raises(hs.HowsureError, match="`beta` is 0 or more, not -1"):
        hs.estimate(hs.from_counts([[5, 3], [4, 9]]), f"{metric}+beta=-1")
