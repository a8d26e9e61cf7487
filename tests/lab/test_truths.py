"""Populations: their values follow from formulas, and their studies have the stated variances."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import howsure as hs
from howsure.lab.truths import balanced, concentrated, skewed
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table

SHARES = np.array([[0.3, 0.05, 0.05], [0.02, 0.25, 0.03], [0.1, 0.0, 0.2]])
CELLS = hs.lab.Cells(SHARES, 60)
RIGHT = 0.75  # the diagonal's sum
SIZE = 4000


def accuracies(truth, size=SIZE):
    """Return the accuracy in drawn studies."""
    tables = truth.tables(size, np.random.default_rng(0))
    return np.trace(tables.counts, axis1=1, axis2=2) / tables.counts.sum((1, 2))


@pytest.mark.parametrize(
    "truth, variance",
    [
        (CELLS, RIGHT * (1 - RIGHT) / 60),
        # Moore and Tsiatis's design effect of equal clusters, 1 + (size - 1) icc
        (hs.lab.Clustered(SHARES, 12, 5, 0.3), RIGHT * (1 - RIGHT) / 60 * (1 + 4 * 0.3)),
        # Kish's effect of weights, 1 + their squared coefficient of variation, to first order
        (hs.lab.WeightedCases(hs.lab.Cells(SHARES, 600), 0.5), RIGHT * (1 - RIGHT) / 600 * 1.25),
    ],
    ids=lambda each: type(each).__name__,
)
def test_studies_vary_as_their_design_says(truth, variance):
    """The accuracy of studies has the true one as mean, and the variance of the design."""
    found = accuracies(truth)
    assert truth.value("accuracy") == pytest.approx(RIGHT)
    assert found.mean() == pytest.approx(RIGHT, abs=4 * np.sqrt(variance / SIZE))
    assert found.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / SIZE))


def test_fixed_totals_do_not_vary():
    """Class totals are in proportion to the prevalence, in whole cases; the true values are those at these totals."""
    truth = hs.lab.FixedTotals(hs.lab.Cells(SHARES, 50))
    counts = truth.tables(100, np.random.default_rng(0)).counts
    assert (counts.sum(-1) == [20, 15, 15]).all()  # 0.4, 0.3 and 0.3 of 50
    assert truth.value("recall@macro") == pytest.approx((0.3 / 0.4 + 0.25 / 0.3 + 0.2 / 0.3) / 3)


def test_a_classifier_that_is_right_equally_often():
    """Every class has the accuracy as recall, and its errors fall to the classes after it by the given shares."""
    truth = hs.lab.Cells.of(100, 0.9, skewed(4), concentrated(3))
    prevalence = np.array([12, 6, 4, 3]) / 25  # 1, 1/2, 1/3, 1/4, over their sum
    np.testing.assert_allclose(truth.shares.sum(-1), prevalence)
    np.testing.assert_allclose(np.diagonal(truth.shares), 0.9 * prevalence)
    np.testing.assert_allclose(truth.shares[1, [2, 3, 0]], 0.1 * prevalence[1] * np.array([0.8, 0.1, 0.1]))
    np.testing.assert_allclose(balanced(4), 0.25)


@pytest.mark.parametrize("groups, weights", [(False, False), (True, False), (False, True), (True, True)])
def test_studies_of_a_table_keep_its_design(groups, weights):
    """Clusters and weights are drawn from the table's own; the variance of studies is that of the bootstrap."""
    rng = np.random.default_rng(5)
    y_true = rng.integers(0, 2, 90)
    y_pred = np.where(rng.random(90) < 0.8, y_true, 1 - y_true)
    given = {"groups": rng.integers(0, 15, 90)} if groups else {}
    given |= {"sample_weight": rng.choice([0.5, 1.0, 3.0], 90)} if weights else {}
    table = hs.confusion(y_true, y_pred, **given)
    tables = hs.lab.Repeated(table).tables(SIZE, np.random.default_rng(0))
    assert type(tables.design) is type(table.design)
    resampled = table.design.resample(table.cells, SIZE, np.random.default_rng(1))
    for cell in range(4):
        own, other = tables.cells[:, cell], resampled[:, cell]
        assert own.mean() == pytest.approx(other.mean(), abs=6 * other.std() / np.sqrt(SIZE))
        assert own.std() == pytest.approx(other.std(), rel=0.1)
    # The design of a batch is that of its tables.
    both, alone = (
        hs.methods.Delta().interval(resolve("mcc", each), each, 0.95) for each in (tables, select_table(tables, 7))
    )
    assert (both.low[7], both.high[7]) == pytest.approx((alone.low, alone.high))


def test_studies_of_a_table_with_fixed_margins():
    """Class totals of the table stay, or are scaled to another number of cases."""
    table = hs.from_counts([[50, 3], [5, 42]]).with_design(hs.designs.FixedMargins())
    for n, totals in ((None, [53, 47]), (200, [106, 94])):
        counts = hs.lab.Repeated(table, n).tables(50, np.random.default_rng(0)).counts
        assert (counts.sum(-1) == totals).all()


def test_paired_models_keep_their_margins():
    """The joint table has the models' tables as margins, for any dependence of their errors."""
    first = hs.lab.Cells.of(100, 0.9, skewed(3), balanced(2))
    second = hs.lab.Cells.of(100, 0.8, skewed(3), concentrated(2))
    for together in (0.0, 0.5, 1.0):
        truth = hs.lab.PairedModels(first.shares, second.shares, together, 100)
        np.testing.assert_allclose(truth.shares.sum(2), first.shares, atol=1e-12)
        np.testing.assert_allclose(truth.shares.sum(1), second.shares, atol=1e-12)
        assert truth.value("accuracy") == pytest.approx(0.1)
    # The worse model fails wherever the better one does: 0.8 of the cases are right for both, none for the worse alone.
    right = np.eye(3)[:, :, None] * truth.shares, np.eye(3)[:, None, :] * truth.shares
    assert (right[0] * np.eye(3)[:, None, :]).sum() == pytest.approx(0.8)


def test_ratio_of_separate_models():
    """A metric of two models is the requested contrast."""
    first, second = (hs.lab.Cells.of(n, a, balanced(2), balanced(1)) for n, a in ((50, 0.9), (80, 0.6)))
    assert hs.lab.SeparateModels(first, second, "ratio").value("accuracy") == pytest.approx(1.5)
    found = hs.lab.coverage("accuracy", truth=hs.lab.SeparateModels(first, second), draws=4000, random_state=0)
    assert found.true_value == pytest.approx(0.3)
    assert found.coverage == pytest.approx(0.95, abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("auc", [0.6, 0.9])
def test_true_values_of_binormal_scores(auc):
    """Area, average precision, Brier score and log loss are those of the two densities, by quadrature."""
    truth, share = hs.lab.BinormalScores(auc, 30, 70), 0.3
    distance = truth.distance
    assert special.ndtr(distance / np.sqrt(2)) == pytest.approx(auc)
    positive, negative = stats.norm(distance), stats.norm()

    def integral(function):
        return integrate.quad(function, -9, 9 + distance, limit=200)[0]

    def probability(x):
        return share * positive.pdf(x) / (share * positive.pdf(x) + (1 - share) * negative.pdf(x))

    def precision(x):
        return share * positive.sf(x) / (share * positive.sf(x) + (1 - share) * negative.sf(x))

    def expected(loss):  # of the probability, for positive and for negative cases
        return integral(
            lambda x: (
                share * positive.pdf(x) * loss(1 - probability(x))
                + (1 - share) * negative.pdf(x) * loss(probability(x))
            )
        )

    assert truth.value("roc_auc") == pytest.approx(integral(lambda x: positive.pdf(x) * negative.cdf(x)), abs=1e-6)
    assert truth.value("average_precision") == pytest.approx(
        integral(lambda x: positive.pdf(x) * precision(x)), abs=1e-4
    )
    assert truth.value("brier_score") == pytest.approx(expected(np.square), abs=1e-6)
    assert truth.value("log_loss") == pytest.approx(expected(lambda wrong: -np.log1p(-wrong)), abs=1e-6)


def test_calibrated_scores_have_no_calibration_error():
    """With default intercept and slope scores are probabilities; a shift of the log-odds gives an error."""
    calibrated, shifted = (hs.lab.BinormalScores(0.8, 50, 50, intercept=each) for each in (0.0, 1.0))
    assert calibrated.value("ece") == pytest.approx(0, abs=1e-9)
    assert shifted.value("ece") > 0.1
    assert shifted.value("roc_auc") == pytest.approx(0.8, abs=1e-6)


def test_rounded_scores_are_calibrated_and_tied():
    """Scores of few levels have ties, which cost area, and stay calibrated."""
    truth = hs.lab.BinormalScores(0.8, 50, 50, levels=6)
    assert truth.value("ece+bins=100") == pytest.approx(0, abs=1e-9)
    assert 0.7 < truth.value("roc_auc") < 0.8
    assert truth.tables(10, np.random.default_rng(0)).counts.shape == (10, 6, 2)


def test_intervals_of_an_area_cover_it():
    """The interval for an area of continuous scores covers close to its level."""
    found = hs.lab.coverage("roc_auc", truth=hs.lab.BinormalScores(0.8, 30, 30, levels=30), draws=2000, random_state=0)
    assert found.method == "delong_score"
    assert found.coverage == pytest.approx(0.95, abs=0.02)


def test_scores_without_labels():
    """The population's precision is the mean score above the threshold, and intervals from samples cover it."""
    truth = hs.lab.UnlabelledScores(2, 3, 0.5, 100)
    scores = stats.beta(2, 3)
    above = integrate.quad(lambda s: s * scores.pdf(s), 0.5, 1)[0] / scores.sf(0.5)
    assert truth.value("precision") == pytest.approx(above)
    found = hs.lab.coverage("precision", truth=truth, draws=100, random_state=0)
    assert found.coverage == pytest.approx(0.95, abs=4 * found.coverage_error)


@pytest.mark.thorough
def test_reviewed_labels():
    """The true value is that of the right labels, which intervals of corrected tables cover and recorded ones miss."""
    truth = hs.lab.ReviewedLabels(hs.lab.Cells([[50, 5], [5, 40]], 300), 0.2, 150)
    found = hs.lab.coverage("accuracy", truth=truth, draws=60, random_state=0)
    assert found.true_value == pytest.approx(0.9)
    assert found.coverage == pytest.approx(0.95, abs=4 * found.coverage_error)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: hs.lab.Cells([[1, 2, 3]], 10), "`shares` holds a probability"),
        (lambda: hs.lab.Cells(SHARES, 0), "`n` must be a whole number"),
        (lambda: hs.lab.Clustered(SHARES, 5, 5, 1.0), "`icc` is a correlation"),
        (lambda: hs.lab.BinormalScores(1.0, 5, 5), "`auc` lies between 0 and 1"),
        (lambda: hs.lab.BinormalScores(0.8, 5, 5, slope=0), "`slope` is positive"),
        (lambda: hs.lab.PairedModels(SHARES, SHARES.T, 0.5, 10), "the same sums"),
        (lambda: hs.lab.PairedModels(SHARES, SHARES, 2, 10), "`together` lies from 0 to 1"),
        (lambda: hs.lab.UnlabelledScores(1, 1, 1.0, 10), "`threshold` lies between 0 and 1"),
        (lambda: hs.lab.ReviewedLabels(CELLS, 1.0, 10), "`wrong` is a share"),
        (lambda: hs.lab.ReviewedLabels(CELLS, 0.1, 61), "`reviews` must be a whole number"),
    ],
)
def test_impossible_truths_are_refused(make, words):
    """Invalid probabilities, numbers of cases and correlations give a one-line error."""
    with pytest.raises(hs.HowsureError, match=words):
        make()
