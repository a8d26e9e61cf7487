"""Tests of one table and of several models: the no-information rate, Cochran's Q, and Miettinen and Nurminen's scores."""

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import cochrans_q as reference
from statsmodels.stats.proportion import confint_proportions_2indep

import howsure as hs

RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 2, 300)
SAID = {name: np.where(RNG.random(300) < share, TRUTH, 1 - TRUTH) for name, share in {"A": 0.9, "B": 0.8}.items()}
SAID["C"] = np.where(RNG.random(300) < 0.7, SAID["A"], 1 - TRUTH)
EXAMPLE = hs.from_counts([[231, 27], [32, 54]], labels=["abnormal", "normal"])


def of(successes, trials):
    """Return a table whose recall is this share."""
    return hs.from_counts([[5, 7], [trials - successes, successes]])


def test_the_no_information_rate_is_carets():
    """The example of R caret's `confusionMatrix`: accuracy 0.8285, rate 0.75, P-Value [Acc > NIR] 0.0003097."""
    found = hs.comparison.no_information_test(EXAMPLE)
    assert found.accuracy == pytest.approx(0.8285, abs=5e-5)
    assert (found.no_information_rate, found.largest_class) == (0.75, "abnormal")
    assert found.p_value == pytest.approx(0.0003097, abs=5e-8)
    assert found.p_value == pytest.approx(stats.binomtest(285, 344, 0.75, alternative="greater").pvalue, rel=1e-9)


@pytest.mark.parametrize("right", [0, 150, 258])
def test_the_no_information_test_of_any_accuracy_is_binomial(right):
    """The p-value is the binomial tail, also where the accuracy is below the rate."""
    found = hs.comparison.no_information_test(hs.from_counts([[right, 258 - right], [86, 0]]))
    assert found.p_value == pytest.approx(stats.binomtest(right, 344, 0.75, alternative="greater").pvalue, rel=1e-9)


def test_the_no_information_test_of_weighted_and_clustered_cases():
    """Weights of any scale give the same result, and copies of cases in clusters add no information."""
    weight = RNG.uniform(0.5, 2, 300)
    small, large = (
        hs.comparison.no_information_test(hs.confusion(TRUTH, SAID["C"], sample_weight=c * weight)) for c in (1, 1000)
    )
    assert small.p_value == pytest.approx(large.p_value, rel=1e-6)
    plain = hs.comparison.no_information_test(hs.confusion(TRUTH, SAID["C"]))
    copies = np.repeat(np.arange(300), 4)
    clustered = hs.comparison.no_information_test(hs.confusion(TRUTH[copies], SAID["C"][copies], groups=copies))
    assert np.log(clustered.p_value) == pytest.approx(np.log(plain.p_value), rel=0.15)
    assert not np.isnan(hs.comparison.no_information_test(hs.confusion(TRUTH, SAID["C"], by=TRUTH[::-1]))[1].p_value)


@pytest.mark.parametrize(
    "table, words",
    [
        (hs.paired(TRUTH, SAID), "models"),
        (hs.scores(TRUTH, RNG.random(300)), "accuracy"),
        ([[50, 3], [5, 42]], "from_counts"),
        (hs.calibrated(RNG.random(50)).at(0.5), "labelled cases"),
    ],
)
def test_the_no_information_test_is_of_counted_predictions(table, words):
    """Several models, scores and unlabelled cases are refused in words."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.comparison.no_information_test(table)


def test_cochrans_q_equals_statsmodels():
    """Statistic and p-value of three models equal statsmodels', all together and in each group."""
    right = np.column_stack([said == TRUTH for said in SAID.values()]).astype(int)
    site = np.arange(300) % 2
    found = hs.cochrans_q(hs.paired(TRUTH, SAID, by=site))
    for mask, each in [(slice(None), found.overall), (site == 0, found[0]), (site == 1, found[1])]:
        expected = reference(right[mask])
        assert each.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert each.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_cochrans_q_of_two_models_is_mcnemars():
    """For two models it equals McNemar's asymptotic test."""
    table = hs.paired(TRUTH, {"A": SAID["A"], "B": SAID["B"]})
    assert hs.cochrans_q(table).p_value == pytest.approx(hs.mcnemar(table, method="asymptotic").p_value, rel=1e-9)


def test_cochrans_q_of_equal_models():
    """Models with identical predictions are not distinguished."""
    assert hs.cochrans_q(hs.paired(TRUTH, {"A": SAID["A"], "B": SAID["A"], "C": SAID["A"]})).p_value == 1


def test_cochrans_q_is_of_independent_cases():
    """Weights, clusters and tables of one model are refused in words."""
    with pytest.raises(hs.HowsureError, match="independent, unweighted"):
        hs.cochrans_q(hs.paired(TRUTH, SAID, groups=np.arange(300) // 3))
    with pytest.raises(hs.HowsureError, match="independent, unweighted"):
        hs.cochrans_q(hs.paired(TRUTH, SAID, sample_weight=RNG.random(300)))
    with pytest.raises(hs.HowsureError, match="Only a paired table"):
        hs.cochrans_q(EXAMPLE)


@pytest.mark.parametrize(
    "first, second, expected",
    [
        ((56, 70), (48, 80), (0.0528, 0.3382)),
        ((9, 10), (3, 10), (0.1700, 0.8406)),
        ((6, 7), (2, 7), (0.0342, 0.8534)),
        ((5, 56), (0, 29), (-0.0326, 0.1933)),
        ((0, 10), (0, 20), (-0.1658, 0.2844)),
        ((10, 10), (0, 20), (0.7156, 1.0)),
    ],
)
def test_miettinen_and_nurminen_of_a_difference(first, second, expected):
    """Differences of two shares have the limits of Newcombe (1998), Statistics in Medicine 17:873, table II."""
    found = hs.compare(of(*first), of(*second), "recall", method="miettinen_nurminen")
    assert (found.low, found.high) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("trials", [(10, 10), (7, 47), (20, 30)])
def test_two_perfect_samples_do_not_differ(trials):
    """Where every case is a success in both samples the score at no difference is 0: p = 1, and 0 is inside."""
    found = hs.compare(*(of(each, each) for each in trials), "recall", method="miettinen_nurminen")
    assert found.p_value == 1
    assert found.low < found.value == 0 < found.high


@pytest.mark.parametrize("contrast, theirs", [("ratio", "ratio"), ("odds_ratio", "odds-ratio")])
@pytest.mark.parametrize("counts", [(42, 47, 38, 47), (3, 20, 9, 30), (1, 10, 2, 300)])
def test_miettinen_and_nurminen_of_a_ratio_equals_statsmodels(contrast, theirs, counts):
    """Ratios and odds ratios of two shares have statsmodels' score limits."""
    with np.errstate(all="ignore"):
        expected = confint_proportions_2indep(*counts, method="score", compare=theirs)
    found = hs.compare(of(*counts[:2]), of(*counts[2:]), "recall", contrast=contrast, method="miettinen_nurminen")
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("contrast", ["difference", "ratio", "odds_ratio"])
@pytest.mark.parametrize("counts", [(42, 47, 38, 47), (20, 20, 15, 20), (5, 12, 9, 40)])
def test_miettinen_and_nurminen_limits_are_where_the_score_reaches_its_quantile(contrast, counts):
    """At each limit the score, with the likeliest shares found by a search, is 1.96 standard errors from 0."""
    x1, n1, x0, n0 = counts
    if contrast == "odds_ratio" and x1 == n1:
        return  # infinite
    found = hs.compare(of(x1, n1), of(x0, n0), "recall", contrast=contrast, method="miettinen_nurminen")

    def other(p, value):
        if contrast == "odds_ratio":
            return p * value / (1 - p + p * value)
        return p + value if contrast == "difference" else p * value

    for limit in (found.low, found.high):
        ends = {"difference": (max(0, -limit), min(1, 1 - limit)), "ratio": (0, min(1, 1 / limit))}.get(
            contrast, (0, 1)
        )

        def unlikely(p, limit=limit):
            shares = np.clip([other(p, limit), p], 1e-15, 1 - 1e-15)
            return -stats.binom.logpmf([x1, x0], [n1, n0], shares).sum()

        second = optimize.minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        first = other(second, limit)
        variances = first * (1 - first) / n1, second * (1 - second) / n0
        scale = (n1 + n0) / (n1 + n0 - 1)
        if contrast == "odds_ratio":
            parts = n1 * first * (1 - first), n0 * second * (1 - second)
            score = (x1 - n1 * first) * np.sqrt((1 / parts[0] + 1 / parts[1]) / scale)
        else:
            factor = 1 if contrast == "difference" else limit
            gap = x1 / n1 - (x0 / n0 + limit if contrast == "difference" else x0 / n0 * limit)
            score = gap / np.sqrt((variances[0] + factor**2 * variances[1]) * scale)
        assert abs(score) == pytest.approx(1.959964, abs=1e-4)


def test_miettinen_and_nurminen_of_weighted_and_clustered_cases():
    """Weights of any scale give one interval; copies of cases in clusters give about that of the cases."""
    weight = RNG.uniform(0.5, 2, 300)

    def compared(metric="accuracy", take=slice(None), **columns):
        tables = (hs.confusion(TRUTH[take], SAID[name][take], **columns) for name in ("A", "C"))
        return hs.compare(*tables, metric, method="miettinen_nurminen")

    small, large = compared(sample_weight=weight), compared(sample_weight=1000 * weight)
    assert (small.low, small.high, small.p_value) == pytest.approx((large.low, large.high, large.p_value), rel=1e-6)
    copies = np.repeat(np.arange(300), 3)
    plain, clustered = compared(), compared(take=copies, groups=copies)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=0.003)
    assert 0 < clustered.p_value < 1
    groups = [hs.confusion(TRUTH, SAID[name], by=np.arange(300) % 2) for name in ("A", "C")]
    by_group = hs.compare(*groups, "recall", method="miettinen_nurminen")
    assert all(each.low <= each.value <= each.high for each in by_group.values())


def few_clusters(first, second):
    """Return two tables of 40 cases in a given number of clusters, none for independent cases."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    said = [np.where(rng.random(40) < right, truth, 1 - truth) for right in (0.8, 0.6)]
    columns = [{"groups": np.arange(40) % number} if number else {} for number in (first, second)]
    return [hs.confusion(truth, each, **more) for each, more in zip(said, columns, strict=True)]


@pytest.mark.parametrize(
    "metric, contrast, method",
    [
        ("accuracy", "difference", "miettinen_nurminen"),
        ("accuracy", "ratio", "miettinen_nurminen"),
        ("accuracy", "odds_ratio", "miettinen_nurminen"),
        ("accuracy", "difference", "mover"),
        ("balanced_accuracy", "difference", "mover"),
    ],
)
def test_few_clusters_leave_the_p_value_to_the_interval(metric, contrast, method):
    """The p-value is below 1 minus the level where the interval leaves out the null value, and intervals widen."""
    null, width = (0 if contrast == "difference" else 1), 0.0
    for level in (0.95, 0.999):
        found = hs.compare(*few_clusters(2, 2), metric, contrast=contrast, method=method, confidence_level=level)
        assert (found.p_value < 1 - level) == (not found.low <= null <= found.high)
        assert found.low < found.value < found.high
        assert found.high - found.low >= width
        width = found.high - found.low


def test_one_cluster_is_the_reason_for_no_limits():
    """With a single cluster there is a value, with a reason for missing limits and p-value."""
    found = hs.compare(*few_clusters(1, None), "accuracy", method="miettinen_nurminen")
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert "single cluster" in found.reason


def test_what_miettinen_and_nurminen_refuse():
    """F1 is not a plain proportion, and models on the same cases are not independent samples."""
    with pytest.raises(hs.HowsureError, match="two shares of different cases"):
        hs.compare(EXAMPLE, EXAMPLE, "f1", method="miettinen_nurminen")
    with pytest.raises(hs.HowsureError, match="two shares of different cases"):
        hs.compare(hs.paired(TRUTH, SAID), "accuracy", a="A", b="B", method="miettinen_nurminen")
