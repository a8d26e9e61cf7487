"""Estimates, comparisons and tables of sites: which model pools them, in which range, and which are refused."""

import math

import numpy as np
import pytest
from scipy import special, stats

import howsure as hs

SITES = {"Ulm": [[50, 3], [1, 20]], "Bern": [[46, 7], [1, 24]], "Graz": [[40, 4], [1, 12]]}
TABLES = {name: hs.from_counts(counts) for name, counts in SITES.items()}
PERFECT = hs.from_counts([[20, 0], [0, 20]])
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(2, size=240)
FIRST, SECOND = (np.where(RNG.random(240) < right, TRUTH, 1 - TRUTH) for right in (0.9, 0.8))
PARTS = slice(80), slice(80, 160), slice(160, 240)


def numbers(pooled):
    return (pooled.value, pooled.low, pooled.high, *pooled.prediction_interval, pooled.tau2, pooled.q)


def test_tables_and_estimates_are_the_same():
    """Tables with a metric, as second argument or by name, and their estimates give one result with its estimand."""
    found = hs.pool(TABLES, "recall")
    estimates = [hs.estimate(table, "recall") for table in TABLES.values()]
    for other in (
        hs.pool(list(TABLES.values()), metric="recall"),
        hs.pool(estimates),
        hs.pool(iter(estimates)),
        hs.pool(dict(zip(SITES, estimates, strict=True)).values()),
    ):
        assert numbers(other) == numbers(found)
    assert (found.method, found.estimand, found.metric) == ("binomial_normal", "typical_site", "recall")
    assert found.names == tuple(SITES)
    assert [(each.low, each.high) for each in found.experiments.values()] == [(e.low, e.high) for e in estimates]
    assert "typical site" in str(found)
    assert repr(found).startswith("Pooled(recall = ")
    assert found.records()[0]["estimand"] == "typical_site"
    assert found.grid().caption.startswith("estimand: typical site; ")


def test_groups_of_one_source_are_sites():
    """Tables that were split by a column, and their estimates, are pooled under the groups' names."""
    tables = hs.confusion(TRUTH, FIRST, by=np.repeat(["a", "b", "c"], 80))
    found = hs.pool(tables, "f1")
    assert found.names == ("a", "b", "c")
    assert numbers(hs.pool(hs.estimate(tables, "f1"))) == numbers(found)


def test_the_mean_of_sites():
    """The mean over the population is E[expit(mu + tau Z)]; both estimands are the same where tau is 0."""
    tables = [hs.from_counts([[a, 0], [40 - a, 1]]) for a in (39, 33, 20, 38, 36, 12)]
    typical, mean = (hs.pool(tables, "accuracy", estimand=each) for each in ("typical_site", "mean_of_sites"))
    z = np.random.default_rng(0).standard_normal(400_000)
    expected = special.expit(special.logit(typical.value) + math.sqrt(typical.tau2) * z).mean()
    assert mean.value == pytest.approx(expected, abs=2e-3)
    assert mean.value < typical.value
    assert "mean of sites" in str(mean)
    same = [hs.from_counts([[21, 0], [3, 21]])] * 12
    assert hs.pool(same, "accuracy").value == pytest.approx(hs.pool(same, "accuracy", estimand="mean_of_sites").value)


def test_published_recipe_stays_below_1():
    """Three sensitivities near 1 have a limit below 1; by normal standard errors it was 1.07."""
    found = hs.pool(TABLES, "sensitivity")
    assert 0 < found.low < found.value < found.high < 1
    assert hs.pool([hs.estimate(table, "sensitivity") for table in TABLES.values()], method="reml").high < 1


def test_perfect_sites():
    """Twelve sites without an error include 1, and the limit is that of all cases: 0.05^(1/540)."""
    found = hs.pool([hs.from_counts([[21, 0], [0, 24]])] * 12, "accuracy")
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(0.05 ** (1 / 540), abs=1e-4)
    assert (found.tau2, found.q, found.i2) == (0, 0, 0)
    mixed = hs.pool([*TABLES.values(), PERFECT], "mcc")
    assert -1 < mixed.low < mixed.value < mixed.high < 1


@pytest.mark.parametrize("metric", ["error_rate", "fpr"])
def test_lower_is_better_is_the_mirror(metric):
    """An error rate is pooled as one minus the accuracy."""
    other = {"error_rate": "accuracy", "fpr": "specificity"}[metric]
    first, second = hs.pool(TABLES, metric), hs.pool(TABLES, other)
    assert (first.value, first.low, first.high) == pytest.approx(
        (1 - second.value, 1 - second.high, 1 - second.low), abs=1e-3
    )


def test_ranges_other_than_0_to_1():
    """Differences are within -1 … 1, kappa too, and a user's cost in its range; AUC has one size per site."""
    pairs = [hs.paired(TRUTH[part], {"A": FIRST[part], "B": SECOND[part]}) for part in PARTS]
    difference = hs.pool([hs.compare(each, "accuracy") for each in pairs])
    assert (difference.method, difference.metric) == ("binomial_normal", "accuracy: difference")
    assert -1 < difference.low < difference.value < difference.high < 1
    assert difference.value == pytest.approx(np.mean([hs.compare(each, "accuracy").value for each in pairs]), abs=0.02)
    ratio = hs.pool([hs.compare(each, "accuracy", contrast="ratio") for each in pairs])
    assert (ratio.method, ratio.scale) == ("dl_adhoc", "log")
    assert hs.estimate(hs.from_counts([[5, 1], [2, 7]]), "kappa").bounds == (-1, 1)
    areas = [hs.scores(TRUTH[part], TRUTH[part] + RNG.normal(size=80)) for part in PARTS]
    found = hs.pool(areas, "roc_auc")
    assert found.low < found.value < found.high < 1


def test_real_values_are_pooled_on_the_scale_of_their_range():
    """Likelihood ratios are pooled on the log scale and log odds ratios as they are, by their standard errors."""
    for metric, scale, estimand in (("plr", "log", "typical_site"), ("log_dor", "identity", "mean_of_sites")):
        estimates = [hs.estimate(table, metric) for table in TABLES.values()]
        found = hs.pool(TABLES, metric)
        errors = [each.standard_error for each in estimates]
        expected = hs.pool([each.value for each in estimates], errors, scale=scale)
        assert numbers(found) == numbers(expected)
        assert (found.scale, found.estimand) == (scale, estimand)
    assert hs.pool([0.9, 0.8], [0.1, 0.1], method="fixed").estimand == "common_value"


def test_whole_numbers_may_be_values_and_errors():
    """Whole numbers are refused only where each could be the successes of a number of cases, and are written as such."""
    assert hs.pool([12, 9], [2, 3]).value == pytest.approx((12 / 4 + 9 / 9) / (1 / 4 + 1 / 9))
    assert hs.pool([1.0, 2.0], [4.0, 4.0]).value == pytest.approx(1.5)
    assert hs.pool([-1, 2], [3, 3]).value == pytest.approx(0.5)


def test_the_remedy_for_variances_in_place_of_errors():
    """A root keeps the name of its column, which the remedy drops."""
    column = pytest.importorskip("pandas").Series([0.04, 0.09], name="vi")
    with pytest.raises(hs.HowsureError, match=r"of variances, it seems. Give .* `np.sqrt\(vi\).to_numpy\(\)`"):
        hs.pool([0.1, 0.3], np.sqrt(column))
    expected = (0.1 / 0.04 + 0.3 / 0.09) / (1 / 0.04 + 1 / 0.09)  # the inverse variances are the weights
    assert hs.pool([0.1, 0.3], np.sqrt(column).to_numpy()).value == pytest.approx(expected)


def test_one_site_keeps_its_own_interval():
    """A single estimate keeps its own limits, with a note that heterogeneity is unknown."""
    own = hs.estimate(PERFECT, "f1")
    found = hs.pool([own])
    assert (found.value, found.low, found.high) == (own.value, own.low, own.high)
    assert math.isnan(found.tau2)
    assert "one experiment" in found.reason


def test_clusters_and_weights_count_less():
    """Sites enter with the limits of their clusters: differences that clusters explain are not between the sites."""
    groups = np.repeat(np.arange(24), 10)
    right = np.repeat(np.random.default_rng(1).random(24) < 0.85, 10)
    predicted = np.where(right, TRUTH, 1 - TRUTH)
    apart, clustered = (
        hs.pool([hs.confusion(TRUTH[part], predicted[part], **more(part)) for part in PARTS], "accuracy")
        for more in (lambda part: {}, lambda part: {"groups": groups[part]})
    )
    assert clustered.i2 < 0.1
    assert apart.i2 > 0.9
    assert clustered.within_variance > 3 * apart.within_variance


@pytest.mark.parametrize(
    "attempt, words",
    [
        (
            lambda: hs.pool([hs.estimate(TABLES["Ulm"], each) for each in ("f1", "mcc")]),
            "'2' has the metric mcc, and '1' f1",
        ),
        (
            lambda: hs.pool([hs.estimate(PERFECT, "f1", confidence_level=each) for each in (0.95, 0.9)]),
            "'2' has the confidence level 0.9, and '1' 0.95",
        ),
        (
            lambda: hs.pool([hs.estimate(PERFECT, "f1")] * 2, confidence_level=0.9),
            "Make them with `confidence_level=0.9`",
        ),
        (lambda: hs.pool(TABLES), "Tables need the metric"),
        (lambda: hs.pool([hs.estimate(PERFECT, "f1"), 0.8]), "'2' is no estimate"),
        (lambda: hs.pool([PERFECT, 0.8], "f1"), "'2' is no table"),
        (lambda: hs.pool([hs.estimate(PERFECT, "f1")], metric="f1"), "`metric` is for tables"),
        (lambda: hs.pool([0.9, 0.8]), "Values need `standard_errors`"),
        (lambda: hs.pool([0.9, 0.8], "recall"), "`metric` is for tables and estimates"),
        (lambda: hs.pool([(42, 47), (38, 47)], "recall"), r"from_counts\(.*`proportion\(42, 47\)`"),
        (
            lambda: hs.pool([[[40, 2], [3, 45]], [[28, 0], [0, 30]]], "accuracy"),
            r"`from_counts\(\[\[40, 2\], \[3, 45\]\]\)`",
        ),
        (lambda: hs.pool({"Ulm": [[40, 2], [3, 45]]}, "accuracy"), r"metric of their own.*`from_counts\(\[\[40, 2\]"),
        (lambda: hs.pool([0.9, 0.8], [0.1, 0.1], method="binomial_normal"), "Give estimates, tables and a metric"),
        (lambda: hs.pool([0.9, 0.8], [0.1, 0.1], estimand="typical_site"), "`estimand` is for tables and estimates"),
        (lambda: hs.pool(TABLES, "f1", estimand="typical"), "Did you mean 'typical_site'"),
        (
            lambda: hs.pool(TABLES, "f1", method="reml", estimand="typical_site"),
            "`estimand` is for method='binomial_normal'",
        ),
        (lambda: hs.pool(TABLES, "f1", method="binomial_normal", test="z"), "`test` is for the normal models"),
        (lambda: hs.pool(TABLES, "plr", method="binomial_normal"), r"`plr` has the range \(0.0, inf\)"),
        (lambda: hs.pool([*TABLES.values(), PERFECT], "plr"), "'4' is nan .*leaving it out biases"),
        (lambda: hs.pool([*TABLES.values(), PERFECT], "f1", method="reml"), "'4' is 1, .*binomial_normal"),
    ],
)
def test_refusals(attempt, words):
    """Sites that do not go together, and settings of another model, are refused in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        attempt()


def test_forests_of_infinite_and_undefined_limits_are_printed():
    """A site whose limits are infinite has no bar, and a forest without any limit has none at all."""
    few = hs.estimate(hs.values([0.1, 0.2, 0.4]), "median")
    many = hs.estimate(hs.values(RNG.random(40)), "median")
    assert math.isinf(few.low)
    text = str(hs.pool([few, many, many], method="reml").grid())
    assert "■" in text
    assert "[−∞, ∞]" in text
    alone = hs.estimate(hs.values([0.4, 0.4, 0.4], bounds=(0, 1), groups=[1, 1, 1]), "mean")
    assert math.isnan(alone.low)
    assert "■" not in str(hs.pool([alone]).grid())


def test_limits_of_a_low_level_contain_the_value():
    """For sites with kappa 0 and skewed limits, the pooled 50 % interval still contains the value."""
    limits = [(-0.2499, 0.0071), (-0.2037, 0.0046), (-0.87, 0.2533), (-0.87, 0.2533), (-0.2499, 0.0071)]
    about = {"metric": "quadratic_weighted_kappa", "confidence_level": 0.5, "method": "flow", "standard_error": 0.1}
    pooled = hs.pool([hs.Estimate(0.0, low=low, high=high, **about) for low, high in limits])
    assert pooled.low <= pooled.value <= pooled.high


@pytest.mark.parametrize("sites", [2, 3, 4])
@pytest.mark.parametrize("errors", [0, 1, 4])
def test_a_new_site_varies_at_least_as_much_as_the_typical_one(sites, errors):
    """The prediction interval contains the interval of the pooled value, also for a few equal sites."""
    tables = {f"site {k}": hs.from_counts([[30 - errors, errors], [errors + k, 28 - errors]]) for k in range(sites)}
    found = hs.pool(tables, metric="accuracy")
    low, high = found.prediction_interval
    assert low <= found.low < found.high <= high


def test_exact_values_without_error_have_the_largest_heterogeneity():
    """Variances that vanish beside the spread of the values: the limits of tau² are the spread over the quantiles of Q."""
    found = hs.pool([0.2, 0.8], standard_errors=[1e-12, 1e-12], method="dl", confidence_level=0.999)
    assert found.tau2 == pytest.approx(0.18, rel=1e-6)
    expected = 0.18 / stats.chi2.ppf([0.9995, 0.0005], 1)
    assert found.tau2_interval == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("metric", ["diagnostic_odds_ratio", "plr", "nlr"])
@pytest.mark.parametrize("cell", ["tp", "fp", "fn"])
def test_ratios_with_a_count_of_0_name_a_remedy_that_runs(metric, cell):
    """Leaving such studies out would bias the result: their rates are pooled, or logarithms with half a case more."""
    counts = {"tp": [10, 3, 5], "fp": [2, 3, 1], "fn": [4, 8, 9], "tn": [30, 20, 25]}
    counts[cell][0] = 0
    tables = hs.from_counts(**counts)
    if not all(np.isfinite(value) and value > 0 for value in [hs.estimate(tables[0], metric).value]):
        with pytest.raises(hs.HowsureError, match="leaving it out biases the result"):
            hs.pool(tables, metric)
    assert 0 < hs.pool(tables, "sensitivity").value < 1
    tp, fp, fn, tn = (np.array(counts[name]) + 0.5 for name in ("tp", "fp", "fn", "tn"))
    error = np.sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn)
    assert math.isfinite(hs.pool(np.log(tp * tn / fp / fn), error).value)
