"""Profile likelihood of two ratios of counts."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import xlogy
from scipy.stats import binom

from howsure.metrics.forms import Ratio
from howsure.requirements.profile_likelihood import bartlett_factor, deviance

SENSITIVITY = Ratio(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
SPECIFICITY = Ratio(np.array([1, 0, 0, 0]), np.array([1, 1, 0, 0]))
PRECISION = Ratio(np.array([0, 0, 0, 1]), np.array([0, 1, 0, 1]))
ACCURACY = Ratio(np.array([1, 0, 0, 1]), np.array([1, 1, 1, 1]))
F1 = Ratio(np.array([0, 0, 0, 2]), np.array([0, 1, 1, 2]))
COUNTS = [(50, 3, 5, 42), (50, 3, 0, 42), (50, 0, 0, 5), (4000, 30, 50, 900)]


def points(size=40):
    """Return random values of two rates."""
    return np.random.default_rng(0).uniform(0.5, 0.999, (2, size))


def two_sided(cases, probabilities):
    """Return the deviance of a multinomial distribution."""
    cases = np.asarray(cases, dtype=float)[:, None]
    return 2 * (xlogy(cases, cases / cases.sum()) - xlogy(cases, probabilities)).sum(0)


@pytest.mark.parametrize("counts", COUNTS)
def test_sensitivity_and_specificity_have_the_product_of_two_binomial_likelihoods(counts):
    """Positive and negative cases are independent, so their deviances add up, also without an error."""
    tn, fp, fn, tp = counts
    x, y = points()
    expected = two_sided([tp, fn], np.stack([x, 1 - x])) + two_sided([tn, fp], np.stack([y, 1 - y]))
    assert deviance(np.array(counts), SENSITIVITY, SPECIFICITY, x, y) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("counts", COUNTS)
def test_recall_and_precision_fix_the_probabilities_of_their_three_cells(counts):
    """1/x − 1 and 1/y − 1 are the ratios of misses and false alarms to hits, so the likelihood is multinomial."""
    _, fp, fn, tp = counts
    x, y = points()
    hits = 1 / (1 / x + 1 / y - 1)
    expected = two_sided([tp, fn, fp], np.stack([hits, hits * (1 / x - 1), hits * (1 / y - 1)]))
    assert deviance(np.array(counts), SENSITIVITY, PRECISION, x, y) == pytest.approx(expected, abs=1e-6)


def test_other_pairs_agree_with_a_search_over_all_cell_probabilities():
    """Accuracy and F1 leave one cell probability free, which SciPy's optimiser finds too."""
    counts, target = np.array([50.0, 3, 5, 42]), (0.88, 0.89)

    def loss(logits):
        shares = np.exp(logits) / np.exp(logits).sum()
        return -2 * (counts * np.log(shares)).sum()

    def ratios(logits):
        shares = np.exp(logits)
        return [each.numerator @ shares / (each.denominator @ shares) for each in (ACCURACY, F1)]

    constraint = {"type": "eq", "fun": lambda logits: np.subtract(ratios(logits), target)}
    found = minimize(loss, np.log(counts), constraints=[constraint], method="SLSQP", options={"ftol": 1e-12})
    expected = found.fun - loss(np.log(counts))
    assert deviance(counts, ACCURACY, F1, *np.array(target)[:, None]) == pytest.approx(expected, abs=1e-6)


def test_values_that_no_probabilities_have_are_far_away():
    """A recall of 1 is impossible after a miss."""
    assert deviance(np.array(COUNTS[0]), SENSITIVITY, SPECIFICITY, np.array([1.0]), np.array([0.9]))[0] > 50


def test_bartletts_factor_makes_the_region_of_few_positives_cover():
    """15 positives at 0.98, 285 negatives at 0.99: both rates are covered in 92.4 % by χ² alone."""
    alone = covered = total = 0.0
    for fn in range(5):
        for fp in range(13):
            chance = binom.pmf(fn, 15, 0.02) * binom.pmf(fp, 285, 0.01)
            forms = np.array([285 - fp, fp, fn, 15 - fn]), SENSITIVITY, SPECIFICITY
            found = deviance(*forms, np.array([0.98]), np.array([0.99]))[0]
            alone += chance * (found <= -2 * np.log(0.05))
            covered += chance * (found <= -2 * np.log(0.05) * bartlett_factor(*forms))
            total += chance
    assert total > 0.9999
    assert alone < 0.93
    assert covered > 0.94


def test_bartletts_factor_counts_the_cells_that_enter_the_metrics():
    """Recall and precision ignore the true negatives; many cases need no correction."""
    expected = 1 + (1 / 42.5 + 1 / 5.5 + 1 / 3.5) / 12
    assert bartlett_factor(np.array(COUNTS[0]), SENSITIVITY, PRECISION) == pytest.approx(expected)
    assert bartlett_factor(np.array(COUNTS[0]) * 10_000, SENSITIVITY, PRECISION) == pytest.approx(1, abs=1e-5)
