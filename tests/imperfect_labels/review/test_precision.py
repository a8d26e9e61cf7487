"""Precision after a review: the founding text's model, by draws and by quadrature."""

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, special, stats

import howsure as hs
from howsure.imperfect_labels.review import precision
from howsure.imperfect_labels.review.beta_nodes import jacobi_nodes, stepped_nodes

REVIEW = {"reviewed_tp": 100, "mislabelled_tp": 5, "reviewed_fp": 80, "mislabelled_fp": 21}
TEXT_PRIORS = {"prior_tp": (1.4, 1.8), "prior_fp": (1, 10)}  # "Precision confidence interval …", 2018


def distribution_by_adaptive_quadrature(model, point):
    """Write the model down again: the mean over both rates of the Beta distribution function."""
    of_tp, of_fp = model.rates["tp"], model.rates["fp"]
    (a, b), (c, d) = of_tp.args, of_fp.args
    constant = special.betaln(a, b) + special.betaln(c, d)

    def integrand(fp_rate, tp_rate):  # plain Python numbers, since it is evaluated a hundred thousand times
        actual = model.tp * (1 - tp_rate) + model.fp * fp_rate
        inside = special.betainc(actual + 1, model.tp + model.fp - actual + 1, point)
        log_tp = (a - 1) * math.log(tp_rate) + (b - 1) * math.log1p(-tp_rate)
        log_fp = (c - 1) * math.log(fp_rate) + (d - 1) * math.log1p(-fp_rate)
        return inside * math.exp(log_tp + log_fp - constant)

    ends = [(rate.ppf(1e-9), rate.ppf(1 - 1e-9)) for rate in (of_tp, of_fp)]
    return integrate.dblquad(integrand, *ends[0], *ends[1], epsabs=1e-7, epsrel=1e-7)[0]


def metropolis(model, size, seed):
    """Walk over (rate of TP, rate of FP, precision) by their joint density, as an independent check."""
    rng = np.random.default_rng(seed)
    walkers, cases = 400, model.tp + model.fp
    at = np.stack([rng.uniform(0.05, 0.15, walkers), rng.uniform(0.2, 0.4, walkers), rng.uniform(0.6, 0.9, walkers)])
    shapes = [
        (model.mislabelled_tp + model.prior_tp[0], model.reviewed_tp - model.mislabelled_tp + model.prior_tp[1]),
        (model.mislabelled_fp + model.prior_fp[0], model.reviewed_fp - model.mislabelled_fp + model.prior_fp[1]),
    ]

    def log_density(point):
        tp_rate, fp_rate, precision = point
        actual = model.tp * (1 - tp_rate) + model.fp * fp_rate
        return (
            stats.beta.logpdf(tp_rate, *shapes[0])
            + stats.beta.logpdf(fp_rate, *shapes[1])
            + stats.beta.logpdf(precision, actual + 1, cases - actual + 1)
        )

    kept, here = [], log_density(at)
    steps = np.array([[0.03], [0.06], [0.03]])
    for turn in range(size):
        there = at + steps * rng.standard_normal(at.shape)
        value = log_density(there)
        moves = np.log(rng.random(walkers)) < value - here
        at, here = np.where(moves, there, at), np.where(moves, value, here)
        if turn >= size // 4:
            kept.append(at[2])
    return np.array(kept)


@pytest.mark.parametrize("priors", [{}, TEXT_PRIORS, {"prior_tp": (0.5, 0.5), "prior_fp": (2, 30)}])
@pytest.mark.parametrize("point", [0.62, 0.77])
def test_distribution_agrees_with_adaptive_quadrature(priors, point):
    """The distribution function equals two-dimensional adaptive quadrature to 1e-6, also under the text's priors."""
    model = hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW, **priors)
    assert float(model.distribution(point)) == pytest.approx(
        distribution_by_adaptive_quadrature(model, point), abs=1e-6
    )


def test_draws_and_quadrature_give_the_same_limits():
    """Draws agree with the quadrature within their Monte Carlo error, for the text's priors too."""
    for priors in ({}, TEXT_PRIORS):
        settings = {**REVIEW, **priors, "n_draws": 200_000, "random_state": 3}
        drawn = hs.labels.reviewed_precision(400, 150, **settings)
        exact = hs.labels.reviewed_precision(400, 150, **settings, method="quadrature")
        assert drawn.low == pytest.approx(exact.low, abs=0.001)
        assert drawn.high == pytest.approx(exact.high, abs=0.001)
        assert drawn.value == exact.value == pytest.approx(drawn.draws.mean(), abs=4 * drawn.standard_error / 400)
        assert exact.standard_error == pytest.approx(drawn.draws.std(), rel=0.01)
        assert exact.summary().median == pytest.approx(
            hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW, **priors).quantile(0.5), abs=0.001
        )


def test_limits_are_quantiles():
    """The limits of the quadrature have the stated probability to 1e-8, and the density integrates to it."""
    model = hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW)
    estimate = hs.labels.reviewed_precision(400, 150, **REVIEW, method="quadrature", confidence_level=0.9)
    assert model.distribution([estimate.low, estimate.high]) == pytest.approx([0.05, 0.95], abs=1e-8)
    assert not estimate.reason
    inside = integrate.quad(lambda x: float(model.density(x)), estimate.low, estimate.high)[0]
    assert inside == pytest.approx(0.9, abs=1e-7)


@pytest.mark.parametrize("priors", [pytest.param({}, marks=pytest.mark.thorough), TEXT_PRIORS])
def test_an_independent_random_walk_agrees(priors):
    """A Metropolis walk over the model's joint density gives the same mean and limits."""
    model = hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW, **priors)
    walk = metropolis(model, 600, 5)
    error = walk.mean(0).std(ddof=1) / np.sqrt(walk.shape[1])
    assert model.mean == pytest.approx(walk.mean(), abs=4 * error)
    for probability in (0.025, 0.975):
        each = np.quantile(walk, probability, axis=0)
        assert float(model.distribution(np.quantile(walk, probability))) == pytest.approx(probability, abs=0.004), each


@pytest.mark.slow
def test_pymc_agrees():
    """PyMC's sampler gives the same mean and limits."""
    model = hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW, **TEXT_PRIORS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings between its dependencies
        pymc = pytest.importorskip("pymc")
        with pymc.Model():
            of_tp = pymc.Beta("of_tp", 5 + 1.4, 95 + 1.8)
            of_fp = pymc.Beta("of_fp", 21 + 1, 59 + 10)
            actual = 400 * (1 - of_tp) + 150 * of_fp
            pymc.Beta("precision", actual + 1, 550 - actual + 1)
            trace = pymc.sample(5000, tune=1000, chains=4, random_seed=1, progressbar=False)
    sampled = trace.posterior["precision"].to_numpy().ravel()
    assert sampled.mean() == pytest.approx(model.mean, abs=0.001)
    assert model.distribution(np.quantile(sampled, [0.025, 0.975])) == pytest.approx([0.025, 0.975], abs=0.005)


def test_a_huge_faultless_review_gives_the_plain_posterior():
    """With every case reviewed and none wrong the model tends to Beta(TP + 1, FP + 1), Goutte and Gaussier's."""
    plain = stats.beta(4001, 1501)
    gaps = []
    for scale in (1, 100, 10_000):
        # Counts stay at 4000 and 1500, with the prior worth as many faultless reviews.
        model = hs.results.ReviewedPrecision(
            tp=4000,
            fp=1500,
            reviewed_tp=4000,
            mislabelled_tp=0,
            reviewed_fp=1500,
            mislabelled_fp=0,
            prior_tp=(1, 4000 * scale),
            prior_fp=(1, 1500 * scale),
        )
        gaps.append(abs(float(model.distribution(plain.ppf(0.3))) - 0.3))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-4


def test_rates_before_and_after():
    """The mislabelling rates are the Beta distributions of the text: prior (1.4, 1.8) and (1, 10), then updated."""
    model = hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW, **TEXT_PRIORS)
    assert model.prior_rates["tp"].mean() == pytest.approx(1.4 / 3.2)
    assert model.prior_rates["fp"].mean() == pytest.approx(1 / 11)
    assert model.rates["tp"].mean() == pytest.approx(6.4 / 103.2)
    assert model.rates["fp"].mean() == pytest.approx(22 / 91)
    assert model.mean == pytest.approx((400 * (1 - 6.4 / 103.2) + 150 * 22 / 91 + 1) / 552)


@pytest.mark.thorough
def test_a_reliable_prior_narrows_the_interval():
    """As in the text: a prior certain of few mislabelled false positives moves and narrows the interval."""
    review = {"reviewed_tp": 10, "mislabelled_tp": 1, "reviewed_fp": 10, "mislabelled_fp": 1}
    uniform = hs.labels.reviewed_precision(400, 150, **review, method="quadrature")
    informed = hs.labels.reviewed_precision(400, 150, **review, **TEXT_PRIORS, method="quadrature")
    assert informed.high - informed.low < uniform.high - uniform.low


def test_nodes_average_as_the_beta_distribution():
    """Gauss–Jacobi nodes give every moment up to their degree, for shapes from U to needle."""
    for a, b in ((0.5, 0.5), (0.3, 0.7), (1, 1), (1.4, 1.8), (2000, 3), (1e5, 2e5)):
        nodes, weights = jacobi_nodes(a, b, 16)
        moments = np.cumprod([(a + k) / (a + b + k) for k in range(12)])
        for power, moment in enumerate(moments, 1):
            assert weights @ nodes**power == pytest.approx(moment, rel=1e-10)


@pytest.mark.parametrize("scale", [10**3, 10**5])
@pytest.mark.parametrize("priors", [{}, TEXT_PRIORS, {"prior_tp": (0.5, 0.5), "prior_fp": (2, 30)}])
def test_large_counts_are_as_exact_as_small_ones(scale, priors):
    """With up to a million cases, a step between the nodes, the distribution function is accurate to 1e-8."""
    model = hs.results.ReviewedPrecision(tp=10 * scale, fp=3 * scale, **REVIEW, **priors)
    # A dense grid of both rates, evenly spaced in normal scores: far from elegant, and independent of the nodes.
    size = {10**3: 200, 10**5: 720}[scale]  # the more cases, the steeper is the step that it must resolve
    scores = (np.arange(size) + 0.5) / size * 12.6 - 6.3
    weights = stats.norm.pdf(scores) / stats.norm.pdf(scores).sum()
    of_tp, of_fp = (rate.ppf(stats.norm.cdf(scores)) for rate in model.rates.values())
    actual = model.tp * (1 - of_tp[:, None]) + model.fp * of_fp
    point = model.mean + 0.3 * model.standard_deviation
    rest = model.tp + model.fp - actual
    expected = weights @ special.betainc(actual + 1, rest + 1, point) @ weights
    assert float(model.distribution(point)) == pytest.approx(expected, abs=1e-8)


def test_nodes_at_a_step_average_steps_and_bumps():
    """For any width and place of a step, its mean is the Beta probability below it."""
    for a, b in ((0.5, 0.5), (1, 1), (6, 96), (0.2, 40), (2000, 3)):
        for probability in (1e-3, 0.03, 0.6, 0.999):
            middle = stats.beta(a, b).ppf(probability)
            width = 1e-4 * middle * (1 - middle)
            nodes, weights = stepped_nodes(a, b, middle, width)
            below = stats.norm.sf(nodes, middle, width)  # a smooth step; its error against a sharp one is second order
            assert weights.sum() == pytest.approx(1, abs=1e-12)
            assert weights @ below == pytest.approx(probability, rel=1e-6)


@pytest.mark.thorough
def test_counts_beyond_the_quadrature_are_said(monkeypatch):
    """If nothing is known of a million labels the nodes do not resolve the rates, and the estimate has a note."""
    settings = {"reviewed_tp": 0, "mislabelled_tp": 0, "reviewed_fp": 0, "mislabelled_fp": 0, "method": "quadrature"}
    monkeypatch.setattr(precision, "MOST_NARROW_NODES", 64)  # faster, and no better
    unknown = {"prior_tp": (0.5, 0.5), "prior_fp": (0.5, 0.5), "n_draws": 100}
    assert "only good to" in hs.labels.reviewed_precision(10**6, 10**6, **settings, **unknown).reason
    assert hs.results.ReviewedPrecision(tp=10**6, fp=10**5, **REVIEW).quadrature_change([0.85, 0.9]) < 1e-10


@pytest.mark.parametrize(
    "change, words",
    [
        ({"mislabelled_tp": 101}, "`mislabelled_tp` is 101, more than the 100"),
        ({"reviewed_fp": 151}, "`reviewed_fp` is 151, more than the 150"),
        ({"reviewed_tp": -1}, "`reviewed_tp` is -1"),
        ({"mislabelled_fp": 1.5}, "`mislabelled_fp` is 1.5"),
        ({"mislabelled_fp": float("nan")}, "`mislabelled_fp` is nan"),
        ({"prior_tp": (0, 1)}, "`prior_tp` is (0, 1)"),
        ({"prior_fp": 3}, "`prior_fp` is 3"),
        ({"method": "mcmc"}, "no method 'mcmc'"),
        ({"mislabelled_tp": "5"}, "`mislabelled_tp` is '5'"),
        ({"n_draws": 1}, "`n_draws` must be a whole number of at least 2 and at most 100,000,000, not 1"),
        ({"n_draws": 0.5}, "at most 100,000,000, not 0.5"),
    ],
)
def test_impossible_reviews_are_refused(change, words):
    """Numbers that cannot be are refused by name."""
    with pytest.raises(hs.HowsureError) as error:
        hs.labels.reviewed_precision(400, 150, **(REVIEW | change))
    assert words in str(error.value)


def test_no_prediction_is_refused():
    """If no case is predicted positive, precision is undefined."""
    with pytest.raises(hs.HowsureError, match="undefined"):
        hs.labels.reviewed_precision(0, 0, reviewed_tp=0, mislabelled_tp=0, reviewed_fp=0, mislabelled_fp=0)


def test_points_outside_the_range_are_answered():
    """Below 0 and above 1 the distribution function is 0 and 1 and the density 0; nan stays nan."""
    model = hs.results.ReviewedPrecision(tp=40, fp=15, reviewed_tp=9, mislabelled_tp=1, reviewed_fp=8, mislabelled_fp=2)
    points = np.array([-1, 0, 1, 2, np.nan])
    np.testing.assert_allclose(model.distribution(points), [0, 0, 1, 1, np.nan], atol=1e-12)
    np.testing.assert_allclose(model.density(points)[[0, 3, 4]], [0, 0, np.nan])
    assert float(model.distribution(0.7)) == model.distribution([0.7])[0]
    with pytest.raises(hs.HowsureError, match="from 0 to 1"):
        model.quantile(2)


@pytest.mark.parametrize("tp, fp", [(3, 2), (40, 7)])
@pytest.mark.parametrize("priors", [{}, TEXT_PRIORS])
def test_mean_and_spread_are_those_of_the_distribution(tp, fp, priors):
    """The closed forms are the integrals of 1 − F and of 2 x (1 − F), of few cases above all."""
    review = {"reviewed_tp": 3, "mislabelled_tp": 1, "reviewed_fp": 2, "mislabelled_fp": 1}
    model = hs.results.ReviewedPrecision(tp=tp, fp=fp, **review, **priors)
    points, weights = np.polynomial.legendre.leggauss(80)
    at = (1 + points) / 2
    upper = (1 - model.distribution(at)) / 2
    mean, square = weights @ upper, weights @ (2 * at * upper)
    assert model.mean == pytest.approx(mean, rel=1e-5)
    assert model.standard_deviation == pytest.approx(math.sqrt(square - mean**2), rel=1e-5)


@pytest.mark.parametrize("probability", [0.0, 1e-40, 1e-9, 0.3, 1 - 1e-9, 1.0])
def test_quantiles_are_found_to_the_ends(probability):
    """The distribution function at the quantile is the probability, far out in both tails too."""
    model = hs.results.ReviewedPrecision(tp=40, fp=7, reviewed_tp=20, mislabelled_tp=5, reviewed_fp=5, mislabelled_fp=1)
    found = model.quantile(probability)
    assert 0 <= found <= 1
    assert float(model.distribution(found)) == pytest.approx(probability, rel=1e-3, abs=1e-10)
    if probability in {0.0, 1.0}:
        assert found == pytest.approx(probability, abs=1e-6) or float(model.distribution(found)) == probability


@pytest.mark.parametrize("probability", [-0.01, 1.01, math.nan])
def test_what_is_no_probability_has_no_quantile(probability):
    """It is refused by its value."""
    with pytest.raises(hs.HowsureError, match="Give one from 0 to 1"):
        hs.results.ReviewedPrecision(tp=400, fp=150, **REVIEW).quantile(probability)
