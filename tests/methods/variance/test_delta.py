"""The delta method has the published closed forms as special cases, in every design."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core.inversion import p_values
from howsure.methods.core.standard_errors import _errors, standard_error
from howsure.methods.numerics.confidence_levels import Level
from howsure.methods.variance.delta import normal_intervals
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side
from howsure.tables.counts import ConfusionCounts

RNG = np.random.default_rng(12)
TABLES = [RNG.integers(1, 40, (k, k)) + np.diag(RNG.integers(20, 90, k)) for k in (2, 3, 3, 5, 8)]


def error(metric, counts):
    """Return the delta-method standard error."""
    table = hs.from_counts(counts)
    return standard_error(resolve(metric, table), table)


@pytest.mark.parametrize("counts", TABLES, ids=[f"{len(each)} classes, {i}" for i, each in enumerate(TABLES)])
class TestPublishedForms:
    """Closed forms of Takahashi et al. (2022) and of the derivations for macro recall, macro precision, binary F1."""

    def test_micro_f1_is_accuracy(self, counts):
        """Var(micro F1) = a (1 - a) / n."""
        n, a = counts.sum(), np.trace(counts) / counts.sum()
        for metric in ("f1@micro", "precision@micro", "recall@micro", "accuracy"):
            assert error(metric, counts) == pytest.approx(np.sqrt(a * (1 - a) / n), rel=1e-10)

    def test_macro_f1(self, counts):
        """Takahashi's variance of macro F1, written over the cells' probabilities."""
        p, size, n = counts / counts.sum(), len(counts), counts.sum()
        rows, columns, hits = p.sum(1), p.sum(0), np.diag(p)
        total, f1 = rows + columns, 2 * np.diag(p) / (p.sum(1) + p.sum(0))
        within = sum(f1[i] * (total[i] - 2 * hits[i]) / total[i] ** 2 * ((total[i] - 2 * hits[i]) / total[i] + f1[i] / 2) for i in range(size))  # fmt: skip
        across = sum(
            p[i, j] * f1[i] * f1[j] / (total[i] * total[j]) for i in range(size) for j in range(size) if i != j
        )
        variance = 2 / size**2 * (within + across) / n
        assert error("f1@macro", counts) == pytest.approx(np.sqrt(variance), rel=1e-10)

    def test_macro_recall(self, counts):
        """Independent binomial recalls: the variance is the mean of R (1 - R) / P over K."""
        rows = counts.sum(1)
        recall = np.diag(counts) / rows
        variance = (recall * (1 - recall) / rows).sum() / len(counts) ** 2
        assert error("recall@macro", counts) == pytest.approx(np.sqrt(variance), rel=1e-10)
        assert error("balanced_accuracy", counts) == pytest.approx(np.sqrt(variance), rel=1e-10)

    def test_macro_precision(self, counts):
        """The same by columns."""
        columns = counts.sum(0)
        precision = np.diag(counts) / columns
        variance = (precision * (1 - precision) / columns).sum() / len(counts) ** 2
        assert error("precision@macro", counts) == pytest.approx(np.sqrt(variance), rel=1e-10)

    def test_one_class_f1(self, counts):
        """g_tp = 2 (1 - F) / d, g_fp = g_fn = -F / d with d = 2 tp + fp + fn."""
        tp, fn, fp, _ = (float(part) for part in ConfusionCounts(counts).outcomes(1))
        d = 2 * tp + fp + fn
        f1 = 2 * tp / d
        variance = tp * (2 * (1 - f1) / d) ** 2 + (fp + fn) * (f1 / d) ** 2
        assert error("f1@binary+positive_class=1", counts) == pytest.approx(np.sqrt(variance), rel=1e-10)

    def test_kappa(self, counts):
        """Fleiss, Cohen and Everitt's (1969) large-sample variance of kappa."""
        p, n = counts / counts.sum(), counts.sum()
        rows, columns = p.sum(1), p.sum(0)
        observed, expected = np.trace(p), (rows * columns).sum()
        k = (observed - expected) / (1 - expected)
        a = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - k)) ** 2 for i in range(len(p)))
        b = (1 - k) ** 2 * sum(
            p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(len(p)) for j in range(len(p)) if i != j
        )
        c = (k - expected * (1 - k)) ** 2
        assert error("kappa", counts) == pytest.approx(np.sqrt((a + b - c) / (1 - expected) ** 2 / n), rel=1e-9)


def test_logarithms_of_ratios_have_textbook_errors():
    """Log DOR: sum of reciprocals; log LR+: 1/tp - 1/P + 1/fp - 1/N."""
    counts = np.array([[80, 12], [9, 33]])
    (tn, fp), (fn, tp) = counts
    assert error("log_dor", counts) == pytest.approx(np.sqrt((1 / counts).sum()))
    assert error("log_plr", counts) == pytest.approx(np.sqrt(1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn)))
    estimate = hs.estimate(hs.from_counts(counts), "dor", method="delta")
    z = stats.norm.ppf(0.975)
    value = tp * tn / (fp * fn)
    half = z * np.sqrt((1 / counts).sum())
    assert [estimate.low, estimate.high] == pytest.approx([value * np.exp(-half), value * np.exp(half)])


def test_scales():
    """Bounded metrics are on the logit scale (Fisher's z for [-1, 1]), Wald is plain."""
    table = hs.from_counts([[80, 12], [9, 33]])
    metric = resolve("mcc", table)
    value, se, z = float(metric(table.counts)), standard_error(metric, table), stats.norm.ppf(0.975)
    fisher = np.tanh(np.arctanh(value) + np.array([-1, 1]) * z * se / (1 - value**2))
    found = hs.estimate(table, "mcc", method="delta")
    assert [found.low, found.high] == pytest.approx(fisher)
    wald = hs.estimate(table, "mcc", method="wald")
    assert [wald.low, wald.high] == pytest.approx([value - z * se, value + z * se])


class TestDesigns:
    """Variances of each design against literal formulas and repeated studies."""

    def test_whole_number_weights_are_squared(self):
        """A weight w on a case adds w² g², not w g²."""
        rng = np.random.default_rng(0)
        true, predicted, weight = rng.integers(0, 3, 500), rng.integers(0, 3, 500), rng.integers(1, 5, 500)
        table = hs.confusion(true, predicted, sample_weight=weight)
        gradient = rng.normal(size=(3, 3))
        expected = (weight**2 * gradient[true, predicted] ** 2).sum()
        assert table.variance(gradient) == pytest.approx(expected)

    def test_fixed_margins_are_narrower_for_accuracy(self):
        """With fixed class sizes, accuracy varies only within the classes."""
        counts = np.array([[95, 5], [30, 20]])
        table = hs.from_counts(counts).with_design(hs.designs.FixedMargins())
        recalls, rows = np.diag(counts) / counts.sum(1), counts.sum(1)
        expected = np.sqrt((rows * recalls * (1 - recalls)).sum()) / counts.sum()
        assert hs.estimate(table, "accuracy", method="wald").standard_error == pytest.approx(expected)

    def test_fixed_margins_as_arithmetic(self):
        """For any metric: within each class, the variance of the slopes over its predictions, times its cases."""
        counts = np.array([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
        table = hs.from_counts(counts).with_design(hs.designs.FixedMargins())
        for metric in ("f1@macro", "mcc", "precision@weighted", "kappa", "mse"):
            slopes = resolve(metric, table).gradient(ConfusionCounts(counts))
            variance = sum(
                (row * g**2).sum() - (row * g).sum() ** 2 / row.sum() for row, g in zip(counts, slopes, strict=True)
            )
            assert hs.estimate(table, metric, method="wald").standard_error == pytest.approx(np.sqrt(variance))

    def test_clusters_as_arithmetic(self):
        """``G / (G - 1)`` times the sum of the clusters' squared totals of slopes."""
        rng = np.random.default_rng(8)
        true, group = rng.integers(0, 3, 240), rng.integers(0, 17, 240)
        predicted = np.where(rng.random(240) < 0.7, true, rng.integers(0, 3, 240))
        table = hs.confusion(true, predicted, groups=group)
        for metric in ("f1@macro", "mcc", "kappa", "mae"):
            slopes = resolve(metric, table).gradient(ConfusionCounts(table.counts))
            totals = [slopes[true[group == each], predicted[group == each]].sum() for each in range(17)]
            expected = np.sqrt(17 / 16 * np.sum(np.square(totals)))
            assert hs.estimate(table, metric, method="wald").standard_error == pytest.approx(expected)

    @pytest.mark.parametrize("design", ["simple", "fixed", "weighted"])
    def test_agree_with_repeated_studies(self, design):
        """The standard error is the scatter of each metric over repetitions of the study as it was designed."""
        rng = np.random.default_rng(9)
        confused = np.array([[0.8, 0.15, 0.05], [0.1, 0.75, 0.15], [0.05, 0.25, 0.7]])
        prevalence, rows, studies = np.array([0.5, 0.3, 0.2]), 600, 1500
        # For the likelihood ratio use the logarithm: the ratio is too skewed for its standard error to describe its
        # spread.
        metrics = ("accuracy", "f1@macro", "mcc", "precision@macro", "f1@weighted", "log_plr@binary+positive_class=0")

        if design == "simple":
            joint = (prevalence[:, None] * confused).ravel()
            tables = hs.from_counts(rng.multinomial(rows, joint, studies).reshape(-1, 3, 3)).stack
        elif design == "fixed":
            numbers = np.round(rows * prevalence).astype(int)
            counts = [rng.multinomial(number, row, studies) for number, row in zip(numbers, confused, strict=True)]
            tables = hs.from_counts(np.stack(counts, 1)).stack.with_design(hs.designs.FixedMargins())
        else:
            true = rng.choice(3, rows * studies, p=prevalence)
            predicted = (rng.random(true.size)[:, None] > confused.cumsum(1)[true]).sum(1)
            weight = rng.choice([1.0, 2.0, 8.0], true.size) * np.where(true == 2, 3, 1)
            study = np.repeat(np.arange(studies), rows)
            tables = hs.confusion(true, predicted, sample_weight=weight, by=study).stack
        for spec in metrics:
            metric = resolve(spec, tables)
            errors = standard_error(metric, tables)
            assert errors.shape == (studies,)
            assert np.mean(errors) == pytest.approx(np.std(metric(tables.counts)), rel=0.08), spec

    @pytest.mark.parametrize("metric", ["prevalence@binary+positive_class=1", "prevalence@max", "prevalence@min"])
    @pytest.mark.parametrize("method", [None, "delta", "fieller", "bootstrap_percentile", "bootstrap_bca"])
    def test_what_the_design_fixes_has_no_interval(self, metric, method):
        """With fixed class sizes, the prevalence is not estimated: nan, and the reason."""
        table = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]]).with_design(hs.designs.FixedMargins())
        if method == "fieller" and "binary" not in metric:
            return
        estimate = hs.estimate(table, metric, method=method, random_state=0)
        assert np.isnan([estimate.low, estimate.high]).all()
        assert "does not vary" in estimate.reason

    def test_a_perfect_class_of_fixed_size_has_an_interval(self):
        """No error in a class of fixed size does not mean that none can happen."""
        table = hs.from_counts([[40, 0], [0, 25]]).with_design(hs.designs.FixedMargins())
        for metric in ("accuracy", "mcc", "f1", "recall@macro", "precision"):
            for method in (None, "delta"):
                estimate = hs.estimate(table, metric, method=method)
                assert 0.6 < estimate.low < 0.98
                assert estimate.high == pytest.approx(1)

    def test_clusters_agree_with_repeated_studies(self):
        """The clustered standard error is the scatter of the metric over 400 studies with new patients."""
        rng = np.random.default_rng(5)
        patient = np.repeat(np.arange(400 * 150), 6)
        skill, true = rng.beta(6, 2, 400 * 150), rng.integers(0, 3, patient.size)
        predicted = np.where(rng.random(patient.size) < skill[patient], true, (true + 1) % 3)
        tables = hs.confusion(true, predicted, groups=patient, by=patient // 150)
        for metric in ("accuracy", "f1@macro", "mcc", "balanced_accuracy"):
            found = hs.estimate(tables, metric, method="wald")
            assert found.standard_error.shape == (400,)
            assert found.standard_error.mean() == pytest.approx(found.value.std(), rel=0.1), metric
            middle = found.value.mean()
            assert np.mean((found.low <= middle) & (middle <= found.high)) == pytest.approx(0.95, abs=0.035), metric

    def test_a_single_cluster_has_no_interval(self):
        """One cluster shows no variation between clusters: nan, with the reason."""
        table = hs.confusion([0, 1, 1, 0], [0, 1, 0, 0], groups=["a"] * 4)
        for metric in ("accuracy", "mcc", "f1@macro"):
            estimate = hs.estimate(table, metric)
            assert np.isnan(estimate.low)
            assert "single cluster" in estimate.reason

    def test_few_clusters_widen_by_students_quantile(self):
        """With six clusters the quantile is that of Student's t with five degrees of freedom."""
        rng = np.random.default_rng(1)
        true = rng.integers(0, 2, 120)
        predicted = np.where(rng.random(120) < 0.75, true, 1 - true)
        table = hs.confusion(true, predicted, groups=np.repeat(np.arange(6), 20))
        estimate = hs.estimate(table, "accuracy", method="wald")
        assert (estimate.high - estimate.low) / (2 * estimate.standard_error) == pytest.approx(stats.t.ppf(0.975, 5))


def test_effective_counts_of_weighted_proportions():
    """Equal weights give Wilson's interval of the cases; half the cases with double weight a wider one."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 2, 400)
    predicted = np.where(rng.random(400) < 0.8, true, 1 - true)
    plain = hs.estimate(hs.confusion(true, predicted), "recall")
    equal = hs.estimate(hs.confusion(true, predicted, sample_weight=np.full(400, 7.0)), "recall")
    assert [equal.low, equal.high] == pytest.approx([plain.low, plain.high], abs=1e-9)
    uneven = hs.estimate(hs.confusion(true, predicted, sample_weight=np.where(np.arange(400) % 2, 1.0, 9.0)), "recall")
    assert uneven.high - uneven.low > 1.15 * (plain.high - plain.low)


def test_a_metric_without_a_derivative_says_so():
    """The root mean square error of a perfect table is 0, where a root has no derivative."""
    perfect = hs.from_counts([[50, 0], [0, 42]])
    found = hs.estimate(perfect, "rmse", method="wald")
    assert found.value == 0
    assert np.isnan([found.low, found.high]).all()
    assert "no derivative" in found.reason
    assert hs.estimate(perfect, "rmse", method="delta").high > 0


def mean_losses(truth, score):
    """Return Brier score and log loss of each case."""
    return {"brier_score": (truth - score) ** 2, "log_loss": -np.log(np.where(truth == 1, score, 1 - score))}


@pytest.mark.parametrize("spec", ["brier_score", "log_loss"])
def test_a_metric_of_scores_has_students_t(spec):
    """The degrees of freedom are Satterthwaite's, from the classes' sizes and the tails of case contributions."""
    rng = np.random.default_rng(2)
    score = rng.beta(1, 4, 60)
    truth = (rng.random(60) < score).astype(int)
    losses = mean_losses(truth, score)[spec]
    value, own = losses.mean(), (losses - losses.mean()) / 60
    squares = np.array([(own[truth == side] ** 2).sum() for side in (0, 1)])
    welch = squares.sum() ** 2 / (squares**2 / (np.bincount(truth) - 1)).sum()
    half = stats.t.ppf(0.975, min(welch, 2 * squares.sum() ** 2 / (own**4).sum())) * np.sqrt(squares.sum())
    found = hs.estimate(hs.scores(truth, score), spec, method="delta")
    if spec == "log_loss":
        expected = value * np.exp([-half / value, half / value])
    else:
        expected = stats.logistic.cdf(np.log(value / (1 - value)) + np.array([-1, 1]) * half / (value * (1 - value)))
    assert (found.low, found.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("spec", ["brier_score", "log_loss", "average_precision"])
def test_few_positives_are_covered(spec):
    """About 12 positives among 120, scores calibrated: at least 92 % of 1,000 samples."""
    rng = np.random.default_rng(1)
    score = (np.arange(100) + 0.5) / 100
    share = stats.beta(0.7, 6.3).pdf(score)  # mean 0.1
    chance = np.stack([share * (1 - score), share * score], -1)
    chance /= chance.sum()
    one = hs.scores([0, 1] * 50, score)
    table = replace(one, counts=rng.multinomial(120, chance.ravel(), size=1000).reshape(-1, 100, 2).astype(float))
    metric = resolve(spec, table)
    found = hs.methods.Delta().interval(metric, table, 0.95)
    truth = float(metric(chance))
    assert np.mean((found.low <= truth) & (truth <= found.high)) > 0.92 - 2.5 * np.sqrt(0.92 * 0.08 / 1000)


def test_weights_of_one_and_scale_change_nothing():
    """Equal weights of any scale have the degrees of freedom of the cases; Wald's interval is the normal one."""
    rng = np.random.default_rng(3)
    score = rng.random(40)
    truth = (rng.random(40) < score).astype(int)
    plain = hs.estimate(hs.scores(truth, score), "brier_score")
    heavy = hs.estimate(hs.scores(truth, score, sample_weight=np.full(40, 7.0)), "brier_score")
    assert (heavy.low, heavy.high) == pytest.approx((plain.low, plain.high))
    wald = hs.estimate(hs.scores(truth, score), "brier_score", method="wald")
    assert (wald.high - wald.low) / 2 == pytest.approx(stats.norm.ppf(0.975) * wald.standard_error)


@pytest.mark.parametrize("variance, error", [(-4e-63, 0.0), (0.0, 0.0), (4e-6, 2e-3), (-1e-6, np.nan)])
def test_a_variance_that_rounding_left_below_zero_is_zero(variance, error):
    """A sum that cancels may be negative by rounding: the error is then 0, and nan only for larger values."""
    table = hs.from_counts([[5, 1], [2, 7]])
    found = _errors(resolve("mcc", table), table, table.counted, lambda _: np.array(variance))
    assert found == pytest.approx(error, nan_ok=True)


@pytest.mark.parametrize("z", [1.0, 1.96, 3.0])
def test_limits_of_estimated_counts_have_the_variance_of_cases_at_the_limit(z):
    """The variance of n cases with known labels is a share's there, and the rest is that of the labels."""
    table = hs.labels.corrected(hs.from_counts([[70, 6], [4, 40]]), sensitivity=0.95, specificity=0.97)
    metric = resolve("accuracy", table)
    value, error = float(metric(table.counted)), float(standard_error(metric, table))
    cases = np.maximum(table.cells, 0)
    slopes = (np.eye(2).ravel() - value) / table.cells.sum()
    sampled = min(table.cells.sum() / table.rows * float(cases @ slopes**2), error**2)
    plain = value - z * error, value + z * error
    found = normal_intervals(metric, table)._of_estimated_counts(z)
    for limit, other, sign in zip(found, plain, (-1, 1), strict=True):
        assert (limit - other) * sign >= -1e-12
        if abs(limit - other) > 1e-9:
            at_limit = sampled * limit * (1 - limit) / (value * (1 - value))
            assert (value - limit) ** 2 == pytest.approx(z**2 * (error**2 - sampled + at_limit), rel=1e-9)
    assert found[0] < plain[0] - 1e-4


def scored(rows, seed=0, **design):
    """Return a table of two models' scores."""
    rng = np.random.default_rng(seed)
    truth = np.arange(rows) % 2
    return hs.paired_scores(truth, {"A": truth + rng.normal(size=rows), "B": rng.normal(size=rows)}, **design)


def several():
    """Return tables of two models as one batch: a model that is always right, models that agree, and others."""
    rng = np.random.default_rng(1)
    truth = np.arange(60) % 3
    models = {"A": truth, "B": truth.copy(), "C": rng.integers(0, 3, 60), "D": (truth + (np.arange(60) > 50)) % 3}
    table = hs.paired(truth, models, check=False)
    return next(table.batches_of_pairs([*combinations(table.models, 2)]))[1]


def of_pair(table, effect):
    """Return the contrast of two models' metrics as a metric of their table, by its name and effect."""
    name, kind = effect
    sides = (Side(each, resolve(name, table.model(each)), table.view(each)) for each in table.models)
    return contrast_metric(EFFECTS[kind], *sides)


GROUPS = np.arange(200) // 4
NOISY = hs.labels.corrected(hs.from_counts([[70, 6], [4, 40]]), sensitivity=0.95, specificity=0.97)
QUESTIONS = {
    "logit": ("mcc", hs.from_counts([[50, 3], [5, 42]])),
    "logarithm": ("odds_ratio", hs.from_counts([[50, 3], [5, 42]])),
    "no errors": ("mcc", hs.from_counts([[50, 0], [0, 42]])),
    "undefined": ("mcc", hs.from_counts([[50, 0], [0, 0]])),
    "few clusters": ("f1", hs.confusion(GROUPS % 2, np.arange(200) % 3 == 0, groups=GROUPS // 10)),
    "one cluster": ("f1", hs.confusion([1, 0, 1, 1], [1, 0, 0, 1], groups=[1, 1, 1, 1])),
    "estimated counts": ("accuracy", NOISY),
    "estimated counts, a wider range": ("mcc", NOISY),
    "estimated counts, no bound": ("odds_ratio", NOISY),
    "areas": (("roc_auc", "difference"), scored(200)),
    "ratio of areas": (("roc_auc", "ratio"), scored(40)),
    "areas in clusters": (("roc_auc", "difference"), scored(200, groups=GROUPS)),
    "a batch": (("f1@macro", "difference"), several()),
    "a batch of ratios": (("f1@macro", "ratio"), several()),
}


@pytest.mark.parametrize("method", [hs.methods.Delta(), hs.methods.Delta("identity"), hs.methods.Wald()], ids=str)
@pytest.mark.parametrize("question", QUESTIONS)
def test_p_values_in_closed_form_are_those_of_the_limits(question, method):
    """A p-value is 1 minus the level at which a limit is the null value, as a search over levels finds it."""
    asked, table = QUESTIONS[question]
    metric = resolve(asked, table) if isinstance(asked, str) else of_pair(table, asked)
    value, intervals = np.asarray(metric(table.counted)), method.at_levels(metric, table)

    def limits(levels):
        found = intervals(levels if value.ndim else Level(float(levels.tail)))
        return np.asarray(found.low), np.asarray(found.high)

    ends = [each for each in (*metric.range, 1.1 * metric.range[1]) if np.isfinite(each)]
    for null in (0.0, 0.3, 0.84, 0.99, 1.0, 3.0, *value.ravel()[:2], *ends):
        found, expected = intervals.p_values(value, null), p_values(limits, value, null)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("metric", ["diagnostic_odds_ratio", "lr_plus", "mcc", "fpr"])
def test_plain_normal_limits_stay_within_the_range(metric):
    """Wald's limits, and those on the identity scale, are value ± z · error, cut at the ends of the metric's range."""
    table = hs.from_counts([[18, 1], [1, 2]])
    found = hs.estimate(table, metric, method="wald")
    half = stats.norm.ppf(0.975) * found.standard_error
    low, high = found.bounds
    assert (found.low, found.high) == pytest.approx((max(found.value - half, low), min(found.value + half, high)))
    assert found.value - half < low or found.value + half > high
    plain = hs.estimate(table, metric, method=hs.methods.Delta("identity"))
    assert low <= plain.low < plain.high <= high


@pytest.mark.parametrize("contrast", ["ratio", "odds_ratio"])
def test_plain_normal_limits_of_ratios_are_not_negative(contrast):
    """Ratios of two models have a range too, at which Wald's limits end."""
    first, second = hs.from_counts([[50, 3], [5, 6]]), hs.from_counts([[40, 13], [2, 3]])
    assert hs.compare(first, second, "precision", contrast=contrast, method="wald").low == 0
