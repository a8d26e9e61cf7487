"""Metrics of a known distribution of the scores, against integrals taken another way."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import howsure as hs
from howsure.curves.thresholds import confusion_along, errors_along, on_counts
from howsure.designs.distribution import ScoreDistribution
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.tables.counts import ConfusionCounts

THRESHOLDS = [*np.linspace(0.05, 0.95, 19), 1e-6, 0.003, 0.999, 1 - 1e-6, 0.0, 1.0]


class Square:
    """F(x) = x², given by its distribution function alone."""

    @staticmethod
    def cdf(x):
        """Return F."""
        return np.clip(x, 0.0, 1.0) ** 2


def beta_sums(a, b):
    """Return functions of the threshold: positive cases and all cases above it, by quadrature with the exact weight."""

    def above(t, power):
        whole = special.beta(a, b)
        if t == 0:
            return special.beta(a + power, b) / whole
        if t == 1:
            return 0.0
        part = integrate.quad(lambda y: y ** (a - 1 + power), t, 1, weight="alg", wvar=(0, b - 1), epsabs=1e-13)
        return part[0] / whole

    return lambda t: above(t, 1), lambda t: above(t, 0)


def square_sums():
    """Return the same for F(x) = x², whose density is 2x."""
    return lambda t: 2 * (1 - t**3) / 3, lambda t: 1 - t**2


CASES = {
    "uniform": (stats.uniform(), beta_sums(1, 1)),
    "square": (Square(), square_sums()),
    "beta(0.2, 0.3)": (stats.beta(0.2, 0.3), beta_sums(0.2, 0.3)),
    "beta(2, 3)": (stats.beta(2, 3), beta_sums(2, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_tables_equal_quadrature(name):
    """The expected table equals independent quadrature to 1e-9, from one boundary to the other and in both tails."""
    distribution, (positive, every) = CASES[name]
    scores = hs.calibrated(distribution)
    plain = hs.calibrated(distribution.cdf)  # no closed form, no upper tail
    prevalence = positive(0.0)
    for threshold in THRESHOLDS:
        tp, called = positive(threshold), every(threshold)
        expected = [[1 - called - (prevalence - tp), called - tp], [prevalence - tp, tp]]
        for table in (scores, plain):
            assert table.at(threshold).counts == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_metrics_equal_quadrature(name):
    """Accuracy, precision, recall and F1 at thresholds 0.05 … 0.95 are those of the integrals, to 1e-9."""
    distribution, (positive, every) = CASES[name]
    scores, prevalence = hs.calibrated(distribution), positive(0.0)
    for threshold in np.linspace(0.05, 0.95, 19):
        tp, called = positive(threshold), every(threshold)
        fn = prevalence - tp
        expected = {
            "accuracy": tp + (1 - called) - fn,
            "precision": tp / called,
            "recall": tp / prevalence,
            "f1": 2 * tp / (called + prevalence),
        }
        for metric, value in expected.items():
            estimate = hs.estimate(scores, metric, threshold=threshold)
            assert estimate.value == pytest.approx(value, abs=1e-9)
            assert np.isnan(estimate.low)
            assert estimate.reason == "exact; assumes calibrated scores of this distribution"


def by_quantiles(a, b):
    """Return AUC, AP, Brier score and log loss of Beta scores as integrals over their quantiles, from both ends.

    Gauss's rule on panels that halve towards the ends; near 1 it is 1 − y whose quantiles have all digits.
    """
    prevalence = a / (a + b)
    ends = np.concatenate([[0.0], 0.5 ** np.arange(60.0, 0.0, -1)])
    points, weights = np.polynomial.legendre.leggauss(30)
    nodes = ends[:-1, None] + np.diff(ends)[:, None] / 2 * (1 + points)
    score, other = stats.beta(a, b).ppf(nodes), stats.beta(b, a).ppf(nodes)

    def mean(function):
        values = function(nodes, 1 - nodes, score, 1 - score) + function(1 - nodes, nodes, 1 - other, other)
        return float(np.diff(ends) / 2 @ (values @ weights))

    def below(y, rest):
        return prevalence * np.where(y < 0.5, special.betainc(a + 1, b, y), special.betaincc(b, a + 1, rest))

    def above(y, rest):
        return prevalence * np.where(y < 0.5, special.betaincc(a + 1, b, y), special.betainc(b, a + 1, rest))

    return {
        "roc_auc": mean(lambda u, v, y, rest: y * (u - below(y, rest))) / (prevalence * (1 - prevalence)),
        "average_precision": mean(lambda u, v, y, rest: y * above(y, rest) / v) / prevalence,
        "brier_score": mean(lambda u, v, y, rest: y * rest),
        "log_loss": mean(lambda u, v, y, rest: special.entr(y) + special.entr(rest)),
    }


@pytest.mark.parametrize("a, b", [(1, 1), (2, 3), (0.2, 0.3), (5, 1.5)])
def test_areas_equal_integrals_over_quantiles(a, b):
    """ROC AUC, average precision, Brier score and log loss agree with integrals over quantiles, to 1e-9."""
    for metric, value in by_quantiles(a, b).items():
        assert hs.estimate(hs.calibrated(stats.beta(a, b)), metric).value == pytest.approx(value, abs=1e-9)


def test_areas_of_the_uniform_distribution_are_known():
    """Uniform scores have ROC AUC and average precision 5/6, Brier score 1/6 and log loss 1/2."""
    found = hs.evaluate(hs.calibrated(stats.uniform()), ["roc_auc", "average_precision", "brier", "log_loss"])
    assert list(found.values()) == pytest.approx([5 / 6, 5 / 6, 1 / 6, 1 / 2], abs=1e-12)


@pytest.mark.thorough
def test_a_mixture_is_the_mixture_of_its_tables():
    """Tables of a mixture, with gaps and kinks in its density, are the weighted sums of its parts' tables."""
    parts = stats.beta(2, 3), stats.uniform(0.2, 0.3), stats.beta(4, 2, loc=0.5, scale=0.4)
    weights = 0.3, 0.5, 0.2
    mixture = hs.calibrated(lambda x: sum(w * part.cdf(x) for w, part in zip(weights, parts, strict=True)))
    for threshold in (0.0, 0.1, 0.2, 0.37, 0.5, 0.55, 0.83, 0.9, 1.0):
        expected = sum(w * hs.calibrated(part).at(threshold).counts for w, part in zip(weights, parts, strict=True))
        assert mixture.at(threshold).counts == pytest.approx(expected, abs=1e-9)


def test_a_function_of_one_number_serves():
    """A distribution function that takes one number at a time gives the same as one of arrays."""
    alone = ScoreDistribution(lambda x: 0.0 if x < 0 else min(float(x), 1.0) ** 2)
    assert alone.cells(np.array(0.3)) == pytest.approx(ScoreDistribution(Square()).cells(np.array(0.3)), abs=1e-14)


def test_thresholds_beyond_the_scores_leave_nobody_on_one_side():
    """Below all scores all cases are positive, above them none is, and precision then is undefined with the reason."""
    scores = hs.calibrated(stats.beta(2, 3))
    assert scores.at(-np.inf).counts == pytest.approx(np.array([[0, 0.6], [0, 0.4]]), abs=1e-12)
    assert scores.at(np.inf).counts == pytest.approx(np.array([[0.6, 0], [0.4, 0]]), abs=1e-12)
    estimate = hs.estimate(scores, "precision", threshold=np.inf)
    assert np.isnan(estimate.value)
    assert "no prediction of the class" in estimate.reason


@pytest.mark.parametrize(
    "wrong, words",
    [
        (stats.norm(), "mass 0.5 below 0"),
        (lambda x: 2 * np.asarray(x), "from 0 to 2"),
        (lambda x: np.nan * np.asarray(x), "from nan"),
        (stats.uniform(0, 2), "mass 0.5 above 1"),
        (stats.bernoulli(0.5), "atom at 0"),
        (lambda x: 0.5 * (np.asarray(x) >= 0.3) + 0.5 * np.clip(x, 0, 1), "atom at 0.3"),
        (lambda x: np.where(np.asarray(x) < 0, 0.0, 0.5 + 0.5 * np.cos(np.asarray(x) * 7.0)), "above 1"),
        (lambda x: np.clip(np.asarray(x) + 0.3 * np.sin(4 * np.pi * np.asarray(x)), 0, 1), "must rise"),
    ],
)
def test_what_is_no_distribution_of_scores_is_refused(wrong, words):
    """Mass outside [0, 1], atoms and functions that fall are named."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.calibrated(wrong)


@pytest.mark.thorough
def test_samples_converge_at_the_rate_of_the_root():
    """The error of a sample of scores shrinks by four when the sample grows sixteenfold."""
    rng, distribution = np.random.default_rng(5), stats.beta(2, 3)
    exact = {metric: hs.estimate(hs.calibrated(distribution), metric, threshold=0.4).value for metric in ("f1", "mcc")}
    for metric, value in exact.items():
        errors = []
        for n in (250, 4000):
            found = []
            for _ in range(150):
                table = hs.calibrated(distribution.rvs(n, random_state=rng)).at(0.4)
                found.append(float(resolve(metric, table)(table.counts)))
            errors.append(np.sqrt(np.mean((np.array(found) - value) ** 2)))
        # The ratio of two root mean squares of 150 each has a relative error of about 1/sqrt(150).
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)


def test_curves_go_through_the_exact_points():
    """The points of the ROC curve and of curves along thresholds are the exact tables' at their thresholds."""
    scores = hs.calibrated(stats.beta(0.2, 0.3))
    roc = hs.roc_curve(scores, band="none")
    along = hs.threshold_curves(scores, "f1", band="none")["f1"]
    for index in (1, 300, 1100, len(roc.x) - 1):
        table = scores.at(roc["threshold"][index])
        assert roc["tpr"][index] == pytest.approx(hs.estimate(table, "recall").value, abs=1e-9)
        assert roc["fpr"][index] == pytest.approx(1 - hs.estimate(table, "specificity").value, abs=1e-9)
        assert along["value"][index] == pytest.approx(hs.estimate(table, "f1").value, abs=1e-9)


def test_errors_along_thresholds_are_those_of_the_table_at_each():
    """With `n` future cases the standard error at each threshold of a curve is that of the exact table there."""
    scores = hs.calibrated(stats.beta(2, 3), n=200)
    metric = on_counts("f1", scores)
    thresholds, cells = confusion_along(scores)
    index = np.arange(100, len(thresholds) - 100, 200)
    for place, error in zip(index, errors_along(metric, scores, cells[index], index), strict=True):
        table = scores.at(thresholds[place])
        assert error == pytest.approx(standard_error(resolve("f1", table), table), rel=1e-6)


@pytest.mark.thorough
def test_new_batches_fall_in_their_prediction_intervals():
    """With `n` the interval covers the nominal share of labelled batches drawn from the distribution."""
    rng, n, repeats = np.random.default_rng(7), 300, 20_000
    table = hs.calibrated(stats.beta(2, 3), n=n).at(0.4)
    score = rng.beta(2, 3, (repeats, n))
    label = rng.random((repeats, n)) < score
    called = score >= 0.4
    cells = [((label == i) & (called == j)).sum(1) for i, j in np.ndindex(2, 2)]
    tables = np.stack(cells, -1).reshape(-1, 2, 2)
    for metric in ("accuracy", "f1", "precision", "mcc"):
        estimate = hs.estimate(table, metric)
        values = resolve(metric, table)(ConfusionCounts(tables))
        assert np.mean((estimate.low <= values) & (values <= estimate.high)) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize(
    "distribution", [stats.beta(2, 3, loc=0.1, scale=0.7), stats.uniform(loc=0.2, scale=0.5)], ids=["beta", "uniform"]
)
def test_scores_of_a_part_of_the_range_have_the_tables_of_their_integrals(distribution):
    """Moved and scaled, Beta and uniform scores have positive cases below each threshold by quadrature of y f(y)."""
    scores = ScoreDistribution(distribution)
    for threshold in (0.05, 0.3, 0.55, 0.69, 0.79, 0.9):
        below = integrate.quad(lambda y: y * distribution.pdf(y), 0, threshold, points=[0.1, 0.2, 0.7, 0.8])[0]
        under = distribution.cdf(threshold)
        expected = [[under - below, 1 - under - (distribution.mean() - below)], [below, distribution.mean() - below]]
        assert scores.cells(np.array(threshold)) == pytest.approx(np.array(expected), abs=1e-9)


def test_a_density_estimate_is_cut_to_the_range_of_scores():
    """For a kernel density estimate, the part within [0, 1] is the whole, also with weights and blocks of kernels."""
    rng = np.random.default_rng(2)
    points, weights = rng.beta(2, 1, 50), rng.uniform(0.5, 2, 50)
    density = stats.gaussian_kde(points, weights=weights)
    width = float(np.sqrt(density.covariance[0, 0]))
    share = weights / weights.sum()

    def whole(y):
        return float(stats.norm.cdf((y - points) / width) @ share)

    scores = ScoreDistribution(density)
    assert whole(0.0) > 1e-4
    assert whole(1.0) < 1 - 1e-2
    for threshold in (0.0, 0.2, 0.5, 0.93, 1.0):
        expected = (whole(threshold) - whole(0.0)) / (whole(1.0) - whole(0.0))
        assert float(scores.below(np.array(threshold))) == pytest.approx(expected, abs=1e-12)


def test_the_last_panel_ends_at_one():
    """The panels cover [0, 1]: their edges increase from 0 to 1, and F's integral over them is 1 minus its mean."""
    panels = ScoreDistribution(Square()).panels
    assert (panels.edges[0], panels.edges[-1]) == (0, 1)
    assert (np.diff(panels.edges) > 0).all()
    assert panels.total == pytest.approx(1 / 3, abs=1e-14)
    assert panels.at_nodes == pytest.approx(panels.nodes**3 / 3, abs=1e-14)


SHAPES = {"cube": lambda x: x**3, "root": np.sqrt, "step": lambda x: 1 / (1 + np.exp(-25 * (x - 0.4)))}


@pytest.mark.parametrize("shape", SHAPES)
def test_panels_resolve_a_function_in_every_part(shape):
    """Integrals up to thresholds in every panel, at its edges too, and of products are those of quadrature."""
    function = SHAPES[shape]
    start, end = function(0.0), function(1.0)
    scores = ScoreDistribution(lambda x: np.clip((function(np.clip(x, 0.0, 1.0)) - start) / (end - start), 0.0, 1.0))
    thresholds = np.concatenate([[0.0, 1e-9, 0.2, 0.25, 0.5, 0.77, 1.0], scores.panels.edges[1:-1:7]])
    expected = [
        integrate.quad(lambda y: (function(y) - start) / (end - start), 0, at, epsabs=1e-12)[0] for at in thresholds
    ]
    assert scores._integral(thresholds) == pytest.approx(np.array(expected), abs=1e-9)
    panels = scores.panels
    square = integrate.quad(lambda y: ((function(y) - start) / (end - start)) ** 2, 0, 1, epsabs=1e-12)[0]
    assert panels.integral(panels.values**2) == pytest.approx(square, abs=1e-9)
    edges = scores.edges()
    assert (edges[0], edges[-1]) == (0, 1)
    assert (np.diff(edges) > 0).all()
    assert np.diff(scores.below(edges)).max() < 0.01
    assert np.diff(edges).max() < 0.01
