"""Ranking metrics equal scikit-learn's, have exact gradients, and refuse unsupported input."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.roc import average_precision, average_precision_slopes, partial_auc, roc_auc
from howsure.tables.counts import Counts
from support.files import rows_of


def sample(seed):
    """Return truth, tied scores and, for odd seeds, weights (some zero)."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 150))
    truth = (rng.random(size) < rng.uniform(0.15, 0.8)).astype(int)
    truth[:2] = 0, 1
    score = np.round(rng.normal(truth * rng.uniform(-0.5, 3)), int(rng.integers(0, 4)))
    weight = np.round(rng.exponential(size=size), 1) if seed % 2 else None
    if weight is not None:
        weight[:2] = 1.0
    return truth, score, weight


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 100), marks=pytest.mark.thorough)])
def test_values_equal_scikit_learns(seeds):
    """AUC, partial AUC and average precision equal scikit-learn's on a hundred data sets with ties and weights."""
    for seed in seeds:
        truth, score, weight = sample(seed)
        table = hs.scores(truth, score, sample_weight=weight)
        value = lambda spec: float(resolve(spec, table)(table.counts))  # noqa: B023, E731
        settings = {"sample_weight": weight}
        assert value("roc_auc") == pytest.approx(sk.roc_auc_score(truth, score, **settings), abs=1e-12)
        assert value("ap") == pytest.approx(sk.average_precision_score(truth, score, **settings), abs=1e-12)
        for limit in (0.05, 0.3, 0.77):
            expected = sk.roc_auc_score(truth, score, max_fpr=limit, **settings)
            assert value(f"roc_auc+max_fpr={limit}") == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("limit", [0.1, 0.37, 0.5, 0.9, 1.0])
def test_the_least_area_is_that_of_classes_the_wrong_way_round(limit):
    """McClish's area has its lower bound where every positive case scores below every negative one, and ends at 1."""
    metric = resolve(f"roc_auc+max_fpr={limit}", hs.scores([0, 1], [0.1, 0.9]))
    assert metric.range[0] == pytest.approx(float(metric.value(Counts(np.array([[0.0, 5.0], [7.0, 0.0]])))), abs=1e-12)
    assert metric.range[1] == pytest.approx(float(metric.value(Counts(np.array([[7.0, 0.0], [0.0, 5.0]])))), abs=1e-12)


SPECS = (
    *("roc_auc", "average_precision", "roc_auc+max_fpr=0.13", "roc_auc+max_fpr=0.6"),
    *("roc_auc+min_tpr=0.7", "roc_auc+max_fpr=0.4+standardized=false", "roc_auc+min_tpr=0.5+standardized=false"),
)


@pytest.mark.parametrize("spec", SPECS)
def test_gradients_are_complex_step_derivatives(spec):
    """The closed-form gradients are the derivatives of the values to rounding, and sum to zero with the counts."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cells = rng.uniform(0.1, 3, (int(rng.integers(2, 15)), 2)) * (rng.random((1, 2)) < 2)
        cells[rng.integers(len(cells)), rng.integers(2)] = 0.0
        metric = resolve(spec, hs.scores([0, 1], [0.1, 0.9]))
        gradient = metric.gradient(Counts(cells))
        nudged = cells + 1e-20j * np.eye(cells.size).reshape(-1, *cells.shape)
        assert gradient.ravel() == pytest.approx(metric(nudged).imag / 1e-20, rel=1e-9, abs=1e-11)
        assert (cells * gradient).sum() == pytest.approx(0, abs=1e-10)


def test_leading_axes_are_many_tables():
    """A stack of tables gives each table's value."""
    tables = np.random.default_rng(1).integers(0, 4, (3, 5, 12, 2)).astype(float)
    for function in (roc_auc, average_precision, lambda cells: partial_auc(cells, 0.4)):
        one_by_one = [[float(function(tables[i, j])) for j in range(5)] for i in range(3)]
        assert function(tables) == pytest.approx(np.array(one_by_one))


def test_monotone_transforms_and_reversal():
    """Ranks are all that count; reversed scores give one minus the area."""
    truth, score, _ = sample(4)
    areas = [
        float(hs.estimate(hs.scores(truth, each), "roc_auc")) for each in (score, np.exp(score), 3 * score - 7, -score)
    ]
    assert areas[1:3] == pytest.approx([areas[0]] * 2)
    assert areas[3] == pytest.approx(1 - areas[0])


def test_partial_areas_equal_procs():
    """The standardised partial areas of pROC's aSAH data equal those that pROC gives."""
    rows = rows_of("asah.csv")
    truth = [row["outcome"] == "Poor" for row in rows]
    for reference in rows_of("asah_reference.csv"):
        table = hs.scores(truth, [float(row[reference["marker"]]) for row in rows])
        estimate = hs.estimate(table, "roc_auc+max_fpr=0.1")
        assert estimate.value == pytest.approx(float(reference["partial_standardised"]), abs=1e-12)
        assert estimate.low < estimate.value < estimate.high


# Miles per gallon and transmission of R's data set `mtcars` (Henderson and Velleman 1981).
MILES = [21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4, 14.7, 32.4, 30.4]
MILES += [33.9, 21.5, 15.5, 15.2, 13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4]
MANUAL = [int(each) for each in "11100000000000000111000001111111"]


def test_partial_areas_of_either_focus_equal_procs():
    """The output of pROC is 0.04779352 for specificities, and 0.02996 for sensitivities, of 0.9 to 1 for `am ~ mpg` of mtcars."""
    table = hs.scores(MANUAL, MILES)
    assert hs.estimate(table, "roc_auc+max_fpr=0.1+standardized=false").value == pytest.approx(0.04779352, abs=5e-8)
    plain = hs.estimate(table, "roc_auc+min_tpr=0.9+standardized=false")
    assert plain.value == pytest.approx(0.02996, abs=5e-6)
    standardized = hs.estimate(table, "roc_auc+min_tpr=0.9")
    assert standardized.value == pytest.approx((1 + (plain.value - 0.005) / 0.095) / 2)  # McClish
    assert standardized.standard_error == pytest.approx(plain.standard_error / 0.19)


@pytest.mark.parametrize("seed", range(10))
def test_the_area_from_a_sensitivity_is_an_integral_of_specificities(seed):
    """The area between the curve and its right edge equals the integral of the polygon, with ties and weights."""
    truth, score, weight = sample(seed)
    table = hs.scores(truth, score, sample_weight=weight)
    false, true, _ = hs.roc_curve(table, band="none")
    rises = np.flatnonzero(np.diff(true) > 0)
    at = np.linspace(0.6, 1, 200_001)[:-1] + 1e-6
    step = rises[np.searchsorted(true[rises + 1], at)]
    share = (at - true[step]) / (true[step + 1] - true[step])
    expected = 0.4 * np.mean(1 - (false[step] + share * (false[step + 1] - false[step])))
    found = hs.estimate(table, "roc_auc+min_tpr=0.6+standardized=false")
    assert found.value == pytest.approx(expected, abs=1e-5)
    assert 0 <= found.value <= 0.4


@pytest.mark.parametrize("spec", ["average_precision", "roc_auc+max_fpr=0.2", "roc_auc+min_tpr=0.7"])
@pytest.mark.parametrize("design", ["simple", "weighted", "clusters", "fixed"])
def test_delta_agrees_with_the_bootstrap(spec, design):
    """In every design the delta method's standard error is the bootstrap's, within its Monte Carlo error."""
    rng = np.random.default_rng(6)
    truth = np.repeat([0, 1], [1400, 600])
    score = np.round(rng.normal(truth * 1.4), 2)
    extra = {
        "weighted": {"sample_weight": rng.integers(1, 5, 2000)},
        "clusters": {"groups": rng.integers(0, 400, 2000)},
    }
    table = hs.scores(truth, score, **extra.get(design, {}))
    if design == "fixed":
        table = table.with_design(hs.designs.FixedMargins())
    drawn = hs.estimate(table, spec, method=hs.methods.Bootstrap("percentile", 1500), random_state=2)
    assert standard_error(resolve(spec, table), table) == pytest.approx(drawn.standard_error, rel=0.07)


@pytest.mark.thorough
def test_every_drawing_method_serves():
    """Bootstrap (percentile, basic, BCa) and posterior (Bayesian bootstrap) give intervals near the delta method's."""
    rng = np.random.default_rng(9)
    truth = np.repeat([0, 1], [300, 150])
    table = hs.scores(truth, rng.normal(truth * 1.5))
    reference = hs.estimate(table, "ap")
    for method in (
        "bootstrap_percentile",
        "bootstrap_basic",
        "bootstrap_bca",
        "bayes",
        hs.methods.Dirichlet(prior="haldane"),
    ):
        estimate = hs.estimate(table, "ap", method=method, random_state=0)
        assert (estimate.low, estimate.high) == pytest.approx((reference.low, reference.high), abs=0.025)


def test_posterior_is_the_bayesian_bootstrap():
    """Without prior cases the draws of the area equal those of cases with flat Dirichlet weights."""
    rng = np.random.default_rng(12)
    truth = np.repeat([0, 1], [35, 25])
    score = np.round(rng.normal(truth), 1)
    draws = hs.estimate(hs.scores(truth, score), "roc_auc", method=hs.methods.Dirichlet(prior=0, n_draws=4000), random_state=1).draws  # fmt: skip
    shares = rng.dirichlet(np.ones(60), 4000)
    negative, positive = shares[:, truth == 0], shares[:, truth == 1]
    first, second = score[truth == 0, None], score[truth == 1]
    wins = np.einsum("di,ij,dj->d", negative, (second > first) + 0.5 * (second == first), positive)
    literal = wins / negative.sum(1) / positive.sum(1)
    assert literal[0] == pytest.approx(sk.roc_auc_score(truth, score, sample_weight=shares[0]))
    assert stats.ks_2samp(draws, literal).pvalue > 0.01
    default = hs.estimate(hs.scores(truth, score), "roc_auc", method="bayes", random_state=1)
    assert default.standard_error == pytest.approx(np.std(literal), rel=0.08)


@pytest.mark.parametrize(
    "spec, words",
    [
        ("roc_acu", "no metric 'roc_acu'. Did you mean 'roc_auc'"),
        ("roc_auc+max_frp=0.1", "no argument of `roc_auc` 'max_frp'.*'max_fpr'"),
        ("roc_auc+max_fpr=0", r"lies in \(0, 1\]"),
        ("roc_auc+min_tpr=1", r"lies in \[0, 1\)"),
        ("roc_auc+min_tpr=0.8+max_fpr=0.1", "either `max_fpr` or `min_tpr`"),
        ("partial_auc", r"'roc_auc\+max_fpr=0.1'"),
        ("roc_auc+max_fpr=x", "takes a number"),
        ("roc_auc+max_fpr", "argument=value"),
        ("f1", "at a threshold"),
        ("f1@macro", "at a threshold"),
    ],
)
def test_unknown_names_are_refused(spec, words):
    """Unknown metrics, arguments and values are refused with a hint; metrics of counts need a threshold."""
    with pytest.raises(hs.HowsureError, match=words):
        resolve(spec, hs.scores([0, 1], [0.1, 0.9]))


@pytest.mark.parametrize("metric", ["roc_auc", "roc_auc+max_fpr=0.5", "average_precision"])
def test_weighted_scores_that_separate_the_classes_have_value_one(metric):
    """If all positive cases score higher, the value is at most 1, despite rounding of sums of weights."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 40)
    for _ in range(50):
        table = hs.scores(truth, truth + rng.permutation(80) / 100, sample_weight=3 * rng.random(80))
        found = hs.estimate(table, metric, method="delta")
        assert found.value <= 1
        assert found.value == pytest.approx(1, abs=1e-12)
        assert found.low <= found.value <= found.high


def test_scores_that_no_case_has_change_no_slope_of_average_precision():
    """Above all cases the precision is none; the slopes of the other scores are those of the table without them."""
    counts = np.array([[9.0, 1], [20, 4], [7, 6], [3, 15], [2, 11]])
    slopes = average_precision_slopes(np.concatenate([counts, np.zeros((2, 2))]))
    assert np.isfinite(slopes).all()
    assert slopes[:5] == pytest.approx(average_precision_slopes(counts), rel=1e-12)
    steps = 1e-6 * np.eye(10).reshape(-1, 5, 2)
    rise = average_precision(counts + steps) - average_precision(counts - steps)
    assert slopes[:5].ravel() == pytest.approx(rise / 2e-6, abs=1e-8)
