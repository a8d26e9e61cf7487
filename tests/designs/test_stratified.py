"""Samples from strata of known sizes: published tables, the laws of designs, and coverage."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
import howsure.testing
from howsure.designs.stratified import StratifiedSample
from howsure.methods.core.standard_errors import design_sample
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.tables.confusion import ConfusionTable
from support.files import rows_of

# Error matrix of a map of forest change, map class × reference class, and the pixels of each map class (table 8).
NAMES = ["deforestation", "forest gain", "stable forest", "stable non-forest"]
MATRIX = np.array([[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]])
PIXELS = {"deforestation": 200_000, "forest gain": 150_000, "stable forest": 3_200_000, "stable non-forest": 6_450_000}
TOTAL = sum(PIXELS.values())
HECTARES = TOTAL * 900 / 10_000  # pixels of 30 m
SHARES = {name: pixels / TOTAL for name, pixels in PIXELS.items()}
MAPPED = np.repeat(NAMES, MATRIX.sum(1))
TRUE = np.concatenate([np.repeat(NAMES, row) for row in MATRIX])


def figures(table, metric):
    """Return the values of each class, and their standard errors."""
    found = list(hs.evaluate(table, [metric], method="wald").values())
    return [each.value for each in found], [each.standard_error for each in found]


def forest():
    """Return the table of the map of forest change."""
    return hs.confusion(TRUE, MAPPED, labels=NAMES, strata=MAPPED, stratum_sizes=SHARES)


def test_a_map_of_forest_change():
    """Accuracies and areas have the printed figures of Olofsson et al. (2014), Remote Sens. Environ. 148, p. 54.

    These are 95 % intervals, as value ± 1.96 standard errors.
    """
    printed = {
        "accuracy": ([0.95], [0.02]),
        "precision@none": ([0.88, 0.73, 0.93, 0.96], [0.07, 0.10, 0.04, 0.02]),  # user's accuracy
        "recall@none": ([0.75, 0.85, 0.93, 0.96], [0.21, 0.25, 0.03, 0.02]),  # producer's accuracy
    }
    for metric, (values, margins) in printed.items():
        found, errors = figures(forest(), metric)
        assert np.round(found, 2).tolist() == values
        assert np.round(1.96 * np.array(errors), 2).tolist() == margins
    areas, errors = (HECTARES * np.array(each) for each in figures(forest(), "prevalence@none"))
    assert areas.round().tolist() == [21_158, 11_686, 285_770, 581_386]
    assert (1.96 * errors).round().tolist() == [6158, 3756, 15_510, 16_282]


def test_strata_that_are_no_map_classes():
    """If strata differ from map classes, the results are those of R's mapac for Stehman's (2014) example.

    Int. J. Remote Sens. 35, 4923-4939; printed at pages.cms.hu-berlin.de/pflugmad/mapac/reference/aa_stratified.html.
    The standard error of class B's producer's accuracy also follows from the equation for a ratio.
    """
    strata = np.repeat(list("ABCD"), 10)
    mapped = np.array(list("AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD"))
    true = np.array(list("AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB"))
    shares = {"A": 0.4, "B": 0.3, "C": 0.2, "D": 0.1}
    table = hs.confusion(true, mapped, strata=strata, stratum_sizes=shares)
    assert table.counts.T[:3] / 40 == pytest.approx(
        np.array([[0.23, 0.04, 0.04, 0.0], [0.12, 0.27, 0.08, 0.0], [0.0, 0.02, 0.06, 0.04]])
    )
    printed = {
        "precision@none": ([0.7419355, 0.5744681, 0.5], [0.1645627, 0.1248023, 0.2151657]),  # user's accuracy
        "recall@none": ([0.6571429, 0.7941176, 0.3], [0.1477318, 0.1165671, 0.1504438]),  # producer's accuracy
    }
    for metric, (values, errors) in printed.items():
        found = figures(table, metric)
        assert found[0][:3] == pytest.approx(values, abs=1e-7)
        assert found[1][:3] == pytest.approx(errors, abs=1e-7)
    weight = np.array([shares[name] / 10 for name in strata])
    hit, is_true, is_mapped = (true == "B") & (mapped == "B"), true == "B", mapped == "B"
    recall = weight * (hit - 0.27 / 0.34 * is_true) / 0.34
    assert linearised(recall, strata, shares) == pytest.approx(0.1165671, abs=1e-7)
    f1 = weight * (2 * hit - 0.54 / 0.81 * (1.0 * is_true + is_mapped)) / 0.81  # mapac takes both as independent
    assert figures(table, "f1@none")[1][1] == pytest.approx(linearised(f1, strata, shares))


@pytest.fixture(scope="module")
def schools():
    """Return 200 Californian schools, drawn by type: the data `apistrat` of R's package survey."""
    rows = rows_of("apistrat.csv")
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


SCHOOLS = {"E": 4421, "H": 755, "M": 1018}


def test_means_of_a_finite_population(schools):
    """Mean and total of schools equal those of R's survey, with and without finite population correction.

    ``svymean(~api00, dstrat)`` gives 662.29, standard error 9.4089, and ``svytotal(~enroll, dstrat)`` 3687178 and
    114642, with ``dstrat <- svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc)``; without
    ``fpc`` the first error is 9.5361.
    """
    score, pupils = schools["api00"].astype(float), schools["enroll"].astype(float)
    mean = hs.estimate(hs.values(score, strata=schools["stype"], stratum_sizes=SCHOOLS), "mean", method="wald")
    assert (round(mean.value, 2), round(mean.standard_error, 4)) == (662.29, 9.4089)
    size = hs.estimate(hs.values(pupils, strata=schools["stype"], stratum_sizes=SCHOOLS), "mean", method="wald")
    number = sum(SCHOOLS.values())
    assert (round(number * size.value), round(number * size.standard_error)) == (3687178, 114642)
    shares = {name: each / number for name, each in SCHOOLS.items()}
    large = hs.estimate(hs.values(score, strata=schools["stype"], stratum_sizes=shares), "mean", method="wald")
    assert (round(large.value, 2), round(large.standard_error, 4)) == (662.29, 9.5361)


def linearised(form, strata, sizes, units=None):
    """Return the standard error of a total of residuals: ``sum_h (1 - f_h) n_h / (n_h - 1) sum (z - mean)**2``."""
    units = np.arange(len(form)) if units is None else units
    square = 0.0
    for name, size in sizes.items():
        inside = strata == name
        totals = np.array([form[inside & (units == unit)].sum() for unit in np.unique(units[inside])])
        left = 1 - inside.sum() / size if sum(sizes.values()) > 1.5 else 1.0
        square += left * len(totals) / (len(totals) - 1) * ((totals - totals.mean()) ** 2).sum()
    return np.sqrt(square)


def test_a_group_is_a_domain(schools):
    """The mean of a group is a ratio over the whole sample: other cases of its strata count in the variance."""
    score, strata, met = schools["api00"].astype(float), schools["stype"], schools["both"]
    tables = hs.values(score, strata=strata, stratum_sizes=SCHOOLS, by=met)
    weight = np.array([SCHOOLS[name] / (strata == name).sum() for name in strata])
    for key in ("Yes", "No"):
        inside = weight * (met == key)
        ratio = (inside * score).sum() / inside.sum()
        found = hs.estimate(tables[key], "mean", method="wald")
        assert found.value == pytest.approx(ratio)
        error = linearised(inside * (score - ratio) / inside.sum(), strata, SCHOOLS)
        assert found.standard_error == pytest.approx(error)


def test_clusters_within_strata(schools):
    """Clusters within strata vary on their own: the variance of each stratum is between its clusters' totals."""
    score, strata = schools["api00"].astype(float), schools["stype"]
    cluster = np.char.add(strata, (np.arange(200) % 9).astype(str))
    shares = {"E": 0.5, "H": 0.2, "M": 0.3}
    table = hs.values(score, strata=strata, stratum_sizes=shares, groups=cluster)
    found = hs.estimate(table, "mean", method="wald")
    weight = np.array([shares[name] / (strata == name).sum() for name in strata])
    mean = (weight * score).sum()
    within = {name: score[strata == name].mean() for name in shares}
    form = weight * (score - np.array([within[name] for name in strata]))
    assert found.value == pytest.approx(mean)
    assert found.standard_error == pytest.approx(linearised(form, strata, shares, cluster))
    assert table.design.description.sample == "in 27 clusters, from 3 strata of known size"


def test_clusters_across_strata_are_post_stratified():
    """Clusters with cases in several strata vary as a whole, by their residuals from the means of the strata."""
    rng = np.random.default_rng(3)
    strata, cluster = np.array(["a", "b"])[rng.integers(0, 2, 240)], np.arange(240) // 8
    value = rng.normal(size=240) + 0.8 * rng.normal(size=30)[cluster] + (strata == "b")
    found = hs.estimate(
        hs.values(value, strata=strata, stratum_sizes={"a": 0.8, "b": 0.2}, groups=cluster), "mean", method="wald"
    )
    form = np.zeros(240)
    for name, share in (("a", 0.8), ("b", 0.2)):
        inside = strata == name
        form[inside] = share * (value[inside] - value[inside].mean()) / inside.sum()
    totals = np.bincount(cluster, form)
    assert found.standard_error == pytest.approx(np.sqrt(30 / 29 * (totals**2).sum()))


def test_a_stratum_seen_whole_adds_nothing():
    """A fully enumerated stratum has no uncertainty: the standard error is that of the other strata."""
    right, strata = np.array([1] * 6 + [0] * 4 + [1] * 15 + [0] * 5), np.repeat(["rare", "common"], [10, 20])
    table = hs.values(right, strata=strata, stratum_sizes={"rare": 10, "common": 2000})
    found = hs.estimate(table, "mean", method="wald")
    assert found.value == pytest.approx((6 + 2000 * 0.75) / 2010)
    assert found.standard_error == pytest.approx(2000 / 2010 * np.sqrt((1 - 20 / 2000) * 0.75 * 0.25 / 19))


def test_strata_that_were_all_read_leave_no_interval():
    """For a fully enumerated population no method gives an interval, but the reason that the metric is certain."""
    rng = np.random.default_rng(6)
    strata = np.repeat(list("abc"), [29, 9, 16])
    truth, said, sizes = rng.integers(0, 2, 54), rng.integers(0, 2, 54), {"a": 29, "b": 9, "c": 16.0}
    table = hs.confusion(truth, said, strata=strata, stratum_sizes=sizes)
    values = hs.values(truth + 0.1 * said, strata=strata, stratum_sizes=sizes)
    found = [hs.estimate(table, metric) for metric in ("accuracy", "precision", "f1", "kappa")]
    found += [hs.estimate(values, metric) for metric in ("mean", "median")]
    for method in ("wilson", "mid_p", "flow", "delta", "bootstrap_percentile"):
        found.append(hs.estimate(table, "accuracy", method=method, random_state=0))
    assert any("The population is finite" in each for each in table.cautions)
    for each in found:
        assert np.isnan([each.low, each.high]).all()
        assert each.reason == "the metric does not vary between samples of this design"


@pytest.mark.parametrize("method", ["wilson", "mid_p", "flow", "delta"])
def test_intervals_shrink_with_what_was_drawn(method):
    """If 160 of 170 cases were sampled, interval and Cochran's standard error both shrink by ``sqrt(1 - f)``."""
    right, strata = np.tile([1, 1, 1, 0], 40), np.repeat(["a", "b"], 80)
    truth = np.tile([0, 1], 80)
    said = np.where(right == 1, truth, 1 - truth)
    table = hs.confusion(truth, said, strata=strata, stratum_sizes={"a": 85, "b": 85})
    found = hs.estimate(table, "accuracy", method=method)
    error = np.sqrt(2 * 0.5**2 * (1 - 80 / 85) * 0.75 * 0.25 / 79)
    assert found.standard_error == pytest.approx(error)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_agreement_tells_more_where_much_was_drawn():
    """When 40 of 80 agree, 2 to 7 others may not: five are missed with a chance of 1.8 %, four with 4.6 %."""
    truth = np.array([0, 1] * 40)
    said = np.array([0] * 40 + [0, 1] * 20)
    truth[:40], said[:40] = 0, 0
    table = hs.confusion(truth, said, strata=np.repeat(["a", "b"], 40), stratum_sizes={"a": 80, "b": 80}, check=False)
    found = hs.estimate(table, "accuracy")
    assert 1 - 7 / 160 < found.low < 1 - 3 / 160


FINITE = {  # cases of a population by stratum: true × predicted; and how many of each stratum are drawn
    "half of a map": ([[90, 0, 10, 0], [0, 4, 0, 36]], [50, 20]),
    "most of both": ([[180, 0, 20, 0], [0, 8, 0, 72]], [180, 72]),
    "unevenly": ([[60, 10, 5, 25], [90, 30, 60, 120]], [80, 90]),
}


@pytest.mark.parametrize("scene", FINITE)
def test_intervals_of_finite_populations_cover_and_are_no_wider(scene):
    """For samples from small populations, intervals cover, with widths that match their standard errors.

    With 600 studies the simulated coverage has a standard error of 0.9 percentage points at 95 %, and counts are coarse.
    """
    cells, sizes = (np.array(each) for each in FINITE[scene])
    rng, totals = np.random.default_rng(2), cells.sum(1)
    observed = np.stack([rng.multivariate_hypergeometric(*each, 600) for each in zip(cells, sizes, strict=True)], 1)
    stratum, place = np.divmod(np.flatnonzero(cells.ravel() > 0), 4)
    design = StratifiedSample(
        observed=observed.reshape(600, -1)[:, cells.ravel() > 0].astype(float),
        stratum=stratum,
        place=place,
        cells=4,
        share=totals / totals.sum(),
        design=hs.designs.Independent(),
        names=("a", "b"),
        total=float(totals.sum()),
        units=sizes.astype(float),
        fraction=sizes / totals,
    )
    tables = ConfusionTable(
        counts=design.whole.reshape(-1, 2, 2), labels=np.arange(2), design=design, rows=np.full(600, sizes.sum())
    )
    truth = hs.from_counts(cells.sum(0).reshape(2, 2))
    for name in ("accuracy", "kappa"):
        metric = resolve(name, tables)
        found = default_method(metric, tables).interval(metric, tables, 0.95)
        true = float(metric(truth.counted))
        covered = ((found.low <= true) & (true <= found.high)).mean()
        assert 0.92 < covered < 0.985, (scene, name, covered)
        width = ((found.high - found.low) / found.standard_error).mean() / (2 * 1.96)
        assert 0.9 < width < 1.15, (scene, name, width)


def test_a_single_case_is_told_and_not_certain():
    """A stratum of one case adds its distance to the mean of all, and the caution names it."""
    right, strata = np.array([1, 0, 1, 1, 0, 1, 1]), np.array(list("aaaaaab"))
    table = hs.values(right, strata=strata, stratum_sizes={"a": 0.75, "b": 0.25})
    found = hs.estimate(table, "mean", method="wald")
    mean = 0.75 * 4 / 6 + 0.25
    square = 0.75**2 * (4 / 6 * 2 / 6) / 5 + (0.25 * (1 - mean)) ** 2
    assert found.value == pytest.approx(mean)
    assert found.standard_error == pytest.approx(np.sqrt(square))
    assert any("A stratum with one case shows no variation (b)" in each for each in table.cautions)
    assert not any("finite" in each for each in table.cautions)


def test_agreement_in_a_heavy_stratum_is_no_certainty():
    """If a heavily weighted stratum shows no error, the interval allows for its unobserved errors."""
    truth, said = np.repeat([0, 1], [60, 40]), np.array([0] * 60 + [1] * 36 + [0] * 4)
    table = hs.confusion(truth, said, strata=truth, stratum_sizes={0: 0.99, 1: 0.01})
    most = 1 - 0.05 ** (1 / 60)  # errors among 60, of which none was seen: the mid-p limit, (1 - p)**60 / 2 = 0.025
    for method in (None, "mid_p", "bayes"):
        found = hs.estimate(table, "precision", method=method, random_state=0)
        assert found.value == 1.0
        assert found.low < 1.25 * 0.01 * 0.9 / (0.01 * 0.9 + 0.99 * most)


RNG = np.random.default_rng(0)
SIZE = 600
STRATA = RNG.choice(["a", "b", "c"], SIZE, p=[0.5, 0.3, 0.2])
ONE = RNG.integers(0, 2, SIZE)
OTHER = np.where(RNG.random(SIZE) < 0.75, ONE, 1 - ONE)
BESIDE = {
    "plain": {},
    "weighted": {"sample_weight": RNG.random(SIZE) + 0.5},
    "clusters within": {"groups": np.char.add(STRATA, (np.arange(SIZE) % 50).astype(str))},
    "clusters across": {"groups": np.arange(SIZE) // 5},
}
POPULATIONS = {"shares": {"a": 0.1, "b": 0.2, "c": 0.7}, "finite": {"a": 420, "b": 300, "c": 160}}


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("beside", BESIDE)
def test_the_laws_hold(beside, population):
    """Variance, resamples and posterior agree, of strata of shares and of finite sizes, for all cases and a group."""
    sizes, half = POPULATIONS[population], np.arange(SIZE) % 2
    tables = hs.confusion(ONE, OTHER, strata=STRATA, stratum_sizes=sizes, by=half, **BESIDE[beside])
    for table in (tables.overall, tables[0]):
        howsure.testing.check_design(table.design, table)
        again = table.at_prevalence([0.9, 0.1])
        howsure.testing.check_design(again.design, again)


def test_degrees_of_freedom_follow_the_strata_that_matter():
    """A stratum of few cases that makes up the variance gives its own degrees of freedom, by Satterthwaite."""
    truth = np.array([0, 1] * 100)
    said = np.where(np.arange(200) % 5 == 0, 1 - truth, truth)
    strata = np.array(["few"] * 5 + ["many"] * 195)
    table = hs.confusion(truth, said, strata=strata, stratum_sizes={"few": 0.9, "many": 0.1})
    right = np.array([1.0, 0.0, 0.0, 1.0]) - table.counts.trace() / table.counts.sum()
    freedom = table.design.small_sample_correction(table.cells, right)[1]
    few = 0.9**2 * (0.8 * 0.2) / 4
    wrong = (said != truth)[5:].mean()
    many = 0.1**2 * wrong * (1 - wrong) / 194
    assert freedom == pytest.approx((few + many) ** 2 / (few**2 / 4 + many**2 / 194))


def drawn(shares, weights, sizes, studies, rng):
    """Return confusion tables of new samples from strata, in each of which a cell has some probability."""
    strata, cells = shares.shape
    stratum, place = np.divmod(np.arange(strata * cells), cells)
    observed = np.concatenate([rng.multinomial(n, each, studies) for n, each in zip(sizes, shares, strict=True)], 1)
    kept = shares.ravel() > 0
    design = StratifiedSample(
        observed=observed[:, kept].astype(float),
        stratum=stratum[kept],
        place=place[kept],
        cells=cells,
        share=weights,
        design=hs.designs.Independent(),
        names=tuple(range(strata)),
        units=np.array(sizes, dtype=float),
    )
    size = int(np.sqrt(cells))
    counts = design.whole.reshape(studies, size, size)
    rows = np.full(studies, sum(sizes))
    return ConfusionTable(counts=counts, labels=np.arange(size), design=design, rows=rows)


SCENES = {  # shares of true × predicted of each stratum, their shares of the population, and cases drawn
    "strata are predictions": ([[0.9, 0.0, 0.1, 0.0], [0.0, 0.2, 0.0, 0.8]], [0.95, 0.05], [100, 50]),
    "a heavy stratum of rare errors": (
        [[0.93, 0.02, 0.01, 0.04], [0.3, 0.15, 0.1, 0.45]],
        [0.9, 0.1],
        [60, 40],
    ),
    "ten strata": (
        [[0.5 - s / 40, 0.1, 0.1, 0.3 + s / 40] for s in range(10)],
        np.arange(1, 11) / 55,
        [12] * 10,
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_intervals_cover(scene):
    """Default intervals of accuracy, F1, kappa and a class frequency cover close to the nominal level, or more.

    With 600 studies the simulated coverage has a standard error of 0.9 percentage points at 95 %; if a stratum often
    shows no error, coverage is higher.
    """
    shares, weights, sizes = (np.array(each, dtype=float) for each in SCENES[scene])
    tables = drawn(shares, weights, sizes.astype(int), 600, np.random.default_rng(5))
    truth = replace(tables, counts=1e6 * (weights @ shares).reshape(2, 2), design=hs.designs.Independent(), rows=10**6)
    for name in ("accuracy", "f1", "kappa", "prevalence"):
        metric = resolve(name, tables)
        found = default_method(metric, tables).interval(metric, tables, 0.95)
        true = float(metric(truth.counted))
        covered = ((found.low <= true) & (true <= found.high)).mean()
        assert 0.92 < covered < 0.995, (scene, name, covered)
        assert (found.high > found.low).all()


def test_a_perfect_sample_has_the_degrees_of_freedom_of_its_cases():
    """Without an error in any stratum nothing varies, and rounding in other units of weights is not variation."""
    rng = np.random.default_rng(4)
    truth, strata, weight = rng.integers(0, 2, 30), np.arange(30) % 3, rng.lognormal(size=30)
    sizes = {0: 0.6, 1: 0.28, 2: 0.12}
    found = set()
    for unit, order in [(1.0, slice(None)), (0.1, slice(None)), *((1.0, rng.permutation(30)) for _ in range(5))]:
        table = hs.confusion(
            truth[order],
            truth[order].copy(),
            strata=strata[order],
            sample_weight=unit * weight[order],
            stratum_sizes=sizes,
        )
        value, (low, high) = hs.estimate(table, "class_accuracy@micro", method="fieller")
        found.add((value, round(low, 12), high))
    assert len(found) == 1


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1000.0])
def test_the_unit_of_weights_gives_no_degrees_of_freedom(scale):
    """In an error-free sample class contributions vary only by rounding, in any unit: one degree of freedom."""
    truth, sizes = np.array(["a", "a", "b", "b", "a"]), {0: 1_813_709, 1: 8_842_808, 2: 2_343_487}
    roles = {"strata": [0, 1, 0, 2, 0], "groups": [0, 1, 0, 1, 0], "stratum_sizes": sizes}
    table = hs.confusion(truth, truth, sample_weight=np.full(5, scale), check=False, **roles)
    inflation, freedom = design_sample(resolve("p4@harmonic", table), table)
    assert (inflation, freedom) == (1, 1)


def test_the_shares_of_strata_are_settled_and_what_varies_within_them_is_not():
    """With stated class frequencies, a form of the true class is certain, also with a cell for each class."""
    design = hs.from_counts([[50, 3], [5, 42]]).at_prevalence([0.8, 0.2]).design
    assert design.is_fixed_total(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]])).tolist() == [True, False]
    assert design.collapse_cells(np.array([0, 0, 1, 1]), 2).is_fixed_total(np.array([0.0, 1.0]))
    assert not design.collapse_cells(np.array([0, 0, 1, 2]), 3).is_fixed_total(np.array([0.0, 0.0, 1.0]))


def test_variance_along_thresholds_is_that_of_the_strata_at_each():
    """For any form above and below a threshold: Cochran's variance of the weighted cases in the strata."""
    rng = np.random.default_rng(0)
    truth, score, strata = (
        rng.integers(0, 2, 60),
        rng.integers(0, 12, 60) / 12,
        np.array(list("aab"))[np.arange(60) % 3],
    )
    shares = {"a": 0.3, "b": 0.7}
    table = hs.scores(truth, score, strata=strata, stratum_sizes=shares)
    weight = 60 * np.where(strata == "a", 0.3 / 40, 0.7 / 20)
    thresholds = [np.inf, *table.scores[::-1]]  # from the top
    slopes = rng.normal(size=(len(thresholds), 2, 2))  # at each, of either class, below and above
    expected = [
        linearised(weight * slope[truth, (score >= threshold).astype(int)], strata, shares) ** 2
        for threshold, slope in zip(thresholds, slopes, strict=True)
    ]
    assert table.design.threshold_variances(table.counts, slopes) == pytest.approx(np.array(expected))


def test_resamples_of_few_cases_vary_as_much_as_the_sample():
    """For strata of four and six cases, also in a finite population, resamples have Cochran's variance."""
    right, strata = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 1]), np.repeat(["a", "b"], [4, 6])
    said = np.where(right == 1, [0, 1] * 5, [1, 0] * 5)
    table = hs.confusion([0, 1] * 5, said, strata=strata, stratum_sizes={"a": 16, "b": 8})
    drawn = table.design.resample(table.counts.ravel(), 40_000, np.random.default_rng(0)).reshape(-1, 2, 2)
    accuracy = drawn[:, [0, 1], [0, 1]].sum(-1) / drawn.sum((-2, -1))
    variance = (2 / 3) ** 2 * (1 - 4 / 16) * 0.75 * 0.25 / 3 + (1 / 3) ** 2 * (1 - 6 / 8) * (2 / 9) / 5
    assert accuracy.mean() == pytest.approx(2 / 3 * 0.75 + 1 / 3 * 2 / 3, abs=0.005)
    assert accuracy.var() == pytest.approx(variance, rel=0.03)


def test_resamples_at_stated_frequencies_keep_the_classes():
    """At stated class frequencies each class is resampled with its own number of cases, and has its frequency."""
    table = hs.from_counts([[6, 2], [1, 3]]).at_prevalence([0.9, 0.1])
    drawn = table.design.resample(table.counts.ravel(), 40_000, np.random.default_rng(1)).reshape(-1, 2, 2)
    assert drawn.sum(-1) == pytest.approx(np.tile([10.8, 1.2], (40_000, 1)))
    shares = drawn[:, [0, 1], [1, 1]] / [10.8, 1.2]
    assert shares.var(0) == pytest.approx([0.25 * 0.75 / 8, 0.25 * 0.75 / 4], rel=0.03)


@pytest.mark.parametrize("number", [8, 9])
def test_cautions_list_a_few_strata(number):
    """The frequencies of up to eight strata are listed; for more strata, only their number."""
    strata = np.repeat([f"s{index}" for index in range(number)], 5)
    sizes = {f"s{index}": 1 / number for index in range(number)}
    table = hs.values(np.arange(5.0 * number) % 7, strata=strata, stratum_sizes=sizes)
    (said,) = table.cautions
    assert f"{number} strata of known size" in said
    assert ("s0 0.125" in said) == (number == 8)
    assert table.design.description.sample == f"from {number} strata of known size"


def test_weights_within_strata_are_told():
    """Cases of different weights, and the strata that they come from, are named in the design's words."""
    strata, weight = np.repeat(["a", "b"], 10), np.linspace(0.5, 2, 20)
    table = hs.values(np.arange(20.0), strata=strata, stratum_sizes={"a": 0.3, "b": 0.7}, sample_weight=weight)
    assert table.design.description.sample == "of different weights, from 2 strata of known size"


def test_some_finite_strata_make_a_finite_population():
    """If one stratum has a negligible sampling fraction, the correction for the other one is still reported."""
    strata = np.repeat(["a", "b"], 10)
    table = hs.values(np.arange(20.0) % 6, strata=strata, stratum_sizes={"a": 15, "b": 1e12})
    assert any("The population is finite" in each for each in table.cautions)


def test_new_samples_of_strata_grow_with_the_scale():
    """Three times the cases have strata of three times the cases, of a finite one no more than there are."""
    right, strata = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 1]), np.repeat(["a", "b"], [4, 6])
    table = hs.values(right, strata=strata, stratum_sizes={"a": 100, "b": 9})
    _, design = table.design.simulate_studies(table.counts.ravel(), 3.0, 5, np.random.default_rng(0))
    assert design.units.tolist() == [12, 18]
    assert design.fraction.tolist() == pytest.approx([0.12, 1.0])
    assert design.observed.sum(-1).tolist() == [30] * 5


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_what_is_settled_does_not_depend_on_the_unit_of_the_form(unit):
    """Whether a form is certain does not depend on its unit; stratum weights are compared up to rounding."""
    design = hs.from_counts([[50, 3], [5, 42]]).at_prevalence([0.8, 0.2]).design
    forms = unit * np.array([[1.0, 1.0, 0.3, 0.3], [1.0, 0.999, 0.0, 0.0]])
    assert design.is_fixed_total(forms).tolist() == [True, False]
    near = hs.from_counts([[50, 50], [50, 50]]).at_prevalence([0.5 + 1e-12, 0.5 - 1e-12]).design
    other = hs.from_counts([[50, 50], [50, 50]]).at_prevalence([0.6, 0.4]).design
    every = np.ones(4, dtype=bool)
    assert near.has_equal_weights(every)
    assert not other.has_equal_weights(every)
    assert other.has_equal_weights(np.array([True, True, False, False]))


def test_drawn_shares_are_shares():
    """Shares that are estimates are drawn with their covariance, none below zero, and add up to the whole again."""
    covariance = 0.03**2 * np.array([[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]])
    counts = [[40, 5, 5], [6, 30, 4], [2, 3, 25]]
    table = hs.from_counts(counts).at_prevalence([0.9, 0.07, 0.03], covariance=covariance)
    drawn = table.design.resample(table.counts.ravel(), 20_000, np.random.default_rng(2)).reshape(-1, 3, 3)
    shares = drawn.sum(-1) / 120
    assert shares.sum(-1) == pytest.approx(np.ones(20_000))
    assert shares.min() >= 0
    assert (shares == 0).any()
    assert shares[:, 0].std() == pytest.approx(0.03 * 2**0.5, rel=0.1)


# Observed cells of three strata: three outcomes of a, two of b and two of c, of a table with four cells.
OBSERVED = np.array([6.0, 3.0, 1.0, 4.0, 8.0, 5.0, 5.0])
STRATUM, PLACE = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 3, 1, 2, 3, -1])
SHARE = np.array([0.5, 0.2, 0.3])
CELLS_FORM = np.array([0.8, -0.5, 1.4, -2.0])


def three(**changes):
    """Return the design of a sample from three strata; the last cell is of cases that are in no cell of the table."""
    design = StratifiedSample(
        OBSERVED, STRATUM, PLACE, 4, SHARE, hs.designs.Independent(), ("a", "b", "c"), units=np.array([10.0, 12, 10])
    )
    return replace(design, **changes)


def written_out(fraction=(0.0, 0.0, 0.0), total=32.0):
    """Return Cochran's variance of a total: of each stratum N**2 (1 - f) s**2 / n, cases written out one by one."""
    form, square = np.append(CELLS_FORM, 0.0)[PLACE], 0.0
    for index in range(3):
        inside = index == STRATUM
        cases = np.repeat(form[inside], OBSERVED[inside].astype(int))
        square += (total * SHARE[index]) ** 2 * (1 - fraction[index]) * cases.var(ddof=1) / len(cases)
    return square


@pytest.mark.parametrize("total", [None, 500.0])
def test_the_variance_is_cochrans(total):
    """Tables weigh each stratum by its share; the variance is that of a stratified total, with finite corrections."""
    design = three(total=total)
    whole = total or 32.0
    expected = [0.5 * 6 / 10, 0.5 * 3 / 10 + 0.2 * 4 / 12, 0.2 * 8 / 12, 0.5 * 1 / 10 + 0.3 * 5 / 10]
    assert design.whole == pytest.approx(whole * np.array(expected))
    assert design.variance(None, CELLS_FORM) == pytest.approx(written_out(total=whole))
    fraction = np.array([0.1, 0.75, 1.0])
    finite = three(total=total, fraction=fraction)
    assert finite.variance(None, CELLS_FORM) == pytest.approx(written_out(fraction, whole))
    assert finite.unsampled_fraction.tolist() == (1 - fraction)[STRATUM].tolist()
    plain = three(total=total, units=None).variance(None, CELLS_FORM)  # a multinomial within each stratum
    form, square = np.append(CELLS_FORM, 0.0)[PLACE], 0.0
    for index, n in enumerate((10, 12, 10)):
        cases = np.repeat(form[index == STRATUM], OBSERVED[index == STRATUM].astype(int))
        square += (whole * SHARE[index]) ** 2 * cases.var() / n
    assert plain == pytest.approx(square)


def test_estimated_shares_add_the_variance_of_the_means():
    """With frequencies that are estimates, ``N**2 m' C m`` is added, for the means m of the strata."""
    covariance = np.array([[4.0, -3.0, -1.0], [-3.0, 5.0, -2.0], [-1.0, -2.0, 3.0]]) * 1e-4
    design = three(covariance=covariance)
    form = np.append(CELLS_FORM, 0.0)[PLACE]
    means = np.array([np.average(form[i == STRATUM], weights=OBSERVED[i == STRATUM]) for i in range(3)])
    expected = written_out() + 32**2 * means @ covariance @ means
    assert design.variance(None, CELLS_FORM) == pytest.approx(expected)
    assert design.placement_variance(None, SIDE, CELLS_FORM) == pytest.approx(expected)
    assert (design.traits.default_method, three().traits.default_method) == ("delta", "")


SIDE = np.array([0, 0, 1, 1])


def test_degrees_of_freedom_of_strata_are_satterthwaites():
    """Each stratum has its number of cases minus 1; a form without variance has the cases minus the strata."""
    form, parts = np.append(CELLS_FORM, 0.0)[PLACE], []
    for index, share in enumerate(SHARE):
        cases = np.repeat(form[index == STRATUM], OBSERVED[index == STRATUM].astype(int))
        parts.append(share**2 * cases.var(ddof=1) / len(cases))
    expected = sum(parts) ** 2 / sum(part**2 / n for part, n in zip(parts, (9, 11, 9), strict=True))
    design = three()
    inflation, freedom = design.small_sample_correction(None, CELLS_FORM)
    assert (inflation, freedom) == pytest.approx((1.0, expected))
    assert design.degrees_of_freedom == 29
    assert design.small_sample_correction(None, np.zeros(4))[1] == 29
    assert design.satterthwaite_df(None, SIDE, np.zeros(4)) == 29
    assert design.satterthwaite_df(None, SIDE, CELLS_FORM) <= expected
    assert three(units=np.ones(3)).degrees_of_freedom == 1
    assert np.isinf(three(units=None).degrees_of_freedom)


def test_cells_that_are_merged_keep_their_strata():
    """A merged table has the merged counts and variance, its cells one observed cell for each stratum."""
    target = np.array([1, 0, 0, 1])
    design = three().collapse_cells(target, 2)
    design.check((2,))
    assert design.whole == pytest.approx(np.bincount(target, three().whole, 2))
    form = np.array([0.7, -0.2])
    assert design.variance(None, form) == pytest.approx(three().variance(None, form[target]))
    pairs = list(zip(design.stratum.tolist(), design.place.tolist(), design.observed.tolist(), strict=True))
    assert sorted(pairs) == [(0, 0, 3), (0, 1, 7), (1, 0, 12), (2, -1, 5), (2, 1, 5)]


def test_effective_cases_have_the_largest_weight_that_they_may_have():
    """A total over the weight of a case in the heaviest stratum that it may be in; more where much was drawn."""
    design, marked = three(total=320.0), np.array([True, True, False, False])
    weights = 320 * SHARE / [10, 12, 10]
    total = weights[0] * 9 + weights[1] * 4
    assert design.effective_sample_size(None, marked) == pytest.approx(total / weights[0])
    fraction = np.array([0.5, 0.1, 0.0])
    unseen = [0.5 / np.log(2), 0.1 / -np.log(0.9)]
    heaviest = max(weights[0] * unseen[0], weights[1] * unseen[1])
    finite = replace(design, fraction=fraction)
    assert finite.effective_sample_size(None, marked) == pytest.approx(total / heaviest)
    assert np.isinf(replace(design, fraction=np.ones(3)).effective_sample_size(None, marked))
    assert design.effective_sample_size(None, np.zeros(4, bool)) == 0


def test_pseudo_cases_are_shared_by_the_strata_of_their_cell():
    """Pseudo-cases of a cell are shared evenly by its strata; those of a cell without any are spread over the others."""
    extra = np.array([1.0, 4.0, 2.0, 6.0])
    assert three().spread_pseudo_counts(extra) == pytest.approx([1, 2, 3, 2, 2, 3, 0])
    gone = three(cells=5).spread_pseudo_counts(np.append(extra, 13.0))
    assert gone == pytest.approx(2 * np.array([1, 2, 3, 2, 2, 3, 0]))
    filled, design = three().with_pseudo_counts(None, extra)
    assert design.observed - OBSERVED == pytest.approx([1, 2, 3, 2, 2, 3, 0])
    assert filled == pytest.approx(design.whole)


def test_draws_from_strata_have_the_moments_of_the_strata():
    """New samples, the posterior and the jackknife vary within the strata alone, whose totals stay."""
    size, design = 8000, three()
    sums, studies = design.simulate_studies(None, 2.0, size, np.random.default_rng(0))
    assert sums == pytest.approx(studies.whole)
    of_strata = np.stack([studies.observed[:, i == STRATUM].sum(1) for i in range(3)], 1)
    assert (of_strata == [20, 24, 20]).all()
    assert studies.units.tolist() == [20, 24, 20]
    assert studies.select_table(3).observed.tolist() == studies.observed[3].tolist()
    form = np.append(CELLS_FORM, 0.0)[PLACE]
    posterior = design.posterior(None, np.zeros(4), size, np.random.default_rng(1)) @ CELLS_FORM
    half = three(fraction=np.full(3, 0.75), total=32.0).posterior(None, np.zeros(4), size, np.random.default_rng(1))
    square = 0.0  # of Dirichlet shares
    for index, (share, n) in enumerate(zip(SHARE, (10, 12, 10), strict=True)):
        cases = np.repeat(form[index == STRATUM], OBSERVED[index == STRATUM].astype(int))
        square += (32 * share) ** 2 * cases.var() / (n + 1)
    assert posterior.var() == pytest.approx(square, rel=0.05)
    assert (half @ CELLS_FORM).var() == pytest.approx(square / 4, rel=0.05)
    left = [
        (table @ CELLS_FORM, number)
        for tables, many in design.leave_one_out(None)
        for table, number in zip(tables, many, strict=True)
    ]
    expected = []
    for cell in range(7):
        observed = OBSERVED - np.eye(7)[cell]
        means = [np.average(form[i == STRATUM], weights=observed[i == STRATUM]) for i in range(3)]
        expected.append((observed.sum() * SHARE @ means, OBSERVED[cell]))
    assert np.array(sorted(left)) == pytest.approx(np.array(sorted(expected)))
    tilted, moved = design.exponential_tilt(None, 0.05 * CELLS_FORM)
    assert [moved.observed[i == STRATUM].sum() for i in range(3)] == pytest.approx([10, 12, 10])
    weights = (32 * SHARE / [10, 12, 10])[STRATUM] * np.sqrt(np.array([10 / 9, 12 / 11, 10 / 9]))[STRATUM]
    factor = OBSERVED * np.exp(0.05 * weights * form)
    assert moved.observed[:3] / moved.observed[0] == pytest.approx(factor[:3] / factor[0])
    assert tilted == pytest.approx(moved.whole)


def test_a_batch_is_of_the_same_strata():
    """Tables of the same strata are a batch with the variance of each; others, or estimated shares, are refused."""
    other = three(observed=OBSERVED[::-1].copy())
    batch = three().stack_tables([other], 4)
    batch.check((2, 4))
    expected = [float(each.variance(None, CELLS_FORM)) for each in (three(), other)]
    assert batch.variance(None, np.tile(CELLS_FORM, (2, 1))) == pytest.approx(expected)
    for changed in (
        {"share": SHARE[::-1]},
        {"total": 9.0},
        {"units": None},
        {"place": PLACE[::-1]},
        {"covariance": np.eye(3)},
        {"fraction": np.full(3, 0.5)},
    ):
        with pytest.raises(hs.errors.UndefinedDesignError):
            three().stack_tables([three(**changed)], 4)
        with pytest.raises(hs.errors.UndefinedDesignError):
            three(**changed).stack_tables([three()], 4)
    weighted = three(design=hs.designs.Weighted(OBSERVED))
    with pytest.raises(hs.errors.UndefinedDesignError):
        weighted.stack_tables([weighted], 4)


@pytest.mark.parametrize(
    "change",
    [
        {"observed": OBSERVED[:-1]},
        {"stratum": np.array([0, 0, 0, 1, 1, 2, 3])},
        {"place": np.array([0, 1, 3, 1, 2, 3, -2])},
        {"place": np.array([0, 1, 3, 1, 2, 4, -1])},
        {"cells": 5},
        {"share": np.array([0.5, 0.2, 0.4])},
        {"names": ("a", "b")},
        {"names": ["a", "b", "c"]},
        {"total": -1.0},
        {"units": np.ones(2)},
        {"fraction": np.array([0.5, 0.5, 1.5])},
        {"covariance": np.eye(2)},
        {"noun": None},
        {"design": None},
        {"design": hs.designs.FixedMargins(np.zeros(6, int))},
    ],
)
def test_strata_that_fit_no_table_are_refused(change):
    """Each part must be of its size, and its numbers must be of cells and strata that there are."""
    three(total=32.0, fraction=np.array([0.0, 0.5, 1.0]), covariance=-np.eye(3)).check((4,))
    three().check_sums(three().whole)
    with pytest.raises(hs.HowsureError):
        three(**change).check((4,))
    with pytest.raises(hs.HowsureError):
        three().check_sums(three().whole + np.eye(4)[1])


@pytest.mark.parametrize("units, words", [([10.0, 1.0, 1.0], "(b, c)"), ([10.0, 1.0, 2.0], "(b)"), ([2.0] * 3, "")])
def test_strata_of_one_case_are_named(units, words):
    """Each stratum with a single case that is not all of it is named; two cases show variation."""
    said = " ".join(three(units=np.array(units)).description.caveats)
    assert ("one case shows no variation" in said) == bool(words)
    assert words in said
    whole = three(units=np.array(units), fraction=np.ones(3))
    assert not any("one case" in each for each in whole.description.caveats)
    one = replace(three(), share=np.ones(1), stratum=np.zeros(7, int), names=("a",), units=None)
    assert one.description.sample == "from 1 stratum of known size"
