"""Resamples of units: every metric of the same ones, from their weights and from tables."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.resampling import Resampling
from howsure.methods.drawn.resampled_cases import values_of_resamples
from howsure.metrics.binding import resolve
from howsure.native.resampling import Resamples
from howsure.tables.scores import ScoresTable

RNG = np.random.default_rng(8)
TRUTH = np.arange(37) % 3 % 2
SCORE = RNG.random(37).round(2)
GROUP = RNG.integers(9, size=37)
TRUE, PREDICTED = TRUTH + (SCORE > 0.7), (SCORE > 0.5) * 1
PREDICTED[[0, TRUE.argmax()]] = 2  # rarely predicted: some resamples lack it
STRATUM, SIZES = np.repeat(["a", "b", "c"], [20, 12, 5]), {"a": 400, "b": 18, "c": 5}  # "c" is wholly sampled
LABELS = RNG.integers(0, 2, (37, 3))
ROWS = RNG.dirichlet(np.ones(3), 37).round(1)
ROWS[:, 2] = 1 - ROWS[:, 0] - ROWS[:, 1]
TABLE = hs.scores(TRUTH, SCORE)
METRICS = [
    resolve(name, TABLE) for name in ("brier_score", "roc_auc", "recall_at+fpr=0.3", "average_precision", "log_loss")
]
OF_SCORES = ["roc_auc", "average_precision", "brier_score", "log_loss", "recall_at+fpr=0.3"]
OF_CLASSES = ["accuracy", "f1@macro", "precision+zero_division=0@binary+positive_class=2", "recall@weighted", "mcc"]
OF_LABELS = ["f1@micro", "f1@macro", "recall@weighted"]
OF_ROWS = ["roc_auc@macro", "roc_auc@weighted", "average_precision@macro", "log_loss", "roc_auc@macro+multi_class=ovo"]
TABLES = {
    "cases": (TABLE, OF_SCORES),
    "clusters": (hs.scores(TRUTH, SCORE, groups=GROUP), OF_SCORES),
    "repeated clusters": (hs.scores([0, 1, 1] * 9, [0.1, 0.6, 0.3] * 9, groups=np.arange(27) // 3), OF_SCORES),
    "weights": (hs.scores(TRUTH, SCORE, sample_weight=1 + GROUP / 7), OF_SCORES),
    "whole weights": (hs.scores(TRUTH, SCORE, sample_weight=1.0 + GROUP), OF_SCORES),
    "classes": (hs.confusion(TRUE, PREDICTED), OF_CLASSES),
    "classes in clusters": (hs.confusion(TRUE, PREDICTED, groups=GROUP), OF_CLASSES),
    "labels": (hs.confusion(LABELS, RNG.permutation(LABELS)), OF_LABELS),
    "labels in clusters": (hs.confusion(LABELS, RNG.permutation(LABELS), groups=GROUP), OF_LABELS),
    "rows": (hs.multiclass_scores(TRUE, ROWS), OF_ROWS),
    "rows in clusters": (hs.multiclass_scores(TRUE, ROWS, groups=GROUP), OF_ROWS),
    "rows of labels": (hs.multiclass_scores(LABELS, RNG.random((37, 3)).round(1)), OF_ROWS[:3]),
    "strata": (hs.scores(TRUTH, SCORE, strata=STRATUM, stratum_sizes=SIZES), OF_SCORES),
    "a group of strata": (
        hs.scores(TRUTH, SCORE, strata=STRATUM, stratum_sizes=SIZES, by=GROUP % 2)[1],
        OF_SCORES,
    ),
    "classes at stated frequencies": (hs.confusion(TRUE, PREDICTED).at_prevalence([0.5, 0.3, 0.2]), OF_CLASSES),
    "values": (hs.values(SCORE), ["mean"]),
    "values in clusters": (hs.values(SCORE, groups=GROUP), ["mean"]),
}
SEED = np.random.SeedSequence(4)


def values(metrics, table, size, seed=SEED):
    """Return the metrics on resamples of the units of a table."""
    return values_of_resamples(metrics, table, Resampling.of(table.design).exchangeable_units(table.cells), size, seed)


def by_tables(metric):
    """Return the metric without its way by the weights of the units."""
    return replace(metric, structure=None)


@pytest.mark.parametrize("name", TABLES)
def test_weights_and_tables_are_of_the_same_resamples(name):
    """Every metric has the values that it has on the tables of the resamples; undefined ones agree too."""
    table, names = TABLES[name]
    metrics = [resolve(each, table) for each in names]
    found, plain = values(metrics, table, 130), values([by_tables(each) for each in metrics], table, 130)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12)
    assert (np.nanmax(found, axis=1) > np.nanmin(found, axis=1)).all() == (name != "repeated clusters")


@pytest.mark.parametrize(
    "name",
    [
        "clusters",
        "labels in clusters",
        "weights",
        "rows in clusters",
        "strata",
        "a group of strata",
        "classes at stated frequencies",
    ],
)
def test_resamples_of_units_vary_as_the_design_says(name):
    """The spread over resamples is that of the design's own resampled tables."""
    table, names = TABLES[name]
    metric = resolve(names[0], table)
    drawn = Resampling.of(table.design).resample(table.cells, 3000, np.random.default_rng(1))
    expected = metric(table.make_counts(drawn))
    found = values([metric], table, 3000)[0]
    assert np.nanstd(found) == pytest.approx(np.nanstd(expected), rel=0.08)
    assert np.nanmean(found) == pytest.approx(np.nanmean(expected), abs=5 * np.nanstd(expected) / np.sqrt(1500))


@pytest.mark.parametrize("size", [1, 7, 130, 700])
def test_a_metric_has_the_same_values_among_others(size):
    """Each metric has the same values alone and among others, in any order."""
    found = values(METRICS, TABLE, size)
    assert found.shape == (5, size)
    for row, metric in enumerate(METRICS):
        np.testing.assert_array_equal(values([metric], TABLE, size)[0], found[row])
    turned = values(METRICS[::-1], TABLE, size)
    np.testing.assert_array_equal(turned[::-1], found)
    if size > 1:
        assert (np.ptp(found, axis=1) > 0).all()


@pytest.mark.parametrize("at_once", [1, 64])
def test_blocks_of_any_size_have_the_same_values(at_once, monkeypatch):
    """However many tables fit the cache."""
    expected = values(METRICS[:3], TABLE, 150)
    monkeypatch.setattr(ScoresTable, "block_size", at_once)
    np.testing.assert_allclose(values(METRICS[:3], TABLE, 150), expected, rtol=1e-12)


def test_resamples_have_as_many_cases_each_with_the_same_chance():
    """Mean losses vary as means of 37 cases do, around the observed one; a seed is a stream."""
    found = values([METRICS[0]], TABLE, 4000)[0]
    losses = (SCORE - TRUTH) ** 2
    assert found.mean() == pytest.approx(losses.mean(), abs=5 * losses.std() / np.sqrt(37 * 4000))
    assert found.std() == pytest.approx(losses.std() / np.sqrt(37), rel=0.06)
    other = values([METRICS[0]], TABLE, 4000, np.random.SeedSequence(5))[0]
    assert np.abs(np.corrcoef(found, other)[0, 1]) < 0.08
    assert np.abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.08


def test_means_of_finite_strata_have_the_variance_of_a_stratified_sample():
    """Cochran's variance: the sum over strata of W² (1 − f) s² / n; a stratum that was wholly sampled adds nothing."""
    losses, total = (SCORE - TRUTH) ** 2, sum(SIZES.values())
    own = {name: losses[name == STRATUM] for name in SIZES}
    mean = sum(SIZES[name] / total * each.mean() for name, each in own.items())
    variance = sum(
        (SIZES[name] / total) ** 2 * (1 - len(each) / SIZES[name]) * each.var(ddof=1) / len(each)
        for name, each in own.items()
    )
    table = TABLES["strata"][0]
    found = values([resolve("brier_score", table)], table, 8000)[0]
    assert found.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / 8000))
    assert found.std() == pytest.approx(np.sqrt(variance), rel=0.05)


def test_many_scores_of_strata_are_drawn_by_their_weights(monkeypatch):
    """A bootstrap of thousands of scores in finite strata draws weights of cases, not a multinomial table each."""

    def refuse(*_):
        raise AssertionError

    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 3000)
    table = hs.scores(truth, rng.normal(truth), strata=truth, stratum_sizes={0: 40_000, 1: 2_000})
    monkeypatch.setattr(type(table.design), "resample", refuse)
    found = hs.estimate(table, "roc_auc", method=hs.methods.Bootstrap(n_resamples=400), random_state=0)
    assert found.standard_error == pytest.approx(hs.estimate(table, "roc_auc").standard_error, rel=0.12)


@pytest.mark.parametrize("draws", [1, 4999, 5000])
def test_weights_add_up_to_the_number_that_is_drawn(draws):
    """Each resample has so many cases, each case with the same chance."""
    weights = Resamples.drawn(5000, 64, np.random.default_rng(2), draws).weights(0, 8)
    assert (weights.sum(0, dtype=int) == draws).all()
