"""Strata of unknown size: R's survey, the laws of the design, domains, and coverage."""

import re

import numpy as np
import pytest

import howsure as hs
import howsure.testing
from howsure.comparison.contenders import covariances_by_unit
from howsure.designs.clusters import Clusters
from howsure.designs.resampling import Resampling
from howsure.designs.stratified_clusters import StratifiedClusters, within_strata
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import UndefinedDesignError
from howsure.methods.drawn.jackknife import jackknife, variance_of_jackknife
from howsure.metrics.binding import resolve
from support.files import rows_of

METRICS = ["accuracy", "recall", "f1"]
RNG = np.random.default_rng(20261129)
CLUSTER = np.repeat(np.arange(22), RNG.integers(2, 9, 22))  # of which the last stratum has one, the others 2 to 6
STRATUM = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6])[CLUSTER]
SIZE = len(CLUSTER)
EASE = RNG.normal(0, 1, 22)[CLUSTER]
TRUE = (RNG.random(SIZE) < 0.45).astype(int)
SAID = np.where(RNG.random(SIZE) < 1 / (1 + np.exp(-1 - EASE)), TRUE, 1 - TRUE)
SCORE = np.round(TRUE + RNG.normal(0, 1, SIZE), 1)
WEIGHT = np.round(RNG.gamma(3, 0.4, SIZE) + 0.1, 2)
DOMAIN = np.where(CLUSTER % 3 == 0, "some", "others")
DRAWN = {"strata": STRATUM, "groups": CLUSTER, "sample_weight": WEIGHT}
BESIDE = {"cases": {}, "weights": {"sample_weight": WEIGHT}, "clusters": {"groups": CLUSTER}, "both": DRAWN}


def numbers(name):
    """Return the columns of a CSV file, as numbers where they are."""
    rows = rows_of(name)
    try:
        return {role: np.array([float(row[role]) for row in rows]) for role in rows[0]}
    except ValueError:
        return {role: np.array([row[role] for row in rows]) for role in rows[0]}


def survey_tables():
    """Return the tables of `nhanes_reference.csv` by name."""
    data, schools = numbers("nhanes.csv"), numbers("apistrat.csv")

    def health(inside=slice(None), **more):
        own = {role: each[inside] for role, each in data.items()}
        both = {"strata": own["stratum"], "groups": [own["stratum"], own["unit"]]}
        more = {name: each[inside] for name, each in more.items()}
        return hs.confusion(own["true"], own["said"], sample_weight=own["weight"], **both, **more, check=False)

    sizes = {"E": 4421 / 100, "H": 755 / 50, "M": 1018 / 50}
    columns = {"strata": schools["stype"], "sample_weight": [sizes[each] for each in schools["stype"]]}
    said = schools["api_stu"].astype(float) > 400
    schools = hs.confusion(schools["both"] == "Yes", said, **columns, by=schools["yr_rnd"])
    return {
        "all": health(),
        "gender 2": health(by=data["gender"])[2.0],
        "other 1": health(by=data["other"])[1.0],
        "single": health((data["stratum"] != 75) | (data["unit"] != 2)),
        "schools": schools.overall,
        "schools open all year": schools["Yes"],
    }


def test_figures_are_those_of_survey():
    """Values, standard errors and degrees of freedom are those of R's survey: NHANES, and schools drawn by type.

    Domains keep the units without their cases. For "other 1", where two units have none, R's degrees of freedom leave
    out these units, and ours, like Stata's, only strata without cases.
    """
    reference = rows_of("nhanes_reference.csv")
    for name, table in survey_tables().items():
        found = hs.evaluate(table, METRICS, method="wald").values()
        expected = [row for row in reference if row["name"] == name]
        assert [each.value for each in found] == pytest.approx([float(row["value"]) for row in expected], rel=1e-10)
        assert [each.standard_error for each in found] == pytest.approx(
            [float(row["error"]) for row in expected], rel=1e-10
        )
        freedom = 16 if name == "other 1" else float(expected[0]["freedom"])
        if name != "schools open all year":  # without clusters the cases of a domain are fewer than those of its strata
            assert table.design.degrees_of_freedom == freedom


def test_a_domain_of_cases_has_their_degrees_of_freedom():
    """A domain of single cases has the number of its cases minus 1; R's survey subtracts the strata instead."""
    schools = numbers("apistrat.csv")
    assert survey_tables()["schools open all year"].design.degrees_of_freedom == (schools["yr_rnd"] == "Yes").sum() - 1


@pytest.mark.parametrize("beside", BESIDE)
def test_the_variance_is_that_of_sampling_texts(beside):
    """It is the sum over strata of n / (n − 1) times squared deviations of weighted totals, written out here."""
    columns = {"strata": STRATUM, **BESIDE[beside]}
    unit = columns.get("groups", np.arange(SIZE))
    weight = np.asarray(columns.get("sample_weight", np.ones(SIZE)))
    for inside in (np.ones(SIZE, dtype=bool), DOMAIN == "some"):
        table = hs.confusion(TRUE, SAID, **columns, by=DOMAIN)
        table = table.overall if inside.all() else table["some"]
        mean = np.average((TRUE == SAID)[inside], weights=weight[inside])
        form = weight * inside * ((TRUE == SAID) - mean) / weight[inside].sum()
        square = 0.0
        for stratum in np.unique(STRATUM):
            units = np.unique(unit[stratum == STRATUM])
            totals = np.array([form[unit == each].sum() for each in units])
            away, factor = (totals - totals.mean(), len(units) / (len(units) - 1)) if len(units) > 1 else (totals, 1.0)
            square += factor * (away**2).sum()
        found = hs.estimate(table, "accuracy", method="wald")
        assert found.value == pytest.approx(mean)
        assert found.standard_error == pytest.approx(np.sqrt(square))


@pytest.mark.parametrize("beside", ["clusters", "both"])
def test_one_stratum_is_none(beside):
    """With one stratum, value, standard error and intervals are those of the clusters alone."""
    for make, metrics in ((hs.confusion, ["accuracy", "f1", "mcc", "kappa"]), (hs.scores, ["roc_auc", "brier"])):
        columns = {name: each for name, each in BESIDE[beside].items() if name != "strata"}
        second = SAID if make is hs.confusion else np.clip((SCORE + 3) / 7, 0, 1)
        one = make(TRUE, second, **columns, strata=np.zeros(SIZE, dtype=int))
        alone = make(TRUE, second, **columns)
        assert isinstance(one.design, StratifiedClusters)
        for method in (None, "delta"):
            first, other = (hs.evaluate(each, metrics, method=method).values() for each in (one, alone))
            for own, expected in zip(first, other, strict=True):
                assert (own.low, own.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
                assert own.standard_error == pytest.approx(expected.standard_error)


def test_equal_weights_within_strata_are_known_sizes():
    """Without clusters, weights that are constant within strata give the standard errors of strata of known size."""
    shares = {0: 0.3, 1: 0.05, 2: 0.15, 3: 0.2, 4: 0.1, 5: 0.12, 6: 0.08}
    drawn = np.bincount(STRATUM)
    weight = np.array([shares[name] / drawn[name] for name in STRATUM])
    known = hs.confusion(TRUE, SAID, strata=STRATUM, stratum_sizes=shares)
    unknown = hs.confusion(TRUE, SAID, strata=STRATUM, sample_weight=weight)
    for metric in ("accuracy", "f1", "kappa", "precision"):
        first, other = (hs.estimate(table, metric, method="wald") for table in (known, unknown))
        assert first.value == pytest.approx(other.value)
        assert first.standard_error == pytest.approx(other.standard_error)
    assert unknown.design.degrees_of_freedom == known.design.degrees_of_freedom == SIZE - 7


@pytest.mark.parametrize("beside", BESIDE)
def test_the_laws_hold(beside):
    """Variance, resamples and posterior agree, for all cases and for a domain of six times as many clusters."""
    rows = np.tile(np.flatnonzero(STRATUM < 6), 6)
    columns = {name: each[rows] for name, each in BESIDE[beside].items() if name not in ("strata", "groups")}
    if "groups" in BESIDE[beside]:
        columns["groups"] = CLUSTER[rows] + 22 * (np.arange(len(rows)) // (len(rows) // 6))
    tables = hs.confusion(TRUE[rows], SAID[rows], **columns, strata=STRATUM[rows], by=DOMAIN[rows])
    for table in (tables.overall, tables["some"]):
        howsure.testing.check_design(table.design, table)


def test_draws_have_the_variance_of_the_design():
    """Resamples, posterior draws and the jackknife vary as the design does, also with two clusters in a stratum."""
    several = STRATUM < 6
    columns = {name: each[several] for name, each in DRAWN.items()}
    table = hs.confusion(TRUE[several], SAID[several], **columns)
    form, rng, none = np.array([1.0, -0.4, 0.3, 0.9]), np.random.default_rng(1), np.zeros(4)
    expected = float(table.design.variance(table.cells, form))
    drawn = {
        "resamples": table.design.resample(table.cells, 20_000, rng) @ form,
        "posterior": table.design.posterior(table.cells, none, 20_000, rng) @ form,
    }
    for name, each in drawn.items():
        assert each.var() == pytest.approx(expected, rel=0.05), name
        assert each.mean() == pytest.approx(table.cells @ form, abs=0.03 * np.sqrt(expected)), name
    units = Resampling.of(table.design).exchangeable_units(table.cells)
    columns, places = (
        units.columns(form[None])[0],
        np.split(np.arange(units.total), np.cumsum([n for n, _ in units.strata])),
    )
    sums = sum(
        columns[rng.choice(place, (20_000, n))].sum(1) for place, (_, n) in zip(places[:-1], units.strata, strict=True)
    )
    assert sums.var() == pytest.approx(expected, rel=0.05)
    assert variance_of_jackknife(*jackknife(resolve("accuracy", table), table)) == pytest.approx(
        hs.estimate(table, "accuracy", method="wald").standard_error ** 2, rel=0.1
    )


def test_variance_along_thresholds_is_that_at_each():
    """The pass over all thresholds gives the variance of the confusion table at each, single clusters included."""
    table = hs.scores(TRUE, SCORE, **DRAWN)
    slopes = np.random.default_rng(2).normal(size=(len(table.scores) + 1, 2, 2))
    expected = VarianceDetails.threshold_variances(table.design, table.counts, slopes)
    assert table.design.threshold_variances(table.counts, slopes) == pytest.approx(expected)
    some = np.array([0, 3, 7])
    assert table.design.threshold_variances(table.counts, slopes[some], some) == pytest.approx(expected[some])


def test_domains_share_their_clusters():
    """The covariance of two domains is that of their clusters, as in the variance of their difference, written out."""
    tables = hs.confusion(TRUE, SAID, **DRAWN, by=TRUE)
    of_each = resolve("accuracy", tables[0])
    parts = [(each.design.named_units, each.cells, of_each.gradient(each.counted).ravel()) for each in tables.values()]
    (covariance,), _ = covariances_by_unit(parts)
    rates = [np.average((TRUE == SAID)[side == TRUE], weights=WEIGHT[side == TRUE]) for side in range(2)]
    form = sum(
        sign * WEIGHT * (side == TRUE) * ((TRUE == SAID) - rates[side]) / WEIGHT[side == TRUE].sum()
        for side, sign in ((1, 1), (0, -1))
    )
    totals, strata = np.bincount(CLUSTER, form), STRATUM[np.unique(CLUSTER, return_index=True)[1]]
    square = sum(
        n / max(n - 1, 1) * ((own - (own.mean() if n > 1 else 0)) ** 2).sum()
        for n, own in ((int((strata == name).sum()), totals[strata == name]) for name in range(7))
    )
    assert covariance.sum() - 4 * covariance[0, 1] == pytest.approx(square)


def test_numbers_of_clusters_stay():
    """Tilted tables and new studies keep the number of clusters of each stratum, in proportion to the scale."""
    table = hs.confusion(TRUE, SAID, **DRAWN)
    numbers = np.bincount(table.design.stratum, table.design.multiplicity)
    counts, tilted = table.design.exponential_tilt(table.cells, np.array([0.02, -0.01, 0.0, 0.03]))
    assert np.bincount(tilted.stratum, tilted.multiplicity) == pytest.approx(numbers)
    assert np.bincount(tilted.cell, tilted.count * tilted.multiplicity[tilted.cluster]) == pytest.approx(counts)
    sums, studies = table.design.simulate_studies(table.cells, 2.0, 4, np.random.default_rng(3))
    form = np.array([1.0, -0.4, 0.3, 0.9])
    variances = studies.variance(sums, form)
    factors, freedoms = studies.small_sample_correction(sums, form)
    for place in range(4):
        one = studies.select_table(place)
        assert np.bincount(one.stratum, one.multiplicity) == pytest.approx(2 * numbers)
        assert one.variance(sums[place], form) == pytest.approx(variances[place])
        own = one.small_sample_correction(sums[place], form)
        assert [float(each) for each in own] == pytest.approx([factors[place], freedoms[place]])
    said = str(hs.plan(table, "accuracy", width=0.3, random_state=0))
    cases, clusters = map(int, re.search(r"(\d+) cases in (\d+) clusters", said.replace(",", "")).groups())
    assert clusters == pytest.approx(cases * 22 / SIZE, abs=1)


def test_tables_of_one_sample_make_a_batch():
    """Tables with the same strata are stacked, and give the intervals of each."""
    tables = hs.confusion(TRUE, SAID, **DRAWN, by=DOMAIN)
    stacked = tables["some"].design.stack_tables([tables["others"].design], 4)
    counts = np.stack([tables[name].cells for name in ("some", "others")])
    expected = [float(tables[name].design.variance(tables[name].cells, np.ones(4))) for name in ("some", "others")]
    assert stacked.variance(counts, np.ones(4)) == pytest.approx(expected)
    assert tables["some"].design.select_table(0) is tables["some"].design
    other = hs.confusion(TRUE, SAID, strata=STRATUM + 1, groups=CLUSTER).design
    with pytest.raises(UndefinedDesignError):
        stacked.select_table(0).stack_tables([other], 4)


def test_satterthwaites_degrees_of_freedom_are_unbiased():
    """For 15 strata of two clusters with equal variances they are about 15, as many as are known to be right."""
    rng = np.random.default_rng(4)
    cluster = np.arange(30)
    found = []
    for totals in rng.normal(size=(400, 30)):
        clusters = Clusters(
            np.repeat(cluster, 2), np.tile([0, 1], 30), np.stack([10 + totals, 10 - totals], 1).ravel(), np.ones(30)
        )
        design = within_strata(clusters, cluster // 2, tuple(range(15)))
        found.append(float(design.satterthwaite_df(np.array([300.0, 300.0]), np.zeros(2, int), np.array([1.0, -1.0]))))
    assert 12 < np.mean(found) <= 15


def test_what_is_no_such_sample_is_refused():
    """Clusters across strata, single cases, other pairs of columns, sums and tables of units are refused in a line."""
    refused = {
        "crossed-strata": {"strata": STRATUM, "groups": CLUSTER % 5},
        "single-units": {"strata": np.arange(SIZE)},
    }
    for code, columns in refused.items():
        with pytest.raises(hs.HowsureError) as found:
            hs.confusion(TRUE, SAID, **columns)
        assert found.value.code == code
    with pytest.raises(hs.HowsureError) as found:
        hs.confusion(TRUE, SAID, strata=STRATUM, groups=[CLUSTER % 5, np.arange(SIZE) % 3])
    assert found.value.code == "crossed-strata"
    table = hs.confusion(TRUE, SAID, **DRAWN)
    with pytest.raises(hs.HowsureError, match="do not add up"):
        _ = table + hs.confusion(SAID, TRUE, **DRAWN)
    with pytest.raises(hs.HowsureError, match="no units"):
        hs.per_unit(table, "f1")


def test_numbers_that_start_anew_are_told_apart_by_two_columns():
    """Clusters 1, 2, … of each stratum are given with the stratum, in either order, as R's survey does by ``nest``."""
    number = np.concatenate([np.unique(CLUSTER[name == STRATUM], return_inverse=True)[1] for name in range(7)])
    expected = hs.confusion(TRUE, SAID, **DRAWN)
    for groups in ([STRATUM, number], {"unit": number, "stratum": STRATUM}):
        table = hs.confusion(TRUE, SAID, **DRAWN | {"groups": groups})
        assert table.design.number == 22
        assert hs.estimate(table, "f1").standard_error == pytest.approx(hs.estimate(expected, "f1").standard_error)


def test_the_sample_is_described():
    """Strata and clusters are counted; weights, few clusters and strata of a single one are told."""
    said = hs.confusion(TRUE, SAID, **DRAWN).design.description
    assert said.sample == "in 22 clusters of 7 strata"
    assert "count by their weights. So few" in said.caveats[0]
    assert "A stratum with one cluster shows no variation (6)" in said.caveats[1]
    (plain,) = hs.confusion(TRUE, SAID, strata=STRATUM % 2).design.description.caveats
    assert plain.startswith("The cases come from 2 strata of unknown size")
    assert "each case counts once" in plain


def test_a_domain_of_one_cluster_is_unknown():
    """A domain whose cases are all of one cluster has no standard error, with a reason."""
    table = hs.confusion(TRUE, SAID, **DRAWN, by=np.where(CLUSTER == 3, "one", "others"))["one"]
    found = hs.estimate(table, "accuracy")
    assert np.isnan(found.standard_error)
    assert found.reason


SCENES = {  # spread of the strata's weights, of cases' weights, of clusters, and of strata
    "few clusters": (0.3, 0.0, 0.4, 0.5),
    "unequal weights": (1.0, 0.7, 0.4, 0.5),
    "strata that differ": (0.5, 0.3, 0.4, 2.5),
}


def study(scene, clusters, rng):
    """Return a sample from 15 strata: true classes, scores, weights, strata and clusters."""
    of_strata, of_cases, between, across = SCENES[scene]
    fixed = np.random.default_rng(7)
    mass, prevalence, skill = (each * fixed.normal(0, 1, 15) for each in (of_strata, across / 2, across / 2))
    size = 1 + rng.poisson(19, 15 * clusters)
    cluster = np.repeat(np.arange(15 * clusters), size)
    stratum = cluster // clusters
    shift, ease = rng.normal(0, between, (2, 15 * clusters))[:, cluster]
    true = (rng.random(len(cluster)) < 1 / (1 + np.exp(-prevalence[stratum] - shift))).astype(int)
    score = rng.normal((1.2 + skill[stratum] + ease) * (true - 0.5) * 1.5)
    weight = np.exp(mass[stratum] + rng.normal(0, of_cases, len(cluster)))
    return true, score, {"sample_weight": weight, "strata": stratum, "groups": cluster}


@pytest.mark.thorough
@pytest.mark.parametrize("scene", SCENES)
def test_intervals_cover(scene):
    """With two clusters in each of 15 strata, default intervals cover 92 % or more.

    With 300 studies the simulated coverage has a standard error of 1.3 percentage points.
    """
    rng = np.random.default_rng(8)
    metrics = ("accuracy", "f1", "f1@macro")
    true, score, columns = study(scene, 3000, rng)
    weight = {"sample_weight": columns["sample_weight"]}
    whole = hs.confusion(true, (score > 0).astype(int), **weight)
    truth = [hs.estimate(whole, name, method="wald").value for name in metrics]
    truth.append(hs.estimate(hs.scores(true, score, **weight), "roc_auc", method="delta").value)
    covered = np.zeros(4)
    for _ in range(300):
        true, score, columns = study(scene, 2, rng)
        table = hs.confusion(true, (score > 0).astype(int), **columns)
        found = [*hs.evaluate(table, list(metrics)).values(), hs.estimate(hs.scores(true, score, **columns), "roc_auc")]
        covered += [each.low <= own <= each.high for each, own in zip(found, truth, strict=True)]
    assert (covered / 300 > 0.92).all(), covered / 300
