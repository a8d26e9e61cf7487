"""The binomial-normal model against metafor's published fits, and against quadrature and optimisers of another kind."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import howsure as hs
from howsure.pooling.binomial_normal import BinomialNormal
from howsure.pooling.likelihood import Likelihood

# Catheter infections of 18 trials (Niel-Weise, Stijnen, van den Broek 2007, Intensive Care Medicine 33, 2058): events
# and patients with standard catheters, then with treated ones.
CATHETERS = np.array(
    [[3, 117, 0, 116], [3, 35, 1, 44], [9, 195, 2, 208], [7, 136, 0, 130], [6, 157, 5, 151], [4, 139, 1, 98],
     [3, 177, 1, 174], [2, 39, 1, 74], [19, 103, 1, 97], [2, 122, 1, 113], [7, 64, 0, 66], [1, 58, 0, 70],
     [5, 175, 3, 188], [11, 180, 6, 187], [0, 105, 0, 118], [1, 262, 0, 252], [3, 362, 1, 345], [1, 69, 4, 64]]
)  # fmt: skip
# Coefficient, standard error and tau² of metafor's rma.glmm(measure="PLO"), whose rule has 7 nodes: its test of the
# analyses in Stijnen, Hamza, Özdemir (2010), Statistics in Medicine 29, 3046, Table II.
METAFOR = {0: (-3.4964, 0.2570, 0.8124), 2: (-4.8121, 0.3555, 0.8265)}
MIXED = (np.array([0.95, 1.0, 0.8, 0.9, 1.0]), np.array([20.0, 12.0, 40.0, 10.0, 30.0]))


def likelihood_of(hits, cases):
    """Return the likelihood of counts."""
    cases = np.asarray(cases, float)
    return Likelihood(np.asarray(hits) / cases, cases, cases)


def by_quadrature(likelihood, mu, tau):
    """Return the log-likelihood by Gauss-Hermite rules about mu, with 200 nodes; tau is moderate."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    v, eta = likelihood.values, (mu + tau * nodes)[:, None]
    size = np.where(special.expit(eta) < v, likelihood.below, likelihood.above)
    misfit = (
        v * np.logaddexp(0, -eta) + (1 - v) * np.logaddexp(0, eta) + special.xlogy(v, v) + special.xlog1py(1 - v, -v)
    )
    return float(np.log(weights @ np.exp(-size * misfit) / weights.sum()).sum())


@pytest.mark.parametrize("column", METAFOR)
def test_the_likelihood_is_that_of_metafor(column):
    """With the same rule of 7 nodes the maximum equals metafor's in all its digits."""
    likelihood = likelihood_of(CATHETERS[:, column], CATHETERS[:, column + 1])
    found = optimize.minimize(
        lambda at: -float(likelihood(np.array(at[0]), np.array(abs(at[1])), 7)), [-4, 0.9], method="Nelder-Mead"
    )
    coefficient, _, tau2 = METAFOR[column]
    assert (found.x[0], found.x[1] ** 2) == pytest.approx((coefficient, tau2), abs=1e-4)


@pytest.mark.parametrize(
    "column", [pytest.param(each, marks=pytest.mark.thorough if place else ()) for place, each in enumerate(METAFOR)]
)
def test_estimates_are_those_of_maximum_likelihood(column):
    """Value, standard error and tau² are those of another quadrature and optimiser, and close to metafor's."""
    likelihood = likelihood_of(CATHETERS[:, column], CATHETERS[:, column + 1])
    fit = BinomialNormal(likelihood, 0.95)
    options = {"xatol": 1e-8, "fatol": 1e-11}
    best = optimize.minimize(
        lambda at: -by_quadrature(likelihood, at[0], abs(at[1])), [-4, 0.9], method="Nelder-Mead", options=options
    )
    assert (fit.maximum[0], fit.maximum[1] ** 2) == pytest.approx((best.x[0], best.x[1] ** 2), abs=1e-4)
    coefficient, error, tau2 = METAFOR[column]
    assert (fit.maximum[0], fit.maximum[1] ** 2) == pytest.approx((coefficient, tau2), abs=2e-3)
    assert fit.standard_error == pytest.approx(error * fit.value * (1 - fit.value), rel=2e-3)


@pytest.mark.parametrize("sizes", [(20.0, 20.0), (12.0, 30.0)])
@pytest.mark.parametrize("value", [0.9, 1.0, 0.5])
@pytest.mark.parametrize("mu, tau", [(2.0, 0.5), (0.5, 2.0), (4.0, 0.05), (-1.0, 1.0)])
def test_the_integral_over_a_site(value, sizes, mu, tau):
    """The likelihood of one site is SciPy's integral, of equal sizes on both sides and of others."""
    v = value
    entropy = special.xlogy(v, v) + special.xlog1py(1 - v, -v)

    def density(eta):
        size = sizes[0] if special.expit(eta) < v else sizes[1]
        misfit = v * np.logaddexp(0, -eta) + (1 - v) * np.logaddexp(0, eta) + entropy
        return math.exp(-size * misfit) * stats.norm.pdf(eta, mu, tau)

    points = sorted({mu, float(special.logit(min(v, 0.999)))})
    expected, _ = integrate.quad(density, mu - 12 * tau, mu + 12 * tau, points=points, limit=400, epsabs=1e-14)
    likelihood = Likelihood(np.array([v]), np.array([sizes[0]]), np.array([sizes[1]]))
    tolerance = 1e-5 if sizes[0] == sizes[1] else 5e-3  # a kink in the second derivative
    tolerance *= 100 if tau > 1 else 1
    assert float(likelihood(np.array(mu), np.array(tau))) == pytest.approx(math.log(expected), abs=tolerance)


def profile_limits(likelihood, of_mean, critical):
    """Return the limits by brute force: the extremes of the estimand on a dense grid of mu and tau."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(81)
    mu, tau = np.meshgrid(np.linspace(-4, 12, 321), np.linspace(0, 6, 151), indexing="ij")
    height = likelihood(mu, tau, 25) - tau**2 / 8
    inside = 2 * (height.max() - height) <= critical
    mean = special.expit(mu[inside][:, None] + tau[inside][:, None] * nodes) @ weights / weights.sum()
    found = mean if of_mean else special.expit(mu[inside])
    return found.min(), found.max()


@pytest.mark.parametrize("of_mean", [False, True])
def test_limits_are_the_extremes_of_the_region(of_mean):
    """Limits are the smallest and largest estimand where the penalised likelihood ratio is below its bound."""
    values, cases = MIXED
    fit = BinomialNormal(Likelihood(values, cases, cases), 0.95, of_mean)
    critical = 5 * math.log1p(stats.t.ppf(0.975, 4) ** 2 / 4)
    low, high = (float(each[0]) for each in fit.limits(0.95))
    expected = profile_limits(fit.likelihood, of_mean, critical)
    assert special.logit([low, high]) == pytest.approx(special.logit(expected), abs=0.05)


def test_prediction_is_that_of_a_dense_grid():
    """The prediction interval has the tails of the posterior density on a dense grid of mu and tau."""
    values, cases = MIXED
    fit = BinomialNormal(Likelihood(values, cases, cases), 0.9)
    mu, tau = np.meshgrid(np.linspace(-10, 16, 261), np.linspace(0.02, 6, 150), indexing="ij")
    log = fit.likelihood(mu, tau, 25) - tau**2 / 8 - np.logaddexp(0, mu) / 2 - np.logaddexp(0, -mu) / 2
    weight = np.exp(log - log.max())
    for end, tail in zip(fit.predicted(), (0.05, 0.95), strict=True):
        below = (weight * stats.norm.cdf((special.logit(end) - mu) / tau)).sum() / weight.sum()
        assert below == pytest.approx(tail, abs=3e-3)


def test_the_limits_of_tau():
    """tau² has the limits at which its penalised profile likelihood drops by half the chi-square quantile."""
    likelihood = likelihood_of(CATHETERS[:, 0], CATHETERS[:, 1])
    fit = BinomialNormal(likelihood, 0.95)
    tau = np.linspace(0.2, 2.5, 231)
    profile = likelihood(np.linspace(-5.5, -2, 141)[:, None], tau).max(0) - tau**2 / 8
    inside = tau[2 * (profile.max() - profile) <= stats.chi2.ppf(0.95, 1)]
    assert fit.tau_limits == pytest.approx((inside[0], inside[-1]), abs=0.02)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_perfect_sites_have_the_limit_of_one_proportion(level):
    """For 40 sites without an error the limit is that of all cases as one proportion: p^n = alpha."""
    cases = np.full(40, 25.0)
    fit = BinomialNormal(Likelihood(np.ones(40), cases, cases), level)
    low, high = (float(each[0]) for each in fit.limits(level))
    assert (fit.value, high, fit.maximum[1]) == (1, 1, 0)
    assert 1 - low == pytest.approx(1 - (1 - level) ** (1 / 1000), rel=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_values_and_limits_are_in_order_and_in_range(seed):
    """For any sites: 0 ≤ low ≤ value ≤ high ≤ 1, lower levels are inside, and mirrored sites agree."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 15))
    cases = np.round(10 ** rng.uniform(0, 6 if seed % 2 else 2, k))
    hits = rng.binomial(cases.astype(int), special.expit(rng.normal(rng.choice([0, 3, 6]), rng.choice([0, 1, 4]), k)))
    likelihood = likelihood_of(hits, cases)
    mirrored = likelihood_of(cases - hits, cases)
    for of_mean in (False, True):
        fit, other = BinomialNormal(likelihood, 0.95, of_mean), BinomialNormal(mirrored, 0.95, of_mean)
        lows, highs = fit.limits(np.array([0.5, 0.95]))
        assert 0 <= lows[1] <= lows[0] <= fit.value + 1e-9
        assert fit.value - 1e-9 <= highs[0] <= highs[1] <= 1
        assert fit.value == pytest.approx(1 - other.value, abs=1e-4)
        assert (lows[1], highs[1]) == pytest.approx(
            (1 - other.limits(0.95)[1][0], 1 - other.limits(0.95)[0][0]), abs=2e-3
        )


def test_sites_of_one_case_are_one_proportion():
    """Sites of one case do not identify tau: the smallest, 0, is used, and the value is the proportion."""
    fit = BinomialNormal(likelihood_of([1, 0, 1, 1], [1, 1, 1, 1]), 0.95)
    assert (fit.value, fit.maximum[1]) == (pytest.approx(0.75, abs=0.01), 0)


def test_equal_sites_are_not_moved():
    """For equal sites the value is theirs, and tau is 0."""
    fit = BinomialNormal(likelihood_of([42] * 12, [45] * 12), 0.95)
    assert fit.value == pytest.approx(42 / 45, abs=1e-7)
    assert fit.maximum[1] == 0
    assert fit.weights == pytest.approx(np.full(12, 1 / 12))
    assert fit.likelihood.common == pytest.approx((42 / 45, 0), abs=1e-9)


@pytest.mark.parametrize(
    "hits, cases",
    [
        ([0, 30, 30], [30, 30, 30]),
        ([0, 30], [30, 30]),
        ([1, 0, 1, 1], [1, 1, 1, 1]),
        ([900_000_000, 900_010_000, 899_995_000], [10**9] * 3),
        ([900_000, 8, 3], [1_000_000, 10, 10]),
    ],
)
@pytest.mark.parametrize("of_mean", [False, True])
def test_extreme_sites_have_their_value_inside(hits, cases, of_mean):
    """Sites at both ends, without a finite maximum, of one case or of 1e9: the interval contains the value."""
    fit = BinomialNormal(likelihood_of(hits, cases), 0.95, of_mean)
    (low,), (high,) = fit.limits(0.95)
    assert 0 <= low <= fit.value <= high <= 1
    predicted = fit.predicted()
    assert 0 <= predicted[0] < fit.value < predicted[1] <= 1
    assert fit.weights.sum() == pytest.approx(1)


@pytest.mark.thorough
@pytest.mark.parametrize("sites, tau", [(3, 1.0), (12, 0.5), (12, 0.0)])
def test_coverage(sites, tau):
    """Intervals and prediction intervals of few cases near 1 cover at least 93 %, minus the noise of 250 studies."""
    rng = np.random.default_rng([sites, round(10 * tau)])
    covered = []
    for _ in range(250):
        cases = rng.integers(20, 60, sites)
        *true, new = special.expit(2.5 + tau * rng.standard_normal(sites + 1))
        fit = BinomialNormal(likelihood_of(rng.binomial(cases, true), cases), 0.95)
        (low,), (high,) = fit.limits(0.95)
        predicted = fit.predicted()
        covered.append([low <= special.expit(2.5) <= high, predicted[0] <= new <= predicted[1]])
    assert np.mean(covered, axis=0).min() > 0.93 - 3 * math.sqrt(0.95 * 0.05 / 250)


# Hits and cases of published proportions: data sets of R's metadat, one with perfect sites and one with a site
# without a hit. For each: coefficient, standard error, tau² and -2 log-likelihood by lme4 1.1-31,
# glmer(cbind(k, n - k) ~ 1 + (1 | site), family = binomial, nAGQ = 25,
# control = glmerControl("bobyqa", optCtrl = list(rhoend = 1e-10), tolPwrss = 1e-12));
# then coefficient, standard error, tau² and QE.LRT by metafor 3.8-1, rma.glmm(measure = "PLO", xi = k, ni = n, nAGQ =
# 25).
PUBLISHED = {
    "dat.debruin2009": (
        [11, 24, 179, 82, 60, 11, 99, 9, 88, 17, 26, 23, 40],
        [29, 33, 326, 240, 110, 29, 244, 17, 215, 26, 138, 55, 54],
        (-0.1118127, 0.1880444, 0.3786884, 39.636774),
        (-0.1118114, 0.1880433, 0.3786829, 108.765289),
    ),
    "dat.pritz1997": (
        [16, 10, 4, 43, 10, 25, 13, 12, 22, 4, 5, 18, 58, 6],
        [17, 12, 8, 58, 10, 42, 14, 12, 41, 5, 6, 23, 68, 10],
        (1.3765944, 0.2883799, 0.5893095, 30.110556),
        (1.3765875, 0.2883774, 0.5892999, 42.232398),
    ),
    "dat.nielweise2007, controls": (
        CATHETERS[:, 0].tolist(),
        CATHETERS[:, 1].tolist(),
        (-3.4964094, 0.2569694, 0.8122138, 42.964990),
        (-3.4964059, 0.2569688, 0.8122106, 85.283943),
    ),
    "dat.hannum2020, objective tests": (
        [44, 13, 17, 241, 59, 38],
        [72, 16, 33, 345, 60, 45],
        (1.3215541, 0.4771538, 1.1465219, 20.758473),
        (1.3215536, 0.4771546, 1.1465260, 46.683550),
    ),
}


@pytest.mark.parametrize("hits, cases, lme4, metafor", PUBLISHED.values(), ids=PUBLISHED)
def test_pooled_values_are_those_of_lme4_and_metafor(hits, cases, lme4, metafor):
    """Estimates, standard error and likelihood of `pool` agree with both packages to 1e-4."""
    sites = [hs.from_counts(tp=k, fn=n - k, fp=0, tn=1) for k, n in zip(hits, cases, strict=True)]
    pooled = hs.pool(sites, "recall")
    logit = math.log(pooled.value / (1 - pooled.value))
    error = pooled.standard_error / (pooled.value * (1 - pooled.value))
    assert (logit, error, pooled.tau2) == pytest.approx(lme4[:3], abs=1e-4)
    assert (logit, error, pooled.tau2, pooled.q) == pytest.approx(metafor, abs=1e-4)
    height = likelihood_of(hits, cases)(np.array(logit), np.array(math.sqrt(pooled.tau2)))
    assert -2 * float(height) == pytest.approx(lme4[3], abs=1e-4)
