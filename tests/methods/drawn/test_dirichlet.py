"""The posterior has the closed-form moments, agrees with the peer's samples, and avoids the peer's defects."""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.resampling import Resampling
from howsure.methods.drawn.dirichlet import NAMED_PRIORS, _elicited, cell_prior, prior_array
from howsure.methods.numerics.draw_summaries import density, highest_density, mode, summarise
from howsure.metrics.binding import resolve
from support.files import DATA, rows_of

COUNTS = np.array([[61, 9], [14, 36]])
DRAWS = 40_000


def moments(metric, counts=COUNTS, seed=0, **settings):
    """Return mean and standard deviation of the posterior draws."""
    estimate = hs.estimate(
        hs.from_counts(counts), metric, method=hs.methods.Dirichlet(n_draws=DRAWS, **settings), random_state=seed
    )
    return estimate.draws.mean(), estimate.draws.std()


def close_to(beta, found, factor=4.0):
    """Whether mean and deviation are those of a Beta, within Monte Carlo error."""
    error = beta.std() / np.sqrt(DRAWS)
    return abs(found[0] - beta.mean()) < factor * error and abs(found[1] - beta.std()) < factor * error


@pytest.mark.parametrize("prior", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "metric, hits, misses", [("recall", (1, 1), (1, 0)), ("precision", (1, 1), (0, 1)), ("npv", (0, 0), (1, 0))]
)
def test_one_dirichlet_has_beta_marginals(metric, hits, misses, prior):
    """Under a joint Dirichlet, recall, precision and npv are Beta distributed."""
    beta = stats.beta(COUNTS[hits] + prior, COUNTS[misses] + prior)
    assert close_to(beta, moments(metric, prior=prior))


def test_accuracy_is_beta_distributed():
    """Accuracy is Beta with the diagonal's and the other cells' pseudo-counts."""
    assert close_to(stats.beta(97 + 1, 23 + 1), moments("accuracy", prior=0.5))


def test_default_prior_has_total_mass_two():
    """By default two pseudo-cases are spread over all cells, for any number of cells."""
    assert cell_prior(None, hs.from_counts([[3, 1], [0, 2]])).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert cell_prior(None, hs.from_counts(np.eye(50))).sum() == pytest.approx(2)


def test_separate_prevalence_prior_changes_the_prevalence_alone():
    """The prevalence follows its own Dirichlet and the rows theirs."""
    settings = {"prior": 1.0, "prevalence_prior": [0.0, 30.0]}
    assert close_to(stats.beta(50 + 30, 70), moments("prevalence", **settings))
    assert close_to(stats.beta(36 + 1, 14 + 1), moments("recall", **settings))


def test_a_prevalence_prior_is_added_to_the_rows():
    """A prior of the true classes applies to them, also if the cells' own prior has its sums over predictions."""
    found = moments("prevalence", prior=[[1, 9], [1, 9]], prevalence_prior=[2, 18])
    assert close_to(stats.beta(50 + 18, 70 + 2), found)


def test_fixed_prevalence_reexpresses_precision():
    """With a known prevalence, precision is Bayes' theorem on the posterior of the two rates."""
    rng = np.random.default_rng(1)
    recall, fall_out = rng.beta(37, 15, 400_000), rng.beta(10, 62, 400_000)
    expected = 0.02 * recall / (0.02 * recall + 0.98 * fall_out)
    mean, deviation = moments("precision", prior=1.0, prevalence=[0.98, 0.02])
    assert mean == pytest.approx(expected.mean(), rel=0.01)
    assert deviation == pytest.approx(expected.std(), rel=0.03)


@pytest.mark.parametrize("prevalence", [[0.95, 0.05], [95, 5]])
def test_the_value_is_of_the_population_that_the_interval_is_of(prevalence):
    """With another prevalence the precision is Bayes' theorem on recall 45/50 and false positive rate 10/100."""
    table = hs.from_counts([[90, 10], [5, 45]])
    found = hs.estimate(table, "precision", method=hs.methods.Dirichlet(prevalence=prevalence), random_state=0)
    assert found.value == pytest.approx(0.05 * 0.9 / (0.05 * 0.9 + 0.95 * 0.1))
    assert found.low < found.value < found.high
    assert (
        float(hs.estimate(table, "recall", method=hs.methods.Dirichlet(prevalence=prevalence), random_state=0)) == 0.9
    )


@pytest.mark.parametrize("source, precision", [("prior", 1 / 2), ("random", 51 / 152)])
def test_the_value_of_the_prior_or_of_chance_is_not_the_samples(source, precision):
    """A prior spreads its cases evenly; a random classifier's precision is the prevalence, one pseudo-case a row."""
    table = hs.from_counts([[95, 5], [10, 40]])
    found = hs.estimate(table, "precision", method=hs.methods.Dirichlet(source=source), random_state=0)
    assert found.value == pytest.approx(precision)
    assert found.low < found.value < found.high


def test_uncertain_prevalence_is_a_dirichlet():
    """Parameters that sum to more than 1 are those of a Dirichlet."""
    assert close_to(stats.beta(4, 16), moments("prevalence", prevalence=[16, 4]))


def test_prior_alone_and_random_classifier():
    """The prior's draws are the prior; a random classifier's recall is uniform, at the observed prevalence."""
    assert close_to(stats.beta(2, 2), moments("recall", prior=2.0, source="prior"))
    assert close_to(stats.beta(1, 1), moments("recall", prior=0, source="random"))
    assert close_to(stats.beta(50, 70), moments("prevalence", prior=0, source="random"))


@pytest.mark.parametrize("name", sorted(NAMED_PRIORS))
def test_named_priors_are_numbers(name):
    """Each of the peer's names of a prior gives the draws of its number, bit for bit."""
    named, number = (
        hs.estimate(hs.from_counts(COUNTS), "f1", method=hs.methods.Dirichlet(prior=p, n_draws=100), random_state=1)
        for p in (name, NAMED_PRIORS[name])
    )
    assert np.array_equal(named.draws, number.draws)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"prior": "jefreys"}, "Did you mean 'jeffreys'"),
        ({"prior": -1.0}, "negative"),
        ({"prior": [1.0, 2.0, 3.0]}, "shape"),
        ({"prevalence": [0.2, 0.2]}, "summing to 1"),
        ({"n_draws": 0}, "at least 1"),
        ({"credible": "hpd"}, "credible interval"),
        ({"source": "posterio"}, "posterior"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    """A setting that cannot be used is named, with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(hs.from_counts(COUNTS), "f1", method=hs.methods.Dirichlet(**settings), random_state=0)


@cache
def posteriors_of_the_peer():
    """Return the metrics, medians and spreads by matrix and prior (`tests/data/posterior_reference.py`)."""
    found = defaultdict(list)
    for row in rows_of("posterior_reference.csv"):
        found[row["matrix"], row["prior"]].append((row["metric"], float(row["median"]), float(row["spread"])))
    return found


@pytest.mark.parametrize("prior", [0, 1, "half"])
@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(f"{model}_{fold}", marks=pytest.mark.thorough if fold else ())
        for model in ("mlp", "svm")
        for fold in range(5)
    ],
)
def test_draws_agree_with_the_peers(matrix, prior):
    """Medians and spreads of all metrics equal prob_conf_mat's within Monte Carlo error, for each kind of prior."""
    counts = np.loadtxt(DATA / "mnist_digits" / f"{matrix}.csv", delimiter=",")
    metrics, medians, spreads = zip(*posteriors_of_the_peer()[matrix, str(prior)], strict=True)
    draws = 10_000  # half of the peer's number
    method = hs.methods.Dirichlet(prior=prior, prevalence_prior=prior, n_draws=draws)
    ours = hs.evaluate(hs.from_counts(counts), metrics, method=method, random_state=0)
    for name, median, spread, estimate in zip(metrics, medians, spreads, ours.values(), strict=True):
        if np.isnan(median) or not np.isfinite(estimate.draws).all() or estimate.draws.std() < 1e-12:
            continue
        low, middle, high = np.quantile(estimate.draws, [0.16, 0.5, 0.84])
        scale = (high - low) / 2
        assert median == pytest.approx(middle, abs=5.5 * scale * 1.2533 / np.sqrt(draws)), name
        assert spread == pytest.approx(scale, rel=0.1), name


@pytest.mark.parametrize("a, b", [(37, 15), (3, 1.5), (80, 400)])
def test_highest_density_interval_of_a_beta(a, b):
    """At 10⁶ draws the HDI equals the shortest interval of the distribution, to three digits."""
    beta = stats.beta(a, b)
    lower = np.linspace(0, 0.05, 20_001)
    widths = beta.ppf(lower + 0.95) - beta.ppf(lower)
    best = lower[np.nanargmin(widths)]
    found = highest_density(beta.rvs(10**6, random_state=np.random.default_rng(0)), 0.95)
    assert found == pytest.approx((beta.ppf(best), beta.ppf(best + 0.95)), abs=3e-3)


@pytest.mark.parametrize("level", [0.01, 0.4, 0.5, 0.51, 0.9, 0.95, 0.999, 1.0])
@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_highest_density_interval_is_the_shortest_of_all(level, size):
    """No two draws with the same number between them are nearer to each other, with ties or without."""
    for draws in np.random.default_rng(size).gamma(2, size=(3, size)).round(1):
        low, high = highest_density(draws, level)
        within = [(b - a, a) for a in draws for b in draws if ((draws >= a) & (draws <= b)).mean() >= level]
        assert high - low == min(within)[0]
        assert ((draws >= low) & (draws <= high)).mean() >= level


def test_the_density_is_smoothed_by_silvermans_width():
    """Away from the ends the density is that of a normal kernel of 0.9 min(s, IQR / 1.349) n^(-1/5)."""
    draws = stats.beta(20, 20).rvs(300, random_state=np.random.default_rng(0))
    spread = draws.std(), np.subtract(*np.quantile(draws, [0.75, 0.25])) / 1.349
    grid, heights = density(draws)
    expected = stats.gaussian_kde(draws, 0.9 * min(spread) * 300**-0.2 / draws.std(ddof=1))
    middle = grid[np.abs(grid - 0.5) < 0.1]
    assert np.interp(middle, grid, heights) == pytest.approx(expected(middle), rel=5e-3)


@pytest.mark.parametrize("draws", [[0.4], [0.4, 0.4, 0.4]])
def test_the_density_of_what_does_not_vary_is_one_point(draws):
    """One draw, or several equal ones, have no density around them."""
    grid, heights = density(np.array(draws))
    assert (grid.tolist(), heights.tolist()) == ([0.4], [np.inf])


def test_mode_is_precise():
    """The mode of 10,000 draws is within a tenth of a standard deviation of the density's peak."""
    beta = stats.beta(37, 15)
    errors = [mode(beta.rvs(10_000, random_state=np.random.default_rng(seed))) - 36 / 50 for seed in range(20)]
    assert np.sqrt(np.mean(np.square(errors))) < 0.1 * beta.std()
    edge = stats.beta(1, 9).rvs(10_000, random_state=np.random.default_rng(0))
    assert mode(edge) < 0.02


def test_summary_has_monte_carlo_errors():
    """Each number's stated error is the scatter of that number over repeated streams of draws."""
    beta = stats.beta(20, 5)
    repeats = [summarise(beta.rvs(4000, random_state=np.random.default_rng(seed))) for seed in range(60)]
    for name in ("median", "mean", "standard_deviation", "skewness", "kurtosis", "low"):
        scatter = np.std([getattr(each, name) for each in repeats])
        stated = np.mean([each.errors[name] for each in repeats])
        assert stated == pytest.approx(scatter, rel=0.45), name
    mean, skew, kurtosis = (float(part) for part in beta.stats("msk")[:1] + beta.stats("sk"))
    assert np.mean([each.mean for each in repeats]) == pytest.approx(mean, abs=0.001)
    assert np.mean([each.skewness for each in repeats]) == pytest.approx(skew, abs=0.03)
    assert np.mean([each.kurtosis for each in repeats]) == pytest.approx(kurtosis, abs=0.1)


def test_one_unseen_case_is_the_mid_p_interval():
    """Right or wrong with equal chance, one unseen case makes accuracy's quantiles the mid-p limits."""
    hits, cases = 17, 20
    found = hs.proportion(hits, cases, method="mid_p")
    mixture = [stats.beta(hits + 1, cases - hits), stats.beta(hits, cases - hits + 1)]
    tails = [np.mean([each.cdf(limit) for each in mixture]) for limit in (found.low, found.high)]
    assert tails == pytest.approx([0.025, 0.975])


@pytest.mark.parametrize("design", ["independent", "clusters", "weights"])
def test_an_unseen_case_is_worth_a_sampling_unit(design):
    """Doubled cases, as clusters of two or as weights of two, have the draws of single ones, to Monte Carlo error."""
    true, said = np.repeat([0, 0, 1, 1], [30, 4, 3, 23]), np.repeat([0, 1, 0, 1], [30, 4, 3, 23])
    units = np.arange(60)
    tables = {
        "independent": hs.confusion(true, said),
        "clusters": hs.confusion(np.repeat(true, 2), np.repeat(said, 2), groups=np.repeat(units, 2)),
        "weights": hs.confusion(true, said, sample_weight=np.full(60, 2.0)),
    }
    found = hs.estimate(tables[design], "accuracy", method=hs.methods.Dirichlet(n_draws=DRAWS), random_state=0).draws
    # Among two unseen cases, none, one or both are right, with probabilities 1/4, 1/2 and 1/4.
    parts = [stats.beta(53 + right, 7 + 2 - right) for right in (0, 1, 1, 2)]
    mean = np.mean([each.mean() for each in parts])
    deviation = np.sqrt(np.mean([each.var() + each.mean() ** 2 for each in parts]) - mean**2)
    assert found.mean() == pytest.approx(mean, abs=5 * deviation / np.sqrt(DRAWS))
    assert found.std() == pytest.approx(deviation, rel=0.03)


def test_draws_of_the_default_are_joint_for_all_metrics():
    """Two metrics from one seed are of the same tables, unseen cases included."""
    table = hs.from_counts([[30, 4, 1], [3, 23, 2], [0, 5, 12]])
    together = hs.evaluate(table, ["accuracy", "error_rate"], method="bayes", random_state=5)
    alone = hs.estimate(table, "error_rate", method="bayes", random_state=5)
    assert together["accuracy"].draws + together["error_rate"].draws == pytest.approx(1)
    assert np.array_equal(together["error_rate"].draws, alone.draws)


def many_classes(rows, classes=10, right=0.7, seed=0, tables=1):
    """Return tables of equally frequent classes whose errors are spread evenly."""
    shares = np.full((classes, classes), (1 - right) / (classes - 1) / classes)
    np.fill_diagonal(shares, right / classes)
    return np.random.default_rng(seed).multinomial(rows, shares.ravel(), tables).reshape(-1, classes, classes)


def macro_f1(counts):
    """Return macro F1 of tables."""
    return (2 * np.diagonal(counts, axis1=-2, axis2=-1) / (counts.sum(-1) + counts.sum(-2))).mean(-1)


def jackknife_variance(values, number):
    """Return the variance of a metric from its values without one case of each cell, by the textbook's sum."""
    every = np.repeat(values, number)
    return (len(every) - 1) / len(every) * ((every - every.mean()) ** 2).sum()


def test_matched_limits_are_moved_and_spread():
    """For macro F1 quantiles shift by twice the loss of draws, and are rescaled to the mean of delta and jackknife."""
    (counts,) = many_classes(100)
    table = hs.from_counts(counts)
    found, plain = (
        hs.estimate(table, "f1@macro", method=hs.methods.Dirichlet(credible=credible), random_state=0)
        for credible in ("matched", "equal_tailed")
    )
    middle = counts + 2 / 20 * (np.eye(10) + (1 - np.eye(10)) / 9)  # two cases, each right one time in two
    cells = np.argwhere(counts)
    without = np.array([counts - (np.arange(100).reshape(10, 10) == 10 * i + j) for i, j in cells])
    variance = jackknife_variance(macro_f1(without), counts[tuple(cells.T)])
    mean, quantiles = found.draws.mean(), np.quantile(found.draws, [0.025, 0.975])
    delta = hs.estimate(table, "f1@macro", method="delta").standard_error ** 2
    spread = np.sqrt((delta + variance) / 2 / found.draws.var())
    expected = 2 * macro_f1(middle) - mean + spread * (quantiles - mean)
    assert np.array_equal(found.draws, plain.draws)
    assert (plain.low, plain.high) == pytest.approx(quantiles)
    assert (found.low, found.high) == pytest.approx(expected)
    assert macro_f1(middle) - mean > 0.2 * found.draws.std()
    assert spread > 1.03


def test_the_own_prior_keeps_its_spread():
    """A user's prior is extra information: limits of macro F1 are shifted, but no wider."""
    (counts,) = many_classes(50)
    found, plain = (
        hs.estimate(
            hs.from_counts(counts), "f1@macro", method=hs.methods.Dirichlet(0.1, credible=credible), random_state=0
        )
        for credible in ("matched", "equal_tailed")
    )
    assert found.low - plain.low > 0.2 * found.draws.std()
    assert found.high - found.low == pytest.approx(plain.high - plain.low)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1", "specificity"])
def test_matched_limits_of_proportions_are_mid_p(metric):
    """Those of the default prior are quantiles of an even mixture of Beta distributions, an own prior has its own."""
    table = hs.from_counts(COUNTS)
    assert str(hs.estimate(table, metric, method="bayes")) == str(hs.estimate(table, metric, method="mid_p"))
    own, plain = (
        hs.estimate(table, metric, method=hs.methods.Dirichlet(0.5, credible=kind), random_state=0)
        for kind in ("matched", "equal_tailed")
    )
    assert (own.low, own.high) == (plain.low, plain.high)


@pytest.mark.parametrize("prior", [None, 0.5])
def test_metrics_that_hardly_bend_hardly_move(prior):
    """With two classes and many cases the limits of the correlation are nearly the quantiles."""
    table = hs.from_counts(10 * np.array(COUNTS))
    moved, plain = (
        hs.estimate(table, "mcc", method=hs.methods.Dirichlet(prior, credible=kind), random_state=0)
        for kind in ("matched", "equal_tailed")
    )
    assert (moved.low, moved.high) == pytest.approx((plain.low, plain.high), abs=0.06 * moved.draws.std())


@pytest.mark.parametrize("metric", ["accuracy", "recall@macro", "f1@macro", "mcc", "g_mean@macro", "recall@min"])
@pytest.mark.parametrize("classes", [2, 3, 12])
def test_matched_limits_reach_the_end_where_the_sample_does(metric, classes):
    """For a sample without an error the upper limit is 1; without a hit the lower one is the smallest value."""
    perfect = hs.estimate(hs.from_counts(5 * np.eye(classes)), metric, method="bayes", random_state=0)
    assert perfect.value == perfect.high == 1
    assert perfect.low < 0.98
    if metric != "mcc":  # which has another least value for each margin
        hopeless = hs.estimate(hs.from_counts(5 * np.roll(np.eye(classes), 1, 0)), metric, method="bayes")
        assert hopeless.value == hopeless.low == 0
        assert hopeless.high > 0.02


@pytest.mark.parametrize("seed", range(4))
def test_matched_limits_hold_the_value(seed):
    """Whatever the draws do, the sample's own value is between its limits."""
    (counts,) = many_classes(40, right=0.95, seed=seed)
    for metric in ("f1@macro", "recall@macro", "mcc", "g_mean@macro"):
        found = hs.estimate(hs.from_counts(counts), metric, method="bayes", random_state=seed)
        assert found.low <= found.value <= found.high


def test_what_has_no_middle_has_its_quantiles():
    """Metrics without bounds, cases with weights, the prior's own draws and a chance classifier's are not moved."""
    weight = np.random.default_rng(0).gamma(2, 0.5, 60)
    cases = np.arange(60) % 3
    weighted = hs.confusion(cases, np.where(np.arange(60) < 40, cases, 0), sample_weight=weight)
    for table, metric, settings in (
        (hs.from_counts(COUNTS), "dor", {}),
        (weighted, "f1@macro", {}),
        (hs.from_counts(COUNTS), "f1", {"source": "prior"}),
        (hs.from_counts(COUNTS), "f1", {"source": "random"}),
    ):
        found = hs.estimate(table, metric, method=hs.methods.Dirichlet(n_draws=2000, **settings), random_state=0)
        kept = found.draws[np.isfinite(found.draws)]
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(kept, [0.025, 0.975]))), metric


def test_matched_limits_stay_within_the_range():
    """For ten classes without an error the upper limit of macro F1 is 1, and the lower one below it."""
    found = hs.estimate(hs.from_counts(6 * np.eye(10)), "f1@macro", method="bayes", random_state=0)
    assert found.low < 0.99
    assert found.high == 1


@pytest.mark.parametrize(
    "metric, rows, truth",
    [("f1@macro", 100, 0.7), pytest.param("recall@macro", 50, 0.7, marks=pytest.mark.thorough)],
)
def test_matched_limits_hold_averages_of_many_classes(metric, rows, truth):
    """With ten classes of ten or five cases the quantiles cover in 83 to 87 % of studies, matched ones in 94 %."""
    covered = {"matched": 0, "equal_tailed": 0}
    for index, counts in enumerate(many_classes(rows, seed=1, tables=200)):
        table = hs.from_counts(counts)
        for kind in covered:
            found = hs.estimate(
                table, metric, method=hs.methods.Dirichlet(credible=kind, n_draws=1000), random_state=index
            )
            covered[kind] += found.low <= truth <= found.high
    assert covered["matched"] / 200 > 0.94 - 2 * np.sqrt(0.94 * 0.06 / 200)
    assert covered["matched"] > covered["equal_tailed"] + 5


@pytest.mark.thorough
def test_the_default_covers_macro_averages_of_few_cases():
    """With five classes and 30 cases, two pseudo-cases cover macro F1 in 85 % of studies, the default in 90 %."""
    rng = np.random.default_rng(8)
    shares = np.full((5, 5), 0.3 / 4 / 5)
    np.fill_diagonal(shares, 0.7 / 5)
    covered = {None: 0, 2 / 25: 0}
    for cells in rng.multinomial(30, shares.ravel(), 160).reshape(-1, 5, 5):
        for prior in covered:
            method = hs.methods.Dirichlet(prior=prior, n_draws=500, credible="equal_tailed")
            found = hs.estimate(hs.from_counts(cells), "f1@macro", method=method, random_state=rng)
            covered[prior] += found.low <= 0.7 <= found.high
    assert covered[None] / 160 > 0.9 - 2 * np.sqrt(0.9 * 0.1 / 160)
    assert covered[None] > covered[2 / 25] + 3


class TestDefectsOfThePeer:
    """Where prob_conf_mat fails, the posterior here does not."""

    def test_perfect_table_has_width(self):
        """A perfect 2×2 table has an interval below 1, not the point [1, 1]."""
        estimate = hs.estimate(hs.from_counts([[25, 0], [0, 25]]), "f1", method="bayes", random_state=0)
        assert estimate.low < 0.97
        assert estimate.high == pytest.approx(1, abs=1e-6)

    @pytest.mark.parametrize("classes, rows", [(50, 1000), (10, 300)])
    def test_default_prior_does_not_swamp_many_classes(self, classes, rows):
        """With many classes the posterior of accuracy stays near the observed one."""
        rng = np.random.default_rng(0)
        shares = np.full((classes, classes), 0.12 / (classes * (classes - 1)))
        np.fill_diagonal(shares, 0.88 / classes)
        counts = rng.multinomial(rows, shares.ravel()).reshape(classes, classes)
        estimate = hs.estimate(hs.from_counts(counts), "accuracy", method="bayes", random_state=0)
        assert estimate.low < estimate.value < estimate.high
        assert np.median(estimate.draws) == pytest.approx(estimate.value, abs=0.01)

    @pytest.mark.parametrize(
        "counts", [[[40, 0, 3], [5, 0, 6], [2, 0, 30]], [[40, 4, 3], [0, 0, 0], [2, 5, 30]]], ids=["predicted", "true"]
    )
    def test_never_predicted_and_never_true_classes(self, counts):
        """An empty column or row gives finite draws and a positive width under the default prior."""
        for metric in ("accuracy", "f1@macro", "mcc"):
            estimate = hs.estimate(hs.from_counts(counts), metric, method="bayes", random_state=0)
            assert np.isfinite(estimate.draws).all()
            assert estimate.low < estimate.high

    def test_zero_prior_leaves_undefined_draws_counted(self):
        """Under a prior of zero, a class that never occurs leaves its recall undefined, with a reason."""
        table = hs.from_counts([[40, 4, 3], [0, 0, 0], [2, 5, 30]])
        estimate = hs.estimate(
            table, "recall@binary+positive_class=1", method=hs.methods.Dirichlet(prior=0), random_state=0
        )
        assert np.isnan([estimate.value, estimate.low, estimate.high]).all()
        assert "no case of the class" in estimate.reason

    @pytest.mark.thorough
    def test_recall_covers_at_small_samples(self):
        """With fifty cases and recall 0.95, the default interval covers at about its level, not at 0.71."""
        rng = np.random.default_rng(4)
        covered = 0
        for _ in range(300):
            hits = rng.binomial(25, 0.95)
            false = rng.binomial(25, 0.05)
            table = hs.from_counts([[25 - false, false], [25 - hits, hits]])
            method = hs.methods.Dirichlet(n_draws=1000, credible="equal_tailed")
            estimate = hs.estimate(table, "recall", method=method, random_state=rng)
            covered += estimate.low <= 0.95 <= estimate.high
        assert covered / 300 > 0.9


def test_draws_that_all_agree_give_no_interval():
    """Where every draw is the same number the interval is nan with a reason, never a point."""
    estimate = hs.estimate(hs.scores([0, 1] * 20, [0.5] * 40), "roc_auc", method="bayes", random_state=0)
    assert np.isnan([estimate.low, estimate.high]).all()
    assert "same value" in estimate.reason


def test_a_class_that_the_sample_leaves_out_moves_no_limits():
    """Unseen cases would include it, and its value does not show the effect of chance on the others."""
    table = hs.from_counts([[40, 2, 0, 3], [3, 39, 0, 0], [1, 1, 0, 0], [2, 0, 0, 30]])
    for metric in ("precision@macro", "precision+zero_division=0@macro"):
        found, plain = (
            hs.estimate(table, metric, method=hs.methods.Dirichlet(credible=kind), random_state=0)
            for kind in ("matched", "equal_tailed")
        )
        middle = (found.low + found.high) / 2
        assert middle == pytest.approx((plain.low + plain.high) / 2, abs=0.1 * found.draws.std()), metric
        assert found.high < 1


@pytest.mark.parametrize("metric", ["recall@min", "recall@max"])
def test_the_worst_class_by_an_own_prior_has_quantiles(metric):
    """Quantiles contain the value; shifted limits might not, since the metric has no derivative if classes tie."""
    table = hs.from_counts([[18, 2, 0], [2, 18, 0], [1, 1, 18]])
    found = hs.estimate(table, metric, method=hs.methods.Dirichlet(0), random_state=0)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(found.draws, [0.025, 0.975])))
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("metric", ["accuracy", "recall@min", "f1@macro"])
def test_the_models_of_a_comparison_have_the_limits_that_they_have_alone(metric):
    """Joint draws give each model the interval that an estimate gives it, but for the noise of other draws."""
    first = hs.from_counts([[30, 4, 3], [3, 25, 2], [6, 2, 20]])
    second = hs.from_counts([[28, 6, 3], [3, 22, 5], [6, 4, 18]])
    found = hs.compare(first, second, metric, method="bayes", random_state=0)
    for side, table in ((found.a, first), (found.b, second)):
        alone = hs.estimate(table, metric, method="bayes", random_state=0)
        assert (side.low, side.high) == pytest.approx((alone.low, alone.high), abs=0.1 * alone.standard_error)


def test_two_draws_have_a_standard_error():
    """The standard error is the standard deviation of the draws, also of two; one draw has none."""
    table = hs.from_counts([[50, 3], [5, 42]])
    two = hs.estimate(table, "f1", method=hs.methods.Dirichlet(n_draws=2), random_state=0)
    assert two.standard_error == pytest.approx(float(np.ptp(two.draws)) / np.sqrt(2))
    assert np.isnan(hs.estimate(table, "f1", method=hs.methods.Dirichlet(n_draws=1), random_state=0).standard_error)


@pytest.mark.parametrize(
    "method, table, words",
    [
        (hs.methods.Dirichlet(prevalence=[0.1, 0.9]), hs.scores([0, 1, 1], [0.2, 0.6, 0.9]), "confusion table of one"),
        (hs.methods.Dirichlet(source="random"), hs.scores([0, 1, 1], [0.2, 0.6, 0.9]), "confusion table of one"),
        (hs.methods.Dirichlet(prior=1.0), hs.calibrated(np.linspace(0.1, 0.9, 9)), "no prior to add"),
        (hs.methods.Dirichlet(source="prior"), hs.calibrated(np.linspace(0.1, 0.9, 9)), "no prior to add"),
        (hs.methods.Dirichlet(source="prior"), hs.values([0.5, 0.7, 2.0]), "values without bounds"),
        (
            hs.methods.Dirichlet(),
            hs.transported(hs.from_counts([[9, 1], [2, 8]]), {0: 0.4, 1: 0.6}),
            None,
        ),
    ],
)
def test_what_has_no_posterior_is_told_why(method, table, words):
    """Prevalences are for confusion tables, priors for labelled cases, and the prior alone for bounded values."""
    if words is None:
        assert bool(method.fits(table)) != table.design.supports(Resampling.posterior)
    else:
        assert words in method.fits(table)
    plain = hs.methods.Dirichlet(prior=0.5, source="prior")
    assert plain.fits(hs.values([0.5, 0.7, 2.0])) == ""
    assert hs.methods.Dirichlet(prevalence=[0.1, 0.9]).fits(hs.from_counts([[9, 1], [2, 8]])) == ""


def test_limits_of_one_side_and_of_draws_alone_are_quantiles():
    """Those of highest density hold together alone, and matched ones need the table; a posterior has no test."""
    hdi, matched, tails = (hs.methods.Dirichlet(credible=each) for each in ("hdi", "matched", "equal_tailed"))
    assert hdi.one_sided().credible == tails.credible
    assert matched.one_sided() is matched
    assert matched.of_draws_alone().credible == tails.credible
    assert hdi.of_draws_alone() is hdi
    table = hs.from_counts([[9, 1], [2, 8]])
    assert np.isnan(tails.p_value(resolve("accuracy", table), table, 0.5))


def test_priors_have_the_shape_of_what_they_are_for():
    """A number is for each cell, an array has their shape; shares of the classes sum to 1, or are parameters."""
    assert prior_array(0.25, (2, 3), "prior").tolist() == [[0.25] * 3] * 2
    assert prior_array([1, 2], (2,), "prior").tolist() == [1, 2]
    with pytest.raises(hs.HowsureError, match=r"shape \(2,\).*\(3,\)"):
        prior_array([1, 2], (3,), "prior")
    for wrong in (-0.5, [1, np.inf], "jeffries", [[1, "a"]]):
        with pytest.raises(hs.HowsureError, match="prior"):
            prior_array(wrong, (2,), "prior")
    assert [each.tolist() if hasattr(each, "tolist") else each for each in _elicited([0.3, 0.7], 2)] == [
        [0.3, 0.7],
        True,
    ]
    assert _elicited([3.0, 7.0], 2)[1] is False
    for wrong in (0.5, [0.3, 0.6]):
        with pytest.raises(hs.HowsureError, match="one share for each of the 2 classes"):
            _elicited(wrong, 2)


def test_a_class_without_cases_is_described_by_its_prior():
    """At a stated prevalence each row has its share: of the cases, or of the pseudo-cases where there are none."""
    table = hs.from_counts([[5, 1, 0], [0, 0, 0], [1, 0, 7]])
    found = hs.methods.Dirichlet(prior=1.0, prevalence=[0.2, 0.3, 0.5]).target_table(table)
    expected = np.array([[0.2 * 5 / 6, 0.2 / 6, 0], [0.1, 0.1, 0.1], [0.5 / 8, 0, 0.5 * 7 / 8]])
    assert found.counts == pytest.approx(expected)
